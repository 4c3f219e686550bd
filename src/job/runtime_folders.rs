//! The folders in which the runtime's files may be.

use std::path::PathBuf;

use crate::contract::platform::Platform;

/// The platform on which this program runs, if it is one of ours.
pub fn own_platform() -> Option<Platform> {
    Platform::of(&format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS))
}

/// The folders for a platform, in the order in which they are searched: the one in the environment, or those next to
/// this program. The files for other platforms than this machine's are in folders with Debian's names of the platforms.
pub fn runtime_folders(platform: Platform) -> Vec<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|exe| exe.parent().map(PathBuf::from)).unwrap_or_default();
    let asked = std::env::var_os("OFFLOADC_RUNTIME_DIR").map(PathBuf::from);
    match asked {
        Some(folder) if Some(platform) == own_platform() => vec![folder],
        Some(folder) => vec![folder.join(platform.multiarch()), folder],
        None if Some(platform) == own_platform() => {
            ["../lib/offloadc", "../lib", "../runtime"].iter().map(|f| own.join(f)).collect()
        }
        None => ["../lib/offloadc", "../runtime"].iter().map(|f| own.join(f).join(platform.multiarch())).collect(),
    }
}
