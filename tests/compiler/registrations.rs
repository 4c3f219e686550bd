//! Objects that register with CUDA and HIP: their calls are those of LLVM's wrapper for the same images, and they start
//! with the vendors' libraries.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{self, FlagSet, RECOMMENDED};
use harness::{llvm_tool, run, scratch};

const SECOND: FlagSet =
    FlagSet { name: "second", flags: &["-Copt-level=3", "-Cno-prepopulate-passes", "-g", "--cfg=second"] };

/// A runtime, its arch, the number of its language in LLVM, and its library.
struct Api {
    name: &'static str,
    archs: &'static str,
    kind: u32,
    library: &'static str,
}

const CUDA: Api = Api { name: "cuda", archs: "sm_80,sm_90a", kind: 2, library: "cuda/libcudart.so.12" };
const HIP: Api = Api { name: "hip", archs: "gfx1100,gfx90a", kind: 4, library: "hip/libamdhip64.so.5" };

fn source(name: &str) -> PathBuf {
    harness::root().join("tests/registrations").join(name)
}

/// Compiles the kernels for a runtime.
fn object(api: &Api, runtime: &str, set: FlagSet, folder: &Path) -> PathBuf {
    let bitcode = program::bitcode("tests/registrations/kernels.rs", set, folder);
    let output = folder.join(format!("{}.{runtime}.o", set.name));
    let (runtime, archs) = (format!("--runtime={runtime}"), format!("--offload-arch={}", api.archs));
    let outcome = program::compile(&bitcode, &output, &[&runtime, &archs]).success();
    assert_eq!(outcome.stderr(), "");
    output
}

/// Compiles a C or C++ file of the tests.
fn compile(name: &str, defined: &[String], folder: &Path) -> PathBuf {
    let output = folder
        .join(name)
        .with_extension(format!("{}.o", defined.first().map_or("", |d| d.rsplit('=').next().unwrap_or(""))));
    let mut command = Command::new(if name.ends_with(".cpp") { "c++" } else { "cc" });
    command.args(["-O1", "-fPIC", "-Wall", "-Werror", "-c"]).args(defined.iter().map(|one| format!("-D{one}")));
    run(command.arg(source(name)).arg("-o").arg(&output)).success();
    output
}

fn main_object(api: &Api, folder: &Path) -> PathBuf {
    compile("main.cpp", &[format!("API={}", api.name)], folder)
}

fn recorder(api: &Api, folder: &Path) -> PathBuf {
    compile("recorder.c", &[format!("PREFIX={}", api.name)], folder)
}

/// Links a program whose symbols have fixed addresses.
fn link(inputs: &[PathBuf], options: &[&str], program: &Path) {
    let mut command = Command::new("c++");
    run(command.arg("-no-pie").args(inputs).args(options).args(["-ldl", "-o"]).arg(program)).success();
}

/// The output of a program, and its log with the names of symbols instead of their addresses.
fn log(program: &Path) -> (String, String) {
    let outcome = run(&mut Command::new(program)).success();
    let mut log = outcome.stderr();
    let symbols = run(Command::new(llvm_tool("llvm-nm")).arg(program)).success().stdout();
    let is_named = |line: &&str| line.contains("__offload_handle.") || line.ends_with(" factors");
    for line in symbols.lines().filter(is_named) {
        let (address, name) = (line.split(' ').next().unwrap_or_default(), line.rsplit('.').next().unwrap_or_default());
        let name = if name.ends_with(" factors") { "host's factors" } else { &format!("handle of {name}") };
        log = log.replace(&format!("0x{}", address.trim_start_matches('0')), name);
    }
    (outcome.stdout(), log)
}

/// The images in the form of the runtime. LLVM's tool makes HIP's. NVIDIA's `fatbinary` would remove the comments in
/// PTX, so its output is compared where there are none, in the tests of `src/bundle/fatbinary.rs`.
fn images(api: &Api, folder: &Path) -> PathBuf {
    let output = folder.join("images");
    if api.name == "cuda" {
        let object = object(api, "cuda", RECOMMENDED, folder);
        let section = format!("--dump-section=.nv_fatbin={}", output.display());
        run(Command::new(llvm_tool("llvm-objcopy")).arg(section).arg(object).arg(folder.join("copy.o"))).success();
        return output;
    }
    let bitcode = program::bitcode("tests/registrations/kernels.rs", RECOMMENDED, folder);
    let mut command = Command::new(llvm_tool("clang-offload-bundler"));
    let mut ids = vec!["host-x86_64-unknown-linux-gnu".to_owned()];
    command.args(["-type=o", "-bundle-align=4096", "-input=/dev/null"]);
    for arch in api.archs.split(',') {
        let image = folder.join(arch);
        let option = format!("--offload-arch={arch}");
        program::compile(&bitcode, &image, &["--emit=image", &option, "--runtime=hip"]).success();
        ids.push(format!("hipv4-amdgcn-amd-amdhsa--{arch}"));
        command.arg(format!("-input={}", image.display()));
    }
    run(command.arg(format!("-targets={}", ids.join(","))).arg(format!("-output={}", output.display()))).success();
    output
}

/// The kernels of an object in their order, and the hash in its symbols.
fn kernels(object: &Path) -> (String, Vec<String>) {
    let json = run(Command::new(harness::offloadc()).args(["inspect", "--json"]).arg(object)).success().stdout();
    let value: serde_json::Value = serde_json::from_str(&json).expect("the output is JSON");
    let table = &value["objects"][0]["tables"][0];
    let kernels = table["kernels"].as_array().expect("the object has kernels");
    let name = |kernel: &serde_json::Value| kernel["name"].as_str().expect("a kernel has a name").to_owned();
    (table["hash"].as_str().expect("a table has a hash").to_owned(), kernels.iter().map(name).collect())
}

/// An object without registration, and the one that LLVM's wrapper makes for it.
fn wrapped(api: &Api, folder: &Path) -> Vec<PathBuf> {
    let object = object(api, "none", RECOMMENDED, folder);
    let (hash, kernels) = kernels(&object);
    let defined = ["KIND", "HASH", "FIRST", "SECOND"].into_iter();
    let kind = api.kind.to_string();
    let values = [&kind, &hash, &kernels[0], &kernels[1]];
    let defined: Vec<_> = defined.zip(values).map(|(name, value)| format!("{name}={value}")).collect();
    let (module, wrapper) = (folder.join("wrapper.bc"), folder.join("wrapper.o"));
    let mut command = Command::new(llvm_tool("llvm-offload-wrapper"));
    command.arg(format!("--kind={}", api.name)).arg("--triple=x86_64-unknown-linux-gnu");
    run(command.arg(images(api, folder)).arg("-o").arg(&module)).success();
    run(Command::new(llvm_tool("llc"))
        .args(["-filetype=obj", "-relocation-model=pic"])
        .arg(module)
        .arg("-o")
        .arg(&wrapper))
    .success();
    vec![object, wrapper, compile("entries.c", &defined, folder)]
}

fn check_calls(api: &Api) {
    let folder = scratch();
    let program = folder.path().join("program");
    let shared = [main_object(api, folder.path()), recorder(api, folder.path())];
    link(&[&shared[..], &wrapped(api, folder.path())].concat(), &[], &program);
    let expected = log(&program);
    let ours = object(api, api.name, RECOMMENDED, folder.path());
    for options in [&[][..], &["-Wl,--gc-sections"], &["-Wl,--gc-sections", "-static-libgcc", "-s"]] {
        link(&[&shared[..], std::slice::from_ref(&ours)].concat(), options, &program);
        let stripped = options.contains(&"-s");
        let (output, log) = log(&program);
        assert_eq!(output, expected.0, "{options:?}");
        assert!(stripped || log == expected.1, "{options:?}:\n{log}\ninstead of\n{}", expected.1);
        assert_eq!(log.lines().count(), expected.1.lines().count(), "{options:?}:\n{log}");
    }
    // Nothing is equal only because nothing is there.
    let lines: Vec<&str> = expected.1.lines().collect();
    let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(
        [
            "RegisterFatBinary(",
            "RegisterFunction(the binary, handle of ",
            "RegisterVar(the binary, host's factors, factors, factors, 0, 8, 0, 0)",
            "LaunchKernel(handle of "
        ]
        .map(count),
        [1, 2, 1, 2]
    );
    assert!(lines.last().is_some_and(|line| *line == "UnregisterFatBinary(the binary)"), "{}", expected.1);
}

#[test]
fn cuda_gets_the_calls_of_llvms_wrapper() {
    check_calls(&CUDA);
}

/// The driver loads the fat binary, and launches find the kernels by the names that were registered.
#[test]
fn cuda_launches_kernels_by_their_handles() {
    let Some(driver) = harness::emulators::folder("cuda:0") else { return };
    for device in ["sm_80", "sm_90"] {
        let folder = scratch();
        let program = folder.path().join("program");
        let inputs = [main_object(&CUDA, folder.path()), recorder(&CUDA, folder.path())];
        let ours = object(&CUDA, "cuda", RECOMMENDED, folder.path());
        link(&[&inputs[..], &[ours]].concat(), &["-Wl,--gc-sections"], &program);
        let mut command = Command::new(&program);
        command.env("RECORDER_DRIVER", driver.join("libcuda.so.1")).env("OFFLOAD_EMULATED", device);
        let text = run(&mut command).success().stdout();
        assert_eq!(text, "constructor\nmain\ny[0] = 3, y[255] = 513\ndestructor\n", "{device}");
    }
}

/// The same with the emulated library of HIP, which has the functions for registration itself.
#[test]
fn hip_launches_kernels_by_their_handles() {
    let Some(emulators) = harness::emulators::folder("hip:0") else { return };
    let (library, folder) = (emulators.join("libamdhip64.so"), scratch());
    let program = folder.path().join("program");
    let ours = object(&HIP, "hip", RECOMMENDED, folder.path());
    link(&[main_object(&HIP, folder.path()), ours, library], &["-Wl,--gc-sections"], &program);
    let start = |device: &str| {
        let mut command = Command::new(&program);
        run(command.env("OFFLOAD_EMULATED", device).env("LD_LIBRARY_PATH", &emulators))
    };
    for device in ["gfx90a", "gfx1100"] {
        let text = start(device).success().stdout();
        assert_eq!(text, "constructor\nmain\ny[0] = 3, y[255] = 513\ndestructor\n", "{device}");
    }
    // The static of the device is not the host's: `hipMemcpyToSymbol` finds it by the host's address.
    for device in ["gfx90a", "gfx1100"] {
        let mut command = Command::new(&program);
        command.arg("symbol").env("OFFLOAD_EMULATED", device).env("LD_LIBRARY_PATH", &emulators);
        let text = run(&mut command).success().stdout();
        assert_eq!(text, "constructor\nmain\ny[0] = 3, y[255] = 1023\ndestructor\n", "{device}");
    }
    let outcome = start("gfx906");
    assert_eq!((outcome.code(), outcome.stdout().contains("fill: hipErrorNoBinaryForGpu")), (1, true));
}

#[test]
fn hip_gets_the_calls_of_llvms_wrapper() {
    check_calls(&HIP);
}

/// A library that others need and that this system does not have: those of HIP are made for packages of Debian 12.
fn absent_library(library: &Path, folder: &str) -> Option<String> {
    let said = run(Command::new("ldd").arg(library).env("LD_LIBRARY_PATH", folder)).success().stdout();
    said.lines().find_map(|line| line.trim().strip_suffix(" => not found")).map(str::to_owned)
}

/// The program with the vendor's library, on a machine without its device.
fn check_library(api: &Api, without_device: &str) {
    let folder = scratch();
    let library = harness::root().join("target/tools").join(api.library);
    assert!(library.is_file(), "`scripts/deps tests` installs `{}`", library.display());
    let program = folder.path().join("program");
    let libraries = library.parent().expect("the library is in a folder").display().to_string();
    if let Some(absent) = absent_library(&library, &libraries) {
        // `scripts/deps tests` installs the packages where this LLVM is the default.
        if cfg!(not(feature = "llvm23")) {
            panic!("{} needs {absent}", api.library);
        }
        return eprintln!("skipped: {} needs {absent}, which this system does not have", api.library);
    }
    let inputs = [main_object(api, folder.path()), object(api, api.name, RECOMMENDED, folder.path()), library];
    // The libraries of HIP name others of the same folder.
    let options = [format!("-Wl,-rpath,{libraries}"), format!("-Wl,-rpath-link,{libraries}")];
    link(&inputs, &options.each_ref().map(String::as_str), &program);
    let outcome = run(Command::new(&program).env("LD_LIBRARY_PATH", libraries));
    // A machine with a device launches the kernels.
    let (there, absent) = (
        "constructor\nmain\ny[0] = 3, y[255] = 513\ndestructor\n",
        format!("constructor\nmain\nno device: {without_device}\ndestructor\n"),
    );
    let text = outcome.stdout();
    assert!((outcome.code(), &*text) == (0, there) || (outcome.code(), &text) == (3, &absent), "{}", outcome.report());
}

#[test]
fn a_program_starts_with_libcudart() {
    check_library(&CUDA, "cudaErrorInsufficientDriver");
}

#[test]
fn a_program_starts_with_hip() {
    check_library(&HIP, "hipErrorNoDevice");
}

#[test]
fn shared_objects_are_registered_while_they_are_open() {
    for api in [CUDA, HIP] {
        let folder = scratch();
        let (library, recorders) = (folder.path().join("libkernels.so"), folder.path().join("librecorder.so"));
        let (loader, loaded) = (compile("loader.c", &[], folder.path()), folder.path().join("loader"));
        let search = format!("-Wl,-rpath,{}", folder.path().display());
        run(Command::new("cc").arg("-shared").arg(recorder(&api, folder.path())).arg("-o").arg(&recorders)).success();
        let mut command = Command::new("cc");
        command.args(["-shared", "-Wl,-z,defs", "-Wl,-z,text", "-Wl,--gc-sections", &search]);
        let kernels = object(&api, api.name, RECOMMENDED, folder.path());
        run(command.arg(kernels).arg(&recorders).arg("-o").arg(&library)).success();
        run(Command::new("cc").arg(loader).args(["-ldl", "-o"]).arg(&loaded)).success();
        let log = run(Command::new(&loaded).arg(&library)).success().stderr();
        let verbs: Vec<&str> = log.lines().map(|line| line.split('(').next().unwrap_or(line)).collect();
        let end: &[&str] = if api.name == "cuda" { &["RegisterFatBinaryEnd"] } else { &[] };
        let start = ["RegisterFatBinary", "RegisterFunction", "RegisterFunction", "RegisterVar"];
        let once = [&start, end, &["opened, with a handle", "UnregisterFatBinary", "closed"]].concat();
        assert_eq!(verbs, [once.clone(), once].concat(), "{}:\n{log}", api.name);
    }
}

/// Objects for both runtimes, and one for offloadrt, in one program.
#[test]
fn objects_of_several_runtimes_are_in_one_program() {
    let folder = scratch();
    let program = folder.path().join("program");
    let mut inputs = vec![main_object(&CUDA, folder.path())];
    inputs.extend([&CUDA, &HIP].map(|api| recorder(api, folder.path())));
    inputs.push(object(&CUDA, "cuda", RECOMMENDED, folder.path()));
    inputs.push(object(&HIP, "hip", SECOND, folder.path()));
    link(&inputs, &[], &program);
    let (_, log) = log(&program);
    for (start, times) in
        [("RegisterFatBinary(466243b1,", 1), ("RegisterFatBinary(48495046,", 1), ("RegisterFunction", 4)]
    {
        assert_eq!(log.lines().filter(|line| line.starts_with(start)).count(), times, "{start}:\n{log}");
    }
    let text = run(Command::new(harness::offloadc()).arg("inspect").arg(&program)).success().stdout();
    for part in ["program, 4 images, 4 kernels", ", for cuda", ", for hip", "sm_90a", "gfx1100", "second_saxpy"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

/// Images that a runtime does not load remain in containers, and the images that it loads are there once.
#[test]
fn images_of_other_devices_remain_and_a_warning_names_them() {
    let folder = scratch();
    let bitcode = program::bitcode("tests/registrations/kernels.rs", RECOMMENDED, folder.path());
    let object = folder.path().join("kernels.o");
    let archs = "--offload-arch=cpu,sm_80,gfx90a,spirv64";
    let symbols = |object: &Path| run(Command::new(llvm_tool("llvm-nm")).arg(object)).success().stdout();
    for (runtime, unregistered) in [
        ("cuda", "`gfx90a`, `spirv64`, `cpu` are not registered with libcudart"),
        ("hip", "`sm_80`, `spirv64`, `cpu` are not registered with HIP"),
        ("liboffload", "`spirv64` are not registered with liboffload"),
    ] {
        let outcome = program::compile(&bitcode, &object, &[archs, &format!("--runtime={runtime}"), "--parts=16"]);
        assert!(outcome.success().stderr().contains(unregistered), "{runtime}");
        // The static is registered once, although each part may have kernels that use it.
        let registers = symbols(&object).lines().filter(|line| line.contains("__offload_variable_address.")).count();
        assert_eq!(registers, usize::from(runtime != "liboffload"), "{runtime}");
        let text = run(Command::new(harness::offloadc()).arg("inspect").arg(&object)).success().stdout();
        assert!(text.contains("object, 4 images, 2 kernels"), "{runtime}: {text}");
    }
}
