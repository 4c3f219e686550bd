//! The archs of AMD GPUs: their names and features, as LLVM has them.

/// An arch, and the features that it can be built with and without.
struct Row {
    name: &'static str,
    features: &'static [&'static str],
}

const NONE: &[&str] = &[];
/// Retry of faulting accesses.
const XNACK: &[&str] = &["xnack"];
/// Retry of faulting accesses, and memory with error correction.
const XNACK_SRAMECC: &[&str] = &["xnack", "sramecc"];

static ROWS: [Row; 50] = [
    Row { name: "gfx700", features: NONE },
    Row { name: "gfx701", features: NONE },
    Row { name: "gfx702", features: NONE },
    Row { name: "gfx703", features: NONE },
    Row { name: "gfx704", features: NONE },
    Row { name: "gfx705", features: NONE },
    Row { name: "gfx801", features: XNACK },
    Row { name: "gfx802", features: NONE },
    Row { name: "gfx803", features: NONE },
    Row { name: "gfx805", features: NONE },
    Row { name: "gfx810", features: XNACK },
    Row { name: "gfx900", features: XNACK },
    Row { name: "gfx902", features: XNACK },
    Row { name: "gfx904", features: XNACK },
    Row { name: "gfx906", features: XNACK_SRAMECC },
    Row { name: "gfx908", features: XNACK_SRAMECC },
    Row { name: "gfx909", features: XNACK },
    Row { name: "gfx90a", features: XNACK_SRAMECC },
    Row { name: "gfx90c", features: XNACK },
    Row { name: "gfx942", features: XNACK_SRAMECC },
    Row { name: "gfx950", features: XNACK_SRAMECC },
    Row { name: "gfx1010", features: XNACK },
    Row { name: "gfx1011", features: XNACK },
    Row { name: "gfx1012", features: XNACK },
    Row { name: "gfx1013", features: XNACK },
    Row { name: "gfx1030", features: NONE },
    Row { name: "gfx1031", features: NONE },
    Row { name: "gfx1032", features: NONE },
    Row { name: "gfx1033", features: NONE },
    Row { name: "gfx1034", features: NONE },
    Row { name: "gfx1035", features: NONE },
    Row { name: "gfx1036", features: NONE },
    Row { name: "gfx1100", features: NONE },
    Row { name: "gfx1101", features: NONE },
    Row { name: "gfx1102", features: NONE },
    Row { name: "gfx1103", features: NONE },
    Row { name: "gfx1150", features: NONE },
    Row { name: "gfx1151", features: NONE },
    Row { name: "gfx1152", features: NONE },
    Row { name: "gfx1153", features: NONE },
    Row { name: "gfx1200", features: NONE },
    Row { name: "gfx1201", features: NONE },
    Row { name: "gfx1250", features: XNACK_SRAMECC },
    Row { name: "gfx1251", features: XNACK_SRAMECC },
    Row { name: "gfx9-generic", features: XNACK },
    Row { name: "gfx9-4-generic", features: XNACK_SRAMECC },
    Row { name: "gfx10-1-generic", features: XNACK },
    Row { name: "gfx10-3-generic", features: NONE },
    Row { name: "gfx11-generic", features: NONE },
    Row { name: "gfx12-generic", features: NONE },
];

/// The archs whose code runs on nearly all GPUs since `gfx900`.
pub(super) static PORTABLE: [&str; 8] = [
    "gfx9-generic",
    "gfx908",
    "gfx90a",
    "gfx9-4-generic",
    "gfx10-1-generic",
    "gfx10-3-generic",
    "gfx11-generic",
    "gfx12-generic",
];

/// The name of each arch.
pub(super) static NAMES: [&str; ROWS.len()] = {
    let mut names = [""; ROWS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ROWS[at].name;
        at += 1;
    }
    names
};

/// The digits of a processor's name as a hexadecimal number. A generic one has bit 16 set, and zeros for the digits
/// that it leaves open: `gfx1100` is 0x1100, `gfx10-3-generic` is 0x11030.
pub(super) fn number(cpu: &str) -> u32 {
    let digits = cpu.strip_prefix("gfx").unwrap_or(cpu);
    let of = |digits: &str| u32::from_str_radix(digits, 16).unwrap_or(0);
    let Some(family) = digits.strip_suffix("-generic") else { return of(digits) };
    let (major, minor) = family.split_once('-').unwrap_or((family, "0"));
    0x1_0000 | (of(major) << 8) | (of(minor) << 4)
}

/// The size of a block's workgroup memory in bytes: LLVM's `FeatureAddressableLocalMemorySize` of each processor.
pub(super) fn shared_bytes(cpu: &str) -> u64 {
    match cpu {
        "gfx950" => 160 << 10,
        "gfx1250" | "gfx1251" => 320 << 10,
        _ => 64 << 10,
    }
}

/// The most scratch memory of a wave: the field WAVESIZE of the register COMPUTE_TMPRING_SIZE has 13, 15 or 18 bits, in
/// units of 256 or 64 numbers of 4 bytes.
pub(super) fn scratch_bytes(cpu: &str) -> u64 {
    match (number(cpu) & 0xffff) >> 8 {
        0x12.. => 4 * 64 * ((1 << 18) - 1),
        0x11 => 4 * 64 * ((1 << 15) - 1),
        _ => 4 * 256 * ((1 << 13) - 1),
    }
}

/// The processor and the sorted features of an arch such as `gfx90a:xnack+`.
pub(super) fn parse(arch: &str) -> Option<(&str, Vec<(&str, char)>)> {
    let mut parts = arch.split(':');
    let cpu = parts.next().filter(|cpu| cpu.starts_with("gfx") && cpu.len() > 3)?;
    let mut features = Vec::new();
    for part in parts {
        let sign = part.chars().next_back().filter(|c| matches!(c, '+' | '-'))?;
        let name = &part[..part.len() - 1];
        let known = ROWS.iter().any(|row| row.name == cpu && row.features.contains(&name));
        if !known || features.iter().any(|(other, _)| *other == name) {
            return None;
        }
        features.push((name, sign));
    }
    features.sort_unstable();
    Some((cpu, features))
}

/// An arch as LLVM's tools and AMD's runtimes compare it: with the features in alphabetical order.
pub(super) fn canonical(arch: &str) -> String {
    let (cpu, features) = parse(arch).unwrap_or((arch, Vec::new()));
    features.iter().fold(cpu.to_owned(), |text, (name, sign)| format!("{text}:{name}{sign}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_checked_and_sorted() {
        let features = |arch| {
            parse(arch).map(|(_, features)| {
                features.iter().map(|(name, sign)| format!("{sign}{name}")).collect::<Vec<_>>().join(",")
            })
        };
        assert_eq!(features("gfx90a:xnack+:sramecc-").as_deref(), Some("-sramecc,+xnack"));
        assert_eq!(canonical("gfx90a:xnack+:sramecc-"), "gfx90a:sramecc-:xnack+");
        assert_eq!(features("gfx90a").as_deref(), Some(""));
        for wrong in ["gfx1100:xnack+", "gfx90a:xnack", "gfx90a:xnack+:xnack-", "gfx90a:", "gfx90a:tgsplit+", "gfx"] {
            assert_eq!(features(wrong), None, "{wrong}");
        }
    }
}
