//! The largest size of a kernel's arguments, and the version of PTX that their size needs.

use super::ptx::PtxVersion;
use super::{PTX_KERNEL, number};
use crate::error::{Error, Result};
use crate::llvm::{Function, Module, Place, Value};
use crate::targets::Arch;

/// The limit on all archs and in all versions, in bytes.
const FEW: u64 = 4352;
/// The limit on archs from [`MANY_SINCE`] in versions from [`MANY_VERSION`].
const MANY: u64 = 32764;
const MANY_SINCE: u32 = 70;
const MANY_VERSION: PtxVersion = PtxVersion(81);

/// The limit for the kernels of an arch.
pub(super) fn most_bytes(arch: &Arch) -> u64 {
    let pinned = arch.options.nvptx.ptx_version.is_some_and(|version| version < MANY_VERSION);
    let many = number(&arch.processor.cpu).is_some_and(|number| number >= MANY_SINCE) && !pinned;
    if many { MANY } else { FEW }
}

/// The version that the size of the kernels' arguments needs, if not every version supports it, and a kernel that needs
/// it. The last parameter may be the launch state, which is not in the source.
pub(super) fn version(module: &Module<'_>, arch: &Arch) -> Result<Option<(String, PtxVersion)>> {
    let kernels = module.functions().into_iter().filter(|f| f.calling_convention() == PTX_KERNEL);
    let sizes = kernels.map(|kernel| (bytes(module, kernel), kernel.name()));
    let Some((most, name)) = sizes.max().filter(|(bytes, _)| *bytes > FEW) else { return Ok(None) };
    let limit = most_bytes(arch);
    if most > limit {
        let what =
            format!("kernel `{name}` takes {most} bytes of arguments, with the launch's state, and the limit is");
        return Err(Error::new(format!("{what} {limit}")));
    }
    Ok(Some((format!("kernel `{name}`, which takes {most} bytes of arguments,"), MANY_VERSION)))
}

/// The offset of the end of a kernel's last parameter.
fn bytes<'c>(module: &Module<'c>, kernel: Function<'c>) -> u64 {
    let parameters = kernel.parameters();
    let end = |end: u64, (i, parameter): (u32, &Value<'c>)| {
        let ty = kernel.byval_type(i).unwrap_or(parameter.ty());
        let said = kernel.attribute_value(Place::Parameter(i), "align");
        let align = said.filter(|_| kernel.byval_type(i).is_some()).unwrap_or(ty.alignment(module).into());
        end.next_multiple_of(align) + ty.alloc_size(module)
    };
    (0..).zip(&parameters).fold(0, end)
}
