//! Launches: the distribution of blocks over cores.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::format;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::hook::install_hook;
use super::host_calls;
use super::launch::{Launch, product};
use super::limits::cpu_threads;
use super::report::log;
use super::worker::Worker;
use crate::abi::{RawArgument, RawKernel, RawLaunchConfig, status};

/// Launches a kernel, and returns when all of its blocks have run.
///
/// # Safety
///
/// The handle must come from [`handle`](super::handle), and the argument must have its bytes.
pub(super) unsafe fn launch(
    kernel: *const RawKernel,
    config: *const RawLaunchConfig,
    argument: *const RawArgument,
) -> Result<(), Failure> {
    host_calls::check_caller()?;
    // SAFETY: the caller promises it.
    let launch = unsafe { Launch::new(kernel, config, argument) }?;
    log(|| {
        let ([x, y, z], [width, height, depth]) = (launch.grid, launch.block);
        format!(
            "cpu: launching `{}`: grid {x} x {y} x {z}, block {width} x {height} x {depth}, {} bytes of shared memory",
            launch.name, launch.dynamic_shared
        )
    });
    install_hook();
    Run::new(&launch).all()
}

/// The progress of a launch.
struct Run<'a> {
    launch: &'a Launch<'a>,
    blocks: u64,
    /// The first block that nobody has taken.
    next: AtomicU64,
    /// Whether an error other than a panic has ended the launch.
    ended: AtomicBool,
    /// The failure of the first block that has one.
    failure: Mutex<Option<(u64, Failure)>>,
}

/// How long the calling thread runs blocks before others help it: about as long as it takes to start a thread.
const ALONE: Duration = Duration::from_micros(50);

/// Stacks that may exist at the same time. Each needs two ranges of addresses, and Linux gives a process 65,530.
const MOST_STACKS: usize = 30_000;

impl<'a> Run<'a> {
    fn new(launch: &'a Launch<'a>) -> Self {
        let blocks = product(launch.grid);
        Run { launch, blocks, next: AtomicU64::new(0), ended: AtomicBool::new(false), failure: Mutex::new(None) }
    }

    fn all(self) -> Result<(), Failure> {
        let mut worker = self.worker()?;
        self.run_blocks(&mut worker, Some(Instant::now() + ALONE));
        let left = self.blocks.saturating_sub(self.next.load(Ordering::Relaxed));
        let most = cpu_threads().min((MOST_STACKS / self.launch.threads()).max(1)) as u64;
        if left > 0 && !self.ended.load(Ordering::Relaxed) {
            thread::scope(|scope| {
                for _ in 1..most.min(left) {
                    let help = || {
                        // The other threads do the work of one that finds no memory.
                        if let Ok(mut worker) = self.worker() {
                            self.run_blocks(&mut worker, None);
                        }
                    };
                    if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                        break;
                    }
                }
                self.run_blocks(&mut worker, None);
            });
        }
        let failure = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), |(_, failure)| Err(failure))
    }

    fn worker(&self) -> Result<Worker, Failure> {
        Worker::new(self.launch).ok_or_else(|| {
            let text = format!(
                "out of memory while kernel `{}` ran: its blocks need {} bytes of shared memory",
                self.launch.name, self.launch.dynamic_shared
            );
            Failure::new(status::NO_MEMORY, text)
        })
    }

    /// Runs blocks until none is left, or until a time.
    fn run_blocks(&self, worker: &mut Worker, until: Option<Instant>) {
        while !self.ended.load(Ordering::Relaxed) && until.is_none_or(|until| Instant::now() < until) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.blocks {
                return;
            }
            let (width, height) = (u64::from(self.launch.grid[0]), u64::from(self.launch.grid[1]));
            let id = [number % width, number / width % height, number / width / height].map(|at| at as u32);
            let Err(failure) = worker.run(self.launch, id) else { continue };
            // The panic of a thread ends its block; the other blocks run.
            if failure.status != status::PANICKED {
                self.ended.store(true, Ordering::Relaxed);
            }
            let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|(other, _)| number < *other) {
                *first = Some((number, failure));
            }
        }
    }
}
