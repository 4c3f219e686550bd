//! Launches with attributes.

mod common;

use std::ffi::c_void;

use common::kernel;
use cuda::*;

/// `CUlaunchAttribute`
#[repr(C)]
struct Attribute {
    number: u32,
    padding: u32,
    value: [u32; 16],
}

/// `CUlaunchConfig`
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: usize,
    attributes: *const Attribute,
    count: u32,
}

/// `CU_LAUNCH_ATTRIBUTE_IGNORE`, `_COOPERATIVE` and `_CLUSTER_DIMENSION`.
#[test]
fn attributes_that_change_nothing_are_taken() {
    let launch = |attributes: &[(u32, u32)]| {
        let attributes: Vec<Attribute> = attributes
            .iter()
            .map(|(number, value)| Attribute { number: *number, padding: 0, value: [*value; 16] })
            .collect();
        common::launch_by(&kernel("add.u64 %d, %a, 1;"), &[41, 0, 0, 1, 0, 0], |function, arguments| {
            let (attributes, count) = (attributes.as_ptr(), attributes.len() as u32);
            let config = Config { grid: [1; 3], block: [2, 1, 1], shared: 0, stream: 0, attributes, count };
            let config: *const Config = &config;
            // SAFETY: the structures are those of the API, and the arguments those of the kernel.
            unsafe { cuLaunchKernelEx(config.cast(), function, arguments, std::ptr::null::<*const c_void>()) }
        })
    };
    assert_eq!(launch(&[]), Ok(vec![42, 2]));
    assert_eq!(launch(&[(0, 7), (2, 0)]), Ok(vec![42, 2]));
    assert_eq!(launch(&[(0, 7), (2, 1)]), Err(NOT_SUPPORTED));
    assert_eq!(launch(&[(4, 2)]), Err(NOT_SUPPORTED));
}
