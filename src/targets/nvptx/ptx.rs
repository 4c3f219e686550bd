//! PTX versions: which one an arch and an intrinsic need, and which driver can load it.
//!
//! The version of an arch is from LLVM's table (`NVPTX.td`); that of an intrinsic was found by compiling each with
//! every version. Drivers are those of the first CUDA toolkit with a version, from its release notes.

/// A version of the PTX language: 78 is 7.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PtxVersion(pub u32);

impl PtxVersion {
    /// LLVM's feature for this version.
    pub fn feature(self) -> String {
        format!("+ptx{}", self.0)
    }
}

impl std::fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

/// The first driver of a branch with a feature: 525.60 is `(525, 60)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Driver(u32, u32);

impl std::fmt::Display for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0, self.1)
    }
}

/// Each version, the first CUDA toolkit with it, and the Linux driver of that toolkit.
#[rustfmt::skip]
static VERSIONS: &[(u32, (u32, u32), Driver)] = &[
    (60, (9, 0), Driver(384, 81)), (61, (9, 1), Driver(390, 46)), (62, (9, 2), Driver(396, 26)),
    (63, (10, 0), Driver(410, 48)), (64, (10, 1), Driver(418, 39)), (65, (10, 2), Driver(440, 33)),
    (70, (11, 0), Driver(450, 36)), (71, (11, 1), Driver(455, 23)), (72, (11, 2), Driver(460, 27)),
    (73, (11, 3), Driver(465, 19)), (74, (11, 4), Driver(470, 42)), (75, (11, 5), Driver(495, 29)),
    (76, (11, 6), Driver(510, 39)), (77, (11, 7), Driver(515, 43)), (78, (11, 8), Driver(520, 61)),
    (80, (12, 0), Driver(525, 60)), (81, (12, 1), Driver(530, 30)), (82, (12, 2), Driver(535, 54)),
    (83, (12, 3), Driver(545, 23)), (84, (12, 4), Driver(550, 54)), (85, (12, 5), Driver(555, 42)),
    (86, (12, 7), Driver(565, 57)), (87, (12, 8), Driver(570, 26)), (88, (12, 9), Driver(575, 51)),
    (90, (13, 0), Driver(580, 65)),
];

/// The driver that machine code of a toolkit's major version needs, by minor-version compatibility.
static MAJOR_DRIVERS: &[(u32, Driver)] = &[(11, Driver(450, 80)), (12, Driver(525, 60)), (13, Driver(580, 65))];

/// The version that LLVM selects for each arch, without `sm_`. Other archs have [`OLDEST`].
#[rustfmt::skip]
static MINIMUM: &[(&str, u32)] = &[
    ("72", 61), ("75", 63), ("80", 70), ("86", 71), ("87", 74), ("88", 90), ("89", 78), ("90", 78), ("90a", 80),
    ("100", 86), ("100a", 86), ("100f", 88), ("101", 86), ("101a", 86), ("101f", 88), ("103", 88), ("103a", 88),
    ("103f", 88), ("110", 90), ("110a", 90), ("110f", 90), ("120", 87), ("120a", 87), ("120f", 88), ("121", 88),
    ("121a", 88), ("121f", 88),
];

/// The first version with the device contract's shuffles.
const OLDEST: u32 = 60;

/// The processor of PTX text.
pub(super) fn target_of(text: &[u8]) -> Option<&str> {
    let mut lines = text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let words = lines.find_map(|line| line.trim().strip_prefix(".target "))?;
    words.split(',').next().map(str::trim)
}

/// Every version that LLVM can write and the device contract supports.
pub(super) fn versions() -> Vec<PtxVersion> {
    VERSIONS.iter().map(|(version, _, _)| PtxVersion(*version)).collect()
}

/// The lowest version for a processor such as `sm_80`.
pub(super) fn minimum(cpu: &str) -> Option<PtxVersion> {
    let name = cpu.strip_prefix("sm_")?;
    Some(PtxVersion(MINIMUM.iter().find(|(arch, _)| *arch == name).map_or(OLDEST, |(_, version)| *version)))
}

/// The first driver that loads a version.
pub(super) fn driver(version: PtxVersion) -> Option<Driver> {
    VERSIONS.iter().find(|(number, _, _)| *number == version.0).map(|(_, _, driver)| *driver)
}

/// The first driver that loads machine code of a toolkit's assembler.
pub(super) fn driver_of_toolkit((major, minor): (u32, u32)) -> Option<Driver> {
    let of_major = MAJOR_DRIVERS.iter().find(|(number, _)| *number == major).map(|(_, driver)| *driver);
    of_major.or_else(|| VERSIONS.iter().find(|(_, toolkit, _)| *toolkit == (major, minor)).map(|(_, _, d)| *d))
}

/// The version in the `.version` line of PTX text.
pub(super) fn version_of(ptx: &[u8]) -> Option<PtxVersion> {
    let text = String::from_utf8_lossy(ptx.get(..ptx.len().min(4096))?).into_owned();
    let (major, minor) = text.lines().find_map(|line| line.trim().strip_prefix(".version "))?.trim().split_once('.')?;
    Some(PtxVersion(major.parse::<u32>().ok()? * 10 + minor.parse::<u32>().ok()?))
}

/// The strings of a PTX image: its version, and the driver that can load it.
pub(super) fn describe(ptx: &[u8]) -> Vec<(String, String)> {
    let Some(version) = version_of(ptx) else { return Vec::new() };
    let least = driver(version).map(|least| ("driver".to_owned(), least.to_string()));
    [Some(("ptx".to_owned(), version.to_string())), least].into_iter().flatten().collect()
}
