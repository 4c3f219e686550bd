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
use crate::contract::symbols::{CALL_THROUGH_POINTER, FUNCTION_LOOKUP, FUNCTION_TABLE, FUNCTIONS_ENTRY};
use crate::diagnostics::{CallPath, Code, Diagnostic, Location, Owner, Step};
use crate::llvm::Value;
use crate::rust_std::demangle::{demangle, of_crate, of_rusts_library};

/// The crate of the Rust API.
const CRATE: &str = "offload";

/// A violation, and the call paths to it.
#[derive(Clone)]
pub struct Finding {
    /// The cause.
    pub code: Code,
    /// The text after "kernel `name`".
    pub what: String,
    /// Whether functions for kernels of other objects reach it, and no kernel.
    pub of_functions: bool,
    /// The call paths from all kernels that reach it, or all of these functions, shortest first; never empty.
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

    /// Makes it a finding about the function of this name on the first call path, which reaches more than one.
    pub fn end_at(&mut self, name: String) {
        for path in &mut self.call_paths {
            let end = path.steps.iter().rposition(|step| step.name == name);
            path.steps.truncate(end.map_or(usize::MAX, |end| end + 1));
            if end.is_some() {
                (path.fault, path.to_function) = (None, true);
            }
        }
        if let Some((_, why)) = self.what.split_once("`, ") {
            self.what = format!("reaches `{name}`, {why}");
        }
    }

    /// The innermost location in the user's own source, on the first call path.
    pub fn location(&self) -> Option<Location> {
        let (own, innermost) = self.locations();
        own.or(innermost)
    }

    /// The innermost locations on the first call path: in a package of the workspace, and in any source but that of
    /// Rust's own library and of the crate `offload`, if there is one.
    fn locations(&self) -> (Option<Location>, Option<Location>) {
        // The source of a step contains the place of the next one.
        let (steps, fault) = (self.call_paths[0].without_own(), &self.call_paths[0].fault);
        let next = steps.iter().skip(1).map(|step| step.at.as_ref()).chain([fault.as_ref()]);
        let places: Vec<_> = steps.iter().zip(next).filter_map(|(step, place)| Some((step, place?))).collect();
        let is_users =
            |(step, place): &&(&Step, &Location)| step.owner == Owner::User && !is_library_source(&place.file);
        let mut of_users = places.iter().rev().filter(is_users).map(|(_, place)| *place).peekable();
        let innermost = of_users.peek().copied().or(places.last().map(|(_, place)| *place));
        (of_users.find(|place| !place.is_outside()).cloned(), innermost.cloned())
    }

    /// The diagnostic for this finding.
    pub fn diagnostic(mut self) -> Diagnostic {
        if self.of_functions && self.call_paths.len() > 1 {
            let others: Vec<_> = self.call_paths.drain(1..).map(|path| format!("`{}`", path.kernel())).collect();
            self.notes.push(format!("also in {}", others.join(", ")));
        }
        let root = if self.of_functions { "function" } else { "kernel" };
        let message = format!("{root} `{}` {}", self.call_paths[0].kernel(), self.what);
        let (own, innermost) = self.locations();
        if let Some(place) = innermost.as_ref().filter(|place| own.as_ref().is_some_and(|own| own != *place)) {
            self.notes.push(format!("the code is at {place}"));
        }
        let mut diagnostic = Diagnostic::coded(self.code, message).at(own.or(innermost));
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
        self.finding(code, format!("reaches {what}"), &[(global, None)])
    }

    /// A finding: kernels contain `what` in their own instructions or in functions that they call. `faults` are its
    /// occurrences.
    pub fn has(&self, code: Code, what: &str, faults: &[(Value<'c>, Value<'c>)]) -> Finding {
        let ends: Vec<_> = faults.iter().map(|(function, instruction)| (*function, Some(*instruction))).collect();
        self.finding(code, what.to_owned(), &ends)
    }

    fn finding(&self, code: Code, what: String, ends: &[Use<'c>]) -> Finding {
        let of_functions = self.kernels.has_name(FUNCTIONS_ENTRY);
        let call_paths = self.call_paths(ends);
        Finding { code, what, of_functions, call_paths, notes: Vec::new(), help: Vec::new() }
    }

    /// The path from each kernel to the nearest of `ends`, shortest first.
    fn call_paths(&self, ends: &[Use<'c>]) -> Vec<CallPath> {
        let next = self.steps_towards(ends);
        let roots = self.reach.order.iter().filter(|global| !self.reach.from.contains_key(*global));
        let roots = roots.flat_map(|root| roots_behind(*root)).filter(|root| next.contains_key(root));
        let mut call_paths: Vec<CallPath> = roots.map(|root| self.call_path(root, &next)).collect();
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
            // Tables and constants on the path have no name that a user would recognise.
            at = place.flatten().or(at);
            let Some(used) = used else {
                let fault = instruction.and_then(user_location);
                return CallPath { steps, fault, to_function: global.is_function() };
            };
            let last = next[&used].0.is_none();
            let is_made = used.is_function() && is_made(&used.name());
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

/// The kernel, or the functions of the table that the entry of a module of functions returns: no user wrote the entry.
fn roots_behind(root: Value<'_>) -> Vec<Value<'_>> {
    let is_table = |global: &Value<'_>| global.is_global_variable() && global.name() == FUNCTION_TABLE;
    let entry = Some(root).filter(|root| root.name() == FUNCTIONS_ENTRY);
    let table = entry.and_then(|entry| edges(entry).into_iter().map(|(global, _)| global).find(is_table));
    table.and_then(Value::initializer).map_or_else(|| vec![root], Value::operands)
}

/// Whether a function leads to functions that code calls through pointers, and is no user's.
fn is_made(name: &str) -> bool {
    name.starts_with(CALL_THROUGH_POINTER) || name == FUNCTION_LOOKUP
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
    let owner = match () {
        () if of_crate(&name, &[CRATE]) => Owner::Crate,
        () if of_rusts_library(&name) => Owner::Rust,
        () => Owner::User,
    };
    Step { name, at, owner }
}

/// Adds a step, unless it only leads from one instance or part of a function to another.
fn push(steps: &mut Vec<Step>, step: Step) {
    if steps.last().is_none_or(|last| last.name != step.name) {
        steps.push(step);
    }
}

/// The path of a symbol as the source has it. `thread_local!` puts its storage into closures within a constant, which
/// the two manglings of rustc write in different ways.
pub fn source_path(symbol: &str) -> String {
    let path = demangle(intrinsic_name(symbol).unwrap_or(symbol));
    let end = ["::{{constant}}", "::{K#"].iter().filter_map(|constant| path.find(constant)).min();
    path[..end.unwrap_or(path.len())].to_owned()
}
