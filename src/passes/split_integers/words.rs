//! Instructions on integers of one or two words, as instructions on words.

use super::{WORD, count, split_width};
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Type, TypeKind, Value};

/// Where one instruction's words are built.
pub(super) struct Step<'a, 'c> {
    pub(super) builder: Builder<'c>,
    pub(super) word: Type<'c>,
    pub(super) module: &'a Module<'c>,
}

impl<'c> Step<'_, 'c> {
    pub(super) fn binary(&self, opcode: Opcode, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder.binary(opcode, left, right, "")
    }

    fn constant(&self, value: u64) -> Value<'c> {
        self.word.constant(value)
    }

    fn test(&self, predicate: IntPredicate, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder.icmp(predicate, left, right, "")
    }

    fn bit(&self, condition: Value<'c>) -> Value<'c> {
        self.builder.cast(Opcode::LLVMZExt, condition, self.word, "")
    }

    /// Zeros above `width`.
    pub(super) fn clean(&self, mut words: Vec<Value<'c>>, width: u32) -> Vec<Value<'c>> {
        let rest = width % WORD;
        if let Some(top) = words.last_mut().filter(|_| rest != 0) {
            *top = self.binary(Opcode::LLVMAnd, *top, self.constant((1 << rest) - 1));
        }
        words
    }

    /// The sign above `width` instead of zeros.
    pub(super) fn signed(&self, words: &[Value<'c>], width: u32) -> Vec<Value<'c>> {
        let (mut words, rest) = (words.to_vec(), width % WORD);
        if let Some(top) = words.last_mut().filter(|_| rest != 0) {
            let excess = self.constant(u64::from(WORD - rest));
            let shifted = self.binary(Opcode::LLVMShl, *top, excess);
            *top = self.binary(Opcode::LLVMAShr, shifted, excess);
        }
        words
    }

    pub(super) fn widened(&self, word: Value<'c>, signed: bool, width: u32) -> Vec<Value<'c>> {
        if count(width) == 1 {
            return vec![word];
        }
        let sign = || self.binary(Opcode::LLVMAShr, word, self.constant(u64::from(WORD) - 1));
        vec![word, if signed { sign() } else { self.word.zero() }]
    }

    pub(super) fn narrowed(&self, word: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if ty == self.word { word } else { self.builder.cast(Opcode::LLVMTrunc, word, ty, "") }
    }

    pub(super) fn arithmetic(&self, opcode: Opcode, a: &[Value<'c>], b: &[Value<'c>]) -> Vec<Value<'c>> {
        let low = self.binary(opcode, a[0], b[0]);
        if a.len() == 1 {
            return vec![low];
        }
        let high = match opcode {
            Opcode::LLVMAdd => {
                let carry = self.bit(self.test(IntPredicate::LLVMIntULT, low, a[0]));
                self.binary(opcode, self.binary(opcode, a[1], b[1]), carry)
            }
            Opcode::LLVMSub => {
                let borrow = self.bit(self.test(IntPredicate::LLVMIntULT, a[0], b[0]));
                self.binary(opcode, self.binary(opcode, a[1], b[1]), borrow)
            }
            _ => {
                let crossed = [(a[0], b[1]), (a[1], b[0])].map(|(x, y)| self.binary(opcode, x, y));
                let crossed = self.binary(Opcode::LLVMAdd, crossed[0], crossed[1]);
                self.binary(Opcode::LLVMAdd, self.high_product(a[0], b[0]), crossed)
            }
        };
        vec![low, high]
    }

    /// The high word of a product, from the products of half words.
    fn high_product(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let half = self.constant(u64::from(WORD / 2));
        let mask = self.constant(u64::from(u32::MAX));
        let low = |v| self.binary(Opcode::LLVMAnd, v, mask);
        let high = |v| self.binary(Opcode::LLVMLShr, v, half);
        let add = |x, y| self.binary(Opcode::LLVMAdd, x, y);
        let multiply = |x, y| self.binary(Opcode::LLVMMul, x, y);
        let first = add(multiply(high(a), low(b)), high(multiply(low(a), low(b))));
        let second = add(multiply(low(a), high(b)), low(first));
        add(add(multiply(high(a), high(b)), high(first)), high(second))
    }

    /// A shift by fewer bits than the integer has. `amount` is a whole word; no word is shifted by its whole width.
    pub(super) fn shift(&self, opcode: Opcode, a: &[Value<'c>], amount: Value<'c>) -> Vec<Value<'c>> {
        if a.len() == 1 {
            return vec![self.binary(opcode, a[0], amount)];
        }
        let last = self.constant(u64::from(WORD) - 1);
        let within = self.binary(Opcode::LLVMAnd, amount, last);
        let rest = self.binary(Opcode::LLVMSub, last, within);
        let small = self.test(IntPredicate::LLVMIntULT, amount, self.constant(WORD.into()));
        let one = self.constant(1);
        let select = |then, or_else| self.builder.select(small, then, or_else, "");
        if opcode == Opcode::LLVMShl {
            let carried = self.binary(Opcode::LLVMLShr, self.binary(Opcode::LLVMLShr, a[0], one), rest);
            let low = self.binary(opcode, a[0], within);
            let high = self.binary(Opcode::LLVMOr, self.binary(opcode, a[1], within), carried);
            return vec![select(low, self.word.zero()), select(high, low)];
        }
        let carried = self.binary(Opcode::LLVMShl, self.binary(Opcode::LLVMShl, a[1], one), rest);
        let high = self.binary(opcode, a[1], within);
        let low = self.binary(Opcode::LLVMOr, self.binary(Opcode::LLVMLShr, a[0], within), carried);
        let fill = if opcode == Opcode::LLVMAShr { self.binary(opcode, a[1], last) } else { self.word.zero() };
        vec![select(low, high), select(high, fill)]
    }

    pub(super) fn compare(&self, predicate: IntPredicate, a: &[Value<'c>], b: &[Value<'c>], width: u32) -> Value<'c> {
        use IntPredicate::*;
        let signed = matches!(predicate, LLVMIntSGT | LLVMIntSGE | LLVMIntSLT | LLVMIntSLE);
        let [a, b] = [a, b].map(|words| if signed { self.signed(words, width) } else { words.to_vec() });
        if a.len() == 1 {
            return self.test(predicate, a[0], b[0]);
        }
        if matches!(predicate, LLVMIntEQ | LLVMIntNE) {
            let differ = [0, 1].map(|i| self.binary(Opcode::LLVMXor, a[i], b[i]));
            return self.test(predicate, self.binary(Opcode::LLVMOr, differ[0], differ[1]), self.word.zero());
        }
        let low = match predicate {
            LLVMIntSGT => LLVMIntUGT,
            LLVMIntSGE => LLVMIntUGE,
            LLVMIntSLT => LLVMIntULT,
            LLVMIntSLE => LLVMIntULE,
            unsigned => unsigned,
        };
        let same = self.test(LLVMIntEQ, a[1], b[1]);
        self.builder.select(same, self.test(low, a[0], b[0]), self.test(predicate, a[1], b[1]), "")
    }

    /// Bytes of memory in pieces that a device has: offset and size of each.
    fn pieces(width: u32) -> Vec<(u64, u32)> {
        let (mut pieces, mut at, bytes) = (Vec::new(), 0, width.div_ceil(8));
        while at < bytes {
            let size = [8, 4, 2, 1].into_iter().find(|size| *size <= bytes - at).unwrap_or(1);
            pieces.push((at.into(), size));
            at += size;
        }
        pieces
    }

    pub(super) fn load(&self, load: Value<'c>, width: u32) -> Vec<Value<'c>> {
        let mut words = vec![self.word.zero(); count(width)];
        for (offset, size) in Self::pieces(width) {
            let address = self.builder.byte_offset(load.operand(0), offset, "");
            let piece = self.builder.load(self.word.int(8 * size), address, align_at(load.alignment(), offset), "");
            if load.is_volatile() {
                piece.set_volatile();
            }
            let index = (offset / 8) as usize;
            let piece = if size == 8 { piece } else { self.builder.cast(Opcode::LLVMZExt, piece, self.word, "") };
            let shifted = self.binary(Opcode::LLVMShl, piece, self.constant(offset % 8 * 8));
            words[index] = self.binary(Opcode::LLVMOr, words[index], shifted);
        }
        words
    }

    pub(super) fn store(&self, store: Value<'c>, words: &[Value<'c>]) {
        let width = split_width(store.operand(0).ty()).unwrap_or(0);
        for (offset, size) in Self::pieces(width) {
            let address = self.builder.byte_offset(store.operand(1), offset, "");
            let shift = self.constant(offset % 8 * 8);
            let piece = self.binary(Opcode::LLVMLShr, words[(offset / 8) as usize], shift);
            let piece = self.narrowed(piece, self.word.int(8 * size));
            let new = self.builder.store(piece, address, align_at(store.alignment(), offset));
            if store.is_volatile() {
                new.set_volatile();
            }
        }
    }

    /// `ctpop`, `ctlz` and `cttz`.
    pub(super) fn counted(&self, call: Value<'c>, a: &[Value<'c>], width: u32) -> Option<Vec<Value<'c>>> {
        let callee = call.called_function()?.name();
        let base = ["llvm.ctpop", "llvm.ctlz", "llvm.cttz"].into_iter().find(|base| callee.starts_with(base))?;
        let count_word = |word: Value<'c>| {
            let defined = word.ty().int(1).zero();
            let arguments = if base == "llvm.ctpop" { vec![word] } else { vec![word, defined] };
            self.builder.call(self.module.intrinsic(base, &[self.word]), &arguments, "")
        };
        let rest = width % WORD;
        let mut a = a.to_vec();
        if base == "llvm.cttz" && rest != 0 {
            // A bit above all others stops the count where there is none.
            let top = a.len() - 1;
            a[top] = self.binary(Opcode::LLVMOr, a[top], self.constant(1 << rest));
        }
        let excess = self.constant(u64::from((WORD - rest) % WORD));
        let add = |x, y| self.binary(Opcode::LLVMAdd, x, y);
        let counts: Vec<_> = a.iter().map(|word| count_word(*word)).collect();
        let count = match (base, counts.len() == 1) {
            ("llvm.ctpop", true) | ("llvm.cttz", true) => counts[0],
            ("llvm.ctpop", false) => add(counts[0], counts[1]),
            (_, true) => self.binary(Opcode::LLVMSub, counts[0], excess),
            (_, false) => {
                let (first, second) = if base == "llvm.ctlz" { (1, 0) } else { (0, 1) };
                let empty = self.test(IntPredicate::LLVMIntEQ, a[first], self.word.zero());
                let beyond = add(counts[second], self.constant(WORD.into()));
                let count = self.builder.select(empty, beyond, counts[first], "");
                if base == "llvm.ctlz" { self.binary(Opcode::LLVMSub, count, excess) } else { count }
            }
        };
        Some(self.widened(count, false, width))
    }

    pub(super) fn words_of_vector(&self, value: Value<'c>) -> Vec<Value<'c>> {
        let vector = self.builder.cast(Opcode::LLVMBitCast, value, self.word.vector(2), "");
        let index = |i| self.word.int(32).constant(i);
        [0, 1].map(|i| self.builder.extract_element(vector, index(i), "")).to_vec()
    }

    pub(super) fn vector_of_words(&self, words: &[Value<'c>], ty: Type<'c>) -> Option<Value<'c>> {
        if words.len() != 2 || ty.kind() != TypeKind::LLVMVectorTypeKind {
            return None;
        }
        let index = |i| self.word.int(32).constant(i);
        let half = self.builder.insert_element(self.word.vector(2).poison(), words[0], index(0), "");
        let vector = self.builder.insert_element(half, words[1], index(1), "");
        Some(self.builder.cast(Opcode::LLVMBitCast, vector, ty, ""))
    }
}

/// The alignment of what stands `offset` bytes behind something aligned to `align`.
fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(8)) }
}
