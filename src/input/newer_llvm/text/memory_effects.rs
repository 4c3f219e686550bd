//! `memory(…)`: the accesses of a function to each kind of memory.
//!
//! LLVM 23 distinguishes *target memory* (`target_mem0`, `target_mem1`, or `target_mem` for both) from other
//! inaccessible memory. It is state of the processor that no pointer leads to. In LLVM 22 it is part of inaccessible
//! memory, so an access to target memory becomes one to inaccessible memory. Locations that are not listed have the
//! access that is written first, or none.

/// Accesses as bits: 1 reads, 2 writes.
type Access = u8;

/// The keywords, by their bits.
const NAMES: [&str; 4] = ["none", "read", "write", "readwrite"];

/// The locations in LLVM 22.
const LOCATIONS: [&str; 3] = ["argmem", "inaccessiblemem", "errnomem"];
/// The index of inaccessible memory.
const INACCESSIBLE: usize = 1;

/// The contents of a `memory(…)` without target memory.
pub(super) fn without_target_memory(list: &str) -> Result<String, String> {
    let mut default: Option<Access> = None;
    let mut located: [Option<Access>; 3] = [None; 3];
    let mut target: [Option<Access>; 2] = [None; 2];
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (location, name) = item.split_once(':').map_or((None, item), |(l, n)| (Some(l.trim()), n.trim()));
        let unknown = || format!("`memory({list})` with `{item}`");
        let access = NAMES.iter().position(|known| *known == name).ok_or_else(unknown)? as Access;
        match location {
            None => default = Some(access),
            Some("target_mem") => target = [Some(access); 2],
            Some("target_mem0") => target[0] = Some(access),
            Some("target_mem1") => target[1] = Some(access),
            Some(location) => {
                let place = LOCATIONS.iter().position(|known| *known == location).ok_or_else(unknown)?;
                located[place] = Some(access);
            }
        }
    }
    let other = default.unwrap_or(0);
    let of_target = target.iter().fold(0, |all, access| all | access.unwrap_or(other));
    let inaccessible = located[INACCESSIBLE].unwrap_or(other) | of_target;
    if inaccessible != located[INACCESSIBLE].unwrap_or(other) {
        located[INACCESSIBLE] = Some(inaccessible);
    }
    Ok(spell(default, &located))
}

fn spell(default: Option<Access>, located: &[Option<Access>; 3]) -> String {
    let name = |access: Access| NAMES[usize::from(access)];
    let locations = LOCATIONS.iter().zip(located);
    let named = locations.filter_map(|(location, access)| Some(format!("{location}: {}", name((*access)?))));
    let items: Vec<String> = default.map(|access| name(access).to_owned()).into_iter().chain(named).collect();
    // Only target memory without access was listed.
    if items.is_empty() { NAMES[0].to_owned() } else { items.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::without_target_memory as rewritten;

    #[test]
    fn target_memory_without_access_is_dropped() {
        assert_eq!(rewritten("readwrite, target_mem: none").unwrap(), "readwrite");
        assert_eq!(
            rewritten("read, argmem: readwrite, inaccessiblemem: readwrite, target_mem: none").unwrap(),
            "read, argmem: readwrite, inaccessiblemem: readwrite"
        );
        assert_eq!(rewritten("target_mem: none").unwrap(), "none");
        assert_eq!(rewritten("none").unwrap(), "none");
    }

    #[test]
    fn an_access_of_target_memory_widens_inaccessible_memory() {
        assert_eq!(rewritten("inaccessiblemem: write, target_mem0: read").unwrap(), "inaccessiblemem: readwrite");
        assert_eq!(rewritten("target_mem1: write").unwrap(), "inaccessiblemem: write");
        assert_eq!(
            rewritten("read, inaccessiblemem: none, target_mem: write").unwrap(),
            "read, inaccessiblemem: write"
        );
        // The access that is written first also applies to target memory.
        assert_eq!(rewritten("read, inaccessiblemem: none").unwrap(), "read, inaccessiblemem: read");
        assert_eq!(rewritten("read, inaccessiblemem: none, target_mem: none").unwrap(), "read, inaccessiblemem: none");
    }

    #[test]
    fn what_is_unknown_is_refused() {
        assert_eq!(rewritten("read, heapmem: none").unwrap_err(), "`memory(read, heapmem: none)` with `heapmem: none`");
        assert!(rewritten("argmem: append").is_err());
    }
}
