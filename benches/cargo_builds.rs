//! `make bench-cargo`: `cargo offloadc` against plain cargo, as a table.
//!
//! Both build a copy of the workspace `benches/cargo`, one after the other. Plain cargo builds it without kernels: a
//! loop of the host does the same work. docs/measurements.md lists the steps that are timed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::measure::{Usage, median, run};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";
const FOUR_ARCHS: &str = "--offload-arch=cpu,sm_80,gfx90a,gfx1100";
/// The pairs of a row that takes seconds.
const PAIRS: usize = 5;

/// One of the two that are compared.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Plain,
    Offloadc,
}

/// The change before a measured build.
#[derive(Clone, Copy)]
enum Change {
    /// The target folder and the cache are removed.
    Everything,
    /// A line is inserted above the kernels.
    HostLine,
    /// A constant in the kernel has another value.
    KernelLine,
    /// A line is added to one of the test programs.
    TestLine,
    Nothing,
}

/// A row of the table.
struct Row {
    /// The name in `ROWS`.
    name: &'static str,
    what: &'static str,
    change: Change,
    words: &'static [&'static str],
    /// Whether plain cargo builds the kernels, too, because no code is generated.
    same_features: bool,
    archs: &'static str,
    /// The most that `cargo offloadc` may take: a multiple of plain cargo's time, and seconds in addition.
    goal: (f64, f64),
}

const fn row(
    name: &'static str,
    what: &'static str,
    change: Change,
    words: &'static [&'static str],
    goal: (f64, f64),
) -> Row {
    Row { name, what, change, words, same_features: false, archs: "--offload-arch=cpu", goal }
}

const DEBUG: &[&str] = &["build", "-p", "app"];
const RELEASE: &[&str] = &["build", "-p", "app", "--release"];
const TESTS: &[&str] = &["test", "--no-run", "-p", "suite"];

const ROWS: [Row; 14] = [
    row("debug-clean", "debug: from nothing", Change::Everything, DEBUG, (1.15, 0.0)),
    row("debug-again", "debug: nothing changed", Change::Nothing, DEBUG, (1.0, 0.1)),
    row("debug-edit", "debug: a line inserted above the kernels", Change::HostLine, DEBUG, (1.25, 0.2)),
    Row {
        archs: FOUR_ARCHS,
        ..row("debug-kernel", "debug: a line of the kernel changed, 4 archs", Change::KernelLine, DEBUG, (1.25, 0.2))
    },
    row("release-clean", "release: from nothing", Change::Everything, RELEASE, (1.15, 0.0)),
    row("release-again", "release: nothing changed", Change::Nothing, RELEASE, (1.0, 0.1)),
    row("release-edit", "release: a line inserted above the kernels", Change::HostLine, RELEASE, (1.25, 0.2)),
    Row {
        archs: FOUR_ARCHS,
        ..row(
            "release-kernel",
            "release: a line of the kernel changed, 4 archs",
            Change::KernelLine,
            RELEASE,
            (1.25, 0.2),
        )
    },
    row("tests-clean", "12 test programs: from nothing", Change::Everything, TESTS, (1.2, 0.0)),
    row("tests-edit", "12 test programs: a line of one added", Change::TestLine, TESTS, (1.2, 0.0)),
    Row { same_features: true, ..row("check", "`check`, from nothing", Change::Everything, &["check"], (1.05, 0.0)) },
    Row {
        same_features: true,
        ..row("clippy", "`clippy`, from nothing", Change::Everything, &["clippy"], (1.05, 0.0))
    },
    Row {
        same_features: true,
        ..row("doc", "`doc --no-deps`, from nothing", Change::Everything, &["doc", "--no-deps"], (1.05, 0.0))
    },
    // Nothing else changes, so plain cargo does nothing.
    Row { archs: "", ..row("arch", "debug: an arch added", Change::Nothing, DEBUG, (0.0, 0.0)) },
];

/// Measures the rows that `ROWS` names, or all, and prints them.
pub(crate) fn table() -> Result<()> {
    let chosen = std::env::var("ROWS").unwrap_or_default();
    let is_chosen = |row: &&Row| chosen.is_empty() || chosen.split(',').any(|name| name == row.name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench/cargo");
    let mut builds = Builds { folder, edits: 0 };
    builds.prepare()?;
    println!("| | plain cargo, wall s | `cargo offloadc` | to reach | plain cargo, processor s | `cargo offloadc` |");
    println!("|---|---:|---:|---:|---:|---:|");
    for row in ROWS.iter().filter(is_chosen) {
        if row.archs.is_empty() { builds.add_arch(row)? } else { builds.compare(row)? }
    }
    std::fs::remove_dir_all(&builds.folder)?;
    Ok(())
}

/// The two copies of the workspace.
struct Builds {
    folder: PathBuf,
    /// How many files were changed; no change occurs twice.
    edits: u32,
}

impl Builds {
    fn prepare(&self) -> Result<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for side in [Side::Plain, Side::Offloadc] {
            let folder = self.workspace(side);
            if folder.exists() {
                std::fs::remove_dir_all(&folder)?;
            }
            copy(&root.join("benches/cargo"), &folder)?;
            for package in ["app", "suite"] {
                let path = folder.join(package).join("Cargo.toml");
                let crate_folder = root.join("rust/offload").display().to_string();
                let text = std::fs::read_to_string(&path)?.replace("../../../rust/offload", &crate_folder);
                std::fs::write(path, text)?;
            }
        }
        Ok(())
    }

    fn workspace(&self, side: Side) -> PathBuf {
        self.folder.join(if side == Side::Plain { "plain" } else { "offloadc" })
    }

    /// The cache of `cargo offloadc`, which users have by default.
    fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    fn command(&self, side: Side, row: &Row, archs: &str) -> Result<Command> {
        let mut command = Command::new("cargo");
        let own = Path::new(env!("CARGO_BIN_EXE_offloadc")).parent().unwrap_or(Path::new("/"));
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::join_paths([own.to_path_buf()].into_iter().chain(std::env::split_paths(&paths)))?;
        command.current_dir(self.workspace(side)).env("PATH", paths).stderr(Stdio::null()).stdout(Stdio::null());
        for name in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "RUSTFLAGS", "RUSTC_WRAPPER"] {
            command.env_remove(name);
        }
        // The configuration of cargo in the folder above switches the cache off.
        command.env("OFFLOADC_CACHE_DIR", self.cache()).env("OFFLOADC_NO_CACHE", "0");
        let (subcommand, words) = row.words.split_first().ok_or("a row without a command")?;
        if side == Side::Offloadc {
            command.args(["offloadc", subcommand, archs]);
        } else {
            command.args([subcommand, "--target", TRIPLE]);
        }
        if side == Side::Offloadc || row.same_features {
            command.args(["--features", "kernels"]);
        }
        command.arg("--locked").args(words);
        Ok(command)
    }

    fn change(&mut self, side: Side, change: Change) -> Result<()> {
        let folder = self.workspace(side);
        let edit = |file: &str, change: &dyn Fn(&str) -> String| -> Result<()> {
            let path = folder.join(file);
            let text = std::fs::read_to_string(&path)?;
            let changed = change(&text);
            if changed == text {
                return Err(format!("the change of {file} has no effect").into());
            }
            Ok(std::fs::write(path, changed)?)
        };
        let number = self.edits;
        self.edits += 1;
        let line = format!("pub const LINE_{number}: u32 = {number};\n");
        match change {
            Change::Nothing => Ok(()),
            Change::Everything => {
                let remove = |folder: &Path| match std::fs::remove_dir_all(folder) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                };
                remove(&self.cache())?;
                Ok(remove(&folder.join("target"))?)
            }
            Change::HostLine => edit("app/src/draw.rs", &|text| text.replacen("\n\n", &format!("\n\n{line}"), 1)),
            Change::KernelLine => edit("app/src/draw.rs", &|text| text.replacen("> 4.0", &format!("> 4.0{number}"), 1)),
            Change::TestLine => edit("suite/tests/t01.rs", &|text| format!("{text}\n{line}")),
        }
    }

    fn compare(&mut self, row: &Row) -> Result<()> {
        let is_long = matches!(row.change, Change::Everything);
        if !is_long {
            for side in [Side::Plain, Side::Offloadc] {
                let _usage = run(&mut self.command(side, row, row.archs)?)?;
            }
        }
        let mut pairs = Vec::new();
        for _ in 0..if is_long { 1 } else { PAIRS } {
            let mut measure = |side: Side| -> Result<Usage> {
                self.change(side, row.change)?;
                Ok(run(&mut self.command(side, row, row.archs)?)?)
            };
            pairs.push((measure(Side::Plain)?, measure(Side::Offloadc)?));
        }
        let of = |value: &dyn Fn(&(Usage, Usage)) -> f64| median(pairs.iter().map(value).collect());
        let (wall, cpu) = (|usage: &Usage| usage.wall.as_secs_f64(), |usage: &Usage| usage.cpu.as_secs_f64());
        let (plain, offloadc) = (of(&|pair| wall(&pair.0)), of(&|pair| wall(&pair.1)));
        let limit = plain * row.goal.0 + row.goal.1;
        let (plain_cpu, offloadc_cpu) = (of(&|pair| cpu(&pair.0)), of(&|pair| cpu(&pair.1)));
        println!("| {} | {plain:.2} | {offloadc:.2} | ≤ {limit:.2} | {plain_cpu:.2} | {offloadc_cpu:.2} |", row.what);
        Ok(())
    }

    /// Builds for one arch, then for two.
    fn add_arch(&self, row: &Row) -> Result<()> {
        let mut usages = Vec::new();
        for _ in 0..PAIRS {
            let _usage = run(&mut self.command(Side::Offloadc, row, "--offload-arch=cpu")?)?;
            usages.push(run(&mut self.command(Side::Offloadc, row, "--offload-arch=cpu,sm_80")?)?);
        }
        let of = |value: &dyn Fn(&Usage) -> f64| median(usages.iter().map(value).collect());
        let (wall, cpu) = (of(&|usage| usage.wall.as_secs_f64()), of(&|usage| usage.cpu.as_secs_f64()));
        println!("| {} | | {wall:.2} | | | {cpu:.2} |", row.what);
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "target" {
            copy(&path, &to.join(name))?;
        } else if path.is_file() {
            std::fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
