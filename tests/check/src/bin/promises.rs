//! Promises about types that have an address: of a struct, and of a field of a generic enum in one of its instances.

#![allow(dead_code, reason = "kernels are only checked")]

use std::cmp::Reverse;
use std::panic::Location;

use offload::{Device, DeviceCopy, DisjointSlice, Grid, kernel, prelude::*, thread};

#[derive(Clone, Copy, DeviceCopy)]
struct Place {
    number: u32,
    #[device_copy(unsafe(foreign))]
    caller: Location<'static>, //~ OFC0062
}

#[derive(Clone, Copy, DeviceCopy)]
enum Choice<T: Copy + 'static> {
    Own(T),
    Theirs {
        #[device_copy(unsafe(foreign))]
        value: Reverse<T>, //~ OFC0062
    },
}

#[kernel]
fn choose<T: DeviceCopy>(place: Place, choice: Choice<T>, mut to: DisjointSlice<u32>) {
    if let Some(to) = to.get_mut(thread::index_1d()) {
        *to = match choice {
            Choice::Own(_) => place.number,
            Choice::Theirs { .. } => 0,
        };
    }
}

fn main() -> offload::Result<()> {
    let (stream, grid, mut to) = (Device::new()?.default_stream(), Grid::for_len(1, 64), [0]);
    let place = Place { number: 3, caller: *Location::caller() };
    choose::<*const u8>.launch(&stream, grid, (place, Choice::Theirs { value: Reverse(std::ptr::null()) }, &mut to))?;
    choose::<u32>.launch(&stream, grid, (place, Choice::Own(1), &mut to))
}
