//! How the values of neighbouring threads differ, while these threads execute the same path.
//!
//! Threads x, x + 1, … of a row are the lanes of a group as long as all of them take the same branches. A value is then
//! *uniform*, the same in all of them; or *affine*, increasing by a constant from one thread to the next; or it
//! *varies*. Only at a place where threads of different paths join are values not as their operands say, see
//! `divergence.rs`.

use std::collections::{HashMap, HashSet};

use super::affine;
use super::low_bits;
use super::markers::{Masked, element_size, is_shared};
use super::shape::{Shape, Shape::Affine, Shape::Uniform, Shape::Varying, is_small};
use super::trip_count::Count;
use crate::analysis::condition::Condition;
use crate::analysis::effects::is_ordered;
use crate::llvm::{Function, IntPredicate, Module, Opcode, Type, TypeKind, Value};
use crate::spmd::tuning::MOST_WIDTH;

/// The shapes of a function's values.
pub(crate) struct Shapes<'m, 'c> {
    module: &'m Module<'c>,
    /// The number of lanes of a group.
    width: u32,
    known: HashMap<Value<'c>, Shape>,
    /// Loads and extensions whose shapes are given.
    assumed: HashMap<Value<'c>, Shape>,
    /// Those of `assumed` that need no check.
    certain: HashSet<Value<'c>>,
    /// Uniform conditions with the value that is assumed of them.
    conditions: HashMap<Value<'c>, bool>,
    /// Operations of parts in which values are assumed to be affine.
    assumed_affine: HashSet<Value<'c>>,
    /// Those of them that are affine if the number of the first thread is a multiple of the number of threads.
    aligned: HashSet<Value<'c>>,
    /// A number that is such a multiple in every group.
    multiple: Option<Value<'c>>,
    /// Conditions on which all threads are assumed to agree.
    agreed: HashSet<Value<'c>>,
    /// Whether it is enough that a shape is likely.
    guesses: bool,
    /// Values that vary although their operands do not.
    pub(crate) mixed: HashSet<Value<'c>>,
}

impl<'m, 'c> Shapes<'m, 'c> {
    /// `affine` are the parameters that increase by one; all others are uniform.
    pub(crate) fn new(module: &'m Module<'c>, affine: &[Value<'c>]) -> Self {
        let known = affine.iter().map(|parameter| (*parameter, Affine(1))).collect();
        Shapes {
            module,
            width: MOST_WIDTH,
            known,
            assumed: HashMap::new(),
            certain: HashSet::new(),
            conditions: HashMap::new(),
            assumed_affine: HashSet::new(),
            aligned: HashSet::new(),
            multiple: None,
            agreed: HashSet::new(),
            guesses: false,
            mixed: HashSet::new(),
        }
    }

    /// The same for this number of lanes of a group.
    pub(crate) fn in_groups(self, width: u32) -> Self {
        Shapes { width, ..self }
    }

    /// The number of lanes of a group.
    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    /// This parameter increases by a constant.
    pub(crate) fn rise(&mut self, parameter: Value<'c>, step: i64) {
        self.known.insert(parameter, Shape::affine(step));
    }

    /// These parameters vary.
    pub(crate) fn vary(&mut self, parameters: &[Value<'c>]) {
        self.known.extend(parameters.iter().map(|parameter| (*parameter, Varying)));
    }

    /// From now on, computes likely shapes: of an index that is constant if it is invalid, and of one that could
    /// overflow.
    pub(crate) fn guess(&mut self) {
        self.guesses = true;
    }

    /// Assumes the shape of a load or of an extension.
    pub(crate) fn assume(&mut self, value: Value<'c>, step: i64) {
        self.assumed.insert(value, Shape::affine(step));
    }

    /// The shape of a load is known.
    pub(crate) fn know(&mut self, load: Value<'c>, step: i64) {
        self.assume(load, step);
        self.certain.insert(load);
    }

    /// Assumes that a uniform condition has a value.
    pub(crate) fn assume_condition(&mut self, condition: Value<'c>, value: bool) {
        self.conditions.insert(condition, value);
    }

    /// The assumed result of a condition.
    pub(crate) fn assumed_condition(&self, condition: Value<'c>) -> Option<bool> {
        self.conditions.get(&condition).copied()
    }

    /// Assumes that an operation is affine if its operands are.
    pub(crate) fn assume_affine(&mut self, operation: Value<'c>) {
        self.assumed_affine.insert(operation);
    }

    /// Says that a number is a multiple of the number of threads in the first one.
    pub(crate) fn know_multiple(&mut self, number: Value<'c>) {
        self.multiple = Some(number);
    }

    /// Whether a value is such a number, perhaps in fewer or more bits.
    pub(crate) fn is_multiple(&self, mut value: Value<'c>) -> bool {
        while value.is_instruction() && (value.is(Opcode::Trunc) || value.is(Opcode::ZExt)) {
            value = value.operand(0);
        }
        self.multiple == Some(value)
    }

    /// Assumes that the number on which an operation works is a multiple of the number of threads in the first one.
    pub(crate) fn assume_aligned(&mut self, operation: Value<'c>) {
        self.assumed_affine.insert(operation);
        self.aligned.insert(operation);
    }

    /// Whether this is assumed of an operation.
    pub(crate) fn is_aligned(&self, operation: Value<'c>) -> bool {
        self.aligned.contains(&operation)
    }

    /// Assumes that all threads agree on a condition that the first and the last of them decide.
    pub(crate) fn assume_agreed(&mut self, condition: Value<'c>) {
        self.agreed.insert(condition);
    }

    /// Whether this is assumed of a condition.
    pub(crate) fn is_agreed(&self, condition: Value<'c>) -> bool {
        self.agreed.contains(&condition)
    }

    /// Whether this is assumed of an operation whose operands differ between threads.
    pub(crate) fn is_assumed_affine(&self, operation: Value<'c>) -> bool {
        let operands = if operation.is_call() { operation.arguments() } else { operation.operands() };
        self.assumed_affine.contains(&operation)
            && self.of(operation) != Varying
            && operands.into_iter().any(|v| self.of(v) != Uniform)
    }

    /// Whether the shape of a value is assumed.
    pub(crate) fn is_assumed(&self, value: Value<'c>) -> bool {
        self.assumed.contains_key(&value) && !self.certain.contains(&value)
    }

    /// How much more a value is in each thread; none if it varies.
    pub(crate) fn step(&self, value: Value<'c>) -> Option<i64> {
        self.of(value).step()
    }

    /// The shape of a value.
    pub(crate) fn of(&self, value: Value<'c>) -> Shape {
        self.known.get(&value).copied().unwrap_or(Uniform)
    }

    /// Computes the shapes of all instructions.
    pub(crate) fn compute(&mut self, function: Function<'c>) {
        let all: Vec<_> = function.instructions().filter(|i| !i.ty().is_void()).collect();
        for instruction in &all {
            self.known.remove(instruction);
        }
        // A value without a shape has not been visited; a phi ignores it.
        let mut changed = true;
        while changed {
            changed = false;
            for instruction in &all {
                let before = self.known.get(instruction).copied();
                let Some(after) = self.transfer(*instruction) else { continue };
                if before != Some(after) {
                    // A shape changes from uniform or affine to varying, and never back.
                    let after = if before.is_some() { Varying } else { after };
                    changed |= before != Some(after);
                    self.known.insert(*instruction, after);
                }
            }
        }
    }

    /// The shape of an operand; none if it has not been visited.
    fn operand(&self, value: Value<'c>) -> Option<Shape> {
        if value.is_instruction() { self.known.get(&value).copied() } else { Some(self.of(value)) }
    }

    fn transfer(&self, instruction: Value<'c>) -> Option<Shape> {
        if self.mixed.contains(&instruction) {
            return Some(Varying);
        }
        if let Some(shape) = self.assumed.get(&instruction) {
            return Some(*shape);
        }
        if instruction.is(Opcode::Phi) {
            let all = instruction.incoming();
            // A value that no thread uses may be of any shape.
            let some_count = all.iter().any(|(value, _)| !value.is_undef());
            let is_unused = |value: Value<'c>| some_count && value.is_undef();
            let is_left_out = |value: Value<'c>| self.guesses && is_invalid(value) || is_unused(value);
            let values: Vec<_> = all.into_iter().filter(|(value, _)| !is_left_out(*value)).collect();
            let shapes: Vec<Shape> = values.iter().filter_map(|(v, _)| self.operand(*v)).collect();
            // Around a cycle whose only other value is an unused one, shapes begin as uniform.
            let begins = instruction.incoming().into_iter().any(|(value, _)| is_unused(value));
            let first = *shapes.first().or(begins.then_some(&Uniform))?;
            return Some(if shapes.iter().all(|s| *s == first) { first } else { Varying });
        }
        let operands = match instruction.is_call() {
            true => instruction.arguments(),
            false => instruction.operands(),
        };
        let shapes: Option<Vec<Shape>> = operands.iter().map(|v| self.operand(*v)).collect();
        let shape = self.of_operation(instruction, &operands, &shapes?);
        let ty = instruction.ty();
        let countable = ty.is_pointer() || ty.int_width().is_some_and(|width| width <= 64);
        Some(if countable || shape == Uniform { shape } else { Varying })
    }

    fn of_operation(&self, instruction: Value<'c>, operands: &[Value<'c>], shapes: &[Shape]) -> Shape {
        let all_uniform = shapes.iter().all(|s| *s == Uniform);
        let combined = |f: fn(i64, i64) -> i64| match [shapes[0], shapes[1]].map(|shape| shape.offsets(self.width)) {
            [Some(a), Some(b)] => Shape::by_thread(self.width, |thread| f(a[thread], b[thread])),
            _ => Varying,
        };
        let times = |i: usize, factor: i64| match shapes[i].offsets(self.width) {
            Some(all) => Shape::by_thread(self.width, |thread| all[thread].wrapping_mul(factor)),
            None => Varying,
        };
        let is_count = || Count::of(instruction).is_some_and(|count| count.is_monotone(|value| self.of(value)));
        if self.agreed.contains(&instruction) {
            return Uniform;
        }
        if !all_uniform && self.assumed_affine.contains(&instruction) {
            let assumed = match self.is_aligned(instruction) {
                true => low_bits::assumed_shape(instruction, shapes, self.width),
                false => affine::assumed_shape(instruction, shapes),
            };
            return assumed.unwrap_or(Varying);
        }
        let by_constant = |i: usize| operands.get(i).and_then(|v| v.as_u64()).filter(|_| shapes[i] == Uniform);
        match instruction.opcode() {
            Opcode::Alloca if is_shared(instruction) => Uniform,
            Opcode::Alloca => {
                let count = operands.first().and_then(|v| v.as_u64()).unwrap_or(1);
                let size = count * instruction.allocated_type().alloc_size(self.module);
                // That of the next thread is aligned too.
                Shape::affine(size.next_multiple_of(instruction.alignment().max(1).into()) as i64)
            }
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => Varying,
            Opcode::Load if is_ordered(instruction) => Varying,
            Opcode::Call if element_size(instruction).is_some() => {
                Shape::affine(element_size(instruction).unwrap_or(0) as i64)
            }
            Opcode::Call if Masked::of(instruction) == Some(Masked::Any) => Uniform,
            // Threads may leave it one by one.
            Opcode::Call if Masked::of(instruction) == Some(Masked::Assumed) => Varying,
            // All threads that load from one place get the same.
            Opcode::Call if Masked::of(instruction) == Some(Masked::Load) && shapes[0] == Uniform => Uniform,
            Opcode::Call => {
                let intrinsic = instruction.called_intrinsic().is_some();
                if all_uniform && instruction.is_repeatable() && (intrinsic || instruction.called_function().is_some())
                {
                    Uniform
                } else {
                    Varying
                }
            }
            _ if all_uniform => Uniform,
            Opcode::Add | Opcode::LShr if self.guesses && is_count() => Uniform,
            // Only integers of up to 64 bits and pointers are affine.
            Opcode::Add => combined(i64::wrapping_add),
            Opcode::Or if instruction.is_disjoint() => combined(i64::wrapping_add),
            Opcode::Sub => combined(i64::wrapping_sub),
            Opcode::Mul => match [0, 1].map(|i| signed_constant(operands[i]).filter(|_| shapes[i] == Uniform)) {
                [Some(factor), _] => times(1, factor),
                [_, Some(factor)] => times(0, factor),
                _ => Varying,
            },
            Opcode::Shl => match by_constant(1) {
                Some(bits) if bits < 63 => times(0, 1 << bits),
                _ => Varying,
            },
            Opcode::ZExt | Opcode::SExt if self.guesses || extends_exactly(instruction, self) => shapes[0],
            Opcode::Trunc | Opcode::Freeze => shapes[0],
            Opcode::PtrToInt | Opcode::IntToPtr if self.pointer_sized(instruction.ty(), operands[0].ty()) => shapes[0],
            Opcode::GetElementPtr => self.of_address(instruction, operands, shapes),
            Opcode::Select => match self.assumed_condition(operands[0]) {
                Some(value) => shapes[if value { 1 } else { 2 }],
                None if shapes[0] == Uniform && shapes[1] == shapes[2] => shapes[1],
                None if self.guesses && shapes[0] == Uniform && is_invalid(operands[2]) => shapes[1],
                None if self.guesses && shapes[0] == Uniform && is_invalid(operands[1]) => shapes[2],
                None => Varying,
            },
            _ => Varying,
        }
    }

    /// Whether the first and the last thread decide whether all threads agree on a condition: a comparison of an affine
    /// value, or of one that rises, with a uniform one, or a combination of such comparisons and uniform conditions.
    pub(crate) fn is_ordered(&self, condition: Value<'c>) -> bool {
        if self.of(condition) == Uniform {
            return true;
        }
        match Condition::of(condition, true) {
            Some(Condition::Comparison) => {
                let ty = condition.operand(0).ty();
                match [0, 1].map(|number| self.of(condition.operand(number))) {
                    [Affine(step), Uniform] | [Uniform, Affine(step)] => is_small(step, ty),
                    [Shape::Offsets(offsets), Uniform] | [Uniform, Shape::Offsets(offsets)] => {
                        let own = &offsets[..self.width as usize];
                        own.is_sorted() && own.last().is_some_and(|last| is_small(*last, ty))
                    }
                    _ => false,
                }
            }
            Some(Condition::Not(part)) => self.is_ordered(part),
            Some(Condition::All(parts) | Condition::Any(parts)) => parts.both.into_iter().all(|p| self.is_ordered(p)),
            None => false,
        }
    }

    fn pointer_sized(&self, a: Type<'c>, b: Type<'c>) -> bool {
        a.alloc_size(self.module) == b.alloc_size(self.module)
    }

    /// The shape of a `getelementptr`: the sum of its indices, each times the size of its elements.
    fn of_address(&self, gep: Value<'c>, operands: &[Value<'c>], shapes: &[Shape]) -> Shape {
        let Some(mut offsets) = shapes[0].offsets(self.width) else { return Varying };
        let mut ty = gep.gep_source_type();
        for (number, (index, shape)) in operands[1..].iter().zip(&shapes[1..]).enumerate() {
            if number > 0 {
                let parts = ty.parts();
                let part = if ty.kind() == TypeKind::Struct { index.as_u64().unwrap_or(0) as usize } else { 0 };
                let Some(inner) = parts.get(part) else { return Varying };
                ty = *inner;
            }
            match shape.offsets(self.width) {
                Some(_) if *shape == Uniform => {}
                Some(by) if index.ty().int_width() == Some(64) => {
                    let size = ty.alloc_size(self.module) as i64;
                    let more = by.into_iter().map(|by| by.wrapping_mul(size));
                    offsets.iter_mut().zip(more).for_each(|(offset, more)| *offset = offset.wrapping_add(more));
                }
                _ => return Varying,
            }
        }
        Shape::by_thread(self.width, |thread| offsets[thread])
    }
}

/// The order that a comparison asks for; none if it asks for equality. Only 0 is not above 0.
pub(crate) fn ordering(compare: Value<'_>) -> Option<IntPredicate> {
    let with_zero = compare.operand(1).is_null();
    match compare.icmp_predicate() {
        IntPredicate::Eq => with_zero.then_some(IntPredicate::Ule),
        IntPredicate::Ne => with_zero.then_some(IntPredicate::Ugt),
        order => Some(order),
    }
}

/// Whether a value is the index of a thread that has none: the greatest number.
pub(crate) fn is_invalid(value: Value<'_>) -> bool {
    value.is_constant() && value.ty().int_width() == Some(64) && value.as_u64() == Some(u64::MAX)
}

/// Whether an affine value is certainly affine after this `zext` or `sext`.
pub(crate) fn extends_exactly<'c>(extension: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    exact(extension.operand(0), shapes, extension.is(Opcode::SExt))
}

/// Whether an affine value of fewer than 64 bits increases without overflow from thread to thread, so that it is affine
/// after an extension too.
pub(crate) fn exact<'c>(value: Value<'c>, shapes: &Shapes<'_, 'c>, signed: bool) -> bool {
    // The x of a thread, which is small.
    if value.is_argument() || shapes.of(value) == Uniform {
        return true;
    }
    if !value.is_instruction() {
        return false;
    }
    // The values of the first and the last thread have been compared.
    if shapes.assumed_affine.contains(&value) {
        return !signed;
    }
    if shapes.assumed.contains_key(&value) && !value.is(Opcode::Load) {
        return signed || value.is(Opcode::ZExt);
    }
    let operands = value.operands();
    let grows = |index: usize| exact(operands[index], shapes, signed);
    match value.opcode() {
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl => {
            let flag = if signed { value.never_wraps_signed() } else { value.never_wraps() };
            flag && grows(0) && grows(1) && breaks_uniformly(value, shapes, signed)
        }
        Opcode::Or => value.is_disjoint() && grows(0) && grows(1) && breaks_uniformly(value, shapes, signed),
        Opcode::ZExt => exact(operands[0], shapes, false),
        Opcode::SExt => signed && grows(0),
        _ => false,
    }
}

/// Whether an operation that promises not to overflow, or to have disjoint operands, breaks its promise in all threads
/// if it does in the first one, for operands that are exact. Then the first thread's result determines the others'.
/// This is not so for `x - n`, which may be negative in the first thread, which does not use it, but not in the last.
fn breaks_uniformly<'c>(value: Value<'c>, shapes: &Shapes<'_, 'c>, signed: bool) -> bool {
    let Some(offsets) = shapes.of(value).offsets(shapes.width()) else { return true };
    let [rises, falls] = [offsets.iter().all(|by| *by >= 0), offsets.iter().all(|by| *by <= 0)];
    if rises && falls {
        return true;
    }
    if !signed {
        return if value.is(Opcode::Sub) { falls } else { rises };
    }
    let operands = value.operands();
    let is_negative = |v: &Value<'c>| signed_constant(*v).is_some_and(|constant| constant <= 0);
    let positive = |index: usize| not_negative(operands[index], shapes);
    match value.opcode() {
        Opcode::Add | Opcode::Or if rises => positive(0) || positive(1),
        Opcode::Add | Opcode::Or => falls && operands.iter().any(is_negative),
        Opcode::Sub => (rises || falls) && positive(if rises { 0 } else { 1 }),
        Opcode::Mul if falls => operands.iter().any(is_negative) && (positive(0) || positive(1)),
        _ => rises && positive(0) && (value.is(Opcode::Shl) || positive(1)),
    }
}

/// Whether a value with a sign is not negative, as long as it is not poison.
fn not_negative<'c>(value: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    let part = |index: u32| not_negative(value.operand(index), shapes);
    let sign = value.ty().int_width().map_or(0, |width| 1 << (width - 1));
    match value.is_instruction().then(|| value.opcode()) {
        // The x of a thread.
        None if value.is_argument() && matches!(shapes.of(value), Affine(_)) => true,
        Some(Opcode::Add | Opcode::Mul) if value.never_wraps_signed() => part(0) && part(1),
        Some(Opcode::Shl) if value.never_wraps_signed() => part(0),
        _ => value.known_bits().is_some_and(|known| known.zeros & sign != 0),
    }
}

/// A constant with its sign.
fn signed_constant(value: Value<'_>) -> Option<i64> {
    let unused = 64 - value.ty().int_width().filter(|width| (1..=64).contains(width))?;
    value.as_u64().map(|number| ((number << unused) as i64) >> unused)
}
