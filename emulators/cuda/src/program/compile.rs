//! A function's body to code.

use super::builder::Builder;
use super::code::{Function, NO_STATEMENT, Op, Source};
use super::scope::{Symbol, words_of};
use super::{Program, decode, flow, liveness};
use crate::lanes::Lanes;
use crate::parser::{self, Instruction, Location, Space, Statement, Variable};

/// The bytes of a call's frame besides variables: a real one has at least the return address.
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

/// A function, compiled. An instruction that cannot be compiled becomes an operation that reports this when it is
/// executed.
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
}
