//! Joins consecutive checks that end in a panic, such as bounds checks: one branch decides whether all of them hold.
//!
//! ```text
//! if !first { panic(1) }                       if first && second { a = load x; b = load y }
//! a = load x;                          =>      else if !first { panic(1) }
//! if !second { panic(2) }                      else { panic(2) }
//! b = load y;
//! ```
//!
//! Between two checks there may be loads and arithmetic, but nothing that another thread or the host could observe. The
//! conditions, and the operands of the panics, are computed before the first branch; a condition that depends on a load
//! between the checks starts a new group. The panics are the same, in the same order. A GPU saves a branch for each
//! check, and the masks of the lanes that take it, and the loads become adjacent.

mod check_table;

use std::collections::{HashMap, HashSet};

use self::check_table::CheckTable;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Place, Value};

/// The largest number of instructions that move before the branch of a group.
const MOST_MOVED: usize = 48;

/// Joins the checks of all functions. The bounds checks of a kernel have a table if it saves the code of at least
/// `saved` checks.
pub fn join_checks(module: &Module<'_>, kernels: &KernelSet, saved: usize) {
    for function in module.definitions() {
        let checks = Checks::of(function);
        let mut chains: Vec<_> = checks.starts().into_iter().map(|start| checks.chain(start)).collect();
        let table = CheckTable::of(module, function, kernels, &mut chains, saved);
        for mut rest in chains {
            while rest.len() > 1 {
                let joined = join(&rest, table.as_ref()).max(1);
                rest.drain(..joined);
            }
        }
        if table.is_some() {
            function.erase_unreachable_blocks();
        }
    }
}

/// A block that ends with a check: one of its successors is the end of the thread.
#[derive(Clone, Copy)]
struct Check<'c> {
    block: Block<'c>,
    condition: Value<'c>,
    /// Whether the check holds if the condition is true.
    is_positive: bool,
    next: Block<'c>,
    panic: Block<'c>,
}

/// The checks of a function.
struct Checks<'c> {
    /// In the order of the function.
    all: Vec<Check<'c>>,
    /// The check in the next block, if that block can be joined.
    next: HashMap<Block<'c>, Check<'c>>,
}

impl<'c> Checks<'c> {
    fn of(function: Function<'c>) -> Self {
        let blocks = function.blocks();
        let all: Vec<_> = blocks.iter().filter_map(|block| check(*block)).collect();
        let mut predecessors: HashMap<Block<'c>, usize> = HashMap::new();
        for successor in blocks.iter().flat_map(|block| block.successors()) {
            *predecessors.entry(successor).or_default() += 1;
        }
        let by_block: HashMap<_, _> = all.iter().map(|check| (check.block, *check)).collect();
        let follows = |check: &Check<'c>| {
            let after = by_block.get(&check.next).filter(|after| predecessors[&after.block] == 1)?;
            is_unobservable(after.block).then_some((check.block, *after))
        };
        let next = all.iter().filter_map(follows).collect();
        Checks { all, next }
    }

    /// The checks that follow no other.
    fn starts(&self) -> Vec<Check<'c>> {
        let after = |check: &Check<'c>| self.next.get(&check.block).map(|next| next.block);
        let followers: HashSet<_> = self.all.iter().filter_map(after).collect();
        self.all.iter().copied().filter(|check| !followers.contains(&check.block)).collect()
    }

    /// A check and those that follow it.
    fn chain(&self, start: Check<'c>) -> Vec<Check<'c>> {
        std::iter::successors(Some(start), |check| self.next.get(&check.block).copied()).collect()
    }
}

fn check(block: Block<'_>) -> Option<Check<'_>> {
    let end = block.terminator().filter(|end| end.is(Opcode::Br))?;
    let condition = end.condition()?;
    match end.successors()[..] {
        [next, panic] if panics(panic) && !panics(next) => {
            Some(Check { block, condition, is_positive: true, next, panic })
        }
        [panic, next] if panics(panic) && !panics(next) => {
            Some(Check { block, condition, is_positive: false, next, panic })
        }
        _ => None,
    }
}

/// Whether a block ends the thread, or is only a branch to such a block.
fn panics(block: Block<'_>) -> bool {
    let ends = |block: Block<'_>| block.terminator().is_some_and(|end| end.is(Opcode::Unreachable));
    ends(block) || forwards(block).is_some_and(ends)
}

/// The next block, if a block is a branch to it, with no more than arithmetic before.
fn forwards(block: Block<'_>) -> Option<Block<'_>> {
    let [next] = block.successors()[..] else { return None };
    let is_phi = |i: &Value<'_>| i.is(Opcode::Phi);
    (is_unobservable(block) && !block.instructions().next().as_ref().is_some_and(is_phi)).then_some(next)
}

/// Whether no code can observe if the instructions of a block before its branch were executed.
pub(super) fn is_unobservable(block: Block<'_>) -> bool {
    let mut instructions = block.instructions().take_while(|i| !i.is_terminator());
    instructions.all(|i| match i.opcode() {
        Opcode::Load => !i.is_volatile() && !i.is_atomic(),
        Opcode::Call => {
            let converges = |v: Value<'_>| v.has_attribute(Place::Function, "convergent");
            i.only_reads() && !converges(i) && !i.called_function().is_none_or(|callee| converges(*callee))
        }
        _ => is_arithmetic(i) || is_of_floats(i),
    })
}

/// Whether an instruction has a value for all operands, and no effect.
pub(super) fn is_arithmetic(instruction: Value<'_>) -> bool {
    use Opcode::{Add, And, Freeze, GetElementPtr, ICmp, LShr, Mul, Or, SExt, Select, Shl, Sub, Trunc, Xor, ZExt};
    matches!(
        instruction.opcode(),
        Add | And | Freeze | GetElementPtr | ICmp | LShr | Mul | Or | SExt | Select | Shl | Sub | Trunc | Xor | ZExt
    )
}

fn is_of_floats(instruction: Value<'_>) -> bool {
    use Opcode::{BitCast, FAdd, FCmp, FDiv, FMul, FNeg, FPExt, FPToSI, FPToUI, FPTrunc, FSub, Phi, SIToFP, UIToFP};
    matches!(
        instruction.opcode(),
        BitCast | FAdd | FCmp | FDiv | FMul | FNeg | FPExt | FPToSI | FPToUI | FPTrunc | FSub | Phi | SIToFP | UIToFP
    )
}

/// Joins as many checks as possible, beginning with the first one. Returns their number; 1 is none.
fn join<'c>(chain: &[Check<'c>], table: Option<&CheckTable<'c>>) -> usize {
    let mut moved = Moved { region: HashSet::new(), seen: HashSet::new(), order: Vec::new() };
    let mut count = 1;
    for check in &chain[1..] {
        moved.region.insert(check.block);
        let before = moved.order.len();
        if !needed(check).into_iter().all(|value| moved.take(value)) || moved.order.len() > MOST_MOVED {
            moved.order.truncate(before);
            break;
        }
        count += 1;
    }
    if count > 1 {
        let end = chain[0].block.terminator().expect("a check is a branch");
        let builder = Builder::before(end);
        moved.order.into_iter().for_each(|value| value.move_to(&builder));
        branch(&chain[..count], end, table);
    }
    count
}

/// The values that a check and its panic need.
fn needed<'c>(check: &Check<'c>) -> Vec<Value<'c>> {
    let mut values = vec![check.condition];
    let (end, from) = forwards(check.panic).map_or((check.panic, check.block), |end| (end, check.panic));
    if end != check.panic {
        values.extend(check.panic.instructions().flat_map(Value::operands));
    }
    for instruction in end.instructions() {
        if instruction.is(Opcode::Phi) {
            values.extend(instruction.incoming().into_iter().filter(|(_, b)| *b == from).map(|(value, _)| value));
        } else {
            values.extend(instruction.operands());
        }
    }
    values
}

/// Instructions that move before the first branch.
struct Moved<'c> {
    /// The blocks of the later checks.
    region: HashSet<Block<'c>>,
    seen: HashSet<Value<'c>>,
    /// In an order in which each comes after its operands.
    order: Vec<Value<'c>>,
}

impl<'c> Moved<'c> {
    /// Adds a value and its operands. Returns whether they can move.
    fn take(&mut self, value: Value<'c>) -> bool {
        if !value.is_instruction() || !self.region.contains(&value.block()) || self.seen.contains(&value) {
            return true;
        }
        if !is_arithmetic(value) || !value.operands().into_iter().all(|operand| self.take(operand)) {
            return false;
        }
        self.seen.insert(value);
        self.order.push(value);
        true
    }
}

/// Lets one branch decide over all checks, and others over the panic if one of them does not hold.
fn branch<'c>(chain: &[Check<'c>], end: Value<'c>, table: Option<&CheckTable<'c>>) {
    let builder = Builder::before(end);
    let yes = chain[0].condition.ty().constant(1);
    let holds = |check: &Check<'c>| match check.is_positive {
        true => check.condition,
        false => builder.binary(Opcode::Xor, check.condition, yes, ""),
    };
    let all: Vec<_> = chain.iter().map(holds).collect();
    let whole = conjunction(&builder, &all);
    let first = fail(chain, &all, table);
    for (at, check) in chain.iter().enumerate() {
        let old = check.block.terminator().expect("a check is a branch");
        let builder = Builder::before(old);
        match at {
            0 => builder.cond_br(whole, check.next, first),
            _ => builder.br(check.next),
        }
        old.erase();
    }
}

/// Whether all conditions hold.
fn conjunction<'c>(builder: &Builder<'c>, all: &[Value<'c>]) -> Value<'c> {
    let no = all[0].ty().zero();
    let last = all[all.len() - 1];
    all.iter().rev().skip(1).fold(last, |whole, one| builder.select(*one, whole, no, ""))
}

/// Writes the blocks that find the first check that does not hold. The code of the table does so for consecutive rows.
fn fail<'c>(chain: &[Check<'c>], all: &[Value<'c>], table: Option<&CheckTable<'c>>) -> Block<'c> {
    let continues = |pair: &[Check<'c>]| table.is_some_and(|table| table.continues(pair[0].panic, pair[1].panic));
    let starts: Vec<_> = (0..chain.len()).filter(|at| *at == 0 || !continues(&chain[at - 1..=*at])).collect();
    let function = chain[0].block.function();
    let failed: Vec<_> = starts.iter().map(|_| function.append_block("failed")).collect();
    for (number, start) in starts.iter().copied().enumerate() {
        let check = &chain[start];
        let cold = Builder::at_end(failed[number]);
        cold.locate_as(check.block.terminator().expect("a check is a branch"));
        match starts.get(number + 1).copied() {
            Some(next) => cold.cond_br(conjunction(&cold, &all[start..next]), failed[number + 1], check.panic),
            None => cold.br(check.panic),
        }
        come_from(check.panic, check.block, failed[number]);
    }
    failed[0]
}

/// Lets the phis of a block have a value from another predecessor.
pub(super) fn come_from<'c>(block: Block<'c>, old: Block<'c>, new: Block<'c>) {
    let phis: Vec<_> = block.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
    for phi in phis {
        let renewed = Builder::before(phi).phi(phi.ty(), "");
        for (value, from) in phi.incoming() {
            renewed.add_incoming(value, if from == old { new } else { from });
        }
        phi.replace_all_uses_with(renewed);
        phi.erase();
    }
}
