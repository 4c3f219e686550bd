//! Vectors of a constant number of elements: the same operation on several values at once.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};

use super::value::c_name;
use super::{Builder, Opcode, Type, Value, shim};

impl<'c> Value<'c> {
    /// A copy of this operation with other operands and another result type, in no block: the same operation on
    /// vectors. It keeps its flags and its debug location, and loses its metadata.
    pub fn retype_operation(self, operands: &[Value<'c>], result: Type<'c>) -> Value<'c> {
        assert!(self.is_instruction() && !self.is_terminator() && operands.len() == self.operand_count() as usize);
        let mut raw: Vec<_> = operands.iter().map(|v| v.raw).collect();
        Value::new(llvm!(shim::ofc_retype_operation(self.raw, raw.as_mut_ptr(), raw.len(), result.raw)))
    }

    /// Whether a call has the same result for the same arguments and memory, and changes nothing.
    pub fn is_repeatable(self) -> bool {
        assert!(self.is_call());
        llvm!(shim::ofc_is_repeatable(self.raw) != 0)
    }

    /// Gives a call the fast-math flags of another one.
    pub fn copy_fast_math(self, other: Value<'c>) {
        assert!(self.is_call() && other.is_call());
        if llvm!(LLVMCanValueUseFastMathFlags(self.raw)) != 0 && llvm!(LLVMCanValueUseFastMathFlags(other.raw)) != 0 {
            llvm!(LLVMSetFastMathFlags(self.raw, LLVMGetFastMathFlags(other.raw)));
        }
    }

    /// Gives an instruction the debug location of another one in its function.
    pub fn locate_like(self, other: Value<'c>) {
        assert!(self.is_instruction() && other.is_instruction() && self.function() == other.function());
        llvm!(LLVMInstructionSetDebugLoc(self.raw, LLVMInstructionGetDebugLoc(other.raw)))
    }

    /// Whether an addition, subtraction, multiplication or left shift has the flag `nsw`.
    pub fn never_wraps_signed(self) -> bool {
        use Opcode::{Add, Mul, Shl, Sub};
        matches!(self.opcode(), Add | Sub | Mul | Shl) && llvm!(LLVMGetNSW(self.raw) != 0)
    }

    /// Whether an `or` adds: no bit is set in both operands.
    pub fn is_disjoint(self) -> bool {
        self.is(Opcode::Or) && llvm!(LLVMGetIsDisjoint(self.raw) != 0)
    }

    /// The lanes that a `shufflevector` takes of both of its operands together; none where its lane is poison.
    pub fn shuffled_lanes(self) -> Vec<Option<u32>> {
        assert!(self.is(Opcode::ShuffleVector));
        let count = llvm!(LLVMGetNumMaskElements(self.raw));
        (0..count).map(|at| u32::try_from(llvm!(LLVMGetMaskValue(self.raw, at))).ok()).collect()
    }
}

impl<'c> Builder<'c> {
    /// A vector of `count` equal elements.
    pub fn splat(&self, element: Value<'c>, count: u32) -> Value<'c> {
        let i32 = element.types().i32();
        let poison = element.ty().vector(count).poison();
        let first = self.insert_element(poison, element, i32.zero(), "");
        let mask = i32.vector(count).zero();
        Value::new(llvm!(LLVMBuildShuffleVector(self.raw, first.raw, poison.raw, mask.raw, c"".as_ptr())))
    }

    /// `shufflevector`: a vector of these elements of both vectors together.
    pub fn permute(&self, first: Value<'c>, second: Value<'c>, elements: &[u32]) -> Value<'c> {
        let i32 = first.types().i32();
        let mask = i32.constant_vector(&elements.iter().map(|e| i32.constant((*e).into())).collect::<Vec<_>>());
        Value::new(llvm!(LLVMBuildShuffleVector(self.raw, first.raw, second.raw, mask.raw, c"".as_ptr())))
    }

    /// `getelementptr` of bytes that are elements of a vector, from one pointer: a vector of pointers.
    pub fn byte_offsets(&self, pointer: Value<'c>, bytes: Value<'c>) -> Value<'c> {
        let (i8, mut raw) = (pointer.types().i8(), [bytes.raw]);
        Value::new(llvm!(LLVMBuildGEP2(self.raw, i8.raw, pointer.raw, raw.as_mut_ptr(), 1, c_name("").as_ptr())))
    }

    /// `bitcast` of a vector of `i1` to an integer with one bit for each.
    pub fn bits(&self, vector: Value<'c>) -> Value<'c> {
        let count = vector.ty().vector_length().expect("it is a vector");
        self.cast(Opcode::BitCast, vector, vector.types().int(count), "")
    }
}

impl<'c> Type<'c> {
    /// A vector of integer constants: `first`, `first + step`, and so on.
    pub fn steps(self, first: u64, step: i64, count: u32) -> Value<'c> {
        let number = |i: u32| (first as i64).wrapping_add(i64::from(i).wrapping_mul(step));
        self.numbers(&(0..count).map(number).collect::<Vec<_>>())
    }

    /// A vector of these integer constants, without the bits that the type does not have.
    pub fn numbers(self, numbers: &[i64]) -> Value<'c> {
        let mask = self.int_width().map_or(u64::MAX, |width| u64::MAX >> (64 - width.min(64)));
        let constants: Vec<_> = numbers.iter().map(|number| self.constant(*number as u64 & mask)).collect();
        self.constant_vector(&constants)
    }

    fn constant_vector(self, elements: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = elements.iter().map(|v| v.raw).collect();
        Value::new(llvm!(LLVMConstVector(raw.as_mut_ptr(), raw.len() as u32)))
    }
}
