//! Assembles kernels of a few instructions, and runs them through HIP's interface.

#[allow(dead_code, reason = "not every test crate reads reports")]
pub(crate) mod reports;

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use amdhip64::api::{device, launch, memory, module};

/// Words that each lane finds in `v1` to `v4`, and once more in `v50` to `v53`, where pairs begin at even registers.
pub(crate) const INPUTS: usize = 4;
/// Words that each lane leaves in `v10` and `v11`.
pub(crate) const OUTPUTS: usize = 2;

/// A processor with its number as a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Processor {
    pub(crate) name: &'static str,
    pub(crate) number: i32,
    pub(crate) lanes: usize,
}

/// RDNA3, with waves of 32 lanes.
pub(crate) const RDNA: Processor = Processor { name: "gfx1100", number: 0, lanes: 32 };
/// CDNA2, with waves of 64 lanes.
pub(crate) const GCN: Processor = Processor { name: "gfx90a", number: 1, lanes: 64 };
#[allow(dead_code, reason = "not every test crate runs on both")]
pub(crate) const BOTH: [Processor; 2] = [RDNA, GCN];

/// One test at a time: the library has one state.
fn lock() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    static ONCE: Once = Once::new();
    let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the other threads of this program wait for the lock, and read no environment.
    ONCE.call_once(|| unsafe { std::env::set_var("OFFLOAD_EMULATED", "gfx1100,gfx90a") });
    guard
}

/// The name of the kernels: `kernels::one` in Rust.
const NAME: &str = "_ZN7kernels3one17h0123456789abcdefE";
/// The file of a kernel's source.
pub(crate) const SOURCE: &str = "kernel.s";

fn llvm(tool: &str) -> PathBuf {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").expect(".cargo/config.toml sets the variable");
    PathBuf::from(prefix).join("bin").join(tool)
}

fn done(command: &mut Command) {
    let output = command.output().expect("LLVM's tools are there");
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The text around a body: it loads the inputs and stores the outputs of each lane.
fn source(kernel: &Kernel<'_>) -> String {
    let Kernel { processor, body, shared, threads, .. } = *kernel;
    let Processor { name, lanes, .. } = processor;
    let is_rdna = processor == RDNA;
    let (load_pair, load, store) = match is_rdna {
        true => ("s_load_b64", "global_load_b128", "global_store_b64"),
        false => ("s_load_dwordx2", "global_load_dwordx4", "global_store_dwordx2"),
    };
    let add = if is_rdna { "v_add_nc_u32" } else { "v_add_u32" };
    let own = if is_rdna { ".amdhsa_wavefront_size32 1" } else { ".amdhsa_accum_offset 64" };
    format!(
        "
.amdgcn_target \"amdgcn-amd-amdhsa--{name}\"
.text
.globl {NAME}
.p2align 8
.type {NAME},@function
{NAME}:
  s_mov_b32 s20, s2
  s_mul_i32 s21, s20, {threads}
  {load_pair} s[2:3], s[0:1], 0x0
  {load_pair} s[4:5], s[0:1], 0x8
  v_and_b32 v0, 0x3ff, v0
  {add} v6, s21, v0
  v_lshlrev_b32 v7, 4, v6
  v_lshlrev_b32 v6, 3, v6
  s_waitcnt lgkmcnt(0)
  {load} v[50:53], v7, s[2:3]
  s_waitcnt vmcnt(0)
  v_mov_b32 v1, v50
  v_mov_b32 v2, v51
  v_mov_b32 v3, v52
  v_mov_b32 v4, v53
{body}
  {store} v6, v[10:11], s[4:5]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel {NAME}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 64
  .amdhsa_float_denorm_mode_32 3
  .amdhsa_next_free_sgpr 64
  .amdhsa_group_segment_fixed_size {shared}
  {own}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: {NAME}
    .symbol: {NAME}.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {shared}
    .private_segment_fixed_size: 0
    .wavefront_size: {lanes}
    .sgpr_count: 64
    .vgpr_count: 64
    .max_flat_workgroup_size: 1024
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
      - {{.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"
    )
}

/// Assembles a body to a code object.
fn assemble(kernel: &Kernel<'_>) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path(SOURCE), source(kernel)).expect("the folder is writable");
    let cpu = format!("-mcpu={}", kernel.processor.name);
    let triple = "-triple=amdgcn-amd-amdhsa";
    let mut assembler = Command::new(llvm("llvm-mc"));
    done(assembler.args([triple, &cpu, "-filetype=obj", "-g"]).arg(path(SOURCE)).arg("-o").arg(path("k.o")));
    done(Command::new(llvm("ld.lld")).arg("-shared").arg(path("k.o")).arg("-o").arg(path("k")));
    std::fs::read(path("k")).expect("the linker has written it")
}

/// A body with the code around it.
pub(crate) struct Kernel<'a> {
    pub(crate) processor: Processor,
    pub(crate) body: &'a str,
    pub(crate) shared: usize,
    /// Threads of a block.
    pub(crate) threads: usize,
    /// Their number is in `s20`.
    pub(crate) blocks: usize,
}

impl<'a> Kernel<'a> {
    /// One wave.
    pub(crate) fn new(processor: Processor, body: &'a str) -> Kernel<'a> {
        Kernel { processor, body, shared: 0, threads: processor.lanes, blocks: 1 }
    }

    /// Its text, with the code around the body.
    #[allow(dead_code, reason = "not every test crate reads reports")]
    pub(crate) fn source(&self) -> String {
        source(self)
    }

    /// The outputs of each thread, whose inputs are `inputs(thread)`; or the error.
    pub(crate) fn try_run(&self, inputs: impl Fn(usize) -> [u32; INPUTS]) -> Result<Vec<[u32; OUTPUTS]>, i32> {
        let _guard = lock();
        let outcome = self.run_alone(1, inputs);
        assert_eq!(device::hipDeviceReset(), 0);
        outcome.map(|mut all| all.remove(0))
    }

    /// The outputs of many launches, each of which finds the inputs again.
    #[allow(dead_code, reason = "not every test crate runs kernels often")]
    pub(crate) fn run_often(&self, times: usize, inputs: impl Fn(usize) -> [u32; INPUTS]) -> Vec<Vec<[u32; OUTPUTS]>> {
        let _guard = lock();
        let outcome = self.run_alone(times, inputs);
        assert_eq!(device::hipDeviceReset(), 0);
        outcome.unwrap_or_else(|error| panic!("the launch fails with {error}:\n{}", self.body))
    }

    fn run_alone(
        &self,
        times: usize,
        inputs: impl Fn(usize) -> [u32; INPUTS],
    ) -> Result<Vec<Vec<[u32; OUTPUTS]>>, i32> {
        let good = |error: i32| if error == 0 { Ok(()) } else { Err(error) };
        let image = assemble(self);
        let count = self.threads * self.blocks;
        let input: Vec<u32> = (0..count).flat_map(inputs).collect();
        let (mut output, mut all) = (vec![[0u32; OUTPUTS]; count], Vec::new());
        let (mut from, mut to, mut loaded, mut function) = (null_mut(), null_mut(), null_mut(), null_mut());
        let name = CString::new(NAME).expect("it has no zero");
        good(device::hipSetDevice(self.processor.number))?;
        // SAFETY: all addresses are those of variables here, with the sizes that are passed.
        unsafe {
            good(memory::hipMalloc(&raw mut from, 4 * input.len()))?;
            good(memory::hipMalloc(&raw mut to, 8 * output.len()))?;
            good(module::hipModuleLoadData(&raw mut loaded, image.as_ptr().cast()))?;
            good(module::hipModuleGetFunction(&raw mut function, loaded, name.as_ptr()))?;
            let mut arguments: [*mut c_void; 2] = [(&raw mut from).cast(), (&raw mut to).cast()];
            let (threads, blocks) = (self.threads as u32, self.blocks as u32);
            for _ in 0..times {
                good(memory::hipMemcpyHtoD(from, input.as_ptr().cast(), 4 * input.len()))?;
                let (list, none, all_of) = (arguments.as_mut_ptr(), null_mut(), null_mut());
                good(launch::hipModuleLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, none, list, all_of))?;
                good(device::hipDeviceSynchronize())?;
                good(memory::hipMemcpyDtoH(output.as_mut_ptr().cast(), to, 8 * output.len()))?;
                all.push(output.clone());
            }
        }
        Ok(all)
    }

    /// The outputs of each thread.
    #[allow(dead_code, reason = "not every test crate runs kernels once")]
    #[track_caller]
    pub(crate) fn run(&self, inputs: impl Fn(usize) -> [u32; INPUTS]) -> Vec<[u32; OUTPUTS]> {
        self.try_run(inputs).unwrap_or_else(|error| panic!("the launch fails with {error}:\n{}", self.body))
    }
}

/// A few thousand numbers that look random, from a seed.
#[allow(dead_code, reason = "not every test crate needs them")]
pub(crate) fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
