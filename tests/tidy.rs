//! The architecture rules, as tests. Each failure says what to do about it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// More lines than this and a file is doing two things.
const LONGEST_FILE: usize = 700;

/// A file below the repository's root.
struct Source {
    /// Relative to the root, with slashes.
    name: String,
    text: String,
}

impl Source {
    fn has_extension(&self, extensions: &[&str]) -> bool {
        Path::new(&self.name).extension().is_some_and(|own| extensions.iter().any(|e| own == *e))
    }

    /// Lines of Rust code with their numbers: no comments, nothing from `#[cfg(test)]` on.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let before_tests = |(_, line): &(usize, &str)| line.trim() != "#[cfg(test)]";
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        numbered.take_while(before_tests).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

/// Every text file of the project, sorted by name.
fn sources() -> Vec<Source> {
    let root = harness::root();
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
        Some(Source { name, text: std::fs::read_to_string(&path).ok()? })
    };
    paths.into_iter().filter_map(read).collect()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("the folder can be listed").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let built = ["target", "demo", ".git"].contains(&name.as_str());
        match (built, path.is_dir()) {
            (true, _) => {}
            (false, true) => walk(&path, paths),
            (false, false) => paths.push(path),
        }
    }
}

/// Rust sources of the program itself, without unit tests that have a file of their own.
fn program() -> Vec<Source> {
    let own = |source: &Source| {
        let test = source.name.ends_with("_tests.rs");
        source.name.starts_with("src/") && source.has_extension(&["rs"]) && !test
    };
    sources().into_iter().filter(own).collect()
}

/// Fails with every fault, and what to do.
#[track_caller]
fn none(faults: Vec<String>, advice: &str) {
    assert!(faults.is_empty(), "{advice}\n  {}\n", faults.join("\n  "));
}

/// `line` without what stands in double quotes.
fn without_strings(line: &str) -> String {
    let plain = line.replace("\\\"", "");
    plain.split('"').step_by(2).collect()
}

/// Whether `word` stands in `line` with no letter, digit or underscore on either side.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

#[test]
fn files_are_short() {
    let long = |source: &Source| {
        let lines = source.text.lines().count();
        (lines > LONGEST_FILE).then(|| format!("{}: {lines} lines", source.name))
    };
    let code = sources().into_iter().filter(|source| source.has_extension(&["rs", "c", "h", "cpp"]));
    none(code.filter_map(|s| long(&s)).collect(), "split these files by what they do; 350 lines are a good size:");
}

#[test]
fn every_source_says_what_it_is() {
    let silent = |source: &Source| match Path::new(&source.name).extension()?.to_str()? {
        // The runner of the golden files reads their comments.
        "rs" if source.name.starts_with("tests/golden/") => {
            (!source.text.starts_with("// ")).then(|| source.name.clone())
        }
        "rs" => (!source.text.starts_with("//! ")).then(|| source.name.clone()),
        "c" | "h" => (!source.text.starts_with("/* ")).then(|| source.name.clone()),
        "cpp" => (!source.text.starts_with("/")).then(|| source.name.clone()),
        _ => None,
    };
    let faults = sources().iter().filter_map(silent).collect();
    none(faults, "begin these files with a comment (`//!` in Rust) that says what they do and do not do:");
}

#[test]
fn every_golden_file_has_a_reason() {
    let goldens = |source: &Source| source.name.starts_with("tests/golden/") && source.has_extension(&["ll", "rs"]);
    let silent = |source: &Source| {
        let first = source.text.lines().next().unwrap_or_default();
        let sentence = first.strip_prefix("; ").or(first.strip_prefix("// ")).unwrap_or_default();
        let good = sentence.split(' ').count() > 3 && !sentence.contains("RUN");
        (!good).then(|| format!("{}: `{first}`", source.name))
    };
    let faults = sources().iter().filter(|source| goldens(source)).filter_map(silent).collect();
    none(faults, "put a sentence on the first line of these golden files that says which behaviour they hold:");
}

/// Whether a file declares a module.
fn declares(text: &str, module: &str) -> bool {
    let line = format!("mod {module};");
    text.lines().any(|own| own.trim_start_matches("pub ") == line)
}

#[test]
fn every_test_is_compiled() {
    let all = sources();
    let text = |name: &str| all.iter().find(|source| source.name == name).map(|source| source.text.as_str());
    let mut faults = Vec::new();
    for source in &all {
        let Some((folder, file)) = source.name.strip_prefix("tests/").and_then(|name| name.split_once('/')) else {
            continue;
        };
        let Some(main) = text(&format!("tests/{folder}/main.rs")) else { continue };
        if let Some(module) = file.strip_suffix(".rs").filter(|module| *module != "main" && !module.contains('/'))
            && !declares(main, module)
        {
            faults.push(format!("{}: tests/{folder}/main.rs has no `mod {module};`", source.name));
        }
    }
    let manifest = text("Cargo.toml").expect("the manifest is there");
    for table in manifest.split("[[test]]").skip(1).filter(|table| table.contains("harness = false")) {
        let value = |key: &str| table.split_once(&format!("{key} = \""))?.1.split('"').next();
        let name = value("name").expect("a test has a name");
        let main = value("path").map_or(format!("tests/{name}.rs"), str::to_owned);
        let folder = main.strip_suffix("main.rs").filter(|folder| *folder != "tests/").unwrap_or(&main);
        let ignored = |source: &&Source| source.name.starts_with(folder) && source.text.contains("\n#[test]\n");
        faults.extend(all.iter().filter(ignored).map(|s| format!("{}: `{name}` has a `main` of its own", s.name)));
    }
    none(faults, "cargo never runs the tests in these files; name the module, or make the test a `Trial`:");
}

#[test]
fn test_crates_are_few() {
    let all = sources();
    let is_crate = |name: &&str| match name.split('/').collect::<Vec<_>>()[..] {
        ["tests", file] => file.ends_with(".rs"),
        ["tests", _, file] => file == "main.rs",
        _ => false,
    };
    let crates: Vec<&str> = all.iter().map(|source| source.name.as_str()).filter(is_crate).collect();
    let folders = ["codegen", "compiler", "programs", "projects"].map(|folder| format!("tests/{folder}/main.rs"));
    let files = ["crash", "golden", "tidy", "toolchains"].map(|file| format!("tests/{file}.rs"));
    let extra = crates.into_iter().filter(|name| !folders.iter().chain(&files).any(|known| known == name));
    none(
        extra.map(str::to_owned).collect(),
        "each test crate links all of LLVM's interface; make these modules of one:",
    );
}

#[test]
fn golden_folders_are_stages_targets_and_topics() {
    use offloadc::stage::Stage;
    use offloadc::targets::TARGETS;
    const TOPICS: [&str; 3] = ["codes", "intrinsics", "launch-bounds"];
    const WITHOUT: [&str; 2] = ["optimize", "exe"];
    let stages = Stage::all().map(Stage::name);
    let names: Vec<&str> = stages.chain(TARGETS.iter().map(|target| target.name())).collect();
    let root = harness::root().join("tests/golden");
    let manual = std::fs::read_to_string(root.join("README.ll")).expect("the manual is there");
    let entries = std::fs::read_dir(&root).expect("the folder can be listed").flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let folders: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let mut faults = Vec::new();
    for folder in folders.iter().filter(|folder| !names.contains(&folder.as_str())) {
        if !TOPICS.contains(&folder.as_str()) {
            faults.push(format!("{folder}: no stage or target has this name"));
        }
    }
    let lacking = names.iter().filter(|name| !folders.iter().any(|folder| folder == *name));
    faults.extend(lacking.filter(|name| !WITHOUT.contains(name)).map(|name| format!("{name}: has no folder")));
    let said = |name: &&&str| manual.contains(&format!("`{name}`"));
    let unsaid = TOPICS.iter().chain(&WITHOUT).filter(|name| !said(name));
    faults.extend(unsaid.map(|name| format!("{name}: README.ll does not say why")));
    none(faults, "move these golden files to the folder of the stage or target whose output they look at:");
}

#[test]
fn target_names_stay_in_targets() {
    // The command line's help shows examples; src/llvm/ initialises LLVM's back ends by name.
    let elsewhere = |source: &Source| {
        !source.name.starts_with("src/targets/")
            && !source.name.starts_with("src/llvm/")
            && source.name != "src/cli/options.rs"
    };
    let mut faults = Vec::new();
    for source in program().iter().filter(|source| elsewhere(source)) {
        for (number, line) in source.code() {
            let low = line.to_lowercase();
            let named =
                ["nvptx", "amdgpu", "amdgcn", "spirv64", "\"gfx", "\"sm_"].iter().any(|name| low.contains(name));
            if named {
                faults.push(format!("{}:{number}: {}", source.name, line.trim()));
            }
        }
    }
    none(faults, "ask a `Target` instead of naming one; only src/targets/ knows their names:");
}

#[test]
fn names_of_llvm_sys_stay_behind_the_wall() {
    let mut faults = Vec::new();
    for source in program().iter().filter(|source| !source.name.starts_with("src/llvm/")) {
        let lines = source.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        faults.extend(
            lines.filter(|(_, line)| line.contains("::LLVM")).map(|(at, _)| format!("{}:{}", source.name, at + 1)),
        );
    }
    none(faults, "src/llvm/enums.rs has names for these:");
}

#[test]
fn unsafe_stays_behind_one_wall() {
    let mut faults = Vec::new();
    for source in program().iter().filter(|source| !source.name.starts_with("src/llvm/")) {
        let lines = source.code().filter(|(_, line)| has_word(&without_strings(line), "unsafe"));
        faults.extend(lines.map(|(number, line)| format!("{}:{number}: {}", source.name, line.trim())));
    }
    none(faults, "move these into src/llvm/ behind a safe function:");
}

/// What lies in `src/`, from the bottom up, and what each may name of the others: only what is below it.
const ROOMS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("stage", &[]),
    ("diagnostics", &["error"]),
    ("llvm", &["error"]),
    ("system", &["error", "llvm", "stage"]),
    ("contract", &["llvm"]),
    ("rust_std", &["contract", "llvm"]),
    ("input", &["diagnostics", "error", "llvm"]),
    ("analysis", &["contract", "diagnostics", "llvm", "rust_std"]),
    ("passes", &["analysis", "contract", "diagnostics", "error", "llvm", "rust_std", "system"]),
    ("checks", &["analysis", "contract", "diagnostics", "input", "llvm", "rust_std"]),
    ("bundle", &["contract", "error", "system"]),
    (
        "targets",
        &["analysis", "bundle", "checks", "contract", "diagnostics", "error", "llvm", "passes", "rust_std", "system"],
    ),
    ("cli", &["bundle", "contract", "diagnostics", "error", "llvm", "stage", "system", "targets"]),
    ("job", &["bundle", "cli", "contract", "diagnostics", "error", "input", "llvm", "stage", "system", "targets"]),
    (
        "stages",
        &[
            "analysis",
            "bundle",
            "checks",
            "contract",
            "diagnostics",
            "error",
            "input",
            "job",
            "llvm",
            "passes",
            "rust_std",
            "stage",
            "system",
            "targets",
        ],
    ),
    (
        "driver",
        &[
            "bundle",
            "checks",
            "contract",
            "diagnostics",
            "error",
            "input",
            "job",
            "llvm",
            "passes",
            "rust_std",
            "stage",
            "stages",
            "system",
            "targets",
        ],
    ),
    ("linker", &["cli", "diagnostics", "driver", "error", "input", "job", "llvm", "stages", "system"]),
    ("cargo", &["contract", "diagnostics", "error", "input", "linker", "stages"]),
];

/// The room of a file of the program, by its name; none for `lib.rs` and the programs' own files.
fn room(source: &Source) -> Option<&str> {
    let name = source.name.strip_prefix("src/")?;
    let room = name.split('/').next()?.trim_end_matches(".rs");
    (!["lib", "bin"].contains(&room)).then_some(room)
}

/// The words that follow `crate::` in a line.
fn named_rooms(line: &str) -> impl Iterator<Item = &str> {
    let ident = |rest: &&str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    line.split("crate::").skip(1).map(move |rest| &rest[..ident(&rest)]).filter(|word| !word.is_empty())
}

#[test]
fn rooms_name_only_what_is_below_them() {
    for (i, (room, below)) in ROOMS.iter().enumerate() {
        let known = |name: &&&str| ROOMS[..i].iter().any(|(other, _)| other == *name);
        let above: Vec<_> = below.iter().filter(|name| !known(name)).collect();
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
            let wrong = named_rooms(line).filter(|name| *name != own && !below.contains(name));
            faults.extend(wrong.map(|name| format!("{}:{number}: `{own}` names `{name}`", source.name)));
        }
    }
    none(faults, "move what is shared into a room below both (see ARCHITECTURE.md, \"Rooms\"):");
}

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

/// What follows `crate::` in a line, but not `$crate::`, which a macro writes into the crates of its users.
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
    // Modules that name no other one left are removed, and then modules that no other one left names: circles remain.
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
const SHARED_BY_PASSES: &[&str] = &[
    "src/passes/region_graph.rs",
    "src/passes/host/device_functions.rs",
    "src/passes/host/marks.rs",
    "src/passes/launch/launch_bounds.rs",
    "src/passes/launch/launch_state.rs",
    "src/passes/legalize/empty_assembly.rs",
];

#[test]
fn a_pass_is_found_by_its_name() {
    let mut faults = Vec::new();
    for source in program() {
        let Some(rest) = source.name.strip_prefix("src/passes/") else { continue };
        // Deeper folders hold the parts of one pass.
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

#[test]
fn nothing_panics_on_purpose() {
    let calls = [".unwrap()", "panic!(", "todo!(", "unimplemented!(", "dbg!("];
    let mut faults = Vec::new();
    for source in program() {
        let lines = source.code().filter(|(_, line)| calls.iter().any(|call| line.contains(call)));
        faults.extend(lines.map(|(number, line)| format!("{}:{number}: {}", source.name, line.trim())));
    }
    none(faults, "return an `Error` or a `Diagnostic`, or say in `expect(\"...\")` why it cannot happen:");
}

#[test]
fn hash_maps_do_not_reach_the_output() {
    let mut faults = Vec::new();
    for source in program() {
        for (number, line) in source.code() {
            let iterated = [".keys()", ".values()", ".drain()"].iter().any(|call| line.contains(call));
            let hashed = source.text.contains("HashMap") && !source.text.contains("BTreeMap");
            if iterated && hashed {
                faults.push(format!("{}:{number}: {}", source.name, line.trim()));
            }
        }
    }
    none(faults, "their order differs from run to run; use a `BTreeMap` or a `Vec`:");
}

#[test]
fn names_say_something() {
    let empty = ["manager", "helper", "utils", "util", "misc"];
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["rs", "c", "h", "cpp"])) {
        let low = source.name.to_lowercase();
        if empty.iter().any(|word| low.contains(word)) {
            faults.push(source.name.clone());
        }
        for (number, line) in source.code() {
            let defines =
                ["struct ", "enum ", "trait ", "mod ", "fn "].iter().filter_map(|k| line.split_once(*k)).next();
            let name = defines.map(|(_, rest)| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
            let name = name.flatten().unwrap_or_default().to_lowercase();
            if empty.iter().any(|word| name.contains(word)) {
                faults.push(format!("{}:{number}: {name}", source.name));
            }
        }
    }
    none(faults, "name these after what they do:");
}

#[test]
fn no_path_of_one_machine() {
    // .cargo/config.toml holds the one default, LLVM's prefix; this file holds the patterns.
    let allowed = [".cargo/config.toml", "tests/tidy.rs"];
    let starts = ["/home/", "/root/", "/Users/", "/work/", "/usr/lib/llvm"];
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| !allowed.contains(&source.name.as_str())) {
        for (index, line) in source.text.lines().enumerate() {
            if starts.iter().any(|start| line.contains(start)) {
                faults.push(format!("{}:{}: {}", source.name, index + 1, line.trim()));
            }
        }
    }
    none(faults, "derive the path from the environment or from .cargo/config.toml:");
}

#[test]
fn ci_runs_what_people_run() {
    let script = std::fs::read_to_string(harness::root().join(".ci/run")).expect(".ci/run exists");
    let lines: Vec<&str> = script.lines().filter(|line| line.contains("make") && !line.starts_with('#')).collect();
    assert_eq!(lines, ["exec make test"], ".ci/run may only call `make test`; put the step there");
}

#[test]
fn make_builds_where_it_looks() {
    let mut make = std::process::Command::new("make");
    make.args(["--no-print-directory", "--eval", "shown: ; @env", "shown"]).current_dir(harness::root());
    let shown = harness::run(make.env("CARGO_TARGET_DIR", "/elsewhere").env("CARGO_BUILD_TARGET_DIR", "/elsewhere"));
    let shown = shown.success().stdout();
    assert!(!shown.contains("TARGET_DIR"), "a user's target folder is not this repository's:\n{shown}");
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["md"])) {
        let folder = harness::root().join(&source.name).parent().expect("a file has a folder").to_path_buf();
        for link in source.text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if !link.is_empty() && !link.contains("://") && !folder.join(link).exists() {
                faults.push(format!("{}: {link}", source.name));
            }
        }
    }
    none(faults, "these files do not exist; mend the links:");
}

/// The headings of a Markdown file as links name them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let plain = |heading: &str| {
        let title = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        title.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(plain).collect()
}

#[test]
fn links_lead_to_headings() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["md"])) {
        let folder = harness::root().join(&source.name).parent().expect("a file has a folder").to_path_buf();
        let links = source.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for (file, anchor) in links.filter(|link| !link.contains("://")).filter_map(|link| link.split_once('#')) {
            let own = Path::new(&source.name).file_name().expect("it is a file");
            let file = folder.join(if file.is_empty() { Path::new(own) } else { Path::new(file) });
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if !anchors(&text).iter().any(|heading| heading == anchor) {
                faults.push(format!("{}: {anchor}", source.name));
            }
        }
    }
    none(faults, "these files have no heading of that name; mend the links:");
}

#[test]
fn the_manual_links_to_its_own_pages_alone() {
    // The book has no other files.
    let mut faults = Vec::new();
    for source in sources().iter().filter(|s| s.name.starts_with("docs/") && s.has_extension(&["md"])) {
        let links = source.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let outside = links.filter(|link| link.starts_with("../") || link.starts_with('/'));
        faults.extend(outside.map(|link| format!("{}: {link}", source.name)));
    }
    none(faults, "name these files in backquotes instead of linking to them:");
}

#[test]
fn examples_of_the_documents_are_tested() {
    let library = std::fs::read_to_string(harness::root().join("rust/offload/src/lib.rs")).expect("the crate exists");
    let pages = sources().into_iter().filter(|s| s.has_extension(&["md"]) && s.text.contains("```rust"));
    let untested = pages.filter(|page| !library.contains(&format!("include_str!(\"../../../{}\")", page.name)));
    none(
        untested.map(|page| page.name).collect(),
        "add these pages to the module `manual` of rust/offload/src/lib.rs:",
    );
}
