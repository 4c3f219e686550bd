//! SPIR-V modules from text, by `spirv-as` of the SPIRV-Tools: LLVM writes such text, and does not read it.

use crate::error::{Error, Result};
use crate::system::scratch::{self, Scratch};
use crate::system::tool::{Tools, in_path};

/// The words of a module's head that its instructions do not show, as comments of the text name them: the version of
/// SPIR-V, the generator, and the bound of the ids.
const HEAD: [(&str, usize); 3] = [("Version", 1), ("Generator", 2), ("Bound", 3)];

/// Adds the words of the code's head to its text.
pub(super) fn with_head(code: &[u8], text: Vec<u8>) -> Result<Vec<u8>> {
    let word = |at: usize| code.get(4 * at..4 * at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let line = |(name, at)| Some(format!("; {name}: 0x{:08x}\n", word(at)?));
    let head: Option<String> = HEAD.into_iter().map(line).collect();
    let head = head.ok_or_else(|| Error::internal("LLVM wrote a SPIR-V module without a head"))?;
    Ok([head.into_bytes(), text].concat())
}

/// The module of a text.
pub(super) fn assemble(text: &[u8], tools: &Tools) -> Result<Vec<u8>> {
    let program = in_path("spirv-as").ok_or_else(|| {
        Error::new("there is no `spirv-as` in `PATH`, which assembles SPIR-V; SPIRV-Tools contain it")
    })?;
    let scratch = Scratch::new()?;
    let (from, to) = (scratch.file_with("device.spvasm", text)?, scratch.file("device.spv"));
    let version = number(text, "Version").unwrap_or(0x0001_0000);
    let environment = format!("spv{}.{}", version >> 16, (version >> 8) & 0xff);
    let options = ["--preserve-numeric-ids", "--target-env", &environment, "-o"].map(AsRef::as_ref);
    let arguments = options.into_iter().chain([to.as_os_str(), from.as_os_str()]);
    if !tools.run(&program, arguments)? {
        return Ok(Vec::new());
    }
    let mut code = scratch::read(&to)?;
    for (name, at) in HEAD {
        let Some(place) = code.get_mut(4 * at..4 * at + 4) else { continue };
        // An edit may have added ids.
        let own = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
        let named = number(text, name).map_or(own, |named| if name == "Bound" { named.max(own) } else { named });
        place.copy_from_slice(&named.to_le_bytes());
    }
    Ok(code)
}

/// The number in the comment that begins with `name`.
fn number(text: &[u8], name: &str) -> Option<u32> {
    let head = text.split(|byte| *byte == b'\n').take_while(|line| line.starts_with(b";"));
    let mut lines = head.filter_map(|line| std::str::from_utf8(line).ok()?.strip_prefix("; ")?.strip_prefix(name));
    u32::from_str_radix(lines.next()?.strip_prefix(": 0x")?.trim(), 16).ok()
}
