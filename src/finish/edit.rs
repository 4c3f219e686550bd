//! `offloadc add` and `offloadc strip`: they change the images of a program that is linked already.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Failed, FinishInput, Finished, finish_with, has_kernels, input, none_in};
use crate::bundle::{Bundle, Compression, Image, ImageKind, LinkedFile, Stripped};
use crate::cli::finish_arguments::{FinishArguments, StripArguments};
use crate::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::error::{Context as _, Result};
use crate::job::UsageError;
use crate::stage::Stage;
use crate::system::output::Output;
use crate::system::scratch;
use crate::targets::GENERIC;

/// Puts images for the archs of the command line into each object of a file that has a generic image. If `diagnostics`
/// has an error, the file stays as it was.
pub fn add(arguments: &FinishArguments, diagnostics: &mut Diagnostics) -> Result<(), Failed> {
    let path = input(arguments)?;
    let options = arguments.options(&[]).map_err(Failed::Parse)?;
    if options.emit.iter().any(|emit| emit.stage != Stage::Image || emit.path.is_some()) {
        return Err(UsageError::new("`offloadc add` writes a program, and no stage").help("omit `--emit`").into());
    }
    if !options.distribution.specialize.link.is_empty() {
        let error = UsageError::new("images with functions of other objects have no place in a program");
        return Err(error.help("use `offloadc finish`; the runtime links functions itself").into());
    }
    if options.depfile {
        let error = UsageError::new("`offloadc add` changes its input, so no rule of make can tell when to do it");
        return Err(error.help("omit `-MD`").into());
    }
    let file = scratch::read(&path)?;
    let linked = LinkedFile::read(&file).with_context(|| doing(&path))?;
    let (mut objects, mut compression, mut found) = (objects(&linked, &path)?, Compression::WhenItPays, false);
    let of_kernels = |image: &Image| image.arch == GENERIC && has_kernels(&image.bytes);
    let some_have_kernels = objects.iter().flatten().any(of_kernels);
    for images in &mut objects {
        let Some(generic) = images.iter().find(|image| image.arch == GENERIC) else { continue };
        if some_have_kernels && !of_kernels(generic) {
            continue;
        }
        let generic = generic.bytes.clone();
        let options = |words: &[String]| arguments.options_of_add(words);
        let input = FinishInput { bytes: &generic, path: &path, count: 1, linked: &[] };
        let finished = finish_with(&options, input, diagnostics)?;
        let Some(Finished { job, outputs }) = finished else { return Ok(()) };
        let new: Vec<Image> = outputs.into_iter().flat_map(|output| output.images).collect();
        // The code for the CPU that is a part of the program stays beside an image of it.
        images.retain(|old| old.kind == ImageKind::None || new.iter().all(|image| image.arch != old.arch));
        images.extend(new);
        (compression, found) = (job.compression, true);
    }
    if !found {
        diagnostics.push(none_in(&path));
        return Ok(());
    }
    let dry_run = options.dry_run;
    let sorted: Vec<Vec<Image>> = objects.into_iter().map(|images| Bundle::new(images).images().to_vec()).collect();
    let bytes = linked.with_images(&sorted, compression).with_context(|| doing(&path))?;
    if dry_run { Ok(()) } else { Ok(write(&bytes, &path, options.output.as_ref())?) }
}

/// Takes images out of a file.
pub fn strip(arguments: &StripArguments, diagnostics: &mut Diagnostics) -> Result<(), Failed> {
    let StripArguments { file: path, keep, output, .. } = arguments;
    let file = scratch::read(path)?;
    let linked = LinkedFile::read(&file).with_context(|| doing(path))?;
    let mut objects = objects(&linked, path)?;
    if let Some(unknown) = keep.iter().find(|name| !objects.iter().flatten().any(|image| image.arch == **name)) {
        let archs: BTreeSet<_> = objects.iter().flatten().map(|image| format!("`{}`", image.arch)).collect();
        let all = archs.into_iter().collect::<Vec<_>>().join(", ");
        let message = format!("`{}` has no image for `{unknown}`", path.display());
        diagnostics.push(Diagnostic::new(Severity::Error, message).note(format!("it has {all}")));
        return Ok(());
    }
    for images in &mut objects {
        images.retain(|image| image.kind == ImageKind::None || keep.contains(&image.arch));
    }
    // A program that reads its images itself cannot decompress them.
    let compression = if linked.is_compressed() { Compression::WhenItPays } else { Compression::None };
    let stripped = linked.with_part_of_images(&objects, compression, arguments.compact).with_context(|| doing(path))?;
    diagnostics.extend(zeros_stay(&stripped, path));
    Ok(write(&stripped.bytes, path, output.as_ref())?)
}

/// The diagnostic about zeros in the place of images, unless they are few.
fn zeros_stay(stripped: &Stripped, path: &Path) -> Option<Diagnostic> {
    const FEW: u64 = 4096;
    let place =
        format!("{} bytes of `{}` are zeros where the linker has placed images", stripped.zeros, path.display());
    let diagnostic = match stripped.reason {
        Some(reason) => Diagnostic::new(Severity::Warning, format!("{place}: {reason}"))
            .help("link the program again with fewer images"),
        None => Diagnostic::new(Severity::Note, place)
            .help("`--compact` takes them out of the file, which GNU's `strip` must not change afterwards"),
    };
    (stripped.zeros >= FEW).then_some(diagnostic)
}

/// The images of each object of a file.
fn objects(linked: &LinkedFile<'_>, path: &Path) -> Result<Vec<Vec<Image>>> {
    let objects = linked.objects().with_context(|| doing(path))?;
    objects.iter().map(|images| images.iter().map(|image| image.to_image()).collect()).collect()
}

fn doing(path: &Path) -> String {
    format!("cannot change the images of `{}`", path.display())
}

/// Writes the changed file, by default in the place of the old one, with the permissions of the old one.
fn write(bytes: &[u8], path: &Path, output: Option<&PathBuf>) -> Result<()> {
    let permissions = std::fs::metadata(path).with_context(|| doing(path))?.permissions();
    let output = Output::create(output.map_or(path, PathBuf::as_path))?;
    output.write(bytes)?;
    output.permit(&permissions)?;
    output.commit()
}
