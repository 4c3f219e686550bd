//! A buffer of values that mean nothing on a device.

use offload::{Device, DeviceBuffer, Result};

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let names = DeviceBuffer::from_host(&stream, &[String::new()])?;
    assert_eq!(names.len(), 1);
    Ok(())
}
