//! Checks the texts in calls of `__offload_has_feature`.
//!
//! The answer for a misspelt name would be no, and code for a feature would silently be left out.

use crate::analysis::feature_name::feature_name;
use crate::analysis::location::own_location;
use crate::contract::queries::HAS_FEATURE;
use crate::diagnostics::nearest::{in_a_sentence, nearest};
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Module, Value};

/// Reports each text that is no constant, or not among the `known` names.
pub fn check_features(module: &Module<'_>, known: impl FnOnce() -> Vec<String>) -> Vec<Diagnostic> {
    let calls = module.function(HAS_FEATURE).map(|query| query.direct_calls()).unwrap_or_default();
    if calls.is_empty() {
        return Vec::new();
    }
    let known = known();
    // LLVM lists uses in reverse order.
    calls.into_iter().rev().filter_map(|call| check(call, &known)).collect()
}

fn check(call: Value<'_>, known: &[String]) -> Option<Diagnostic> {
    let found = |message: String| Diagnostic::coded(Code::UnknownFeature, message).at(own_location(call));
    let Some(name) = feature_name(call) else {
        let help = "write the name of the feature as a literal in the call";
        return Some(found("the name of a feature is not a constant".to_owned()).help(help));
    };
    if known.contains(&name) {
        return None;
    }
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let diagnostic = found(format!("no target has a feature `{name}`"));
    let diagnostic = in_a_sentence(&nearest(&name, &names)).into_iter().fold(diagnostic, Diagnostic::help);
    Some(diagnostic.help("docs/targets.md says which names each target has"))
}
