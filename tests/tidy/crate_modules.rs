//! The order of the modules of the crate `offload`.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, none, sources};

/// The sources of the crate `offload` by the names of its modules; a folder belongs to the module of its name. `lib.rs`
/// and `concepts.rs` are about the whole crate: the one exports every module, the other links to them in the
/// documentation.
fn modules_of_the_crate(all: &[Source]) -> BTreeMap<&str, Vec<&Source>> {
    let mut modules = BTreeMap::<_, Vec<_>>::new();
    for source in all {
        let Some(name) = source.name.strip_prefix("rust/offload/src/") else { continue };
        let module = name.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if !["lib", "concepts"].contains(&module) {
            modules.entry(module).or_default().push(source);
        }
    }
    modules
}

/// The words after `crate::` in a line. `$crate::` is left out, because a macro writes it into the crates of its users.
fn crate_paths(line: &str) -> impl Iterator<Item = &str> {
    let own = line.match_indices("crate::").filter(|(at, _)| !line[..*at].ends_with('$'));
    let ident = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    own.map(move |(at, path)| &line[at + path.len()..]).map(move |rest| &rest[..ident(rest)])
}

#[test]
fn modules_of_the_crate_have_an_order() {
    let all = sources();
    let modules = modules_of_the_crate(&all);
    assert!(modules.len() > 30, "{:?}", modules.keys());
    let mut faults = Vec::new();
    let mut named = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (module, files) in &modules {
        let own = named.entry(module).or_default();
        for source in files {
            for (number, line) in source.code() {
                for name in crate_paths(line) {
                    if !modules.contains_key(name) {
                        faults.push(format!("{}:{number}: `crate::{name}` is no module", source.name));
                    } else if name != *module {
                        own.insert(name);
                    }
                }
            }
        }
    }
    none(
        faults,
        "begin each path with the module that defines the item, so that the order of the modules can be checked:",
    );
    // Removes modules that name no remaining module, and then modules that no remaining module names. The remaining
    // modules are cycles.
    loop {
        let left: BTreeSet<&str> = named.keys().copied().collect();
        let used: BTreeSet<&str> = named.values().flatten().copied().collect();
        named.retain(|module, names| !names.is_empty() && used.contains(module));
        named.values_mut().for_each(|names| names.retain(|name| left.contains(name)));
        if named.len() == left.len() && named.values().flatten().all(|name| left.contains(name)) {
            break;
        }
    }
    let circles = named.iter().map(|(module, names)| format!("{module}.rs names {names:?}"));
    none(circles.collect(), "move what these modules of rust/offload need of each other into a module below them:");
}

/// LLVM makes one function of equal functions in one section, and offloadc could not distinguish their calls.
#[test]
fn each_stand_in_has_a_section() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for source in sources().iter().filter(|source| source.name.starts_with("rust/offload/src/")) {
        let name = |line: &str| line.split_once("fn ").and_then(|(_, rest)| Some(rest.split_once('(')?.0.to_owned()));
        let lines: Vec<&str> = source.text.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("\".text.offload.stand_in")) {
            count += 1;
            let of = lines[number..].iter().find_map(|line| name(line)).unwrap_or_default();
            let ends = ["stringify!($name)))]".to_owned(), "$symbol))]".to_owned(), format!(".{of}\")]")];
            if !ends.iter().any(|end| line.ends_with(end)) {
                faults.push(format!("{}:{}: {}", source.name, number + 1, line.trim()));
            }
        }
    }
    assert!(count >= 5, "{count} stand-ins were found");
    none(faults, "a stand-in has a section of its own, which ends with its name:");
}
