//! The shadow of a value: a value of the same size in which the unwritten bits are set.
//!
//! A shadow starts at a load, for which the runtime has the shadow of the memory, and at the contents of a local before
//! the first store, which `expose_accesses` marks. It follows the bits through casts, shifts and logic, so padding that
//! is loaded with a struct does not spoil the fields. Other operations spoil their whole result. Parameters, results of
//! calls, vectors and stored values count as written.
//!
//! The optimiser makes a choice between two values (`select`, `llvm.umin`) of a branch. A second shadow has the bits
//! that such a choice has decided by unwritten bits. It starts at the choices alone, so a value that is only copied has
//! none.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::analysis::objects::{Object, Objects};
use crate::contract::checker::{self, UNWRITTEN};
use crate::llvm::{Builder, Function, IntPredicate, Module, Opcode, Place, Type, TypeKind, Value};

/// The longest chain of operations that a shadow follows. Beyond it, values count as written.
const DEEPEST: usize = 500;
/// The largest load with a shadow, in bytes.
const LARGEST: u64 = 8;

/// The bits that are set in a shadow.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Bits {
    /// The unwritten bits.
    Unwritten,
    /// The bits that depend on a choice with an unwritten condition.
    Chosen,
}

/// The shadows of the values of a function.
pub(super) struct Shadows<'m, 'o, 'c> {
    module: &'m Module<'c>,
    objects: &'o Objects<'o, 'c>,
    /// The variable of `expose_accesses`.
    unwritten: Option<Value<'c>>,
    /// None is a value whose bits are all written.
    known: HashMap<(Value<'c>, Bits), Option<Value<'c>>>,
    /// The shadow that is computed.
    bits: Bits,
    depth: usize,
}

impl<'m, 'o, 'c> Shadows<'m, 'o, 'c> {
    pub(super) fn new(module: &'m Module<'c>, objects: &'o Objects<'o, 'c>) -> Self {
        let unwritten = module.variable(UNWRITTEN);
        Self { module, objects, unwritten, known: HashMap::new(), bits: Bits::Unwritten, depth: 0 }
    }

    /// A shadow of a value; none if no bit is set.
    pub(super) fn with(&mut self, bits: Bits, value: Value<'c>) -> Option<Value<'c>> {
        let outer = std::mem::replace(&mut self.bits, bits);
        let shadow = self.of(value);
        self.bits = outer;
        shadow
    }

    /// The shadow that is computed, of a value.
    fn of(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        let ty = self.shadow_type(value.ty())?;
        if value.is_undef() {
            return self.all_ones(ty).filter(|_| self.bits == Bits::Unwritten);
        }
        if !value.is_instruction() {
            return None;
        }
        if let Some(shadow) = self.known.get(&(value, self.bits)) {
            return *shadow;
        }
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let shadow = if value.is(Opcode::Phi) { self.of_phi(value, ty) } else { self.of_instruction(value, ty) };
        self.depth -= 1;
        self.known.insert((value, self.bits), shadow);
        shadow
    }

    /// Whether any bit of a shadow is set.
    pub(super) fn is_any_set(builder: &Builder<'c>, shadow: Value<'c>) -> Value<'c> {
        builder.icmp(IntPredicate::Ne, shadow, shadow.ty().zero(), "")
    }

    /// Whether no bit of a shadow is ever set, as in those of a loop's counters.
    pub(super) fn is_never_set(shadow: Value<'c>) -> bool {
        let (mut work, mut seen) = (vec![shadow], HashSet::new());
        while let Some(part) = work.pop() {
            if !seen.insert(part) || part.is_null() {
                continue;
            }
            if !part.is_instruction() {
                return false;
            }
            match part.opcode() {
                Opcode::Phi => work.extend(part.incoming().into_iter().map(|(value, _)| value)),
                Opcode::Or => work.extend(part.operands()),
                Opcode::ZExt | Opcode::SExt | Opcode::Trunc => work.push(part.operand(0)),
                Opcode::Select => work.extend([part.operand(1), part.operand(2)]),
                Opcode::ICmp if part.icmp_predicate() == IntPredicate::Ne && part.operand(1).is_null() => {
                    work.push(part.operand(0));
                }
                _ => return false,
            }
        }
        true
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
        self.known.insert((phi, self.bits), Some(shadow));
        for (value, block) in phi.incoming() {
            let incoming = self.of(value).unwrap_or_else(|| ty.zero());
            shadow.add_incoming(incoming, block);
        }
        Some(shadow)
    }

    fn of_instruction(&mut self, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        match value.opcode() {
            Opcode::Load if self.bits == Bits::Chosen => None,
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
            Opcode::Call => self.of_call(value, ty),
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

    /// The runtime has a record of the bits of memory that were written.
    fn of_load(&mut self, load: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        if self.unwritten == Some(variable_of(load.operand(0))) {
            return Some(ty.all_ones());
        }
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
            predicate => Self::of_order(&builder, [value.operand(0), value.operand(1)], shadows, predicate),
        })
    }

    /// Two values that differ in a written bit are not equal, regardless of the other bits.
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
        values: [Value<'c>; 2],
        shadows: [Option<Value<'c>>; 2],
        predicate: IntPredicate,
    ) -> Value<'c> {
        let ranges = [0, 1].map(|i| range(builder, values[i], shadows[i], predicate.is_signed()));
        let [(smallest, largest), (other_smallest, other_largest)] = ranges;
        let one = builder.icmp(unsigned(predicate), smallest, other_largest, "");
        let other = builder.icmp(unsigned(predicate), largest, other_smallest, "");
        builder.binary(Opcode::Xor, one, other, "")
    }

    fn of_select(&mut self, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        let condition = self.with(Bits::Unwritten, value.operand(0)).filter(|_| ty.int_width().is_some());
        let builder = Builder::before(value);
        self.of_choice(&builder, value.operand(0), condition, [value.operand(1), value.operand(2)])
    }

    /// The shadow of one of two values, by the condition and its shadow.
    fn of_choice(
        &mut self,
        builder: &Builder<'c>,
        condition: Value<'c>,
        open: Option<Value<'c>>,
        values: [Value<'c>; 2],
    ) -> Option<Value<'c>> {
        let ty = self.shadow_type(values[0].ty())?;
        let shadows = values.map(|value| self.of(value));
        let chosen = (shadows != [None, None]).then(|| {
            let [then, or_else] = shadows.map(|shadow| shadow.unwrap_or_else(|| ty.zero()));
            builder.select(condition, then, or_else, "")
        });
        // The written bits in which the two values agree are the same for both values of the condition.
        let decided = open.map(|open| {
            let spoiled = spoil(builder, open, ty);
            if values[0].ty() != ty {
                return spoiled;
            }
            let unwritten = values.map(|value| self.with(Bits::Unwritten, value));
            let differ = builder.binary(Opcode::Xor, values[0], values[1], "");
            let differ =
                unwritten.into_iter().flatten().fold(differ, |all, more| builder.binary(Opcode::Or, all, more, ""));
            builder.binary(Opcode::And, spoiled, differ, "")
        });
        either(builder, chosen, decided)
    }

    /// Only intrinsics that compute with their operands have a result that is not written.
    fn of_call(&mut self, call: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        // memory(none) is encoded as 0.
        let computes = |f: &Function<'c>| f.attribute_value(Place::Function, "memory") == Some(0);
        let function = call.called_function().filter(|f| f.is_intrinsic() && computes(f))?;
        let name = function.name();
        let mut words = name.split('.').skip(1);
        let arguments = call.arguments();
        match words.next()? {
            name @ ("umin" | "umax" | "smin" | "smax") => self.of_extreme(call, name),
            _ if words.next() == Some("with") => {
                let builder = Builder::before(call);
                let both = either(&builder, self.of(arguments[0]), self.of(arguments[1]))?;
                let result = builder.insert_value(ty.zero(), both, 0, "");
                Some(builder.insert_value(result, Self::is_any_set(&builder, both), 1, ""))
            }
            "bswap" | "bitreverse" => {
                let shadow = self.of(arguments[0])?;
                Some(Builder::before(call).call(function, &[shadow], ""))
            }
            "fshl" | "fshr" => {
                let [high, low, amount] = [0, 1, 2].map(|i| self.of(arguments[i]));
                let builder = Builder::before(call);
                let moved = (high.is_some() || low.is_some()).then(|| {
                    let [high, low] = [high, low].map(|shadow| shadow.unwrap_or_else(|| ty.zero()));
                    builder.call(function, &[high, low, arguments[2]], "")
                });
                let amount = amount.map(|shadow| spoil(&builder, shadow, ty));
                either(&builder, moved, amount)
            }
            _ if ty.int_width().is_some() => self.spoiled(call, ty),
            _ => None,
        }
    }

    /// The smaller or larger of two numbers is a choice by their order.
    fn of_extreme(&mut self, call: Value<'c>, name: &str) -> Option<Value<'c>> {
        let predicate = match name {
            "umin" => IntPredicate::Ult,
            "umax" => IntPredicate::Ugt,
            "smin" => IntPredicate::Slt,
            _ => IntPredicate::Sgt,
        };
        let values = [call.arguments()[0], call.arguments()[1]];
        let shadows = values.map(|value| self.with(Bits::Unwritten, value));
        if shadows == [None, None] {
            return None;
        }
        let builder = Builder::before(call);
        let open = Self::of_order(&builder, values, shadows, predicate);
        let first = builder.icmp(predicate, values[0], values[1], "");
        self.of_choice(&builder, first, Some(open), values)
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
