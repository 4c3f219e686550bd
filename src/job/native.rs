//! The devices of this machine: `--offload-arch=native`.

use std::process::Command;

use super::runtime_folders::{is_named, own_platform, runtime_folders};
use super::{UsageError, carried_runtime};
use crate::system::installation::is_usable;
use crate::targets::OWN_PROCESSOR;

/// The program of the runtime that lists devices.
const LISTS_DEVICES: &str = "offloadrt-info";

/// The names of the archs that the runtime's drivers find: the level of the processor, and each GPU. A driver whose
/// library is not there has no device, and nothing is asked for it.
pub(super) fn native_archs() -> Result<Vec<String>, UsageError> {
    let platform = own_platform().unwrap_or_default();
    let folders = runtime_folders(platform);
    let program = folders.iter().map(|folder| folder.join(LISTS_DEVICES)).find(|path| is_usable(path));
    let unknown = |why: String| {
        let error = UsageError::new(format!("cannot find out which devices this machine has: {why}"));
        error.help("name the archs instead, or build the runtime with `make runtime`")
    };
    let carried = || carried_runtime::folder(platform).map_err(|error| unknown(error.to_string()));
    let program = match program {
        None if !is_named() => carried()?.map(|folder| folder.join(LISTS_DEVICES)),
        program => program,
    };
    let program = program.ok_or_else(|| unknown(format!("`{LISTS_DEVICES}` is not beside the runtime")))?;
    let answer = Command::new(&program).arg("--archs").output();
    let answer = answer.map_err(|error| unknown(format!("`{}` does not run: {error}", program.display())))?;
    if !answer.status.success() {
        return Err(unknown(format!("`{}` has failed: {}", program.display(), answer.status)));
    }
    Ok(names(&String::from_utf8_lossy(&answer.stdout)))
}

/// The archs in the list, each once. The runtime does not list the level of the processor.
fn names(list: &str) -> Vec<String> {
    let (generic, level) = OWN_PROCESSOR;
    let mut names: Vec<String> = Vec::new();
    for line in list.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let name = if line == generic { level } else { line };
        if names.iter().all(|known| known != name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_arch_of_the_machine_is_named_once() {
        let (generic, level) = OWN_PROCESSOR;
        let list = format!("{generic}\nsm_90\nsm_90\n\ngfx90a:sramecc+:xnack-\n");
        assert_eq!(names(&list), [level, "sm_90", "gfx90a:sramecc+:xnack-"]);
        assert!(names("").is_empty());
    }
}
