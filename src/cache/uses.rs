//! How often entries were found and missed, in all runs with a folder.
//!
//! Each run appends one record to a file, which needs no lock. The file is shortened when it has become long. A run
//! that ends at that moment may be forgotten: the numbers are for people.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use super::bytes::{Reader, Writer};
use crate::system::{output, own_files};

/// The file in the folder of the cache.
pub(super) const NAME: &str = "uses";
/// The longest file in bytes, some thousand runs.
const LONGEST: u64 = 64 << 10;

/// How often entries were found and missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    /// Outputs that were taken from the cache.
    pub hits: u64,
    /// Outputs that were not there.
    pub misses: u64,
}

impl Uses {
    /// The uses of all runs with the folder.
    pub(super) fn of(folder: &Path) -> Self {
        let bytes = own_files::read(&folder.join(NAME)).ok().flatten().map(|(_, bytes)| bytes).unwrap_or_default();
        let mut from = Reader(&bytes);
        let mut all = Self::default();
        while let (Some(hits), Some(misses)) = (from.number(), from.number()) {
            all.hits = all.hits.saturating_add(hits);
            all.misses = all.misses.saturating_add(misses);
        }
        all
    }

    /// Adds those of a run. A folder that cannot be written keeps its numbers.
    pub(super) fn add_to(self, folder: &Path) {
        let path = folder.join(NAME);
        let opened = own_files::open(&path, OpenOptions::new().append(true).create(true));
        let Ok(Some(mut file)) = opened else { return };
        // One write is one record, also if other processes append at the same time.
        let _ = file.write_all(&self.record());
        if file.metadata().is_ok_and(|meta| meta.len() > LONGEST) {
            let _ = output::replace(&path, &Self::of(folder).record());
        }
    }

    fn record(self) -> Vec<u8> {
        let mut record = Writer::default();
        record.number(self.hits);
        record.number(self.misses);
        record.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_uses_of_all_runs_are_added_and_the_file_stays_short() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Uses::of(folder.path()), Uses::default());
        for _ in 0..5000 {
            Uses { hits: 3, misses: 1 }.add_to(folder.path());
        }
        assert_eq!(Uses::of(folder.path()), Uses { hits: 15_000, misses: 5000 });
        assert!(fs::metadata(folder.path().join(NAME)).unwrap().len() <= LONGEST);
        fs::write(folder.path().join(NAME), "half a record").unwrap();
        assert_eq!(Uses::of(folder.path()), Uses::default());
        Uses { hits: 1, misses: 1 }.add_to(&folder.path().join("none"));
    }
}
