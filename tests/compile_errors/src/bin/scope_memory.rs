//! Memory that a scope cannot borrow, and a closure that is not `move`.

use offload::{Device, DeviceBuffer, Grid, Result};

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let mut y = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    stream.scope((&mut y,), |_, _| Ok(()))?;
    stream.scope(&y, |_, _| Ok(()))?;
    stream.scope((&y,), |scope, (y,)| scope.launch(Grid::for_len(3, 3), (), || assert_eq!(y[0], 1)))
}
