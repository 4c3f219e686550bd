//! The text that a call of `__offload_has_feature` asks for.

use super::constant_of::constant_of;
use crate::llvm::{TypeKind, Value};

/// The name of the feature in a call; none if it is not a constant.
pub fn feature_name(call: Value<'_>) -> Option<String> {
    let [address, length] = call.arguments()[..] else { return None };
    let text = constant_of(address)?;
    let length = usize::try_from(constant_of(length)?.as_u64()?).ok()?;
    let mut bytes = (text.is_global_variable() && text.is_constant_global()).then(|| text.initializer()).flatten()?;
    while bytes.ty().kind() == TypeKind::Struct {
        bytes = bytes.operands().first().copied()?;
    }
    String::from_utf8(bytes.constant_bytes()?.get(..length)?.to_vec()).ok()
}
