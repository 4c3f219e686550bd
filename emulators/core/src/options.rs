//! The environment variables of the emulators.

use crate::Schedule;

/// The options that the environment sets.
#[derive(Clone, Debug)]
pub struct Options {
    /// The archs of the devices, in order; none where the environment names none.
    pub archs: Option<Vec<String>>,
    /// The order of execution.
    pub schedule: Schedule,
    /// Whether each launch says how many instructions it has executed.
    pub counts: bool,
    /// The file for the counts of each line.
    pub profile: Option<String>,
}

impl Options {
    /// `OFFLOAD_EMULATED` (archs with commas between), `OFFLOAD_EMULATED_SCHEDULE` (`lockstep` or a seed),
    /// `OFFLOAD_EMULATED_COUNTS` (1 to count instructions) and `OFFLOAD_EMULATED_PROFILE` (a file for those of lines).
    pub fn from_environment() -> Options {
        let read = |name| std::env::var(name).ok();
        let counts = read("OFFLOAD_EMULATED_COUNTS").is_some_and(|text| !text.is_empty() && text != "0");
        let profile = read("OFFLOAD_EMULATED_PROFILE").filter(|file| !file.is_empty());
        let options = Options::new(read("OFFLOAD_EMULATED").as_deref(), read("OFFLOAD_EMULATED_SCHEDULE").as_deref());
        crate::extreme::set_seed(options.schedule);
        Options { counts, profile, ..options }
    }

    /// The same from two texts, without counts. A schedule that is not understood is reported on stderr, and is
    /// lockstep.
    pub fn new(archs: Option<&str>, schedule: Option<&str>) -> Options {
        let split = |text: &str| {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let schedule = schedule.map_or(Schedule::Lockstep, |text| {
            Schedule::parse(text).unwrap_or_else(|| {
                eprintln!("emulated GPUs: `OFFLOAD_EMULATED_SCHEDULE={text}` is neither `lockstep` nor a number");
                Schedule::Lockstep
            })
        });
        Options { archs: archs.map(split), schedule, counts: false, profile: None }
    }

    /// The archs that begin with `prefix`, or `default` where the environment names no archs at all.
    pub fn archs_with(&self, prefix: &str, default: &str) -> Vec<String> {
        match &self.archs {
            None => vec![default.to_owned()],
            Some(archs) => archs.iter().filter(|arch| arch.starts_with(prefix)).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn each_vendor_takes_its_own() {
        let options = Options::new(Some("sm_80, gfx1100,sm_90"), Some("17"));
        assert_eq!(options.archs_with("sm_", "sm_80"), ["sm_80", "sm_90"]);
        assert_eq!(options.archs_with("gfx", "gfx90a"), ["gfx1100"]);
        assert_eq!(Options::new(None, None).archs_with("gfx", "gfx90a"), ["gfx90a"]);
        assert!(Options::new(Some(""), None).archs_with("gfx", "gfx90a").is_empty());
    }
}
