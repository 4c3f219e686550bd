//! The list of jobs: the JSON of LLVM's protocol for distributed compilation (DTLTO).
//!
//! Its keys are exactly those of LLVM's document `DTLTO.rst`, so a distributor for LLVM's linker also reads this list.
//! The command of a job is the common arguments and then its own.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Value, json};

use crate::error::{Error, Result};

/// One job.
#[derive(Clone, Debug, Default)]
pub(super) struct JobRow {
    /// The arguments after the common ones.
    pub(super) arguments: Vec<String>,
    /// The files that the job reads: two at least, as the protocol requires.
    pub(super) inputs: Vec<String>,
    /// The files that it writes.
    pub(super) outputs: Vec<String>,
}

/// All jobs of a build.
#[derive(Clone, Debug, Default)]
pub(super) struct JobList {
    /// The output of the build.
    pub(super) linker_output: String,
    /// The program that does the jobs, and the arguments that the jobs share.
    pub(super) arguments: Vec<String>,
    /// The jobs.
    pub(super) jobs: Vec<JobRow>,
}

impl JobList {
    /// The file.
    pub(super) fn json(&self) -> Vec<u8> {
        let Self { linker_output, arguments, jobs } = self;
        let row = |JobRow { arguments, inputs, outputs }: &JobRow| -> Value {
            json!({ "args": arguments, "inputs": inputs, "outputs": outputs })
        };
        let jobs: Vec<Value> = jobs.iter().map(row).collect();
        let common = json!({ "linker_output": linker_output, "args": arguments, "inputs": [] });
        format!("{:#}\n", json!({ "common": common, "jobs": jobs })).into_bytes()
    }
}

/// A path or argument as a string of JSON, which has no other bytes than UTF-8.
pub(super) fn string(text: impl AsRef<OsStr>) -> Result<String> {
    let text = text.as_ref();
    let error = || format!("`{}` is not UTF-8, which names in the list of jobs must be", Path::new(text).display());
    text.to_str().map(str::to_owned).ok_or_else(|| Error::new(error()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_list_has_the_keys_of_the_protocol() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let row =
            JobRow { arguments: words("a.slice @a.rsp"), inputs: words("a.slice a.rsp"), outputs: words("a.img") };
        let list = JobList { linker_output: "a \"b\".o".to_owned(), arguments: words("offloadc job"), jobs: vec![row] };
        let text: String = String::from_utf8(list.json()).unwrap().split_whitespace().collect();
        let common = r#"{"common":{"linker_output":"a\"b\".o","args":["offloadc","job"],"inputs":[]},"#;
        let jobs = r#""jobs":[{"args":["a.slice","@a.rsp"],"inputs":["a.slice","a.rsp"],"outputs":["a.img"]}]}"#;
        assert_eq!(text, [common, jobs].concat());
        let error = string(OsStr::from_bytes(b"a\xff")).unwrap_err().to_string();
        assert!(error.ends_with("is not UTF-8, which names in the list of jobs must be"), "{error}");
    }
}
