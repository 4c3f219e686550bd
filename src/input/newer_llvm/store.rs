//! Stores converted modules for later runs.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

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

    fn write(&self, key: &Key, result: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.path)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
        file.write_all(blake3::hash(result).as_bytes())?;
        file.write_all(result)?;
        let _ = file.persist(self.entry(key)).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Store for Folder {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let bytes = fs::read(self.entry(key)).ok()?;
        let (hash, result) = bytes.split_at_checked(blake3::OUT_LEN)?;
        (blake3::hash(result).as_bytes() == hash).then(|| result.to_vec())
    }

    fn put(&self, key: &Key, result: &[u8]) {
        // If the folder is not writable, only time is lost.
        let _ = self.write(key, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
