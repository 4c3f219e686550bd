//! Host objects with the system's four linkers: they are registered, kept, not merged, unregistered, and can be read
//! back.
//!
//! The system's compilers compile host and device code here, so that only the bundle is tested.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Outcome, run, scratch};
use offloadc::bundle::{Bundle, Compression, Contents, HostObject, Image, ImageKind, KernelRow, Registration, Runtime};
use offloadc::contract::kernel::{CpuLevels, Form, FoundBy, Kernel, Parameter, ParameterKind};
use offloadc::contract::panic_table::PanicTable;
use offloadc::contract::platform::Platform;
use offloadc::system::output::Sink;
use offloadc::system::tool::Tools;

const LINKERS: [&str; 4] = ["bfd", "gold", "mold", "lld"];

/// The input of one host object: its entry point, its hash and its two kernels.
struct Unit {
    entry: &'static str,
    hash: &'static str,
    kernels: [&'static str; 2],
}

const FIRST: Unit = Unit { entry: "first", hash: "1111111111111111", kernels: ["alpha", "beta"] };
const SECOND: Unit = Unit { entry: "second", hash: "2222222222222222", kernels: ["omega", "delta"] };

/// The output of `host.cpp` for a unit if everything is correct.
fn told(unit: &Unit) -> String {
    let entry = unit.entry;
    let kernel = |name: &str| {
        format!("{entry}: {name} 2 parameters, last at 8, 16 bytes, 512 shared; image bytes: good\n{entry}: cpu code\n")
    };
    let [left, right] = unit.kernels;
    format!("{entry}: caught\n{}{}{entry}: two handles\n", kernel(left), kernel(right))
}

fn kernel(name: &str) -> Kernel {
    let parameter = |offset, size, kind| Parameter { offset, size, align: size, kind, extent: None };
    Kernel {
        name: name.into(),
        symbol: name.into(),
        display: format!("app::{name}"),
        form: Form::Plain,
        parameters: vec![parameter(0, 4, ParameterKind::Value), parameter(8, 8, ParameterKind::Pointer)],
        found_by: FoundBy::Marker,
    }
}

fn images() -> Bundle {
    let image = |kind, triple: &str, arch: &str, bytes: &[u8]| Image {
        kind,
        triple: triple.into(),
        arch: arch.into(),
        strings: Vec::new(),
        bytes: bytes.into(),
    };
    Bundle::new(vec![
        image(ImageKind::Ptx, "nvptx64-nvidia-cuda", "sm_80", b".version 7.0\n"),
        image(ImageKind::None, "x86_64-unknown-linux-gnu", "cpu", b""),
    ])
}

fn registration(unit: &Unit, runtime: Runtime, has_cpu_code: bool) -> Vec<u8> {
    let kernels = unit.kernels.map(kernel);
    let rows = kernels.each_ref().map(|kernel| KernelRow {
        kernel,
        cpu_levels: if has_cpu_code { CpuLevels::default().with(1) } else { CpuLevels::default() },
        shared_bytes: 512,
        takes_state: false,
        needs_heap: false,
        may_allocate: false,
        keeps_heap: false,
        calls_host: false,
        calls_functions: false,
        threads_per_block: 0,
        scalars: &[],
        specializes_block_dim: false,
        restricts: false,
    });
    let panics = PanicTable::default();
    let (platform, images, compression) = (Platform::X86_64, &images(), Compression::None);
    let registration = Registration {
        host_functions: 0,
        functions: (0, 0),
        variables: &[],
        platform,
        runtime,
        hash: unit.hash,
        kernels: &rows,
        images,
        compression,
        panics: &panics,
    };
    registration.object().expect("the registration is small")
}

fn sources() -> PathBuf {
    harness::root().join("tests/host_object")
}

fn compiler(program: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["-O1", "-fPIC", "-Wall", "-Werror", "-I"]).arg(harness::root().join("runtime-c"));
    command
}

/// The macros of a unit for the sources in `tests/host_object/`.
fn definitions(unit: &Unit) -> [String; 4] {
    let [left, right] = unit.kernels;
    let values = [("HASH", unit.hash), ("ENTRY", unit.entry), ("LEFT", left), ("RIGHT", right)];
    values.map(|(name, value)| format!("-D{name}={value}"))
}

/// Compiles a source in `tests/host_object/` for a unit.
fn compile(source: &str, unit: &Unit, folder: &Path) -> Vec<u8> {
    let output = folder.join(format!("{}.{source}.o", unit.entry));
    let mut command = compiler(if source.ends_with(".c") { "cc" } else { "c++" });
    command
        .args(definitions(unit))
        .args(["-g", "-ffunction-sections", "-fdata-sections", "-c"])
        .arg(sources().join(source));
    run(command.arg("-o").arg(&output)).success();
    std::fs::read(output).expect("the compiler wrote it")
}

fn tools() -> Tools {
    Tools::new(harness::llvm_tool("ld.lld"), None)
}

/// The host object of a unit, as a file.
fn host_object(unit: &Unit, runtime: Runtime, folder: &Path) -> PathBuf {
    let (host, cpu) = (compile("host.cpp", unit, folder), compile("cpu.c", unit, folder));
    let registration = registration(unit, runtime, true);
    let object = HostObject {
        host: std::slice::from_ref(&host),
        registration: Some(&registration),
        cpu: std::slice::from_ref(&cpu),
    };
    let output = folder.join(format!("{}.o", unit.entry));
    object.write(&tools(), &Sink::new(&output)).expect("the parts are good");
    output
}

/// The runtime library. It is built if it is missing.
fn runtime(name: &str) -> PathBuf {
    static BUILT: std::sync::Once = std::sync::Once::new();
    BUILT.call_once(|| {
        let mut make = Command::new("make");
        // A path relative to the folder of the makefile, because make divides names at spaces.
        let folder = harness::runtime_dir();
        let below = folder.strip_prefix(harness::root()).map(|below| Path::new("..").join(below));
        let out = format!("OUT={}", below.unwrap_or(folder).display());
        run(make.arg("-sC").arg(harness::root().join("runtime-c")).arg(out)).success();
    });
    harness::runtime_dir().join(name)
}

/// `c++` with the linker of this name.
fn link(linker: &str, options: &[&str]) -> Command {
    let mut command = compiler("c++");
    command.arg(format!("-B{}", harness::llvm_bin().display())).arg(format!("-fuse-ld={linker}")).args(options);
    // The runtime calls `dlopen`, which linkers warn about in static programs.
    if !options.contains(&"-static") {
        command.arg("-Wl,--fatal-warnings");
    }
    command
}

/// Compiles `main.c`, for units that are linked in or for others.
fn main_object(linked: bool, folder: &Path) -> PathBuf {
    let output = folder.join("main.o");
    let mut command = compiler("cc");
    command.args(linked.then_some("-DLINKED")).arg("-c").arg(sources().join("main.c"));
    run(command.arg("-o").arg(&output)).success();
    output
}

fn listed(tool: &str, argument: &str, file: &Path) -> String {
    run(Command::new(harness::llvm_tool(tool)).arg(argument).arg(file)).success().stdout()
}

/// Links both units into one program.
fn program(linker: &str, options: &[&str], folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let objects = [&FIRST, &SECOND].map(|unit| host_object(unit, Runtime::Offloadrt, folder));
    let mut command = link(linker, options);
    command.arg(main_object(true, folder)).args(&objects).arg(runtime("liboffloadrt.a")).arg("-pthread");
    run(command.arg("-o").arg(&program)).success();
    program
}

/// Checks the output of such a program.
#[track_caller]
fn check(outcome: Outcome, linker: &str) {
    let outcome = outcome.success();
    let text = outcome.stdout();
    let (constructors, rest) = text.split_at(text.find("main:").expect("main prints"));
    let mut constructors: Vec<&str> = constructors.lines().collect();
    constructors.sort();
    assert_eq!(constructors, ["first: own constructor", "second: own constructor"], "{linker}");
    // The linker determines the order in which objects are constructed.
    let (kernels, told_lines) = rest.split_once('\n').expect("main prints lines");
    assert!(["main: alpha beta omega delta", "main: omega delta alpha beta"].contains(&kernels), "{linker}: {kernels}");
    assert_eq!(told_lines, told(&FIRST) + &told(&SECOND), "{linker}");
}

fn check_linked(linker: &str, options: &[&str]) {
    let folder = scratch();
    let program = program(linker, options, folder.path());
    check(run(&mut Command::new(&program)), linker);
    let symbols = listed("llvm-nm", "--defined-only", &program);
    let collected = options.iter().any(|option| option.contains("gc-sections"));
    assert_eq!(symbols.contains("dropped_by_collection"), !collected, "{linker}");
}

#[test]
fn programs_register_their_kernels() {
    for linker in LINKERS {
        check_linked(linker, &["-pie"]);
        check_linked(linker, &["-no-pie", "-Wl,--gc-sections"]);
        let folding: &[&str] = if linker == "bfd" { &[] } else { &["-Wl,--icf=all"] };
        check_linked(linker, &[&["-pie", "-Wl,--gc-sections"], folding].concat());
    }
    check_linked("bfd", &["-static", "-Wl,--gc-sections"]);
}

#[test]
fn shared_objects_register_while_they_are_loaded() {
    let folder = scratch();
    let object = host_object(&SECOND, Runtime::Offloadrt, folder.path());
    let shared_runtime = runtime("liboffloadrt.so");
    let run_path = format!("-Wl,-rpath,{}", harness::runtime_dir().display());
    for linker in LINKERS {
        let (library, program) = (folder.path().join("libsecond.so"), folder.path().join("loader"));
        // With `-z text`, text relocations would be an error.
        let mut command = link(linker, &["-shared", "-Wl,-z,defs", "-Wl,-z,text", "-Wl,--gc-sections"]);
        command.arg(&object).arg(&shared_runtime).arg(&run_path);
        run(command.arg("-o").arg(&library)).success();
        let mut command = link(linker, &[]);
        command.arg(main_object(false, folder.path())).arg(&shared_runtime).arg(&run_path).arg("-ldl");
        run(command.arg("-o").arg(&program)).success();
        let text = run(Command::new(&program).arg(&library).arg(&library)).success().stdout();
        let once = format!("second: own constructor\nloaded: omega delta\n{}unloaded:\n", told(&SECOND));
        assert_eq!(text, format!("main:\n{once}{once}"), "{linker}");
        let exported = run(Command::new(harness::llvm_tool("llvm-nm")).args(["-D", "--defined-only"]).arg(&library));
        assert!(!exported.success().stdout().contains("__offload"), "{linker}: nothing of ours is exported");
    }
}

#[test]
fn stripped_programs_tell_their_images_and_kernels() {
    for linker in LINKERS {
        let folder = scratch();
        let program = program(linker, &["-pie", "-Wl,--gc-sections", "-Wl,-s"], folder.path());
        let bytes = std::fs::read(&program).expect("it was linked");
        let contents = Contents::read(&bytes).expect("it was linked");
        let text = contents.to_text("program");
        assert!(text.starts_with("program: program, 4 images, 4 kernels\n"), "{linker}: {text}");
        for name in ["alpha", "beta", "omega", "delta"] {
            let row = format!("  {name} (app::{name}): 16 argument bytes, 512 shared bytes; has cpu code\n");
            assert!(text.contains(&row), "{linker}: {text}");
        }
    }
}

/// The host object of a unit for libomptarget: `launch.cpp`, with images for the host's device and for another one.
fn omptarget_object(unit: &Unit, folder: &Path) -> PathBuf {
    let library = folder.join("image.so");
    let mut command = compiler("cc");
    command.args(definitions(unit)).arg("-shared").arg(sources().join("image.c")).arg("-o").arg(&library);
    run(&mut command).success();
    let bytes = std::fs::read(library).expect("it was linked");
    let triple = "x86_64-unknown-linux-gnu".to_owned();
    let own = Image { kind: ImageKind::Object, triple, arch: "cpu".into(), strings: Vec::new(), bytes };
    let images =
        Bundle::new(images().images().iter().filter(|image| image.arch != "cpu").cloned().chain([own]).collect());
    // libomptarget complains about a kernel that an image lacks, so the unit is registered with its first kernel only.
    let kernels = [kernel(unit.kernels[0])];
    let rows = kernels.each_ref().map(|kernel| KernelRow {
        kernel,
        cpu_levels: CpuLevels::default(),
        shared_bytes: 0,
        takes_state: false,
        needs_heap: false,
        may_allocate: false,
        keeps_heap: false,
        calls_host: false,
        calls_functions: false,
        threads_per_block: 0,
        scalars: &[],
        specializes_block_dim: false,
        restricts: false,
    });
    let (runtime, panics) = (Runtime::Omptarget, PanicTable::default());
    let (platform, images, compression) = (Platform::X86_64, &images, Compression::None);
    let registration = Registration {
        host_functions: 0,
        functions: (0, 0),
        variables: &[],
        platform,
        runtime,
        hash: unit.hash,
        kernels: &rows,
        images,
        compression,
        panics: &panics,
    };
    let registration = registration.object().expect("the registration is small");
    let host = compile("launch.cpp", unit, folder);
    let output = folder.join(format!("{}.o", unit.entry));
    let object = HostObject { host: std::slice::from_ref(&host), registration: Some(&registration), cpu: &[] };
    object.write(&tools(), &Sink::new(&output)).expect("the parts are good");
    output
}

/// Runs a program with libomptarget, which leaves the images that it loads in the folder for temporary files.
fn run_with_omptarget(command: &mut Command, folder: &Path) -> String {
    run(command.env("TMPDIR", folder)).success().stdout()
}

fn omptarget_libraries() -> Vec<String> {
    let libraries = harness::llvm_bin().with_file_name("lib");
    let archive = runtime("liboffloadrt-omptarget.a").display().to_string();
    let run_path = format!("-Wl,-rpath,{}", libraries.display());
    vec![archive, format!("-L{}", libraries.display()), "-lomptarget".into(), run_path, "-pthread".into()]
}

#[test]
fn libomptarget_launches_until_the_program_ends() {
    let folder = scratch();
    let objects = [&FIRST, &SECOND].map(|unit| omptarget_object(unit, folder.path()));
    for linker in LINKERS {
        let program = folder.path().join("program");
        let mut command = link(linker, &["-pie", "-Wl,--gc-sections"]);
        command.arg(main_object(true, folder.path())).args(&objects).args(omptarget_libraries());
        run(command.arg("-o").arg(&program)).success();
        let text = run_with_omptarget(&mut Command::new(&program), folder.path());
        let (kernels, text) = text.split_once('\n').expect("main prints lines");
        assert!(["main: alpha omega", "main: omega alpha"].contains(&kernels), "{linker}: {kernels}");
        let mut lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["called: first 30 to 37", "called: second 30 to 37"], "{linker}");
        lines[2..].sort();
        assert_eq!(lines[2..], ["at the end: first 30 to 37", "at the end: second 30 to 37"], "{linker}");
    }
}

#[test]
fn shared_objects_leave_libomptarget() {
    let folder = scratch();
    let objects = [&FIRST, &SECOND].map(|unit| omptarget_object(unit, folder.path()));
    let library = folder.path().join("libsecond.so");
    let mut command = link("lld", &["-shared", "-Wl,-z,defs", "-Wl,-z,text"]);
    command.args(&objects).args(omptarget_libraries());
    run(command.arg("-o").arg(&library)).success();
    let program = folder.path().join("loader");
    // The program's own runtime is separate from the runtime that the library was linked with.
    let mut command = link("lld", &[]);
    command.arg(main_object(false, folder.path())).arg(runtime("liboffloadrt.a")).args(["-pthread", "-ldl"]);
    run(command.arg("-o").arg(&program)).success();
    let text = run_with_omptarget(Command::new(&program).arg(&library).arg(&library), folder.path());
    let once = "loaded:\ncalled: second 30 to 37\nat the end: second 30 to 37\nat the end: first 30 to 37\nunloaded:\n";
    assert_eq!(text, format!("main:\n{once}{once}"));
}

#[test]
fn without_a_runtime_nothing_is_undefined_or_constructed() {
    let folder = scratch();
    let object = folder.path().join("registration.o");
    std::fs::write(&object, registration(&FIRST, Runtime::None, false)).expect("the folder can be written");
    assert_eq!(listed("llvm-nm", "--undefined-only", &object), "");
    let symbols = listed("llvm-nm", "--defined-only", &object);
    for name in ["D __offload_descriptor.1111111111111111", "D __offload_handle.1111111111111111.alpha"] {
        assert!(symbols.contains(name), "{symbols}");
    }
    assert!(!listed("llvm-readelf", "-SW", &object).contains("init_array"));
}

#[test]
fn the_host_object_is_the_same_wherever_it_is_made() {
    let folder = scratch();
    let first = std::fs::read(host_object(&FIRST, Runtime::Offloadrt, folder.path())).expect("it was written");
    let (host, cpu) = (compile("host.cpp", &FIRST, folder.path()), compile("cpu.c", &FIRST, folder.path()));
    let registration = registration(&FIRST, Runtime::Offloadrt, true);
    let object = HostObject {
        host: std::slice::from_ref(&host),
        registration: Some(&registration),
        cpu: std::slice::from_ref(&cpu),
    };
    assert!(first == *object.merge(&tools()).expect("the parts are good"));
    let sections = listed("llvm-readelf", "-SWg", &folder.path().join("first.o"));
    let of_a_name = |name: &str| sections.lines().filter(|line| line.contains(name)).count();
    assert!(of_a_name(" .text.dropped_by_collection.first ") == 1 && of_a_name("group section") > 0, "{sections}");
}

#[test]
fn an_output_that_cannot_be_written_is_one_error() {
    let folder = scratch();
    let host = compile("cpu.c", &FIRST, folder.path());
    let registration = registration(&FIRST, Runtime::None, false);
    let object = HostObject { host: std::slice::from_ref(&host), registration: Some(&registration), cpu: &[] };
    let message = |path: &Path| object.write(&tools(), &Sink::new(path)).expect_err("it cannot be written").to_string();
    assert_eq!(message(Path::new("/dev/full")), "cannot write `/dev/full`: no space left on device");
    let shown = folder.path().display();
    assert_eq!(message(folder.path()), format!("cannot write `{shown}`: it is a directory"));
    let missing = message(&folder.path().join("no/out.o"));
    assert_eq!(missing, format!("cannot write `{shown}/no/out.o`: no such file or directory"));
    object.write(&tools(), &Sink::new("/dev/null")).expect("it takes everything");
}
