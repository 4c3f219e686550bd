//! The program `offloadc`: it parses the command line, runs the driver, prints diagnostics, and sets the exit status.

#[path = "../job/runtime_sources.rs"]
mod runtime_sources;

use std::ffi::OsString;
use std::io::Write;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use offloadc::bundle::Contents;
use offloadc::cargo;
use offloadc::cli::cache_arguments::{CacheArguments, CacheCommand};
use offloadc::cli::command::Command;
use offloadc::cli::command_line_end::CommandLineEnd;
use offloadc::cli::finish_arguments::FinishArguments;
use offloadc::cli::inspect_arguments::InspectArguments;
use offloadc::cli::options::Options;
use offloadc::cli::response_file;
use offloadc::cli::version;
use offloadc::diagnostics::{Code, ColorChoice, Diagnostic, Diagnostics, Renderer, Severity};
use offloadc::driver;
use offloadc::error::{Context, Error, ExitCode, Result};
use offloadc::finish::{self, Failed};
use offloadc::job::{self, Job, carried_runtime};
use offloadc::linker::{self, plugin};
use offloadc::llvm::crash;
use offloadc::system::output::Sink;
use offloadc::system::reproducer;
use offloadc::system::tool::Tools;
use offloadc::targets;

fn main() -> std::process::ExitCode {
    carried_runtime::carry(runtime_sources::SOURCES);
    let mut arguments = std::env::args_os().skip(1);
    // The programs whose place this one takes name themselves.
    match arguments.next() {
        Some(word) if word == cargo::PROGRAM => return cargo::run(arguments.collect()),
        Some(word) if word == linker::command::PROGRAM => return linker::command::run(arguments.collect()),
        _ => {}
    }
    crash::install();
    run(std::env::args_os().collect()).into()
}

fn run(arguments: Vec<OsString>) -> ExitCode {
    let arguments = match response_file::expand(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return fail(&Renderer::default(), &Diagnostic::from(&error), ExitCode::Usage),
    };
    // A wrong command line is reported in the format that it requests.
    let json = asks_for_json(&arguments);
    if json {
        crash::speak_json();
    }
    let words = arguments.iter().skip(1).cloned().collect::<Vec<_>>();
    let options = match Options::parse_from_arguments(arguments) {
        Ok(options) => options,
        Err(end) if end.wrong && json => {
            let renderer = Renderer { json, ..Renderer::default() };
            return fail(&renderer, &end.diagnostic(), ExitCode::Usage);
        }
        Err(end) => return finish_command_line(&end),
    };
    let options = match &options.command {
        Some(Command::Job(job)) => job.options(),
        _ => options,
    };
    let renderer = job::renderer(&options);
    let mut diagnostics = Diagnostics::new();
    let second_stage = match &options.command {
        Some(Command::Finish(arguments)) => Some((finish::finish(arguments, &mut diagnostics), renderer_of(arguments))),
        Some(Command::Add(arguments)) => Some((finish::add(arguments, &mut diagnostics), renderer_of(arguments))),
        Some(Command::Strip(arguments)) => {
            let renderer = job::renderer_for(arguments.message_format, arguments.color);
            Some((finish::strip(arguments, &mut diagnostics), renderer))
        }
        _ => None,
    };
    if let Some((done, renderer)) = second_stage {
        return end_second_stage(&renderer, done, &diagnostics);
    }
    if options.version {
        return print(&renderer, &version::version(options.verbose));
    }
    if options.print_targets {
        return print(&renderer, &version::targets());
    }
    if let Some(word) = &options.explain {
        return explain(&renderer, word);
    }
    if let Some(Command::Inspect(arguments)) = &options.command {
        return inspect(arguments, &renderer);
    }
    if let Some(Command::Cache { what }) = &options.command {
        return match cache(what) {
            Ok(text) => print(&renderer, &text),
            Err(diagnostic) => fail(&renderer, &diagnostic, ExitCode::Failed),
        };
    }
    if let Some(Command::LinkerPlugin(arguments)) = &options.command {
        return match std::io::stdin().as_fd().try_clone_to_owned() {
            Ok(socket) => plugin::serve(arguments, UnixStream::from(socket), &mut std::io::stderr()),
            Err(error) => fail(&renderer, &Diagnostic::from(&Error::from(error)), ExitCode::Failed),
        };
    }
    match Job::resolve(&options) {
        Ok(job) => {
            let inputs = job.inputs.iter().map(PathBuf::as_path);
            reproducer::prepare("offloadc", &words, inputs, version::version(true));
            compile(&job)
        }
        Err(error) => fail(&renderer, &Diagnostic::from(&error), ExitCode::Usage),
    }
}

/// Whether the last `--message-format` is JSON.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let mut json = false;
    for (i, argument) in arguments.iter().enumerate() {
        let Some(text) = argument.to_str() else { continue };
        let value = match text.trim_start_matches('-').strip_prefix("message-format") {
            Some("") => arguments.get(i + 1).and_then(|next| next.to_str()),
            Some(rest) => rest.strip_prefix('='),
            None => continue,
        };
        json = value == Some("json");
    }
    json
}

fn compile(job: &Job) -> ExitCode {
    let mut diagnostics = job.diagnostics();
    let result = driver::compile(job, &mut diagnostics);
    report(&job.renderer, result, &diagnostics)
}

/// Prints all findings. Returns the exit status of a job with this result.
fn report(renderer: &Renderer, result: Result<()>, diagnostics: &Diagnostics) -> ExitCode {
    let mut stderr = std::io::stderr().lock();
    for diagnostic in diagnostics {
        // If standard error is closed, the error cannot be shown.
        let _ = renderer.print(diagnostic, &mut stderr);
    }
    drop(stderr);
    match result {
        Err(error) => {
            let code = error.exit_code();
            fail(renderer, &Diagnostic::from(&error).notes(reproducer::note(code)), code)
        }
        Ok(()) if diagnostics.has_errors() => ExitCode::Failed,
        Ok(()) => ExitCode::Done,
    }
}

/// The renderer that the options of a second stage select.
fn renderer_of(arguments: &FinishArguments) -> Renderer {
    arguments.options(&[]).map_or_else(|_| Renderer::default(), |options| job::renderer(&options))
}

/// Prints the diagnostics of a command of the second stage.
fn end_second_stage(renderer: &Renderer, done: Result<(), Failed>, diagnostics: &Diagnostics) -> ExitCode {
    let result = match done {
        Err(Failed::Parse(end)) => return finish_command_line(&end),
        Err(Failed::Usage(error)) => return fail(renderer, &Diagnostic::from(&error), ExitCode::Usage),
        Err(Failed::Operation(error)) => Err(error),
        Ok(()) => Ok(()),
    };
    report(renderer, result, diagnostics)
}

fn explain(renderer: &Renderer, word: &str) -> ExitCode {
    match Code::from_word(word) {
        Some(code) => print(renderer, &code.explanation()),
        None => {
            let unknown = Diagnostic::new(Severity::Error, format!("no error has the code `{word}`"));
            fail(renderer, &unknown.help("codes look like `OFC0007`; docs/errors.md lists them"), ExitCode::Usage)
        }
    }
}

/// Runs a command about the cache. Returns the text to print.
fn cache(what: &CacheCommand) -> std::result::Result<String, Diagnostic> {
    let (CacheCommand::Stats { cache_dir } | CacheCommand::Clear { cache_dir }) = what;
    let arguments = CacheArguments { cache_dir: cache_dir.clone(), ..CacheArguments::default() };
    let cache = job::cache::cache(&arguments).map_err(|error| Diagnostic::from(&error))?;
    let none =
        || Diagnostic::new(Severity::Error, "no folder for the cache is known").help("name one with `--cache-dir`");
    let cache = cache.ok_or_else(none)?;
    match what {
        CacheCommand::Stats { .. } => Ok(cache.stats_text()),
        CacheCommand::Clear { .. } => cache.clear().map(|()| String::new()).map_err(|error| Diagnostic::from(&error)),
    }
}

fn inspect(arguments: &InspectArguments, renderer: &Renderer) -> ExitCode {
    let read = |file: &PathBuf| std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()));
    let files: Vec<&PathBuf> = arguments.file.iter().chain(&arguments.diff).collect();
    // As for `diff`, 1 means that the files differ.
    let failed = if files.len() == 1 { ExitCode::Failed } else { ExitCode::Usage };
    let done = files.iter().map(|file| read(file)).collect::<Result<Vec<_>>>().and_then(|bytes| {
        let contents = files.iter().zip(&bytes).map(|(file, bytes)| contents(file, bytes, arguments));
        let contents = contents.collect::<Result<Vec<_>>>()?;
        Ok(match &*contents {
            [(old, old_name), (new, new_name)] => {
                let differences = old.differences(new);
                let text = if arguments.json { differences.to_json(old_name, new_name) } else { differences.to_text() };
                (text, if differences.is_empty() { ExitCode::Done } else { ExitCode::Failed })
            }
            all => {
                let text = |(one, name): &(Contents<'_>, String)| {
                    if arguments.json { one.to_json(name) } else { one.to_text(name) }
                };
                (all.iter().map(text).collect(), ExitCode::Done)
            }
        })
    });
    match done {
        Err(error) => fail(renderer, &Diagnostic::from(&error), failed),
        Ok((text, code)) => match print(renderer, &text) {
            ExitCode::Done => code,
            other => other,
        },
    }
}

/// The contents of a file, and its name.
fn contents<'a>(file: &Path, bytes: &'a [u8], arguments: &InspectArguments) -> Result<(Contents<'a>, String)> {
    let name = file.display().to_string();
    let inspecting = || format!("cannot inspect `{name}`");
    let mut contents = Contents::read(bytes).with_context(inspecting)?;
    let tools = Tools::new(PathBuf::new(), arguments.ptxas.clone());
    contents.find_resources(&|image| targets::resources(image, &tools)).with_context(inspecting)?;
    contents.find_code(&targets::code_sizes);
    Ok((contents, name))
}

fn fail(renderer: &Renderer, diagnostic: &Diagnostic, code: ExitCode) -> ExitCode {
    let _ = renderer.print(diagnostic, &mut std::io::stderr().lock());
    code
}

/// Prints `--help` to standard output, and errors of the command line to standard error.
fn finish_command_line(end: &CommandLineEnd) -> ExitCode {
    if end.wrong {
        let text = if ColorChoice::Auto.on_stderr() { &end.colored } else { &end.text };
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
        return ExitCode::Usage;
    }
    print(&Renderer::default(), &end.text)
}

/// Prints a text. It is no error if the reader of a pipe has gone.
fn print(renderer: &Renderer, text: &str) -> ExitCode {
    match Sink::Stdout.write(text.as_bytes()) {
        Err(error) => fail(renderer, &Diagnostic::from(&error), ExitCode::Failed),
        Ok(()) => ExitCode::Done,
    }
}
