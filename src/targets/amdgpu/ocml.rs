//! AMD's math functions: which of them implement C's functions, and ocml, the bitcode library in ROCm.
//!
//! The library reads properties of the processor and options from constants `__oclc_*`, which are defined here.

use std::path::PathBuf;

use super::archs::number;
use crate::contract::fast::FastFunction;
use crate::contract::math::{MathFunction, Width};
use crate::error::{Context, Result};
use crate::llvm::{Linkage, Module};
use crate::passes::legalize::legalize_linked::legalize_linked;
use crate::passes::library::link_math::link_from;
use crate::passes::library::lower_fast_functions::FastBody;
use crate::passes::library::lower_math::MathBody;
use crate::system::scratch;
use crate::targets::{MathLibrary, TargetOptions};

/// The path of the bitcode below ROCm's folder.
const PLACES: &[&str] = &["amdgcn/bitcode/ocml.bc", "ocml.bc"];
/// ROCm's own folder, and the folders of Debian's package.
const FOLDERS: &[&str] = &["/opt/rocm", "/usr/lib/x86_64-linux-gnu", "/usr/lib"];

/// Functions that ocml does not have, or that have another meaning there.
const MISSING: &[&str] = &[
    "fmaximum",
    "fmaximum_num",
    "fminimum",
    "fminimum_num",
    "jn",
    "llrint",
    "lrint",
    "lround",
    "nan",
    "roundeven",
    "scalbln",
    "yn",
];
/// Hardware instructions for `f32`.
const APPROXIMATE: &[&str] = &["cos", "exp", "exp10", "exp2", "log", "log10", "log2", "sin"];

/// The path of the bitcode.
pub(super) fn find(options: &TargetOptions) -> Option<PathBuf> {
    options.library(|| TargetOptions::find(options.amdgpu.rocm_path.as_ref(), "ROCM_PATH", FOLDERS, PLACES))
}

/// The implementation of a function.
pub(super) fn body(function: &MathFunction, width: Width, options: &TargetOptions) -> MathBody {
    let name = function.name;
    if options.math.fast_math && width == Width::Single && APPROXIMATE.contains(&name) {
        return MathBody::Approximate(format!("llvm.{name}"));
    }
    // Pointer parameters of ocml's functions are pointers to private memory.
    let other = MISSING.contains(&name) || function.shape.contains('p');
    if options.math.library == MathLibrary::Portable || other {
        return MathBody::Portable;
    }
    let name = if name == "powi" { "pown" } else { name };
    let suffix = if width == Width::Single { "f32" } else { "f64" };
    MathBody::Library(format!("__ocml_{name}_{suffix}"))
}

/// The implementation of an approximate function.
pub(super) fn fast_body(function: FastFunction) -> FastBody {
    match function {
        FastFunction::Cos => FastBody::Approximate("llvm.cos"),
        FastFunction::Exp2 => FastBody::OfFloat("llvm.amdgcn.exp2"),
        FastFunction::Log2 => FastBody::OfFloat("llvm.amdgcn.log"),
        FastFunction::Rcp => FastBody::OfFloat("llvm.amdgcn.rcp"),
        FastFunction::Rsqrt => FastBody::OfFloat("llvm.amdgcn.rsq"),
        FastFunction::Sin => FastBody::Approximate("llvm.sin"),
        FastFunction::Sqrt => FastBody::OfFloat("llvm.amdgcn.sqrt"),
        _ => FastBody::Made,
    }
}

/// Links `symbols`, which [`body`] returned.
pub(super) fn link(module: &Module<'_>, options: &TargetOptions, cpu: &str, symbols: &[String]) -> Result<()> {
    // If there is no such file, the command line has been refused.
    let Some(path) = find(options) else { return Ok(()) };
    let added = scratch::read(&path).and_then(|bitcode| link_from(module, &bitcode, &path, symbols));
    let added = added.with_context(|| format!("cannot use `{}`", path.display()))?;
    let (fast, flush) = (options.math.fast_math.into(), options.math.ftz.into());
    let constants = [
        ("__oclc_ISA_version", isa_version(cpu)),
        ("__oclc_correctly_rounded_sqrt32", u64::from(!options.math.fast_math)),
        ("__oclc_daz_opt", flush),
        ("__oclc_finite_only_opt", fast),
        ("__oclc_unsafe_math_opt", fast),
    ];
    for (name, value) in constants {
        let Some(variable) = module.variable(name) else { continue };
        variable.set_initializer(Some(variable.value_type().constant(value)));
        variable.set_constant_global(true);
        variable.set_linkage(Linkage::Internal);
    }
    legalize_linked(module, &added);
    Ok(())
}

/// The major version, minor version and stepping in decimal: `gfx90a` is 9010, `gfx1030` is 10300.
fn isa_version(cpu: &str) -> u64 {
    let digits = u64::from(number(cpu) & 0xffff);
    (digits >> 8 & 0xf) * 1000 + (digits >> 12) * 10_000 + (digits >> 4 & 0xf) * 100 + (digits & 0xf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_decimal() {
        assert_eq!(
            ["gfx803", "gfx90a", "gfx1030", "gfx1103", "gfx10-3-generic"].map(isa_version),
            [8003, 9010, 10300, 11003, 10300]
        );
    }
}
