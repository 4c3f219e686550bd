//! A closure that captures a `&'static`.

use offload::{Device, Result};

fn main() -> Result<()> {
    let device = Device::new()?;
    let table: &'static [u32] = Box::leak(vec![1; 100].into_boxed_slice());
    device.for_each(100, move |i| assert_eq!(table[i.get()], 1))
}
