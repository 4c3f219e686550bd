//! The folders in which the runtime's files may be.

use std::path::PathBuf;

use crate::contract::platform::Platform;
use crate::system::installation::places;

/// The platform on which this program runs, if it is one of ours.
pub fn own_platform() -> Option<Platform> {
    Platform::of(&format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS))
}

/// The variable that names the folder of the runtime.
const RUNTIME_FOLDER: &str = "OFFLOADC_RUNTIME_DIR";

/// Whether the environment names the folder of the runtime, which the user has chosen.
pub fn is_named() -> bool {
    std::env::var_os(RUNTIME_FOLDER).is_some()
}

/// The folders for a platform, in the order in which they are searched: the one in the environment, or those next to
/// this program. The files for other platforms than this machine's are in folders with Debian's names of the platforms.
pub fn runtime_folders(platform: Platform) -> Vec<PathBuf> {
    let asked = std::env::var_os(RUNTIME_FOLDER).map(PathBuf::from);
    match asked {
        Some(folder) if Some(platform) == own_platform() => vec![folder],
        Some(folder) => vec![folder.join(platform.multiarch()), folder],
        None if Some(platform) == own_platform() => {
            places("lib/offloadc", None).into_iter().chain(places("lib", Some("../runtime"))).collect()
        }
        None => {
            let all = places("lib/offloadc", Some("../runtime")).into_iter();
            all.map(|folder| folder.join(platform.multiarch())).collect()
        }
    }
}
