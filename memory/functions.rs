//! The C library's memory functions for devices, which access words instead of bytes for all alignments of the
//! pointers.
//!
//! `build.rs` compiles this file to bitcode; `src/passes/library/lower_memory_functions.rs` links the functions that
//! device code needs. No load or store is wider than the alignment of its address, and none accesses a byte outside of
//! the given memory, except that [`__offload_strlen`] reads the whole word that contains the end of the text.
//!
//! Pointers are only offset, and never created from integers, so that their address spaces remain known.

use core::ffi::c_int;

/// The size of an access if both alignments allow it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Chunk(u64, u64);

const CHUNK: usize = size_of::<Chunk>();
const WORD: usize = size_of::<u32>();
/// Fewer bytes are copied one by one, because aligning them would take longer.
const FEW: usize = 16;

/// `memcpy`: the regions do not overlap, or `to` is the lower one.
///
/// # Safety
/// `count` bytes can be read and written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __offload_memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    unsafe { upwards(to, from, count) };
    to
}

/// `memmove`.
///
/// # Safety
/// `count` bytes can be read and written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __offload_memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= count {
        unsafe { upwards(to, from, count) };
    } else {
        unsafe { downwards(to.add(count), from.add(count), count) };
    }
    to
}

/// `memset`.
///
/// # Safety
/// `count` bytes can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __offload_memset(start: *mut u8, value: c_int, count: usize) -> *mut u8 {
    let (byte, word) = (value as u8, u64::from(value as u8) * 0x0101_0101_0101_0101);
    let (mut to, mut left) = (start, count);
    if left >= FEW {
        while to as usize % CHUNK != 0 {
            unsafe {
                *to = byte;
                to = to.add(1);
            }
            left -= 1;
        }
        while left >= CHUNK {
            unsafe {
                *to.cast() = Chunk(word, word);
                to = to.add(CHUNK);
            }
            left -= CHUNK;
        }
    }
    while left != 0 {
        unsafe {
            *to = byte;
            to = to.add(1);
        }
        left -= 1;
    }
    start
}

/// `memcmp`.
///
/// # Safety
/// `count` bytes can be read of both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __offload_memcmp(a: *const u8, b: *const u8, count: usize) -> c_int {
    unsafe { compare(a, b, count) }
}

/// `bcmp`: 0 if they are the same.
///
/// # Safety
/// `count` bytes can be read of both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __offload_bcmp(a: *const u8, b: *const u8, count: usize) -> c_int {
    c_int::from(unsafe { compare(a, b, count) } != 0)
}

/// `strlen`.
///
/// # Safety
/// There is a NUL, and the word that it is in can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __offload_strlen(text: *const u8) -> usize {
    let mut length = 0;
    unsafe {
        while text.add(length) as usize % WORD != 0 {
            if *text.add(length) == 0 {
                return length;
            }
            length += 1;
        }
        // The lowest remaining bit is the highest bit of the first byte that is zero.
        let zeros = |word: u32| word.wrapping_sub(0x0101_0101) & !word & 0x8080_8080;
        loop {
            let found = zeros(*text.add(length).cast());
            if found != 0 {
                return length + found.trailing_zeros() as usize / 8;
            }
            length += WORD;
        }
    }
}

/// Copies in ascending order, which is correct for overlapping regions if `to` is the lower one.
#[inline(always)]
unsafe fn upwards(mut to: *mut u8, mut from: *const u8, mut count: usize) {
    let apart = to as usize ^ from as usize;
    macro_rules! copy {
        ($type:ty) => {{
            *to.cast::<$type>() = *from.cast::<$type>();
            copy!(past size_of::<$type>());
        }};
        (past $size:expr) => {{
            to = to.add($size);
            from = from.add($size);
            count -= $size;
        }};
    }
    unsafe {
        if count >= FEW {
            let alignment = if apart % CHUNK == 0 { CHUNK } else { WORD };
            while to as usize & (alignment - 1) != 0 {
                copy!(u8);
            }
            if apart % CHUNK == 0 {
                while count >= CHUNK {
                    let Chunk(low, high) = *from.cast();
                    *to.cast() = Chunk(low, high);
                    copy!(past CHUNK);
                }
            } else if apart % WORD == 0 {
                while count >= WORD {
                    copy!(u32);
                }
            } else {
                let beyond = from as usize % WORD;
                let mut low = partial(from, WORD - beyond) << (8 * beyond);
                while count >= 2 * WORD - beyond {
                    let high: u32 = *from.add(WORD - beyond).cast();
                    *to.cast() = joined(low, high, beyond);
                    low = high;
                    copy!(past WORD);
                }
            }
        }
        while count != 0 {
            copy!(u8);
        }
    }
}

/// Copies in descending order. Both pointers are the ends of the regions.
#[inline(always)]
unsafe fn downwards(mut to: *mut u8, mut from: *const u8, mut count: usize) {
    let apart = to as usize ^ from as usize;
    macro_rules! copy {
        ($type:ty) => {{
            copy!(past size_of::<$type>());
            *to.cast::<$type>() = *from.cast::<$type>();
        }};
        (past $size:expr) => {{
            to = to.sub($size);
            from = from.sub($size);
            count -= $size;
        }};
    }
    unsafe {
        if count >= FEW {
            let alignment = if apart % CHUNK == 0 { CHUNK } else { WORD };
            while to as usize & (alignment - 1) != 0 {
                copy!(u8);
            }
            if apart % CHUNK == 0 {
                while count >= CHUNK {
                    copy!(past CHUNK);
                    let Chunk(low, high) = *from.cast();
                    *to.cast() = Chunk(low, high);
                }
            } else if apart % WORD == 0 {
                while count >= WORD {
                    copy!(u32);
                }
            } else {
                let beyond = from as usize % WORD;
                let mut high = partial(from.sub(beyond), beyond);
                while count >= WORD + beyond {
                    let low: u32 = *from.sub(beyond + WORD).cast();
                    copy!(past WORD);
                    *to.cast() = joined(low, high, beyond);
                    high = low;
                }
            }
        }
        while count != 0 {
            copy!(u8);
        }
    }
}

/// Negative, 0 or positive, according to the first byte that differs.
#[inline(always)]
unsafe fn compare(mut a: *const u8, mut b: *const u8, mut count: usize) -> c_int {
    let apart = a as usize ^ b as usize;
    macro_rules! compare {
        ($type:ty, $left:expr, $right:expr) => {{
            let (left, right): ($type, $type) = ($left, $right);
            if left != right {
                // The byte at the lowest address is the most significant one.
                return if left.swap_bytes() < right.swap_bytes() { -1 } else { 1 };
            }
            a = a.add(size_of::<$type>());
            b = b.add(size_of::<$type>());
            count -= size_of::<$type>();
        }};
    }
    unsafe {
        if count >= FEW {
            let alignment = if apart % 8 == 0 { 8 } else { WORD };
            while a as usize & (alignment - 1) != 0 {
                compare!(u8, *a, *b);
            }
            if apart % 8 == 0 {
                while count >= 8 {
                    compare!(u64, *a.cast(), *b.cast());
                }
            } else if apart % WORD == 0 {
                while count >= WORD {
                    compare!(u32, *a.cast(), *b.cast());
                }
            } else {
                let beyond = b as usize % WORD;
                let mut low = partial(b, WORD - beyond) << (8 * beyond);
                while count >= 2 * WORD - beyond {
                    let high: u32 = *b.add(WORD - beyond).cast();
                    compare!(u32, *a.cast(), joined(low, high, beyond));
                    low = high;
                }
            }
        }
        while count != 0 {
            compare!(u8, *a, *b);
        }
    }
    0
}

/// The first `count` bytes, fewer than a word has, as the lowest bytes of a word.
#[inline(always)]
unsafe fn partial(bytes: *const u8, count: usize) -> u32 {
    let mut word = 0;
    for i in 0..WORD - 1 {
        if i < count {
            word |= u32::from(unsafe { *bytes.add(i) }) << (8 * i);
        }
    }
    word
}

/// The word that begins `beyond` bytes (1 to 3) after the beginning of `low`, and ends in `high`.
#[inline(always)]
fn joined(low: u32, high: u32, beyond: usize) -> u32 {
    low >> (8 * beyond) | high << (32 - 8 * beyond)
}
