//! Remarks about the threads of a kernel: which regions are executed in vectors, in which versions, and why others are
//! not.

use super::cause::{Cause, Reason};
use super::region::types::{Region, Regions};
use super::region::versions::{Faster, Vectorized};
use super::version::row_range::is_straight;
use crate::analysis::location::own_location;
use crate::contract::kernel::Kernel;
use crate::diagnostics::{Diagnostic, Remark, Topic};
use crate::llvm::Function;

/// The remarks about a kernel, in the order of its regions.
pub(crate) fn remark(kernel: &Kernel, regions: &Regions<'_>) -> Vec<Diagnostic> {
    let (name, mut all) = (format!("kernel `{}`", kernel.display), Vec::new());
    let split = match regions {
        Regions::One(body, faster) => {
            About { kernel, region: 1, name }.faster(*body, faster, &mut all);
            return all;
        }
        Regions::Several(split) => split,
    };
    if let Some((first, cause)) = of_kernel(&split.regions) {
        return vec![About { kernel, region: 1, name }.version("", first.function, None, Some(cause))];
    }
    let count = split.regions.len();
    for (region, number) in split.regions.iter().zip(1..) {
        let of_region = if count == 1 { String::new() } else { format!(", region {number} of {count}") };
        let versions = leaves(region);
        for (version, place) in versions.iter().zip(1..) {
            let several = versions.len();
            let of_version = if several == 1 { String::new() } else { format!(", version {place} of {several}") };
            let name = format!("{name}{of_region}{of_version}");
            About { kernel, region: number, name }.region(version, &mut all);
        }
    }
    all
}

/// The cause why no region is executed in vectors, if it is one of the kernel, and the first region.
fn of_kernel<'a, 'c>(regions: &'a [Region<'c>]) -> Option<(&'a Region<'c>, &'a Cause)> {
    let first = regions.first()?;
    let none = regions.iter().all(|region| region.faster.together.is_none() && region.sides.is_none());
    let cause = regions.iter().find_map(|region| region.faster.cause.as_ref().filter(|c| c.reason.is_of_kernel()));
    Some((first, cause.filter(|_| none)?))
}

/// The versions of a region between which a block chooses, in their order.
fn leaves<'a, 'c>(region: &'a Region<'c>) -> Vec<&'a Region<'c>> {
    match &region.sides {
        Some(sides) => sides.regions.iter().flat_map(leaves).collect(),
        None => vec![region],
    }
}

/// The code that a remark is about.
struct About<'a> {
    kernel: &'a Kernel,
    /// The number of the region, from 1.
    region: usize,
    name: String,
}

impl About<'_> {
    fn region(&self, region: &Region<'_>, all: &mut Vec<Diagnostic>) {
        if let Some(lane) = region.lane {
            let text = format!("is executed by lane {lane} of each warp alone, because others do nothing");
            all.push(self.remark("", &text, (Some("one-lane"), Some(1)), region.function));
            return;
        }
        if let Some(iterations) = &region.iterations {
            let of = ", iterations that no thread leaves,";
            all.push(self.version(of, iterations.fast, iterations.together, iterations.cause.as_ref()));
            self.body(", other iterations,", region.function, &region.faster, all);
            return;
        }
        self.faster(region.function, &region.faster, all);
    }

    /// The version for threads whose branches are known, and that of the others.
    fn faster<'c>(&self, body: Function<'c>, faster: &Faster<'c>, all: &mut Vec<Diagnostic>) {
        let Some(rows) = &faster.rows else { return self.body("", body, faster, all) };
        let known = faster.rows_together.is_some() || faster.rows_cause.is_some();
        if known {
            let cause = faster.rows_cause.as_ref();
            all.push(self.version(", threads within all bounds,", rows.fast, faster.rows_together, cause));
        }
        if !rows.others_leave {
            self.body(if known { ", threads at the bounds," } else { "" }, body, faster, all);
        }
    }

    fn body<'c>(&self, of: &str, body: Function<'c>, faster: &Faster<'c>, all: &mut Vec<Diagnostic>) {
        if faster.together.is_some() || faster.cause.is_some() {
            all.push(self.version(of, body, faster.together, faster.cause.as_ref()));
        }
    }

    /// A version: `of` are the threads that run it.
    fn version<'c>(
        &self,
        of: &str,
        function: Function<'c>,
        together: Option<Vectorized<'c>>,
        cause: Option<&Cause>,
    ) -> Diagnostic {
        let width = together.map_or(1, |together| together.width);
        let vectors = format!("is executed in vectors of {width} threads");
        let Some(Cause { reason, at }) = cause else { return self.remark(of, &vectors, (None, Some(width)), function) };
        let (text, width) = match (together, reason) {
            (None, Reason::Straight) => (reason.text(), None),
            (None, _) => (format!("is executed one thread after another: {}", reason.text()), Some(width)),
            (Some(_), _) => (format!("{vectors}, but {}", reason.text()), Some(width)),
        };
        let mut remark = self.remark(of, &text, (Some(reason.name()), width), function);
        remark.location = at.clone().or(remark.location);
        remark.notes.extend(reason.note());
        if together.is_none() && !matches!(reason, Reason::Straight) && is_straight(function) {
            remark.notes.push("LLVM's vectoriser gets it as well, because it is straight code".to_owned());
        }
        remark.help.extend(reason.help().map(str::to_owned));
        remark
    }

    fn remark(
        &self,
        of: &str,
        text: &str,
        (cause, width): (Option<&'static str>, Option<u32>),
        function: Function<'_>,
    ) -> Diagnostic {
        let Self { kernel, region, name } = self;
        let (kernel, region) = (kernel.display.clone(), Some(*region));
        let remark = Remark { topic: Topic::Vectorize, kernel, region, cause, width };
        Diagnostic::remark(remark, format!("{name}{of} {text}")).at(function.instructions().find_map(own_location))
    }
}
