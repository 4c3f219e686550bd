//! The platform of a job's program, which is known once its modules are.

use super::Job;
use crate::contract::platform::Platform;
use crate::error::Error;

impl Job {
    /// The same job for a program of this platform, with the processor of its host as an arch.
    pub fn settle(&self, platform: Platform) -> Result<Self, Error> {
        let mut job = Self { platform, ..self.clone() };
        for arch in &mut job.archs {
            arch.target.settle(arch, platform, self.runtime)?;
        }
        Ok(job)
    }
}
