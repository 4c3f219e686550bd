//! The features that a program can ask for (`offload::target::has_feature`): those of this file, the names of archs,
//! and LLVM's own names. A feature is there if every device that runs the code of the arch has it.

use std::collections::BTreeSet;

use super::{Arch, TARGETS, Target};
use crate::contract::platform::Platform;
use crate::llvm::features;

/// Features that have the same name on each target.
pub const COMMON: [(&str, &str); 3] = [
    ("f16", "arithmetic of 16-bit floats in hardware"),
    ("f64", "arithmetic of 64-bit floats in hardware"),
    ("subgroups", "warps of more than one lane"),
];

impl Arch {
    /// Whether every device that runs this arch's code has the feature with this name.
    pub fn has_feature(&self, name: &str) -> bool {
        if COMMON.iter().any(|(common, _)| *common == name) {
            return self.target.has_common(name, self);
        }
        let own = self.target.implies(&self.processor.cpu, name);
        own.unwrap_or_else(|| self.target.lists_features() && self.has_llvm_feature(name))
    }

    /// Whether the processor has a feature by LLVM's name.
    pub fn has_llvm_feature(&self, name: &str) -> bool {
        let processor = &self.processor;
        let all = features(processor.triple, &processor.cpu, &processor.features);
        all.into_iter().any(|(feature, has)| has && feature == name)
    }
}

/// The triples of a target's processors.
fn triples(target: &'static dyn Target) -> Vec<&'static str> {
    match Platform::of(target.triple()) {
        Some(_) => Platform::ALL.into_iter().map(Platform::triple).collect(),
        None => vec![target.triple()],
    }
}

/// All names that a program can ask for, in alphabetical order.
pub fn known_features() -> Vec<String> {
    let mut names: BTreeSet<String> = COMMON.iter().map(|(name, _)| (*name).to_owned()).collect();
    for target in TARGETS {
        names.extend(target.archs().iter().chain(target.levels()).map(|name| (*name).to_owned()));
        if target.lists_features() {
            let all = triples(*target).into_iter().flat_map(|triple| features(triple, "", ""));
            names.extend(all.map(|(name, _)| name));
        }
    }
    names.into_iter().collect()
}
