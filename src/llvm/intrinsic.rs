//! LLVM's intrinsics by their full names, as in IR text.

use super::{Function, Module, shim};

/// Why there is no intrinsic with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoIntrinsic {
    /// It is unknown to LLVM.
    Unknown,
    /// The intrinsic is overloaded, and the name must end with this number of types.
    Types(usize),
}

impl<'c> Module<'c> {
    /// The declaration of the intrinsic with a full name, such as `llvm.ctpop.i32`. It remains even if nothing uses it.
    pub fn intrinsic_of_name(&self, name: &str) -> Result<Function<'c>, NoIntrinsic> {
        let mut count = 0;
        // SAFETY: pointer and length describe `name`; the module is live.
        let raw = unsafe { shim::ofc_intrinsic_of_name(self.raw(), name.as_ptr().cast(), name.len(), &mut count) };
        let none = if count == 0 { NoIntrinsic::Unknown } else { NoIntrinsic::Types(count) };
        Function::maybe(raw).ok_or(none)
    }
    /// Calls `look` with that declaration, which is erased afterwards if nothing uses it.
    pub fn look_at_intrinsic<T>(&self, name: &str, look: impl FnOnce(Function<'c>) -> T) -> Result<T, NoIntrinsic> {
        let intrinsic = self.intrinsic_of_name(name)?;
        let found = look(intrinsic);
        if !intrinsic.is_used() {
            intrinsic.erase_global();
        }
        Ok(found)
    }
}
