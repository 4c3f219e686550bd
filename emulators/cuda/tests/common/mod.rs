//! Runs PTX through the driver API, one test at a time.

use std::ffi::{CString, c_void};
use std::sync::{Mutex, MutexGuard};

use cuda::*;

static ONE: Mutex<()> = Mutex::new(());

/// A context without errors, while it is held.
pub(crate) fn begin() -> MutexGuard<'static, ()> {
    let guard = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut context = 0;
    // SAFETY: each pointer leads to a variable.
    unsafe {
        assert_eq!(cuInit(0), SUCCESS);
        assert_eq!(cuDevicePrimaryCtxReset_v2(0), SUCCESS);
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), SUCCESS);
        assert_eq!(cuCtxSetCurrent(context), SUCCESS);
    }
    guard
}

/// The name of the kernels: `kernels::one` in Rust.
pub(crate) const NAME: &str = "_ZN7kernels3one17h0123456789abcdefE";

/// Launches the kernel of a module in one block, with the addresses of the input and of one word for each thread.
/// Returns the words that the threads wrote, or the error.
#[allow(dead_code, reason = "not every test crate has plain launches")]
pub(crate) fn launch(module: &str, input: &[u64], threads: u32) -> Result<Vec<u64>, Status> {
    launch_blocks(module, input, 1, threads)
}

/// The same with several blocks.
#[allow(dead_code, reason = "not every test crate has plain launches")]
pub(crate) fn launch_blocks(module: &str, input: &[u64], blocks: u32, threads: u32) -> Result<Vec<u64>, Status> {
    launch_words(module, input, blocks * threads, |function, arguments| {
        // SAFETY: the arguments are the kernel's.
        unsafe { cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, 0, arguments, std::ptr::null()) }
    })
}

/// The same with a function that launches two threads.
#[allow(dead_code, reason = "not every test crate has other launches")]
pub(crate) fn launch_by(
    module: &str,
    input: &[u64],
    start: impl FnOnce(Handle, *const *const c_void) -> Status,
) -> Result<Vec<u64>, Status> {
    launch_words(module, input, 2, start)
}

fn launch_words(
    module: &str,
    input: &[u64],
    words: u32,
    start: impl FnOnce(Handle, *const *const c_void) -> Status,
) -> Result<Vec<u64>, Status> {
    let _guard = begin();
    let text = CString::new(format!(".version 8.0\n.target sm_80\n.address_size 64\n{module}")).expect("PTX is text");
    let name = CString::new(NAME).expect("it has no zero");
    let ok = |status: Status| if status == SUCCESS { Ok(()) } else { Err(status) };
    let mut out = vec![0u64; words as usize];
    let (mut handle, mut function, mut from, mut to) = (0, 0, 0, 0);
    // SAFETY: each pointer refers to a variable, or to an array of the given size.
    unsafe {
        ok(cuModuleLoadData(&mut handle, text.as_ptr().cast()))?;
        ok(cuModuleGetFunction(&mut function, handle, name.as_ptr()))?;
        ok(cuMemAlloc_v2(&mut from, 8 * input.len().max(1)))?;
        ok(cuMemAlloc_v2(&mut to, 8 * out.len()))?;
        ok(cuMemcpyHtoD_v2(from, input.as_ptr().cast(), 8 * input.len()))?;
        ok(cuMemsetD8_v2(to, 0, 8 * out.len()))?;
        let arguments: [*const c_void; 2] = [(&raw const from).cast(), (&raw const to).cast()];
        ok(start(function, arguments.as_ptr()))?;
        ok(cuCtxSynchronize())?;
        ok(cuMemcpyDtoH_v2(out.as_mut_ptr().cast(), to, 8 * out.len()))?;
        ok(cuMemFree_v2(from))?;
        ok(cuMemFree_v2(to))?;
        ok(cuModuleUnload(handle))?;
    }
    Ok(out)
}

/// A kernel whose threads have three words of the input in `%a`, `%b` and `%c` (also as `%ra`, `%rb`, `%rc` of 32 bits
/// and `%ha`, `%hb`, `%hc` of 16) and write `%d`.
pub(crate) fn kernel(body: &str) -> String {
    format!(
        ".visible .entry {NAME}(.param .u64 from, .param .u64 to) {{
            .reg .b64 %a, %b, %c, %d, %from, %to, %at, %x<8>; .reg .b32 %ra, %rb, %rc, %rd, %tid, %r<16>;
            .reg .b16 %ha, %hb, %hc, %hd; .reg .pred %p<8>;
            ld.param.u64 %from, [from]; ld.param.u64 %to, [to];
            mov.u32 %tid, %tid.x; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mad.lo.u32 %r2, %r0, %r1, %tid;
            mad.wide.u32 %at, %r2, 24, %from; mad.wide.u32 %to, %r2, 8, %to;
            ld.global.u64 %a, [%at]; ld.global.u64 %b, [%at+8]; ld.global.u64 %c, [%at+16];
            cvt.u32.u64 %ra, %a; cvt.u32.u64 %rb, %b; cvt.u32.u64 %rc, %c;
            cvt.u16.u64 %ha, %a; cvt.u16.u64 %hb, %b; cvt.u16.u64 %hc, %c;
            mov.b64 %d, 0;
            {body}
            st.global.u64 [%to], %d; ret; }}"
    )
}
