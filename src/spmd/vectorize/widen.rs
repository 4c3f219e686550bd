//! Turns the code of one thread into code of a group of lanes.
//!
//! The new code has the control flow of the old. Uniform values are computed once, affine ones for the first thread,
//! and others as vectors. Where the threads do not agree on a branch, `scalar_path.rs` takes over until they meet
//! again. Values that several blocks use are in variables, which LLVM promotes.

use std::collections::HashMap;

use super::bounds_checks::is_below_bound;
use super::memory::interleaved;
use super::scalar_path::Code;
use super::wide::{Wide, Widener};
use super::widening::Widening;
use crate::analysis::effects::{is_hint, is_ordered, is_scope};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Type, Value};
use crate::spmd::facts::divergence::Plan;
use crate::spmd::facts::intrinsics;
use crate::spmd::facts::markers::{Masked, element_size};
use crate::spmd::facts::shape::{Shape, is_element};
use crate::spmd::facts::shapes::exact;
use crate::spmd::options::VectorOptions;

/// Widens `function`, whose body is replaced. `affine` are its parameters that differ between threads, with their
/// steps; those of a call are the first thread's. A result becomes a vector of results.
pub(crate) fn widen<'m, 'c>(
    module: &'m Module<'c>,
    plan: &Plan<'m, 'c>,
    function: Function<'c>,
    code: &Code<'c>,
    affine: HashMap<Value<'c>, i64>,
    options: VectorOptions,
) -> Block<'c> {
    let old = function.blocks();
    let start = function.append_block("vector");
    let blocks: HashMap<_, _> =
        plan.uniform.iter().map(|b| (*b, function.append_block(&format!("{}.vector", b.name())))).collect();
    let wide = Widener { module, builder: Builder::at_end(start), width: plan.shapes.width() };
    let entry = Builder::at_end(start);
    let (kept, incoming, local) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut widening = Widening {
        plan,
        wide,
        function,
        code,
        fallback: None,
        unless_affine: HashMap::new(),
        affine,
        blocks,
        entry,
        kept,
        incoming,
        local,
        elsewhere: None,
        groups: interleaved::find(module, plan),
        options,
    };
    widening.declare_variables();
    for block in &plan.uniform {
        widening.block(*block);
    }
    widening.fall_back();
    Builder::at_end(start).br(widening.blocks[&old[0]]);
    start
}

impl<'c> Widening<'_, '_, 'c> {
    /// Declares a variable for each phi and for each value that another block uses.
    fn declare_variables(&mut self) {
        let mut asked = HashMap::new();
        for divergence in &self.plan.divergences {
            let condition = divergence.block.terminator().and_then(Value::condition);
            condition.into_iter().for_each(|c| self.parts_of(c, divergence.block, &mut asked));
            // Operands of values that are computed again.
            divergence.given.iter().for_each(|value| asked.entry(*value).or_default().push(divergence.block));
        }
        for block in &self.plan.uniform {
            for value in block.instructions().filter(|i| !i.ty().is_void()) {
                if value.is(Opcode::Phi) {
                    let variable = self.variable(value);
                    self.incoming.insert(value, variable);
                }
                let elsewhere = |user: Value<'c>| user.is(Opcode::Phi) || user.block() != *block;
                let is_asked = || asked.get(&value).is_some_and(|blocks: &Vec<_>| blocks.iter().any(|b| b != block));
                if value.users().into_iter().any(elsewhere) || is_asked() {
                    let variable = self.variable(value);
                    self.kept.insert(value, variable);
                }
            }
        }
    }

    /// The values that [`Widening::holds`] uses in a block.
    fn parts_of(&self, condition: Value<'c>, block: Block<'c>, found: &mut HashMap<Value<'c>, Vec<Block<'c>>>) {
        let shapes = &self.plan.shapes;
        let is_bound = || [true, false].into_iter().any(|wanted| is_below_bound(condition, wanted, shapes));
        if condition.is_instruction() && (shapes.is_ordered(condition) || is_bound()) {
            for part in condition.operands() {
                found.entry(part).or_default().push(block);
                if part.ty().int_width() == Some(1) {
                    self.parts_of(part, block, found);
                }
            }
        }
    }

    fn block(&mut self, block: Block<'c>) {
        self.wide.builder.move_to_end(self.blocks[&block]);
        self.local.clear();
        let end = block.terminator().expect("a block has a terminator");
        let phis: Vec<_> = block.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
        for phi in &phis {
            let value = self.load(&self.incoming[phi]);
            self.define(*phi, value);
        }
        for instruction in block.instructions().filter(|i| *i != end && !phis.contains(i)) {
            self.wide.builder.locate_as(instruction);
            self.instruction(instruction);
        }
        self.wide.builder.locate_as(end);
        self.terminator(block, end);
    }

    fn instruction(&mut self, instruction: Value<'c>) {
        let shape = self.plan.shapes.of(instruction);
        if let Some(assumed) = self.plan.shapes.assumed_condition(instruction) {
            let condition = self.copy(instruction, 0);
            self.define(instruction, Wide::Same(condition));
            let holds = if assumed { condition } else { self.negate(condition) };
            self.check(holds);
            return;
        }
        if self.plan.shapes.is_agreed(instruction) {
            let value = self.agreed_condition(instruction);
            self.define(instruction, value);
            return;
        }
        if self.plan.shapes.is_assumed_affine(instruction) {
            let value = self.assumed_affine_operation(instruction, shape);
            self.define(instruction, value);
            return;
        }
        if let Some(value) = self.special(instruction, shape) {
            value.into_iter().for_each(|value| self.define(instruction, value));
            return;
        }
        match shape {
            Shape::Uniform if !instruction.ty().is_void() => {
                let copy = self.copy(instruction, 0);
                self.define(instruction, Wide::Same(copy));
            }
            Shape::Affine(step) => {
                let first = self.first(instruction);
                self.define(instruction, Wide::Steps(first, step));
            }
            Shape::Offsets(offsets) => {
                let first = self.first(instruction);
                self.define(instruction, Wide::Offsets(first, offsets));
            }
            _ => {
                let copies: Vec<_> = (0..self.wide.width).map(|thread| self.copy(instruction, thread)).collect();
                if !instruction.ty().is_void() {
                    let value = self.wide.gather(copies);
                    self.define(instruction, value);
                }
            }
        }
    }

    /// A copy for the first thread, from which the others' values are computed. It makes no promise that may
    /// hold in the others alone.
    fn first(&mut self, instruction: Value<'c>) -> Value<'c> {
        let copy = self.copy(instruction, 0);
        copy.drop_promises_about_operands();
        if copy.never_wraps() && !exact(instruction, &self.plan.shapes, false) {
            copy.drop_no_unsigned_wrap();
        }
        if copy.never_wraps_signed() && !exact(instruction, &self.plan.shapes, true) {
            copy.drop_no_signed_wrap();
        }
        if !copy.is_disjoint() || are_disjoint(copy.operand(0), copy.operand(1)) {
            return copy;
        }
        let sum = self.builder().add(copy.operand(0), copy.operand(1), "");
        copy.erase();
        sum
    }

    /// Instructions that are not copied for each thread. The result is the value that one defines, if any.
    fn special(&mut self, instruction: Value<'c>, shape: Shape) -> Option<Option<Wide<'c>>> {
        match instruction.opcode() {
            Opcode::Alloca if shape == Shape::Uniform => {
                let memory = self.entry.alloca(instruction.allocated_type(), "");
                memory.set_alignment(instruction.alignment());
                Some(Some(Wide::Same(memory)))
            }
            Opcode::Alloca => {
                let Shape::Affine(step) = shape else { return None };
                let bytes = step as u64 * u64::from(self.wide.width);
                let memory = self.entry.alloca(self.wide.module.types().i8().array(bytes), "");
                memory.set_alignment(instruction.alignment().max(1));
                Some(Some(Wide::Steps(memory, step)))
            }
            Opcode::Select if self.plan.shapes.assumed_condition(instruction.operand(0)).is_some() => {
                let value = self.plan.shapes.assumed_condition(instruction.operand(0)) == Some(true);
                Some(Some(self.get(instruction.operand(if value { 1 } else { 2 }))))
            }
            Opcode::Call if self.plan.shapes.is_assumed(instruction) => Some(Some(self.assumed_count(instruction))),
            Opcode::Call => self.call(instruction, shape),
            Opcode::Fence => {
                self.copy(instruction, 0);
                Some(None)
            }
            Opcode::ZExt | Opcode::SExt if self.plan.shapes.is_assumed(instruction) => {
                Some(Some(self.assumed_extension(instruction, shape)))
            }
            Opcode::Load if self.plan.shapes.is_assumed(instruction) => {
                Some(Some(self.assumed_load(instruction, shape)))
            }
            Opcode::Load if self.groups.contains_key(&instruction) => {
                self.interleaved_load(instruction);
                Some(None)
            }
            Opcode::Store if self.groups.contains_key(&instruction) => {
                self.interleaved_store(instruction);
                Some(None)
            }
            Opcode::Load if shape == Shape::Varying => self.varying_load(instruction).map(Some),
            Opcode::Store => self.varying_store(instruction).then_some(None),
            _ if shape == Shape::Varying && is_element(instruction.ty()) => self.elementwise(instruction).map(Some),
            _ => None,
        }
    }

    fn call(&mut self, call: Value<'c>, shape: Shape) -> Option<Option<Wide<'c>>> {
        let name = call.called_intrinsic().map(|intrinsic| intrinsic.name()).unwrap_or_default();
        if is_scope(call) {
            self.copy(call, 0);
            return Some(None);
        }
        if call.is_lifetime_marker() || is_hint(call) {
            return Some(None);
        }
        if let Some(size) = element_size(call) {
            let memory = self.get(call.operand(0));
            return Some(Some(Wide::Steps(self.wide.of_thread(&memory, 0), size as i64)));
        }
        if let Some(operation) = Masked::of(call) {
            return Some(self.masked(operation, call));
        }
        if shape != Shape::Varying || !is_element(call.ty()) {
            return None;
        }
        let base = intrinsics::elementwise(&name)?;
        let arguments = call.arguments();
        if arguments.iter().any(|a| !is_element(a.ty())) {
            return None;
        }
        let wide: Vec<_> = (0..)
            .zip(arguments)
            .map(|(index, argument)| {
                let value = self.get(argument);
                if intrinsics::is_scalar_operand(base, index) {
                    return self.wide.of_thread(&value, 0);
                }
                self.wide.vector(&value)
            })
            .collect();
        if intrinsics::is_conversion(base) {
            return Some(Some(Wide::Vector(self.saturate(base, call, wide[0]))));
        }
        let callee = self.wide.module.intrinsic(base, &[wide[0].ty()]);
        let result = self.builder().call(callee, &wide, "");
        result.copy_fast_math(call);
        Some(Some(Wide::Vector(result)))
    }

    /// A load of consecutive memory.
    fn varying_load(&mut self, load: Value<'c>) -> Option<Wide<'c>> {
        let ty = load.ty();
        if !self.is_consecutive(load, load.operand(0), ty) {
            return None;
        }
        let address = self.get(load.operand(0));
        let first = self.wide.of_thread(&address, 0);
        let (builder, width) = (self.builder(), self.wide.width);
        if ty.int_width() == Some(1) {
            let bytes = builder.load(self.wide.module.types().i8().vector(width), first, load.alignment(), "");
            return Some(Wide::Vector(builder.cast(Opcode::Trunc, bytes, ty.vector(width), "")));
        }
        Some(Wide::Vector(builder.load(ty.vector(width), first, load.alignment(), "")))
    }

    /// A store to consecutive memory, or of one value to one place.
    fn varying_store(&mut self, store: Value<'c>) -> bool {
        let (value, pointer) = (store.operand(0), store.operand(1));
        if is_ordered(store) {
            return false;
        }
        if self.plan.shapes.of(pointer) == Shape::Uniform {
            // The last thread's remains.
            self.copy(store, self.wide.width - 1);
            return true;
        }
        if !self.is_consecutive(store, pointer, value.ty()) {
            return false;
        }
        let (value, address) = (self.get(value), self.get(pointer));
        // An `i1` of memory is a byte, and of a vector a bit.
        let (value, first) = (self.in_bytes(self.wide.vector(&value)), self.wide.of_thread(&address, 0));
        self.builder().store(value, first, store.alignment());
        true
    }

    fn is_consecutive(&self, access: Value<'c>, pointer: Value<'c>, ty: Type<'c>) -> bool {
        let size = ty.store_size(self.wide.module);
        is_element(ty) && !is_ordered(access) && self.plan.shapes.of(pointer) == Shape::Affine(size as i64)
    }

    /// An operation on each element.
    fn elementwise(&mut self, instruction: Value<'c>) -> Option<Wide<'c>> {
        use Opcode::*;
        match instruction.opcode() {
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | And | Or | Xor | FAdd | FSub | FMul
            | FDiv | FRem | FNeg | ICmp | FCmp | Select | Trunc | ZExt | SExt | FPTrunc | FPExt | FPToUI | FPToSI
            | UIToFP | SIToFP | BitCast | PtrToInt | IntToPtr | Freeze => {}
            _ => return None,
        }
        let operands = instruction.operands();
        if operands.iter().any(|operand| !is_element(operand.ty())) {
            return None;
        }
        if let Some(result) = if instruction.is(ICmp) { self.narrow_comparison(instruction) } else { None } {
            return Some(result);
        }
        let scalar_condition = instruction.is(Select) && self.plan.shapes.of(operands[0]) == Shape::Uniform;
        let wide: Vec<_> = (0..)
            .zip(operands)
            .map(|(index, operand)| {
                let value = self.get(operand);
                match (scalar_condition && index == 0, &value) {
                    (true, _) => self.wide.of_thread(&value, 0),
                    _ => self.wide.vector(&value),
                }
            })
            .collect();
        let copy = instruction.retype_operation(&wide, instruction.ty().vector(self.wide.width));
        self.builder().insert(copy);
        Some(Wide::Vector(copy))
    }
}

/// Whether two numbers are known to have no bit in common.
fn are_disjoint(a: Value<'_>, b: Value<'_>) -> bool {
    let zeros = |v: Value<'_>| v.known_bits().map_or(0, |known| known.zeros);
    a.ty().int_width().is_some_and(|width| (zeros(a) | zeros(b)).trailing_ones() >= width)
}
