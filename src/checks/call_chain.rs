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
use crate::diagnostics::{CallPath, Code, Diagnostic, Location, Step};
use crate::llvm::Value;
use crate::rust_std::demangle::{demangle, of_crate, of_rusts_library};

/// The crate of the Rust API.
const CRATE: &str = "offload";
/// What the name of the crate's function contains that calls a kernel.
const CALLS_KERNEL: &str = " as offload::param::ScopedCallable<";

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

    /// The innermost location in the user's own source, on the first call path.
    pub fn location(&self) -> Option<Location> {
        // The source of a step contains the place of the next one.
        let CallPath { steps, fault, .. } = &self.call_paths[0];
        let next = steps.iter().skip(1).map(|step| step.at.as_ref()).chain([fault.as_ref()]);
        let places: Vec<_> = steps.iter().zip(next).filter_map(|(step, place)| Some((step, place?))).collect();
        let is_users = |(step, place): &&(&Step, &Location)| !step.of_library && !is_library_source(&place.file);
        let user = places.iter().rev().find(is_users);
        user.or(places.last()).map(|(_, place)| (*place).clone())
    }

    /// The diagnostic for this finding.
    pub fn diagnostic(mut self) -> Diagnostic {
        if self.of_functions && self.call_paths.len() > 1 {
            let others: Vec<_> = self.call_paths.drain(1..).map(|path| format!("`{}`", path.kernel())).collect();
            self.notes.push(format!("also in {}", others.join(", ")));
        }
        let root = if self.of_functions { "function" } else { "kernel" };
        let message = format!("{root} `{}` {}", self.call_paths[0].kernel(), self.what);
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
            // Tables and constants on the path have no name that a reader knows.
            at = place.flatten().or(at);
            let Some(used) = used else {
                let fault = instruction.and_then(user_location);
                leave_out_own(&mut steps);
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
    let of_library = of_rusts_library(&name) || of_crate(&name, &[CRATE]);
    Step { name, at, of_library }
}

/// Adds a step, unless it only leads from one instance or part of a function to another.
fn push(steps: &mut Vec<Step>, step: Step) {
    if steps.last().is_none_or(|last| last.name != step.name) {
        steps.push(step);
    }
}

/// Removes the functions of the crate `offload` between a kernel and the user's code, of which the kernel's own
/// function remains once, and those that a function of the crate calls. What is left has no lines of the crate's
/// source.
fn leave_out_own(steps: &mut Vec<Step>) {
    if steps.get(1).is_some_and(|step| step.name.contains(CALLS_KERNEL))
        && let Some(first) = (1..steps.len()).find(|i| !steps[*i].of_library)
    {
        let arguments = steps[0].name.strip_prefix(&steps[first].name);
        let is_kernel = arguments.is_some_and(|arguments| arguments.is_empty() || arguments.starts_with('<'));
        steps[first].at = None;
        drop(steps.drain(1..first + usize::from(is_kernel)));
    }
    let is_own: Vec<bool> = steps.iter().map(|step| of_crate(&step.name, &[CRATE])).collect();
    let last = steps.len() - 1;
    for i in (1..=last).rev().filter(|i| is_own[i - 1]) {
        steps[i].at = None;
        if is_own[i] && i != last {
            drop(steps.remove(i));
        }
    }
}

/// The path of a symbol as the source has it. `thread_local!` puts its storage into closures within a constant, which
/// the two manglings of rustc write in different ways.
pub fn source_path(symbol: &str) -> String {
    let path = demangle(intrinsic_name(symbol).unwrap_or(symbol));
    let end = ["::{{constant}}", "::{K#"].iter().filter_map(|constant| path.find(constant)).min();
    path[..end.unwrap_or(path.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the steps, and the lines in their source.
    fn short(names: &[(&str, u32)]) -> Vec<(String, u32)> {
        let place = |line| Location { file: "src/main.rs".to_owned(), line, column: 1 };
        let mut steps: Vec<_> = names.iter().map(|(name, at)| step((*name).to_owned(), Some(place(*at)))).collect();
        leave_out_own(&mut steps);
        steps.into_iter().map(|step| (step.name, step.at.map_or(0, |at| at.line))).collect()
    }

    #[test]
    fn functions_of_the_crate_are_left_out() {
        let call = ("<Function as offload::param::ScopedCallable<(A,)>>::run", 208);
        let path = [("app::k", 1), call, ("core::ops::function::Fn::call", 388), ("app::k", 79), ("app::load", 7)];
        assert_eq!(short(&path), [("app::k".to_owned(), 1), ("app::load".to_owned(), 7)]);
        let path = [("app::k<u32>", 1), call, ("app::k", 79), ("app::load", 7)];
        assert_eq!(short(&path), [("app::k<u32>".to_owned(), 1), ("app::load".to_owned(), 7)]);
        // A closure is no function that the kernel has the name of.
        let closure = [("offload::launch::for_each", 1), call, ("offload::launch::for_each::{{closure}}", 3)];
        let user = [("app::main::{{closure}}", 299), ("app::load", 7)];
        let kept = ["offload::launch::for_each", "app::main::{{closure}}", "app::load"].map(str::to_owned);
        assert_eq!(short(&[&closure[..], &user].concat()), kept.into_iter().zip([1, 0, 7]).collect::<Vec<_>>());
        // A function of the crate that the kernel calls remains, and so does the last step.
        let path = [("app::k", 1), ("offload::block::reduce", 9), ("offload::block::present", 75), ("app::add", 182)];
        let kept = [("app::k", 1), ("offload::block::reduce", 9), ("app::add", 0)];
        assert_eq!(short(&path), kept.map(|(name, line)| (name.to_owned(), line)));
        assert_eq!(short(&path[..3]).len(), 3);
        // Other paths, and those that end in a library.
        let path = [("app::k", 1), ("app::kernel", 2), ("app::k", 3)];
        assert_eq!(short(&path).len(), 3);
        assert_eq!(short(&[("app::k", 1), call, ("core::ops::function::Fn::call", 388)]).len(), 3);
    }
}
