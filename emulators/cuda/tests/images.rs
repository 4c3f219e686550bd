//! Fat binaries, and the calls by which LLVM's liboffload uses a device.

use std::ffi::{CString, c_int, c_void};

use cuda::*;

/// The kernel `k`, which takes three numbers of different sizes.
fn ptx(target: &str, name: &str) -> String {
    let parameters = ".param .u32 a, .param .align 8 .b8 b[16], .param .u8 c";
    format!(".version 8.6\n.target {target}\n.address_size 64\n.visible .entry {name}({parameters}) {{ ret; }}\n")
}

/// A fat binary with PTX for these archs, in which the kernel has the name of its arch.
fn fat_binary(archs: &[(u32, u64, &str)]) -> Vec<u8> {
    let mut entries = Vec::new();
    for (arch, flags, target) in archs {
        let mut text = ptx(target, target).into_bytes();
        text.resize((text.len() + 1).next_multiple_of(8), 0);
        let start = entries.len();
        entries.extend([1u16, 0x0101].map(u16::to_le_bytes).concat());
        entries.extend(64u32.to_le_bytes());
        entries.extend((text.len() as u64).to_le_bytes());
        entries.extend([0, 0, 7 << 16, *arch, 0, 0].map(u32::to_le_bytes).concat());
        entries.extend((0x11 | flags).to_le_bytes());
        entries.resize(start + 64, 0);
        entries.extend(text);
    }
    let mut bytes = [0xba55_ed50_u32, 0x0010_0001].map(u32::to_le_bytes).concat();
    bytes.extend((entries.len() as u64).to_le_bytes());
    bytes.extend(entries);
    bytes
}

/// Loads an image on an emulated `sm_80`.
fn load(image: *const c_void) -> Result<Handle, Status> {
    let (mut context, mut module) = (0, 0);
    // SAFETY: each pointer leads to a variable, and the image is one of this file.
    let status = unsafe {
        assert_eq!(cuInit(0), SUCCESS);
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), SUCCESS);
        assert_eq!(cuCtxSetCurrent(context), SUCCESS);
        cuModuleLoadData(&mut module, image)
    };
    if status == SUCCESS { Ok(module) } else { Err(status) }
}

fn function(module: Handle, name: &str) -> Option<Handle> {
    let (mut function, name) = (0, CString::new(name).expect("it has no zero"));
    // SAFETY: both pointers lead to variables.
    (unsafe { cuModuleGetFunction(&mut function, module, name.as_ptr()) } == SUCCESS).then_some(function)
}

#[test]
fn the_best_image_of_a_fat_binary_is_loaded() {
    let one_arch = 1 << 20;
    let archs = [(70, 0, "sm_70"), (80, 0, "sm_80"), (90, 0, "sm_90"), (75, one_arch, "sm_75a")];
    let bytes = fat_binary(&archs);
    let module = load(bytes.as_ptr().cast()).expect("it has PTX for the device");
    assert!(function(module, "sm_80").is_some() && function(module, "sm_70").is_none());
    // struct { uint32_t magic, version; const void *images, *unused; }
    let wrapper = [0x1_4662_43b1, bytes.as_ptr() as u64, 0];
    let module = load(wrapper.as_ptr().cast()).expect("the structure leads to it");
    assert!(function(module, "sm_80").is_some());
    assert_eq!(load(fat_binary(&archs[2..]).as_ptr().cast()), Err(NO_BINARY));
    let mut damaged = bytes.clone();
    damaged[20] = 0;
    assert_eq!(load(damaged.as_ptr().cast()), Err(INVALID_IMAGE));
    damaged = bytes;
    damaged[16 + 40 + 1] = 0x80;
    assert_eq!(load(damaged.as_ptr().cast()), Err(INVALID_IMAGE));
}

#[test]
fn a_kernel_tells_its_parameters_and_its_largest_block() {
    let text = CString::new(ptx("sm_80", "k")).expect("PTX is text");
    let function = function(load(text.as_ptr().cast()).expect("it is right"), "k").expect("it is there");
    let (mut offset, mut size) = (0, 0);
    let places: Vec<_> = (0..3)
        .map(|index| {
            // SAFETY: both pointers lead to variables.
            assert_eq!(unsafe { cuFuncGetParamInfo(function, index, &mut offset, &mut size) }, SUCCESS);
            (offset, size)
        })
        .collect();
    assert_eq!(places, [(0, 4), (8, 16), (24, 1)]);
    let (mut blocks, mut threads): (c_int, c_int) = (0, 0);
    // SAFETY: the pointers lead to variables, and null is allowed where no function is called.
    unsafe {
        assert_eq!(cuFuncGetParamInfo(function, 3, &mut offset, &mut size), INVALID_VALUE);
        let none = std::ptr::null();
        assert_eq!(cuOccupancyMaxPotentialBlockSize(&mut blocks, &mut threads, function, none, 0, 256), SUCCESS);
    }
    assert!(blocks > 0 && threads == 256);
}

#[test]
fn rows_of_memory_are_filled() {
    let text = CString::new(ptx("sm_80", "k")).expect("PTX is text");
    load(text.as_ptr().cast()).expect("it is right");
    let (mut memory, mut read) = (0, [0u32; 8]);
    // SAFETY: the memory and the array have 32 bytes.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&mut memory, 32), SUCCESS);
        assert_eq!(cuMemsetD32_v2(memory, 1, 8), SUCCESS);
        assert_eq!(cuMemsetD2D32Async(memory, 16, 7, 3, 2, 0), SUCCESS);
        assert_eq!(cuMemcpyDtoH_v2(read.as_mut_ptr().cast(), memory, 32), SUCCESS);
        assert_eq!(cuMemsetD2D32Async(memory, 16, 7, 8, 2, 0), INVALID_VALUE);
        let mut can = 1;
        assert_eq!(cuDeviceCanAccessPeer(&mut can, 0, 0), SUCCESS);
        assert_eq!((can, cuCtxEnablePeerAccess(0, 0)), (0, PEER_ACCESS_UNSUPPORTED));
    }
    assert_eq!(read, [7, 7, 7, 1, 7, 7, 7, 1]);
}
