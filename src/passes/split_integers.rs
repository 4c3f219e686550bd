//! Turns integers of widths that a device lacks into words of 64 bits: one for fewer bits than that, two for up to 128.
//!
//! Bits of a word above an integer's width are zero; what looks at the sign extends first. Memory keeps its layout: a
//! load or store of such an integer touches the same bytes in pieces that the device has. Divisions of two words become
//! LLVM's loop over bits.
//!
//! Before: 1, 8, 16, 32 and 64 bits are the device's; no function but an intrinsic takes or gives others; arithmetic
//! intrinsics but counts of bits are expanded, and no `switch` is on two words. After: no other width is left, or an
//! error says where one stands that cannot be split.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::llvm::{Block, Builder, IntPredicate, Module, Opcode, Type, TypeKind, Value};

/// Bits of a word.
const WORD: u32 = 64;

/// Splits every such integer of a function; a device's own functions need `module` to declare intrinsics.
pub fn split_integers<'c>(module: &Module<'c>, function: Value<'c>) -> Result<()> {
    expand_divisions(function);
    let mut splitter = Splitter { module, words: HashMap::new(), done: Vec::new() };
    let all: Vec<_> = function.instructions().collect();
    if !all.iter().any(|i| concerns(*i)) {
        return Ok(());
    }
    for phi in all.iter().filter(|i| i.is(Opcode::LLVMPHI) && split_width(i.ty()).is_some()) {
        splitter.begin_phi(*phi);
    }
    for instruction in all.iter().filter(|i| concerns(**i)) {
        splitter.split(*instruction)?;
    }
    for phi in all.iter().filter(|i| i.is(Opcode::LLVMPHI) && split_width(i.ty()).is_some()) {
        splitter.finish_phi(*phi)?;
    }
    splitter.erase();
    Ok(())
}

/// Gives every static that holds such integers the same bytes in the same places; an error names one that cannot be.
pub fn split_statics(module: &Module<'_>) -> Result<()> {
    for variable in module.variables().into_iter().filter(|v| holds_split(v.value_type())) {
        let refused =
            || Error::new(format!("static `{}` has integers of an uncommon width in a struct", variable.name()));
        let ty = bytes_instead(module, variable.value_type()).ok_or_else(refused)?;
        let name = variable.name();
        variable.set_name("");
        let new = module.add_variable(&name, ty, variable.ty().address_space());
        new.set_alignment(variable.alignment().max(variable.value_type().alignment(module)));
        new.set_linkage(variable.linkage());
        new.set_constant_global(variable.is_constant_global());
        if let Some(value) = variable.initializer() {
            new.set_initializer(Some(bytes_of(module, value).ok_or_else(refused)?));
        }
        variable.replace_all_uses_with(new);
        variable.erase_global();
    }
    Ok(())
}

/// A constant of the type that `bytes_instead` gives.
fn bytes_of<'c>(module: &Module<'c>, constant: Value<'c>) -> Option<Value<'c>> {
    let (ty, new) = (constant.ty(), bytes_instead(module, constant.ty())?);
    if constant.is_null() || constant.is_undef() {
        return Some(if constant.is_undef() { new.poison() } else { new.zero() });
    }
    let element = *new.parts().first()?;
    if ty.int_width().is_none() {
        let elements: Option<Vec<_>> = constant.operands().into_iter().map(|each| bytes_of(module, each)).collect();
        return Some(element.constant_array(&elements?));
    }
    // LLVM prints it as a signed number of at most 128 bits.
    let number: i128 = constant.text().split_whitespace().last()?.parse().ok()?;
    let width = ty.int_width().filter(|width| *width < 128);
    let number = width.map_or(number, |width| number & ((1 << width) - 1));
    let count = ty.alloc_size(module) as usize;
    let bytes: Vec<_> = number.to_le_bytes()[..count].iter().map(|byte| element.constant((*byte).into())).collect();
    Some(element.constant_array(&bytes))
}

/// The width of an integer type that must be split.
pub fn split_width(ty: Type<'_>) -> Option<u32> {
    ty.int_width().filter(|width| !matches!(width, 1 | 8 | 16 | 32 | 64))
}

/// Whether a type that must be split is in it, or it is one.
pub fn holds_split(ty: Type<'_>) -> bool {
    split_width(ty).is_some() || ty.parts().into_iter().any(holds_split)
}

fn concerns(instruction: Value<'_>) -> bool {
    let memory = match instruction.opcode() {
        Opcode::LLVMAlloca => holds_split(instruction.allocated_type()),
        Opcode::LLVMGetElementPtr => holds_split(instruction.gep_source_type()),
        _ => false,
    };
    memory || holds_split(instruction.ty()) || instruction.operands().iter().any(|o| holds_split(o.ty()))
}

fn expand_divisions(function: Value<'_>) {
    for instruction in function.instructions().collect::<Vec<_>>() {
        let division =
            matches!(instruction.opcode(), Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem);
        if division && split_width(instruction.ty()).is_some_and(|width| width > WORD) {
            instruction.expand_division();
        }
    }
}

/// What one function's integers have become.
struct Splitter<'a, 'c> {
    module: &'a Module<'c>,
    /// One or two words of each value that was split.
    words: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Instructions that nothing needs any more, in the order in which they were split.
    done: Vec<Value<'c>>,
}

/// How many words a width takes.
fn count(width: u32) -> usize {
    width.div_ceil(WORD) as usize
}

impl<'c> Splitter<'_, 'c> {
    fn word(&self) -> Type<'c> {
        self.module.void().int(WORD)
    }

    fn begin_phi(&mut self, phi: Value<'c>) {
        let width = split_width(phi.ty()).unwrap_or(0);
        let builder = Builder::before(phi);
        let words = (0..count(width)).map(|_| builder.phi(self.word(), "")).collect();
        let _new = self.words.insert(phi, words);
    }

    fn finish_phi(&mut self, phi: Value<'c>) -> Result<()> {
        let targets = self.words[&phi].clone();
        for (value, block) in phi.incoming() {
            let end = block.terminator().expect("every block of a valid function ends");
            let words = self.get(value, &Builder::before(end))?;
            targets.iter().zip(words).for_each(|(target, word)| target.add_incoming(word, block));
        }
        self.done.push(phi);
        Ok(())
    }

    fn erase(self) {
        for instruction in self.done.iter().rev() {
            if !instruction.ty().is_void() && instruction.is_used() {
                instruction.replace_all_uses_with(instruction.ty().poison());
            }
            instruction.erase();
        }
    }

    /// The words of a value, zeros above its width.
    fn get(&mut self, value: Value<'c>, builder: &Builder<'c>) -> Result<Vec<Value<'c>>> {
        if let Some(words) = self.words.get(&value) {
            return Ok(words.clone());
        }
        let width = split_width(value.ty()).ok_or_else(|| refused(value))?;
        if value.is_constant() {
            // LLVM folds these at once.
            let low = self.fold(builder, value, 0, width);
            return Ok(if width > WORD { vec![low, self.fold(builder, value, WORD, width)] } else { vec![low] });
        }
        if !value.is_instruction() {
            return Err(refused(value));
        }
        self.split(value)?;
        self.words.get(&value).cloned().ok_or_else(|| refused(value))
    }

    fn fold(&self, builder: &Builder<'c>, constant: Value<'c>, shift: u32, width: u32) -> Value<'c> {
        if constant.is_undef() {
            return self.word().zero();
        }
        let ty = constant.ty();
        let shifted = builder.binary(Opcode::LLVMLShr, constant, ty.constant(shift.into()), "");
        let opcode = if width > WORD { Opcode::LLVMTrunc } else { Opcode::LLVMZExt };
        builder.cast(opcode, shifted, self.word(), "")
    }

    fn split(&mut self, instruction: Value<'c>) -> Result<()> {
        let phi = instruction.is(Opcode::LLVMPHI);
        if phi || self.words.contains_key(&instruction) || self.done.contains(&instruction) {
            return if phi && split_width(instruction.ty()).is_none() { Err(refused(instruction)) } else { Ok(()) };
        }
        let step = Step { builder: Builder::before(instruction), word: self.word(), module: self.module };
        match split_width(instruction.ty()) {
            Some(width) => {
                let words = self.result(instruction, width, &step)?;
                let _new = self.words.insert(instruction, step.clean(words, width));
            }
            None => {
                let value = self.rewrite(instruction, &step)?;
                if let Some(value) = value {
                    instruction.replace_all_uses_with(value);
                }
            }
        }
        self.done.push(instruction);
        Ok(())
    }

    /// The words of an instruction that gives an integer to be split; bits above its width may be anything.
    fn result(&mut self, instruction: Value<'c>, width: u32, step: &Step<'_, 'c>) -> Result<Vec<Value<'c>>> {
        let opcode = instruction.opcode();
        let mut words = |index: u32| self.get(instruction.operand(index), &step.builder);
        Ok(match opcode {
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul => {
                let (a, b) = (words(0)?, words(1)?);
                step.arithmetic(opcode, &a, &b)
            }
            Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor => {
                let (a, b) = (words(0)?, words(1)?);
                a.iter().zip(&b).map(|(a, b)| step.binary(opcode, *a, *b)).collect()
            }
            Opcode::LLVMUDiv | Opcode::LLVMURem => vec![step.binary(opcode, words(0)?[0], words(1)?[0])],
            Opcode::LLVMSDiv | Opcode::LLVMSRem => {
                let (a, b) = (step.signed(&words(0)?, width), step.signed(&words(1)?, width));
                vec![step.binary(opcode, a[0], b[0])]
            }
            Opcode::LLVMShl | Opcode::LLVMLShr => {
                let (a, b) = (words(0)?, words(1)?);
                step.shift(opcode, &a, b[0])
            }
            Opcode::LLVMAShr => {
                let (a, b) = (step.signed(&words(0)?, width), words(1)?);
                step.shift(opcode, &a, b[0])
            }
            Opcode::LLVMSelect => {
                let (a, b) = (words(1)?, words(2)?);
                let condition = instruction.operand(0);
                a.iter().zip(&b).map(|(a, b)| step.builder.select(condition, *a, *b, "")).collect()
            }
            Opcode::LLVMFreeze => words(0)?.into_iter().map(|w| step.builder.freeze(w, "")).collect(),
            Opcode::LLVMLoad if !instruction.is_atomic() => step.load(instruction, width),
            Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc => {
                self.resized(instruction.operand(0), width, opcode == Opcode::LLVMSExt, step)?
            }
            Opcode::LLVMPtrToInt => {
                let address = step.builder.cast(opcode, instruction.operand(0), step.word, "");
                step.widened(address, false, width)
            }
            Opcode::LLVMFPToUI | Opcode::LLVMFPToSI if width < WORD => {
                vec![step.builder.cast(opcode, instruction.operand(0), step.word, "")]
            }
            Opcode::LLVMBitCast if width == 2 * WORD => step.words_of_vector(instruction.operand(0)),
            Opcode::LLVMCall => {
                let a = words(0)?;
                step.counted(instruction, &a, width).ok_or_else(|| refused(instruction))?
            }
            _ => return Err(refused(instruction)),
        })
    }

    /// A value of any integer type as words of `width` bits.
    fn resized(&mut self, value: Value<'c>, width: u32, signed: bool, step: &Step<'_, 'c>) -> Result<Vec<Value<'c>>> {
        let Some(from) = split_width(value.ty()) else {
            let extend = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
            let own = value.ty().int_width() == Some(WORD);
            let word = if own { value } else { step.builder.cast(extend, value, step.word, "") };
            return Ok(step.widened(word, signed, width));
        };
        let words = self.get(value, &step.builder)?;
        let words = if signed { step.signed(&words, from) } else { words };
        Ok(match (words.len(), count(width)) {
            (1, 2) => step.widened(words[0], signed, width),
            (2, 1) => vec![words[0]],
            _ => words,
        })
    }

    /// An instruction that takes integers to be split and gives none; the value that takes its place, if it has one.
    fn rewrite(&mut self, instruction: Value<'c>, step: &Step<'_, 'c>) -> Result<Option<Value<'c>>> {
        let builder = &step.builder;
        let opcode = instruction.opcode();
        Ok(Some(match opcode {
            Opcode::LLVMICmp => {
                let width = split_width(instruction.operand(0).ty()).ok_or_else(|| refused(instruction))?;
                let [a, b] = [self.get(instruction.operand(0), builder)?, self.get(instruction.operand(1), builder)?];
                step.compare(instruction.icmp_predicate(), &a, &b, width)
            }
            Opcode::LLVMTrunc => {
                let low = self.get(instruction.operand(0), builder)?[0];
                step.narrowed(low, instruction.ty())
            }
            Opcode::LLVMZExt | Opcode::LLVMSExt => {
                let width = instruction.ty().int_width().ok_or_else(|| refused(instruction))?;
                let words = self.resized(instruction.operand(0), width, opcode == Opcode::LLVMSExt, step)?;
                step.narrowed(words[0], instruction.ty())
            }
            Opcode::LLVMIntToPtr => {
                let low = self.get(instruction.operand(0), builder)?[0];
                builder.cast(opcode, low, instruction.ty(), "")
            }
            Opcode::LLVMUIToFP | Opcode::LLVMSIToFP => {
                let width = split_width(instruction.operand(0).ty()).filter(|w| *w < WORD);
                let width = width.ok_or_else(|| refused(instruction))?;
                let words = self.get(instruction.operand(0), builder)?;
                let words = if opcode == Opcode::LLVMSIToFP { step.signed(&words, width) } else { words };
                builder.cast(opcode, words[0], instruction.ty(), "")
            }
            Opcode::LLVMBitCast => {
                let words = self.get(instruction.operand(0), builder)?;
                step.vector_of_words(&words, instruction.ty()).ok_or_else(|| refused(instruction))?
            }
            Opcode::LLVMStore if !instruction.is_atomic() => {
                let words = self.get(instruction.operand(0), builder)?;
                step.store(instruction, &words);
                return Ok(None);
            }
            Opcode::LLVMSwitch => {
                let low = self.get(instruction.operand(0), builder)?;
                let [value] = low[..] else { return Err(refused(instruction)) };
                self.switch(instruction, value, step)?;
                return Ok(None);
            }
            Opcode::LLVMAlloca => {
                let ty =
                    bytes_instead(self.module, instruction.allocated_type()).ok_or_else(|| refused(instruction))?;
                let new = builder.alloca(ty, "");
                new.set_alignment(instruction.alignment());
                new
            }
            Opcode::LLVMGetElementPtr => {
                let ty =
                    bytes_instead(self.module, instruction.gep_source_type()).ok_or_else(|| refused(instruction))?;
                let mut indices = Vec::new();
                for index in (1..instruction.operand_count()).map(|i| instruction.operand(i)) {
                    let split = split_width(index.ty()).is_some();
                    indices.push(if split { self.resized(index, WORD, true, step)?[0] } else { index });
                }
                builder.gep_like(instruction, ty, &indices)
            }
            _ => return Err(refused(instruction)),
        }))
    }

    fn switch(&mut self, switch: Value<'c>, value: Value<'c>, step: &Step<'_, 'c>) -> Result<()> {
        let successors = switch.successors();
        let mut cases: Vec<(Value<'c>, Block<'c>)> = Vec::new();
        for (i, block) in successors.iter().enumerate().skip(1) {
            cases.push((self.get(switch.case_value(i as u32), &step.builder)?[0], *block));
        }
        let _switch = step.builder.switch(value, successors[0], &cases);
        Ok(())
    }
}

/// Where one instruction's words are built.
struct Step<'a, 'c> {
    builder: Builder<'c>,
    word: Type<'c>,
    module: &'a Module<'c>,
}

impl<'c> Step<'_, 'c> {
    fn binary(&self, opcode: Opcode, left: Value<'c>, right: Value<'c>) -> Value<'c> {
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
    fn clean(&self, mut words: Vec<Value<'c>>, width: u32) -> Vec<Value<'c>> {
        let rest = width % WORD;
        if let Some(top) = words.last_mut().filter(|_| rest != 0) {
            *top = self.binary(Opcode::LLVMAnd, *top, self.constant((1 << rest) - 1));
        }
        words
    }

    /// The sign above `width` instead of zeros.
    fn signed(&self, words: &[Value<'c>], width: u32) -> Vec<Value<'c>> {
        let (mut words, rest) = (words.to_vec(), width % WORD);
        if let Some(top) = words.last_mut().filter(|_| rest != 0) {
            let excess = self.constant(u64::from(WORD - rest));
            let shifted = self.binary(Opcode::LLVMShl, *top, excess);
            *top = self.binary(Opcode::LLVMAShr, shifted, excess);
        }
        words
    }

    fn widened(&self, word: Value<'c>, signed: bool, width: u32) -> Vec<Value<'c>> {
        if count(width) == 1 {
            return vec![word];
        }
        let sign = || self.binary(Opcode::LLVMAShr, word, self.constant(u64::from(WORD) - 1));
        vec![word, if signed { sign() } else { self.word.zero() }]
    }

    fn narrowed(&self, word: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if ty == self.word { word } else { self.builder.cast(Opcode::LLVMTrunc, word, ty, "") }
    }

    fn arithmetic(&self, opcode: Opcode, a: &[Value<'c>], b: &[Value<'c>]) -> Vec<Value<'c>> {
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
    fn shift(&self, opcode: Opcode, a: &[Value<'c>], amount: Value<'c>) -> Vec<Value<'c>> {
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

    fn compare(&self, predicate: IntPredicate, a: &[Value<'c>], b: &[Value<'c>], width: u32) -> Value<'c> {
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

    fn load(&self, load: Value<'c>, width: u32) -> Vec<Value<'c>> {
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

    fn store(&self, store: Value<'c>, words: &[Value<'c>]) {
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
    fn counted(&self, call: Value<'c>, a: &[Value<'c>], width: u32) -> Option<Vec<Value<'c>>> {
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

    fn words_of_vector(&self, value: Value<'c>) -> Vec<Value<'c>> {
        let vector = self.builder.cast(Opcode::LLVMBitCast, value, self.word.vector(2), "");
        let index = |i| self.word.int(32).constant(i);
        [0, 1].map(|i| self.builder.extract_element(vector, index(i), "")).to_vec()
    }

    fn vector_of_words(&self, words: &[Value<'c>], ty: Type<'c>) -> Option<Value<'c>> {
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

/// A type of the same size and the same steps, without integers that must be split; none when fields would move.
fn bytes_instead<'c>(module: &Module<'c>, ty: Type<'c>) -> Option<Type<'c>> {
    if !holds_split(ty) {
        return Some(ty);
    }
    let bytes = ty.alloc_size(module);
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => Some(ty.int(8).array(bytes)),
        TypeKind::LLVMArrayTypeKind => {
            let element = *ty.parts().first()?;
            let size = element.alloc_size(module).max(1);
            Some(bytes_instead(module, element)?.array(bytes / size))
        }
        _ => None,
    }
}

fn refused(value: Value<'_>) -> Error {
    Error::new(format!(
        "an integer of an uncommon width is used in a way that has no device code: `{}`",
        value.text().trim()
    ))
}
