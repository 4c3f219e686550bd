//! Turns a kernel's calls of `__offload_launch_bounds`, `__offload_block_size` and `__offload_max_registers` into
//! attributes of the kernel, and reports calls of the kernel's other options that earlier passes could not take.
//!
//! Before: functions that reach these calls are inlined, and code for other archs is removed. After: the calls are
//! removed. Each target translates the attributes.

use std::ops::RangeInclusive;

use super::mark_unrolled_loops::MOST_COPIES;
use crate::analysis::location::user_location;
use crate::contract::builtin::{BLOCK_SIZE, FAST_MATH, FP_CONTRACT, LAUNCH_BOUNDS, MAX_REGISTERS, UNROLL};
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Attribute, Function, Module, Place, Value};

/// The attribute that stores the bounds in bitcode: five numbers, separated by commas.
const ATTRIBUTE: &str = "offload-launch-bounds";
/// The attribute that stores the largest number of registers of a thread.
const REGISTERS: &str = "offload-max-registers";
/// Both.
pub const ATTRIBUTES: [&str; 2] = [ATTRIBUTE, REGISTERS];

/// The largest number of threads in a block on every device.
const MOST_THREADS: u64 = 1024;
/// The numbers of registers that every assembler takes.
const POSSIBLE_REGISTERS: RangeInclusive<u64> = 24..=255;

/// The promises of a kernel about its launches; 0 is no promise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// The largest number of threads in a block.
    pub threads: u32,
    /// The number of blocks that should fit on a multiprocessor at once.
    pub blocks: u32,
    /// The size of every block.
    pub size: [u32; 3],
}

impl LaunchBounds {
    /// The promises of a kernel's function; all 0 if there is none.
    pub fn of(function: Function<'_>) -> Self {
        let text = function.text_attribute(Place::Function, ATTRIBUTE).unwrap_or_default();
        let mut numbers = text.split(',').map(|number| number.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        LaunchBounds { threads: next(), blocks: next(), size: [next(), next(), next()] }
    }

    /// The promised size of every block as text, `16,16,1`.
    pub fn size_text(&self) -> Option<String> {
        (self.size != [0; 3]).then(|| self.size.map(|n| n.to_string()).join(","))
    }

    /// The largest number of threads in a block, which may follow from its size.
    pub fn most_threads(&self) -> u32 {
        if self.size == [0; 3] { self.threads } else { self.size.iter().product() }
    }

    fn write(&self, function: Function<'_>) {
        let [x, y, z] = self.size;
        let text = format!("{},{},{x},{y},{z}", self.threads, self.blocks);
        function.add_attribute(Place::Function, &Attribute::Text(ATTRIBUTE.to_owned(), text));
    }
}

/// The largest number of threads in a block that each kernel promises, for each arch that was examined.
#[derive(Debug, Default)]
pub struct Bounds(Vec<(Option<String>, Vec<u32>)>);

impl Bounds {
    /// For each module that was examined the arch, and the promises of its kernels.
    pub fn rows(&self) -> &[(Option<String>, Vec<u32>)] {
        &self.0
    }

    /// The promises with these rows.
    pub fn from_rows(rows: Vec<(Option<String>, Vec<u32>)>) -> Self {
        Self(rows)
    }

    /// The promises of all kernels. A part has the numbers of its kernels, and the promises of these. If one part has
    /// promises for each arch, the result has them for each arch.
    pub fn of_parts<'n>(parts: &[(Vec<usize>, Self)], kernels: usize, archs: impl Iterator<Item = &'n str>) -> Self {
        let is_common = parts.iter().all(|(_, bounds)| bounds.0.iter().all(|(arch, _)| arch.is_none()));
        let archs = if is_common { vec![None] } else { archs.map(|arch| Some(arch.to_owned())).collect() };
        let row = |arch: Option<String>| {
            let mut all = vec![0; kernels];
            for (numbers, Self(rows)) in parts {
                let own = rows.iter().find(|(of, _)| of.is_none() || *of == arch);
                let threads = own.map(|(_, threads)| &threads[..]).unwrap_or_default();
                numbers.iter().zip(threads).for_each(|(kernel, threads)| all[*kernel] = *threads);
            }
            (arch, all)
        };
        Self(archs.into_iter().map(row).collect())
    }

    /// Adds the promises of a module's kernels, after `take_launch_bounds`. The module is an arch's own, or without a
    /// name the one that all archs share.
    pub fn add(&mut self, module: &Module<'_>, kernels: &KernelSet, arch: Option<&str>) {
        let most = |function: Function<'_>| LaunchBounds::of(function).most_threads();
        let bounds = kernels.iter().map(|k| module.function(&k.name).map_or(0, most)).collect();
        self.0.push((arch.map(str::to_owned), bounds));
    }

    /// The promises that are equal for all archs that are built, in the order of the kernels; 0 for kernels without
    /// one.
    pub fn common(self, is_built: impl Fn(&str) -> bool) -> Vec<u32> {
        let of_built = |(arch, _): &(Option<String>, _)| arch.as_deref().is_none_or(&is_built);
        let mut all = self.0.into_iter().filter(of_built).map(|(_, bounds)| bounds);
        let mut common = all.next().unwrap_or_default();
        for other in all {
            common.iter_mut().zip(other).for_each(|(one, other)| *one = if *one == other { other } else { 0 });
        }
        common
    }
}

/// Adds the size of every block to a kernel's promises about its launches.
pub fn promise_block_size(kernel: Function<'_>, size: [u32; 3]) -> Result<(), String> {
    let bounds = LaunchBounds::of(kernel);
    let new = LaunchBounds { size, ..bounds };
    if bounds.size != [0; 3] && bounds.size != size || bounds.threads != 0 && new.most_threads() > bounds.threads {
        return Err("promises another size of the block".to_owned());
    }
    new.write(kernel);
    Ok(())
}

/// The largest number of registers of a thread that a kernel asks for.
pub fn max_registers(kernel: Function<'_>) -> Option<String> {
    kernel.text_attribute(Place::Function, REGISTERS)
}

/// Removes all such calls from the kernels, and reports invalid ones.
pub fn take_launch_bounds(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for name in [LAUNCH_BOUNDS, BLOCK_SIZE, MAX_REGISTERS, FP_CONTRACT, FAST_MATH, UNROLL] {
        let Some(function) = module.function(name) else { continue };
        // LLVM lists uses in reverse order.
        let mut calls = function.direct_calls();
        calls.reverse();
        for call in calls {
            let taken = match name {
                LAUNCH_BOUNDS | BLOCK_SIZE => take(call, name, kernels),
                MAX_REGISTERS => take_registers(call, kernels),
                _ => Err(refused(call, name)),
            };
            if let Err(problem) = taken {
                let message = format!("`{name}` {problem}");
                found.push(Diagnostic::coded(Code::LaunchBounds, message).at(user_location(call)));
            }
            call.erase();
        }
    }
    found
}

/// The fault of a call that an earlier pass has left.
fn refused(call: Value<'_>, name: &str) -> String {
    let value = call.arguments().first().map(|value| value.as_u64());
    match (name, value) {
        (_, Some(None)) => "needs a constant argument".to_owned(),
        (UNROLL, Some(Some(count))) => format!("asks for {count} copies of a loop; 1 to {MOST_COPIES} are possible"),
        (FP_CONTRACT, Some(Some(rule @ 2..))) => format!("has the argument {rule}; 0 and 1 are possible"),
        _ => "contradicts another call in the same function".to_owned(),
    }
}

/// The kernel in which a call is.
fn kernel_of<'c>(call: Value<'c>, kernels: &KernelSet) -> Result<Function<'c>, String> {
    let outside = "is called outside a kernel: call it in the kernel, or in a function that is inlined into it";
    Some(call.function()).filter(|kernel| kernels.has_name(&kernel.name())).ok_or_else(|| outside.to_owned())
}

fn take_registers(call: Value<'_>, kernels: &KernelSet) -> Result<(), String> {
    let kernel = kernel_of(call, kernels)?;
    let count = call.arguments()[0].as_u64().ok_or("needs a constant argument")?;
    if !POSSIBLE_REGISTERS.contains(&count) {
        let (least, most) = (POSSIBLE_REGISTERS.start(), POSSIBLE_REGISTERS.end());
        return Err(format!("asks for {count} registers of a thread; {least} to {most} are possible"));
    }
    if max_registers(kernel).is_some_and(|before| before != count.to_string()) {
        return Err("contradicts an earlier call".to_owned());
    }
    kernel.add_attribute(Place::Function, &Attribute::Text(REGISTERS.to_owned(), count.to_string()));
    Ok(())
}

fn take(call: Value<'_>, name: &str, kernels: &KernelSet) -> Result<(), String> {
    let kernel = kernel_of(call, kernels)?;
    let numbers: Option<Vec<u64>> = call.arguments().into_iter().map(Value::as_u64).collect();
    let numbers = numbers.ok_or("needs constant arguments")?;
    let mut bounds = LaunchBounds::of(kernel);
    let before = bounds;
    match *numbers {
        [threads, blocks] if name == LAUNCH_BOUNDS => {
            if !(1..=MOST_THREADS).contains(&threads) || blocks > u64::from(u16::MAX) {
                return Err(format!("promises {threads} threads in a block; 1 to {MOST_THREADS} are possible"));
            }
            (bounds.threads, bounds.blocks) = (threads as u32, blocks as u32);
        }
        [x, y, z] => {
            let threads = x.saturating_mul(y).saturating_mul(z);
            if !(1..=MOST_THREADS).contains(&threads) {
                return Err(format!("promises {threads} threads in a block; 1 to {MOST_THREADS} are possible"));
            }
            bounds.size = [x, y, z].map(|n| n as u32);
        }
        _ => return Err("is called with the wrong parameters".to_owned()),
    }
    let differs = |old: LaunchBounds| {
        (name == LAUNCH_BOUNDS && old.threads != 0 && (old.threads, old.blocks) != (bounds.threads, bounds.blocks))
            || (name == BLOCK_SIZE && old.size != [0; 3] && old.size != bounds.size)
    };
    if differs(before) {
        return Err("contradicts an earlier call".to_owned());
    }
    if bounds.size != [0; 3] && bounds.threads != 0 && bounds.most_threads() > bounds.threads {
        return Err("contradicts the other promise about the threads of a block".to_owned());
    }
    bounds.write(kernel);
    Ok(())
}
