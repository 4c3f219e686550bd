//! The user's lines that lead to a panic in a library.
//!
//! The debug location of an instruction has the calls that were inlined, and a function that was not inlined has calls
//! in the module. The user's files are those that rustc read in the folder in which it compiled a kernel: the packages
//! of its workspace.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use crate::analysis::location::{is_library_source, user_frame};
use crate::analysis::source_locations::numbered_locations;
use crate::contract::builtin::{PANIC, PANIC_TEXT};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{PanicTable, SourceLocation};
use crate::contract::symbols::FUNCTION_TABLE;
use crate::llvm::{Frame, Function, Module, Opcode, Value};

/// The most lines in front of a place. A function that is called from more lines is a part of everything.
const MOST_LINES: usize = 3;
/// The most functions through which callers are looked for.
const MOST_FUNCTIONS: usize = 64;

/// A line of the user's: file, line and column, which is the order in which lines are named, and the function's symbol.
type Line = (String, u32, u32, String);

/// The user's sources.
pub struct UserSources<'c> {
    /// The functions of the kernels.
    kernels: Vec<Function<'c>>,
    /// The folders in which rustc compiled kernels.
    folders: BTreeSet<String>,
}

impl<'c> UserSources<'c> {
    /// The sources of these kernels, and of the functions that the program passes as values: a module of another object
    /// has only these.
    pub fn of(module: &Module<'c>, kernels: &KernelSet) -> Self {
        let kernels: Vec<_> = kernels.functions(module).filter(|kernel| !kernel.is_declaration()).collect();
        let table = module.variable(FUNCTION_TABLE).and_then(Value::initializer);
        let passed = table.map(Value::operands).unwrap_or_default().into_iter().filter_map(Value::as_function);
        let folders = kernels.iter().copied().chain(passed).filter_map(Function::compiled_in).collect();
        Self { kernels, folders }
    }

    fn have(&self, frame: &Frame) -> bool {
        Path::new(&frame.file).is_relative() && self.folders.contains(&frame.folder)
    }

    /// Whether a function has no callers but those in the module.
    pub fn have_all_calls_of(&self, function: Function<'c>) -> bool {
        function.is_only_called() && !self.kernels.contains(&function)
    }

    /// Whether the place of a panic, of which these are the frames, is in the user's sources.
    pub fn have_written(&self, place: &SourceLocation, frames: &[Frame]) -> bool {
        // Two packages may have a file `src/lib.rs`.
        let inside = frames.iter().find(|frame| is_in(frame, place));
        let is_elsewhere = || is_library_source(&place.file) || !self.may_have(Path::new(&place.file));
        inside.map_or_else(|| !is_elsewhere(), |frame| self.have(frame))
    }

    fn may_have(&self, file: &Path) -> bool {
        file.is_relative() || self.folders.iter().any(|folder| file.starts_with(folder))
    }

    /// The user's lines from which an instruction is reached, in their order; none if they are unknown or too many.
    pub fn lines_before(&self, instruction: Value<'c>) -> Option<Vec<String>> {
        texts(self.callers(instruction, MOST_LINES)?)
    }

    /// The innermost of the user's lines on every chain of calls to an instruction; none if the search ends before they
    /// are known, or if they are more than `most`.
    fn callers(&self, instruction: Value<'c>, most: usize) -> Option<BTreeSet<Line>> {
        let (mut lines, mut seen) = (BTreeSet::new(), HashSet::new());
        let mut open = vec![instruction];
        while let Some(call) = open.pop() {
            let frames = call.frames();
            if let Some(line) = frames.iter().filter(|frame| self.have(frame)).find_map(user_line) {
                lines.insert(line);
                continue;
            }
            let function = call.function();
            if !seen.insert(function) {
                continue;
            }
            if !self.have_all_calls_of(function) || seen.len() > MOST_FUNCTIONS || lines.len() > most {
                return None;
            }
            open.extend(function.calls());
        }
        Some(lines)
    }
}

/// An operand with a place: its number, or its `Location`.
#[derive(Clone, Copy)]
pub struct PlaceUse<'c> {
    /// The instruction with the operand.
    pub user: Value<'c>,
    /// The index of the operand.
    pub at: u32,
    /// The instruction that the place is for: `user`, or a call that gets it from there.
    pub call: Value<'c>,
}

impl<'c> PlaceUse<'c> {
    /// The instruction whose debug location says where the place is from: for a `phi`, the branch to it.
    pub fn origin(&self) -> Value<'c> {
        let branch = || self.user.incoming().get(self.at as usize).and_then(|(_, block)| block.terminator());
        if self.user.is(Opcode::Phi) { branch().unwrap_or(self.user) } else { self.user }
    }

    /// The number, if it is a constant.
    pub fn number(&self) -> Option<u64> {
        self.user.operand(self.at).as_u64()
    }
}

/// The operands with the numbers of places that panics have, in order: of the panics themselves, of the values that one
/// is chosen from, and of calls that pass one on.
pub fn uses_of_numbers<'c>(module: &Module<'c>, sources: &UserSources<'c>) -> Vec<PlaceUse<'c>> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for (name, at) in [(PANIC, 1), (PANIC_TEXT, 4)] {
        // LLVM lists uses in reverse order.
        let calls = module.function(name).map(Function::calls).unwrap_or_default();
        let mut open: Vec<_> = calls.into_iter().map(|call| PlaceUse { user: call, at, call }).collect();
        while let Some(place) = open.pop() {
            let PlaceUse { user, at, call } = place;
            let value = user.operand(at);
            if value.as_u64().is_some() {
                found.push(place);
            } else if seen.insert(value) {
                let choice = |at| PlaceUse { user: value, at, call };
                if value.is_argument() {
                    open.extend(passed(value, user.function(), sources));
                } else if value.is(Opcode::Phi) {
                    open.extend((0..value.operand_count()).rev().map(choice));
                } else if value.is(Opcode::Select) {
                    open.extend([2, 1].map(choice));
                }
            }
        }
    }
    found
}

/// The operands of calls that pass a parameter of `function`.
fn passed<'c>(parameter: Value<'c>, function: Function<'c>, sources: &UserSources<'c>) -> Vec<PlaceUse<'c>> {
    let index = function.parameters().iter().position(|other| *other == parameter);
    let Some(index) = index.filter(|_| sources.have_all_calls_of(function)) else { return Vec::new() };
    function.calls().into_iter().map(|call| PlaceUse { user: call, at: index as u32, call }).collect()
}

/// The operands of instructions that are this static, in order.
pub fn uses_of_location(variable: Value<'_>) -> Vec<PlaceUse<'_>> {
    let users: Vec<_> = variable.users().into_iter().filter(|user| user.is_instruction()).collect();
    let mut seen = HashSet::new();
    let uses = users.into_iter().rev().filter(|user| seen.insert(*user)).flat_map(|user| {
        let at = (0..user.operand_count()).filter(move |at| user.operand(*at) == variable);
        at.map(move |at| PlaceUse { user, at, call: user })
    });
    uses.collect()
}

/// The user's lines that led to each place before the optimiser ran. It gives one instruction that it has made of two
/// the function of both as its location, without a line.
#[derive(Default)]
pub struct WrittenLines {
    /// The lines by the number of the place; none if they are unknown.
    by_place: BTreeMap<u64, Option<BTreeSet<Line>>>,
}

impl WrittenLines {
    /// The most lines that a place has. Those of other functions are left out later.
    const MOST: usize = 256;

    /// Looks at all panics of a module.
    pub fn of(module: &Module<'_>, kernels: &KernelSet, table: &PanicTable) -> Self {
        let mut all = Self::default();
        if !module.has_debug_information() {
            return all;
        }
        let sources = UserSources::of(module, kernels);
        for place in uses_of_numbers(module, &sources) {
            all.add(&sources, table, place.number().unwrap_or_default(), place);
        }
        for location in numbered_locations(module) {
            uses_of_location(location.variable)
                .into_iter()
                .for_each(|place| all.add(&sources, table, location.number, place));
        }
        all
    }

    fn add<'c>(&mut self, sources: &UserSources<'c>, table: &PanicTable, number: u64, place: PlaceUse<'c>) {
        let origin = place.origin();
        if table.place(number).is_some_and(|place| !sources.have_written(place, &origin.frames())) {
            let lines = self.by_place.entry(number).or_insert_with(|| Some(BTreeSet::new()));
            let found = sources.callers(origin, Self::MOST);
            *lines = lines.take().zip(found).map(|(lines, found)| &lines | &found);
        }
    }

    /// The lines of a place in the functions of `frames`; none if they are unknown or too many.
    pub fn within(&self, number: u64, frames: &[Frame]) -> Option<Vec<String>> {
        let lines = self.by_place.get(&number)?.as_ref()?;
        let inside = |(.., function): &&Line| frames.iter().any(|frame| frame.function == *function);
        texts(lines.iter().filter(inside).cloned().collect())
    }
}

/// The lines as they are printed; none if there are none, or too many.
fn texts(lines: BTreeSet<Line>) -> Option<Vec<String>> {
    let mut lines: Vec<_> = lines.into_iter().map(|(file, line, column, _)| (file, line, column)).collect();
    lines.dedup();
    let lines: Vec<_> = lines.into_iter().map(|(file, line, column)| format!("{file}:{line}:{column}")).collect();
    (1..=MOST_LINES).contains(&lines.len()).then_some(lines)
}

/// A frame in a user's function.
fn user_line(frame: &Frame) -> Option<Line> {
    user_frame(std::slice::from_ref(frame))
        .map(|frame| (frame.file.clone(), frame.line, frame.column, frame.function.clone()))
}

/// Whether a place is in the file of a frame.
pub fn is_in(frame: &Frame, place: &SourceLocation) -> bool {
    frame.file == place.file || Path::new(&frame.folder).join(&frame.file) == Path::new(&place.file)
}
