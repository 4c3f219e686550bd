//! The distributor: a program that runs a list of jobs, on other machines for example, and the files that it needs.

use std::ffi::OsString;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, ExitStatus, Stdio};

use super::job_list::{JobList, JobRow, string};
use super::slice::Slice;
use crate::cache::{Key, entry, image};
use crate::cli::response_file;
use crate::error::{Context as _, Error, Result, in_words};
use crate::stage::Stage;
use crate::system::identity::job_compiler;
use crate::system::own_files::is_installed;
use crate::system::scratch::Scratch;
use crate::system::tool::Tools;
use crate::targets::{Arch, DeviceOutput, MathLibrary};

/// `--distributor` and the options that its jobs need.
#[derive(Clone, Debug)]
pub struct Distributor {
    /// The program.
    pub program: PathBuf,
    /// Its arguments before the name of the list of jobs.
    pub arguments: Vec<OsString>,
    /// The linker that the command line names. A linker that was found is found by each job on its own machine.
    pub lld: Option<PathBuf>,
    /// Whether jobs print their diagnostics as JSON.
    pub json: bool,
    /// The output of the build.
    pub output: PathBuf,
}

/// The files of a build's jobs, in a temporary folder beside the output.
pub struct JobFiles {
    folder: Scratch,
    /// The folder as the jobs name it.
    path: PathBuf,
    stem: String,
    list: JobList,
}

impl JobFiles {
    /// Writes the slice.
    pub fn new(distributor: &Distributor, slice: &Slice) -> Result<Self> {
        let Distributor { output, json, .. } = distributor;
        let stem = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let compiler = job_compiler()?;
        if !is_installed(&compiler) {
            return Err(Error::new(format!("`{}` does not exist, and it does the jobs", compiler.display())));
        }
        let beside = output.parent().unwrap_or(Path::new(""));
        let folder = Scratch::beside(output)?;
        let path = beside.join(folder.folder().file_name().unwrap_or_default());
        let mut arguments = vec![string(compiler)?, "job".to_owned()];
        arguments.extend(json.then(|| "--message-format=json".to_owned()));
        let list = JobList { linker_output: string(output)?, arguments, jobs: Vec::new() };
        let files = Self { folder, path, stem, list };
        let _ = files.folder.file_with(&files.slice(), &slice.write()?)?;
        Ok(files)
    }

    /// Adds the job of an arch.
    pub fn add(&mut self, distributor: &Distributor, arch: &Arch, tools: &Tools) -> Result<()> {
        let options = self.name(arch, "rsp");
        let _ = self.folder.file_with(&options, &job_options(distributor, arch, tools)?)?;
        let [slice, options, image] =
            [self.slice(), options, self.image(arch)].map(|name| string(self.path.join(name)));
        let (slice, options, image) = (slice?, options?, image?);
        let vendor = arch.options.math.library == MathLibrary::Vendor;
        let library = arch.target.vendor_math(&arch.options).filter(|_| vendor).map(string).transpose()?;
        let at = format!("@{options}");
        let arguments = [Some(slice.clone()), library.clone(), Some(at), Some("-o".to_owned()), Some(image.clone())];
        let inputs = [Some(slice), Some(options), library];
        let present = |words: &[Option<String>]| words.iter().flatten().cloned().collect();
        self.list.jobs.push(JobRow { arguments: present(&arguments), inputs: present(&inputs), outputs: vec![image] });
        Ok(())
    }

    /// Runs the distributor, and waits for it. Its status is an error only if it could not be run.
    pub fn run(&self, distributor: &Distributor, tools: &Tools) -> Result<ExitStatus> {
        let name = format!("{}.dist-file.json", self.stem);
        let _ = self.folder.file_with(&name, &self.list.json())?;
        let program = &distributor.program;
        let mut command = Command::new(program);
        // Standard output may be the output of this program.
        let _ = command.args(&distributor.arguments).arg(self.path.join(name)).stdin(Stdio::null());
        let status = tools.status_of(command.stdout(std::io::stderr()));
        status.with_context(|| format!("cannot run `{}`", program.display()))
    }

    /// The output of the job of an arch. The error says why it cannot be used.
    pub fn output(&self, arch: &Arch, key: &Key) -> std::result::Result<DeviceOutput, String> {
        let file = std::fs::read(self.folder.file(&self.image(arch)));
        let file = file.map_err(|error| format!("it cannot be read: {}", in_words(&error)))?;
        let contents = entry::read(key, &file).and_then(|contents| image::read(&contents));
        contents.ok_or_else(|| match entry::key(&file).map(|other| key.differences(&other).join(", ")) {
            Some(parts) if !parts.is_empty() => format!("it was compiled with another: {parts}"),
            _ => "it is damaged".to_owned(),
        })
    }

    fn slice(&self) -> String {
        Stage::Slice.file_name(&self.stem, None)
    }

    fn image(&self, arch: &Arch) -> String {
        self.name(arch, "img")
    }

    fn name(&self, arch: &Arch, extension: &str) -> String {
        Stage::Image.file_name_with(&self.stem, Some(&arch.name), extension)
    }
}

/// The options of the job of an arch.
fn job_options(distributor: &Distributor, arch: &Arch, tools: &Tools) -> Result<Vec<u8>> {
    let mut words: Vec<OsString> = vec![format!("--offload-arch={}", arch.name).into()];
    // Jobs may run in other folders.
    for (option, program) in [("--ptxas=", &tools.ptxas), ("--lld=", &distributor.lld)] {
        if let Some(program) = program {
            let mut word = OsString::from(option);
            word.push(absolute(program).with_context(|| format!("cannot find `{}`", program.display()))?);
            words.push(word);
        }
    }
    Ok(response_file::text(&words))
}
