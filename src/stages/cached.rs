//! Takes an output from the cache, or makes it and keeps it there.

use crate::cache::{Cache, Key, Subject};
use crate::error::Result;

/// How an output is written as the contents of an entry, and read. None is an entry of something else.
pub struct Form<T> {
    /// Writes the contents.
    pub write: fn(&T) -> Vec<u8>,
    /// Reads them.
    pub read: fn(Vec<u8>) -> Option<T>,
}

/// The output for a key. Without a cache, or if the cache cannot be used for it, it is made.
pub fn cached<T>(
    cache: Option<&Cache>,
    subject: Subject<'_>,
    key: impl FnOnce() -> Result<Key>,
    form: &Form<T>,
    make: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let Some(cache) = cache else { return make() };
    let key = match key() {
        Ok(key) => key,
        Err(error) => {
            cache.has_trouble(error.to_string());
            return make();
        }
    };
    if let Some(contents) = cache.get(&key, subject) {
        match (form.read)(contents) {
            Some(output) => return Ok(output),
            None => cache.has_trouble(format!("the entry of {subject} has other contents")),
        }
    }
    let output = make()?;
    cache.put(&key, &(form.write)(&output));
    Ok(output)
}
