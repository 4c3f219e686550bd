//! Values as terms: the expression that computes a value, from constants, parameters, phis and loads.
//!
//! A term that contains a phi or a read means the last value of that instruction. The operations of a term have no
//! separate time: at each use of a value, SSA form ensures that its operands have the values that it was computed from.
//!
//! A value is unknown only if it is a source of divergence (`analysis/divergence.rs`). So the proof and the check of
//! convergence agree about the values that may differ between threads, and code that a compiler has copied is accepted
//! if the original is.

use std::collections::{HashMap, HashSet};

use crate::analysis::divergence::is_source;
use crate::analysis::locals::{is_local, is_own_copy};
use crate::contract::builtin::Builtin;
use crate::contract::queries::is_query;
use crate::llvm::{IntPredicate, Opcode, Place, RealPredicate, Type, Value};

/// A term of a [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term(u32);

impl Term {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The largest depth of a term.
const DEPTH: usize = 48;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape<'c> {
    /// A constant or a parameter, which is the same at any time.
    Fixed(Value<'c>),
    /// The last value of a phi, or of a read: a load, or a call whose result depends on memory.
    Last(Value<'c>),
    Operation(Operation<'c>, Vec<Term>),
    /// The value of a read in the current segment: a load from this address, or a call with these arguments.
    Read(Operation<'c>, Vec<Term>),
    /// Any other value of which nothing more is known.
    Other(Value<'c>),
    /// A source of divergence.
    Unknown,
}

/// The operation of a term on its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Operation<'c> {
    pub(super) opcode: Opcode,
    pub(super) ty: Type<'c>,
    pub(super) detail: Detail,
    pub(super) never_wraps: bool,
}

/// Properties of an instruction other than its opcode and its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Detail {
    Nothing,
    Predicate(IntPredicate),
    /// Indices, an element type or a function.
    Text(String),
    /// The predicate of a comparison of floats.
    RealPredicate(RealPredicate),
}

impl Detail {
    pub(super) fn predicate(&self) -> Option<IntPredicate> {
        if let Self::Predicate(predicate) = self { Some(*predicate) } else { None }
    }
}

/// A set of terms without duplicates.
pub(super) struct Terms<'a, 'c> {
    sources: &'a HashSet<Value<'c>>,
    shapes: Vec<Shape<'c>>,
    numbers: HashMap<Shape<'c>, Term>,
    of_value: HashMap<Value<'c>, Term>,
    /// By term: whether it contains a [`Shape::Read`], a [`Shape::Last`], or a [`Shape::Unknown`].
    read: Vec<bool>,
    timed: Vec<bool>,
    unknown: Vec<bool>,
}

impl<'a, 'c> Terms<'a, 'c> {
    /// No terms; `sources` is the result of `divergence_sources` for the module.
    pub(super) fn new(sources: &'a HashSet<Value<'c>>) -> Self {
        let (numbers, of_value) = (HashMap::new(), HashMap::new());
        let (shapes, read, timed, unknown) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Terms { sources, shapes, numbers, of_value, read, timed, unknown }
    }

    pub(super) fn shape(&self, term: Term) -> &Shape<'c> {
        &self.shapes[term.index()]
    }

    /// Whether a term contains a value that was read in the current segment.
    pub(super) fn is_read(&self, term: Term) -> bool {
        self.read[term.index()]
    }

    /// Whether a term depends on the last value of an instruction.
    pub(super) fn is_timed(&self, term: Term) -> bool {
        self.timed[term.index()]
    }

    /// Whether a term contains a source of divergence. Two of them are one term, and need not be one value.
    pub(super) fn is_unknown(&self, term: Term) -> bool {
        self.unknown[term.index()]
    }

    /// The instruction whose value a term is, if it is not an operation on other terms.
    pub(super) fn instruction(&self, term: Term) -> Option<Value<'c>> {
        match self.shape(term) {
            Shape::Last(value) | Shape::Other(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of a term that is a constant number.
    pub(super) fn constant(&self, term: Term) -> Option<u64> {
        if let Shape::Fixed(value) = self.shape(term) { value.as_u64() } else { None }
    }

    /// The value of a term that is a constant float.
    pub(super) fn real_constant(&self, term: Term) -> Option<f64> {
        if let Shape::Fixed(value) = self.shape(term) { value.as_f64() } else { None }
    }

    /// The width of a term, if it is an integer.
    pub(super) fn width(&self, term: Term) -> Option<u32> {
        self.ty(term)?.int_width()
    }

    /// The type of a term; none of a source of divergence.
    pub(super) fn ty(&self, term: Term) -> Option<Type<'c>> {
        match self.shape(term) {
            Shape::Fixed(value) | Shape::Last(value) | Shape::Other(value) => Some(value.ty()),
            Shape::Operation(operation, _) | Shape::Read(operation, _) => Some(operation.ty),
            Shape::Unknown => None,
        }
    }

    /// The index of a shape.
    pub(super) fn add(&mut self, shape: Shape<'c>) -> Term {
        if let Some(term) = self.numbers.get(&shape) {
            return *term;
        }
        let any = |of: &[Term], has: &[bool]| of.iter().any(|term| has[term.index()]);
        let (read, timed, unknown) = match &shape {
            Shape::Fixed(_) => (false, false, false),
            Shape::Unknown => (false, false, true),
            Shape::Last(_) | Shape::Other(_) => (false, true, false),
            Shape::Read(_, of) => (true, any(of, &self.timed), any(of, &self.unknown)),
            Shape::Operation(_, of) => (any(of, &self.read), any(of, &self.timed), any(of, &self.unknown)),
        };
        let term = Term(u32::try_from(self.shapes.len()).expect("a function has fewer than 4,294,967,296 terms"));
        self.numbers.insert(shape.clone(), term);
        self.shapes.push(shape);
        self.read.push(read);
        self.timed.push(timed);
        self.unknown.push(unknown);
        term
    }

    /// The term of an operation. Simple operations on constants are folded, and operations whose result is an operand
    /// or a constant for every value of the other operand: in one copy of a loop, the counter may be the constant 0.
    pub(super) fn operation(&mut self, operation: Operation<'c>, operands: Vec<Term>) -> Term {
        if let Some(term) = self.trivial(&operation, &operands) {
            return term;
        }
        let constants: Option<Vec<u64>> = operands.iter().map(|term| self.constant(*term)).collect();
        let folded = match (operation.opcode, constants.as_deref(), operation.ty.int_width()) {
            (Opcode::ICmp, Some([a, b]), _) => operation.detail.predicate().and_then(|p| compare(p, *a, *b)),
            (opcode, Some(of), Some(width)) if width <= 64 => fold(opcode, of, width),
            _ => None,
        };
        match folded {
            Some(value) => self.add(Shape::Fixed(operation.ty.constant(value))),
            None => self.add(Shape::Operation(operation, operands)),
        }
    }

    /// The result of an operation with one constant operand, if it is the other operand or a constant.
    fn trivial(&self, operation: &Operation<'c>, operands: &[Term]) -> Option<Term> {
        use Opcode::{Add, And, LShr, Mul, Or, Select, Shl, Sub, UDiv, Xor};
        let width = operation.ty.int_width().filter(|width| *width <= 64 && operation.detail == Detail::Nothing)?;
        if let ([condition, yes, no], Select) = (operands, operation.opcode) {
            return Some(if self.constant(*condition)? == 0 { *no } else { *yes });
        }
        let [left, right] = *operands else { return None };
        let (constant, other, is_right) = match self.constant(right) {
            Some(_) => (right, left, true),
            None => (left, right, false),
        };
        let (value, ones) = (self.constant(constant)?, u64::MAX >> (64 - width));
        match (operation.opcode, value) {
            (Add | Or | Xor, 0) | (Mul, 1) => Some(other),
            (Sub | Shl | LShr, 0) | (UDiv, 1) if is_right => Some(other),
            (And, value) if value == ones => Some(other),
            (And | Mul, 0) => Some(constant),
            (Or, value) if value == ones => Some(constant),
            _ => None,
        }
    }

    /// The term of a value.
    pub(super) fn of(&mut self, value: Value<'c>) -> Term {
        self.nested(value, 0)
    }

    fn nested(&mut self, value: Value<'c>, depth: usize) -> Term {
        if let Some(term) = self.of_value.get(&value) {
            return *term;
        }
        let shape = self.shape_of(value, depth);
        let term = self.add(shape);
        self.of_value.insert(value, term);
        term
    }

    fn shape_of(&mut self, value: Value<'c>, depth: usize) -> Shape<'c> {
        if value.is_constant() || (value.is_argument() && !is_own_copy(value)) {
            return Shape::Fixed(value);
        }
        if !value.is_instruction() || is_source(value, self.sources) {
            return Shape::Unknown;
        }
        match value.opcode() {
            // Each thread has its own.
            Opcode::Alloca => Shape::Unknown,
            _ if depth > DEPTH => Shape::Other(value),
            Opcode::Phi => Shape::Last(value),
            _ if is_read(value) => Shape::Last(value),
            // The threads see the same bits, also for undefined values.
            Opcode::Freeze => self.shapes_of_operand(value, depth),
            _ => match operation_of(value) {
                Some(operation) => {
                    let terms: Vec<_> = inputs(value).into_iter().map(|o| self.nested(o, depth + 1)).collect();
                    match self.trivial(&operation, &terms) {
                        Some(term) => self.shape(term).clone(),
                        None => Shape::Operation(operation, terms),
                    }
                }
                None => Shape::Other(value),
            },
        }
    }

    fn shapes_of_operand(&mut self, value: Value<'c>, depth: usize) -> Shape<'c> {
        let term = self.nested(value.operand(0), depth + 1);
        self.shape(term).clone()
    }

    /// The canonical form of a comparison: of integers `==`, `<` or `<=`, and only `<` with a constant; of floats an
    /// ordered one without `>`. See `Choice::negated`.
    pub(super) fn condition(&mut self, condition: Value<'c>) -> Term {
        if condition.is(Opcode::FCmp) {
            return self.real_condition(condition);
        }
        if !condition.is(Opcode::ICmp) {
            return self.of(condition);
        }
        use IntPredicate::*;
        let predicate = match condition.icmp_predicate() {
            Ne => Eq,
            Ugt => Ule,
            Uge => Ult,
            Sgt => Sle,
            Sge => Slt,
            other => other,
        };
        let (left, right) = (condition.operand(0), condition.operand(1));
        let (predicate, right) = match (predicate, successor(right)) {
            (Ule, Some(next)) => (Ult, next),
            (other, _) => (other, right),
        };
        let terms = vec![self.of(left), self.of(right)];
        self.comparison(condition, Detail::Predicate(predicate), terms)
    }

    fn real_condition(&mut self, condition: Value<'c>) -> Term {
        use RealPredicate::*;
        let predicate = condition.fcmp_predicate();
        let predicate = opposite(predicate).unwrap_or(predicate);
        let (left, right) = (self.of(condition.operand(0)), self.of(condition.operand(1)));
        let (predicate, terms) = match predicate {
            Ogt => (Olt, vec![right, left]),
            Oge => (Ole, vec![right, left]),
            other => (other, vec![left, right]),
        };
        self.comparison(condition, Detail::RealPredicate(predicate), terms)
    }

    fn comparison(&mut self, condition: Value<'c>, detail: Detail, terms: Vec<Term>) -> Term {
        let (opcode, ty) = (condition.opcode(), condition.ty());
        self.add(Shape::Operation(Operation { opcode, ty, detail, never_wraps: false }, terms))
    }
}

/// The ordered predicate that holds where this one does not; none for an ordered one.
pub(super) fn opposite(predicate: RealPredicate) -> Option<RealPredicate> {
    use RealPredicate::*;
    match predicate {
        Uno => Some(Ord),
        Ueq => Some(One),
        Ugt => Some(Ole),
        Uge => Some(Olt),
        Ult => Some(Oge),
        Ule => Some(Ogt),
        Une => Some(Oeq),
        _ => None,
    }
}

/// The operands of an instruction without the function that it calls.
pub(super) fn inputs(value: Value<'_>) -> Vec<Value<'_>> {
    if value.is_call() { value.arguments() } else { value.operands() }
}

/// Whether the value of an instruction depends on memory that may be written.
fn is_read(value: Value<'_>) -> bool {
    match value.opcode() {
        Opcode::Load => !reads_constant_memory(value),
        Opcode::Call => same_for_all(value).is_none(),
        _ => false,
    }
}

/// Whether an instruction may read, or copy from, memory that other threads may write.
pub(super) fn may_read_of_others(value: Value<'_>) -> bool {
    match value.opcode() {
        Opcode::Load => !reads_constant_memory(value) && !is_local(value.operand(0)),
        Opcode::Call => same_for_all(value).is_none() && !is_fill(value),
        _ => false,
    }
}

/// The operation of an instruction on its inputs; none if it is not fully described by the opcode and these details.
pub(super) fn operation_of(value: Value<'_>) -> Option<Operation<'_>> {
    let detail = match value.opcode() {
        Opcode::ICmp => Detail::Predicate(value.icmp_predicate()),
        Opcode::FCmp => Detail::RealPredicate(value.fcmp_predicate()),
        Opcode::ExtractValue | Opcode::InsertValue => Detail::Text(format!("{:?}", value.aggregate_indices())),
        Opcode::GetElementPtr => Detail::Text(value.gep_source_type().text()),
        Opcode::Call => Detail::Text(same_for_all(value).or_else(|| Some(value.called_function()?.name()))?),
        Opcode::Load => Detail::Nothing,
        opcode if is_plain(opcode) => Detail::Nothing,
        _ => return None,
    };
    Some(Operation { opcode: value.opcode(), ty: value.ty(), detail, never_wraps: value.never_wraps() })
}

/// The result of a comparison of unsigned numbers.
fn compare(predicate: IntPredicate, a: u64, b: u64) -> Option<u64> {
    let holds = match predicate {
        IntPredicate::Eq => a == b,
        IntPredicate::Ne => a != b,
        IntPredicate::Ult => a < b,
        IntPredicate::Ule => a <= b,
        IntPredicate::Ugt => a > b,
        IntPredicate::Uge => a >= b,
        _ => return None,
    };
    Some(holds.into())
}

/// The result of an operation on unsigned numbers, as a number of this width.
fn fold(opcode: Opcode, of: &[u64], width: u32) -> Option<u64> {
    use Opcode::{Add, And, LShr, Mul, Or, Select, Shl, Sub, Trunc, UDiv, URem, Xor, ZExt};
    let result = match (opcode, of) {
        (ZExt | Trunc, [a]) => *a,
        (Add, [a, b]) => a.wrapping_add(*b),
        (Sub, [a, b]) => a.wrapping_sub(*b),
        (Mul, [a, b]) => a.wrapping_mul(*b),
        (And, [a, b]) => a & b,
        (Or, [a, b]) => a | b,
        (Xor, [a, b]) => a ^ b,
        (UDiv, [a, b]) => a.checked_div(*b)?,
        (URem, [a, b]) => a.checked_rem(*b)?,
        (Shl, [a, b]) if *b < width.into() => a << b,
        (LShr, [a, b]) if *b < width.into() => a >> b,
        (Select, [condition, yes, no]) => *(if *condition == 0 { no } else { yes }),
        _ => return None,
    };
    Some(if width < 64 { result & ((1 << width) - 1) } else { result })
}

fn fits(value: u64, width: u32) -> bool {
    width == 64 || (width < 64 && value >> width == 0)
}

/// The next larger constant, if there is one.
fn successor(constant: Value<'_>) -> Option<Value<'_>> {
    let width = constant.ty().int_width()?;
    let next = constant.as_u64()?.checked_add(1)?;
    fits(next, width).then(|| constant.ty().constant(next))
}

fn is_plain(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Add | Sub
            | Mul
            | UDiv
            | SDiv
            | URem
            | SRem
            | Shl
            | LShr
            | AShr
            | And
            | Or
            | Xor
            | FAdd
            | FSub
            | FMul
            | FDiv
            | FRem
            | FNeg
            | Trunc
            | ZExt
            | SExt
            | FPToUI
            | FPToSI
            | UIToFP
            | SIToFP
            | FPTrunc
            | FPExt
            | PtrToInt
            | IntToPtr
            | BitCast
            | AddrSpaceCast
            | Select
            | ExtractElement
            | InsertElement
    )
}

/// Whether a call only sets bytes of memory.
fn is_fill(call: Value<'_>) -> bool {
    call.called_intrinsic().is_some_and(|callee| callee.name().starts_with("llvm.memset."))
}

/// Whether the memory of a load is never written: a constant, or memory that only a `readonly noalias` parameter points
/// to.
fn reads_constant_memory(load: Value<'_>) -> bool {
    let mut pointer = load.operand(0);
    while pointer.is(Opcode::GetElementPtr) {
        pointer = pointer.operand(0);
    }
    if pointer.is_argument() {
        let function = pointer.function();
        let index = function.parameters().iter().position(|p| *p == pointer);
        let place = Place::Parameter(index.unwrap_or(0) as u32);
        return ["readonly", "noalias"].iter().all(|name| function.has_attribute(place, name));
    }
    let global = pointer.strip_constant_casts();
    global.is_global_variable() && global.is_constant_global()
}

/// The name of a callee whose result is the same for all threads that pass the same arguments.
fn same_for_all(call: Value<'_>) -> Option<String> {
    let callee = call.called_function()?;
    let name = callee.name();
    let same = match Builtin::named(&name) {
        Some(builtin) => !builtin.divergent && !builtin.convergent,
        None if is_query(&name) => true,
        // The value 0 of memory(...) is none.
        None => {
            callee.is_intrinsic()
                && callee.attribute_value(Place::Function, "memory") == Some(0)
                && !callee.has_attribute(Place::Function, "convergent")
        }
    };
    // Without the types in the name of an overloaded intrinsic, because the operands have their own types.
    let end = name.rfind(".i").filter(|at| name[at + 2..].parse::<u32>().is_ok()).unwrap_or(name.len());
    same.then(|| name[..end].to_owned())
}
