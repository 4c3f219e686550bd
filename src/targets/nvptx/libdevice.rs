//! NVIDIA's math functions: which of them implement C's functions, and libdevice, the bitcode library in CUDA.

use std::path::PathBuf;

use crate::contract::fast::FastFunction;
use crate::contract::math::{MathFunction, Width};
use crate::error::{Context, Result};
use crate::llvm::Module;
use crate::passes::legalize::legalize_linked::legalize_linked;
use crate::passes::library::link_math::link_from;
use crate::passes::library::lower_fast_functions::FastBody;
use crate::passes::library::lower_math::MathBody;
use crate::system::scratch;
use crate::targets::{MathLibrary, TargetOptions};

/// The path of the bitcode below CUDA's folder. The last one is in the wheel `nvidia-nvvm`, below the folder `nvidia`.
const PLACES: &[&str] = &[
    "nvvm/libdevice/libdevice.10.bc",
    "libdevice/libdevice.10.bc",
    "libdevice.10.bc",
    "cu13/nvvm/libdevice/libdevice.10.bc",
];

/// Functions that libdevice does not have.
const MISSING: &[&str] = &["fmaximum", "fmaximum_num", "fminimum", "fminimum_num", "lgamma_r", "roundeven", "scalbln"];
/// Functions with a faster and less exact variant for `f32`.
const FAST: &[&str] = &["cos", "exp", "exp10", "log", "log10", "log2", "pow", "sin", "sincos", "tan", "tanh"];
/// Hardware instructions for `f32`.
const APPROXIMATE: &[&str] = &["cos", "exp2", "sin"];

/// The path of the bitcode.
pub(super) fn find(options: &TargetOptions) -> Option<PathBuf> {
    options.library(|| TargetOptions::find(options.nvptx.cuda_path.as_ref(), "CUDA_PATH", &["/usr/local/cuda"], PLACES))
}

/// The implementation of a function.
pub(super) fn body(function: &MathFunction, width: Width, options: &TargetOptions) -> MathBody {
    let (name, single) = (function.name, width == Width::Single);
    let fast = options.math.fast_math && single;
    if options.math.library == MathLibrary::Portable {
        let approximate = fast && APPROXIMATE.contains(&name);
        return if approximate { MathBody::Approximate(format!("llvm.{name}")) } else { MathBody::Portable };
    }
    if MISSING.contains(&name) {
        return MathBody::Portable;
    }
    let name = match name {
        "lrint" => "llrint",
        "lround" => "llround",
        name => name,
    };
    let (start, end) =
        (if fast && FAST.contains(&name) { "__nv_fast_" } else { "__nv_" }, if single { "f" } else { "" });
    MathBody::Library(format!("{start}{name}{end}"))
}

/// The first arch with an instruction for the hyperbolic tangent whose PTX has it, too.
const TANGENTS: u32 = 80;

/// The implementation of an approximate function.
pub(super) fn fast_body(function: FastFunction, arch: Option<u32>) -> FastBody {
    match function {
        FastFunction::Cos => FastBody::Intrinsic("llvm.nvvm.cos.approx.f"),
        FastFunction::Div => FastBody::Intrinsic("llvm.nvvm.div.approx.f"),
        FastFunction::Exp2 => FastBody::OfFloat("llvm.nvvm.ex2.approx"),
        FastFunction::Log2 => FastBody::Intrinsic("llvm.nvvm.lg2.approx.f"),
        FastFunction::Rcp => FastBody::Quotient,
        FastFunction::Rsqrt => FastBody::Intrinsic("llvm.nvvm.rsqrt.approx.f"),
        FastFunction::Sin => FastBody::Intrinsic("llvm.nvvm.sin.approx.f"),
        FastFunction::Sqrt => FastBody::Intrinsic("llvm.nvvm.sqrt.approx.f"),
        FastFunction::Tanh if arch >= Some(TANGENTS) => FastBody::Assembly("tanh.approx.f32 $0, $1;"),
        _ => FastBody::Made,
    }
}

/// Links `symbols`, which [`body`] returned.
pub(super) fn link(module: &Module<'_>, options: &TargetOptions, symbols: &[String]) -> Result<()> {
    // If there is no such file, the command line has been refused.
    let Some(path) = find(options) else { return Ok(()) };
    let added = scratch::read(&path).and_then(|bitcode| link_from(module, &bitcode, &path, symbols));
    let added = added.with_context(|| format!("cannot use `{}`", path.display()))?;
    legalize_linked(module, &added);
    // LLVM's pass `NVVMReflect` reads it.
    module.set_flag("nvvm-reflect-ftz", options.math.ftz.into());
    Ok(())
}
