//! The code of a function while it is made.

use std::collections::HashMap;

use super::Program;
use super::code::{ARGUMENTS, Address, CARRY, CONSTANTS, Code, FIRST, FRAME, Op, Passed, Rule, Source, Special, Word};
use super::flow::LABEL;
use super::scope::{Scopes, Symbol};
use crate::parser::{Operand, Type, Variable};

/// The state of a function while it is compiled.
pub(super) struct Builder<'p> {
    pub(super) program: &'p Program,
    pub(super) scopes: Scopes,
    /// Whether the parameters that have addresses are in the frame, as those of a function that is no entry.
    pub(super) parameters_are_local: bool,
    pub(super) code: Vec<Code>,
    pub(super) registers: u32,
    pub(super) constants: Vec<u64>,
    constant_numbers: HashMap<u64, Source>,
    pub(super) frame: u64,
    pub(super) frame_alignment: u64,
    pub(super) labels: HashMap<&'p str, usize>,
    pub(super) targets: HashMap<&'p str, &'p [String]>,
    pub(super) prototypes: HashMap<&'p str, (&'p [Variable], &'p [Variable])>,
    pub(super) statement: u32,
    pub(super) place: (u32, u32),
}

impl<'p> Builder<'p> {
    pub(super) fn new(program: &'p Program) -> Builder<'p> {
        Builder {
            program,
            scopes: Scopes::default(),
            parameters_are_local: false,
            code: Vec::new(),
            registers: FIRST,
            constants: Vec::new(),
            constant_numbers: HashMap::new(),
            frame: 0,
            frame_alignment: 8,
            labels: HashMap::new(),
            targets: HashMap::new(),
            prototypes: HashMap::new(),
            statement: 0,
            place: (0, 0),
        }
    }

    /// Appends an operation.
    pub(super) fn emit(&mut self, op: Op) {
        self.code.push(Code { guard: None, op, statement: self.statement, place: self.place });
    }

    /// A register that no name stands for.
    pub(super) fn scratch(&mut self) -> Source {
        self.registers += 1;
        self.registers - 1
    }

    /// A constant.
    pub(super) fn constant(&mut self, value: u64) -> Source {
        let constants = &mut self.constants;
        *self.constant_numbers.entry(value).or_insert_with(|| {
            constants.push(value);
            CONSTANTS + constants.len() as Source - 1
        })
    }

    /// A register by its name.
    pub(super) fn register(&self, name: &str) -> Result<(Source, Type), String> {
        match self.scopes.find(name) {
            Some(Symbol::Register(register, element)) => Ok((register, element)),
            _ => Err(format!("`{name}` is no register")),
        }
    }

    /// The register of a destination, and its width; a scratch register for `_`.
    pub(super) fn destination(&mut self, operand: &Operand) -> Result<(Source, u32), String> {
        match operand {
            Operand::Sink => Ok((self.scratch(), 64)),
            Operand::Name(name) => self.register(name).map(|(register, element)| (register, element.width)),
            _ => Err("a destination is a register".to_owned()),
        }
    }

    /// The register or constant of an operand that is used as `element`.
    pub(super) fn source(&mut self, operand: &Operand, element: Type) -> Result<Source, String> {
        let mask = emulator_core::bits::ones(element.width);
        match operand {
            Operand::Integer(value) if element.width == 1 => Ok(self.constant(u64::from(*value != 0))),
            Operand::Integer(value) => Ok(self.constant(value & mask)),
            Operand::Float32(bits) if element.width == 64 => {
                let wide = f64::from(f32::from_bits(*bits)).to_bits();
                Ok(self.constant(wide))
            }
            Operand::Float32(bits) => Ok(self.constant(u64::from(*bits))),
            Operand::Float64(bits) if element.width == 64 => Ok(self.constant(*bits)),
            Operand::Float64(bits) => Ok(self.constant(u64::from((f64::from_bits(*bits) as f32).to_bits()))),
            Operand::Name(name) => self.named(name, 0),
            Operand::Sum(name, offset) => self.named(name, *offset),
            _ => Err("an operand of another kind is expected".to_owned()),
        }
    }

    fn named(&mut self, name: &str, offset: i64) -> Result<Source, String> {
        match self.symbol(name) {
            Some(Symbol::Register(register, _)) if offset == 0 => Ok(register),
            Some(Symbol::Address(address)) => Ok(self.constant(address.wrapping_add_signed(offset))),
            Some(Symbol::Frame(place)) => Ok(self.sum(FRAME, place.wrapping_add_signed(offset))),
            Some(Symbol::Argument(place)) => Ok(self.sum(ARGUMENTS, place.wrapping_add_signed(offset))),
            None if name == "WARP_SZ" => Ok(self.constant(32_u64.wrapping_add_signed(offset))),
            None => match Special::named(name) {
                Some(which) => {
                    let d = self.scratch();
                    self.emit(Op::Special { which, d });
                    Ok(d)
                }
                None => Err(format!("`{name}` is not known")),
            },
            Some(_) => Err(format!("`{name}` has no value")),
        }
    }

    /// The meaning of a name here or in the module.
    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        let program = self.program;
        let address = || program.shared.get(name).copied().or_else(|| program.module.address(name));
        self.scopes.find(name).or_else(|| address().map(Symbol::Address))
    }

    fn sum(&mut self, base: Source, offset: u64) -> Source {
        fn add(d: &mut Word, a: &Word, b: &Word) {
            for i in 0..32 {
                d[i] = a[i].wrapping_add(b[i]);
            }
        }
        let (d, b) = (self.scratch(), self.constant(offset));
        self.emit(Op::Binary { f: add, rule: Rule::Carry, width: 64, d, a: base, b });
        d
    }

    /// `[base + offset]`
    pub(super) fn address(&mut self, operand: &Operand) -> Result<Address, String> {
        let Operand::Address(base, offset) = operand else { return Err("an address is expected".to_owned()) };
        if let Operand::Integer(value) = &**base {
            return Ok(Address { base: self.constant(*value), offset: *offset });
        }
        let Operand::Name(name) = &**base else { return Err("an address has a base".to_owned()) };
        match self.symbol(name) {
            Some(Symbol::Register(base, _)) => Ok(Address { base, offset: *offset }),
            Some(Symbol::Frame(place)) => Ok(Address { base: FRAME, offset: place as i64 + offset }),
            Some(Symbol::Argument(place)) => Ok(Address { base: ARGUMENTS, offset: place as i64 + offset }),
            Some(Symbol::Address(address)) => Ok(Address { base: self.constant(address), offset: *offset }),
            _ => Err(format!("`{name}` has no address")),
        }
    }

    /// The words of a parameter in the parameter space, and the offset in it.
    pub(super) fn parameter(&self, operand: &Operand) -> Option<(Vec<Source>, u64)> {
        let Operand::Address(base, offset) = operand else { return None };
        let Operand::Name(name) = &**base else { return None };
        match self.scopes.find(name)? {
            Symbol::Words(words) => Some((words, *offset as u64)),
            _ => None,
        }
    }

    /// The arguments of a call: parameters, registers or constants.
    pub(super) fn passed(&mut self, operands: &[Operand]) -> Result<Vec<Passed>, String> {
        let mut all = Vec::new();
        for operand in operands {
            let words = match operand {
                Operand::Name(name) => match self.scopes.find(name) {
                    Some(Symbol::Words(words)) => words,
                    _ => vec![self.named(name, 0)?],
                },
                Operand::Integer(value) => vec![self.constant(*value)],
                Operand::Sink => vec![self.scratch()],
                _ => return Err("a parameter of another kind is expected".to_owned()),
            };
            all.push(Passed { words });
        }
        Ok(all)
    }

    /// The number of a label, as branches have it before code is arranged.
    pub(super) fn label(&self, name: &str) -> Result<usize, String> {
        let number = self.labels.get(name).ok_or_else(|| format!("`{name}` is no label"))?;
        Ok(LABEL | number)
    }

    /// The labels that `.branchtargets` lists.
    pub(super) fn targets(&self, name: &str) -> Result<Vec<usize>, String> {
        let list = self.targets.get(name).ok_or_else(|| format!("`{name}` is no list of targets"))?;
        list.iter().map(|label| self.label(label)).collect()
    }

    /// The carry of `add.cc` and kin.
    pub(super) fn carry(&self) -> Source {
        CARRY
    }
}
