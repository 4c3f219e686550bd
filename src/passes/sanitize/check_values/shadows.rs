//! The shadow of a value: a value of the same size in which the bits are set that nobody has written.
//!
//! A shadow starts at a load, whose bits the runtime knows, and at the contents of a local before the first store,
//! which `expose_accesses` marks. It follows the bits through casts, shifts and logic, so padding that is loaded with
//! a struct does not spoil the fields. Other operations spoil their whole result. What a function receives and what a
//! call returns counts as written, and so do vectors, and everything that is stored.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::analysis::objects::{Object, Objects};
use crate::contract::checker::{self, UNWRITTEN};
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Type, TypeKind, Value};

/// The longest chain of operations that a shadow follows. Beyond it, values count as written.
const DEEPEST: usize = 500;
/// The largest load with a shadow, in bytes.
const LARGEST: u64 = 8;

/// The shadows of the values of a function.
pub(super) struct Shadows<'m, 'o, 'c> {
    module: &'m Module<'c>,
    objects: &'o Objects<'o, 'c>,
    /// The variable of `expose_accesses`.
    unwritten: Option<Value<'c>>,
    /// None is a value whose bits are all written.
    known: HashMap<Value<'c>, Option<Value<'c>>>,
    depth: usize,
}

impl<'m, 'o, 'c> Shadows<'m, 'o, 'c> {
    pub(super) fn new(module: &'m Module<'c>, objects: &'o Objects<'o, 'c>) -> Self {
        Self { module, objects, unwritten: module.variable(UNWRITTEN), known: HashMap::new(), depth: 0 }
    }

    /// The shadow of a value; none if all bits are written.
    pub(super) fn of(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        let ty = self.shadow_type(value.ty())?;
        if value.is_undef() {
            return self.all_ones(ty);
        }
        if !value.is_instruction() {
            return None;
        }
        if let Some(shadow) = self.known.get(&value) {
            return *shadow;
        }
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let shadow = if value.is(Opcode::Phi) { self.of_phi(value, ty) } else { self.of_instruction(value, ty) };
        self.depth -= 1;
        self.known.insert(value, shadow);
        shadow
    }

    /// Whether any bit of a shadow is set.
    pub(super) fn is_any_set(builder: &Builder<'c>, shadow: Value<'c>) -> Value<'c> {
        builder.icmp(IntPredicate::Ne, shadow, shadow.ty().zero(), "")
    }

    /// The integer of the same size, or a struct of such integers.
    fn shadow_type(&self, ty: Type<'c>) -> Option<Type<'c>> {
        let types = self.module.types();
        match ty.kind() {
            TypeKind::Integer => Some(ty),
            TypeKind::Float | TypeKind::Double => Some(types.int(8 * ty.store_size(self.module) as u32)),
            TypeKind::Pointer => Some(types.i64()),
            TypeKind::Struct => {
                let fields: Option<Vec<_>> = ty.parts().into_iter().map(|part| self.shadow_type(part)).collect();
                Some(types.structure(&fields?))
            }
            _ => None,
        }
    }

    /// All bits of a shadow's type.
    fn all_ones(&self, ty: Type<'c>) -> Option<Value<'c>> {
        if ty.int_width().is_some() {
            return Some(ty.all_ones());
        }
        let fields: Option<Vec<_>> = ty.parts().into_iter().map(|part| self.all_ones(part)).collect();
        Some(ty.structure_constant(&fields?))
    }

    fn of_phi(&mut self, phi: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        let shadow = Builder::before(phi).phi(ty, "");
        self.known.insert(phi, Some(shadow));
        for (value, block) in phi.incoming() {
            let incoming = self.of(value).unwrap_or_else(|| ty.zero());
            shadow.add_incoming(incoming, block);
        }
        Some(shadow)
    }

    fn of_instruction(&mut self, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        match value.opcode() {
            Opcode::Load if self.unwritten == Some(variable_of(value.operand(0))) => Some(ty.all_ones()),
            Opcode::Load => self.of_load(value, ty),
            Opcode::And | Opcode::Or => self.of_logic(value),
            Opcode::Xor | Opcode::Add | Opcode::Sub | Opcode::Mul => {
                let [left, right] = [self.of(value.operand(0)), self.of(value.operand(1))];
                either(&Builder::before(value), left, right)
            }
            Opcode::Shl | Opcode::LShr | Opcode::AShr => self.of_shift(value),
            Opcode::Trunc | Opcode::ZExt | Opcode::SExt => {
                let shadow = self.of(value.operand(0))?;
                Some(Builder::before(value).cast(value.opcode(), shadow, ty, ""))
            }
            Opcode::PtrToInt | Opcode::IntToPtr => self.of_number(value, ty),
            Opcode::BitCast => self.of(value.operand(0)).filter(|shadow| shadow.ty() == ty),
            Opcode::ICmp => self.of_comparison(value),
            Opcode::Select => self.of_select(value, ty),
            Opcode::ExtractValue => self.of_extracted(value),
            Opcode::InsertValue => self.of_inserted(value, ty),
            Opcode::GetElementPtr | Opcode::AddrSpaceCast => self.spoiled(value, ty),
            Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem | Opcode::FCmp => self.spoiled(value, ty),
            Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::FDiv | Opcode::FRem | Opcode::FNeg => {
                self.spoiled(value, ty)
            }
            Opcode::FPToUI | Opcode::FPToSI | Opcode::UIToFP | Opcode::SIToFP | Opcode::FPTrunc | Opcode::FPExt => {
                self.spoiled(value, ty)
            }
            _ => None,
        }
    }

    /// The runtime knows which bits of memory were written.
    fn of_load(&mut self, load: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        let bytes = load.ty().store_size(self.module);
        let is_checked = !load.is_atomic() && ty.int_width().is_some() && bytes <= LARGEST;
        if !is_checked || !matches!(self.objects.of(load.operand(0)), Object::Any) {
            return None;
        }
        let (builder, i64) = (Builder::before(load), self.module.types().i64());
        let function = checker::function(self.module, "unwritten");
        let bits = builder.call(function, &[load.operand(0), i64.constant(bytes)], "");
        Some(if ty == i64 { bits } else { builder.cast(Opcode::Trunc, bits, ty, "") })
    }

    /// A bit that is written decides the result if it is 0 in an `and`, and 1 in an `or`.
    fn of_logic(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        let operands = [value.operand(0), value.operand(1)];
        let shadows = operands.map(|operand| self.of(operand));
        let builder = Builder::before(value);
        let zero = value.ty().zero();
        let [left, right] = shadows.map(|shadow| shadow.unwrap_or(zero));
        if shadows == [None, None] {
            return None;
        }
        let passes = |operand: Value<'c>| match value.is(Opcode::And) {
            true => operand,
            false => builder.binary(Opcode::Xor, operand, operand.ty().all_ones(), ""),
        };
        let and = |a, b| builder.binary(Opcode::And, a, b, "");
        let both = and(left, right);
        let parts = [and(passes(operands[0]), right), and(passes(operands[1]), left)];
        Some(parts.into_iter().fold(both, |all, part| builder.binary(Opcode::Or, all, part, "")))
    }

    fn of_shift(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        let (shifted, amount) = (self.of(value.operand(0)), self.of(value.operand(1)));
        let builder = Builder::before(value);
        let shifted = shifted.map(|shadow| builder.binary(value.opcode(), shadow, value.operand(1), ""));
        let amount = amount.map(|shadow| spoil(&builder, shadow, value.ty()));
        either(&builder, shifted, amount)
    }

    /// The bits of a pointer as a number, or of a number as a pointer: the optimiser keeps pairs of small numbers, of
    /// which one may be unwritten, in pointers.
    fn of_number(&mut self, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        let shadow = self.of(value.operand(0))?;
        let opcode = match shadow.ty().int_width().cmp(&ty.int_width()) {
            Ordering::Less => Opcode::ZExt,
            Ordering::Equal => return Some(shadow),
            Ordering::Greater => Opcode::Trunc,
        };
        Some(Builder::before(value).cast(opcode, shadow, ty, ""))
    }

    fn of_comparison(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        let shadows = [self.of(value.operand(0)), self.of(value.operand(1))];
        let builder = Builder::before(value);
        let both = either(&builder, shadows[0], shadows[1])?;
        if value.operand(0).ty() != both.ty() {
            return Some(Self::is_any_set(&builder, both));
        }
        Some(match value.icmp_predicate() {
            IntPredicate::Eq | IntPredicate::Ne => Self::of_equality(&builder, value, both),
            predicate => Self::of_order(&builder, value, shadows, predicate),
        })
    }

    /// Two values that differ in a written bit are not equal, whatever the other bits are.
    fn of_equality(builder: &Builder<'c>, value: Value<'c>, both: Value<'c>) -> Value<'c> {
        let is_unwritten = Self::is_any_set(builder, both);
        let differ = builder.binary(Opcode::Xor, value.operand(0), value.operand(1), "");
        let written = builder.binary(Opcode::Xor, both, both.ty().all_ones(), "");
        let known = builder.binary(Opcode::And, differ, written, "");
        let is_open = builder.icmp(IntPredicate::Eq, known, known.ty().zero(), "");
        builder.binary(Opcode::And, is_unwritten, is_open, "")
    }

    /// The unwritten bits decide if the comparison has one result for the smallest left and the largest right operand
    /// that the written bits permit, and another one for the opposite choice. The optimiser makes such comparisons from
    /// tests of the upper bits.
    fn of_order(
        builder: &Builder<'c>,
        value: Value<'c>,
        shadows: [Option<Value<'c>>; 2],
        predicate: IntPredicate,
    ) -> Value<'c> {
        let ranges = [0, 1].map(|i| range(builder, value.operand(i), shadows[i as usize], predicate.is_signed()));
        let [(smallest, largest), (other_smallest, other_largest)] = ranges;
        let one = builder.icmp(unsigned(predicate), smallest, other_largest, "");
        let other = builder.icmp(unsigned(predicate), largest, other_smallest, "");
        builder.binary(Opcode::Xor, one, other, "")
    }

    fn of_select(&mut self, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        let [then, or_else] = [self.of(value.operand(1)), self.of(value.operand(2))];
        let condition = self.of(value.operand(0)).filter(|_| ty.int_width().is_some());
        let builder = Builder::before(value);
        let chosen = (then.is_some() || or_else.is_some()).then(|| {
            let [then, or_else] = [then, or_else].map(|shadow| shadow.unwrap_or_else(|| ty.zero()));
            builder.select(value.operand(0), then, or_else, "")
        });
        // The bits in which the two values agree are the same whatever the condition is.
        let condition = condition.map(|shadow| {
            let spoiled = spoil(&builder, shadow, ty);
            if value.ty() != ty {
                return spoiled;
            }
            let differ = builder.binary(Opcode::Xor, value.operand(1), value.operand(2), "");
            builder.binary(Opcode::And, spoiled, differ, "")
        });
        either(&builder, chosen, condition)
    }

    fn of_extracted(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        let [index] = value.aggregate_indices()[..] else { return None };
        let aggregate = self.of(value.operand(0))?;
        Some(Builder::before(value).extract_value(aggregate, index, ""))
    }

    fn of_inserted(&mut self, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        let [index] = value.aggregate_indices()[..] else { return None };
        let [aggregate, element] = [self.of(value.operand(0)), self.of(value.operand(1))];
        if aggregate.is_none() && element.is_none() {
            return None;
        }
        let element = element.unwrap_or_else(|| ty.parts()[index as usize].zero());
        let aggregate = aggregate.unwrap_or_else(|| ty.zero());
        Some(Builder::before(value).insert_value(aggregate, element, index, ""))
    }

    /// All bits, if any bit of an operand is not written.
    fn spoiled(&mut self, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        let shadows: Vec<_> = value.operands().into_iter().filter_map(|operand| self.of(operand)).collect();
        let builder = Builder::before(value);
        let spoiled = shadows.into_iter().map(|shadow| spoil(&builder, shadow, ty));
        spoiled.reduce(|all, shadow| builder.binary(Opcode::Or, all, shadow, ""))
    }
}

fn either<'c>(builder: &Builder<'c>, left: Option<Value<'c>>, right: Option<Value<'c>>) -> Option<Value<'c>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(builder.binary(Opcode::Or, left, right, "")),
        (left, right) => left.or(right),
    }
}

/// The smallest and the largest number that the written bits of a value permit. Signed numbers are moved so that their
/// order is that of unsigned ones.
fn range<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    shadow: Option<Value<'c>>,
    is_signed: bool,
) -> (Value<'c>, Value<'c>) {
    let ty = value.ty();
    let sign = ty.int_width().filter(|_| is_signed).map(|width| {
        let top = ty.constant(u64::from(width) - 1);
        builder.binary(Opcode::Shl, ty.constant(1), top, "")
    });
    let moved = sign.map_or(value, |sign| builder.binary(Opcode::Xor, value, sign, ""));
    let Some(shadow) = shadow else { return (moved, moved) };
    let written = builder.binary(Opcode::Xor, shadow, ty.all_ones(), "");
    (builder.binary(Opcode::And, moved, written, ""), builder.binary(Opcode::Or, moved, shadow, ""))
}

/// The same comparison of unsigned numbers.
fn unsigned(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        IntPredicate::Slt => IntPredicate::Ult,
        IntPredicate::Sle => IntPredicate::Ule,
        IntPredicate::Sgt => IntPredicate::Ugt,
        IntPredicate::Sge => IntPredicate::Uge,
        same => same,
    }
}

/// All bits of a type, if any bit of a shadow is set.
fn spoil<'c>(builder: &Builder<'c>, shadow: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let is_unwritten = Shadows::is_any_set(builder, shadow);
    if ty.int_width() == Some(1) { is_unwritten } else { builder.cast(Opcode::SExt, is_unwritten, ty, "") }
}

/// The variable that a pointer leads into, if it does; else the pointer.
fn variable_of(mut pointer: Value<'_>) -> Value<'_> {
    let is_offset = |p: Value<'_>| p.constant_opcode() == Some(Opcode::GetElementPtr);
    while pointer.is_instruction() && pointer.is(Opcode::GetElementPtr) || is_offset(pointer) {
        pointer = pointer.operand(0);
    }
    pointer
}
