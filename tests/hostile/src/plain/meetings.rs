//! Operations of a whole block in which a part of it takes part.

use std::panic::catch_unwind;

use offload::warp::WarpValue;
use offload::{DeviceCopy, DisjointSlice, Error, Grid, Result, Stream, block, kernel, prelude::*, thread};

/// 0 is no value of it.
#[derive(Clone, Copy, Debug, DeviceCopy, PartialEq, PartialOrd, WarpValue)]
#[repr(u32)]
enum Letter {
    A = 1,
    B = 2,
    C = 3,
}

/// Leaves bytes in the block's memory that are no letter and no character.
fn fill() -> bool {
    block::reduce(0xfeed_face_dead_beef_u64, |a, b| a | b) != 0
}

#[kernel]
fn half_reduces(mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if fill() && thread::id::x() < 8 {
        y[i] = block::reduce(Letter::A, |a, b| if a > b { a } else { b }) as u32;
    }
}

#[kernel]
fn half_scans(mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if fill() && thread::id::x() % 2 == 0 {
        y[i] = block::inclusive_scan('b', |a, b| a.max(b)).into();
    }
}

/// Both operations use the same memory, as values of two types.
#[kernel]
fn two_kinds(mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    y[i] = if fill() && thread::id::x() < 8 {
        block::reduce(Letter::B, |a, b| if a > b { a } else { b }) as u32
    } else {
        block::reduce(0xdead_beef_u32, |a, b| a.wrapping_add(b)) & 1
    };
}

/// The others wait in a barrier, which must not open for them.
#[kernel]
fn beside_a_barrier(mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if fill() && thread::id::x() >= 8 {
        thread::sync_threads();
        thread::sync_threads();
    } else {
        y[i] = block::reduce(Letter::C, |a, b| if a > b { a } else { b }) as u32;
    }
}

/// The first thread has no result for the others.
#[kernel]
fn none_combined(mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    let letter = block::reduce(Letter::A, |_, _| panic!("no sum of letters"));
    y[i] = letter as u32;
}

/// Goes on when its block has failed.
#[kernel]
fn catches(mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    assert!(i.get() != 15, "the last thread gives up");
    for _ in 0..3 {
        let caught = catch_unwind(|| block::reduce(Letter::A, |a, b| if a > b { a } else { b }));
        y[i] = caught.map_or(0, |letter| letter as u32);
    }
}

/// All of it. Promise of each: a value has only the bytes that its type has. The first four broke.
pub fn check(stream: &Stream) -> Result<()> {
    let grid = Grid::for_len(16, 16);
    let mut y = [0_u32; 16];
    let refused = |launched: Result<()>, text: &str| {
        let Err(Error::Panicked(found)) = launched else { panic!("{launched:?}") };
        assert!(found.contains(text), "{found}");
    };
    const IN_PART: &str = "calls a function of all threads of the block in a part of it: thread";
    refused(half_reduces.launch(stream, grid, (&mut y[..],)), IN_PART);
    refused(half_scans.launch(stream, grid, (&mut y[..],)), IN_PART);
    refused(two_kinds.launch(stream, grid, (&mut y[..],)), IN_PART);
    refused(beside_a_barrier.launch(stream, grid, (&mut y[..],)), IN_PART);
    refused(none_combined.launch(stream, grid, (&mut y[..],)), "no sum of letters");
    refused(catches.launch(stream, grid, (&mut y[..],)), "the last thread gives up");
    assert_eq!(y, [0; 16]);
    Ok(())
}
