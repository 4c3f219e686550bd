//! Rules for the test crates: all tests run, and are where people look for them.

use crate::source::{Source, none, sources};

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
    let folders =
        ["codegen", "compiler", "programs", "projects", "tidy"].map(|folder| format!("tests/{folder}/main.rs"));
    let files = ["crash", "golden", "toolchains"].map(|file| format!("tests/{file}.rs"));
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
    const TOPICS: [&str; 4] = ["codes", "intrinsics", "launch-bounds", "passes"];
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
fn ci_runs_what_people_run() {
    let read = |name: &str| std::fs::read_to_string(harness::root().join(name)).expect("the script exists");
    let ci = read(".ci/run");
    let last = ci.lines().last();
    assert_eq!(last, Some("exec scripts/newcomer offloadc"), ".ci/run does what a newcomer does, and nothing else");
    let script = read("scripts/newcomer");
    let made: Vec<&str> = script.lines().filter(|line| line.starts_with("make ")).collect();
    let wanted = ["make demo PROFILE=dev", "make \"${targets[@]}\""];
    assert_eq!(made, wanted, "a newcomer types two commands; put the step into one of them");
}

#[test]
fn make_builds_where_it_looks() {
    let mut make = std::process::Command::new("make");
    make.args(["--no-print-directory", "--eval", "shown: ; @env", "shown"]).current_dir(harness::root());
    let shown = harness::run(make.env("CARGO_TARGET_DIR", "/elsewhere").env("CARGO_BUILD_TARGET_DIR", "/elsewhere"));
    let shown = shown.success().stdout();
    assert!(!shown.contains("TARGET_DIR"), "a user's target folder is not this repository's:\n{shown}");
}

/// The lines that a hunk of a patch finds, and those that it leaves, as texts.
fn hunks(patch: &str) -> Vec<String> {
    let hunks = patch.split("\n@@ ").skip(1).map(|hunk| hunk.split_once('\n').map_or("", |(_, lines)| lines));
    let found = |hunk: &str| {
        let lines = hunk.lines().filter(|line| !line.starts_with('+'));
        lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
    };
    hunks.map(found).collect()
}

/// `make faults` takes hours, so it would be noticed late that a patch names lines that are no more.
#[test]
fn the_patches_of_faults_apply() {
    let folder = harness::root().join("tests/faults");
    let mut faults = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        let patch = std::fs::read_to_string(&path).expect("a patch is text");
        let file = patch.lines().find_map(|line| line.strip_prefix("--- a/")).unwrap_or_default();
        let text = std::fs::read_to_string(harness::root().join(file)).unwrap_or_default();
        let hunks = hunks(&patch);
        count += hunks.len();
        if hunks.is_empty() || !hunks.iter().all(|hunk| text.contains(hunk)) {
            faults.push(format!("{} does not fit {file}", path.display()));
        }
    }
    assert!(count > 50, "{count} hunks");
    none(faults, "write them for the present lines:");
}
