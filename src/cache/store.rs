//! The folder of the cache. Processes share it without locks: an entry is written beside its place and renamed, so that
//! it is complete or absent. When entries were added, the least recently used ones are removed until the folder is
//! below its limit.

use std::cmp::Reverse;
use std::fmt;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use super::entry;
use super::key::{self, Key};
use super::remote::{NOT_THE_ENTRY, Remote};
use super::uses::{self, Uses};
use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::error::{Context as _, Result};
use crate::system::{output, own_files};

/// The most bytes of all entries together.
pub const LIMIT: u64 = 5 << 30;
/// A temporary file of this age belongs to a process that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);
/// The bytes at the start of an entry that contain its key.
const START: u64 = 4 << 10;

/// The first bytes of a file that the runtime has written (runtime-c/finish/kept.c): an image that it has had finished.
/// Its name has the form of an entry's, so that it counts for the limit.
const FINISHED: &[u8] = b"offloadc finished ";

/// The kind of an output, and its name.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// The image for the arch of this name.
    Image(&'a str),
    /// The code of a part, by the name of its lane.
    Part(&'a str),
    /// The object of the host module in this file, which is shown as in messages.
    Object(&'a str),
    /// The module that all archs share.
    Module,
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image(arch) => write!(f, "the image for `{arch}`"),
            Self::Part(part) => write!(f, "the code for `{part}`"),
            Self::Object(file) => write!(f, "the host object of {file}"),
            Self::Module => f.write_str("the device code before the steps of each arch"),
        }
    }
}

/// The cache in one folder, as one process uses it.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
    /// Whether only this user and root can have written the files of the folder.
    is_own: OnceLock<bool>,
    /// The server that is asked for entries that the folder lacks.
    remote: Option<Remote>,
    /// `--cache-why`.
    why: bool,
    added: AtomicBool,
    hits: AtomicU64,
    misses: AtomicU64,
    /// The keys of the entries that were there before this process added its own. They are read for `why`.
    earlier: OnceLock<Vec<Key>>,
    /// The reason why the cache could not be used. Of several it is the first in the order of texts, not of threads.
    trouble: Mutex<Option<String>>,
    notes: Mutex<Vec<String>>,
}

/// The entries of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of images.
    pub images: u64,
    /// The number of parts of images.
    pub parts: u64,
    /// The number of host objects.
    pub objects: u64,
    /// The number of modules that archs share.
    pub modules: u64,
    /// The number of images that the runtime has had finished, which are in the runtime's files.
    pub finished: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Cache {
    /// The cache in `folder`, which need not exist.
    pub fn new(folder: PathBuf, limit: u64, why: bool, remote: Option<Remote>) -> Self {
        let (trouble, notes) = (Mutex::default(), Mutex::default());
        let (hits, misses) = (AtomicU64::default(), AtomicU64::default());
        Self {
            folder,
            limit,
            is_own: OnceLock::new(),
            remote,
            why,
            added: AtomicBool::new(false),
            hits,
            misses,
            earlier: OnceLock::new(),
            trouble,
            notes,
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The contents of the entry for a key. `subject` is the output that needs them.
    pub fn get(&self, key: &Key, subject: Subject<'_>) -> Option<Vec<u8>> {
        let contents = self.get_from_folder(key).or_else(|| self.get_from_remote(key));
        let count = if contents.is_some() { &self.hits } else { &self.misses };
        let _ = count.fetch_add(1, Ordering::Relaxed);
        if contents.is_none() && self.why {
            self.explain(key, subject);
        }
        contents
    }

    /// Whether the folder may be used. A folder that others can write is like none.
    fn is_own(&self) -> bool {
        let check = || own_files::check_folder(&self.folder).map_err(|why| self.has_trouble(why)).is_ok();
        *self.is_own.get_or_init(check)
    }

    fn get_from_folder(&self, key: &Key) -> Option<Vec<u8>> {
        if !self.is_own() {
            return None;
        }
        let path = self.path(key);
        let (file, bytes) = match own_files::read(&path) {
            Ok(found) => found?,
            Err(why) => {
                self.has_trouble(why);
                return None;
            }
        };
        let contents = entry::read(key, &bytes);
        if contents.is_some() {
            // The time of an entry is that of its last use. It is only for the order in which entries are removed.
            let _ = file.set_modified(SystemTime::now());
        } else {
            self.has_trouble(format!("`{}` is damaged", path.display()));
            let _ = fs::remove_file(&path);
        }
        contents
    }

    /// The contents of the entry on the server. The folder receives it, too.
    fn get_from_remote(&self, key: &Key) -> Option<Vec<u8>> {
        let remote = self.remote.as_ref()?;
        let file = remote.get(key)?;
        let contents = entry::read(key, &file);
        if contents.is_some() {
            self.add(key, &file);
        } else {
            remote.has_trouble(format!("cannot get an entry: {NOT_THE_ENTRY}"));
        }
        contents
    }

    /// Adds an entry.
    pub fn put(&self, key: &Key, contents: &[u8]) {
        match entry::write(key, contents) {
            Ok(file) => {
                self.add(key, &file);
                self.remote.iter().for_each(|remote| remote.put(&key.hash().to_hex(), &file));
            }
            Err(error) => self.has_trouble(error.to_string()),
        }
    }

    /// Adds the file of an entry to the folder.
    fn add(&self, key: &Key, file: &[u8]) {
        if !self.is_own() {
            return;
        }
        if self.why {
            let _ = self.earlier();
        }
        let path = self.path(key);
        let folder = path.parent().unwrap_or(&self.folder);
        let written = || output::replace(&path, file).map_err(|error| error.to_string());
        match own_files::make_folder(folder).and_then(|()| written()) {
            Ok(()) => self.added.store(true, Ordering::Relaxed),
            Err(why) => self.has_trouble(why),
        }
    }

    /// Says that the cache cannot be used for something.
    pub fn has_trouble(&self, reason: String) {
        if let Ok(mut trouble) = self.trouble.lock() {
            let first = trouble.take().map_or(reason.clone(), |other| other.min(reason));
            *trouble = Some(first);
        }
    }

    /// Ends the work with the cache: keeps it below its limit, and returns its diagnostics.
    pub fn finish(&self) -> Vec<Diagnostic> {
        if self.added.swap(false, Ordering::Relaxed) {
            self.trim();
        }
        let [hits, misses] = [&self.hits, &self.misses].map(|count| count.swap(0, Ordering::Relaxed));
        if hits + misses > 0 && self.is_own() {
            Uses { hits, misses }.add_to(&self.folder);
        }
        let mut said = Vec::new();
        if let Some(reason) = self.trouble.lock().ok().and_then(|mut trouble| trouble.take()) {
            let message = "the cache cannot be used, and code is compiled without it";
            let help = "name another folder with `--cache-dir`, or use `--no-cache`";
            said.push(Diagnostic::coded(Code::CacheUnusable, message).note(reason).help(help));
        }
        if let Some(reason) = self.remote.as_ref().and_then(Remote::take_trouble) {
            let message = "the cache on a server cannot be used, and code is compiled without it";
            let help = "name another server with `--cache-remote`, or use `--cache-remote=` to ask none";
            said.push(Diagnostic::coded(Code::RemoteCacheUnusable, message).note(reason).help(help));
        }
        let mut notes = self.notes.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default();
        notes.sort();
        said.extend(notes.into_iter().map(|note| Diagnostic::new(Severity::Note, note)));
        said
    }

    /// The number and size of the entries.
    pub fn stats(&self) -> Stats {
        self.entries().iter().fold(Stats::default(), |stats, (path, meta)| {
            let start = start_of(path).unwrap_or_default();
            let key = entry::key(&start);
            let one = |kind| u64::from(key.as_ref().is_some_and(|key| key.is_of(kind)));
            Stats {
                images: stats.images + one(key::IMAGE),
                parts: stats.parts + one(key::PART),
                objects: stats.objects + one(key::OBJECT),
                modules: stats.modules + one(key::MODULE),
                finished: stats.finished + u64::from(start.starts_with(FINISHED)),
                bytes: stats.bytes + meta.len(),
            }
        })
    }

    /// The folder and the entries, for people.
    pub fn stats_text(&self) -> String {
        let Stats { images, parts, objects, modules, finished, bytes } = self.stats();
        let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
        let (size, limit) = (mib(bytes), mib(self.limit));
        let Uses { hits, misses } = Uses::of(&self.folder);
        let all = hits + misses;
        format!(
            "folder   {}\nimages   {images}\nparts    {parts}\nobjects  {objects}\nmodules  {modules}\nfinished {finished}\n\
             size     {size} of at most {limit}\nhits     {hits} of {all}\n",
            self.folder.display()
        )
    }

    /// Removes all entries.
    pub fn clear(&self) -> Result<()> {
        let uses = self.folder.join(uses::NAME);
        for path in self.files().into_iter().map(|(path, _)| path).chain([uses]) {
            match fs::remove_file(&path) {
                // Another process has removed it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                removed => removed.with_context(|| format!("cannot remove `{}`", path.display()))?,
            }
        }
        Ok(())
    }

    fn path(&self, key: &Key) -> PathBuf {
        let name = key.hash().to_hex();
        self.folder.join(&name[..2]).join(name.as_str())
    }

    /// Says in which parts a key differs from the nearest of the entries for the same subject.
    fn explain(&self, key: &Key, subject: Subject<'_>) {
        let differences =
            self.earlier().iter().filter(|earlier| key.has_subject_of(earlier)).map(|earlier| key.differences(earlier));
        let reason = match differences.min_by_key(Vec::len) {
            None => "it has no earlier entry".to_owned(),
            Some(names) if names.is_empty() => "its entry cannot be read".to_owned(),
            Some(names) => format!("its nearest entry differs in: {}", names.join(", ")),
        };
        if let Ok(mut notes) = self.notes.lock() {
            notes.push(format!("{subject} is not in the cache: {reason}"));
        }
    }

    /// Removes abandoned temporaries, then the entries that were not used for longest.
    fn trim(&self) {
        let (mut entries, others): (Vec<_>, Vec<_>) = self.files().into_iter().partition(|(path, _)| is_entry(path));
        for (path, meta) in others {
            let age = meta.modified().ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(path);
            }
        }
        let mut bytes: u64 = entries.iter().map(|(_, meta)| meta.len()).sum();
        entries.sort_by_key(|(path, meta)| (meta.modified().ok(), path.clone()));
        for (path, meta) in entries {
            if bytes <= self.limit {
                break;
            }
            if fs::remove_file(path).is_ok() {
                bytes -= meta.len();
            }
        }
    }

    /// The keys of the entries that were there before this process added one. They do not depend on the order of
    /// threads.
    fn earlier(&self) -> &[Key] {
        self.earlier.get_or_init(|| self.keys())
    }

    /// The keys of all entries, those that were used last first.
    fn keys(&self) -> Vec<Key> {
        let mut entries = self.entries();
        entries.sort_by_key(|(path, meta)| (Reverse(meta.modified().ok()), path.clone()));
        entries.iter().filter_map(|(path, _)| key_of(path)).collect()
    }

    fn entries(&self) -> Vec<(PathBuf, Metadata)> {
        self.files().into_iter().filter(|(path, _)| is_entry(path)).collect()
    }

    /// The files of the cache: entries and temporaries. Files that nobody made here are not among them.
    fn files(&self) -> Vec<(PathBuf, Metadata)> {
        let list = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok());
        let is_ours = |path: &Path| path.file_name().is_some_and(|name| name.len() == 2);
        let folders = list(&self.folder).map(|entry| entry.path()).filter(|path| is_ours(path));
        let files = folders.flat_map(|folder| list(&folder).collect::<Vec<_>>());
        let known = |path: &Path| is_entry(path) || name_of(path).starts_with(".offloadc-");
        files.filter(|file| known(&file.path())).filter_map(|file| Some((file.path(), file.metadata().ok()?))).collect()
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_entry(path: &Path) -> bool {
    let name = name_of(path);
    name.len() == 2 * blake3::OUT_LEN && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The key of an entry. It is at the start of the file.
fn key_of(path: &Path) -> Option<Key> {
    entry::key(&start_of(path)?)
}

fn start_of(path: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    let file = own_files::open(path, OpenOptions::new().read(true)).ok()??;
    let _ = file.take(START).read_to_end(&mut start).ok()?;
    Some(start)
}
