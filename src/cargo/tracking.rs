//! Lets cargo repeat a link if offloadc's options have changed.
//!
//! rustc's flags would do this, but they apply to all packages, so another arch would rebuild each of them. The
//! `offload` crate reads an environment variable at compile time, which cargo tracks like a file. Therefore, only this
//! crate and its users are rebuilt. This is correct only if every package with kernels uses the crate, and the crate is
//! in a local folder, because cargo does not track variables of packages from a registry.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The variable that the crate reads; `rust/offload/src/lib.rs` has the same name.
pub(super) const TRACKED: &str = "OFFLOADC_LINKED_WITH";

/// Options of cargo that influence dependencies, with and without a value.
const WITH_VALUE: [&str; 4] = ["--manifest-path", "--features", "-F", "--lockfile-path"];
const WITHOUT: [&str; 5] = ["--all-features", "--no-default-features", "--locked", "--offline", "--frozen"];

/// Whether every package of the workspace that `words` may name uses the crate, and therefore tracks the variable.
pub(super) fn is_tracked(cargo: &OsStr, words: &[OsString], triple: &str) -> bool {
    let mut command = Command::new(cargo);
    let _ = command.args(["metadata", "--format-version=1", "--filter-platform", triple]);
    let _ = command.args(of_metadata(words)).stdin(Stdio::null());
    // If this fails, cargo reports the error when it builds.
    let said = command.output().ok().filter(|output| output.status.success());
    let metadata = said.and_then(|output| serde_json::from_slice::<Value>(&output.stdout).ok());
    metadata.is_some_and(|metadata| all_use_the_crate(&metadata).unwrap_or(false))
}

fn of_metadata(words: &[OsString]) -> Vec<&OsString> {
    let mut ours = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let starts = |option: &&str| text.strip_prefix(*option).is_some_and(|rest| rest.starts_with('='));
        if WITH_VALUE.contains(&&*text) {
            ours.push(word);
            ours.extend(words.next());
        } else if WITHOUT.contains(&&*text) || WITH_VALUE.iter().any(starts) {
            ours.push(word);
        }
    }
    ours
}

/// None if the answer has an unknown form.
fn all_use_the_crate(metadata: &Value) -> Option<bool> {
    let reads = |package: &&Value| package["source"].is_null() && package["metadata"]["offload"]["reads"] == TRACKED;
    let packages = metadata["packages"].as_array()?;
    let readers: HashSet<&str> = packages.iter().filter(reads).filter_map(|package| package["id"].as_str()).collect();
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let members = metadata["workspace_members"].as_array()?;
    let mut using = readers;
    // A package uses its dependencies, and their dependencies. Dependencies of tests and build scripts are not part of
    // its programs.
    loop {
        let is_new = |node: &&Value| {
            let depends = node["deps"].as_array().into_iter().flatten().any(|dependency| {
                let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
                let is_normal = kinds.into_iter().any(|kind| kind["kind"].is_null());
                is_normal && dependency["pkg"].as_str().is_some_and(|id| using.contains(id))
            });
            depends && node["id"].as_str().is_some_and(|id| !using.contains(id))
        };
        let new: Vec<&str> = nodes.iter().filter(is_new).filter_map(|node| node["id"].as_str()).collect();
        if new.is_empty() {
            break;
        }
        using.extend(new);
    }
    Some(members.iter().all(|member| member.as_str().is_some_and(|id| using.contains(id))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_see_the_variable_through_what_they_use() {
        let package = |id: &str, reads: bool| {
            let metadata = if reads { serde_json::json!({ "offload": { "reads": TRACKED } }) } else { Value::Null };
            serde_json::json!({ "id": id, "source": null, "metadata": metadata })
        };
        let node = |id: &str, on: &str, kind: Option<&str>| serde_json::json!({ "id": id, "deps": [{ "pkg": on, "dep_kinds": [{ "kind": kind }] }] });
        let of = |last: Value, members: &[&str]| {
            let packages = [package("offload", true), package("sorting", false), package("app", false)];
            let nodes = [last, node("sorting", "offload", None)];
            let metadata = serde_json::json!({ "packages": packages, "resolve": { "nodes": nodes },
                                               "workspace_members": members });
            all_use_the_crate(&metadata)
        };
        assert_eq!(of(node("app", "sorting", None), &["app", "sorting"]), Some(true));
        assert_eq!(of(node("app", "sorting", Some("dev")), &["app"]), Some(false));
        assert_eq!(of(node("app", "other", None), &["app"]), Some(false));
        assert_eq!(of(node("app", "sorting", None), &["app", "tool"]), Some(false));
        assert_eq!(all_use_the_crate(&Value::Null), None);
    }

    #[test]
    fn what_decides_dependencies_is_asked_with() {
        let words = ["run", "-p", "app", "--features", "a b", "--features=c", "--release", "--offline"];
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        assert_eq!(of_metadata(&words), ["--features", "a b", "--features=c", "--offline"]);
    }
}
