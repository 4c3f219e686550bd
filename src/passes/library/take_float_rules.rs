//! Gives the functions of kernels the rules for floating-point code that the kernels ask for, by calls of
//! `__offload_fp_contract` and `__offload_fast_math`.
//!
//! Before: nothing is inlined yet. After: the calls are removed. A function with such a call, and copies of all
//! functions that it calls, have their rules in an attribute, from which `float_rules` takes them. Functions that other
//! kernels call, too, are copied, so no kernel changes the results of another one. A function that is called through a
//! pointer keeps the rules of the build.
//!
//! Calls without a constant, and calls that contradict each other, remain; `take_launch_bounds` reports them.

use std::collections::{HashMap, HashSet};

use crate::contract::builtin::{FAST_MATH, FP_CONTRACT};
use crate::llvm::{Attribute, FastMath, Function, Module, Place, Value};
use crate::rust_std::panics::is_panic;

/// The attribute with the rules of a function.
const ATTRIBUTE: &str = "offload-float-rules";

/// The rules of a function that differ from those of the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatRules {
    /// Each operation rounds.
    Exact,
    /// A product and a sum may round once.
    Contract,
    /// All flags of `--fast-math`.
    Fast,
}

impl FloatRules {
    /// The rules of a function; none if they are those of the build.
    pub fn of(function: Function<'_>) -> Option<Self> {
        let text = function.text_attribute(Place::Function, ATTRIBUTE)?;
        [FloatRules::Exact, FloatRules::Contract, FloatRules::Fast].into_iter().find(|rules| rules.name() == text)
    }

    /// The flags of each operation.
    pub fn flags(self) -> Option<FastMath> {
        match self {
            FloatRules::Exact => None,
            FloatRules::Contract => Some(FastMath::Contract),
            FloatRules::Fast => Some(FastMath::All),
        }
    }

    fn name(self) -> &'static str {
        match self {
            FloatRules::Exact => "exact",
            FloatRules::Contract => "contract",
            FloatRules::Fast => "fast",
        }
    }

    fn write(self, function: Function<'_>) {
        function.add_attribute(Place::Function, &Attribute::Text(ATTRIBUTE.to_owned(), self.name().to_owned()));
    }

    /// The rules for which a call asks.
    fn asked(call: Value<'_>) -> Option<Self> {
        match call.called_function()?.name().as_str() {
            FAST_MATH => Some(FloatRules::Fast),
            _ => match call.arguments().first()?.as_u64()? {
                0 => Some(FloatRules::Exact),
                1 => Some(FloatRules::Contract),
                _ => None,
            },
        }
    }
}

/// Replaces the calls by attributes, and copies the functions that are called.
pub fn take_float_rules(module: &Module<'_>) {
    let markers: Vec<_> = [FP_CONTRACT, FAST_MATH].iter().filter_map(|name| module.function(name)).collect();
    if markers.is_empty() {
        return;
    }
    let mut roots = Vec::new();
    for function in module.definitions() {
        let called = |i: &Value<'_>| i.called_function().is_some_and(|callee| markers.contains(&callee));
        let calls: Vec<_> = function.instructions().filter(called).collect();
        let asked: Vec<_> = calls.iter().map(|call| FloatRules::asked(*call)).collect();
        let Some(Some(rules)) = asked.first().copied() else { continue };
        if asked.iter().all(|other| *other == Some(rules)) {
            calls.into_iter().for_each(Value::erase);
            // The macro keeps rustc from inlining the function into code with other rules.
            function
                .calls()
                .into_iter()
                .chain([*function])
                .for_each(|f| f.remove_attribute(Place::Function, "noinline"));
            rules.write(function);
            roots.push((function, rules));
        }
    }
    let computing = computing(module);
    Copies { own: roots.iter().map(|(f, _)| *f).collect(), computing, made: HashMap::new() }.follow(roots);
}

/// The functions with floating-point operations, in themselves or in functions that they call. All others are the same
/// with all rules.
fn computing<'c>(module: &Module<'c>) -> HashSet<Function<'c>> {
    let computes =
        |f: &Function<'c>| f.instructions().any(|i| i.is_of_floats() || i.called_function().is_some_and(is_math));
    let mut work: Vec<_> = module.definitions().filter(|f| !is_panic(*f)).filter(computes).collect();
    let mut found: HashSet<_> = work.iter().copied().collect();
    while let Some(function) = work.pop() {
        let callers = function.direct_calls().into_iter().map(Value::function);
        work.extend(callers.filter(|f| !is_panic(*f) && found.insert(*f)).collect::<Vec<_>>());
    }
    found
}

fn is_math(function: Function<'_>) -> bool {
    crate::contract::math::is_symbol(&function.name())
}

/// The copies of functions.
struct Copies<'c> {
    /// The functions that ask for rules themselves.
    own: HashSet<Function<'c>>,
    computing: HashSet<Function<'c>>,
    made: HashMap<(Function<'c>, FloatRules), Function<'c>>,
}

impl<'c> Copies<'c> {
    /// Lets each function call copies with its rules, and these, too.
    fn follow(&mut self, mut work: Vec<(Function<'c>, FloatRules)>) {
        while let Some((function, rules)) = work.pop() {
            let calls: Vec<_> = function.instructions().filter(|i| i.is_call()).collect();
            for call in calls {
                let Some(callee) = call.called_function().filter(|f| call.is_plain_call_of(*f)) else { continue };
                if callee.is_declaration() || self.own.contains(&callee) || !self.computing.contains(&callee) {
                    continue;
                }
                let copy = *self.made.entry((callee, rules)).or_insert_with(|| {
                    let copy = callee.clone_function();
                    copy.set_name(&callee.name());
                    rules.write(copy);
                    work.push((copy, rules));
                    copy
                });
                call.set_callee(copy);
            }
        }
    }
}
