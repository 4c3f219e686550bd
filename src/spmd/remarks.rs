//! Remarks about the threads of a kernel: which regions are executed in vectors, in which versions, and why others are
//! not.

use super::cause::{Cause, Reason};
use super::region::types::Regions;
use super::region::versions::{Code, Guard, Version};
use super::version::row_range::is_straight;
use crate::analysis::location::own_location;
use crate::contract::kernel::Kernel;
use crate::diagnostics::{Diagnostic, Remark, Topic};
use crate::llvm::Function;

/// The remarks about a kernel, in the order of its regions.
pub(crate) fn remark(kernel: &Kernel, regions: &Regions<'_>) -> Vec<Diagnostic> {
    let (name, mut all) = (format!("kernel `{}`", kernel.display), Vec::new());
    let regions: Vec<_> = match regions {
        Regions::One(version) => {
            About { kernel, region: 1, name }.region(version, &mut all);
            return all;
        }
        Regions::Several(split) => split.regions.iter().map(|region| &region.version).collect(),
    };
    if let Some((first, cause)) = of_kernel(&regions) {
        let code = Code { cause: Some(cause.clone()), ..first.any().clone() };
        return vec![About { kernel, region: 1, name }.version("", &Version::Code(code))];
    }
    let count = regions.len();
    for (region, number) in regions.into_iter().zip(1..) {
        let of_region = if count == 1 { String::new() } else { format!(", region {number} of {count}") };
        let versions = of_blocks(region);
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
fn of_kernel<'a, 'c>(regions: &[&'a Version<'c>]) -> Option<(&'a Version<'c>, &'a Cause)> {
    let none = regions.iter().all(|region| !region.has(&|guard| matches!(guard, Guard::Group(_))));
    let mut causes = regions.iter().filter_map(|region| region.any().cause.as_ref());
    Some((*regions.first()?, causes.find(|cause| cause.reason.is_of_kernel()).filter(|_| none)?))
}

/// The versions between which a block chooses, in their order.
fn of_blocks<'a, 'c>(version: &'a Version<'c>) -> Vec<&'a Version<'c>> {
    match version {
        Version::If(Guard::Block(_), sides) => sides.iter().flat_map(of_blocks).collect(),
        _ => vec![version],
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
    fn region(&self, version: &Version<'_>, all: &mut Vec<Diagnostic>) {
        match version {
            Version::If(Guard::Lane(lane), _) => {
                let text = format!("is executed by lane {lane} of each warp alone, because others do nothing");
                all.push(self.remark("", &text, Some("one-lane"), Some(1), version.any().function));
            }
            Version::If(Guard::Iteration(_), sides) => {
                all.push(self.version(", iterations that no thread leaves,", &sides[0]));
                self.body(", other iterations,", &sides[1], all);
            }
            // Those whose branches are known, and the others.
            Version::If(Guard::Row(rows), sides) => {
                let is_known = self.body(", threads within all bounds,", &sides[0], all);
                if !rows.others_leave {
                    self.body(if is_known { ", threads at the bounds," } else { "" }, &sides[1], all);
                }
            }
            version => {
                self.body("", version, all);
            }
        }
    }

    /// Adds the remark about a version, if something is known of it. Returns whether it is so.
    fn body(&self, of: &str, version: &Version<'_>, all: &mut Vec<Diagnostic>) -> bool {
        let is_known = version.group(false).is_some() || version.any().cause.is_some();
        all.extend(is_known.then(|| self.version(of, version)));
        is_known
    }

    /// A version for groups, or one without: `of` are the threads that run it.
    fn version(&self, of: &str, version: &Version<'_>) -> Diagnostic {
        let (group, Code { function, cause, .. }) = (version.group(false), version.any());
        let width = group.map_or(1, |group| group.width);
        let vectors = format!("is executed in vectors of {width} threads");
        let Some(Cause { reason, at }) = cause else {
            return self.remark(of, &vectors, None, Some(width), *function);
        };
        let (text, width) = match (group, reason) {
            (None, Reason::Straight) => (reason.text(), None),
            (None, _) => (format!("is executed one thread after another: {}", reason.text()), Some(width)),
            (Some(_), _) => (format!("{vectors}, but {}", reason.text()), Some(width)),
        };
        let mut remark = self.remark(of, &text, Some(reason.name()), width, *function);
        remark.location = at.clone().or(remark.location);
        remark.notes.extend(reason.note());
        if group.is_none() && !matches!(reason, Reason::Straight) && is_straight(*function) {
            remark.notes.push("LLVM's vectoriser gets it as well, because it is straight code".to_owned());
        }
        remark.help.extend(reason.help());
        remark
    }

    fn remark(
        &self,
        of: &str,
        text: &str,
        cause: Option<&'static str>,
        width: Option<u32>,
        function: Function<'_>,
    ) -> Diagnostic {
        let Self { kernel, region, name } = self;
        let (kernel, region) = (kernel.display.clone(), Some(*region));
        let remark = Remark { topic: Topic::Vectorize, kernel, region, cause, width };
        Diagnostic::remark(remark, format!("{name}{of} {text}")).at(function.instructions().find_map(own_location))
    }
}
