//! Call paths from kernels to the code that they reach, for messages: names, lines of calls, and the location in the
//! user's source.
//!
//! From each kernel, the shortest path. Inlined calls are part of a path if debug information records them.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};

use crate::analysis::location::{is_library_source, location_of, user_location};
use crate::analysis::reach::{Reach, edges};
use crate::contract::builtin::intrinsic_name;
use crate::contract::kernel::KernelSet;
use crate::contract::symbols::CALL_THROUGH_POINTER;
use crate::diagnostics::{CallPath, Code, Diagnostic, Location, Step};
use crate::llvm::Value;
use crate::rust_std::demangle::{demangle, of_rusts_library};

/// A violation, and the call paths to it.
#[derive(Clone)]
pub struct Finding {
    /// The cause.
    pub code: Code,
    /// The text after "kernel `name`".
    pub what: String,
    /// The call paths from all kernels that reach it, shortest first; never empty.
    pub call_paths: Vec<CallPath>,
    /// Notes that explain it.
    pub notes: Vec<String>,
    /// The reader's options to correct it.
    pub help: Vec<String>,
}

impl Finding {
    /// Adds a suggestion.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The innermost location in the user's own source, on the first call path.
    pub fn location(&self) -> Option<Location> {
        let on_the_way = self.call_paths[0].steps.iter().rev().filter_map(|step| step.at.clone());
        let places: Vec<_> = self.call_paths[0].fault.iter().cloned().chain(on_the_way).collect();
        let user = places.iter().find(|place| !is_library_source(&place.file));
        user.or(places.first()).cloned()
    }

    /// The diagnostic for this finding.
    pub fn diagnostic(self) -> Diagnostic {
        let message = format!("kernel `{}` {}", self.call_paths[0].kernel(), self.what);
        let mut diagnostic = Diagnostic::coded(self.code, message).at(self.location());
        (diagnostic.call_paths, diagnostic.notes, diagnostic.help) = (self.call_paths, self.notes, self.help);
        diagnostic
    }
}

/// A global and an instruction in it, which names another global or is the violation.
type Use<'c> = (Value<'c>, Option<Value<'c>>);

/// The call paths from kernels.
pub struct Chain<'r, 'c> {
    reach: &'r Reach<'c>,
    kernels: &'r KernelSet,
    /// For each global, its users. Computed when the first call path is requested.
    users: OnceCell<HashMap<Value<'c>, Vec<Use<'c>>>>,
}

impl<'r, 'c> Chain<'r, 'c> {
    /// The roots of `reach` are the kernels' functions.
    pub fn new(reach: &'r Reach<'c>, kernels: &'r KernelSet) -> Self {
        Chain { reach, kernels, users: OnceCell::new() }
    }

    /// The first kernel that reaches `global`, in backquotes.
    pub fn kernel(&self, global: Value<'c>) -> String {
        format!("`{}`", self.display(self.reach.chain(global)[0]))
    }

    /// A finding: kernels reach `what` at `global`.
    pub fn reaches(&self, code: Code, what: &str, global: Value<'c>) -> Finding {
        let call_paths = self.call_paths(&[(global, None)]);
        Finding { code, what: format!("reaches {what}"), call_paths, notes: Vec::new(), help: Vec::new() }
    }

    /// A finding: kernels contain `what` in their own instructions or in functions that they call. `faults` are its
    /// occurrences.
    pub fn has(&self, code: Code, what: &str, faults: &[(Value<'c>, Value<'c>)]) -> Finding {
        let ends: Vec<_> = faults.iter().map(|(function, instruction)| (*function, Some(*instruction))).collect();
        Finding { code, what: what.to_owned(), call_paths: self.call_paths(&ends), notes: Vec::new(), help: Vec::new() }
    }

    /// The path from each kernel to the nearest of `ends`, shortest first.
    fn call_paths(&self, ends: &[Use<'c>]) -> Vec<CallPath> {
        let next = self.steps_towards(ends);
        let roots = self.reach.order.iter().filter(|global| !self.reach.from.contains_key(*global));
        let mut call_paths: Vec<CallPath> =
            roots.filter(|r| next.contains_key(*r)).map(|r| self.call_path(*r, &next)).collect();
        call_paths.sort_by_key(|call_path| call_path.steps.len());
        call_paths
    }

    /// For each global that reaches one of `ends`: the next global on the shortest path, and the instruction that names
    /// it.
    fn steps_towards(&self, ends: &[Use<'c>]) -> HashMap<Value<'c>, (Option<Value<'c>>, Option<Value<'c>>)> {
        let users = self.users.get_or_init(|| users(self.reach));
        let mut next = HashMap::new();
        let mut queue = VecDeque::new();
        for (global, instruction) in ends {
            if next.insert(*global, (None, *instruction)).is_none() {
                queue.push_back(*global);
            }
        }
        while let Some(used) = queue.pop_front() {
            for (user, instruction) in users.get(&used).into_iter().flatten() {
                if !next.contains_key(user) {
                    next.insert(*user, (Some(used), *instruction));
                    queue.push_back(*user);
                }
            }
        }
        next
    }

    fn call_path(
        &self,
        root: Value<'c>,
        next: &HashMap<Value<'c>, (Option<Value<'c>>, Option<Value<'c>>)>,
    ) -> CallPath {
        let mut steps = vec![step(self.display(root), None)];
        let (mut global, mut at) = (root, None);
        loop {
            let (used, instruction) = next[&global];
            let place = instruction.map(|i| inlined(i, &mut steps));
            // Tables and constants on the path have no name that a reader knows.
            at = place.flatten().or(at);
            let Some(used) = used else {
                let fault = instruction.and_then(user_location);
                return CallPath { steps, fault, to_function: global.is_function() };
            };
            let last = next[&used].0.is_none();
            let is_made = used.is_function() && used.name().starts_with(CALL_THROUGH_POINTER);
            if (used.is_function() && !is_made) || last {
                push(&mut steps, step(self.display(used), at.take()));
            }
            global = used;
        }
    }

    fn display(&self, global: Value<'c>) -> String {
        let name = global.name();
        let kernel = self.kernels.iter().find(|k| k.name == name);
        kernel.map_or_else(|| source_path(&name), |k| k.display.clone())
    }
}

/// The users of each reachable global.
fn users<'c>(reach: &Reach<'c>) -> HashMap<Value<'c>, Vec<Use<'c>>> {
    let mut users: HashMap<_, Vec<Use<'c>>> = HashMap::new();
    for user in &reach.order {
        for (used, instruction) in edges(*user) {
            users.entry(used).or_default().push((*user, instruction));
        }
    }
    users
}

/// Adds the functions that an instruction was inlined through. Returns the instruction's own location.
fn inlined(instruction: Value<'_>, steps: &mut Vec<Step>) -> Option<Location> {
    let mut frames = instruction.frames();
    frames.reverse();
    let mut at = None;
    for (depth, frame) in frames.iter().enumerate() {
        if depth > 0 {
            push(steps, step(source_path(&frame.function), at.take()));
        }
        at = location_of(frame);
    }
    at
}

fn step(name: String, at: Option<Location>) -> Step {
    let of_rust = of_rusts_library(&name);
    Step { name, at, of_rust }
}

/// Adds a step, unless it only leads from one instance or part of a function to another.
fn push(steps: &mut Vec<Step>, step: Step) {
    if steps.last().is_none_or(|last| last.name != step.name) {
        steps.push(step);
    }
}

/// The path of a symbol as the source has it. `thread_local!` puts its storage into closures within a constant.
pub fn source_path(symbol: &str) -> String {
    let path = demangle(intrinsic_name(symbol).unwrap_or(symbol));
    path.split("::{{constant}}").next().unwrap_or(&path).to_owned()
}
