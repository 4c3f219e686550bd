//! Runs a kernel or its twin once, or measures the times of a kernel and its twins.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use offload::{LaunchConfig, Result, Stream};

use crate::twins::Twin;

/// Launches between two events; a measurement is long enough for their resolution.
const LAUNCHES: u32 = 10;

/// Measurements of each side. They alternate, so that a change of the GPU's clock meets all sides.
const ROUNDS: usize = 15;

/// How one kernel is run.
pub(crate) struct Run<'a> {
    pub(crate) kernel: &'static str,
    pub(crate) stream: &'a Stream,
    /// The folder of the twin that is launched instead of the kernel.
    pub(crate) instead: Option<PathBuf>,
    /// The folders of twins whose times are measured beside that of the kernel.
    pub(crate) timed: Option<&'a [PathBuf]>,
    /// The median time of a launch of the kernel, and of each twin.
    pub(crate) times: RefCell<Vec<Duration>>,
}

impl Run<'_> {
    pub(crate) fn stream(&self) -> &Stream {
        self.stream
    }

    /// The size of the input: a small one for a check of the results, or one that occupies a GPU.
    pub(crate) fn size<T>(&self, small: T, large: T) -> T {
        if self.timed.is_some() { large } else { small }
    }

    /// Launches the kernel or its twin, whose arguments are `arguments`. Returns false if times were measured and there
    /// is no result to compare.
    pub(crate) fn launch(
        &self,
        grid: LaunchConfig,
        arguments: &[u64],
        mut kernel: impl FnMut() -> Result<()>,
    ) -> Result<bool> {
        if let Some(folder) = &self.instead {
            Twin::load(self.stream, folder, self.kernel).launch(grid, arguments);
        } else if let Some(folders) = self.timed {
            let twins: Vec<_> = folders.iter().map(|folder| Twin::load(self.stream, folder, self.kernel)).collect();
            let mut measured = vec![Vec::new(); 1 + twins.len()];
            for _ in 0..ROUNDS {
                measured[0].push(self.time(&mut kernel)?);
                for (twin, times) in twins.iter().zip(&mut measured[1..]) {
                    times.push(self.time(|| {
                        twin.launch(grid, arguments);
                        Ok(())
                    })?);
                }
            }
            measured.iter_mut().for_each(|times| times.sort());
            *self.times.borrow_mut() = measured.iter().map(|times| times[ROUNDS / 2]).collect();
            return Ok(false);
        } else {
            kernel()?;
        }
        Ok(true)
    }

    /// The time of one of several launches, after one that is not measured.
    fn time(&self, mut launch: impl FnMut() -> Result<()>) -> Result<Duration> {
        launch()?;
        let begin = self.stream.record()?;
        for _ in 0..LAUNCHES {
            launch()?;
        }
        let end = self.stream.record()?;
        self.stream.synchronize()?;
        Ok(end.elapsed_since(&begin)? / LAUNCHES)
    }
}
