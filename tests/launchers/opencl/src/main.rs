//! Launches the kernels by opencl3, from SPIR-V.

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device, get_all_devices};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_device_id};
use std::error::Error;
use std::ptr::null_mut;

#[allow(dead_code, reason = "a program uses some of the module's tables and fields")]
mod kernels {
    include!(env!("IMAGES"));
}

const COUNT: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let devices: Vec<cl_device_id> = get_all_devices(CL_DEVICE_TYPE_ALL)?;
    let device = Device::new(*devices.first().ok_or("there is no device")?);
    let context = Context::from_device(&device)?;
    let queue = unsafe { CommandQueue::create_with_properties(&context, device.id(), 0, 0)? };
    let image = kernels::image("spirv64").ok_or("there is no image")?;
    let mut program = Program::create_from_il(&context, image.bytes)?;
    program.build(context.devices(), "")?;
    let axpy = Kernel::create(&program, kernels::AXPY_F32.name)?;
    let block_sums = Kernel::create(&program, kernels::BLOCK_SUMS.name)?;
    let x: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let (mut y, mut sums) = (vec![0f32; COUNT], [0u32; 8]);
    let numbers: Vec<u32> = (0..512).collect();
    unsafe {
        let mut on_device = Buffer::<f32>::create(&context, CL_MEM_READ_WRITE, COUNT, null_mut())?;
        let mut result = Buffer::<f32>::create(&context, CL_MEM_READ_WRITE, COUNT, null_mut())?;
        queue.enqueue_write_buffer(&mut on_device, CL_BLOCKING, 0, &x, &[])?;
        queue.enqueue_write_buffer(&mut result, CL_BLOCKING, 0, &y, &[])?;
        let mut launch = ExecuteKernel::new(&axpy);
        launch.set_arg(&COUNT).set_arg(&2.5f32).set_arg(&on_device).set_arg(&result);
        launch.set_global_work_size(1024).set_local_work_size(256).enqueue_nd_range(&queue)?;
        queue.enqueue_read_buffer(&result, CL_BLOCKING, 0, &mut y, &[])?;

        let mut words = Buffer::<u32>::create(&context, CL_MEM_READ_WRITE, numbers.len(), null_mut())?;
        let result = Buffer::<u32>::create(&context, CL_MEM_READ_WRITE, sums.len(), null_mut())?;
        queue.enqueue_write_buffer(&mut words, CL_BLOCKING, 0, &numbers, &[])?;
        let mut launch = ExecuteKernel::new(&block_sums);
        launch.set_arg(&words).set_arg(&result);
        launch.set_global_work_size(512).set_local_work_size(64).enqueue_nd_range(&queue)?;
        queue.enqueue_read_buffer(&result, CL_BLOCKING, 0, &mut sums, &[])?;
    }
    assert!(y.iter().enumerate().all(|(i, y)| *y == 2.5 * i as f32));
    assert!(sums.iter().zip(0..).all(|(sum, block)| *sum == (64 * block..64 * (block + 1)).sum::<u32>()));
    println!("{}: right", device.name()?);
    Ok(())
}
