//! Operations on integers of several words, as instructions on words, lowest first.

use super::{WORD, count, split_width};
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Type, Value};
use crate::passes::expand::expand_bitcasts::{assemble_vector, element};

/// The builder for the words of one instruction.
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
        self.builder.cast(Opcode::ZExt, condition, self.word, "")
    }

    /// Sets the bits above `width` to zero.
    pub(super) fn clean(&self, mut words: Vec<Value<'c>>, width: u32) -> Vec<Value<'c>> {
        let rest = width % WORD;
        if let Some(top) = words.last_mut().filter(|_| rest != 0) {
            *top = self.binary(Opcode::And, *top, self.constant((1 << rest) - 1));
        }
        words
    }

    /// Sets the bits above `width` to the sign.
    pub(super) fn signed(&self, words: &[Value<'c>], width: u32) -> Vec<Value<'c>> {
        let (mut words, rest) = (words.to_vec(), width % WORD);
        if let Some(top) = words.last_mut().filter(|_| rest != 0) {
            let excess = self.constant(u64::from(WORD - rest));
            let shifted = self.binary(Opcode::Shl, *top, excess);
            *top = self.binary(Opcode::AShr, shifted, excess);
        }
        words
    }

    pub(super) fn widened(&self, word: Value<'c>, signed: bool, width: u32) -> Vec<Value<'c>> {
        self.extended(vec![word], signed, width)
    }

    /// The words of a value extended or truncated to `width`: the added words are zero, or repeat the sign.
    pub(super) fn extended(&self, mut words: Vec<Value<'c>>, signed: bool, width: u32) -> Vec<Value<'c>> {
        let count = count(width);
        words.truncate(count);
        if words.len() < count {
            let top = words[words.len() - 1];
            let sign = || self.binary(Opcode::AShr, top, self.constant(u64::from(WORD) - 1));
            let fill = if signed { sign() } else { self.word.zero() };
            words.resize(count, fill);
        }
        words
    }

    pub(super) fn narrowed(&self, word: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if ty == self.word { word } else { self.builder.cast(Opcode::Trunc, word, ty, "") }
    }

    pub(super) fn arithmetic(&self, opcode: Opcode, a: &[Value<'c>], b: &[Value<'c>]) -> Vec<Value<'c>> {
        match (opcode, a.len()) {
            (Opcode::Mul, 3..) => self.long_product(a, b),
            (Opcode::Mul, 2) => {
                let low = self.binary(opcode, a[0], b[0]);
                let crossed = [(a[0], b[1]), (a[1], b[0])].map(|(x, y)| self.binary(opcode, x, y));
                let crossed = self.binary(Opcode::Add, crossed[0], crossed[1]);
                vec![low, self.binary(Opcode::Add, self.high_product(a[0], b[0]), crossed)]
            }
            (Opcode::Mul, _) => vec![self.binary(opcode, a[0], b[0])],
            _ => self.with_carries(opcode, a, b),
        }
    }

    /// A sum or difference: each word after the first adds or subtracts the carry of the previous one.
    fn with_carries(&self, opcode: Opcode, a: &[Value<'c>], b: &[Value<'c>]) -> Vec<Value<'c>> {
        let (mut words, mut carry, count) = (Vec::new(), None, a.len());
        for (a, b) in a.iter().zip(b) {
            let first = self.binary(opcode, *a, *b);
            let word = carry.map_or(first, |carry| self.binary(opcode, first, carry));
            words.push(word);
            if words.len() == count {
                break;
            }
            let (left, right) = if opcode == Opcode::Add { (first, *a) } else { (*a, *b) };
            let over = self.bit(self.test(IntPredicate::Ult, left, right));
            carry = Some(match carry {
                None => over,
                Some(before) => {
                    let (left, right) = if opcode == Opcode::Add { (word, first) } else { (first, before) };
                    let again = self.bit(self.test(IntPredicate::Ult, left, right));
                    self.binary(Opcode::Or, over, again)
                }
            });
        }
        words
    }

    /// The product of more than two words: each word of one factor is multiplied with each of the other.
    fn long_product(&self, a: &[Value<'c>], b: &[Value<'c>]) -> Vec<Value<'c>> {
        let add = |x, y| self.binary(Opcode::Add, x, y);
        let over = |sum, part| self.bit(self.test(IntPredicate::Ult, sum, part));
        let mut words = vec![self.word.zero(); a.len()];
        for (i, a) in a.iter().enumerate() {
            let mut carry = self.word.zero();
            for (j, b) in b.iter().enumerate().take(words.len() - i) {
                let product = self.binary(Opcode::Mul, *a, *b);
                let first = add(words[i + j], product);
                let sum = add(first, carry);
                let carries = add(over(first, product), over(sum, carry));
                words[i + j] = sum;
                carry = add(self.high_product(*a, *b), carries);
            }
        }
        words
    }

    /// The high word of a product, computed from products of half words.
    fn high_product(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let half = self.constant(u64::from(WORD / 2));
        let mask = self.constant(u64::from(u32::MAX));
        let low = |v| self.binary(Opcode::And, v, mask);
        let high = |v| self.binary(Opcode::LShr, v, half);
        let add = |x, y| self.binary(Opcode::Add, x, y);
        let multiply = |x, y| self.binary(Opcode::Mul, x, y);
        let first = add(multiply(high(a), low(b)), high(multiply(low(a), low(b))));
        let second = add(multiply(low(a), high(b)), low(first));
        add(add(multiply(high(a), high(b)), high(first)), high(second))
    }

    /// A shift by less than the integer's width. `amount` is a word, and no word is shifted by its full width.
    pub(super) fn shift(&self, opcode: Opcode, a: &[Value<'c>], amount: Value<'c>) -> Vec<Value<'c>> {
        match a.len() {
            1 => return vec![self.binary(opcode, a[0], amount)],
            2 => {}
            _ => return self.long_shift(opcode, a, amount),
        }
        let last = self.constant(u64::from(WORD) - 1);
        let within = self.binary(Opcode::And, amount, last);
        let rest = self.binary(Opcode::Sub, last, within);
        let small = self.test(IntPredicate::Ult, amount, self.constant(WORD.into()));
        let one = self.constant(1);
        let select = |then, or_else| self.builder.select(small, then, or_else, "");
        if opcode == Opcode::Shl {
            let carried = self.binary(Opcode::LShr, self.binary(Opcode::LShr, a[0], one), rest);
            let low = self.binary(opcode, a[0], within);
            let high = self.binary(Opcode::Or, self.binary(opcode, a[1], within), carried);
            return vec![select(low, self.word.zero()), select(high, low)];
        }
        let carried = self.binary(Opcode::Shl, self.binary(Opcode::Shl, a[1], one), rest);
        let high = self.binary(opcode, a[1], within);
        let low = self.binary(Opcode::Or, self.binary(Opcode::LShr, a[0], within), carried);
        let fill = if opcode == Opcode::AShr { self.binary(opcode, a[1], last) } else { self.word.zero() };
        vec![select(low, high), select(high, fill)]
    }

    /// The same for more than two words: first by whole words, for each bit of the amount, then within words.
    fn long_shift(&self, opcode: Opcode, a: &[Value<'c>], amount: Value<'c>) -> Vec<Value<'c>> {
        let (left, last) = (opcode == Opcode::Shl, self.constant(u64::from(WORD) - 1));
        let mut words = a.to_vec();
        if left {
            words.reverse();
        }
        // From here words move towards the front, and this value fills the end.
        let sign = || self.binary(opcode, a[a.len() - 1], last);
        let fill = if opcode == Opcode::AShr { sign() } else { self.word.zero() };
        let mut step = 1;
        while step < words.len() {
            let bit = self.binary(Opcode::And, amount, self.constant(u64::from(WORD) * step as u64));
            let moves = self.test(IntPredicate::Ne, bit, self.word.zero());
            let at = |i: usize| words.get(i).copied().unwrap_or(fill);
            words = (0..words.len()).map(|i| self.builder.select(moves, at(i + step), at(i), "")).collect();
            step *= 2;
        }
        let within = self.binary(Opcode::And, amount, last);
        let rest = self.binary(Opcode::Sub, last, within);
        let (near, far) = if left { (opcode, Opcode::LShr) } else { (Opcode::LShr, Opcode::Shl) };
        let carried = |i: usize| {
            let next = words.get(i + 1).copied().unwrap_or(fill);
            self.binary(far, self.binary(far, next, self.constant(1)), rest)
        };
        let shifted = |i: usize| self.binary(Opcode::Or, self.binary(near, words[i], within), carried(i));
        let mut words: Vec<_> = (0..words.len()).map(shifted).collect();
        if left {
            words.reverse();
        }
        words
    }

    pub(super) fn compare(&self, predicate: IntPredicate, a: &[Value<'c>], b: &[Value<'c>], width: u32) -> Value<'c> {
        use IntPredicate::*;
        let signed = matches!(predicate, Sgt | Sge | Slt | Sle);
        let [a, b] = [a, b].map(|words| if signed { self.signed(words, width) } else { words.to_vec() });
        if a.len() == 1 {
            return self.test(predicate, a[0], b[0]);
        }
        if matches!(predicate, Eq | Ne) {
            let differ = a.iter().zip(&b).map(|(a, b)| self.binary(Opcode::Xor, *a, *b));
            let any = differ.reduce(|x, y| self.binary(Opcode::Or, x, y)).unwrap_or(self.word.zero());
            return self.test(predicate, any, self.word.zero());
        }
        let below = match predicate {
            Sgt => Ugt,
            Sge => Uge,
            Slt => Ult,
            Sle => Ule,
            unsigned => unsigned,
        };
        let mut result = self.test(below, a[0], b[0]);
        for i in 1..a.len() {
            let same = self.test(Eq, a[i], b[i]);
            let own = self.test(if i + 1 == a.len() { predicate } else { below }, a[i], b[i]);
            result = self.builder.select(same, result, own, "");
        }
        result
    }

    /// The offset and size of the accesses to an integer in memory, each of a size that the device has.
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
            let piece =
                self.builder.load(self.word.types().int(8 * size), address, align_at(load.alignment(), offset), "");
            if load.is_volatile() {
                piece.set_volatile();
            }
            let index = (offset / 8) as usize;
            let piece = if size == 8 { piece } else { self.builder.cast(Opcode::ZExt, piece, self.word, "") };
            let shifted = self.binary(Opcode::Shl, piece, self.constant(offset % 8 * 8));
            words[index] = self.binary(Opcode::Or, words[index], shifted);
        }
        words
    }

    pub(super) fn store(&self, store: Value<'c>, words: &[Value<'c>]) {
        let width = split_width(store.operand(0).ty()).unwrap_or(0);
        for (offset, size) in Self::pieces(width) {
            let address = self.builder.byte_offset(store.operand(1), offset, "");
            let shift = self.constant(offset % 8 * 8);
            let piece = self.binary(Opcode::LShr, words[(offset / 8) as usize], shift);
            let piece = self.narrowed(piece, self.word.types().int(8 * size));
            let build = if store.is_volatile() { Builder::volatile_store } else { Builder::store };
            build(&self.builder, piece, address, align_at(store.alignment(), offset));
        }
    }

    /// `ctpop`, `ctlz` and `cttz`.
    pub(super) fn counted(&self, call: Value<'c>, a: &[Value<'c>], width: u32) -> Option<Vec<Value<'c>>> {
        let callee = call.called_function()?.name();
        let base = ["llvm.ctpop", "llvm.ctlz", "llvm.cttz"].into_iter().find(|base| callee.starts_with(base))?;
        let count_word = |word: Value<'c>| {
            let defined = word.types().i1().zero();
            let arguments = if base == "llvm.ctpop" { vec![word] } else { vec![word, defined] };
            self.builder.call(self.module.intrinsic(base, &[self.word]), &arguments, "")
        };
        let rest = width % WORD;
        let mut a = a.to_vec();
        if base == "llvm.cttz" && rest != 0 {
            // The bit above the others ends the count if no other bit is set.
            let top = a.len() - 1;
            a[top] = self.binary(Opcode::Or, a[top], self.constant(1 << rest));
        }
        let excess = self.constant(u64::from((WORD - rest) % WORD));
        let add = |x, y| self.binary(Opcode::Add, x, y);
        let counts: Vec<_> = a.iter().map(|word| count_word(*word)).collect();
        let count = if base == "llvm.ctpop" {
            counts.into_iter().reduce(add)?
        } else {
            // From the word that is counted last to the one that is counted first.
            let leading = base == "llvm.ctlz";
            let order: Vec<usize> = if leading { (0..a.len()).collect() } else { (0..a.len()).rev().collect() };
            let beyond = |i: usize| u64::from(WORD) * if leading { a.len() - 1 - i } else { i } as u64;
            let from = |i: usize| if beyond(i) == 0 { counts[i] } else { add(counts[i], self.constant(beyond(i))) };
            let mut count = from(order[0]);
            for i in order.into_iter().skip(1) {
                let empty = self.test(IntPredicate::Eq, a[i], self.word.zero());
                count = self.builder.select(empty, count, from(i), "");
            }
            if leading { self.binary(Opcode::Sub, count, excess) } else { count }
        };
        Some(self.widened(count, false, width))
    }

    /// The words of a vector's bits.
    pub(super) fn words_of_vector(&self, vector: Value<'c>, width: u32) -> Option<Vec<Value<'c>>> {
        let (length, ty) = (vector.ty().vector_length()?, *vector.ty().parts().first()?);
        let bits = width / length;
        let integer = self.word.types().int(bits);
        let mut words = vec![self.word.zero(); count(width)];
        if bits > WORD || !WORD.is_multiple_of(bits) || bits * length != width {
            return None;
        }
        for i in 0..length {
            let value = element(&self.builder, vector, i);
            let value = if ty == integer { value } else { self.builder.cast(Opcode::BitCast, value, integer, "") };
            let wide = if bits == WORD { value } else { self.builder.cast(Opcode::ZExt, value, self.word, "") };
            let (word, at) = ((i * bits / WORD) as usize, self.constant((i * bits % WORD).into()));
            words[word] = self.binary(Opcode::Or, words[word], self.binary(Opcode::Shl, wide, at));
        }
        Some(words)
    }

    /// The vector with these bits, which replaces a bit cast.
    pub(super) fn vector_of_words(&self, words: &[Value<'c>], cast: Value<'c>, width: u32) -> Option<Value<'c>> {
        let (length, element) = (cast.ty().vector_length()?, *cast.ty().parts().first()?);
        let bits = width / length;
        if bits > WORD || !WORD.is_multiple_of(bits) || bits * length != width || element.is_pointer() {
            return None;
        }
        let part = |i: u32| {
            let at = self.constant((i * bits % WORD).into());
            let word = self.binary(Opcode::LShr, words[(i * bits / WORD) as usize], at);
            let value = self.narrowed(word, self.word.types().int(bits));
            if element == value.ty() { value } else { self.builder.cast(Opcode::BitCast, value, element, "") }
        };
        let elements: Vec<_> = (0..length).map(part).collect();
        Some(assemble_vector(&self.builder, cast, &elements))
    }
}

/// The alignment of an address `offset` bytes after one that is aligned to `align`.
fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(8)) }
}
