//! NVIDIA GPUs: PTX text, and machine code too when a `ptxas` is there.
//!
//! PTX is the lowest version that LLVM takes for the arch, so that old drivers load it; below `sm_70` it is 6.0, the
//! first that has the shuffles of the device contract. Archs older than `sm_50` are left out: no assembler that reads
//! PTX 6.0 for today's machines accepts them.

use std::path::Path;

use crate::scratch::{self, Scratch};

use super::gpu::{self, Abilities};
use super::{AddressSpaceMap, Device, Processor, Product, Role, Target};
use crate::builtin::Builtin;
use crate::bundle::{Image, ImageKind, Runtime};
use crate::diagnostics::Diagnostic;
use crate::error::{Context, Error, Result};
use crate::kernel::KernelSet;
use crate::llvm::{Builder, FileKind, Linkage, Machine, Module, Opcode, OptLevel, TypeKind, Value};
use crate::passes::check_statics::{Relocations, check_constant_size, check_shared_size, check_statics};
use crate::passes::check_support::check_support;
use crate::passes::lower_builtins::lower_builtins;
use crate::passes::lower_fences::{drop_compiler_fences, order_with_fences};
use crate::passes::lower_kernel_abi::{EntryAbi, lower_kernel_abi};
use crate::passes::lower_memory_functions::lower_memory_functions;
use crate::passes::place_globals::place_globals;

/// The target.
pub(super) struct Nvptx;

const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// `NVPTXAS::AddressSpace` in LLVM's `NVPTXAddrSpace.h`. An argument in memory (`byval`) is a generic pointer.
static ADDRESS_SPACES: AddressSpaceMap =
    AddressSpaceMap { generic: 0, global: 1, shared: 3, constant: 4, private: 5, alloca: 0, kernel_argument: 0 };

static ARCHS: &[&str] = &[
    "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87",
    "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_101", "sm_101a", "sm_101f", "sm_103",
    "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a",
    "sm_121f",
];

/// `CallingConv::PTX_Kernel`.
const PTX_KERNEL: u32 = 71;
/// Every lane of a warp.
const ALL_LANES: u64 = 0xffff_ffff;

/// Static workgroup memory of a block, in bytes, on every arch; only the launch-sized part can be larger.
const SHARED_BYTES: u64 = 48 * 1024;
/// Constant memory of a module, in bytes.
const CONSTANT_BYTES: u64 = 64 * 1024;
/// The first arch with acquiring loads and releasing stores.
const MEMORY_MODEL: u32 = 70;

static ABILITIES: Abilities = Abilities {
    math: |name, ty| match name {
        "exp2" => ty != TypeKind::LLVMDoubleTypeKind,
        "canonicalize" => ty != TypeKind::LLVMHalfTypeKind,
        _ => false,
    },
    wide_conversions: false,
    intrinsics: "nvvm",
};

impl Target for Nvptx {
    fn name(&self) -> &'static str {
        "nvptx"
    }

    fn triple(&self) -> &'static str {
        TRIPLE
    }

    fn address_spaces(&self) -> &'static AddressSpaceMap {
        &ADDRESS_SPACES
    }

    fn archs(&self) -> &'static [&'static str] {
        ARCHS
    }

    fn processor(&self, arch: &str) -> Option<Processor> {
        let features = if number(arch)? < 70 { "+ptx60" } else { "" };
        Some(Processor { cpu: arch.to_owned(), features: features.to_owned() })
    }

    fn arch_number(&self, cpu: &str) -> u32 {
        let suffix = cpu.bytes().next_back().filter(u8::is_ascii_lowercase).unwrap_or(0);
        (u32::from(suffix) << 16) | number(cpu).unwrap_or(0)
    }

    fn intrinsics(&self) -> &'static str {
        ABILITIES.intrinsics
    }

    fn validate(&self, module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
        let mut found = check_support(module, kernels, &|instruction| gpu::refuse(module, instruction, &ABILITIES));
        found.extend(check_statics(module, Relocations::Simple));
        found.extend(check_shared_size(module, kernels, SHARED_BYTES));
        found.extend(check_constant_size(module, CONSTANT_BYTES));
        found
    }

    fn flavor(&self, module: &Module<'_>, device: &Device<'_>) -> Result<()> {
        let abi = EntryAbi {
            calling_convention: PTX_KERNEL,
            in_memory: "byval",
            widest_integer: 128,
            copies: true,
            protected: false,
            attributes: &[],
            address_spaces: &ADDRESS_SPACES,
            slots: device.runtime == Runtime::Omptarget,
        };
        // The assembler refuses debug sections with optimised code; profilers and debuggers use the line directives.
        module.keep_line_directives();
        drop_compiler_fences(module);
        if number(&device.arch.processor.cpu).is_some_and(|n| n < MEMORY_MODEL) {
            order_with_fences(module);
        }
        lower_memory_functions(module);
        lower_builtins(module, &lower_builtin)?;
        lower_kernel_abi(module, device.kernels, &abi)?;
        // Constant memory is 64 KiB, and slow when lanes read different addresses: only what asks for it goes there.
        place_globals(module, &ADDRESS_SPACES, Role::Global);
        Ok(())
    }

    fn pipeline(&self, level: OptLevel) -> String {
        gpu::pipeline(level)
    }

    fn codegen_level(&self, level: OptLevel) -> u32 {
        gpu::codegen_level(level)
    }

    fn codegen(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        machine.emit(module, FileKind::Assembly)
    }

    fn image(&self, code: Vec<u8>, device: &Device<'_>) -> Result<Product> {
        let image = |kind, bytes| Image { kind, triple: TRIPLE.to_owned(), arch: device.arch.name.clone(), bytes };
        let mut images = Vec::new();
        if let Some(ptxas) = &device.tools.ptxas {
            images.extend(assemble(&code, ptxas, device)?.map(|cubin| image(ImageKind::Cubin, cubin)));
        }
        images.push(image(ImageKind::Ptx, code));
        Ok(Product { images, ..Product::default() })
    }
}

/// The number in an arch's name.
fn number(arch: &str) -> Option<u32> {
    arch.strip_prefix("sm_")?.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()
}

/// The body of a builtin.
fn lower_builtin<'c>(
    module: &Module<'c>,
    builtin: &Builtin,
    builder: &Builder<'c>,
    parameters: &[Value<'c>],
) -> Result<Option<Value<'c>>> {
    let i32 = module.void().int(32);
    let call = |name: &str, arguments: &[Value<'c>]| Some(builder.call(module.intrinsic(name, &[]), arguments, ""));
    let register = |name: &str| call(&format!("llvm.nvvm.read.ptx.sreg.{name}"), &[]);
    let all = i32.constant(ALL_LANES);
    // The last operand holds the lane's limit in bits 0 to 4 and the segment's mask in bits 8 to 12.
    let shuffle = |mode: &str, limit: u64| {
        let arguments = [all, parameters[0], parameters[1], i32.constant(limit)];
        call(&format!("llvm.nvvm.shfl.sync.{mode}.i32"), &arguments)
    };
    let vote = |mode: &str| call(&format!("llvm.nvvm.vote.{mode}.sync"), &[all, parameters[0]]);
    let name = builtin.name.strip_prefix("__offload_").unwrap_or(builtin.name);
    if let Some((what, axis)) = name.rsplit_once('_') {
        let register_name = match what {
            "thread_id" => "tid",
            "block_id" => "ctaid",
            "block_dim" => "ntid",
            "grid_dim" => "nctaid",
            _ => "",
        };
        if !register_name.is_empty() {
            return Ok(register(&format!("{register_name}.{axis}")));
        }
    }
    Ok(match name {
        "lane_id" => register("laneid"),
        "lane_count" => register("warpsize"),
        "sync_threads" => call("llvm.nvvm.barrier.cta.sync.aligned.all", &[i32.zero()]),
        "fence_block" => call("llvm.nvvm.membar.cta", &[]),
        "fence_device" => call("llvm.nvvm.membar.gl", &[]),
        "fence_system" => call("llvm.nvvm.membar.sys", &[]),
        "shuffle" => shuffle("idx", 31),
        "shuffle_xor" => shuffle("bfly", 31),
        "shuffle_up" => shuffle("up", 0),
        "shuffle_down" => shuffle("down", 31),
        "ballot" => vote("ballot").map(|v| builder.cast(Opcode::LLVMZExt, v, module.void().int(64), "")),
        "any" => vote("any"),
        "all" => vote("all"),
        "dynamic_shared" => Some(dynamic_shared(module)),
        _ => return Err(Error::internal(format!("no lowering for `{}`", builtin.name))),
    })
}

/// `extern __shared__ __align__(16) char name[];` as a generic pointer.
fn dynamic_shared<'c>(module: &Module<'c>) -> Value<'c> {
    let bytes = module.void().int(8).array(0);
    let variable = module.add_variable("__offload_dynamic_shared_bytes", bytes, ADDRESS_SPACES.shared);
    variable.set_linkage(Linkage::LLVMExternalLinkage);
    variable.set_alignment(16);
    variable.constant_address_space_cast(module.void().pointer(ADDRESS_SPACES.generic))
}

/// Machine code from PTX text; none when tools are only shown.
fn assemble(code: &[u8], ptxas: &Path, device: &Device<'_>) -> Result<Option<Vec<u8>>> {
    let scratch = Scratch::new()?;
    let (from, to) = (scratch.file_with("device.ptx", code)?, scratch.file("device.cubin"));
    let level = format!("-O{}", device.level.codegen());
    let arch = device.arch.processor.cpu.as_str();
    let arguments = ["-arch".as_ref(), arch.as_ref(), level.as_ref(), "-o".as_ref(), to.as_os_str(), from.as_os_str()];
    let ran = device.tools.run(ptxas, arguments).with_context(|| format!("while assembling PTX for `{arch}`"))?;
    ran.then(|| scratch::read(&to)).transpose()
}
