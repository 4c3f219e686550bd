//! The host object: the host code, the registration object and the device code for the CPU, as one relocatable file.
//!
//! LLVM's linker merges them (`-r`), because it preserves comdat groups, unwind tables, and separate sections of
//! functions. The result depends only on the parts, and not on the folder of temporary files.

use crate::error::{Context, Result};
use crate::system::output::Sink;
use crate::system::scratch::{self, Scratch};
use crate::system::tool::Tools;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The parts of a host object, each a complete relocatable file.
#[derive(Clone, Copy, Debug)]
pub struct HostObject<'a> {
    /// The host code of each module.
    pub host: &'a [Vec<u8>],
    /// The output of [`super::Registration::object`]; none if there are no kernels.
    pub registration: Option<&'a [u8]>,
    /// The device code for the CPU: one object for each level of its processor.
    pub cpu: &'a [Vec<u8>],
}

impl<'a> HostObject<'a> {
    /// The merged object. If there are no other parts, it is the host code; if tools are only shown, it is empty.
    pub fn merge(&self, tools: &Tools) -> Result<Cow<'a, [u8]>> {
        if let (None, [], [host]) = (self.registration, self.cpu, self.host) {
            return Ok(Cow::Borrowed(host));
        }
        let scratch = Scratch::new()?;
        let inputs = self.parts().map(|(name, bytes)| scratch.file_with(&name, bytes)).collect::<Result<Vec<_>>>()?;
        let output = scratch.file("merged.o");
        let ran = tools.link(Self::arguments(&inputs, &output)).context("cannot merge the objects")?;
        Ok(Cow::Owned(if ran { scratch::read(&output)? } else { Vec::new() }))
    }

    /// Merges the parts, and writes the object completely or not at all.
    pub fn write(&self, tools: &Tools, sink: &Sink) -> Result<()> {
        sink.write(&self.merge(tools)?)
    }

    /// The linker's arguments for inputs in this order: host, registration, CPU.
    pub fn arguments(inputs: &[PathBuf], output: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["-r".into(), "-o".into(), output.into()];
        arguments.extend(inputs.iter().map(OsString::from));
        arguments
    }

    /// The parts that exist, and the names of their files.
    fn parts(&self) -> impl Iterator<Item = (String, &'a [u8])> {
        let host = self.host.iter().enumerate().map(|(n, part)| (format!("host{n}.o"), Some(part.as_slice())));
        let registration = [("registration.o".to_owned(), self.registration)];
        let cpu = self.cpu.iter().enumerate().map(|(n, part)| (format!("cpu{n}.o"), Some(part.as_slice())));
        host.chain(registration).chain(cpu).filter_map(|(name, part)| Some((name, part?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_kernels_the_host_code_is_the_object() {
        let object = HostObject { host: &[b"host".to_vec()], registration: None, cpu: &[] };
        assert_eq!(&*object.merge(&Tools::new("/no/such/linker".into(), None)).unwrap(), b"host");
    }

    #[test]
    fn a_linker_that_fails_is_quoted() {
        let object = HostObject { host: &[b"host".to_vec()], registration: Some(b"garbage"), cpu: &[] };
        let message = object.merge(&Tools::new("/no/such/linker".into(), None)).unwrap_err().to_string();
        let wanted = "cannot merge the objects: cannot run `/no/such/linker`: no such file or directory";
        assert_eq!(message, wanted);
        let lld = concat!(env!("OFFLOADC_LLVM_PREFIX"), "/bin/ld.lld");
        let message = object.merge(&Tools::new(lld.into(), None)).unwrap_err().to_string();
        let start = "cannot merge the objects: `ld.lld` failed: ld.lld: error: ";
        assert!(message.starts_with(start) && message.contains("host0.o"), "{message}");
    }
}
