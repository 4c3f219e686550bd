//! The instructions of each row's kernels, which valgrind counts on one thread, also those of another build.

use std::process::Command;

use offload::{Result, Stream};

use crate::measure::{Rows, is_selected};
use crate::row::Row;

/// The argument with a number of launches.
pub(crate) const LAUNCHES: &str = "--launches=";

/// Launches the kernels of the rows so many times, and nothing else.
pub(crate) struct Launches {
    pub(crate) stream: Stream,
    pub(crate) count: usize,
    pub(crate) names: Vec<String>,
}

impl Rows for Launches {
    fn row<R: Row>(&mut self) -> Result<()> {
        if !self.names.iter().any(|name| name == R::NAME) {
            return Ok(());
        }
        let mut row = R::new(&self.stream)?;
        for _ in 0..self.count {
            row.kernel(&self.stream)?;
            self.stream.synchronize()?;
        }
        Ok(())
    }
}

/// A table of the instructions of one launch.
pub(crate) struct Counts {
    names: Vec<String>,
    /// The paths of this program, and of the other build if there is one.
    programs: Vec<String>,
    ratios: Vec<f64>,
}

impl Counts {
    pub(crate) fn new(names: Vec<String>, other: Option<String>) -> Self {
        let own = std::env::current_exe().expect("a program knows its path").to_string_lossy().into_owned();
        println!("| 10^6 instructions of a launch | this build | the other one | ratio |\n|---|---:|---:|---:|");
        Counts { names, programs: [own].into_iter().chain(other).collect(), ratios: Vec::new() }
    }

    /// Prints the geometric mean.
    pub(crate) fn end(self) {
        let mean = (self.ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / self.ratios.len() as f64).exp();
        if !self.ratios.is_empty() {
            println!("| geometric mean of {} rows | | | {mean:.3} |", self.ratios.len());
        }
    }
}

impl Rows for Counts {
    fn row<R: Row>(&mut self) -> Result<()> {
        if !is_selected::<R>(&self.names) {
            return Ok(());
        }
        let counts: Vec<f64> = self.programs.iter().map(|program| of_a_launch(program, R::NAME)).collect();
        match counts[..] {
            [own, other] => {
                self.ratios.push(own / other);
                println!("| {} | {:.3} | {:.3} | {:.3} |", R::NAME, own / 1e6, other / 1e6, own / other);
            }
            _ => println!("| {} | {:.3} | | |", R::NAME, counts[0] / 1e6),
        }
        Ok(())
    }
}

/// The instructions of one launch: half the difference between three launches and one.
fn of_a_launch(program: &str, row: &str) -> f64 {
    let [one, three] = ["1", "3"].map(|launches| collected(program, launches, row));
    (three - one) / 2.0
}

fn collected(program: &str, launches: &str, row: &str) -> f64 {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program]);
    command.args([&format!("{LAUNCHES}{launches}"), row]);
    // valgrind executes no AVX-512.
    command.envs([("OFFLOADRT_CPU_LEVEL", "x86-64-v3"), ("OFFLOADRT_CPU_THREADS", "1"), ("RAYON_NUM_THREADS", "1")]);
    let output = command.output().unwrap_or_else(|error| panic!("valgrind: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    let count = said.split("Collected : ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    count.unwrap_or_else(|| panic!("callgrind gives no count for {row} of {program}:\n{said}"))
}
