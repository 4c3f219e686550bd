//! The table of passes: it is complete, the passes run by its wrapper, and each has a separate golden file.

use crate::rooms::{SHARED_BY_PASSES, room};
use crate::source::{has_word, none, program, without_strings};
use offloadc::passes::table::{PASSES, Row, Runs};

/// The names that `pass!` and `part!` call in the program, with their places.
fn called_passes() -> Vec<(String, String)> {
    let mut calls = Vec::new();
    for source in program() {
        let code: String = source.code().map(|(_, line)| format!("{}\n", line.trim())).collect();
        for call in ["pass!(", "part!("].iter().flat_map(|call| code.split(call).skip(1)) {
            let after = call.split_once(',').map(|(_, rest)| rest.trim_start()).unwrap_or_default();
            let name = after.split('(').next().unwrap_or_default();
            calls.push((name.to_owned(), source.name.clone()));
        }
    }
    calls
}

#[test]
fn the_table_of_passes_is_complete() {
    let calls = called_passes();
    let mut faults = Vec::new();
    for (name, place) in calls.iter().filter(|(_, place)| place != "src/passes/pass.rs") {
        if Row::named(name).is_none_or(|row| matches!(row.runs, Runs::Inside(_))) {
            faults.push(format!("{place}: `{name}` has no row, or one that says it runs inside another pass"));
        }
    }
    for (at, row) in PASSES.iter().enumerate() {
        let called = calls.iter().any(|(name, _)| name == row.name);
        let outer = match row.runs {
            Runs::Inside(outer) | Runs::PartOf(outer) => Some(outer),
            Runs::Alone | Runs::With(_) => None,
        };
        if called == matches!(row.runs, Runs::Inside(_)) {
            faults.push(format!("`{}`: its row says the opposite of what stages and targets call", row.name));
        }
        if outer.is_some_and(|outer| Row::named(outer).is_none()) || PASSES[..at].iter().any(|r| r.name == row.name) {
            faults.push(format!("`{}`: runs within a pass without a row, or has two rows", row.name));
        }
    }
    for source in program() {
        let Some(rest) = source.name.strip_prefix("src/passes/") else { continue };
        let name = rest.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        let is_pass = rest.split('/').count() == 2 && !rest.ends_with("mod.rs");
        if is_pass && !SHARED_BY_PASSES.contains(&source.name.as_str()) && Row::named(name).is_none() {
            faults.push(format!("{}: has no row", source.name));
        }
    }
    none(faults, "mend the table in src/passes/table.rs, or call the pass with `pass!`:");
}

#[test]
fn stages_and_targets_call_passes_by_the_macro() {
    let calls = called_passes();
    let lists =
        |name: &str| name.starts_with("src/stages/") || name.trim_start_matches("src/targets/").find('/').is_none();
    let mut faults = Vec::new();
    for source in program().into_iter().filter(|s| ["stages", "targets"].contains(&room(s).unwrap_or_default())) {
        let code: String = source.code().map(|(_, line)| line).collect();
        let imports = code.split("use crate::passes::").skip(1).filter_map(|rest| rest.split(';').next());
        for import in imports.filter(|_| lists(&source.name)) {
            let row = |row: &&Row| {
                !matches!(row.runs, Runs::Inside(_)) && has_word(&import[import.rfind("::").unwrap_or(0)..], row.name)
            };
            let bare =
                PASSES.iter().filter(row).filter(|row| !calls.contains(&(row.name.to_owned(), source.name.clone())));
            faults.extend(bare.map(|row| format!("{}: `{}`", source.name, row.name)));
        }
    }
    none(faults, "run these passes with `pass!`, so that they are verified, timed and printed:");
}

/// A function that changes a module returns nothing, or a result that `?` takes away. So the lists of targets have
/// no such call but in `pass!`.
#[test]
fn targets_change_modules_by_passes_only() {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut faults = Vec::new();
    for source in program() {
        let path = source.name.strip_prefix("src/targets/");
        if path.is_none_or(|path| path.contains('/')) {
            continue;
        }
        for (number, line) in source.code() {
            let (name, rest) = line.trim().split_once('(').unwrap_or_default();
            let takes = rest.starts_with("module,") || rest.starts_with("module)") || rest.starts_with("&module");
            let is_statement = line.trim().ends_with(");") || line.trim().ends_with(")?;");
            if takes && is_statement && !name.is_empty() && name.chars().all(is_name) {
                faults.push(format!("{}:{number}: `{name}`", source.name));
            }
        }
    }
    none(faults, "run these with `pass!`, so that they are verified, timed and printed, and `--run-pass` skips them:");
}

/// A function of a target's folder, or of `src/spmd/`.
struct Defined {
    place: String,
    name: String,
    parameters: String,
    /// Empty for none.
    result: String,
    body: String,
}

/// The functions in the folders of targets, and in `src/spmd/`.
fn functions_of_folders() -> Vec<Defined> {
    let of_target = |name: &str| name.strip_prefix("src/targets/").is_some_and(|path| path.contains('/'));
    let in_folder = |name: &str| of_target(name) || name.starts_with("src/spmd/");
    let mut all = Vec::new();
    for source in program().into_iter().filter(|source| in_folder(&source.name)) {
        let code: String = source.code().map(|(_, line)| format!("{}\n", without_strings(line))).collect();
        // A function ends at a brace as deep as it began.
        for (at, _) in code.match_indices("fn ") {
            let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
            let indent = code[line..].len() - code[line..].trim_start_matches(' ').len();
            let end = code[at..].find(&format!("\n{}}}\n", " ".repeat(indent))).map_or(code.len(), |end| at + end);
            let Some((head, body)) = code[at + 3..end].split_once("{\n") else { continue };
            let Some((start, result)) = head.rsplit_once(") ->").or(head.rsplit_once(')')) else { continue };
            let name: String = start.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let parameters = start[name.len()..].split_once('(').map_or("", |(_, parameters)| parameters);
            all.push(Defined {
                place: source.name.clone(),
                name,
                parameters: parameters.to_owned(),
                result: result.trim().to_owned(),
                body: body.to_owned(),
            });
        }
    }
    all
}

/// The parts of a module: a function that takes one of them, or is a method, works on this part.
const PIECES: [&str; 10] =
    ["self", "Function", "Value", "Block", "Builder", "Type", "Access", "Region", "Regions", "SplitKernel"];

/// Functions on a whole module that are no passes, and why.
const PARTS: &[(&str, &str)] = &[
    ("link", "links a vendor's library, for the pass `link_math`"),
    ("write", "writes the table of the kernels' code, as each pass on it does"),
    ("erase", "removes this table, for `emit_entries`"),
    ("set_linkage", "is the whole of two passes"),
    ("place_shared", "is a part of `pass_thread`"),
    ("version_regions", "is the whole of two passes and a part of `version_uniform_branches`"),
    ("split_distances", "is a part of `version_low_bits`"),
    ("unroll", "is a part of `unroll_inner_loops`"),
];

/// In a target's folder and in `src/spmd/`, too, a function that takes a module, and no part of it, and returns nothing
/// is a pass: it has a row, so that it is called by `pass!`, or is known to run inside of another pass.
#[test]
fn functions_on_whole_modules_are_passes() {
    let functions = functions_of_folders();
    assert!(functions.len() > 500, "{} functions were found", functions.len());
    let changes = |f: &&Defined| {
        let takes = f.parameters.contains("module: &Module<");
        let is_part = PIECES.iter().any(|piece| has_word(&f.parameters, piece));
        takes && !is_part && ["", "Result<()>"].contains(&f.result.as_str())
    };
    let found: Vec<_> = functions.iter().filter(changes).collect();
    let is_list = |f: &Defined| f.body.contains("pass!(");
    let is_known = |f: &Defined| Row::named(&f.name).is_some() || PARTS.iter().any(|(name, _)| *name == f.name);
    let bare = found.iter().filter(|f| !is_known(f) && !is_list(f)).map(|f| format!("{}: `{}`", f.place, f.name));
    let mut faults: Vec<_> = bare.collect();
    let stale = PARTS.iter().filter(|(name, _)| found.iter().all(|f| f.name != *name));
    faults.extend(stale.map(|(name, _)| format!("`{name}`: there is no such function any more")));
    none(faults, "give these rows in src/passes/table.rs and call them by `pass!`, or say in `PARTS` what they are:");
}

/// Passes that another function calls, without `pass!`, with the file of the call.
const CALLED_INSIDE: &[(&str, &str)] = &[
    ("define_leave", "src/targets/cpu/thread.rs"),
    ("pass_launch_state", "src/targets/spirv/builtins.rs"),
    ("erase_calls", "src/targets/spirv/legal.rs"),
    ("link_text", "src/targets/spirv/print.rs"),
];

/// In a target's folder and in `src/spmd/`, a pass is called by `pass!` or `part!` only. A method of the same name is
/// another function.
#[test]
fn folders_of_targets_call_passes_by_the_macro() {
    let mut found = Vec::new();
    for f in functions_of_folders() {
        for row in PASSES.iter().filter(|row| !matches!(row.runs, Runs::Inside(_))) {
            let call = format!("{}(", row.name);
            let calls = f.body.match_indices(&call).filter(|(at, _)| {
                let before = &f.body[..*at];
                let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
                let last = before.rfind(['(', ';', '{']).map_or("", |at| &before[..at]);
                is_word && !last.ends_with("pass!") && !last.ends_with("part!")
            });
            found.extend(calls.map(|_| (row.name, f.place.clone())));
        }
    }
    let is_excused = |(name, place): &(&str, String)| CALLED_INSIDE.contains(&(name, place));
    let bare = found.iter().filter(|call| !is_excused(call)).map(|(name, place)| format!("{place}: `{name}`"));
    let mut faults: Vec<_> = bare.collect();
    let is_stale = |(name, place): &&(&str, &str)| !found.iter().any(|(n, p)| n == name && p == place);
    faults.extend(CALLED_INSIDE.iter().filter(is_stale).map(|(name, place)| format!("{place}: no call of `{name}`")));
    none(faults, "run these with `pass!`, so that they are verified, timed and printed, and `--run-pass` skips them:");
}

/// Passes that can run alone and have no golden file in `tests/golden/passes/`: `link_bodies` needs a
/// library to take bodies from, and `tests/golden/resolve/` has one in each of its files.
const WITHOUT_GOLDEN: &[&str] = &["link_bodies"];

#[test]
fn passes_have_golden_files() {
    let folder = harness::root().join("tests/golden/passes");
    let has_file = |name: &str| folder.join(name.replace('_', "-")).with_extension("ll").is_file();
    let mut faults = Vec::new();
    for row in PASSES.iter().filter(|row| matches!(row.runs, Runs::Alone | Runs::PartOf(_))) {
        let excused = WITHOUT_GOLDEN.contains(&row.name);
        if has_file(row.name) == excused {
            faults.push(format!("`{}`: {}", row.name, if excused { "has one after all" } else { "has none" }));
        }
    }
    let stale = WITHOUT_GOLDEN.iter().filter(|name| PASSES.iter().all(|row| row.name != **name));
    faults.extend(stale.map(|name| format!("`{name}`: is no pass")));
    none(faults, "write tests/golden/passes/NAME.ll with `--run-pass`, or mend the list of those without:");
}
