//! Replaces calls of the contract's atomics by LLVM's atomic instructions.
//!
//! Orderings and scopes are operands. If they are constants, the call is replaced at once, so that all passes see the
//! instruction. If inlining makes them constants, it is replaced after simplification. If they are not constants then,
//! the operation is sequentially consistent with the scope of the system, which is the strongest. Scopes have the names
//! of the neutral module until [`name_scopes`] replaces them by the target's.

use crate::analysis::declared_atomics::declared_atomics;
use crate::contract::atomic::{AtomicBuiltin, Operation, SCOPES, Scope, ordering};
use crate::llvm::{AtomicOperation, Builder, Linkage, Module, Opcode, Ordering, Type, Value};

/// The semantics of an operation whose ordering and scope are not constant.
const STRONGEST: AtomicSemantics =
    AtomicSemantics { orderings: [Ordering::SequentiallyConsistent; 2], scope: Scope::System };

/// The orderings of an access and its scope. The orderings of success and failure differ only in a
/// compare-and-exchange.
#[derive(Clone, Copy)]
struct AtomicSemantics {
    orderings: [Ordering; 2],
    scope: Scope,
}

/// Replaces the calls whose orderings and scope are constants.
pub fn lower_constant_atomics(module: &Module<'_>) {
    lower(module, &|builtin, call| semantics(builtin, call, None));
}

/// Replaces all other calls, except those that `check_atomics` reports.
pub fn lower_atomics(module: &Module<'_>) {
    lower(module, &|builtin, call| semantics(builtin, call, Some(STRONGEST)));
}

/// Replaces every call on the host. A call that is refused on devices is as strong as possible.
pub fn define_host_atomics(module: &Module<'_>) {
    lower(module, &|builtin, call| semantics(builtin, call, Some(STRONGEST)).or(Some(STRONGEST)));
    for (function, builtin) in declared_atomics(module) {
        let block = function.append_block("entry");
        let values = &function.parameters()[..builtin.values()];
        let builder = Builder::at_end(block);
        builder.ret_result(emit(module, &builder, builtin, values, STRONGEST));
        function.set_linkage(Linkage::Internal);
    }
}

/// Replaces the scope of every atomic instruction by the target's name. Fences for a single thread keep their scope,
/// because devices cannot observe them.
pub fn name_scopes(module: &Module<'_>, names: &dyn Fn(Scope) -> &'static str) {
    for function in module.functions() {
        let own = |i: &Value<'_>| i.is_synchronising() && !i.is_compiler_fence();
        function.instructions().filter(own).for_each(|i| i.set_scope(names(Scope::of(i))));
    }
}

fn lower<'c>(module: &Module<'c>, semantics: &dyn Fn(AtomicBuiltin, Value<'c>) -> Option<AtomicSemantics>) {
    for (function, builtin) in declared_atomics(module) {
        if function.function_type() != builtin.function_type(module) {
            continue;
        }
        for call in function.direct_calls().into_iter().filter(|call| call.is(Opcode::Call)) {
            let Some(semantics) = semantics(builtin, call) else { continue };
            let arguments = call.arguments();
            let result = emit(module, &Builder::before(call), builtin, &arguments[..builtin.values()], semantics);
            result.into_iter().for_each(|value| call.replace_all_uses_with(value));
            call.erase();
        }
        if !function.is_used() {
            function.erase_global();
        }
    }
}

/// The semantics in a call's operands: `unknown` if one of them is not a constant, and none if they are invalid.
fn semantics(builtin: AtomicBuiltin, call: Value<'_>, unknown: Option<AtomicSemantics>) -> Option<AtomicSemantics> {
    let arguments = call.arguments();
    let numbers: Option<Vec<u64>> = arguments[builtin.values()..].iter().map(|a| a.as_u64()).collect();
    let Some(numbers) = numbers else { return unknown };
    let (scope, orderings) = numbers.split_last()?;
    let orderings: Vec<_> = orderings.iter().map(|n| ordering(*n)).collect::<Option<_>>()?;
    let scope = SCOPES.get(usize::try_from(*scope).ok()?)?;
    let fits = builtin.allows(&orderings);
    fits.then_some(AtomicSemantics { orderings: [*orderings.first()?, *orderings.last()?], scope: *scope })
}

/// Creates the instruction and returns its result.
fn emit<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    builtin: AtomicBuiltin,
    values: &[Value<'c>],
    semantics: AtomicSemantics,
) -> Option<Value<'c>> {
    let ([ordering, _], scope) = (semantics.orderings, semantics.scope.neutral());
    // An exchange moves bits of any type.
    let ty = builtin.value_type(module);
    let word = |value| bits(builder, value, ty.types().int(8 * ty.store_size(module) as u32));
    match builtin.operation {
        Operation::Fence => {
            builder.fence(ordering, scope);
            None
        }
        Operation::Load => Some(builder.atomic_load(ty, values[0], ordering, scope)),
        Operation::Store => {
            builder.atomic_store(values[1], values[0], ordering, scope);
            None
        }
        Operation::Update(operation @ AtomicOperation::Xchg) => {
            let found = builder.atomic_update((operation, ordering, scope), values[0], word(values[1]));
            Some(bits(builder, found, ty))
        }
        Operation::Update(operation) => Some(builder.atomic_update((operation, ordering, scope), values[0], values[1])),
        Operation::CompareExchange => {
            let (semantics, operands) = ((semantics.orderings, scope), [values[1], values[2]].map(word));
            let pair = builder.compare_exchange(semantics, values[0], operands);
            Some(bits(builder, builder.extract_value(pair, 0, ""), ty))
        }
    }
}

fn bits<'c>(builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if value.ty() == ty { value } else { builder.cast(Opcode::BitCast, value, ty, "") }
}
