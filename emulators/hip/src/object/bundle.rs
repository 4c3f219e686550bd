//! Finds the code object for a device in what a program hands over: a code object, or a bundle of several (LLVM's
//! "Clang Offload Bundler": a magic word, the number of entries, and for each its place, size and target).

/// The first bytes of a bundle.
const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const ELF_MAGIC: &[u8] = b"\x7fELF";
/// More entries than any bundle has: a guard against damaged ones.
const MOST_ENTRIES: u64 = 4096;

/// A place of memory of the program, read word by word; nothing says how long it is but its own headers.
pub(crate) struct Source(pub(crate) *const u8);

impl Source {
    /// Copies bytes.
    ///
    /// # Safety
    ///
    /// The source has at least so many bytes.
    pub(crate) unsafe fn bytes(&self, at: usize, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        // SAFETY: the caller says that the bytes are there.
        unsafe { std::ptr::copy_nonoverlapping(self.0.add(at), bytes.as_mut_ptr(), count) };
        bytes
    }

    /// # Safety
    ///
    /// As for `bytes`, with eight of them.
    unsafe fn word(&self, at: usize) -> u64 {
        // SAFETY: as the caller says.
        let bytes = unsafe { self.bytes(at, 8) };
        bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
    }

    /// # Safety
    ///
    /// The source is a code object: its header says where its last table ends, and no section lies behind that.
    unsafe fn code_object(&self) -> Vec<u8> {
        // SAFETY: a code object has a header of 64 bytes.
        let header = unsafe { self.bytes(0, 64) };
        let half = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        // SAFETY: as above.
        let (programs, sections) = unsafe { (self.word(32) as usize, self.word(40) as usize) };
        let end = (programs + half(54) * half(56)).max(sections + half(58) * half(60));
        // SAFETY: linkers write the table of sections last.
        unsafe { self.bytes(0, end) }
    }

    /// The code object for `processor`.
    ///
    /// # Safety
    ///
    /// The source is a code object or a bundle.
    pub(crate) unsafe fn find(&self, processor: &str) -> Option<Vec<u8>> {
        // SAFETY: both kinds have more bytes than this.
        if unsafe { self.bytes(0, 4) } == ELF_MAGIC {
            // SAFETY: its first bytes say so.
            return Some(unsafe { self.code_object() });
        }
        // SAFETY: a bundle is longer than its magic word.
        if unsafe { self.bytes(0, MAGIC.len()) } != MAGIC {
            return None;
        }
        let mut at = MAGIC.len();
        // SAFETY: the number of entries follows.
        let count = unsafe { self.word(at) };
        at += 8;
        for _ in 0..count.min(MOST_ENTRIES) {
            // SAFETY: each entry has three words and a text.
            let [offset, size, length] = unsafe { [self.word(at), self.word(at + 8), self.word(at + 16)] };
            // SAFETY: as above.
            let target = unsafe { self.bytes(at + 24, length as usize) };
            at += 24 + length as usize;
            if is_for(&String::from_utf8_lossy(&target), processor) {
                // SAFETY: the entry says where its bytes are.
                return Some(unsafe { self.bytes(offset as usize, size as usize) });
            }
        }
        None
    }
}

/// `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-` is for `gfx90a`.
fn is_for(target: &str, processor: &str) -> bool {
    let is_gpu = target.contains("amdgcn");
    let last = target.rsplit('-').find(|word| word.starts_with("gfx")).unwrap_or_default();
    is_gpu && last.split(':').next() == Some(processor)
}

#[cfg(test)]
mod tests {
    use super::is_for;

    #[test]
    fn targets_name_processors() {
        assert!(is_for("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "gfx90a"));
        assert!(is_for("hip-amdgcn-amd-amdhsa--gfx1100", "gfx1100"));
        assert!(!is_for("host-x86_64-unknown-linux--", "gfx1100"));
    }
}
