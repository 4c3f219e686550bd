//! Passes keep the meaning of the code that they rewrite: random modules compute the same before and after a pass.
//!
//! Each pass of `src/passes/table.rs` is a row of `properties/table.rs`, with the features of its modules, or with the
//! test that looks at the pass instead. A row of an executed pass is a test: `cargo test --test codegen
//! properties::table::split_integers`. `OFFLOADC_PROPERTIES=FIRST..END` selects other seeds.

mod execute;
mod generate;
mod leave;
mod table;

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use execute::execute;
use generate::{Feature, Generated};
use offloadc::passes::table::PASSES;

/// The number of kernels in a module.
const KERNELS: usize = 8;
/// The seeds of each pass.
const SEEDS: Range<u64> = 0..1;

/// How a pass is run.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// By `--run-pass`, so that no other pass runs.
    Alone,
    /// Alone. Vectors are executed one element after another, because LLVM's code of them is wrong.
    Scalarized,
    /// In a whole compilation, which prints the module before and after it.
    Within,
    /// The same, while lines are hidden: they are no numbers of the host's, so the modules are executed with the lines.
    WithinHidden,
    /// Alone, on a device where a function that ends its thread returns.
    Returning,
    /// Alone, with a value for a parameter that all launches have.
    Specialized,
    /// Alone, on a device that resumes a thread after barriers although it has left.
    Resuming,
    /// In a whole compilation for the processor. The kernels' entries are made of both modules, and run blocks.
    Entries,
    /// The same, with kernels that are not split at their barriers yet.
    SplitEntries,
}

/// A pass that is executed: on one arch after another.
pub(crate) struct Property {
    pass: &'static str,
    how: How,
    archs: &'static [&'static str],
    options: &'static [&'static str],
    features: &'static [Feature],
}

impl Property {
    /// Compares the results of random modules before and after the pass.
    fn check(&self) {
        let folder = harness::scratch();
        let mut launches = 0;
        for arch in self.archs {
            let mut changed = false;
            for seed in seeds() {
                let generated = generate::module(seed, KERNELS, self.features);
                let (lines, [before, after]) = self.check_module(&generated, seed, arch, folder.path());
                launches += lines;
                changed = changed || body(&before, folder.path()) != body(&after, folder.path());
            }
            assert!(changed, "`{}` changes no module for {arch}: the features are not what it rewrites", self.pass);
        }
        println!("{}: {launches} launches have the same results before and after it", self.pass);
    }

    /// Executes a module before and after the pass. Returns the number of launches, and both modules.
    fn check_module(&self, generated: &Generated, seed: u64, arch: &str, folder: &Path) -> (usize, [String; 2]) {
        let input = folder.join("input.ll");
        std::fs::write(&input, &generated.text).expect("the folder can be written");
        let [before, after] = match self.how {
            How::Alone => [generated.text.clone(), self.run_alone(generated, &input, arch)],
            How::Scalarized => {
                let after = self.run_alone(generated, &input, arch);
                [&generated.text, &after].map(|text| scalarized(text, folder))
            }
            How::Within => self.run_within(generated, &input, arch),
            How::WithinHidden => self.run_within(generated, &input, arch).map(|text| {
                std::fs::write(&input, text).expect("the folder can be written");
                self.run_pass("restore_lines", generated, &input, arch)
            }),
            How::Entries => self.run_within(generated, &input, arch).map(|text| self.entries(&text, &input, arch, &[])),
            How::SplitEntries => self
                .run_within(generated, &input, arch)
                .map(|text| self.entries(&text, &input, arch, &["split_regions"])),
            How::Returning => {
                [generated.text.clone(), leave::return_from_functions(&self.run_alone(generated, &input, arch))]
            }
            How::Specialized => {
                let value = 0x0123_4567_89ab_cdef ^ seed;
                let digits: String = value.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
                let mut command = self.command(generated, &input, arch);
                let options = (0..generated.parameters.len()).map(|k| format!("--specialize=k{k}:2={digits}"));
                let after = harness::run(command.args(options).arg(format!("--run-pass={}", self.pass))).success();
                [with_value(&generated.text, value), after.stdout()]
            }
            How::Resuming => {
                let after = self.run_alone(generated, &input, arch);
                [generated.text.clone(), leave::resume_after_barriers(&after, folder)]
            }
        };
        let failed = |what: &str| -> ! {
            let kept = harness::temporary().join(format!("property-{}-{arch}-{seed}", self.pass));
            std::fs::create_dir_all(&kept).expect("the folder for temporary files can be written");
            for (name, text) in [("input.ll", &generated.text), ("before.ll", &before), ("after.ll", &after)] {
                std::fs::write(kept.join(name), text).expect("the folder can be written");
            }
            panic!("`{}` for {arch}, seed {seed}: {what}\nthe modules are in {}", self.pass, kept.display());
        };
        let run = |text: &str, when: &str| match execute(text, &generated.parameters, folder) {
            Ok(lines) => lines,
            Err(error) => failed(&format!("the module {when} the pass cannot be executed: {error}")),
        };
        let expected = run(&before, "before");
        let computed = run(&after, "after");
        assert!(expected.len() >= KERNELS, "nothing was executed");
        if let Some((right, wrong)) = expected.iter().zip(&computed).find(|(right, wrong)| right != wrong) {
            failed(&format!("before: {right}\nafter:  {wrong}"));
        }
        assert_eq!(expected.len(), computed.len(), "the numbers of launches differ");
        (computed.len(), [before, after])
    }

    fn command(&self, generated: &Generated, input: &Path, arch: &str) -> Command {
        let mut command = Command::new(harness::offloadc());
        command.arg(input).arg(format!("--offload-arch={arch}")).args(self.options);
        command.args((0..generated.parameters.len()).map(|kernel| format!("--kernel=k{kernel}")));
        command
    }

    fn run_alone(&self, generated: &Generated, input: &Path, arch: &str) -> String {
        self.run_pass(self.pass, generated, input, arch)
    }

    fn run_pass(&self, pass: &str, generated: &Generated, input: &Path, arch: &str) -> String {
        let mut command = self.command(generated, input, arch);
        harness::run(command.arg(format!("--run-pass={pass}"))).success().stdout()
    }

    /// The module with the entries of kernels, after these passes. Its kernels are in a table, and have no functions.
    fn entries(&self, text: &str, input: &Path, arch: &str, passes: &[&str]) -> String {
        let mut text = text.to_owned();
        for pass in passes.iter().chain(&["emit_entries"]) {
            std::fs::write(input, &text).expect("the folder can be written");
            let mut command = Command::new(harness::offloadc());
            command.arg(input).args([format!("--offload-arch={arch}"), format!("--run-pass={pass}")]);
            text = harness::run(command.args(self.options)).success().stdout();
        }
        text
    }

    fn run_within(&self, generated: &Generated, input: &Path, arch: &str) -> [String; 2] {
        let mut command = self.command(generated, input, arch);
        let output = format!("--emit=optimize={}", input.with_extension("optimized").display());
        let prints = ["before", "after"].map(|when| format!("--print-{when}={}", self.pass));
        let said = harness::run(command.args(prints).arg(output)).success().stderr();
        ["Before", "After"].map(|when| {
            let title = format!("; *** IR Dump {when} {}", self.pass);
            let (_, rest) =
                said.split_once(&title).unwrap_or_else(|| panic!("`{}` was not printed:\n{said}", self.pass));
            let (_, text) = rest.split_once('\n').expect("a title is a line");
            // Another dump or a message follows.
            let end = ["\n; *** IR Dump ", "\nwarning", "\nnote"].iter().filter_map(|next| text.find(next)).min();
            text[..end.unwrap_or(text.len())].to_owned() + "\n"
        })
    }
}

/// The module with this value in place of the third parameter of each kernel.
fn with_value(text: &str, value: u64) -> String {
    let mut all = String::new();
    let mut is_start = false;
    for line in text.lines() {
        let is_kernel = line.starts_with("define void @k");
        if is_start && !line.ends_with(':') {
            all += &format!("  %n = add i64 0, {value}\n");
            is_start = false;
        }
        is_start |= is_kernel;
        all += &(if is_kernel { line.replace("i64 %n", "i64 %passed") } else { line.to_owned() } + "\n");
    }
    all
}

/// The functions and statics of a module as LLVM prints them, without comments, attributes and unused declarations.
fn body(text: &str, folder: &Path) -> String {
    let any_target: Vec<_> = text.lines().filter(|line| !line.starts_with("target ")).collect();
    let printed = optimized(&any_target.join("\n"), "strip-dead-prototypes", folder);
    let kept =
        printed.lines().filter(|line| ![";", "source_filename", "attributes "].iter().any(|s| line.starts_with(s)));
    kept.collect::<Vec<_>>().join("\n")
}

/// A module without operations on vectors.
fn scalarized(text: &str, folder: &Path) -> String {
    optimized(text, "scalarizer<load-store>", folder)
}

/// A module after passes of LLVM.
fn optimized(text: &str, passes: &str, folder: &Path) -> String {
    let file = folder.join("printed.ll");
    std::fs::write(&file, text).expect("the folder can be written");
    let mut opt = Command::new(harness::llvm_tool("opt"));
    harness::run(opt.args(["-S", &format!("-passes={passes}")]).arg(file)).success().stdout()
}

fn seeds() -> Range<u64> {
    let Ok(said) = std::env::var("OFFLOADC_PROPERTIES") else { return SEEDS };
    let parsed = said.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    parsed.unwrap_or_else(|| panic!("OFFLOADC_PROPERTIES={said} is not FIRST..END"))
}

#[test]
fn every_pass_has_a_row() {
    let rows: Vec<&str> =
        table::EXECUTED.iter().map(|p| p.pass).chain(table::ELSEWHERE.iter().map(|(name, _)| *name)).collect();
    for pass in PASSES {
        let count = rows.iter().filter(|row| **row == pass.name).count();
        assert_eq!(count, 1, "`{}` has {count} rows in tests/codegen/properties/table.rs", pass.name);
    }
    assert_eq!(rows.len(), PASSES.len(), "a row names no pass");
    assert!(table::ELSEWHERE.iter().all(|(_, test)| !test.is_empty()), "a row names no test");
}
