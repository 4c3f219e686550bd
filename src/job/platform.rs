//! The platform of a job's program, which is known once its modules are.

use super::Job;
use crate::bundle::Runtime;
use crate::contract::platform::Platform;
use crate::error::Error;
use crate::targets::Stack;

impl Job {
    /// The same job for a program of this platform, with the processor of its host as an arch.
    pub fn settle(&self, platform: Platform) -> Result<Self, Error> {
        let mut job = Self { platform, ..self.clone() };
        let checked = job.generic.iter_mut().flat_map(|generic| &mut generic.checked);
        for arch in job.archs.iter_mut().chain(checked) {
            arch.target.settle(arch, platform, self.runtime)?;
        }
        let hosts: Vec<_> = job.archs.iter().filter(|arch| arch.target.facts().stack == Stack::Host).collect();
        if let ([_, second, ..], Runtime::Omptarget) = (&hosts[..], self.runtime) {
            return Err(Error::new(format!(
                "libomptarget loads one image for the host, and `{}` is a second one: name one of them, or use \
                 `--runtime=offloadrt`",
                second.name
            )));
        }
        if platform != Platform::default() && !runs_everywhere(self.runtime) {
            let (runtime, program) = (self.runtime.name(), platform.name());
            return Err(Error::new(format!(
                "`--runtime={runtime}` is for programs for {}, and the program is for {program}: omit `--runtime`, or \
                 register the images yourself with `--runtime=none`",
                Platform::default().name()
            )));
        }
        Ok(job)
    }
}

/// Whether programs of all platforms can have a runtime. The registration with the libraries of others has been tried
/// on one platform only.
fn runs_everywhere(runtime: Runtime) -> bool {
    matches!(runtime, Runtime::Offloadrt | Runtime::None)
}
