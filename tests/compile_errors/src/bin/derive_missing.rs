//! A struct without the derive, wherever a launch needs it: in slices, in arrays, in another struct and in a buffer.

use offload::{Device, DeviceBuffer, DeviceCopy, DisjointSlice, Result, kernel};

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

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let places = DeviceBuffer::from_host(&stream, &[Place { x: 1.0 }])?;
    let _ = (places.len(), Star { place: Place { x: 0.0 } }.place);
    read(&[], DisjointSlice::from(&mut [][..]));
    Ok(())
}
