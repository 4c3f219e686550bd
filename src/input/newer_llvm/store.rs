//! Stores converted modules for later runs.

use std::path::PathBuf;

use crate::system::{output, own_files};

/// The key of a converted module: the module before conversion, and the programs that convert it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(blake3::Hash);

impl Key {
    /// The key of a newer module's bytes, for programs with these identities.
    pub(super) fn new(bytes: &[u8], programs: &[Vec<u8>]) -> Self {
        let mut hash = blake3::Hasher::new();
        for part in programs.iter().map(Vec::as_slice).chain([super::OURS.as_bytes(), bytes]) {
            let _ = hash.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Key(hash.finalize())
    }
}

/// A store of results. An entry is complete or absent.
pub(super) trait Store {
    /// The result with this key.
    fn get(&self, key: &Key) -> Option<Vec<u8>>;
    /// Stores a result. If this fails, the next run computes it again.
    fn put(&self, key: &Key, result: &[u8]);
}

/// A folder with one file for each entry: a hash of the result, then the result.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder is created with the first entry.
    pub(super) fn new(path: PathBuf) -> Self {
        Folder { path }
    }

    fn entry(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{}.bc", key.0.to_hex()))
    }

    fn write(&self, key: &Key, result: &[u8]) -> Result<(), String> {
        own_files::make_folder(&self.path)?;
        let bytes = [&blake3::hash(result).as_bytes()[..], result].concat();
        output::replace(&self.entry(key), &bytes).map_err(|error| error.to_string())
    }
}

impl Store for Folder {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let (_, bytes) = own_files::read(&self.entry(key)).ok()??;
        let (hash, result) = bytes.split_at_checked(blake3::OUT_LEN)?;
        (blake3::hash(result).as_bytes() == hash).then(|| result.to_vec())
    }

    fn put(&self, key: &Key, result: &[u8]) {
        // If the folder is not writable, or is not used because others can write it, only time is lost: the cache
        // beside it says so.
        let _ = self.write(key, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_kept_is_whole_or_absent() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::new(folder.path().join("a/b"));
        let programs = super::super::converters();
        assert!(!programs[0].is_empty());
        let of = |bytes: &[u8]| Key::new(bytes, &programs);
        let key = of(b"module");
        assert_eq!(store.get(&key), None);
        store.put(&key, b"converted");
        assert_eq!(store.get(&key).as_deref(), Some(&b"converted"[..]));
        assert_eq!(store.get(&of(b"modulf")), None);
        let [own, other] = [programs[0].clone(), b"another".to_vec()];
        assert_eq!(store.get(&Key::new(b"module", &[own, other.clone()])), None, "another program prints it");
        assert_eq!(store.get(&Key::new(b"module", &[other, programs[1].clone()])), None, "another offloadc");
        let mut bytes = fs::read(store.entry(&key)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(store.entry(&key), &bytes).unwrap();
        assert_eq!(store.get(&key), None);
        fs::write(store.entry(&key), b"short").unwrap();
        assert_eq!(store.get(&key), None);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let store = Folder::new(file.path().join("below/a/file"));
        let key = Key::new(b"", &[]);
        store.put(&key, b"");
        assert_eq!(store.get(&key), None);
    }
}
