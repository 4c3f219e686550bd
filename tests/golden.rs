//! Runs the golden files in `tests/golden/`; `README.ll` there describes them.
//!
//! `OFFLOADC_BLESS=1` rewrites the expected output in place. With `OFFLOADC_GOLDEN_ALL=1`, a skipped test is a failure.

#[path = "golden_runner/check.rs"]
mod check;
#[path = "golden_runner/file.rs"]
mod file;
#[path = "golden_runner/newer.rs"]
mod newer;

use std::path::{Path, PathBuf};
use std::process::Command;

use file::{Block, GoldenCommand, GoldenFile};
use libtest_mimic::{Arguments, Failed, Trial};
use offloadc::llvm::workarounds::{WORKAROUNDS, Workaround};

/// The LLVM whose words the expected output has, and whose faults the tests of work-arounds show.
const OLDEST_LLVM: &str = "22";

fn main() {
    let arguments = Arguments::from_args();
    let folder = harness::root().join("tests/golden");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    let mut trials: Vec<Trial> = files.iter().map(|path| trial(&folder, path)).collect();
    if our_llvm() != OLDEST_LLVM {
        trials.extend(WORKAROUNDS.iter().filter_map(workaround));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The major version of the LLVM that offloadc is built with.
fn our_llvm() -> &'static str {
    env!("OFFLOADC_LLVM_VERSION").split('.').next().unwrap_or_default()
}

/// Every golden file below `folder`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ll" || extension == "rs") {
            files.push(path);
        }
    }
}

fn trial(folder: &Path, path: &Path) -> Trial {
    let name = path.strip_prefix(folder).expect("the file was found below the folder").with_extension("");
    let name = name.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parsed = well_named(&name).and_then(|()| GoldenFile::parse(path, &text, our_llvm()));
    let missing = match &parsed {
        Ok(file) => file.requires.iter().find(|program| !available(program)).cloned(),
        Err(_) => None,
    };
    let skip = missing.is_some() && std::env::var_os("OFFLOADC_GOLDEN_ALL").is_none();
    let shown = path.display().to_string();
    Trial::test(name, move || match (&parsed, missing) {
        (Err(error), _) => Err(Failed::from(format!("{shown}: {error}"))),
        (Ok(_), Some(program)) => {
            Err(Failed::from(format!("`{program}` is not on the path; `make test-deps` installs it")))
        }
        (Ok(file), None) => run_file(file).map_err(Failed::from),
    })
    .with_ignored_flag(skip)
}

/// Whether a newer LLVM needs a work-around, as its row says: the commands that switch it off have the same output and
/// failures as with LLVM 22. There is no test if that of the row is no golden file.
fn workaround(row: &'static Workaround) -> Option<Trial> {
    row.test.strip_prefix("tests/golden/")?;
    Some(Trial::test(format!("workarounds/{}", row.name), || still_wrong(row).map_err(Failed::from)))
}

fn still_wrong(row: &Workaround) -> Result<(), String> {
    let path = harness::root().join(row.test);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", row.test))?;
    // A test may have other commands for the newer LLVM, if that is wrong in another way or in fewer cases.
    let parsed = |llvm| -> Result<GoldenFile, String> {
        let mut file = GoldenFile::parse(&path, &text, llvm)?;
        file.commands.retain(|command| switches_off(&command.text, row.name));
        Ok(file)
    };
    let (old, new) = (parsed(OLDEST_LLVM)?, parsed(our_llvm())?);
    let file = if row.is_needed() && !new.commands.is_empty() { new } else { old };
    if file.commands.is_empty() {
        return Err(format!("no command in {} switches it off", row.test));
    }
    let ours = env!("OFFLOADC_LLVM_VERSION");
    match (run_file(&file), row.is_needed()) {
        (Ok(()), true) | (Err(_), false) => Ok(()),
        (Ok(()), false) => {
            Err(format!("LLVM {ours} is as wrong without it as LLVM {OLDEST_LLVM}; its row says otherwise"))
        }
        (Err(difference), true) => Err(format!(
            "without it, LLVM {ours} does not what LLVM {OLDEST_LLVM} does. If it is right, the row says since when; if not, \
             the test is to hold for both.\n{difference}"
        )),
    }
}

/// Whether a command compiles without this work-around.
fn switches_off(command: &str, name: &str) -> bool {
    let mut lists = command.split_whitespace().filter_map(|word| word.split_once("--without-workaround="));
    lists.any(|(_, list)| list.split(|c: char| !c.is_alphanumeric() && c != '_').any(|each| each == name))
}

fn well_named(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-/.".contains(c);
    if name == "README" || name.chars().all(plain) {
        return Ok(());
    }
    Err("the name may have small letters, digits and hyphens only".to_owned())
}

fn available(program: &str) -> bool {
    (program == "ptxas" && harness::ptxas().is_some())
        || harness::llvm_tool(program).is_file()
        || harness::find_program(program).is_some()
}

/// Runs every command. The error contains all differences.
fn run_file(file: &GoldenFile) -> Result<(), String> {
    let mut blocks = Vec::new();
    let mut errors = Vec::new();
    for command in &file.commands {
        match run_command(file, command) {
            Ok(output) => blocks.extend(output),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    if std::env::var_os("OFFLOADC_BLESS").is_some() {
        let text = file.with_blocks(&blocks);
        return std::fs::write(&file.path, text).map_err(|error| error.to_string());
    }
    let differences: Vec<String> = blocks
        .iter()
        .filter_map(|block| {
            let expected = newer::common_text(file.expected(block.stream, &block.name), our_llvm());
            let difference = check::difference(&expected, &newer::common_text(&block.text, our_llvm()))?;
            Some(format!("{}[{}]:\n{difference}", block.stream, block.name))
        })
        .collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!("{}\nif the change is meant: make bless, then read the difference", differences.join("\n")))
}

/// The other commands take turns with a second run: one of so many in each run of the tests.
const TURNS: usize = 8;

/// Whether a command runs a second time, with eight jobs.
fn runs_twice(file: &GoldenFile, command: &GoldenCommand) -> bool {
    let name = file.path.file_name().expect("it is a file").to_string_lossy();
    command.is_parallel() || harness::turns::is_turn_of(&format!("{name}{}", command.name), TURNS)
}

/// Runs one command with one job, and perhaps with eight jobs. Returns its output.
fn run_command(file: &GoldenFile, command: &GoldenCommand) -> Result<Vec<Block>, String> {
    let (outcome, text) = run_with_jobs(file, command, 1)?;
    if runs_twice(file, command) {
        let (_, other) = run_with_jobs(file, command, 8)?;
        for (stream, (one, many)) in ["stdout", "stderr"].into_iter().zip(text.iter().zip(&other)) {
            if let Some(difference) = check::difference(one, many) {
                return Err(format!("{stream} differs between one job (expected) and eight (actual):\n{difference}"));
            }
        }
    }
    let [mut stdout, stderr] = text;
    let checks = file.checks_of(&command.name);
    if !checks.is_empty() {
        check::match_checks(&checks, &newer::common(&stdout, our_llvm()))
            .map_err(|error| format!("{error}\n{outcome}"))?;
        stdout.clear();
    }
    let block = |stream, text| Block { stream, name: command.name.clone(), text };
    Ok(vec![block("stdout", stdout), block("stderr", stderr)])
}

/// The report of one run, and its normalised stdout and stderr.
fn run_with_jobs(file: &GoldenFile, command: &GoldenCommand, jobs: u32) -> Result<(String, [String; 2]), String> {
    let scratch = harness::scratch();
    let programs = harness::scratch();
    let wrapper = programs.path().join("offloadc").display().to_string();
    let (input, folder) = (file.path.to_string_lossy(), scratch.path().to_string_lossy());
    let (input_word, folder_word) = (harness::shell_word(&input), harness::shell_word(&folder));
    let text = command.text.replace("%s", &input_word).replace("%t", &folder_word);
    let mut first = vec![programs.path()];
    let ptxas = harness::ptxas();
    let program_folder = harness::program_folder();
    first.push(&program_folder);
    first.extend(ptxas.as_deref().and_then(Path::parent));
    let mut outcome = harness::run(
        Command::new("bash")
            .args(["-o", "pipefail", "-c", &format!("{WRITE_WRAPPER}{text}")])
            .env("WRAPPER", wrapper)
            .env("WRAPPER_TEXT", wrapper_text(jobs))
            .current_dir(scratch.path())
            .env("PATH", harness::search_path(&first))
            .env("NO_COLOR", "1")
            .env("OFFLOADC_CRASH_DIR", "")
            .env_remove("OFFLOADC_BLESS"),
    );
    outcome.line = text;
    if outcome.code() != command.status {
        return Err(format!("the status is not {}:\n{}", command.status, outcome.report()));
    }
    // Files for make contain paths in the form of the words.
    let written = [(&*folder, "%t"), (&folder_word, "%t"), (&*input, "%s"), (&input_word, "%s")];
    let normalise =
        |text: String| normalise(&written.iter().fold(text, |text, (path, short)| text.replace(path, short)));
    Ok((outcome.report(), [normalise(outcome.stdout()), normalise(outcome.stderr())]))
}

/// Writes the script with the name `offloadc`. The shell writes it: if this process did, a test in another thread could
/// fork while the file is open, and the file could not be executed until the fork has executed something else.
const WRITE_WRAPPER: &str =
    "printf %s \"$WRAPPER_TEXT\" >\"$WRAPPER\" && chmod 755 \"$WRAPPER\" && unset WRAPPER WRAPPER_TEXT\n";

/// A script that adds the number of jobs to compilations.
fn wrapper_text(jobs: u32) -> String {
    let program = harness::offloadc();
    let program = program.display();
    format!(
        "#!/bin/sh\ncase \"$1\" in\n  inspect | job | finish) exec '{program}' \"$@\" ;;\n  *) exec '{program}' -j{jobs} \"$@\" ;;\nesac\n"
    )
}

/// Replaces text that differs between machines and releases.
fn normalise(text: &str) -> String {
    let version = concat!("offloadc ", env!("CARGO_PKG_VERSION"));
    let kept = text.lines().filter(|line| !line.starts_with("; ModuleID") && !line.starts_with("source_filename"));
    let mut normal = String::new();
    for line in kept {
        normal += line.trim_end();
        normal.push('\n');
    }
    normal.replace(version, "offloadc VERSION")
}
