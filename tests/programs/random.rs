//! Random kernels that combine pairs of features: each runs on two devices, with the results and panics of the host.
//!
//! `make test` runs in turn every fifth six of the first seeds: each set of flags and each device is among six. With
//! `OFFLOADC_ALL_FLAGS=1` it runs all of them. `OFFLOADC_SEEDS=a..b` (`make fuzz SEEDS=a..b`) runs other seeds than
//! those of `make test`, and prints how often each pair has run on each device with each set of flags.
//! `OFFLOADC_FEATURES`, `OFFLOADC_DEVICES` and `OFFLOADC_FLAGS` are lists of names: only kernels with one of these
//! features and sets of flags run, on these devices. `OFFLOADC_WITHOUT_WORKAROUND` names work-arounds for faults of
//! LLVM, which are left out. A difference is printed with a smaller kernel that still has it; if the range is long,
//! with the kernel itself, which a range of this seed alone makes smaller.

mod edges;
mod generate;
mod reduce;
mod text;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use generate::{Feature, Kernel};
use harness::program::{self, FLAG_SETS, RECOMMENDED};
use harness::{Outcome, gpu, turns};
use libtest_mimic::Trial;

use crate::places::{Device, Place, emulated};

/// The devices that run random kernels.
const DEVICES: [Place; 6] = [
    Place { name: "cpu", runtime: "offloadrt", arch: "cpu", device: Device::Cpu },
    Place { name: "omptarget", runtime: "omptarget", arch: "cpu", device: Device::Cpu },
    Place { name: "opencl", runtime: "offloadrt", arch: "spirv64", device: Device::OpenCl },
    emulated("cuda-sm_80", "cuda:0", "sm_80"),
    emulated("hip-gfx1100", "hip:0", "gfx1100"),
    emulated("hip-gfx90a", "hip:0", "gfx90a"),
];

/// The first seeds: each pair of features has one.
const SEEDS: std::ops::Range<u64> = 0..406;
/// `make test` runs a part of them in turn: one of so many.
const IN_TURN: usize = 5;

/// More seeds of `make test`: these once found a difference, when there were so many pairs of features.
const FOUND: [u64; 7] = [721, 931, 2191, 3022, 3029, 3449, 4492];
const PAIRS_OF_FOUND: usize = 210;

/// The most kernels of a program. Kernels share rustc, the compiled library, the link and a process for each device.
const MOST: usize = 40;

/// A program with so many kernels gets no kernels for other devices, because it has code for the devices of all.
const ENOUGH: usize = 16;

/// Making a kernel smaller takes up to a minute, so it is done for ranges of at most so many seeds.
const MOST_TO_REDUCE: u64 = 200;

/// The result of a kernel on a device.
#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    Same,
    Refused,
    /// The device refused to launch it.
    TooLarge,
    Different(String),
}

/// The runtime's message for kernels with lanes and calls that are not inlined. Intel's OpenCL has blocks of one thread
/// for them, which `tests/run/pairs.md` explains.
const SMALL_BLOCKS: &str = "Intel(R) Corporation) allows 1 of this kernel;";

/// The difference of a kernel that does not end.
const ENDLESS: &str = "does not end";

/// A kernel by its seed, a device, and the verdict.
type Row = (u64, usize, Verdict);

/// A pair of features, and the indices of a device and of a set of flags.
type Run = ((Feature, Feature), usize, usize);

/// How often a pair has run on a device with a set of flags, and how often offloadc refused it.
static COUNTS: Mutex<BTreeMap<Run, (usize, usize)>> = Mutex::new(BTreeMap::new());

/// The range of seeds in the environment.
fn wanted_seeds() -> Option<std::ops::Range<u64>> {
    let text = std::env::var("OFFLOADC_SEEDS").ok()?;
    let (first, last) = text.split_once("..").expect("OFFLOADC_SEEDS is a range such as 0..1000");
    let number = |text: &str| text.parse().expect("OFFLOADC_SEEDS is a range such as 0..1000");
    Some(number(first)..number(last))
}

/// Whether one of the names in this variable of the environment, if there is one, fits.
fn is_named(variable: &str, fits: impl Fn(&str) -> bool) -> bool {
    std::env::var(variable).map_or(true, |names| names.split(',').any(fits))
}

/// Whether the environment wants kernels on a device.
fn is_wanted_device(device: &usize) -> bool {
    is_named("OFFLOADC_DEVICES", |name| DEVICES[*device].name == name)
}

/// Whether a kernel has one of the features, of the sets of flags and of the devices that the environment names.
fn is_wanted(kernel: &Kernel) -> bool {
    is_named("OFFLOADC_FEATURES", |name| kernel.is_of(name))
        && is_named("OFFLOADC_FLAGS", |name| FLAG_SETS[kernel.set].name == name)
        && kernel.devices.iter().any(is_wanted_device)
}

/// One test for each program.
pub(crate) fn trials() -> Vec<Trial> {
    let (seeds, found) = wanted_seeds().map_or((SEEDS, &FOUND[..]), |seeds| (seeds, &[]));
    let (sets, devices, all_pairs) = (FLAG_SETS.len(), DEVICES.len(), generate::pairs());
    let found = found.iter().map(|seed| Kernel::among(&all_pairs[..PAIRS_OF_FOUND], *seed, sets, devices));
    let found: Vec<_> = found.collect();
    let mut trials = Vec::new();
    let all = wanted_seeds().is_some() || crate::sets::all_flags();
    let in_turn = |seed: &u64| all || turns::is_next(*seed as usize / FLAG_SETS.len(), IN_TURN);
    for (set, flags) in FLAG_SETS.iter().enumerate() {
        let kernels = seeds.clone().filter(in_turn).map(|seed| Kernel::new(seed, sets, devices));
        let kernels = kernels.chain(found.iter().cloned()).filter(|kernel| kernel.set == set && is_wanted(kernel));
        let programs = programs(kernels.collect());
        for (number, kernels) in programs.into_iter().enumerate() {
            let name = format!("random/{}..{}/{}/{number}", seeds.start, seeds.end, flags.name);
            trials.push(Trial::test(name, move || judge(&kernels)));
        }
    }
    trials
}

/// Divides kernels among programs, by their devices.
fn programs(mut kernels: Vec<Kernel>) -> Vec<Vec<Kernel>> {
    kernels.sort_by_key(|kernel| (kernel.sorted_devices(), kernel.seed));
    let mut programs: Vec<Vec<Kernel>> = Vec::new();
    for kernel in kernels {
        let fits = |program: &Vec<Kernel>| {
            let same = program.last().is_some_and(|last| last.sorted_devices() == kernel.sorted_devices());
            program.len() < if same { MOST } else { ENOUGH }
        };
        match programs.last_mut().filter(|program| fits(program)) {
            Some(program) => program.push(kernel),
            None => programs.push(vec![kernel]),
        }
    }
    programs
}

/// Runs the kernels of one program on their devices.
fn judge(kernels: &[Kernel]) -> Result<(), libtest_mimic::Failed> {
    let is_present = |device: &usize| match gpu::folder() {
        Some(_) => DEVICES[*device].name.starts_with("cuda"),
        None => !DEVICES[*device].is_ignored(false),
    };
    let present: Vec<usize> = (0..DEVICES.len()).filter(is_present).filter(is_wanted_device).collect();
    let mut differences = String::new();
    for (seed, device, verdict) in run_all(kernels, &present) {
        let kernel = kernels.iter().find(|kernel| kernel.seed == seed).expect("only these kernels ran");
        let set = FLAG_SETS[kernel.set];
        let mut counts = COUNTS.lock().expect("no test panics with the counts");
        let count = counts.entry((kernel.pair, device, kernel.set)).or_default();
        count.0 += usize::from(verdict == Verdict::Same);
        count.1 += usize::from(matches!(verdict, Verdict::Refused | Verdict::TooLarge));
        drop(counts);
        let Some(fault) = fault(kernel, verdict) else { continue };
        let said =
            format!("seed {seed}, {:?}, flags {}, on {}: {fault}\n", kernel.pair, set.name, DEVICES[device].name);
        eprintln!("{said}");
        differences += &said;
        if !differences.contains("\nmod ") {
            // A kernel that does not end would take minutes to reduce.
            let seeds = wanted_seeds().unwrap_or(SEEDS);
            let kept = fault == ENDLESS || seeds.end - seeds.start > MOST_TO_REDUCE;
            let smallest = if kept { kernel.clone() } else { reduce::reduce(kernel, device) };
            let (what, text) = (if kept { "the kernel" } else { "the reduced kernel" }, text::module(&smallest));
            differences += &format!("{what}:\n{text}\n");
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.into()) }
}

/// The fault of a verdict.
fn fault(kernel: &Kernel, verdict: Verdict) -> Option<String> {
    let recommended = FLAG_SETS[kernel.set].flags.starts_with(RECOMMENDED.flags);
    match verdict {
        Verdict::Same | Verdict::TooLarge => None,
        Verdict::Refused => recommended.then(|| "refused with the recommended flags".to_owned()),
        Verdict::Different(text) => Some(text),
    }
}

/// Runs each kernel on those of its devices that are in `devices`.
fn run_all(kernels: &[Kernel], devices: &[usize]) -> Vec<Row> {
    let folder = harness::scratch();
    let source = folder.path().join("random.rs");
    std::fs::write(&source, text::program(kernels)).expect("the folder can be written");
    let bitcode = program::bitcode(&source.display().to_string(), FLAG_SETS[kernels[0].set], folder.path());
    let mut rows = Vec::new();
    for runtime in ["offloadrt", "omptarget"] {
        let used = |device: &usize| kernels.iter().any(|kernel| kernel.devices.contains(device));
        let same_runtime = devices.iter().copied().filter(|device| DEVICES[*device].runtime == runtime);
        let devices: Vec<usize> = same_runtime.filter(used).collect();
        if !devices.is_empty() {
            rows.extend(run_with_runtime(kernels, &devices, runtime, &bitcode));
        }
    }
    rows
}

/// The same for devices of one runtime. A program that does not compile is divided until the kernels at fault are
/// alone.
fn run_with_runtime(kernels: &[Kernel], devices: &[usize], runtime: &str, bitcode: &Path) -> Vec<Row> {
    let folder = harness::scratch();
    let object = folder.path().join("random.o");
    let archs: Vec<&str> = devices.iter().map(|device| DEVICES[*device].arch).collect();
    let archs = format!("--offload-arch={}", archs.join(","));
    // The host runs each kernel once, so its optimisation would take longer than all else.
    // Half of the programs are split into as many parts as possible.
    let parts = if kernels[0].seed.is_multiple_of(2) { "--parts=1" } else { "--parts=100" };
    // A run that shows whether these kernels find the faults that work-arounds are for.
    let without = std::env::var("OFFLOADC_WITHOUT_WORKAROUND").map(|names| format!("--without-workaround={names}"));
    let runtime_option = format!("--runtime={runtime}");
    let mut options = vec![&archs[..], &runtime_option, "--host-opt-level=0", "-w", "--verify-each", parts];
    options.extend(without.as_deref());
    let outcome = program::compile(bitcode, &object, &options);
    if outcome.code() != 0 {
        if kernels.len() > 1 {
            let (a, b) = kernels.split_at(kernels.len() / 2);
            return [run_all(a, devices), run_all(b, devices)].concat();
        }
        if devices.len() > 1 {
            return devices.iter().flat_map(|device| run_all(kernels, &[*device])).collect();
        }
        let verdict = match program::refused(&outcome, &object) {
            true => Verdict::Refused,
            false => Verdict::Different(outcome.report()),
        };
        eprintln!("seed {} is refused: {}", kernels[0].seed, outcome.stderr());
        return vec![(kernels[0].seed, devices[0], verdict)];
    }
    let executable = folder.path().join("random");
    if let Some(gpu_folder) = gpu::folder() {
        program::compile(bitcode, &executable, &[&options[..], &["--emit=exe"]].concat()).success();
        put(kernels, devices, &gpu_folder, &executable);
        return Vec::new();
    }
    program::link_rust(&object, runtime, &executable);
    let mut rows = Vec::new();
    for device in devices {
        let said = run_there(&executable, &seeds_for(kernels, *device), *device);
        rows.extend(rows_of(kernels, &[*device], |kernel, device| match said.get(&kernel.seed) {
            Some(verdict) => verdict.clone(),
            None => alone(&executable, kernel.seed, device),
        }));
    }
    rows
}

/// Copies a program to the folder for a machine with a GPU, with the seeds of the kernels that run there.
fn put(kernels: &[Kernel], devices: &[usize], gpu_folder: &Path, executable: &Path) {
    let first = kernels[0].seed;
    for device in devices {
        let seeds: Vec<String> = seeds_for(kernels, *device).iter().map(u64::to_string).collect();
        let arguments: Vec<&str> = seeds.iter().map(String::as_str).collect();
        let name = format!("random.{}.{first}.{}", FLAG_SETS[kernels[0].set].name, DEVICES[*device].name);
        gpu::put(gpu_folder, &name, executable, &arguments);
    }
}

fn rows_of(kernels: &[Kernel], devices: &[usize], verdict: impl Fn(&Kernel, usize) -> Verdict) -> Vec<Row> {
    let on = |device: usize| kernels.iter().filter(move |kernel| kernel.devices.contains(&device));
    let row =
        |device: usize| on(device).map(|kernel| (kernel.seed, device, verdict(kernel, device))).collect::<Vec<_>>();
    devices.iter().flat_map(|device| row(*device)).collect()
}

fn seeds_for(kernels: &[Kernel], device: usize) -> Vec<u64> {
    kernels.iter().filter(|kernel| kernel.devices.contains(&device)).map(|kernel| kernel.seed).collect()
}

/// Runs these kernels of a program on a device, in each order of execution. Returns the program's output about
/// each; a difference in one order counts.
fn run_there(executable: &PathBuf, seeds: &[u64], device: usize) -> BTreeMap<u64, Verdict> {
    let Some(first) = seeds.first() else { return BTreeMap::new() };
    let mut all: BTreeMap<u64, Verdict> = BTreeMap::new();
    for (number, schedule) in DEVICES[device].schedules_of_random(*first).iter().enumerate() {
        let outcome = outcome_of(executable, seeds, device, schedule);
        let mut said = outcome.as_ref().map_or_else(BTreeMap::new, verdicts);
        for (seed, verdict) in &mut said {
            if let Verdict::Different(said) = verdict {
                said.push_str(&format!(" (OFFLOAD_EMULATED_SCHEDULE={schedule})"));
            }
            match all.get(seed) {
                Some(Verdict::Different(_)) => {}
                _ => drop(all.insert(*seed, verdict.clone())),
            }
        }
        // A kernel about which nothing is printed in a later order has ended the program.
        if let (Some(lost), true) = (seeds.iter().find(|seed| !said.contains_key(seed)), number > 0) {
            let report = outcome.map_or_else(|| ENDLESS.to_owned(), |outcome| outcome.report());
            let _before = all.insert(*lost, Verdict::Different(format!("with order {schedule}: {report}")));
        }
    }
    all
}

/// The lines that a program has printed.
fn verdicts(outcome: &Outcome) -> BTreeMap<u64, Verdict> {
    let line = |line: &str| {
        let (seed, said) = line.split_once(": ")?;
        let verdict = match said {
            "ok" => Verdict::Same,
            _ if said.contains(SMALL_BLOCKS) => Verdict::TooLarge,
            _ => Verdict::Different(said.to_owned()),
        };
        Some((seed.parse().ok()?, verdict))
    };
    outcome.stdout().lines().filter_map(line).collect()
}

/// Runs a kernel about which the program, which ended early, printed nothing.
fn alone(executable: &PathBuf, seed: u64, device: usize) -> Verdict {
    let Some(outcome) = outcome_of(executable, &[seed], device, "lockstep") else {
        return Verdict::Different(ENDLESS.to_owned());
    };
    let said = verdicts(&outcome);
    said.get(&seed).cloned().unwrap_or_else(|| Verdict::Different(outcome.report()))
}

/// The output of the program; none if it does not end.
fn outcome_of(executable: &PathBuf, seeds: &[u64], device: usize, schedule: &str) -> Option<Outcome> {
    // OpenCL compiles all kernels of the program at the first launch, beside other tests.
    let limit = Duration::from_secs(180 + 2 * seeds.len() as u64);
    let mut command = Command::new(executable);
    // libomptarget leaves the images that it loads in the folder for temporary files.
    let temporary = executable.parent().expect("the program lies in a folder").to_owned();
    command.args(seeds.iter().map(u64::to_string)).env("TMPDIR", temporary);
    command.env("OFFLOAD_EMULATED_SCHEDULE", schedule);
    catch_unwind(AssertUnwindSafe(move || harness::run_within(DEVICES[device].choose(&mut command), limit))).ok()
}

/// Prints how often each pair has run, if the environment names the seeds.
pub(crate) fn print_counts() {
    let counts = COUNTS.lock().expect("no test panics with the counts");
    if wanted_seeds().is_none() || counts.is_empty() {
        return;
    }
    let sets = FLAG_SETS.map(|set| set.name).join("/");
    println!("kernels that ran (and were refused) with the flags {sets}:");
    println!("{:24}{}", "", DEVICES.map(|device| format!("{:>20}", device.name)).concat());
    let pairs = generate::pairs();
    let runs_of = |pair, device, set| counts.get(&(pair, device, set)).copied().unwrap_or_default();
    let ran =
        |pair: &(Feature, Feature)| counts.range((*pair, 0, 0)..=(*pair, usize::MAX, usize::MAX)).next().is_some();
    for pair in pairs.iter().copied().filter(ran) {
        let cell = |device: usize| {
            let one = |set| match runs_of(pair, device, set) {
                (runs, 0) => runs.to_string(),
                (runs, refused) => format!("{runs}({refused})"),
            };
            format!("{:>20}", (0..FLAG_SETS.len()).map(one).collect::<Vec<_>>().join("/"))
        };
        println!("{:24}{}", format!("{:?}", pair), (0..DEVICES.len()).map(cell).collect::<String>());
    }
    let missing = pairs.iter().filter(|pair| !ran(pair)).count();
    if missing > 0 {
        println!("{missing} pairs did not run");
    }
    let (runs, refused) = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let cells = pairs.iter().flat_map(|pair| (0..DEVICES.len()).map(move |device| (*pair, device)));
    let cells = cells.flat_map(|(pair, device)| (0..FLAG_SETS.len()).map(move |set| runs_of(pair, device, set)));
    let least = cells.map(|(runs, refused)| runs + refused).min().unwrap_or(0);
    println!(
        "{runs} runs with the host's results, {refused} refused; each pair, device and set at least {least} times"
    );
}
