//! Gives the memory that LLVM needed for a large module back to the system.

/// The size of a module or its code, in bytes, from which the memory of its stage is worth a call of the system.
const LARGE: usize = 4 << 20;

// A function of mimalloc, which `allocator.rs` links.
unsafe extern "C" {
    fn mi_collect(force: bool);
}

/// Gives freed memory back after a module of `size` bytes was read or written. Meanwhile, LLVM holds each byte of a
/// table in 8 bytes, and the allocator keeps such memory for a second, in which the next stage takes more.
pub(super) fn give_back(size: usize) {
    if size >= LARGE {
        // SAFETY: the function may be called at any time; it frees only unused memory.
        unsafe { mi_collect(true) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of this process that are in memory.
    fn resident() -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").expect("Linux has this file");
        let pages: usize = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("it has such a number");
        pages * 4096
    }

    #[test]
    fn what_is_freed_is_the_systems() {
        const SIZE: usize = 256 << 20;
        let bytes = vec![1_u8; SIZE];
        let before = resident();
        drop(bytes);
        give_back(SIZE);
        // Other tests take memory at the same time.
        assert!(resident() + SIZE / 2 < before);
    }
}
