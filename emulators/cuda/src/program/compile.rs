//! A function's body to code.

use std::collections::HashMap;

use super::code::{
    Address, CARRY, CONSTANTS, Code, FIRST, FRAME, Function, NO_STATEMENT, Op, Passed, Rule, Source, Word,
};
use super::scope::{Scopes, Symbol, words_of};
use super::{Program, decode, flow, liveness};
use crate::lanes::Lanes;
use crate::parser::{self, Instruction, Location, Operand, Space, Statement, Type, Variable};

/// What a call's frame keeps besides variables: a real one has at least the return address.
const FRAME_EXTRA: usize = 8;

/// No function's frame is larger than this.
pub(super) fn frame_bound(function: &parser::Function) -> usize {
    let variables = function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Variable(variable) if variable.space == Space::Local => Some(variable),
        _ => None,
    });
    let all = variables.chain(if function.is_entry { &[] } else { function.parameters.as_slice() });
    FRAME_EXTRA + all.map(|variable| variable.size() + variable.alignment.max(16)).sum::<usize>() + 16
}

/// What is known of a function while it is compiled.
pub(super) struct Builder<'p> {
    pub(super) program: &'p Program,
    pub(super) scopes: Scopes,
    /// Whether the parameters that have addresses are in the frame, as those of a function that is no entry.
    pub(super) parameters_are_local: bool,
    code: Vec<Code>,
    registers: u32,
    constants: Vec<u64>,
    constant_numbers: HashMap<u64, Source>,
    frame: u64,
    frame_alignment: u64,
    labels: HashMap<&'p str, usize>,
    targets: HashMap<&'p str, &'p [String]>,
    prototypes: HashMap<&'p str, (&'p [Variable], &'p [Variable])>,
    statement: u32,
    place: (u32, u32),
}

/// A function, compiled. What cannot be compiled is an operation that says so when it is executed.
pub(super) fn compile(program: &Program, index: usize) -> Function {
    let function = &program.module.tree.functions[index];
    let mut builder = Builder::new(program);
    builder.parameters_are_local = !function.is_entry;
    let addressed_names = if function.is_entry { Vec::new() } else { addressed(function) };
    builder.scopes.begin();
    let (parameters, results, addressed) = builder.signature(function, &addressed_names);
    let body = function.body.as_deref().unwrap_or_default();
    builder.find_tables(body);
    for (i, statement) in body.iter().enumerate() {
        builder.statement = i as u32;
        builder.statement(statement);
    }
    // A body may end without `ret`, where control never comes.
    builder.emit(Op::Return);
    let code = flow::arrange(std::mem::take(&mut builder.code));
    let read_first = liveness::read_first(&code, builder.registers);
    let frame = (builder.frame + FRAME_EXTRA as u64).next_multiple_of(8);
    let Builder { constants, registers, frame_alignment, .. } = builder;
    let constants = constants.into_iter().map(Lanes::splat).collect();
    Function { index, code, constants, registers, read_first, parameters, results, addressed, frame, frame_alignment }
}

/// Parameters whose addresses are taken: named by anything but an access to the parameter space.
fn addressed(function: &parser::Function) -> Vec<&str> {
    let all = super::instructions(function);
    let moves = all.filter(|one| !(matches!(one.word(0), "ld" | "st") && one.word(1).starts_with("param")));
    let named: Vec<&str> =
        moves.filter(|one| one.words[0] != "call").flat_map(|one| super::names(&one.operands)).collect();
    let both = function.parameters.iter().chain(&function.results);
    both.map(|parameter| parameter.name.as_str()).filter(|name| named.contains(name)).collect()
}

/// The words of parameters and results, and parameters with addresses.
type Signature = (Vec<Vec<Source>>, Vec<Vec<Source>>, Vec<(u64, Vec<Source>)>);

impl<'p> Builder<'p> {
    fn new(program: &'p Program) -> Builder<'p> {
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

    fn signature(&mut self, function: &parser::Function, addressed_names: &[&str]) -> Signature {
        let mut offset = 0u64;
        let (mut parameters, mut results, mut addressed) = (Vec::new(), Vec::new(), Vec::new());
        for parameter in &function.parameters {
            if function.is_entry {
                offset = offset.next_multiple_of(parameter.alignment as u64);
                self.scopes.add(&parameter.name, Symbol::Argument(offset));
                offset += parameter.size() as u64;
                continue;
            }
            let words = self.words(parameter);
            if addressed_names.contains(&parameter.name.as_str()) {
                let place = self.frame_space(parameter);
                self.scopes.add(&parameter.name, Symbol::Frame(place));
                addressed.push((place, words.clone()));
            } else {
                self.scopes.add(&parameter.name, Symbol::Words(words.clone()));
            }
            parameters.push(words);
        }
        for result in &function.results {
            let words = self.words(result);
            self.scopes.add(&result.name, Symbol::Words(words.clone()));
            results.push(words);
        }
        (parameters, results, addressed)
    }

    fn words(&mut self, variable: &Variable) -> Vec<Source> {
        let first = self.registers;
        self.registers += words_of(variable);
        (first..self.registers).collect()
    }

    fn frame_space(&mut self, variable: &Variable) -> u64 {
        let begin = self.frame.next_multiple_of(variable.alignment as u64);
        self.frame_alignment = self.frame_alignment.max(variable.alignment as u64);
        self.frame = begin + (variable.size() as u64).next_multiple_of(8);
        begin
    }

    fn find_tables(&mut self, body: &'p [Statement]) {
        for statement in body {
            match statement {
                Statement::Targets(name, targets) => drop(self.targets.insert(name, targets)),
                Statement::Prototype(name, results, parameters) => {
                    self.prototypes.insert(name, (results, parameters));
                }
                _ => {}
            }
        }
        // Labels get numbers when their blocks begin; forward branches need them before.
        let labels = body.iter().filter_map(|statement| match statement {
            Statement::Label(name) => Some(name.as_str()),
            _ => None,
        });
        self.labels = labels.enumerate().map(|(number, name)| (name, number)).collect();
    }

    fn statement(&mut self, statement: &'p Statement) {
        match statement {
            Statement::Begin => self.scopes.begin(),
            Statement::End => self.scopes.end(),
            Statement::Location(Location { position, inlined: _ }) => {
                self.place = (position.file, position.line);
            }
            Statement::Targets(..) | Statement::Prototype(..) => {}
            Statement::Label(name) => {
                let number = self.labels[name.as_str()];
                self.emit(Op::Nothing);
                if let Some(code) = self.code.last_mut() {
                    code.op = Op::Branch { target: flow::LABEL | number };
                    code.statement = NO_STATEMENT;
                }
            }
            Statement::Registers(name, element, count) => {
                let first = self.registers;
                self.registers += count.unwrap_or(1);
                let symbol = match count {
                    Some(count) => Symbol::Registers(first, *element, *count),
                    None => Symbol::Register(first, *element),
                };
                self.scopes.add(name, symbol);
            }
            Statement::Variable(variable) => self.variable(variable),
            Statement::Instruction(instruction) => self.instruction(instruction),
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let symbol = match variable.space {
            Space::Param => Symbol::Words(self.words(variable)),
            Space::Local => Symbol::Frame(self.frame_space(variable)),
            _ => return,
        };
        self.scopes.add(&variable.name, symbol);
    }

    fn instruction(&mut self, instruction: &'p Instruction) {
        let begin = self.code.len();
        if let Err(reason) = decode::decode(self, instruction) {
            self.code.truncate(begin);
            self.emit(Op::Unsupported(reason));
        }
        let Some((name, is_negated)) = &instruction.guard else { return };
        match self.register(name) {
            Ok((register, _)) => {
                self.code[begin..].iter_mut().for_each(|code| code.guard = Some((register, *is_negated)));
            }
            Err(reason) => self.emit(Op::Unsupported(reason)),
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
            Some(Symbol::Argument(place)) => Ok(self.sum(super::code::ARGUMENTS, place.wrapping_add_signed(offset))),
            None if name == "WARP_SZ" => Ok(self.constant(32_u64.wrapping_add_signed(offset))),
            None => match decode::special(name) {
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

    /// What a name stands for here or in the module.
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
            Some(Symbol::Argument(place)) => {
                Ok(Address { base: super::code::ARGUMENTS, offset: place as i64 + offset })
            }
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

    /// What a call passes: parameters, registers or constants.
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
        Ok(flow::LABEL | number)
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
