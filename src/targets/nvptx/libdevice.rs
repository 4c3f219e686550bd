//! NVIDIA's own math functions: which stand for which of C's, and libdevice, the bitcode that comes with CUDA.

use std::path::PathBuf;

use crate::contract::math::{MathFunction, MathLibrary, Width};
use crate::error::{Context, Result};
use crate::llvm::Module;
use crate::passes::legalize::legalize_linked::legalize_linked;
use crate::passes::library::link_math::link_from;
use crate::passes::library::lower_math::MathBody;
use crate::targets::TargetOptions;

/// Where the bitcode is below CUDA's folder; the last is that of the wheel `nvidia-nvvm`, below the folder `nvidia`.
const PLACES: &[&str] = &[
    "nvvm/libdevice/libdevice.10.bc",
    "libdevice/libdevice.10.bc",
    "libdevice.10.bc",
    "cu13/nvvm/libdevice/libdevice.10.bc",
];

/// Functions that libdevice does not have.
const MISSING: &[&str] = &["fmaximum", "fmaximum_num", "fminimum", "fminimum_num", "lgamma_r", "roundeven", "scalbln"];
/// What has a faster and less exact variant, for `f32`.
const FAST: &[&str] = &["cos", "exp", "exp10", "log", "log10", "log2", "pow", "sin", "sincos", "tan", "tanh"];
/// Instructions of the hardware, for `f32`.
const APPROXIMATE: &[&str] = &["cos", "exp2", "sin"];

/// The bitcode's file.
pub(super) fn find(options: &TargetOptions) -> Option<PathBuf> {
    TargetOptions::find(options.cuda_path.as_ref(), "CUDA_PATH", &["/usr/local/cuda"], PLACES)
}

/// What stands for a function.
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

/// Links `symbols`, which [`body`] named.
pub(super) fn link(module: &Module<'_>, options: &TargetOptions, symbols: &[String]) -> Result<()> {
    // Without the file the command line was refused.
    let Some(path) = find(options) else { return Ok(()) };
    let added = link_from(module, &path, symbols).with_context(|| format!("cannot use `{}`", path.display()))?;
    legalize_linked(module, &added);
    // `NVVMReflect` in LLVM reads it.
    module.set_flag("nvvm-reflect-ftz", options.math.ftz.into());
    Ok(())
}
