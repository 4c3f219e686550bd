//! LLVM's intrinsics by their full names, as IR text spells them.

use super::{Module, Value, shim};

/// Why there is no intrinsic of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoIntrinsic {
    /// LLVM knows none.
    Unknown,
    /// LLVM knows it, but the name must end with so many types that it is overloaded on.
    Types(usize),
}

impl<'c> Module<'c> {
    /// The declaration of the intrinsic of a full name, such as `llvm.ctpop.i32`. It stays when nothing uses it.
    pub fn intrinsic_of_name(&self, name: &str) -> Result<Value<'c>, NoIntrinsic> {
        let mut count = 0;
        // SAFETY: pointer and length describe `name`; the module is live.
        let raw = unsafe { shim::ofc_intrinsic_of_name(self.raw(), name.as_ptr().cast(), name.len(), &mut count) };
        let none = if count == 0 { NoIntrinsic::Unknown } else { NoIntrinsic::Types(count) };
        Value::maybe(raw).ok_or(none)
    }
    /// What `look` finds at that declaration, which is gone afterwards when nothing uses it.
    pub fn look_at_intrinsic<T>(&self, name: &str, look: impl FnOnce(Value<'c>) -> T) -> Result<T, NoIntrinsic> {
        let intrinsic = self.intrinsic_of_name(name)?;
        let found = look(intrinsic);
        if !intrinsic.is_used() {
            intrinsic.erase_global();
        }
        Ok(found)
    }
}
