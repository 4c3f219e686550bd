//! Call paths from kernels to violations.

use super::Location;

/// The owner of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The user, or the author of another crate.
    User,
    /// It belongs to Rust's own libraries.
    Rust,
    /// It belongs to the crate `offload`.
    Crate,
}

/// A function on the call path from a kernel to a violation, or at its end any other symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its path.
    pub name: String,
    /// The location in the previous step that calls or names it.
    pub at: Option<Location>,
    /// Its owner.
    pub owner: Owner,
}

/// A call path from a kernel to a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPath {
    /// The steps; the kernel is first. Never empty.
    pub steps: Vec<Step>,
    /// The location of the violation, if it is within the last step.
    pub fault: Option<Location>,
    /// Whether the last step is a function.
    pub to_function: bool,
}

/// A part of the name of the crate's function that calls a kernel.
const CALLS_KERNEL: &str = " as offload::param::ScopedCallable<";

impl CallPath {
    /// The name of the kernel.
    pub fn kernel(&self) -> &str {
        &self.steps[0].name
    }

    /// The steps without the functions of the crate `offload` between a kernel and the user's code, of which the
    /// kernel's own function remains once, and without those that a function of the crate calls. The remaining steps
    /// have no lines of the crate's source.
    pub fn without_own(&self) -> Vec<Step> {
        let mut steps = self.steps.clone();
        if steps.get(1).is_some_and(|step| step.name.contains(CALLS_KERNEL))
            && let Some(first) = (1..steps.len()).find(|i| steps[*i].owner == Owner::User)
        {
            let arguments = steps[0].name.strip_prefix(&steps[first].name);
            let is_kernel = arguments.is_some_and(|arguments| arguments.is_empty() || arguments.starts_with('<'));
            steps[first].at = None;
            drop(steps.drain(1..first + usize::from(is_kernel)));
        }
        let is_own: Vec<bool> = steps.iter().map(|step| step.owner == Owner::Crate).collect();
        let last = steps.len() - 1;
        for i in (1..=last).rev().filter(|i| is_own[i - 1]) {
            steps[i].at = None;
            if is_own[i] && i != last {
                drop(steps.remove(i));
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> Owner {
        match () {
            () if name.starts_with("offload::") || name.contains(" as offload::") => Owner::Crate,
            () if name.starts_with("core::") => Owner::Rust,
            () => Owner::User,
        }
    }

    /// The names of the steps, and the lines in their source.
    fn short(names: &[(&str, u32)]) -> Vec<(String, u32)> {
        let place = |line| Location { file: "src/main.rs".to_owned(), line, column: 1, ..Location::default() };
        let step =
            |(name, at): &(&str, u32)| Step { name: (*name).to_owned(), at: Some(place(*at)), owner: owner(name) };
        let path = CallPath { steps: names.iter().map(step).collect(), fault: None, to_function: true };
        path.without_own().into_iter().map(|step| (step.name, step.at.map_or(0, |at| at.line))).collect()
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
