//! Rules for the rooms of `src/`: which rooms each may name, and which operations it may use.

use std::collections::BTreeSet;

use crate::source::{Source, has_word, none, program, without_strings};

/// The rooms of `src/` in order of their layers, each with the rooms that it may name.
const ROOMS: &[(&str, &str)] = &[
    ("error", ""),
    ("stage", ""),
    ("diagnostics", "error"),
    ("llvm", "error"),
    ("system", "error llvm stage"),
    ("contract", "llvm"),
    ("rust_std", "contract llvm"),
    ("input", "contract diagnostics error llvm system"),
    ("analysis", "contract diagnostics llvm rust_std"),
    ("passes", "analysis contract diagnostics error llvm rust_std system"),
    ("checks", "analysis contract diagnostics input llvm rust_std"),
    ("bundle", "contract error system"),
    ("spmd", "analysis contract diagnostics error llvm passes rust_std"),
    ("targets", "analysis bundle checks contract diagnostics error llvm passes rust_std spmd system"),
    ("cache", "bundle contract diagnostics error system targets"),
    ("cli", "bundle contract diagnostics error llvm stage system targets"),
    ("distribution", "bundle cache cli contract diagnostics error llvm passes stage system targets"),
    ("job", "bundle cache cli contract diagnostics distribution error input llvm passes stage system targets"),
    (
        "stages",
        "analysis bundle cache checks contract diagnostics distribution error input job llvm passes rust_std stage system targets",
    ),
    ("driver", "bundle contract diagnostics distribution error input job llvm passes stage stages targets"),
    ("finish", "bundle cli contract diagnostics distribution driver error job stage stages system targets"),
    ("linker", "bundle cli contract diagnostics driver error input job llvm stages system"),
    ("cargo", "bundle contract diagnostics error input job linker stages system targets"),
];

/// The folders of `src/spmd/` and the files beside them in order of their layers: each names only those before it.
const SPMD: &[&str] = &[
    "tuning",
    "cause",
    "options",
    "facts",
    "region",
    "prepare",
    "version",
    "vectorize",
    "idioms",
    "emit",
    "warps",
    "entry",
    "remarks",
    "passes",
];

/// The room of a file of the program, by its name; none for `lib.rs` and the files of the programs.
pub(crate) fn room(source: &Source) -> Option<&str> {
    let name = source.name.strip_prefix("src/")?;
    let room = name.split('/').next()?.trim_end_matches(".rs");
    (!["lib", "bin"].contains(&room)).then_some(room)
}

/// The words after `crate::` in a line.
fn named_rooms(line: &str) -> impl Iterator<Item = &str> {
    let ident = |rest: &&str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    line.split("crate::").skip(1).map(move |rest| &rest[..ident(&rest)]).filter(|word| !word.is_empty())
}

#[test]
fn rooms_name_only_what_is_below_them() {
    for (i, (room, below)) in ROOMS.iter().enumerate() {
        let known = |name: &str| ROOMS[..i].iter().any(|(other, _)| *other == name);
        let above: Vec<_> = below.split_whitespace().filter(|name| !known(name)).collect();
        assert!(above.is_empty(), "the table puts {above:?} not below `{room}`");
    }
    let mut faults = Vec::new();
    for source in &program() {
        let Some(own) = room(source) else { continue };
        let Some((_, below)) = ROOMS.iter().find(|(room, _)| *room == own) else {
            faults.push(format!("{}: `{own}` is no row of the table", source.name));
            continue;
        };
        for (number, line) in source.code() {
            let wrong = named_rooms(line).filter(|name| *name != own && below.split(' ').all(|room| room != *name));
            faults.extend(wrong.map(|name| format!("{}:{number}: `{own}` names `{name}`", source.name)));
        }
    }
    none(faults, "move what is shared into a room below both (see ARCHITECTURE.md, \"Rooms\"):");
}

#[test]
fn folders_of_spmd_have_an_order() {
    let program = program();
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    for source in &program {
        let Some(path) = source.name.strip_prefix("src/spmd/").filter(|path| *path != "mod.rs") else { continue };
        let own = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some(at) = SPMD.iter().position(|folder| *folder == own) else {
            faults.push(format!("{}: `{own}` is no row of the table", source.name));
            continue;
        };
        seen.insert(own);
        // A file beside the folders names them by `super`.
        let starts = if path.contains('/') { &["crate::spmd::"][..] } else { &["crate::spmd::", "super::"] };
        for (number, line) in source.code() {
            let named = starts.iter().flat_map(|start| line.split(start).skip(1));
            let ident = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let named = named.map(|rest| &rest[..ident(rest)]);
            let wrong = named.filter(|name| *name != own && !SPMD[..at].contains(name));
            faults.extend(wrong.map(|name| format!("{}:{number}: `{own}` names `{name}`", source.name)));
        }
    }
    let unused = SPMD.iter().filter(|folder| !seen.contains(*folder));
    faults.extend(unused.map(|folder| format!("`{folder}`: there is no such folder")));
    none(faults, "move what is shared into a folder below both; `SPMD` in tests/tidy/rooms.rs has the order:");
}

#[test]
fn analyses_and_checks_change_nothing() {
    let verbs = [
        ".set_",
        ".add_",
        ".erase",
        ".replace_",
        ".remove_",
        ".clear_",
        ".append_",
        ".insert_",
        ".move_",
        ".link_",
        ".define(",
        ".declare(",
        ".copy_attributes(",
        ".forward_attributes(",
        ".split_block(",
        ".run_",
    ];
    let mut faults = Vec::new();
    for source in program().iter().filter(|s| ["analysis", "checks"].iter().any(|own| room(s) == Some(own))) {
        let changes = |line: &str| has_word(line, "Builder") || verbs.iter().any(|verb| line.contains(verb));
        let lines = source.code().filter(|(_, line)| changes(&without_strings(line)));
        faults.extend(lines.map(|(number, line)| format!("{}:{number}: {}", source.name, line.trim())));
    }
    none(faults, "what changes a module is a pass; move it into src/passes/:");
}

#[test]
fn checks_give_diagnostics() {
    let mut faults = Vec::new();
    for source in program().iter().filter(|source| source.name.starts_with("src/checks/check_")) {
        let name = source.name.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some((_, rest)) = source.text.split_once(&format!("pub fn {name}")) else { continue };
        let signature = rest.split('{').next().unwrap_or_default();
        if !signature.trim_end().ends_with("Vec<Diagnostic>") && !signature.trim_end().ends_with("Option<Diagnostic>") {
            faults.push(format!("{}: {name}{}", source.name, signature.trim_end()));
        }
    }
    none(faults, "a check returns what it found as diagnostics, and nothing else:");
}

/// Files of `src/passes/` that have parts of several passes, or a type with the functions that belong to it.
pub(crate) const SHARED_BY_PASSES: &[&str] = &[
    "src/passes/region_graph.rs",
    "src/passes/host/device_functions.rs",
    "src/passes/host/host_functions.rs",
    "src/passes/host/marks.rs",
    "src/passes/launch/launch_bounds.rs",
    "src/passes/launch/launch_state.rs",
    "src/passes/legalize/empty_assembly.rs",
    "src/passes/pass.rs",
    "src/passes/table.rs",
];

#[test]
fn a_pass_is_found_by_its_name() {
    let mut faults = Vec::new();
    for source in program() {
        let Some(rest) = source.name.strip_prefix("src/passes/") else { continue };
        // Deeper folders contain the parts of one pass.
        if rest.ends_with("mod.rs") || rest.split('/').count() > 2 || SHARED_BY_PASSES.contains(&source.name.as_str()) {
            continue;
        }
        let name = rest.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        let defines = |line: &str| {
            line.trim_start().starts_with("pub") && has_word(line, name) && line.contains(&format!("fn {name}"))
        };
        if !source.code().any(|(_, line)| defines(line)) {
            faults.push(format!("{}: no `pub fn {name}`", source.name));
        }
    }
    none(faults, "name these files after their public function:");
}
