//! The way from a kernel to what it reaches, for people: names, chain, place in the user's source.

use super::location::{is_library_source, user_location};
use super::panics::demangle;
use super::reach::{Reach, edges};
use crate::builtin::intrinsic_name;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::kernel::KernelSet;
use crate::llvm::Value;

/// How many names of a chain are shown at its start, and how many at its end, before those between are left out.
const SHOWN: (usize, usize) = (3, 2);

/// What is known of the ways from kernels.
pub struct Chain<'r, 'c> {
    reach: &'r Reach<'c>,
    kernels: &'r KernelSet,
}

impl<'r, 'c> Chain<'r, 'c> {
    /// `reach` has the kernels' functions as its roots.
    pub fn new(reach: &'r Reach<'c>, kernels: &'r KernelSet) -> Self {
        Chain { reach, kernels }
    }

    /// The kernel that reaches `global` first, in backquotes.
    pub fn kernel(&self, global: Value<'c>) -> String {
        self.display(self.reach.chain(global)[0])
    }

    /// That the kernel reaches `what` at `global`, with the way and the place in the user's source nearest to it.
    pub fn explain(&self, code: Code, what: &str, global: Value<'c>) -> Diagnostic {
        let message = format!("kernel {} reaches {what}", self.kernel(global));
        let place = self.place(&self.reach.chain(global));
        self.with_way(Diagnostic::coded(code, message).at(place), global)
    }

    /// Adds the way from the kernel to `global`, when it is more than the kernel.
    pub fn with_way(&self, diagnostic: Diagnostic, global: Value<'c>) -> Diagnostic {
        let chain = self.reach.chain(global);
        let last = chain.len() - 1;
        // Tables and constants on the way have no name that a reader knows.
        let shown = chain.iter().enumerate().filter(|(i, g)| *i == last || g.is_function());
        let mut names: Vec<_> = shown.map(|(_, g)| self.display(*g)).collect();
        names.dedup();
        if names.len() < 2 {
            return diagnostic;
        }
        if names.len() > SHOWN.0 + SHOWN.1 + 1 {
            let between = SHOWN.0..names.len() - SHOWN.1;
            let _left_out = names.splice(between, ["…".to_owned()]);
        }
        let verb = if global.is_function() { "called" } else { "reached" };
        diagnostic.note(format!("{verb} through {}", names.join(" → ")))
    }

    fn display(&self, global: Value<'c>) -> String {
        let name = global.name();
        let kernel = self.kernels.iter().find(|k| k.name == name);
        format!("`{}`", kernel.map_or_else(|| source_path(&name), |k| k.display.clone()))
    }

    fn place(&self, chain: &[Value<'c>]) -> Option<Location> {
        let steps = chain.windows(2).rev();
        let places: Vec<_> = steps.filter_map(|step| place_of_use(step[0], step[1])).collect();
        let user = places.iter().find(|place| !is_library_source(&place.file));
        user.or(places.first()).cloned()
    }
}

/// A symbol's path as far as the source has it: `thread_local!` puts its storage into closures inside a constant.
pub fn source_path(symbol: &str) -> String {
    let path = demangle(intrinsic_name(symbol).unwrap_or(symbol));
    path.split("::{{constant}}").next().unwrap_or(&path).to_owned()
}

/// Where `user` names `used` first.
fn place_of_use<'c>(user: Value<'c>, used: Value<'c>) -> Option<Location> {
    edges(user).into_iter().filter(|(global, _)| *global == used).find_map(|(_, i)| i.and_then(user_location))
}
