//! Runs a program and measures it: time on the clock, time of all processors, memory.

use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

/// The resources of one run, with all processes it started and waited for.
#[derive(Clone, Copy)]
pub(crate) struct Usage {
    /// On the clock.
    pub(crate) wall: Duration,
    /// User and system time of all threads and processes.
    pub(crate) cpu: Duration,
    /// Resident bytes of the largest process at its largest.
    pub(crate) peak: u64,
}

/// Runs `command`; fails unless it ends with status 0.
pub(crate) fn run(command: &mut Command) -> io::Result<Usage> {
    let start = Instant::now();
    let child = command.spawn()?;
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zeroes are a value; the kernel fills it in. `wait4` is called once
    // for this child, and nothing else waits for it.
    let (pid, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage), usage)
    };
    let wall = start.elapsed();
    if pid < 0 || status != 0 {
        return Err(io::Error::other(format!("{command:?} failed (wait status {status})")));
    }
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    // Linux counts resident memory in KiB.
    Ok(Usage { wall, cpu: time(usage.ru_utime) + time(usage.ru_stime), peak: usage.ru_maxrss as u64 * 1024 })
}

/// The middle value; of two middle ones the lower.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}
