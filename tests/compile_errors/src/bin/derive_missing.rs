//! A struct without the derive, wherever a launch needs it: in slices, in arrays, in another struct and in a buffer.
//! The uses of the buffer are no further errors.

use offload::{Device, DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Result, kernel, prelude::*};

#[derive(Clone, Copy)]
struct Place {
    x: f32,
}

#[kernel]
fn read(places: &[Place], mirrored: DisjointSlice<[Place; 2]>) {
    let _ = (places[0].x, mirrored.len());
}

#[derive(Clone, Copy, DeviceCopy)]
struct Star {
    place: Place,
}

fn mirrored() -> [[Place; 2]; 1] {
    [[Place { x: 0.0 }; 2]]
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let places = DeviceBuffer::from_host(&stream, &[Place { x: 1.0 }])?;
    let _ = (places.len(), Star { place: Place { x: 0.0 } }.place);
    read(&[], DisjointSlice::from(&mut [][..]));
    read.launch(&stream, Grid::for_len(1, 1), (&places, &mut mirrored()))?;
    read.run_on_host(Grid::for_len(1, 1), (&[][..], &mut mirrored()));
    assert_eq!(places.part(..1).to_host_vec(&stream)?[0].x, 1.0);
    Ok(())
}
