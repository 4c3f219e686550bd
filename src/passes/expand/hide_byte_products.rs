//! Keeps AMD's back end from making one instruction of sums of products of bytes where something else may be in
//! between.
//!
//! LLVM 22 makes one `v_dot4` of a sum of products of bytes. It looks through the operands of the sum, and takes each
//! instruction with a product as its operand for a sum, also a mask, a shift or a difference (pull request 198412). It
//! does so after it has promoted narrow numbers, divided vectors and moved shifts of factors behind their products.
//!
//! A module in which a product of bytes is not simply added is therefore compiled without these instructions. Sums of
//! products of bytes in 32 bits, which other modules have, keep them. A function that calls such an instruction by its
//! name keeps them, too. There, empty assembly hides the products: it is a copy that no pass looks through.

use crate::llvm::{Attribute, Builder, Function, Module, Opcode, Place, Value};

/// The bits of the sums.
const WORD: u32 = 32;
const BYTE: u32 = 8;

/// Switches the instructions off in `module` where they could be wrong. `features` are those of the machine, and
/// `without` the feature without these instructions.
pub fn hide_byte_products(module: &Module<'_>, features: &str, without: &str) {
    if !module.definitions().into_iter().any(|function| function.instructions().any(is_at_risk)) {
        return;
    }
    for function in module.definitions() {
        if function.instructions().any(is_named) {
            hide_products(function);
            continue;
        }
        let own = function.text_attribute(Place::Function, "target-features");
        let features = own.unwrap_or_else(|| features.to_owned());
        let comma = if features.is_empty() { "" } else { "," };
        let text = format!("{features}{comma}{without}");
        function.add_attribute(Place::Function, &Attribute::Text("target-features".to_owned(), text));
    }
}

/// Whether an instruction calls a sum of products by its name.
fn is_named(instruction: Value<'_>) -> bool {
    instruction.is(Opcode::Call)
        && instruction.called_intrinsic().is_some_and(|function| function.name().contains("dot"))
}

/// Whether an instruction is a product that the back end may take for one of bytes, and not simply an operand of sums.
fn is_at_risk(instruction: Value<'_>) -> bool {
    let Some(width) = instruction.ty().scalar_width().filter(|_| instruction.is(Opcode::Mul)) else { return false };
    let factors = [0, 1].map(|at| instruction.operand(at));
    if width < WORD {
        return true;
    }
    let simple = width == WORD && instruction.ty().vector_length().is_none();
    let is_moved = |factor: Value<'_>| factor.is(Opcode::Shl) || factor.is(Opcode::Mul);
    let bytes = |factor: Value<'_>| is_byte(if is_moved(factor) { factor.operand(0) } else { factor }, instruction);
    factors.into_iter().all(bytes)
        && !(simple
            && !factors.into_iter().any(is_moved)
            && instruction.users().into_iter().all(|user| !may_be_taken(user)))
}

/// Whether a factor of a product is a byte in a wider number.
fn is_byte(factor: Value<'_>, product: Value<'_>) -> bool {
    factor.unsigned_bits(product) <= BYTE || factor.signed_bits(product) <= BYTE
}

/// Hides the products of bytes of 32 bits but for the operands of sums.
fn hide_products(function: Function<'_>) {
    let is_of_bytes = |product: &Value<'_>| {
        product.is(Opcode::Mul)
            && product.ty().int_width() == Some(WORD)
            && (0..2).all(|at| is_byte(product.operand(at), *product))
    };
    for product in function.instructions().filter(is_of_bytes).collect::<Vec<_>>() {
        for user in product.users().into_iter().filter(|user| may_be_taken(*user)) {
            let copy = Builder::before(user).vector_copy(product);
            (0..2).filter(|at| user.operand(*at) == product).for_each(|at| user.set_operand(at, copy));
        }
    }
}

/// Whether an instruction has two operands, is no sum, and its result may be an operand of one.
fn may_be_taken(user: Value<'_>) -> bool {
    !matches!(user.opcode(), Opcode::Add | Opcode::Phi | Opcode::ICmp | Opcode::Store)
        && user.ty().scalar_width().is_some()
        && user.operand_count() > 1
}
