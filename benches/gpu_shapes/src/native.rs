//! rayon's loops, compiled for the processor of this machine.
//!
//! Cargo compiles a program for one kind of processor. So they are in another build of this program, which runs beside
//! this one, executes a row's loops whenever it is asked to, and sleeps otherwise.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// The argument with which the other build answers.
pub(crate) const ANSWER: &str = "--answer";

/// The other build, while it runs.
pub(crate) struct Native {
    program: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Native {
    /// Starts the other build for the same rows.
    pub(crate) fn start(path: &str, pairs: usize, names: &[String]) -> Self {
        let mut command = Command::new(path);
        command.arg(ANSWER).arg(pairs.to_string()).args(names).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap_or_else(|error| panic!("{path}: {error}"));
        let requests = program.stdin.take().expect("it is a pipe");
        let answers = BufReader::new(program.stdout.take().expect("it is a pipe"));
        Native { program, requests, answers }
    }

    /// Lets it execute the loops of its row once. Returns their time in milliseconds.
    pub(crate) fn time(&mut self) -> f64 {
        self.requests.write_all(b"\n").expect("the other build waits for requests");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the other build answers");
        line.trim().parse().expect("the other build answers with a time")
    }

    /// Waits until it has compared its last results.
    pub(crate) fn end(mut self) {
        let status = self.program.wait().expect("it was started");
        assert!(status.success(), "the build for this processor failed: {status}");
    }
}

/// Executes `work` once when it is asked to, and answers with its time.
pub(crate) fn answer(work: impl FnOnce()) {
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line).expect("requests come through a pipe");
    assert!(read > 0, "the program that asks has ended");
    let start = Instant::now();
    work();
    println!("{}", start.elapsed().as_secs_f64() * 1e3);
}
