//! A closure that the host runs uses a variable of the kernel that is not named between the bars.

use offload::{DisjointSlice, host_call, kernel, thread};

#[kernel]
fn log(mut values: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        let (index, old) = (i.get(), *value);
        *value = host_call!(|index| -> u32 { index as u32 + old });
    }
}

fn main() {
    let mut values = [1];
    log(DisjointSlice::from(&mut values[..]));
}
