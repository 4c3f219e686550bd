//! Splits integers of widths that a device lacks into words of 64 bits.
//!
//! The bits of a word above an integer's width are zero; operations that depend on the sign extend it first. The memory
//! layout does not change: a load or store of such an integer accesses the same bytes in pieces that the device has.
//! Divisions of more than one word become LLVM's loop over bits.
//!
//! Before: the device has widths 1, 8, 16, 32 and 64; no function but an intrinsic has parameters or results of other
//! widths; arithmetic intrinsics except bit counts are expanded, and no `switch` is on more than one word. After: no
//! other width is left, or an error has the location of a value that cannot be split.

mod layout;
mod words;

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Type, TypeKind, Value};
pub use layout::split_statics;
use layout::{bytes_instead, keeps_layout};
use words::Step;

/// The width of a word in bits.
const WORD: u32 = 64;

/// Splits all such integers.
pub fn split_integers(module: &Module<'_>) -> Result<()> {
    module.functions().into_iter().filter(|f| !f.is_declaration()).try_for_each(|f| split_integers_of(module, f))
}

/// Splits all such integers of a function. `module` is needed to declare intrinsics.
fn split_integers_of<'c>(module: &Module<'c>, function: Function<'c>) -> Result<()> {
    // In unreachable code, a value may depend on itself.
    function.erase_unreachable_blocks();
    expand_divisions(function);
    let mut splitter = Splitter { module, words: HashMap::new(), done: Vec::new() };
    let all: Vec<_> = function.instructions().collect();
    if !all.iter().any(|i| concerns(*i)) {
        return Ok(());
    }
    for phi in all.iter().filter(|i| i.is(Opcode::Phi) && split_width(i.ty()).is_some()) {
        splitter.begin_phi(*phi);
    }
    for instruction in all.iter().filter(|i| concerns(**i)) {
        splitter.split(*instruction)?;
    }
    for phi in all.iter().filter(|i| i.is(Opcode::Phi) && split_width(i.ty()).is_some()) {
        splitter.finish_phi(*phi)?;
    }
    splitter.erase();
    Ok(())
}

/// The width of an integer type that must be split.
pub fn split_width(ty: Type<'_>) -> Option<u32> {
    ty.int_width().filter(|width| !matches!(width, 1 | 8 | 16 | 32 | 64))
}

/// Whether a type is, or contains, an integer that must be split.
pub fn holds_split(ty: Type<'_>) -> bool {
    split_width(ty).is_some() || ty.parts().into_iter().any(holds_split)
}

fn concerns(instruction: Value<'_>) -> bool {
    let memory = match instruction.opcode() {
        Opcode::Alloca => holds_split(instruction.allocated_type()),
        Opcode::GetElementPtr => holds_split(instruction.gep_source_type()),
        _ => false,
    };
    memory || holds_split(instruction.ty()) || instruction.operands().iter().any(|o| holds_split(o.ty()))
}

fn expand_divisions(function: Function<'_>) {
    for instruction in function.instructions().collect::<Vec<_>>() {
        let division = matches!(instruction.opcode(), Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem);
        if division && split_width(instruction.ty()).is_some_and(|width| width > WORD) {
            instruction.expand_division();
        }
    }
}

/// The state of splitting one function.
struct Splitter<'a, 'c> {
    module: &'a Module<'c>,
    /// The words of each value that was split, lowest first.
    words: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Dead instructions, in the order in which they were split.
    done: Vec<Value<'c>>,
}

/// The number of words of a width.
fn count(width: u32) -> usize {
    width.div_ceil(WORD) as usize
}

impl<'c> Splitter<'_, 'c> {
    fn word(&self) -> Type<'c> {
        self.module.types().int(WORD)
    }

    fn begin_phi(&mut self, phi: Value<'c>) {
        let width = split_width(phi.ty()).unwrap_or(0);
        let builder = Builder::before(phi);
        let words = (0..count(width)).map(|_| builder.phi(self.word(), "")).collect();
        self.words.insert(phi, words);
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

    /// The words of a value, with zeros above its width.
    fn get(&mut self, value: Value<'c>, builder: &Builder<'c>) -> Result<Vec<Value<'c>>> {
        if let Some(words) = self.words.get(&value) {
            return Ok(words.clone());
        }
        let width = split_width(value.ty()).ok_or_else(|| refused(value))?;
        if value.is_constant() {
            // LLVM folds these instructions into constants.
            return Ok((0..count(width)).map(|i| self.fold(builder, value, WORD * i as u32, width)).collect());
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
        let shifted = builder.binary(Opcode::LShr, constant, ty.constant(shift.into()), "");
        let opcode = if width > WORD { Opcode::Trunc } else { Opcode::ZExt };
        builder.cast(opcode, shifted, self.word(), "")
    }

    fn split(&mut self, instruction: Value<'c>) -> Result<()> {
        let phi = instruction.is(Opcode::Phi);
        if phi || self.words.contains_key(&instruction) {
            return if phi && split_width(instruction.ty()).is_none() { Err(refused(instruction)) } else { Ok(()) };
        }
        let step = Step { builder: Builder::before(instruction), word: self.word(), module: self.module };
        match split_width(instruction.ty()) {
            Some(width) => {
                let words = self.result(instruction, width, &step)?;
                self.words.insert(instruction, step.clean(words, width));
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

    /// The words of an instruction whose result is an integer to be split. The bits above its width may have any value.
    fn result(&mut self, instruction: Value<'c>, width: u32, step: &Step<'_, 'c>) -> Result<Vec<Value<'c>>> {
        let opcode = instruction.opcode();
        let mut words = |index: u32| self.get(instruction.operand(index), &step.builder);
        Ok(match opcode {
            Opcode::Add | Opcode::Sub | Opcode::Mul => {
                let (a, b) = (words(0)?, words(1)?);
                step.arithmetic(opcode, &a, &b)
            }
            Opcode::And | Opcode::Or | Opcode::Xor => {
                let (a, b) = (words(0)?, words(1)?);
                a.iter().zip(&b).map(|(a, b)| step.binary(opcode, *a, *b)).collect()
            }
            Opcode::UDiv | Opcode::URem => vec![step.binary(opcode, words(0)?[0], words(1)?[0])],
            Opcode::SDiv | Opcode::SRem => {
                let (a, b) = (step.signed(&words(0)?, width), step.signed(&words(1)?, width));
                vec![step.binary(opcode, a[0], b[0])]
            }
            Opcode::Shl | Opcode::LShr => {
                let (a, b) = (words(0)?, words(1)?);
                step.shift(opcode, &a, b[0])
            }
            Opcode::AShr => {
                let (a, b) = (step.signed(&words(0)?, width), words(1)?);
                step.shift(opcode, &a, b[0])
            }
            Opcode::Select => {
                let (a, b) = (words(1)?, words(2)?);
                let condition = instruction.operand(0);
                a.iter().zip(&b).map(|(a, b)| step.builder.select(condition, *a, *b, "")).collect()
            }
            Opcode::Freeze => words(0)?.into_iter().map(|w| step.builder.freeze(w, "")).collect(),
            Opcode::Load if !instruction.is_atomic() => step.load(instruction, width),
            Opcode::ZExt | Opcode::SExt | Opcode::Trunc => {
                self.resized(instruction.operand(0), width, opcode == Opcode::SExt, step)?
            }
            Opcode::PtrToInt => {
                let address = step.builder.cast(opcode, instruction.operand(0), step.word, "");
                step.widened(address, false, width)
            }
            Opcode::FPToUI | Opcode::FPToSI if width < WORD => {
                vec![step.builder.cast(opcode, instruction.operand(0), step.word, "")]
            }
            Opcode::BitCast => {
                step.words_of_vector(instruction.operand(0), width).ok_or_else(|| refused(instruction))?
            }
            Opcode::Call => {
                let a = words(0)?;
                step.counted(instruction, &a, width).ok_or_else(|| refused(instruction))?
            }
            _ => return Err(refused(instruction)),
        })
    }

    /// A value of any integer type as words of `width` bits.
    fn resized(&mut self, value: Value<'c>, width: u32, signed: bool, step: &Step<'_, 'c>) -> Result<Vec<Value<'c>>> {
        let Some(from) = split_width(value.ty()) else {
            let extend = if signed { Opcode::SExt } else { Opcode::ZExt };
            let own = value.ty().int_width() == Some(WORD);
            let word = if own { value } else { step.builder.cast(extend, value, step.word, "") };
            return Ok(step.widened(word, signed, width));
        };
        let words = self.get(value, &step.builder)?;
        let words = if signed { step.signed(&words, from) } else { words };
        Ok(step.extended(words, signed, width))
    }

    /// Rewrites an instruction that has operands to be split but no such result. Returns the value that replaces it, if
    /// there is one.
    fn rewrite(&mut self, instruction: Value<'c>, step: &Step<'_, 'c>) -> Result<Option<Value<'c>>> {
        let builder = &step.builder;
        let opcode = instruction.opcode();
        Ok(Some(match opcode {
            Opcode::ICmp => {
                let width = split_width(instruction.operand(0).ty()).ok_or_else(|| refused(instruction))?;
                let [a, b] = [self.get(instruction.operand(0), builder)?, self.get(instruction.operand(1), builder)?];
                step.compare(instruction.icmp_predicate(), &a, &b, width)
            }
            Opcode::Trunc => {
                let low = self.get(instruction.operand(0), builder)?[0];
                step.narrowed(low, instruction.ty())
            }
            Opcode::ZExt | Opcode::SExt => {
                let width = instruction.ty().int_width().ok_or_else(|| refused(instruction))?;
                let words = self.resized(instruction.operand(0), width, opcode == Opcode::SExt, step)?;
                step.narrowed(words[0], instruction.ty())
            }
            Opcode::IntToPtr => {
                let low = self.get(instruction.operand(0), builder)?[0];
                builder.cast(opcode, low, instruction.ty(), "")
            }
            Opcode::UIToFP | Opcode::SIToFP => {
                let width = split_width(instruction.operand(0).ty()).filter(|w| *w < WORD);
                let width = width.ok_or_else(|| refused(instruction))?;
                let words = self.get(instruction.operand(0), builder)?;
                let words = if opcode == Opcode::SIToFP { step.signed(&words, width) } else { words };
                builder.cast(opcode, words[0], instruction.ty(), "")
            }
            Opcode::BitCast => {
                let words = self.get(instruction.operand(0), builder)?;
                let width = split_width(instruction.operand(0).ty()).ok_or_else(|| refused(instruction))?;
                step.vector_of_words(&words, instruction, width).ok_or_else(|| refused(instruction))?
            }
            Opcode::Store if !instruction.is_atomic() => {
                let words = self.get(instruction.operand(0), builder)?;
                step.store(instruction, &words);
                return Ok(None);
            }
            Opcode::Switch => {
                let low = self.get(instruction.operand(0), builder)?;
                let [value] = low[..] else { return Err(refused(instruction)) };
                self.switch(instruction, value, step)?;
                return Ok(None);
            }
            Opcode::Alloca => {
                let (ty, byte) = (instruction.allocated_type(), step.word.types().i8());
                let bytes = || keeps_layout(self.module, ty).then(|| byte.array(ty.alloc_size(self.module)));
                let new = bytes_instead(self.module, ty).or_else(bytes).ok_or_else(|| refused(instruction))?;
                let new = builder.alloca(new, "");
                new.set_alignment(instruction.alignment());
                new
            }
            Opcode::GetElementPtr => {
                let Some(ty) = bytes_instead(self.module, instruction.gep_source_type()) else {
                    let offset = self.offset(instruction, step)?;
                    return Ok(Some(builder.gep_like(instruction, step.word.types().i8(), &[offset])));
                };
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

    /// The offset that a GEP adds. Fields of structs keep their offsets.
    fn offset(&mut self, gep: Value<'c>, step: &Step<'_, 'c>) -> Result<Value<'c>> {
        let mut ty = gep.gep_source_type();
        if !keeps_layout(self.module, ty) {
            return Err(refused(gep));
        }
        let mut offset = self.bytes_of_index(gep.operand(1), ty, step)?;
        for index in (2..gep.operand_count()).map(|i| gep.operand(i)) {
            let parts = ty.parts();
            let (part, bytes) = if ty.kind() == TypeKind::Struct {
                let field = index.as_u64().ok_or_else(|| refused(gep))? as u32;
                (parts.get(field as usize), step.word.constant(ty.field_offset(self.module, field)))
            } else {
                let element = parts.first().ok_or_else(|| refused(gep))?;
                (Some(element), self.bytes_of_index(index, *element, step)?)
            };
            ty = *part.ok_or_else(|| refused(gep))?;
            offset = step.binary(Opcode::Add, offset, bytes);
        }
        Ok(offset)
    }

    fn bytes_of_index(&mut self, index: Value<'c>, ty: Type<'c>, step: &Step<'_, 'c>) -> Result<Value<'c>> {
        let index = self.resized(index, WORD, true, step)?[0];
        Ok(step.binary(Opcode::Mul, index, step.word.constant(ty.alloc_size(self.module))))
    }

    fn switch(&mut self, switch: Value<'c>, value: Value<'c>, step: &Step<'_, 'c>) -> Result<()> {
        let successors = switch.successors();
        let mut cases: Vec<(Value<'c>, Block<'c>)> = Vec::new();
        for (i, block) in successors.iter().enumerate().skip(1) {
            cases.push((self.get(switch.case_value(i as u32), &step.builder)?[0], *block));
        }
        step.builder.switch(value, successors[0], &cases);
        Ok(())
    }
}

fn refused(value: Value<'_>) -> Error {
    Error::new(format!(
        "an integer of an uncommon width is used in a way that has no device code: `{}`",
        value.text().trim()
    ))
}
