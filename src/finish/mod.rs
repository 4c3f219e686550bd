//! The tools of the second stage: they compile device code for archs that a build has left open.
//!
//! A program that was built with `--offload-arch=generic` contains its device code before any target has changed it.
//! `offloadc finish` makes images for archs from it, and the runtime runs this command if no image of a program fits a
//! device. `offloadc add` puts such images into a linked program, and `offloadc strip` takes images out.

mod edit;

pub use edit::{add, strip};

use std::path::{Path, PathBuf};

use crate::bundle::{Bundle, Contents};
use crate::cli::command_line_end::CommandLineEnd;
use crate::cli::finish_arguments::FinishArguments;
use crate::cli::options::Options;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::distribution::{GenericImage, SliceOptions};
use crate::driver;
use crate::error::{Context as _, Error, Result};
use crate::job::{Job, UsageError};
use crate::stage::Stage;
use crate::stages::generic;
use crate::stages::parts::most_parts;
use crate::system::scratch;
use crate::targets::{DeviceOutput, GENERIC};

/// Why a command of the second stage has failed.
#[derive(Debug)]
pub enum Failed {
    /// The options do not parse.
    Parse(CommandLineEnd),
    /// The command line is wrong.
    Usage(UsageError),
    /// An operation failed.
    Operation(Error),
}

impl From<UsageError> for Failed {
    fn from(error: UsageError) -> Self {
        Self::Usage(error)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Operation(error)
    }
}

/// The images that were made from one generic image.
struct Finished {
    job: Job,
    outputs: Vec<DeviceOutput>,
}

/// `offloadc finish`. If `diagnostics` has an error, no output is written.
pub fn finish(arguments: &FinishArguments, diagnostics: &mut Diagnostics) -> Result<(), Failed> {
    let path = input(arguments)?;
    let file = scratch::read_or_stdin(&path)?;
    let mut images = generic_images(&file, &path)?;
    if images.is_empty() {
        diagnostics.push(none_in(&path));
        return Ok(());
    }
    forget_functions_alone(&mut images);
    let mut linked = linked_images(arguments, diagnostics)?;
    if let Some(several) = GenericImage::linked(&file) {
        linked.extend(several.iter().skip(1).map(|image| (path.clone(), image.to_vec())));
        images.truncate(1);
    }
    if diagnostics.has_errors() {
        return Ok(());
    }
    let mut all = Vec::new();
    for image in &images {
        let input = FinishInput { bytes: image, path: &path, count: images.len(), linked: &linked };
        let Some(finished) = finish_image(arguments, input, diagnostics)? else { return Ok(()) };
        all.push(finished);
    }
    let Some(Finished { job, .. }) = all.first() else { return Ok(()) };
    let depfile = job.depfile.clone().filter(|_| !job.dry_run);
    let (wanted, format, sinks) = (job.wants(Stage::Bundle), job.bundle_format, job.sinks(Stage::Bundle, None, None));
    if wanted && !job.dry_run {
        let images = all.into_iter().flat_map(|finished| finished.outputs).flat_map(|output| output.images);
        let bytes = Bundle::new(images.collect()).in_format(format)?;
        sinks.iter().try_for_each(|sink| sink.write(&bytes))?;
    }
    if let Some(depfile) = depfile {
        let files = [path].into_iter().chain(linked.into_iter().map(|(path, _)| path));
        depfile.write(&files.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// A generic image of a file.
#[derive(Clone, Copy)]
struct FinishInput<'a> {
    bytes: &'a [u8],
    /// The file.
    path: &'a Path,
    /// The number of generic images in the file.
    count: usize,
    /// The images whose functions are linked, each with its file.
    linked: &'a [(PathBuf, Vec<u8>)],
}

/// Makes the images of archs from one generic image. Returns none if `diagnostics` has an error.
fn finish_image(
    arguments: &FinishArguments,
    input: FinishInput<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Finished>, Failed> {
    finish_with(&|words| arguments.options(words), input, diagnostics)
}

/// The same with options that follow those of the build.
fn finish_with(
    options: &dyn Fn(&[String]) -> Result<Options, CommandLineEnd>,
    FinishInput { bytes, path, count, linked }: FinishInput<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Finished>, Failed> {
    let all = [(path, bytes)].into_iter().chain(linked.iter().map(|(path, bytes)| (path.as_path(), &bytes[..])));
    let mut read = Vec::new();
    for (path, bytes) in all {
        match generic::read(bytes, path) {
            Ok(image) => read.push(image),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if diagnostics.has_errors() {
        return Ok(None);
    }
    let linked = read.split_off(1);
    let Some(image) = read.pop() else { return Ok(None) };
    let options = options(&image.slice.options.words()).map_err(Failed::Parse)?;
    let job = Job::resolve(&options)?;
    if job.runtime != image.slice.options.runtime() {
        let message =
            format!("the kernels of `{}` are for `--runtime={}`", path.display(), image.slice.options.runtime().name());
        return Err(UsageError::new(message).help("omit `--runtime`").into());
    }
    if job.generic.is_some() {
        let message = format!("`{GENERIC}` is what images are made of");
        return Err(UsageError::new(message).help("name archs: `--offload-arch=sm_80`").into());
    }
    if count > 1 && job.wants_other_than(Stage::Bundle) {
        let message =
            format!("`{}` has {count} generic images, and no stage but `bundle` has one file for all", path.display());
        return Err(UsageError::new(message).help("use `--emit=bundle`, or finish the objects of the program").into());
    }
    let image =
        image.with_options(SliceOptions::new(job.opt_level, job.runtime, most_parts(&job), job.target_options.clone()));
    Ok(driver::finish(&job, &image, &linked, diagnostics)?.map(|outputs| Finished { job, outputs }))
}

/// The only input.
fn input(arguments: &FinishArguments) -> Result<PathBuf, Failed> {
    let options = arguments.options(&[]).map_err(Failed::Parse)?;
    match &options.inputs[..] {
        [path] => Ok(path.clone()),
        [] => Err(UsageError::new("no file is named").help("name the program or image").into()),
        _ => Err(UsageError::new("only one file can be named").into()),
    }
}

/// The generic images in a file.
fn generic_images(file: &[u8], path: &Path) -> Result<Vec<Vec<u8>>> {
    if GenericImage::is_generic(file) {
        return Ok(vec![file.to_vec()]);
    }
    if let Some(images) = GenericImage::linked(file) {
        return Ok(images.into_iter().map(<[u8]>::to_vec).collect());
    }
    let contents = Contents::read(file).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(contents.images_of(GENERIC))
}

/// Whether a generic image has kernels. One of an object that only passes functions as values has none.
fn has_kernels(image: &[u8]) -> bool {
    GenericImage::read(image).map_or(true, |image| !image.slice.kernels.is_empty())
}

/// Leaves out images without kernels beside others. No image of an arch is made of them.
fn forget_functions_alone(images: &mut Vec<Vec<u8>>) {
    let kept: Vec<bool> = images.iter().map(|image| images.len() == 1 || has_kernels(image)).collect();
    if kept.contains(&true) {
        let mut kept = kept.into_iter();
        images.retain(|_| kept.next() != Some(false));
    }
}

/// The generic images in the files of `--link`, each with its file.
fn linked_images(
    arguments: &FinishArguments,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Failed> {
    let mut linked = Vec::new();
    for path in arguments.options(&[]).map_err(Failed::Parse)?.distribution.specialize.link {
        let images = generic_images(&scratch::read(&path)?, &path)?;
        if images.is_empty() {
            diagnostics.push(none_in(&path));
        }
        linked.extend(images.into_iter().map(|image| (path.clone(), image)));
    }
    Ok(linked)
}

fn none_in(path: &Path) -> Diagnostic {
    let message = format!("`{}` has no generic image", path.display());
    Diagnostic::coded(Code::NoSlice, message)
        .help("build the program with `--offload-arch=generic`, beside other archs or alone")
}
