//! Whether a crate may promise that types of other crates have no address (`#[device_copy(unsafe(foreign))]`). Only
//! then a check needs the types in debug information.

use std::path::Path;

/// The end of the attribute.
const PROMISE: &str = "(foreign)";
/// A crate with more files is not searched to the end.
const MOST_FILES: usize = 10_000;

/// Whether such a promise is in the files below the folder of a crate's root.
pub(super) fn has_promises(root: &Path) -> bool {
    let folder = root.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut folders = vec![folder.to_owned()];
    let mut left = MOST_FILES;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && name != "target" && !name.as_encoded_bytes().starts_with(b".") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                left -= 1;
                if left == 0 || std::fs::read_to_string(path).is_ok_and(|text| text.contains(PROMISE)) {
                    return left > 0;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_found_in_modules() {
        let folder = tempfile::tempdir().unwrap();
        let (root, inner) = (folder.path().join("lib.rs"), folder.path().join("inner"));
        for name in ["inner", "target", ".git"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(&root, "mod inner; // device_copy").unwrap();
        let text = "#[device_copy(unsafe(foreign))]";
        for name in ["target/a.rs", ".git/a.rs", "inner/a.txt"] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        assert!(!has_promises(&root) && !has_promises(Path::new("/no/such/lib.rs")));
        std::fs::write(inner.join("mod.rs"), text).unwrap();
        assert!(has_promises(&root));
    }
}
