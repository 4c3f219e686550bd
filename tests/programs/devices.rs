//! `docs/devices.md` lists every program and the devices that execute it. A cell has the result of the tests of the
//! programs. `OFFLOADC_BLESS=1 cargo test --test run /facts/` writes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Mutex;

use crate::places::Place;
use crate::stem;

const PATH: &str = "docs/devices.md";

/// The columns of the table: names of places, and titles.
pub(crate) const COLUMNS: [(&str, &str); 6] = [
    ("offloadrt", "cpu"),
    ("omptarget", "libomptarget"),
    ("opencl", "OpenCL"),
    ("cuda-sm_80", "sm_80"),
    ("hip-gfx1100", "gfx1100"),
    ("hip-gfx90a", "gfx90a"),
];

/// The place where a run has only a part of the programs.
const IN_TURN: &str = "omptarget";

/// The head of the file.
const HEAD: &str = "# Devices

The tests build the programs below, execute them on each device, and compare with the results of the same program on the
host. This table has the results with the recommended flags (`-C opt-level=3 -C no-prepopulate-passes`). With five other
sets of flags (debug and release, with and without debug information), a program has the host's results too, or offloadc
refuses it with a diagnostic.

The NVIDIA and AMD GPUs are [emulated](emulators.md), the OpenCL device is Intel's OpenCL for CPUs, and `libomptarget`
is LLVM's with its plugin for CPUs.

- **yes**: the host's results.
- **refused**: offloadc refuses the program with a diagnostic.
- **–**: not run: the program needs warps of 32 lanes, or lanes that wait for each other, which the device lacks.

";

/// The names of a program and of a place.
type Cell = (String, &'static str);

/// Whether a program was refused at a place, or had the right results.
static SEEN: Mutex<BTreeMap<Cell, bool>> = Mutex::new(BTreeMap::new());

/// Adds that a program was refused at a place, or had the right results.
pub(crate) fn add(source: &str, place: Place, refused: bool) {
    SEEN.lock().expect("no test panics with the table").insert((stem(source), place.name), refused);
}

/// Compares the file with the results of the tests, or writes it.
///
/// # Errors
///
/// The file has another text.
pub(crate) fn compare() -> Result<(), String> {
    let path = harness::root().join(PATH);
    if std::env::var_os("OFFLOADC_BLESS").is_some() {
        return std::fs::write(&path, text("")).map_err(|error| format!("{PATH}: {error}"));
    }
    let written = std::fs::read_to_string(&path).map_err(|error| format!("{PATH}: {error}"))?;
    let text = text(&written);
    if written == text {
        Ok(())
    } else {
        Err(format!("{PATH} differs from this, which `OFFLOADC_BLESS=1 cargo test --test run /facts/` writes:\n{text}"))
    }
}

/// The text, with the cells that are left to another turn as they are `written`.
fn text(written: &str) -> String {
    let seen = SEEN.lock().expect("no test panics with the table");
    let programs: BTreeSet<&String> = seen.keys().map(|(program, _)| program).collect();
    let mut text = HEAD.to_owned();
    let titles: Vec<&str> = COLUMNS.iter().map(|(_, title)| *title).collect();
    let _ = writeln!(text, "| program | {} |", titles.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(COLUMNS.len()));
    for program in programs {
        let row = written.lines().find_map(|line| line.strip_prefix(&format!("| `{program}` | ")));
        let before: Vec<&str> = row.into_iter().flat_map(|row| row.trim_end_matches(" |").split(" | ")).collect();
        let cell = |(number, (place, _)): (usize, &(&'static str, &str))| match seen.get(&(program.clone(), *place)) {
            Some(false) => "yes",
            Some(true) => "refused",
            None if *place == IN_TURN => before.get(number).copied().unwrap_or("–"),
            None => "–",
        };
        let cells: Vec<&str> = COLUMNS.iter().enumerate().map(cell).collect();
        let _ = writeln!(text, "| `{program}` | {} |", cells.join(" | "));
    }
    text
}
