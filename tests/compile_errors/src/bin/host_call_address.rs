//! A closure that may contain a reference does not go to the host: the host cannot read a device's memory by it.

use offload::{Closure, DisjointSlice, host_call, kernel, thread};

#[kernel]
fn ask(mut values: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        let table: Option<&'static [u32; 2]> = Some(&[1, 2]);
        let closure = Closure::new(move || table.map_or(0, |table| table[0]));
        *value = host_call!(|closure| -> u32 { closure() });
    }
}

fn main() {
    let mut values = [1];
    ask(DisjointSlice::from(&mut values[..]));
}
