//! Trait objects whose trait has a supertrait that no kernel calls: the vtables name how each type is formatted. A
//! function that kernels call through the vtables has the type of those that format.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::fmt::Debug;

use kernels::mix;
use offload::{argument, Device, Shape};

trait Figure: Debug {
    fn area(&self) -> u64;
    fn has_area(&self, area: &u64) -> bool;
}

#[derive(Debug)]
#[allow(dead_code, reason = "the names are for the host")]
struct Square {
    side: u64,
    name: Option<&'static str>,
}

#[derive(Debug)]
struct Rectangle(u64, u64);

impl Figure for Square {
    fn area(&self) -> u64 {
        self.side * self.side
    }
    fn has_area(&self, area: &u64) -> bool {
        self.side == 1 && *area == 1
    }
}

impl Figure for Rectangle {
    fn area(&self) -> u64 {
        self.0 * self.1
    }
    fn has_area(&self, area: &u64) -> bool {
        self.area() == *area
    }
}

fn areas(i: u32) -> u64 {
    let mut figures: Vec<Box<dyn Figure>> = vec![Box::new(Square { side: i.into(), name: None })];
    for width in 0..u64::from(i % 3) {
        figures.push(Box::new(Rectangle(width, 7)));
    }
    let sum = figures.iter().fold(1, |sum, figure| mix(sum, figure.area()));
    figures.iter().fold(sum, |sum, figure| mix(sum, figure.has_area(&u64::from(i % 8)).into()))
}

kernels! {
    area_kernel: areas,
}

fn main() {
    let count = 96;
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    let address = out.as_mut_ptr();
    let mut wrong = 0;
    if let Err(text) =
        device.try_launch_with_heap(handles()[0], Shape::linear(count, 32), 1 << 20, &[argument(&address)])
    {
        println!("{text}");
        wrong += 1;
    }
    let there = out.read();
    wrong += (0..count).filter(|&i| there[i as usize] != FUNCTIONS[0](i)).count();
    offload::verdict("vtables", &format!("{count} threads"), wrong);
}
