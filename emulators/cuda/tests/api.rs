//! Functions of the API that launch nothing: pools of memory, occupancy, hints, contexts, modules in files.

mod common;

use std::ffi::CString;
use std::io::Write as _;
use std::ptr::null;

use common::{NAME, begin, kernel};
use cuda::*;

const THRESHOLD: i32 = 4;
const USED: i32 = 7;
const MOST_USED: i32 = 8;

fn module(body: &str) -> String {
    format!(".version 8.0\n.target sm_80\n.address_size 64\n{}", kernel(body))
}

fn attribute(pool: Handle, which: i32) -> u64 {
    let mut value = 0u64;
    // SAFETY: it is an attribute of 64 bits.
    assert_eq!(unsafe { cuMemPoolGetAttribute(pool, which, (&raw mut value).cast()) }, SUCCESS);
    value
}

#[test]
fn pools_count_their_memory() {
    let _guard = begin();
    let (mut default, mut own, mut current, mut address) = (0, 0, 0, 0);
    // SAFETY: each pointer leads to a variable of the type.
    unsafe {
        assert_eq!(cuDeviceGetDefaultMemPool(&mut default, 0), SUCCESS);
        let before = attribute(default, USED);
        assert_eq!(cuMemAllocAsync(&mut address, 1000, 0), SUCCESS);
        assert_eq!(attribute(default, USED), before + 1000);
        assert_eq!(cuMemFreeAsync(address, 0), SUCCESS);
        assert_eq!(attribute(default, USED), before);

        assert_eq!(cuMemPoolCreate(&mut own, null()), INVALID_VALUE);
        assert_eq!(cuMemPoolCreate(&mut own, [0u8; 88].as_ptr().cast()), SUCCESS);
        assert_eq!(cuMemAllocFromPoolAsync(&mut address, 0, own, 0), INVALID_VALUE);
        assert_eq!(cuMemAllocFromPoolAsync(&mut address, 8, own + 1, 0), INVALID_VALUE);
        assert_eq!(cuMemAllocFromPoolAsync(&mut address, 500, own, 0), SUCCESS);
        assert_eq!((attribute(own, USED), attribute(default, USED)), (500, before));
        assert_eq!(cuMemFree_v2(address), SUCCESS);
        assert_eq!((attribute(own, USED), attribute(own, MOST_USED)), (0, 500));
        assert_eq!(
            cuMemPoolSetAttribute(own, MOST_USED, (&raw const before).cast()),
            if before == 0 { SUCCESS } else { INVALID_VALUE }
        );

        let bytes = 1u64 << 20;
        assert_eq!(cuMemPoolSetAttribute(own, THRESHOLD, (&raw const bytes).cast()), SUCCESS);
        assert_eq!(attribute(own, THRESHOLD), bytes);
        assert_eq!(cuMemPoolSetAttribute(own, USED, (&raw const bytes).cast()), INVALID_VALUE);
        assert_eq!(cuMemPoolTrimTo(own, 0), SUCCESS);

        assert_eq!(cuDeviceSetMemPool(0, own), SUCCESS);
        assert_eq!((cuDeviceGetMemPool(&mut current, 0), current), (SUCCESS, own));
        assert_eq!(cuMemAllocAsync(&mut address, 24, 0), SUCCESS);
        assert_eq!(attribute(own, USED), 24);
        assert_eq!(cuMemPoolDestroy(own), SUCCESS);
        assert_eq!((cuDeviceGetMemPool(&mut current, 0), current), (SUCCESS, default));
        assert_eq!(cuMemFree_v2(address), SUCCESS);
        assert_eq!(cuMemPoolDestroy(own), INVALID_VALUE);
    }
}

#[test]
fn occupancy_is_bounded_by_threads_and_shared_memory() {
    let _guard = begin();
    let (text, name) = (CString::new(module("mov.u64 %d, 0;")).unwrap(), CString::new(NAME).unwrap());
    let (mut handle, mut function, mut blocks, mut bytes) = (0, 0, 0, 0);
    // SAFETY: each pointer leads to a variable of the type, and the texts are C's.
    unsafe {
        assert_eq!(cuModuleLoadData(&mut handle, text.as_ptr().cast()), SUCCESS);
        assert_eq!(cuModuleGetFunction(&mut function, handle, name.as_ptr()), SUCCESS);
        let mut active = |threads, shared| {
            assert_eq!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, threads, shared), SUCCESS);
            blocks
        };
        assert_eq!([active(1024, 0), active(256, 0), active(32, 0), active(32, 64 << 10)], [2, 8, 32, 2]);
        assert_eq!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, 0, 0), INVALID_VALUE);
        assert_eq!(cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, function, 2, 32), SUCCESS);
        assert_eq!(bytes, (163 << 10) / 2);
        assert_eq!(cuModuleUnload(handle), SUCCESS);
    }
}

#[test]
fn hints_check_what_they_are_given() {
    let _guard = begin();
    let (mut config, mut capturing, mut least, mut greatest) = (7, 7, 7, 7);
    // SAFETY: each pointer leads to a variable of the type.
    unsafe {
        assert_eq!((cuCtxGetCacheConfig(&mut config), config), (SUCCESS, 0));
        assert_eq!((cuStreamIsCapturing(0, &mut capturing), capturing), (SUCCESS, 0));
        assert_eq!(cuCtxGetStreamPriorityRange(&mut least, &mut greatest), SUCCESS);
        assert_eq!((least, greatest), (0, 0));
        assert_eq!(cuCtxGetStreamPriorityRange(std::ptr::null_mut(), &mut greatest), SUCCESS);
    }
    assert_eq!([cuCtxSetCacheConfig(2), cuCtxSetCacheConfig(4)], [SUCCESS, INVALID_VALUE]);
    assert_eq!(cuFuncSetCacheConfig(7, 1), INVALID_HANDLE);
    assert_eq!([cuCtxSetFlags(4), cuProfilerStart(), cuProfilerStop()], [SUCCESS; 3]);
    assert_eq!(cuStreamAttachMemAsync(0, 8, 8, 1), INVALID_VALUE);
    assert_eq!([cuGraphLaunch(), cuLaunchCooperativeKernel()], [NOT_SUPPORTED; 2]);
}

#[test]
fn contexts_are_made_by_each_version_of_the_function() {
    let _guard = begin();
    let (mut third, mut fourth) = (0, 0);
    // SAFETY: each pointer is null or leads to a variable of the type.
    unsafe {
        assert_eq!(cuCtxCreate_v3(&mut third, null(), 0, 0, 0), SUCCESS);
        assert_eq!(cuCtxDestroy_v2(third), SUCCESS);
        assert_eq!(cuCtxCreate_v3(&mut third, [0u64; 2].as_ptr().cast(), 1, 0, 0), NOT_SUPPORTED);
        assert_eq!(cuCtxCreate_v4(&mut fourth, null(), 0, 0), SUCCESS);
        assert_eq!(cuCtxDestroy_v2(fourth), SUCCESS);
        assert_eq!(cuCtxCreate_v4(&mut fourth, [0u64; 4].as_ptr().cast(), 0, 0), NOT_SUPPORTED);
    }
}

#[test]
fn modules_are_loaded_from_files() {
    let _guard = begin();
    let path = std::env::temp_dir().join(format!("emulated-{}.ptx", std::process::id()));
    std::fs::File::create(&path).unwrap().write_all(module("mov.u64 %d, 0;").as_bytes()).unwrap();
    let (name, missing) = (CString::new(path.to_str().unwrap()).unwrap(), CString::new("/nowhere.ptx").unwrap());
    let mut handle = 0;
    // SAFETY: the pointer leads to a variable, and the texts are C's.
    unsafe {
        assert_eq!(cuModuleLoad(&mut handle, name.as_ptr()), SUCCESS);
        assert_eq!(cuModuleUnload(handle), SUCCESS);
        assert_eq!(cuModuleLoad(&mut handle, missing.as_ptr()), FILE_NOT_FOUND);
        assert_eq!(cuModuleLoad(&mut handle, null()), INVALID_VALUE);
    }
    std::fs::remove_file(path).unwrap();
}
