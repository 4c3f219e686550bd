//! The options of the command line about single passes.

use std::sync::Arc;

use super::UsageError;
use crate::cli::options::Options;
use crate::diagnostics::Topic;
use crate::diagnostics::nearest::{in_a_sentence, nearest};
use crate::llvm::Bisect;
use crate::passes::pass::PassOptions;
use crate::passes::table::{PASSES, Row, Runs};
use crate::system::output::Sink;

/// Looks up the passes that the options name.
pub(super) fn pass_options(options: &Options) -> Result<PassOptions, UsageError> {
    let arguments = &options.passes;
    let named = |names: &[String]| names.iter().map(|name| printable(name)).collect::<Result<_, _>>();
    Ok(PassOptions {
        verify: arguments.verify_each,
        print_before: named(&arguments.print_before)?,
        print_after: named(&arguments.print_after)?,
        without: options.target_options.without(),
        bisect: bisect(options)?,
        only: arguments.run_pass.as_ref().map(|name| runnable(name, options)).transpose()?,
    })
}

/// The counter that numbers passes for `--bisect-passes`. The numbers are those of one chain of passes.
fn bisect(options: &Options) -> Result<Option<Arc<Bisect>>, UsageError> {
    let one = options.offload_arch.len() == 1 && options.offload_arch_optional.is_empty();
    match options.passes.bisect_passes {
        Some(_) if !one => Err(UsageError::new("`--bisect-passes` needs one arch")),
        last => Ok(last.map(|last| Arc::new(Bisect::new(last)))),
    }
}

/// The topics of `--remarks`. Remarks are made from the resolved module, which later stages do not have.
pub(super) fn remarks(options: &Options) -> Result<Vec<Topic>, UsageError> {
    let Some(topics) = &options.passes.remarks else { return Ok(Vec::new()) };
    if options.from.is_some() || options.image_file.is_some() || options.finishes {
        return Err(UsageError::new("`--remarks` needs the whole program, and cannot be used with its parts"));
    }
    Ok(if topics.is_empty() { Topic::ALL.to_vec() } else { topics.clone() })
}

/// Where `--run-pass` prints the module.
pub(super) fn module_output(options: &Options) -> Sink {
    options.output.as_ref().map_or(Sink::Stdout, Sink::new)
}

/// A pass that stages or targets call.
fn printable(name: &str) -> Result<&'static Row, UsageError> {
    let row = Row::named(name).ok_or_else(|| unknown_pass(name))?;
    match row.runs {
        Runs::Inside(outer) => {
            let error = UsageError::new(format!("the pass `{name}` runs inside the pass `{outer}`"));
            Err(error.help(format!("name `{outer}`")))
        }
        _ => Ok(row),
    }
}

/// A pass that needs only the one input and the one arch.
fn runnable(name: &str, options: &Options) -> Result<&'static Row, UsageError> {
    let row = printable(name)?;
    if let Runs::With(reason) = row.runs {
        return Err(UsageError::new(format!("the pass `{name}` cannot run alone: {reason}")));
    }
    let only = |ok: bool, what: &str| if ok { Ok(()) } else { Err(UsageError::new(format!("`--run-pass` {what}"))) };
    only(options.inputs.len() == 1, "needs one input")?;
    only(options.offload_arch.len() <= 1 && options.offload_arch_optional.is_empty(), "needs one arch")?;
    only(options.emit.is_empty() && options.from.is_none(), "cannot be used with `--emit` or `--from`")?;
    Ok(row)
}

fn unknown_pass(name: &str) -> UsageError {
    let known: Vec<&str> = PASSES.iter().map(|row| row.name).collect();
    let error = UsageError::new(format!("unknown pass `{name}`"));
    let error = in_a_sentence(&nearest(name, &known)).into_iter().fold(error, UsageError::help);
    error.help("`src/passes/table.rs` lists all")
}
