//! Loads that all threads of a block do from one address are one load for the block.
//!
//! After a block reduction, every thread loads the result from shared memory, and computes a mean of it, or a factor.
//! In the loop over the threads, LLVM cannot do this once, because a thread may store to the same address as far as it
//! can see. But between two barriers no thread may store to an address from which all others load: this would be a data
//! race. A thread itself loads before it stores. So the value is loaded before the loop, and is a parameter of the
//! region, as that of a uniform slot.

use crate::analysis::effects::{depends_on_operands_alone, made_of};
use crate::llvm::{Builder, Function, Linkage, Opcode, Value};
use crate::spmd::facts::intrinsics::ends_repeatable;
use crate::spmd::facts::shape::is_element;
use crate::spmd::region::signature::RegionSignature;
use crate::spmd::region::slots::SlotParameters;
use crate::spmd::region::uniform_slots::UniformSlot;
use crate::spmd::tuning::UNIFORM_LOADS;

/// Makes parameters of such loads at the start of a region, which must be one that all threads of the block run
/// together. Its uniform slots are its last parameters. Returns the new function and the uniform slots, if there are
/// such loads.
pub(crate) fn pass_loads<'c>(
    function: Function<'c>,
    uniform_slots: &[UniformSlot<'c>],
) -> Option<(Function<'c>, Vec<UniformSlot<'c>>)> {
    let signature = RegionSignature::of(function, uniform_slots.len());
    let SlotParameters { memory, threads, .. } = signature.slots();
    let varying: Vec<_> = signature.own().into_iter().chain([memory, threads]).collect();
    let loads: Vec<_> = start_of(function).into_iter().filter(|i| is_same(*i, &varying)).take(UNIFORM_LOADS).collect();
    if loads.is_empty() {
        return None;
    }
    let name = function.name();
    let uniform_slot =
        |(index, load): (usize, &Value<'c>)| UniformSlot::computed(loading(*load, &format!("{name}.load{index}")));
    let more: Vec<_> = loads.iter().enumerate().map(uniform_slot).collect();
    let types: Vec<_> = more.iter().map(|uniform_slot| uniform_slot.ty).collect();
    let extended = function.extend_signature(function.function_type().result(), &types);
    function.erase_global();
    let parameters = extended.parameters();
    for (load, parameter) in loads.into_iter().zip(&parameters[parameters.len() - types.len()..]) {
        load.replace_all_uses_with(*parameter);
        load.erase();
    }
    Some((extended, [uniform_slots, &more].concat()))
}

/// The instructions that each thread executes first, whatever it does later, and before it writes anything.
pub(crate) fn start_of<'c>(function: Function<'c>) -> Vec<Value<'c>> {
    let blocks = function.blocks();
    let (mut block, mut start) = (blocks[0], Vec::new());
    loop {
        let before = start.len();
        start.extend(block.instructions().take_while(|i| !ends_repeatable(*i)));
        let is_whole = start.len() - before + 1 == block.instructions().count();
        let [next] = block.successors()[..] else { return start };
        let is_entered_once = blocks.iter().filter(|from| from.successors().contains(&next)).count() == 1;
        if !is_whole || !is_entered_once {
            return start;
        }
        block = next;
    }
}

/// Whether it is a load from an address that is the same in all threads, of memory that may change. LLVM moves other
/// loads out of the loop itself.
fn is_same<'c>(load: Value<'c>, varying: &[Value<'c>]) -> bool {
    if !load.is(Opcode::Load) || load.is_invariant() || !is_element(load.ty()) {
        return false;
    }
    let is_known = |v: Value<'c>| match v.is_instruction() {
        false => !varying.contains(&v),
        true => depends_on_operands_alone(v),
    };
    made_of(load.operand(0), is_known).into_iter().all(is_known)
}

/// A function with the region's parameters that returns the result of this load.
fn loading<'c>(load: Value<'c>, name: &str) -> Function<'c> {
    let (copy, copies) = load.block().function().clone_with_copies();
    let function = copy.extend_signature(load.ty(), &[]);
    copy.erase_global();
    function.set_linkage(Linkage::Internal);
    function.set_name(name);
    let load = copies.of(load);
    let block = load.block();
    load.next().expect("a load is no terminator").split_block("behind");
    let goes_on = block.terminator().expect("it was split");
    Builder::before(goes_on).ret(load);
    goes_on.erase();
    function.erase_unreachable_blocks();
    function
}
