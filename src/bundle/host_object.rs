//! The host object: the host's code, the registration object and the cpu's code, as one relocatable file.
//!
//! LLVM's linker merges them (`-r`), because it keeps what compilers write: comdat groups, unwind tables, each function
//! in a section of its own. The result depends on the parts alone, not on where they lay on the way.

use crate::error::{Context, Error, Result};
use crate::output::Sink;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The parts of a host object, each a complete relocatable file.
#[derive(Clone, Copy, Debug)]
pub struct HostObject<'a> {
    /// The host's code.
    pub host: &'a [u8],
    /// What [`super::Registration::object`] gave; none when there are no kernels.
    pub registration: Option<&'a [u8]>,
    /// The cpu's code.
    pub cpu: Option<&'a [u8]>,
}

impl<'a> HostObject<'a> {
    /// The merged object; the host's code itself when there is no other part. `lld` is LLVM's ELF linker.
    pub fn merge(&self, lld: &Path) -> Result<Cow<'a, [u8]>> {
        if self.registration.is_none() && self.cpu.is_none() {
            return Ok(Cow::Borrowed(self.host));
        }
        let folder = tempfile::Builder::new().prefix("offloadc-").tempdir();
        let folder = folder.context("cannot make a temporary folder")?;
        let mut inputs = Vec::new();
        for (name, bytes) in self.parts() {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).with_context(|| format!("cannot write `{}`", path.display()))?;
            inputs.push(path);
        }
        let output = folder.path().join("merged.o");
        run(lld, &Self::arguments(&inputs, &output)).context("while merging the host object")?;
        let merged = std::fs::read(&output).with_context(|| format!("cannot read `{}`", output.display()))?;
        Ok(Cow::Owned(merged))
    }

    /// Merges, and writes the object as a whole or not at all.
    pub fn write(&self, lld: &Path, sink: &Sink) -> Result<()> {
        sink.write(&self.merge(lld)?)
    }

    /// The linker's arguments for inputs in their order: host, registration, cpu.
    pub fn arguments(inputs: &[PathBuf], output: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["-r".into(), "-o".into(), output.into()];
        arguments.extend(inputs.iter().map(OsString::from));
        arguments
    }

    /// The parts there are, and the names of their files.
    fn parts(&self) -> impl Iterator<Item = (&'static str, &'a [u8])> {
        let parts = [("host.o", Some(self.host)), ("registration.o", self.registration), ("cpu.o", self.cpu)];
        parts.into_iter().filter_map(|(name, part)| Some((name, part?)))
    }
}

/// Runs the linker; what it says when it fails is the error.
fn run(lld: &Path, arguments: &[OsString]) -> Result<()> {
    let output = Command::new(lld).args(arguments).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot run `{}`", lld.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = if said.trim().is_empty() { output.status.to_string() } else { said.trim().to_owned() };
    let name = lld.file_name().unwrap_or(lld.as_os_str()).to_string_lossy();
    Err(Error::new(said).context(format!("`{name}` failed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_kernels_the_host_code_is_the_object() {
        let object = HostObject { host: b"host", registration: None, cpu: None };
        assert_eq!(&*object.merge(Path::new("/no/such/linker")).unwrap(), b"host");
    }

    #[test]
    fn a_linker_that_fails_is_quoted() {
        let object = HostObject { host: b"host", registration: Some(b"garbage"), cpu: None };
        let message = object.merge(Path::new("/no/such/linker")).unwrap_err().to_string();
        let wanted = "while merging the host object: cannot run `/no/such/linker`: no such file or directory";
        assert_eq!(message, wanted);
        let lld = concat!(env!("LLVM_SYS_221_PREFIX"), "/bin/ld.lld");
        let message = object.merge(Path::new(lld)).unwrap_err().to_string();
        let start = "while merging the host object: `ld.lld` failed: ld.lld: error: ";
        assert!(message.starts_with(start) && message.contains("host.o"), "{message}");
    }
}
