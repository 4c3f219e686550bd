//! Host functions that a kernel calls: an `Option` hides them from the check of captures.

use offload::thread::{Index, index_1d};
use offload::{Closure, DisjointSlice, Error, Grid, Result, Stream, kernel, prelude::*};

/// The error of a launch that reached the host's code.
fn refused(said: Result<()>) {
    let Err(Error::Panicked(text)) = said else { panic!("{said:?}") };
    assert!(text.contains("leads to host code"), "{text}");
}

#[kernel]
fn count<F: Fn() -> Index + Copy + 'static>(index: Closure<F>, mut values: DisjointSlice<u32>) {
    *values.get_mut(index()).unwrap() += 1;
}

/// A trait object of the host's.
trait Own: Sync {
    fn index(&self) -> Index;
}

struct First;

impl Own for First {
    fn index(&self) -> Index {
        index_1d()
    }
}

fn free(value: Box<u32>) {
    drop(value);
}

/// All of it.
pub fn check(stream: &Stream) -> Result<()> {
    let (grid, mut values) = (Grid::for_len(64, 64), [0; 64]);
    // Every thread would get the index 0, and with it the same element.
    let hidden: Option<fn() -> Index> = Some(index_1d);
    let closure = move |mut values: DisjointSlice<u32>| *values.get_mut(hidden.unwrap()()).unwrap() += 1;
    refused(closure.launch(stream, grid, (&mut values,)));
    let either: core::result::Result<u8, fn() -> Index> = Err(index_1d);
    let closure = move |mut values: DisjointSlice<u32>| *values.get_mut(either.unwrap_err()()).unwrap() += 1;
    refused(closure.launch(stream, grid, (&mut values,)));
    refused(count.launch(stream, grid, (Closure::new(move || hidden.unwrap()()), &mut values)));
    let object: Option<&'static dyn Own> = Some(&First);
    refused(count.launch(stream, grid, (Closure::new(move || object.unwrap().index()), &mut values)));
    // All of the access by the host's code: nothing of it is the kernel's.
    let whole: Option<fn(&mut DisjointSlice<u32>)> = Some(|values| *values.get_mut(index_1d()).unwrap() += 1);
    let closure = move |mut values: DisjointSlice<u32>| whole.unwrap()(&mut values);
    refused(closure.launch(stream, grid, (&mut values,)));
    // The host's allocator does not use the launch's heap.
    let freed: Option<fn(Box<u32>)> = Some(free);
    let closure = move |_more: u32| freed.unwrap()(Box::new(1));
    refused(closure.launch(stream, grid.with_heap_bytes(1 << 20), (1,)));
    assert_eq!(values, [0; 64]);
    Ok(())
}
