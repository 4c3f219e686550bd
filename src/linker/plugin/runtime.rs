//! The runtime as objects, because not every linker takes a library from a plugin: the members of its archive that a
//! link with the archive would take.

use std::collections::BTreeSet;
use std::path::Path;

use goblin::elf::Elf;

use crate::contract::abi::RUNTIME_PREFIX;
use crate::error::{Context as _, Result};
use crate::input::archive::Archive;

/// The members of an archive that define any of `names`, and those that they need, in the order of the archive.
pub(super) fn members(archive: &Path, mut names: BTreeSet<String>) -> Result<Vec<Vec<u8>>> {
    let reading = || format!("cannot read `{}`", archive.display());
    let opened = Archive::open(archive).with_context(reading)?;
    let mut taken: BTreeSet<u64> = BTreeSet::new();
    loop {
        let wanted: Vec<String> = names.iter().cloned().collect();
        let more: Vec<u64> = opened.defined(&wanted).into_keys().filter(|member| !taken.contains(member)).collect();
        if more.is_empty() {
            break;
        }
        for member in more {
            names.extend(undefined(&opened.member(member).with_context(reading)?));
            let _ = taken.insert(member);
        }
    }
    taken.into_iter().map(|member| opened.member(member).with_context(reading)).collect()
}

/// The runtime's functions that an archive defines.
pub(super) fn functions(archive: &Path) -> Result<BTreeSet<String>> {
    let opened = Archive::open(archive).with_context(|| format!("cannot read `{}`", archive.display()))?;
    let names = opened.symbols().map(|(name, _)| name).filter(|name| name.starts_with(RUNTIME_PREFIX));
    Ok(names.map(str::to_owned).collect())
}

/// The names that an object uses and does not define.
pub(super) fn undefined(object: &[u8]) -> BTreeSet<String> {
    let Ok(elf) = Elf::parse(object) else { return BTreeSet::new() };
    let used =
        elf.syms.iter().filter(|symbol| symbol.st_shndx == 0 && symbol.st_bind() == goblin::elf::sym::STB_GLOBAL);
    used.filter_map(|symbol| elf.strtab.get_at(symbol.st_name)).map(str::to_owned).collect()
}
