//! Finds the places where the address of a thread's local becomes a number, or decides a comparison. Each thread has
//! its own locals, so such a value may differ between threads.
//!
//! The distance of two pointers into one object is not such a value, and their equality is not one either: iterators
//! over local arrays compute both. A number that is only copied does not count: an optimiser copies a pointer in memory
//! as a number.

use super::locals::{Locals, base, holds_pointer, is_intrinsic, is_unknown};
use crate::llvm::{Function, Linkage, Opcode, Value};

/// The object that a pointer refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object<'c> {
    /// A static, or memory that the caller of a kernel has passed: it has one address for all threads.
    Common,
    /// A local.
    Local(Value<'c>),
    /// Possibly a local: the pointer comes from memory, a caller or a call.
    Unknown,
}

/// The instructions of a function whose value depends on the address of a local.
pub fn exposed_addresses<'c>(function: Function<'c>, locals: &Locals<'c>) -> Vec<Value<'c>> {
    let is_kernel = function.linkage() == Linkage::External;
    let object = |pointer: Value<'c>| match &locals.roots(pointer)[..] {
        [] if base(pointer).is_argument() && !is_kernel => Object::Unknown,
        // A kernel's pointer from memory leads to no local if none has been stored.
        [] if is_unknown(pointer) && !(is_kernel && locals.escaped.is_empty()) => Object::Unknown,
        [] => Object::Common,
        [local] => Object::Local(*local),
        _ => Object::Unknown,
    };
    let exposes = |instruction: &Value<'c>| match instruction.opcode() {
        Opcode::PtrToInt | Opcode::PtrToAddr => {
            let own = object(instruction.operand(0));
            let cancels = |user: Value<'c>| {
                user.is(Opcode::Sub)
                    && user.operands().iter().all(|o| o.is(Opcode::PtrToInt) && object(o.operand(0)) == own)
            };
            own != Object::Common && !instruction.users().into_iter().all(cancels)
        }
        Opcode::ICmp if instruction.operand(0).ty().is_pointer() => {
            let (left, right) = (instruction.operand(0), instruction.operand(1));
            let is_null = left.is_null() || right.is_null();
            let (left, right) = (object(left), object(right));
            // Pointers from memory that are compared lead into one object, as those of an iterator.
            let is_local = matches!(left, Object::Local(_)) || matches!(right, Object::Local(_));
            !is_null && is_local && left != right
        }
        Opcode::Load => {
            let is_number = locals.addresses.contains(*instruction) && !holds_pointer(instruction);
            is_number && !instruction.users().into_iter().all(|user| only_copies(user, *instruction))
        }
        Opcode::Call => !is_intrinsic(*instruction) && computes(*instruction, locals),
        _ => false,
    };
    function.instructions().filter(exposes).collect()
}

/// Whether a user of a number only passes it on. A caller takes a returned number for an address only if it is wider
/// than an address.
fn only_copies<'c>(user: Value<'c>, number: Value<'c>) -> bool {
    match user.opcode() {
        Opcode::Store | Opcode::IntToPtr => true,
        Opcode::Call => !is_intrinsic(user),
        Opcode::Ret => number.ty().int_width().is_some_and(|width| width > 64),
        _ => false,
    }
}

/// Whether a callee may compute something of the address of a local, because it gets it as a number, or compares the
/// bytes of memory where one is.
fn computes<'c>(call: Value<'c>, locals: &Locals<'c>) -> bool {
    let compares = || call.called_function().is_some_and(|f| ["memcmp", "bcmp"].contains(&f.name().as_str()));
    let (numbers, pointers): (Vec<_>, Vec<_>) = call.arguments().into_iter().partition(|a| !holds_pointer(a));
    let has_address = |pointer: &Value<'c>| locals.roots(*pointer).iter().any(|local| locals.addresses.are_in(*local));
    numbers.into_iter().any(|number| locals.may_hold_address(number))
        || (compares() && pointers.iter().any(has_address))
}
