//! The triples of devices and platforms. No other file spells them.
//!
//! LLVM has renamed the architecture of AMD's GPUs from `amdgcn` to `amdgpu`, whose name ends with the processor:
//! `amdgpu9.0a-amd-amdhsa` is for gfx90a, and `amdgpu9-amd-amdhsa` for the processors of gfx9-generic. LLVM 22 supports
//! the old name only, and LLVM 23 both; later versions will require the new one. Inputs may have either.

/// AMD's GPUs, as our LLVM names them.
pub const AMD: &str = "amdgcn-amd-amdhsa";
/// NVIDIA's GPUs.
pub const NVIDIA: &str = "nvptx64-nvidia-cuda";
/// Images of SPIR-V. LLVM's triples also have the version.
pub const SPIRV: &str = "spirv64-unknown-unknown";
/// SPIR-V without operations between lanes.
pub const SPIRV_1_2: &str = "spirv64v1.2-unknown-unknown";
/// SPIR-V with operations between lanes.
pub const SPIRV_1_3: &str = "spirv64v1.3-unknown-unknown";
/// The image that is for no processor.
pub const GENERIC: &str = "offload-generic-image";
/// Linux on x86-64 processors.
pub const X86_64_LINUX: &str = "x86_64-unknown-linux-gnu";
/// Linux on 64-bit Arm processors.
pub const AARCH64_LINUX: &str = "aarch64-unknown-linux-gnu";

/// The new name of AMD's architecture, before the processor.
const AMDGPU: &str = "amdgpu";
/// LLVM's names of the processors that each of its generic processors covers.
const COVERED: [(&str, &str); 6] = [
    ("gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c"),
    ("gfx9-4-generic", "gfx940 gfx941 gfx942 gfx950"),
    ("gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013"),
    ("gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036"),
    ("gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153"),
    ("gfx12-generic", "gfx1200 gfx1201"),
];

/// The architecture in a triple, without a version or a processor: `spirv64` for `spirv64v1.2-unknown-unknown`, and
/// `amdgcn` for both spellings of AMD's.
pub fn family(triple: &str) -> &str {
    let architecture = triple.split('-').next().unwrap_or(triple);
    match architecture.strip_prefix(AMDGPU) {
        Some(version) if version.is_empty() || version.starts_with(|c: char| c.is_ascii_digit()) => family(AMD),
        _ => architecture.split_once("v1.").map_or(architecture, |(family, _)| family),
    }
}

/// Whether a triple is one of AMD's GPUs.
pub fn is_amd(triple: &str) -> bool {
    family(triple) == family(AMD)
}

/// A triple with the spelling that our LLVM supports.
pub fn ours(triple: &str) -> &str {
    if is_amd(triple) { AMD } else { triple }
}

/// The processor that a triple names: `gfx90a` in `amdgpu9.0a-amd-amdhsa`, `gfx9-4-generic` in `amdgpu9.4-amd-amdhsa`.
pub fn processor_in(triple: &str) -> Option<String> {
    let version = triple.split('-').next()?.strip_prefix(AMDGPU).filter(|_| is_amd(triple))?;
    match version.split_once('.') {
        _ if version.is_empty() => None,
        None => Some(format!("gfx{version}-generic")),
        Some((major, family)) if family.len() == 1 => Some(format!("gfx{major}-{family}-generic")),
        Some((major, rest)) => Some(format!("gfx{major}{rest}")),
    }
}

/// Whether code for AMD's processor `code` runs on `processor`: both are the same, or the first one is generic.
pub fn covers(code: &str, processor: &str) -> bool {
    let has = |(generic, covered): &(&str, &str)| *generic == code && covered.split(' ').any(|name| name == processor);
    code == processor || COVERED.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_one_architecture() {
        for triple in
            [AMD, "amdgpu-amd-amdhsa", "amdgpu9-amd-amdhsa", "amdgpu9.0a-amd-amdhsa", "amdgpu12.50-amd-amdhsa-llvm"]
        {
            assert_eq!((family(triple), ours(triple)), ("amdgcn", AMD), "{triple}");
        }
        for triple in [NVIDIA, X86_64_LINUX, "amdgpux-amd-amdhsa", "amdgpu_v2--", "r600--", ""] {
            assert!(!is_amd(triple) && ours(triple) == triple, "{triple}");
        }
        assert_eq!([SPIRV, SPIRV_1_2, SPIRV_1_3].map(family), ["spirv64"; 3]);
    }

    #[test]
    fn processors_are_in_the_new_spelling_only() {
        let processors = [
            ("amdgpu9.0a-amd-amdhsa", Some("gfx90a")),
            ("amdgpu10.30-amd-amdhsa", Some("gfx1030")),
            ("amdgpu12.50-amd-amdhsa", Some("gfx1250")),
            ("amdgpu9-amd-amdhsa", Some("gfx9-generic")),
            ("amdgpu9.4-amd-amdhsa", Some("gfx9-4-generic")),
            ("amdgpu-amd-amdhsa", None),
            (AMD, None),
            (NVIDIA, None),
        ];
        for (triple, processor) in processors {
            assert_eq!(processor_in(triple).as_deref(), processor, "{triple}");
        }
        assert!(covers("gfx90a", "gfx90a") && covers("gfx9-generic", "gfx906"));
        assert!(!covers("gfx9-generic", "gfx90a") && !covers("gfx906", "gfx9-generic"));
    }
}
