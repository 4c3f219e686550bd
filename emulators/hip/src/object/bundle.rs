//! Finds the code object for a device in a program's image: a code object, or a bundle of several (LLVM's "Clang
//! Offload Bundler": a magic word, the number of entries, and for each its place, size and target).

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The first bytes of a bundle.
const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const ELF_MAGIC: &[u8] = b"\x7fELF";
/// More entries than any bundle has: a guard against damaged ones.
const MOST_ENTRIES: u64 = 4096;

/// More bytes than any code object has.
const MOST_BYTES: u64 = 1 << 31;

/// An image in memory of the program. Only its headers have its size, and they may be damaged, so the system copies the
/// bytes: it does not copy from unmapped addresses.
pub(crate) struct Source {
    address: u64,
    memory: File,
}

impl Source {
    /// The bytes from an address on; none where the system does not let this process see its memory.
    pub(crate) fn new(address: *const u8) -> Option<Source> {
        Some(Source { address: address as u64, memory: File::open("/proc/self/mem").ok()? })
    }

    /// Copies bytes; none if not all of them are there. Memory is allocated piece by piece, only for bytes that are
    /// there.
    fn bytes(&self, at: u64, count: u64) -> Option<Vec<u8>> {
        const PIECE: u64 = 1 << 20;
        let begin = self.address.checked_add(at)?;
        if count > MOST_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < count {
            let done = bytes.len();
            bytes.resize((count.min(done as u64 + PIECE)) as usize, 0);
            self.memory.read_exact_at(&mut bytes[done..], begin.checked_add(done as u64)?).ok()?;
        }
        Some(bytes)
    }

    fn word(&self, at: u64) -> Option<u64> {
        Some(self.bytes(at, 8)?.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
    }

    /// A code object: its header says where its tables end, and linkers write the table of sections last.
    fn code_object(&self) -> Option<Vec<u8>> {
        let header = self.bytes(0, 64)?;
        let half = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let programs = self.word(32)?.checked_add(half(54) * half(56))?;
        let sections = self.word(40)?.checked_add(half(58) * half(60))?;
        self.bytes(0, programs.max(sections))
    }

    /// The code object for `processor`; none if the image has none.
    pub(crate) fn find(&self, processor: &str) -> Option<Vec<u8>> {
        if self.bytes(0, 4)? == ELF_MAGIC {
            return self.code_object();
        }
        let mut at = MAGIC.len() as u64;
        if self.bytes(0, at)? != MAGIC {
            return None;
        }
        let count = self.word(at)?;
        at += 8;
        for _ in 0..count.min(MOST_ENTRIES) {
            let [offset, size, length] =
                [self.word(at)?, self.word(at.checked_add(8)?)?, self.word(at.checked_add(16)?)?];
            let target = self.bytes(at.checked_add(24)?, length)?;
            at = at.checked_add(24)?.checked_add(length)?;
            if is_for(&String::from_utf8_lossy(&target), processor) {
                return self.bytes(offset, size);
            }
        }
        None
    }
}

/// `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-` is for `gfx90a`. Newer bundlers may write `hipv4-amdgpu9.0a-amd-amdhsa--`
/// instead.
fn is_for(target: &str, processor: &str) -> bool {
    let (_, triple) = target.split_once('-').unwrap_or_default();
    let Some(version) = triple.strip_prefix("amdgcn-").map(|_| "").or_else(|| version_in(triple)) else { return false };
    match target.rsplit('-').find(|word| word.starts_with("gfx")) {
        Some(last) => last.split(':').next() == Some(processor),
        None => processor
            .strip_prefix("gfx")
            .is_some_and(|digits| !version.is_empty() && digits == version.replace('.', "")),
    }
}

/// The version in the newer spelling of a triple; empty if it names none.
fn version_in(triple: &str) -> Option<&str> {
    let version = triple.strip_prefix("amdgpu")?.split('-').next()?;
    (version.is_empty() || version.starts_with(|c: char| c.is_ascii_digit())).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::is_for;

    #[test]
    fn targets_name_processors() {
        assert!(is_for("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "gfx90a"));
        assert!(is_for("hip-amdgcn-amd-amdhsa--gfx1100", "gfx1100"));
        assert!(is_for("hipv4-amdgpu9.0a-amd-amdhsa--gfx90a:xnack-", "gfx90a"));
        assert!(
            is_for("hipv4-amdgpu9.0a-amd-amdhsa--", "gfx90a") && is_for("hipv4-amdgpu11.00-amd-amdhsa--", "gfx1100")
        );
        assert!(!is_for("hipv4-amdgpu9.0a-amd-amdhsa--", "gfx1100") && !is_for("hipv4-amdgpu-amd-amdhsa--", "gfx90a"));
        assert!(!is_for("host-x86_64-unknown-linux--", "gfx1100"));
    }
}
