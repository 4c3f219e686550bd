//! Values that only one thread of a launch has, handed to another thread of its block in a thread-local.

use std::cell::Cell;

use offload::block::{Leader, leader};
use offload::thread::{self, Index, Index2d, Index3d};
use offload::{
    DeviceCopy, DisjointBlocks, DisjointChunks, DisjointLayers, DisjointRows, DisjointSlice, Error, Grid, Result,
    Stream, kernel, prelude::*,
};

thread_local! {
    static INDEX: Cell<Option<Index>> = const { Cell::new(None) };
    static PLACE: Cell<Option<Index2d>> = const { Cell::new(None) };
    static VOXEL: Cell<Option<Index3d>> = const { Cell::new(None) };
    static LEADER: Cell<Option<Leader>> = const { Cell::new(None) };
}

/// A value whose reference is wrong as soon as another thread writes it.
#[derive(Clone, Copy, Debug, DeviceCopy, PartialEq)]
enum Either {
    Number(u8),
    Flag(bool),
}
use Either::{Flag, Number};

/// Waits with a reference to its number, in which another thread writes a flag.
fn keep(either: Option<&mut Either>) {
    if let Some(Number(number)) = either {
        thread::sync_threads();
        *number = 77;
    } else {
        thread::sync_threads();
    }
}

#[kernel]
fn get_mut(mut y: DisjointSlice<Either>) {
    let own = thread::index_1d();
    if own.get() == 0 {
        INDEX.set(Some(own));
        keep(y.get_mut(own));
    } else {
        *y.get_mut(INDEX.get().unwrap()).unwrap() = Flag(true);
        thread::sync_threads();
    }
}

#[kernel]
fn by_brackets(mut y: DisjointSlice<Either>) {
    let own = thread::index_1d();
    if own.get() == 0 {
        INDEX.set(Some(own));
        keep(y.get_mut(own));
    } else {
        y[INDEX.get().unwrap()] = Flag(true);
        thread::sync_threads();
    }
}

#[kernel]
fn several(mut y: DisjointSlice<Either>) {
    let own = thread::index_1d();
    if own.get() == 0 {
        INDEX.set(Some(own));
        keep(y.get_mut(own));
    } else {
        if let Some([other, _]) = y.get_disjoint_mut([INDEX.get().unwrap(), own]) {
            *other = Flag(true);
        }
        thread::sync_threads();
    }
}

#[kernel]
fn of_chunks(mut y: DisjointChunks<Either, 1>) {
    let own = thread::index_1d();
    if own.get() == 0 {
        INDEX.set(Some(own));
        keep(y.get_mut(own).map(|chunk| &mut chunk[0]));
    } else {
        y.get_mut(INDEX.get().unwrap()).unwrap()[0] = Flag(true);
        thread::sync_threads();
    }
}

#[kernel]
fn of_rows(mut y: DisjointRows<Either>) {
    let own = thread::index_2d();
    if own.x() == 0 {
        PLACE.set(Some(own));
        keep(y.get_mut(own));
    } else {
        *y.get_mut(PLACE.get().unwrap()).unwrap() = Flag(true);
        thread::sync_threads();
    }
}

#[kernel]
fn of_layers(mut y: DisjointLayers<Either>) {
    let own = thread::index_3d();
    if own.x() == 0 {
        VOXEL.set(Some(own));
        keep(y.get_mut(own));
    } else {
        *y.get_mut(VOXEL.get().unwrap()).unwrap() = Flag(true);
        thread::sync_threads();
    }
}

#[kernel]
fn of_blocks(mut y: DisjointBlocks<Either>) {
    if let Some(own) = leader() {
        LEADER.set(Some(own));
        keep(y.get_mut(own));
    } else {
        *y.get_mut(LEADER.get().unwrap()).unwrap() = Flag(true);
        thread::sync_threads();
    }
}

/// The index of a thread of an earlier launch, which another thread of this launch has.
#[kernel]
fn of_before(mut y: DisjointSlice<Either>) {
    let own = thread::index_1d();
    if y.len() == 1 {
        INDEX.set(Some(own));
    } else if own.get() == 0 {
        keep(y.get_mut(own));
    } else {
        *y.get_mut(INDEX.get().unwrap()).unwrap() = Flag(true);
        thread::sync_threads();
    }
}

/// The error of a launch in which a thread has used another's element.
fn refused(said: Result<()>, text: &str) {
    let Err(Error::Panicked(found)) = said else { panic!("{said:?}") };
    assert!(found.contains(text), "{found}");
}

/// All of it. Promise of each: no two threads have a reference to one element. Each broke.
pub fn check(stream: &Stream) -> Result<()> {
    const OF_OTHER: &str = "this index belongs to another thread of the launch";
    let grid = Grid::for_len(2, 2);
    let mut y = [Number(1), Number(2)];
    refused(get_mut.launch(stream, grid, (&mut y[..],)), OF_OTHER);
    refused(by_brackets.launch(stream, grid, (&mut y[..],)), OF_OTHER);
    refused(several.launch(stream, grid, (&mut y[..],)), OF_OTHER);
    refused(of_chunks.launch(stream, grid, (&mut y[..],)), OF_OTHER);
    refused(of_blocks.launch(stream, grid, (&mut y[..],)), "this thread is not the leader of the block");
    let mut buffer = offload::DeviceBuffer::from_host(stream, &y)?;
    refused(of_rows.launch(stream, grid, (buffer.rows(2),)), OF_OTHER);
    refused(of_layers.launch(stream, grid, (buffer.layers(2, 1),)), OF_OTHER);
    of_before.launch(stream, Grid::for_len(1, 1), (&mut y[..1],))?;
    refused(of_before.launch(stream, grid, (&mut y[..],)), OF_OTHER);
    assert!(y.iter().chain(&buffer.to_host_vec(stream)?).all(|either| matches!(either, Number(1 | 2))), "{y:?}");
    Ok(())
}
