//! Compiles, links and runs the examples and the programs in `tests/run/`, on every available device.
//!
//! Each program is compiled with sets of rustc's flags, with both registration runtimes, for an OpenCL device, and for
//! an NVIDIA GPU if there is one. It must have the correct result, which it also computes on the host, or be refused;
//! with the recommended flags, it must be correct. The GPU targets' code for it is checked, too, with one set of flags
//! in turn.
//!
//! A program runs with the recommended one of the six sets, and in every other run with one more in turn, which is
//! `O0-g` every second time; those with pairs of features run with the recommended one only. With the other set, it is
//! compiled at one of offloadc's levels, in turn. Each program runs on each device with the recommended set, and with
//! the other one on the processor and in turn on two of the GPUs and OpenCL. With the set `O`, the program is linked
//! with a generic image alone, and gets its other images afterwards. Only with the recommended set, offloadc optimises
//! the host's code, too. libomptarget runs every other program with the recommended set, in turn, and some with `O0-g`.
//! With `OFFLOADC_ALL_FLAGS=1`, all programs run with all sets, with optimised hosts and with libomptarget, and their
//! code is checked for more archs.
//!
//! On the emulated GPUs, the programs with the recommended flags also run in an order of execution that a seed
//! determines; with `OFFLOADC_ALL_EMULATED=1`, all programs do, in several orders, and more archs are emulated.

mod aarch64;
#[path = "../../benches/accesses.rs"]
mod accesses;
mod devices;
mod gpu_code;
mod pairs;
mod places;
mod random;
mod sets;
mod single;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use harness::program::{self, FLAG_SETS, FlagSet, RECOMMENDED};
use harness::{Outcome, gpu, run};
use libtest_mimic::{Arguments, Failed, Trial};
use places::{Device, PLACES, Place};

/// A program, its arguments, and the options that it needs.
#[derive(Clone, Copy)]
struct Program {
    source: &'static str,
    /// Sizes that are not multiples of a block, and small enough for a debug build.
    arguments: &'static [&'static str],
    /// Further arguments on OpenCL, which takes most of its time to compile a program: in `make test`, and with all
    /// flags.
    on_opencl: [&'static [&'static str]; 2],
    options: &'static [&'static str],
    /// Whether offloadc may refuse it with the recommended flags.
    may_be_refused: bool,
    /// Whether it must run on the CPU with all of rustc's flags.
    every_set: bool,
    /// Whether it must run on all devices with all of rustc's flags.
    everywhere: bool,
    /// Whether rustc must not optimise it, because its LLVM is wrong where that of offloadc has a work-around.
    unoptimized: bool,
    /// Whether it needs warps of 32 lanes, which an OpenCL device may not have, nor AMD's older GPUs.
    for_32_lanes: bool,
    /// Whether lanes wait for others of their mask in another iteration, which AMD's GPUs cannot.
    lanes_wait: bool,
}

const fn example(source: &'static str, arguments: &'static [&'static str]) -> Program {
    Program {
        source,
        arguments,
        on_opencl: [&[]; 2],
        options: &[],
        may_be_refused: false,
        every_set: false,
        everywhere: false,
        unoptimized: false,
        for_32_lanes: false,
        lanes_wait: false,
    }
}

const EXAMPLES: [Program; 5] = [
    example("examples/contract/saxpy.rs", &["10001"]),
    example("examples/contract/histogram.rs", &["50001"]),
    example("examples/contract/matmul.rs", &["3"]),
    example("examples/contract/reduction.rs", &["10001", "128"]),
    example("examples/contract/mandelbrot.rs", &["75", "50", "mandelbrot.png"]),
];

const PROGRAMS: &[Program] = &[
    example("tests/run/closure.rs", &[]),
    example("tests/run/section.rs", &[]),
    example("tests/run/twins.rs", &[]),
    example("tests/run/grid.rs", &[]),
    example("tests/run/barriers.rs", &[]),
    example("tests/run/turns.rs", &[]),
    example("tests/run/uniform_choices.rs", &[]),
    example("tests/run/aligned.rs", &[]),
    example("tests/run/lanes.rs", &[]),
    example("tests/run/intrinsics.rs", &[]),
    example("tests/run/tensor_core.rs", &[]),
    Program { every_set: true, ..example("tests/run/float_rules.rs", &[]) },
    example("tests/run/fast.rs", &[]),
    Program { every_set: true, ..example("tests/run/checks.rs", &[]) },
    Program { every_set: true, ..example("tests/run/arguments.rs", &[]) },
    Program { every_set: true, ..example("tests/run/calls.rs", &[]) },
    Program { every_set: true, ..example("tests/run/atomics.rs", &[]) },
    example("tests/run/local_atomics.rs", &[]),
    Program { every_set: true, ..example("tests/run/simd.rs", &[]) },
    Program { every_set: true, ..example("tests/run/panics.rs", &[]) },
    Program { every_set: true, ..example("tests/run/panics_deep.rs", &[]) },
    Program { every_set: true, ..example("tests/run/alloc.rs", &[]) },
    Program { every_set: true, ..example("tests/run/vtables.rs", &[]) },
    example("tests/run/dynamic.rs", &[]),
    Program { everywhere: true, ..example("tests/run/names.rs", &[]) },
    Program { everywhere: true, options: &["--parts=16"], ..example("tests/run/parts.rs", &[]) },
    Program { every_set: true, options: &["--parts=16"], ..example("tests/run/parts_panics.rs", &[]) },
    Program { every_set: true, ..example("tests/run/recursion.rs", &[]) },
    Program { every_set: true, ..example("tests/run/library.rs", &[]) },
    Program { every_set: true, ..example("tests/run/integers.rs", &[]) },
    Program { every_set: true, ..example("tests/run/carries.rs", &[]) },
    Program { every_set: true, ..example("tests/run/bytes.rs", &[]) },
    example("tests/run/narrow.rs", &[]),
    Program { unoptimized: true, ..example("tests/run/vectorized.rs", &[]) },
    Program { unoptimized: true, ..example("tests/run/registers.rs", &[]) },
    Program { every_set: true, ..example("tests/run/sort.rs", &[]) },
    Program { every_set: true, ..example("tests/run/format.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/maps.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/vectors.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/rows.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/strides.rs", &[]) },
    example("tests/run/scans.rs", &[]),
    Program { every_set: true, ..example("tests/run/memory.rs", &[]) },
    Program { every_set: true, ..example("tests/run/copies.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/tables.rs", &[]) },
    example("tests/run/warps_and_barriers.rs", &[]),
    Program { for_32_lanes: true, every_set: true, ..example("tests/run/warps.rs", &[]) },
    Program { for_32_lanes: true, ..example("tests/run/warp_loops.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/pairs.rs", &[]) },
    Program { for_32_lanes: true, every_set: true, ..example("tests/run/warp_rule.rs", &[]) },
    Program { for_32_lanes: true, lanes_wait: true, every_set: true, ..example("tests/run/warp_masks.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/masks.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/guards.rs", &[]) },
    // rustc's own optimiser duplicates the barriers of these programs, with `-O` and with the recommended flags.
    Program { everywhere: true, ..example("tests/run/threaded.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/unswitched.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/tolerance.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/copied.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/pairs_blocks.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/pairs_calls.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/pairs_functions.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/stored_functions.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/pairs_statics.rs", &[]) },
    Program { everywhere: true, ..example("tests/run/pairs_faults.rs", &[]) },
    Program { everywhere: true, options: &["--device-print"], ..example("tests/run/pairs_print.rs", &[]) },
    Program { options: &["--kernel=glob_*"], ..example("tests/run/glob.rs", &[]) },
    Program { may_be_refused: true, ..example("tests/run/slice.rs", &[]) },
    Program { may_be_refused: true, ..example("tests/run/vector.rs", &[]) },
    Program { may_be_refused: true, ..example("tests/run/large.rs", &[]) },
    Program {
        everywhere: true,
        options: &["--parts=16"],
        on_opencl: [&["3"], &["10"]],
        ..example("tests/run/host_calls.rs", &[])
    },
];

/// Programs that are run only by separate tests. Their GPU code is checked like that of all others.
const COMPILED: [Program; 3] =
    [example("tests/run/print.rs", &[]), example("tests/run/overflow.rs", &[]), example("tests/run/locks.rs", &[])];

/// A program with one set of flags. The first test that needs an output computes it.
struct Bitcode {
    program: Program,
    set: FlagSet,
    path: OnceLock<PathBuf>,
    /// The program linked for the CPU, OpenCL and the emulated GPUs; none if offloadc does not compile it for all. With
    /// the recommended flags, its images are compressed.
    for_all: OnceLock<Option<PathBuf>>,
    folder: tempfile::TempDir,
}

impl Bitcode {
    fn new(program: Program, set: FlagSet) -> Bitcode {
        Bitcode { program, set, path: OnceLock::new(), for_all: OnceLock::new(), folder: harness::scratch() }
    }

    fn path(&self) -> &Path {
        self.path.get_or_init(|| program::bitcode(self.program.source, self.set, self.folder.path()))
    }

    fn for_all(&self) -> Option<&Path> {
        let make = || {
            let (object, executable) = (self.folder.path().join("all.o"), self.folder.path().join("all"));
            let runs = |place: &Place| place.has_lanes_for(&self.program) && place.takes(&self.program, self.set);
            let shared = PLACES.into_iter().filter(|place| place.shares_programs() && runs(place));
            let archs: Vec<&str> = shared.map(|place| place.arch).collect();
            let later = self.set.name == sets::FINISHED_LATER;
            let built = if later { "generic".to_owned() } else { archs.join(",") };
            let archs = [built, archs.join(",")].map(|archs| format!("--offload-arch={archs}"));
            let compress = if self.set.name == RECOMMENDED.name { "--compress=zstd" } else { "--compress=none" };
            let options = [&[archs[0].as_str(), compress], &self.program.options(self.set)[..]].concat();
            if program::compile(self.path(), &object, &options).code() != 0 {
                return None;
            }
            program::link_rust(&object, "offloadrt", &executable);
            if later && run(Command::new(harness::offloadc()).arg("add").arg(&executable).arg(&archs[1])).code() != 0 {
                return None;
            }
            Some(executable)
        };
        self.for_all.get_or_init(make).as_deref()
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let refusals = Arc::new(Mutex::new(Vec::new()));
    let mut trials = Vec::new();
    let has_gpu = gpu::folder().is_some() || gpu::is_here();
    for (number, program) in EXAMPLES.into_iter().chain(PROGRAMS.iter().copied()).enumerate() {
        let bitcodes = FLAG_SETS.map(|set| Arc::new(Bitcode::new(program, set)));
        trials.extend(gpu_code_trials(program, number, &bitcodes));
        for bitcode in bitcodes.into_iter().filter(|bitcode| sets::runs_with(&program, number, bitcode.set)) {
            let takes = |place: &Place| place.has_lanes_for(&program) && place.takes(&program, bitcode.set);
            for place in PLACES.into_iter().filter(takes) {
                let name = format!("{}/{}/{}", stem(program.source), bitcode.set.name, place.name);
                let (bitcode, refusals) = (Arc::clone(&bitcode), Arc::clone(&refusals));
                let trial = Trial::test(name.clone(), move || {
                    let refused = right_or_refused(&bitcode, place)?;
                    if bitcode.set.name == RECOMMENDED.name {
                        devices::add(bitcode.program.source, place, refused);
                    }
                    refusals.lock().expect("no test panics with the list").extend(refused.then_some(name));
                    Ok(())
                });
                trials.push(trial.with_ignored_flag(place.is_ignored(has_gpu)));
            }
        }
    }
    for (number, program) in COMPILED.into_iter().enumerate() {
        trials.extend(gpu_code_trials(program, number, &FLAG_SETS.map(|set| Arc::new(Bitcode::new(program, set)))));
    }
    trials.extend(random::trials());
    trials.extend(aarch64::trials());
    trials.push(Trial::test("every-program", || checked(every_program_is_listed)));
    trials.push(Trial::test("every-pair", || checked(pairs::every_pair_has_a_kernel)));
    let line_tables = gpu_code::machine_code_and_the_host_object_have_line_tables;
    trials.push(Trial::test("line-tables-of-machine-code", move || checked(line_tables)));
    trials.push(Trial::test("accesses-are-told-apart", || checked(gpu_code::accesses_are_told_apart)));
    trials.extend(single::trials());
    let conclusion = libtest_mimic::run(&arguments, trials);
    random::print_counts();
    let mut refusals = refusals.lock().expect("no test panics with the list").clone();
    refusals.sort();
    println!(
        "refused with a diagnostic: {}",
        if refusals.is_empty() { "none".to_owned() } else { refusals.join(", ") }
    );
    if !all_ran(&arguments, has_gpu) || conclusion.has_failed() {
        conclusion.exit();
    }
    if let Err(difference) = devices::compare() {
        eprintln!("{difference}");
        std::process::exit(101);
    }
}

/// Whether every program ran on every device of the table in docs/devices.md, with the recommended flags at least.
fn all_ran(arguments: &Arguments, has_gpu: bool) -> bool {
    let chosen = arguments.filter.as_deref().is_some_and(|filter| filter != "/facts/")
        || !arguments.skip.is_empty()
        || arguments.exact
        || arguments.list;
    !chosen
        && devices::COLUMNS
            .iter()
            .all(|(name, _)| PLACES.iter().any(|place| place.name == *name && !place.is_ignored(has_gpu)))
}

/// For each set of flags without `-g`, compares the program with and without it.
fn gpu_code_trials(program: Program, number: usize, bitcodes: &[Arc<Bitcode>]) -> Vec<Trial> {
    let name = stem(program.source);
    let is_checked = |set: FlagSet| sets::may_optimize(&program, set) && gpu_code::is_checked(&name, number, set);
    let plain = bitcodes.iter().filter(|bitcode| is_checked(bitcode.set));
    let trial = |plain: &Arc<Bitcode>| {
        let debug = bitcodes.iter().find(|other| other.set.name == gpu_code::with_debug_info(plain.set).name);
        let (plain, debug) = (Arc::clone(plain), Arc::clone(debug.expect("there is one for each set of flags")));
        Trial::test(format!("{name}/{}/gpu-code", plain.set.name), move || {
            gpu_code::check(&plain, &debug);
            Ok(())
        })
    };
    plain.map(trial).collect()
}

/// Every file in the folders of programs is listed here.
fn every_program_is_listed() {
    let listed: Vec<&str> = EXAMPLES.iter().chain(PROGRAMS).chain(&COMPILED).map(|program| program.source).collect();
    for folder in ["examples/contract", "tests/run"] {
        let entries = std::fs::read_dir(harness::root().join(folder)).expect("the folder can be listed");
        let names = entries.map(|entry| entry.expect("the folder can be listed").file_name());
        for name in names.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.ends_with(".rs")) {
            let source = format!("{folder}/{name}");
            assert!(listed.contains(&source.as_str()), "{source} is in no list of tests/programs/main.rs");
        }
    }
}

fn stem(source: &str) -> String {
    Path::new(source).file_stem().expect("a source has a name").to_string_lossy().into_owned()
}

fn checked(test: fn()) -> Result<(), Failed> {
    test();
    Ok(())
}

/// Whether the program was refused; an error if its result is wrong.
fn right_or_refused(bitcode: &Bitcode, place: Place) -> Result<bool, String> {
    let Bitcode { program, set, .. } = *bitcode;
    let folder = harness::scratch();
    if let Some(executable) = Some(place).filter(|place| place.shares_programs()).and_then(|_| bitcode.for_all()) {
        run_there(program, set, place, executable, folder.path())?;
        return Ok(false);
    }
    let object = folder.path().join("program.o");
    let chosen = place.options();
    let options: Vec<&str> = chosen.iter().map(String::as_str).chain(program.options(set)).collect();
    let outcome = program::compile(bitcode.path(), &object, &options);
    if program::refused(&outcome, &object) {
        let recommended = set.flags.starts_with(RECOMMENDED.flags);
        if recommended && !program.may_be_refused {
            return Err(format!("refused with the recommended flags:\n{}", outcome.report()));
        }
        if program.everywhere || (program.every_set && place.device != Device::OpenCl) {
            return Err(format!("refused:\n{}", outcome.report()));
        }
        return Ok(true);
    }
    if outcome.code() != 0 {
        return Err(outcome.report());
    }
    let executable = folder.path().join("program");
    if let (Device::Cuda, Some(gpu_folder)) = (place.device, gpu::folder()) {
        program::compile(bitcode.path(), &executable, &[&options, &["--emit=exe"][..]].concat()).success();
        let name = format!("{}.{}.{}", stem(program.source), set.name, place.name);
        gpu::put(&gpu_folder, &name, &executable, program.arguments);
        return Ok(false);
    }
    program::link_rust(&object, place.runtime, &executable);
    run_there(program, set, place, &executable, folder.path())?;
    Ok(false)
}

/// Runs a program in `folder` on the device of `place`, once in each order of execution.
fn run_there(program: Program, set: FlagSet, place: Place, executable: &Path, folder: &Path) -> Result<(), String> {
    for schedule in place.schedules(set, &stem(program.source)) {
        let mut command = Command::new(executable);
        place.choose(&mut command).env("OFFLOAD_EMULATED_SCHEDULE", schedule);
        verify(
            program,
            set,
            &run(command.args(program.arguments).args(place.further(&program)).current_dir(folder)),
            folder,
        )?;
    }
    Ok(())
}

/// Checks that the program itself reports correct results.
fn verify(program: Program, set: FlagSet, outcome: &Outcome, folder: &Path) -> Result<(), String> {
    let (name, text) = (stem(program.source), outcome.stdout());
    let line = text.lines().last().unwrap_or_default();
    if outcome.code() != 0 || !line.starts_with(&format!("{name}: ")) || !line.ends_with(", ok") {
        return Err(outcome.report());
    }
    if name == "mandelbrot" {
        check_png(program, folder)?;
    }
    // rustc's own optimiser merges equal functions; offloadc must not.
    if name == "twins" && !set.flags.contains(&"-O") && !line.contains("2 handles") {
        return Err(format!("two kernels became one: {line}"));
    }
    Ok(())
}

/// The image has the PNG signature and the requested size.
fn check_png(program: Program, folder: &Path) -> Result<(), String> {
    let bytes = std::fs::read(folder.join("mandelbrot.png")).map_err(|error| error.to_string())?;
    let size: Vec<u8> =
        program.arguments[..2].iter().flat_map(|n| n.parse::<u32>().unwrap_or(0).to_be_bytes()).collect();
    let right = bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.get(12..16) == Some(b"IHDR");
    if right && bytes.get(16..24) == Some(&size) { Ok(()) } else { Err("the image is no PNG of that size".to_owned()) }
}
