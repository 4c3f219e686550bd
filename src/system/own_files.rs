//! Which files are executed or believed: those that only this user and root can have written. The runtime has the same
//! rule (runtime-c/finish/own.c), and docs/cache.md describes it.
//!
//! A file and each folder above it belong to this user or to root, and neither everybody nor a group with other members
//! can write them. In a folder with the sticky bit, such as `/tmp`, everybody can make files, but nobody can replace
//! those of others. A file is opened first, without following a link and without waiting for a pipe, and checked then.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::error::in_words;
use crate::llvm::users::{effective_user, has_access_list};

/// The bits of a mode.
const STICKY: u32 = 0o1000;
const WRITABLE_BY_GROUP: u32 = 0o020;
const WRITABLE_BY_ALL: u32 = 0o002;
/// The mode of new folders: others must not write there.
const FOLDER_MODE: u32 = 0o755;

/// Opens a regular file; `None` if there is none. The error says why it is not opened, and names the file or folder.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, String> {
    let name = path.file_name().ok_or_else(|| format!("`{}` is no file", path.display()))?;
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let folder = match parent.canonicalize() {
        Ok(folder) => folder,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("`{}` cannot be found: {}", parent.display(), in_words(&error))),
    };
    let is_sticky = Rule::strict().check_folders(&folder)?;
    let real = folder.join(name);
    let opened = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).mode(0o644).open(&real);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            return Err(format!("`{}` is a link", real.display()));
        }
        Err(error) => return Err(format!("`{}` cannot be opened: {}", real.display(), in_words(&error))),
    };
    let facts = file.metadata().map_err(|error| format!("`{}`: {}", real.display(), in_words(&error)))?;
    Rule::strict().check_file(&real, &facts, is_sticky)?;
    Ok(Some(file))
}

/// Reads a regular file, as [`open`] opens it.
pub fn read(path: &Path) -> Result<Option<(File, Vec<u8>)>, String> {
    let Some(mut file) = open(path, OpenOptions::new().read(true))? else { return Ok(None) };
    let mut bytes = Vec::new();
    match file.read_to_end(&mut bytes) {
        Ok(_) => Ok(Some((file, bytes))),
        Err(error) => Err(format!("`{}` cannot be read: {}", path.display(), in_words(&error))),
    }
}

/// Checks a folder and those above it. Of one that does not exist yet, the part of the path that exists is checked.
pub fn check_folder(folder: &Path) -> Result<(), String> {
    let existing = folder.ancestors().find_map(|path| match path {
        path if path == Path::new("") => Path::new(".").canonicalize().ok(),
        path => path.canonicalize().ok(),
    });
    existing.map_or(Ok(()), |existing| Rule::strict().check_folders(&existing).map(drop))
}

/// Makes a folder and those above it.
pub fn make_folder(folder: &Path) -> Result<(), String> {
    check_folder(folder)?;
    let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
    made.map_err(|error| format!("cannot make folder `{}`: {}", folder.display(), in_words(&error)))?;
    check_folder(folder)
}

/// Whether a file beside this program, or relative to it, may be used: it exists and belongs to the installation.
///
/// Who can change this program, or a folder above it, needs no second file. So these folders are not asked again, and
/// the owner of this program and a group that can write it may also write the file. The reason why a file is refused is
/// said once.
pub fn is_installed(path: &Path) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    match real.is_file().then(|| Rule::of_installation().check_path(&real)) {
        None => false,
        Some(Ok(())) => true,
        Some(Err(why)) => {
            say_once(&format!("`{}` is not used: {why}", path.display()));
            false
        }
    }
}

/// Prints a warning, unless this process has printed it.
fn say_once(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().is_ok_and(|mut said| said.insert(text.to_owned())) {
        eprintln!("warning: {text}");
    }
}

/// Who may own a file, and which folders are not asked.
struct Rule {
    user: u32,
    /// The owner of this program, if the file belongs to its installation.
    installer: Option<u32>,
    /// The group that can write this program, in the same case.
    group: Option<u32>,
    /// This program without links, whose folders are not asked.
    program: Option<PathBuf>,
}

impl Rule {
    fn strict() -> Self {
        Self { user: effective_user(), installer: None, group: None, program: None }
    }

    fn of_installation() -> Self {
        let program = std::env::current_exe().ok();
        let facts = program.as_deref().and_then(|program| program.metadata().ok());
        let installer = facts.as_ref().map(Metadata::uid);
        let group = facts.filter(|facts| facts.mode() & WRITABLE_BY_GROUP != 0).map(|facts| facts.gid());
        Self { user: effective_user(), installer, group, program }
    }

    fn check_path(&self, real: &Path) -> Result<(), String> {
        let is_sticky = self.check_folders(real.parent().unwrap_or(real))?;
        let facts = real.symlink_metadata().map_err(|error| format!("`{}`: {}", real.display(), in_words(&error)))?;
        self.check_file(real, &facts, is_sticky)
    }

    /// Checks a folder and those above it; the path has no links. Returns whether everybody can make files in it.
    fn check_folders(&self, folder: &Path) -> Result<bool, String> {
        let mut is_sticky = false;
        for place in folder.ancestors().collect::<Vec<_>>().into_iter().rev() {
            let facts = fs::symlink_metadata(place);
            let facts =
                facts.map_err(|error| format!("`{}` cannot be found: {}", place.display(), in_words(&error)))?;
            if !facts.is_dir() {
                return Err(format!("`{}` is no folder", place.display()));
            }
            if !self.program.as_deref().is_some_and(|program| program.starts_with(place)) {
                self.check(place, &facts, is_sticky)?;
            }
            is_sticky = facts.mode() & STICKY != 0;
        }
        Ok(is_sticky)
    }

    fn check_file(&self, path: &Path, facts: &Metadata, in_sticky: bool) -> Result<(), String> {
        if !facts.is_file() {
            return Err(format!("`{}` is no regular file", path.display()));
        }
        self.check(path, facts, in_sticky)
    }

    /// Checks that others cannot change a file or folder. `in_sticky` is whether everybody can make files beside it.
    fn check(&self, path: &Path, facts: &Metadata, in_sticky: bool) -> Result<(), String> {
        let (owner, shown) = (facts.uid(), path.display());
        let is_own = self.is_own(owner) || self.installer == Some(owner);
        if if is_from_outside(owner) { in_sticky } else { !is_own } {
            return Err(format!("`{shown}` belongs to user {owner}"));
        }
        if facts.is_dir() && facts.mode() & STICKY != 0 {
            return Ok(());
        }
        if facts.mode() & WRITABLE_BY_ALL != 0 {
            return Err(format!("everybody can write `{shown}`"));
        }
        if facts.mode() & WRITABLE_BY_GROUP == 0 || self.group == Some(facts.gid()) {
            return Ok(());
        }
        if has_access_list(path) {
            return Err(format!("others can write `{shown}` by its access control list"));
        }
        if self.has_other_members(facts.gid()) {
            return Err(format!("group {}, which has other members, can write `{shown}`", facts.gid()));
        }
        Ok(())
    }

    fn is_own(&self, user: u32) -> bool {
        user == self.user || user == 0
    }

    /// Whether a group has members other than this user and root. The files of the system are read, and no other
    /// service: of a group that is not in `/etc/group`, nothing is known.
    fn has_other_members(&self, group: u32) -> bool {
        let text = |path: &str| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (Ok(groups), Ok(users)) = (text("/etc/group"), text("/etc/passwd")) else { return true };
        has_others(&groups, &users, group, |user| self.is_own(user))
    }
}

/// The same for the contents of `/etc/group` and `/etc/passwd`.
fn has_others(groups: &str, users: &str, group: u32, is_own: impl Fn(u32) -> bool) -> bool {
    fn fields(text: &str) -> impl Iterator<Item = Vec<&str>> {
        text.lines().map(|line| line.split(':').collect::<Vec<_>>()).filter(|fields| fields.len() >= 4)
    }
    let is = |text: &str| text.parse::<u32>().ok() == Some(group);
    let Some(row) = fields(groups).find(|fields| is(fields[2])) else { return true };
    let named: BTreeSet<&str> = row[3].split(',').filter(|name| !name.is_empty()).collect();
    let members: Vec<_> = fields(users).filter(|fields| named.contains(fields[0]) || is(fields[3])).collect();
    let known: BTreeSet<&str> = members.iter().map(|fields| fields[0]).collect();
    let is_other = |fields: &Vec<&str>| !fields[2].parse::<u32>().is_ok_and(&is_own);
    members.iter().any(is_other) || !named.is_subset(&known)
}

/// Whether a user namespace shows users from outside as this one. If it maps few users, the system's root is among
/// those from outside, to whom `/` and `/usr` belong.
fn is_from_outside(user: u32) -> bool {
    let number = |text: String| text.trim().parse::<u32>().ok();
    if fs::read_to_string("/proc/sys/kernel/overflowuid").ok().and_then(number) != Some(user) {
        return false;
    }
    let Ok(map) = fs::read_to_string("/proc/self/uid_map") else { return false };
    !map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        matches!(numbers[..], [first, _, count] if (first..first.saturating_add(count)).contains(&u64::from(user)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    fn permit(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn refused(path: &Path) -> String {
        open(path, OpenOptions::new().read(true)).unwrap_err()
    }

    #[test]
    fn only_regular_files_are_opened_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        permit(&at("file"), 0o644);
        assert_eq!(read(&at("file")).unwrap().unwrap().1, b"text");
        assert!(read(&at("none")).unwrap().is_none() && read(&at("no/folder")).unwrap().is_none());
        symlink("file", at("link")).unwrap();
        symlink("nothing", at("dangling")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap();
        assert!(made.success());
        assert!(refused(&at("link")).ends_with("link` is a link"));
        assert!(refused(&at("fifo")).ends_with("fifo` is no regular file"));
        let _ = open(&at("dangling"), OpenOptions::new().append(true).create(true)).unwrap_err();
        assert!(!at("nothing").exists());
        assert!(refused(folder.path()).ends_with("is no regular file"));
    }

    #[test]
    fn others_can_change_neither_the_file_nor_a_folder_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, mode) in [("open", 0o777), ("sticky", 0o1777), ("closed", 0o755)] {
            fs::create_dir(at(name)).unwrap();
            permit(&at(name), mode);
            make_folder(&at(name).join("inner")).map_or_else(|why| assert_eq!(name, "open", "{why}"), |()| ());
            fs::write(at(name).join("file"), "text").unwrap();
            permit(&at(name).join("file"), 0o644);
        }
        assert!(refused(&at("open/file")).starts_with("everybody can write `"));
        assert!(!at("open/inner").exists());
        assert!(read(&at("sticky/file")).unwrap().is_some() && read(&at("closed/file")).unwrap().is_some());
        permit(&at("closed/file"), 0o646);
        assert!(refused(&at("closed/file")).ends_with("file`"));
        if effective_user() == 0 {
            for name in ["sticky/file", "closed"] {
                chown(at(name), Some(65534), None).unwrap();
            }
            assert!(refused(&at("sticky/file")).ends_with("sticky/file` belongs to user 65534"));
            assert!(refused(&at("closed/file")).ends_with("closed` belongs to user 65534"));
            assert!(check_folder(&at("closed/a/b")).unwrap_err().ends_with("closed` belongs to user 65534"));
        }
    }

    #[test]
    fn a_group_is_asked_for_its_members() {
        let groups = "root:x:0:\nstaff:x:50:\nusers:x:100:ann,bob\nown:x:1000:ann\ngone:x:7:nobody_there\n";
        let users = "root:x:0:0:::\nann:x:1000:1000:::\nbob:x:1001:100:::\nsync:x:4:65534::\n";
        let others = |user: u32, group| has_others(groups, users, group, |other| other == user || other == 0);
        assert!(!others(1000, 1000) && !others(1000, 50) && !others(0, 0) && !others(1000, 0));
        assert!(others(1001, 1000) && others(0, 1000), "ann's own group");
        assert!(others(1000, 100) && others(1001, 100) && others(0, 100));
        assert!(others(1000, 7) && others(1000, 54321), "nothing is known of them");
    }

    #[test]
    fn files_of_the_installation_are_relative_to_this_program() {
        let own = std::env::current_exe().unwrap();
        assert!(is_installed(&own));
        let folder = tempfile::tempdir_in(own.parent().unwrap()).unwrap();
        let file = folder.path().join("file");
        assert!(!is_installed(&file) && !is_installed(folder.path()));
        fs::write(&file, "").unwrap();
        assert!(is_installed(&file));
        permit(folder.path(), 0o777);
        assert!(!is_installed(&file));
        permit(folder.path(), 0o700);
        permit(&file, 0o666);
        assert!(!is_installed(&file));
        if effective_user() == 0 {
            permit(&file, 0o644);
            chown(&file, Some(65534), None).unwrap();
            assert!(!is_installed(&file));
        }
    }
}
