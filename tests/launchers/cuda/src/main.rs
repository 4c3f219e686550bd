//! Launches the kernels by cudarc. The argument is the arch of the image.

use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;
use std::sync::Arc;

#[allow(dead_code, reason = "a program uses some of the module's tables and fields")]
mod kernels {
    include!(env!("IMAGES"));
}

const COUNT: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let arch = std::env::args().nth(1).ok_or("the arch is missing")?;
    let context = CudaContext::new(0)?;
    let (name, stream) = (context.name()?, context.default_stream());
    let image = kernels::image(&arch).ok_or("there is no image for the arch")?;
    let module = context.load_module(Ptx::from_src(std::str::from_utf8(image.bytes)?))?;
    plain(&stream, &module)?;
    shared(&stream, &module)?;
    panics(&stream, &module)?;
    println!("{name}: right");
    Ok(())
}

fn find(module: &Arc<CudaModule>, kernel: kernels::Kernel) -> Result<CudaFunction, Box<dyn Error>> {
    Ok(module.load_function(kernel.name)?)
}

fn grid(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// A kernel with numbers and pointers, and two instances of a generic one.
fn plain(stream: &Arc<CudaStream>, module: &Arc<CudaModule>) -> Result<(), Box<dyn Error>> {
    let x: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let (x, mut y) = (stream.clone_htod(&x)?, stream.alloc_zeros::<f32>(COUNT)?);
    let axpy = find(module, kernels::AXPY_F32)?;
    let a = 2.5f32;
    unsafe { stream.launch_builder(&axpy).arg(&COUNT).arg(&a).arg(&x).arg(&mut y).launch(grid(4, 256))? };
    let scale = find(module, kernels::SCALE_F32)?;
    unsafe { stream.launch_builder(&scale).arg(&COUNT).arg(&a).arg(&mut y).launch(grid(8, 128))? };
    let y = stream.clone_dtoh(&y)?;
    assert!(y.iter().enumerate().all(|(i, y)| *y == 2.5 * (2.5 * i as f32) + 2.5));
    let mut z = stream.clone_htod(&(0..COUNT as i64).collect::<Vec<_>>())?;
    let (scale, a) = (find(module, kernels::SCALE_I64)?, -3i64);
    unsafe { stream.launch_builder(&scale).arg(&COUNT).arg(&a).arg(&mut z).launch(grid(8, 128))? };
    let z = stream.clone_dtoh(&z)?;
    assert!(z.iter().enumerate().all(|(i, z)| *z == -3 * i as i64 - 3));
    Ok(())
}

/// A kernel with shared memory of its own, in blocks of the size that it promises.
fn shared(stream: &Arc<CudaStream>, module: &Arc<CudaModule>) -> Result<(), Box<dyn Error>> {
    let x = stream.clone_htod(&(0..512u32).collect::<Vec<_>>())?;
    let mut sums = stream.alloc_zeros::<u32>(8)?;
    let block_sums = find(module, kernels::BLOCK_SUMS)?;
    unsafe { stream.launch_builder(&block_sums).arg(&x).arg(&mut sums).launch(grid(8, 64))? };
    let sums = stream.clone_dtoh(&sums)?;
    assert!(sums.iter().zip(0..).all(|(sum, block)| *sum == (64 * block..64 * (block + 1)).sum::<u32>()));
    Ok(())
}

/// A panic is a trap, which is an error of the launch or of the wait after it, and of all later calls.
fn panics(stream: &Arc<CudaStream>, module: &Arc<CudaModule>) -> Result<(), Box<dyn Error>> {
    let x = stream.clone_htod(&[7u32, 8, 9])?;
    let indices = stream.clone_htod(&[2u32, 0, 3])?;
    let mut y = stream.alloc_zeros::<u32>(3)?;
    let (pick, n) = (find(module, kernels::PICK_U32)?, x.len());
    unsafe { stream.launch_builder(&pick).arg(&n).arg(&x).arg(&indices).arg(&mut y).launch(grid(1, 2))? };
    assert_eq!(stream.clone_dtoh(&y)?, [9, 7, 0]);
    let launched = unsafe {
        stream.launch_builder(&pick).arg(&n).arg(&x).arg(&indices).arg(&mut y).launch(grid(1, 3)).map(|_| ())
    };
    assert!(launched.and_then(|()| stream.synchronize()).is_err(), "an index out of bounds is no error");
    Ok(())
}
