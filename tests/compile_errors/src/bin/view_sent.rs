//! A thread's view of the memory, and a value that is one thread's, given to another thread.

use offload::{DisjointSlice, device_fn, kernel, thread};
use std::marker::PhantomData;

#[derive(Clone, Copy)]
struct Own(PhantomData<*const u32>);

#[kernel]
fn first(mut values: DisjointSlice<u32>) {
    std::thread::scope(|scope| {
        scope.spawn(|| *values.get_mut(thread::index_1d()).unwrap() += 1);
    });
}

fn main() {
    let own = Own(PhantomData);
    let _ = device_fn!(move |x: u32| x + u32::from(own.0 == PhantomData));
}
