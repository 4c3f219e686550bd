//! The Rust API: `tests/api/`, built by `cargo offloadc`, on every available device; and without offloadc.
//!
//! One of two profiles, in turn, runs on the CPU and in turn on one GPU or OpenCL; with `OFFLOADC_ALL_EMULATED=1`, both
//! run on all devices.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use harness::{Outcome, cargo, emulators, opencl, run, run_within, turns};

use crate::levels;

/// The last line that the program prints, without the name of the device.
const DONE: &str = "every launch did what it should on ";

/// The lines that its kernel prints, in any order.
const PRINTED: [&str; 3] =
    ["thread  0 has 0.50, Some(\"text\")", "thread  1 has 1.25, Some(\"text\")", "thread  2 has -3.00, Some(\"text\")"];

/// Checks the output: the line of the program with the name of the device, and the lines of the kernel, which may
/// follow it.
fn check(ran: &Outcome, device: &str) {
    let text = ran.stdout();
    let (own, mut printed): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(DONE));
    assert!(own.len() == 1 && own[0].starts_with(&format!("{DONE}{device}")), "{}", ran.report());
    printed.sort();
    assert_eq!(printed, PRINTED, "{}", ran.report());
}

/// Returns a cargo command for `tests/api/`. Later runs reuse its target folder.
fn cargo(words: &[&str]) -> Command {
    let mut command = cargo::cargo(&harness::root().join("tests/api"));
    command.args(words).env("CARGO_TARGET_DIR", cargo::target());
    command
}

/// The folders of the programs, in which tests replace each other's.
static PROGRAMS: Mutex<()> = Mutex::new(());

fn finish(mut command: Command) -> Outcome {
    run_within(&mut command, Duration::from_secs(600))
}

/// Checks that a kernel's name and parameters are constants in the code, without loads and calls.
fn check_constant(program: &Path) {
    let mut command = Command::new(harness::llvm_tool("llvm-objdump"));
    let shown =
        run(command.args(["--no-show-raw-insn", "--disassemble-symbols=known_of_saxpy"]).arg(program)).success();
    let text = shown.stdout();
    // The bytes after the return are padding.
    let code = text.split("<known_of_saxpy>:").nth(1).and_then(|rest| rest.split_once("retq")).map(|(code, _)| code);
    assert!(code.is_some_and(|code| !code.contains("call") && !code.contains("(%")), "{}", shown.report());
}

/// Checks the log's line about the arguments that were the same in all launches of `weigh`: the extent and the flag,
/// but neither the weight nor the size of the block.
fn check_invariants(log: &str) {
    let line = log.lines().find(|line| line.contains("the same in all 4 launches of `specialized::weigh`: "));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    let same: Vec<&str> = line.split("`: ").nth(1).unwrap_or_default().split("scalar ").skip(1).collect();
    let is = |text: &str| same.iter().any(|scalar| scalar.contains(text) && scalar.contains(", specialized"));
    assert!(same.len() == 2 && is("(16 bytes at ") && is("(1 byte at ") && is(" = 0x1"), "{line}");
    assert!(!line.contains("block_dim"), "{line}");
}

/// Checks that the program, which opens the device several times, is compiled for it once.
fn check_built_once(log: &str) {
    let count = |text| log.lines().filter(|line| line.contains(text)).count();
    let [loaded, reused] = ["loading the image for spirv64", "made from the binary"].map(count);
    assert!(loaded > 2 && reused == loaded - 1, "{loaded} images, {reused} from a binary: {log}");
}

/// Whether the tests leave nothing to another turn.
fn all() -> bool {
    std::env::var_os("OFFLOADC_ALL_EMULATED").is_some()
}

/// The archs of the debug build and of the release build, in turn. OpenCL takes three times as long for a debug build.
const GPUS: [[&str; 2]; 3] = [["sm_80", "gfx90a"], ["gfx90a", "spirv64"], ["sm_80", "spirv64"]];

#[test]
fn on_every_device() {
    let _folder = cargo::hold(&PROGRAMS);
    let [debug, release] = GPUS[turns::next(GPUS.len())];
    let profiles = [("debug", &[][..], debug), ("release", &["--release"], release)];
    for (number, (profile, words, own)) in profiles.into_iter().enumerate() {
        if !all() && !turns::is_next(number, profiles.len()) {
            continue;
        }
        let archs = if all() { &["sm_80", "gfx1100", "gfx90a", "spirv64"][..] } else { &[own] };
        let folder = cargo::offloadc_target();
        let mut command = cargo(&["offloadc", "build", "--device-print"]);
        command.arg(format!("--offload-arch=cpu,{}", archs.join(","))).args(words).arg("--target-dir").arg(&folder);
        let _ = finish(command).success();
        let program = folder.join("x86_64-unknown-linux-gnu").join(profile).join("api");
        let ran = run(Command::new(&program).env("OFFLOADRT_DEVICE", "cpu").env("OFFLOADRT_LOG", "1")).success();
        check(&ran, "cpu");
        check_invariants(&ran.stderr());
        if profile == "release" {
            check_constant(&program);
        }
        // The emulated GPU reads more than NVIDIA's assembler, which `inspect` starts for each image.
        if let Some(ptxas) = harness::ptxas().filter(|_| archs.contains(&"sm_80")) {
            let mut command = Command::new(harness::offloadc());
            let _assembled = run(command.arg("inspect").arg("--ptxas").arg(ptxas).arg(&program)).success();
        }
        if archs.contains(&"spirv64") && opencl::folder().is_some() {
            let mut command = Command::new(&program);
            let command = opencl::choose(&mut command).env("OFFLOADRT_LOG", "1");
            let ran = run_within(command, Duration::from_secs(300)).success();
            check(&ran, "opencl:");
            check_built_once(&ran.stderr());
        }
        for emulated in emulators::all().filter(|emulated| archs.contains(&emulated.arch)) {
            let mut command = Command::new(&program);
            let ran = run_within(emulators::choose(&mut command, emulated), Duration::from_secs(300)).success();
            check(&ran, emulated.device);
        }
    }
}

/// At levels of optimisation (`levels.rs`).
#[test]
fn at_levels_of_optimisation() {
    let _folder = cargo::hold(&PROGRAMS);
    let folder = cargo::offloadc_target();
    for (profile, options) in levels::of("api") {
        let mut command = cargo(&["offloadc", "build", "--device-print", "--bin", "api", "--offload-arch=cpu"]);
        command.args(options).arg("--target-dir").arg(&folder);
        let _ = finish(command).success();
        let mut program = Command::new(folder.join("x86_64-unknown-linux-gnu").join(profile).join("api"));
        check(&run(program.env("OFFLOADRT_DEVICE", "cpu")).success(), "cpu");
    }
}

/// The values of constants that the program sets are in the code of an image that the runtime makes, and of variants,
/// and the functions that the program chooses are, too. A constant of which some bytes have no meaning stays in memory,
/// and its object has one image.
#[test]
fn constants_are_in_the_code_of_images_that_the_runtime_makes() {
    let _folder = cargo::hold(&PROGRAMS);
    let folder = cargo::offloadc_target();
    let mut command = cargo(&["offloadc", "build", "--bin", "constants", "--offload-arch=cpu,generic"]);
    let _ = command.arg("--target-dir").arg(&folder);
    let _ = finish(command).success();
    let program = folder.join("x86_64-unknown-linux-gnu/debug/constants");
    let cache = harness::scratch();
    for (words, variants) in [(&[][..], 4), (&["padded"], 0)] {
        for mode in ["auto", "always"] {
            let mut command = Command::new(&program);
            command.args(words).env("OFFLOADRT_DEVICE", "cpu").env("OFFLOADRT_LOG", "1").env("OFFLOADRT_JIT", mode);
            command.env("OFFLOADRT_VARIANTS", "8,wait").env("OFFLOADRT_COMPILER", harness::offloadc());
            let ran = run(command.env("OFFLOADC_CACHE_DIR", cache.path())).success();
            let log = ran.stderr();
            assert_eq!(log.matches(": loading variant ").count(), variants, "{mode}: {log}");
            assert!(!log.contains("the general code serves"), "{mode}: {log}");
        }
    }
}

/// In `make test`, libomptarget and liboffload take turns.
#[test]
fn through_llvms_runtimes() {
    let _folder = cargo::hold(&PROGRAMS);
    let folder = cargo::offloadc_target();
    if all() || turns::is_next(0, 2) {
        through_libomptarget(&folder);
    }
    if all() || turns::is_next(1, 2) {
        through_liboffload(&folder);
    }
}

fn through_libomptarget(folder: &Path) {
    let mut command = cargo(&["offloadc", "build", "--runtime=omptarget", "--device-print"]);
    command.arg("--target-dir").arg(folder);
    let _ = finish(command).success();
    let images = harness::scratch();
    let mut program = Command::new(folder.join("x86_64-unknown-linux-gnu/debug/api"));
    // libomptarget leaves the images that it loads in the folder for temporary files.
    check(&run(program.env("OFFLOADRT_DEVICE", "cpu").env("TMPDIR", images.path())).success(), "omptarget:");
}

/// The program sets constants, and with all emulated GPUs statics, on the CPU and on a GPU of liboffload.
fn through_liboffload(folder: &Path) {
    let (libraries, has_gpu) = (harness::scratch(), emulators::folder("cuda:0"));
    // liboffload looks for the driver by this name.
    if let Some(emulator) = &has_gpu {
        let library = libraries.path().join("libcuda.so");
        std::os::unix::fs::symlink(emulator.join("libcuda.so.1"), library).expect("the folder is ours");
    }
    let devices = if has_gpu.is_some() { &["cpu", "liboffload:0"][..] } else { &["cpu"] };
    for name in if all() { &["constants", "api"][..] } else { &["constants"] } {
        let mut command =
            cargo(&["offloadc", "build", "--runtime=liboffload", "--offload-arch=cpu,sm_80", "--bin", name]);
        command.args(["--device-print", "--target-dir"]).arg(folder);
        let _ = finish(command).success();
        for device in devices {
            let mut command = Command::new(folder.join("x86_64-unknown-linux-gnu/debug").join(name));
            command.env("OFFLOADRT_DEVICE", device).env("OFFLOAD_EMULATED", "sm_80");
            let ran = run_within(command.env("LD_LIBRARY_PATH", libraries.path()), Duration::from_secs(300)).success();
            if *name == "api" { check(&ran, device) } else { assert_eq!(ran.stdout(), "all is right\n") }
        }
    }
}

/// In `make test`, the unit tests and the program take turns.
#[test]
fn without_offloadc_kernels_are_functions_that_run_on_the_processor() {
    if all() || turns::is_next(0, 2) {
        // With the cfg of Miri, a call of a stand-in panics. This shows that kernels on the host call none.
        // The flags are for a platform, so that macros, which rustc runs, are not built again.
        let mut command = cargo(&["test", "--target=x86_64-unknown-linux-gnu"]);
        command.env("RUSTFLAGS", "--cfg miri -A explicit_builtin_cfgs_in_flags");
        let tested = finish(command).success();
        assert!(tested.stdout().contains("test tests::a_kernel_is_a_function ... ok"), "{}", tested.report());
        assert!(tested.stdout().contains("test tests::what_launches_is_linked ... ok"), "{}", tested.report());
    }
    if all() || turns::is_next(1, 2) {
        // `plain::` has programs of both profiles.
        let mut command = cargo(&["run", "--release"]);
        command.env("API_WITHOUT_OFFLOADC", "1");
        check(&finish(command).success(), "cpu");
    }
}

/// Two kernels with the same loop, and one that copies an element. The pointer of the second one may point into the
/// memory of its slice. In the last one, no pointer points into the memory of another.
const READS: &str = "use offload::{Device, DeviceBuffer, DeviceCopy, DisjointSlice, Error, Grid, RawSlice, kernel};
use offload::{prelude::*, thread};
#[kernel]
fn promised(x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        x.iter().for_each(|x| *y += x);
    }
}
#[kernel]
fn unknown(x: &[f32], y: RawSlice<f32>) {
    let i = thread::index_1d().get();
    x.iter().for_each(|x| unsafe { y.set(i, y.get(i) + x) });
}
#[kernel]
fn copied(tables: &[[f32; 9]], at: usize, mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        let mut own = tables[i.get()];
        own[(at + 1) % 9] += 1.0;
        *y = own[at % 9] + own[i.get()];
    }
}
#[derive(Clone, Copy, DeviceCopy)]
struct Pair {
    first: (u32, RawSlice<f32>),
    second: *const f32,
}
#[kernel(unsafe(restrict))]
fn restricted(x: &[f32], w: RawSlice<f32>, y: RawSlice<f32>, pair: Pair) {
    let i = thread::index_1d().get();
    // SAFETY: all slices have an element for each thread.
    unsafe {
        let before = y.get(i) + x[i] * w.get(i);
        thread::sync_threads();
        y.set(i, before + pair.first.1.get(i) + *pair.second.add(i));
    }
}
/// Launches the last kernel with parts of a buffer, of which one begins earlier than it should.
fn restrict(stream: &offload::Stream, x: &DeviceBuffer<f32>, twice: bool) -> Result<Vec<f32>, Error> {
    let (buffer, second) = (DeviceBuffer::from_host(stream, &[3.0; 18])?, DeviceBuffer::from_host(stream, &[0.5; 9])?);
    let parts = if twice { [1..10, 9..18] } else { [0..9, 9..18] };
    let [first, y] = parts.map(|range| buffer.part(range).as_raw());
    let pair = Pair { first: (7, first), second: second.as_raw().as_ptr() };
    let own = DeviceBuffer::from_host(stream, &[2.0; 9])?;
    restricted.launch(stream, Grid::for_len(9, 9), (x, own.as_raw(), y, pair))?;
    stream.synchronize()?;
    Ok(buffer.to_host_vec(stream)?.split_off(9))
}
fn main() {
    let stream = Device::new().unwrap().default_stream();
    let tables: Vec<[f32; 9]> = (0..9).map(|i| std::array::from_fn(|k| (10 * i + k) as f32)).collect();
    let mut sums = [0.0; 9];
    copied.launch(&stream, Grid::for_len(9, 32), (&tables[..], 12, &mut sums)).unwrap();
    assert_eq!(sums, std::array::from_fn(|i| (21 * i + 3) as f32 + f32::from(u8::from(i == 4))));
    let (x, mut y) = (DeviceBuffer::from_host(&stream, &[1.0; 9]).unwrap(), DeviceBuffer::zeroed(&stream, 9).unwrap());
    promised.launch(&stream, Grid::for_len(9, 32), (&x, &mut y)).unwrap();
    unknown.launch(&stream, Grid::for_len(9, 9), (&x, y.as_raw())).unwrap();
    assert_eq!(y.to_host_vec(&stream).unwrap(), [18.0; 9]);
    assert_eq!(restrict(&stream, &x, false).unwrap(), [3.0 + 2.0 + 3.0 + 0.5; 9]);
    let Err(Error::Invalid(text)) = restrict(&stream, &x, true) else { panic!(\"the launch should fail\") };
    assert!(text.starts_with(\"parameters 3 and 4 of `reads::restricted` overlap in memory\"), \"{text}\");
}
";

/// A kernel reads its shared slices through the read-only cache if it has no pointer that could write them.
#[test]
fn shared_slices_are_read_only() {
    let folder = harness::scratch();
    let crates = harness::root().join("rust/offload");
    let manifest = format!(
        "[package]\nname = \"reads\"\nedition = \"2024\"\n[workspace]\n[dependencies]\noffload-kernels.path = {:?}\n",
        crates.display().to_string()
    );
    std::fs::create_dir(folder.path().join("src")).expect("the folder is ours");
    std::fs::write(folder.path().join("Cargo.toml"), manifest).expect("the folder is ours");
    std::fs::write(folder.path().join("src/main.rs"), READS).expect("the folder is ours");
    let mut command = cargo::cargo(folder.path());
    command.env("CARGO_TARGET_DIR", cargo::target());
    command.args(["offloadc", "build", "--release", "--offload-arch=cpu,sm_80,gfx90a"]);
    command.arg(format!("--offloadc=--save-temps={}", folder.path().display()));
    let _ = finish(command).success();
    let written = |arch: &str| {
        let files = std::fs::read_dir(folder.path()).expect("the folder is ours").map(|f| f.expect("a file").path());
        let file = files.into_iter().find(|f| f.display().to_string().ends_with(&format!(".codegen.{arch}.s")));
        std::fs::read_to_string(file.expect("the link wrote it")).expect("it is text")
    };
    let text = written("sm_80");
    let kernels: Vec<&str> = text.split(".entry ").skip(1).collect();
    // The name of the next kernel is also at the end of a kernel's text.
    let is = |text: &&&str, name: &str| text.lines().next().is_some_and(|line| line.contains(name));
    let of = |name: &str| *kernels.iter().find(|text| is(text, name)).expect("both kernels are there");
    assert!(of("promised").contains("ld.global.nc."), "{text}");
    // A local array with a variable index is in memory, to which the element is copied.
    assert!(of("copied").contains("ld.global.nc.") && !of("copied").contains("ld.global.b"), "{text}");
    assert!(!of("unknown").contains("ld.global.nc."), "{text}");
    // The slice that is written is read in the ordinary way.
    // The table of the panics' numbers is read into registers of 64 bits.
    let loads = |load: &str| {
        let of_floats = of("restricted").lines().filter(|line| line.contains(load) && !line.contains("\t%rd"));
        of_floats.count()
    };
    assert_eq!((loads("ld.global.nc.b32"), loads("ld.global.b32")), (4, 1), "{text}");
    let program = cargo::offloadc_target().join("x86_64-unknown-linux-gnu/release/reads");
    let _ = finish(Command::new(&program)).success();
    for emulated in emulators::all().filter(|emulated| emulated.arch != "gfx1100") {
        let ran = run_within(emulators::choose(&mut Command::new(&program), emulated), Duration::from_secs(60));
        let _ = ran.success();
    }
}
