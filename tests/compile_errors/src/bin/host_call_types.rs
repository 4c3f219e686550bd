//! Neither a text nor a reference goes to the host, and no text comes back.

use offload::{DisjointSlice, host_call, kernel, thread};

#[kernel]
fn log(mut values: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        let (name, number) = (String::new(), *value);
        host_call!(|name| println!("{name}"));
        let text = host_call!(|number| number.to_string());
        *value = text.len() as u32;
    }
}

fn main() {
    let mut values = [1];
    log(DisjointSlice::from(&mut values[..]));
}
