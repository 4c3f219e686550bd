//! Compiles the C++ files of src/llvm, the scheduler that is part of x86 images, and the libraries that are part of
//! device code.

/// The rules that rewrite text of a newer LLVM for our version, because the rustc that builds offloadc may be newer,
/// too.
#[path = "src/input/newer_llvm/text/mod.rs"]
mod newer_llvm_text;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the prefix of the LLVM that offloadc is built with.
const PREFIX: &str = if cfg!(feature = "llvm23") { "LLVM_SYS_231_PREFIX" } else { "LLVM_SYS_221_PREFIX" };
/// Its major version.
const MAJOR: &str = if cfg!(feature = "llvm23") { "23" } else { "22" };

fn llvm_config(prefix: &str, question: &str) -> String {
    let tool = PathBuf::from(prefix).join("bin/llvm-config");
    let answer = Command::new(&tool)
        .arg(question)
        .output()
        .unwrap_or_else(|e| panic!("cannot run {}: {e}; run `make deps`", tool.display()));
    String::from_utf8_lossy(&answer.stdout).trim().to_owned()
}

/// The folder of LLVM: in a checkout, `.cargo/config.toml` names it. `cargo install` reads no such file, so the package
/// takes the LLVM that `llvm-sys` finds in `PATH`.
fn llvm_prefix() -> String {
    std::env::var(PREFIX).ok().or_else(llvm_in_path).unwrap_or_else(|| {
        panic!("`llvm-config` of LLVM {MAJOR} is not in PATH; install LLVM's development files, or set {PREFIX}")
    })
}

fn llvm_in_path() -> Option<String> {
    let names = [format!("llvm-config-{MAJOR}"), format!("llvm-config{MAJOR}"), format!("llvm{MAJOR}-config")];
    names.iter().map(String::as_str).chain(["llvm-config"]).find_map(|name| {
        let ask = |question: &str| Command::new(name).arg(question).output().ok();
        let answer = |question: &str| Some(String::from_utf8_lossy(&ask(question)?.stdout).trim().to_owned());
        answer("--version").filter(|version| major(version) == MAJOR.parse().ok()).and_then(|_| answer("--prefix"))
    })
}

/// The C++ files of `src/llvm/`.
const SHIM: [&str; 29] = [
    "assemble.cpp",
    "emit.cpp",
    "bits.cpp",
    "shim.cpp",
    "clone.cpp",
    "counters.cpp",
    "divergence.cpp",
    "retype.cpp",
    "exits.cpp",
    "expand.cpp",
    "hoist.cpp",
    "indices.cpp",
    "link.cpp",
    "loops.cpp",
    "free_operands.cpp",
    "keep_masks.cpp",
    "machine_passes.cpp",
    "unrolled.cpp",
    "vectorized_loops.cpp",
    "pipeline.cpp",
    "pointers.cpp",
    "archive.cpp",
    "symbols.cpp",
    "features.cpp",
    "nodes.cpp",
    "text.cpp",
    "uses.cpp",
    "validate.cpp",
    "variables.cpp",
];

fn main() {
    println!("cargo:rerun-if-changed=src/input/newer_llvm/text");
    for file in SHIM.into_iter().chain(["descriptors.h"]) {
        println!("cargo:rerun-if-changed=src/llvm/{file}");
    }
    println!("cargo:rerun-if-env-changed={PREFIX}");
    let prefix = llvm_prefix();
    println!("cargo:rustc-env=OFFLOADC_LLVM_PREFIX={prefix}");
    println!("cargo:rustc-env=OFFLOADC_LLVM_VERSION={}", llvm_config(&prefix, "--version"));
    let mut shim = cc::Build::new();
    // More optimisation takes 7 of 24 seconds, in which one core waits, and offloadc executes 0.1 % fewer instructions.
    let _ = shim
        .cpp(true)
        .include("src/llvm")
        .std("c++17")
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag("-isystem")
        .flag(llvm_config(&prefix, "--includedir"))
        .opt_level(1)
        .debug(false)
        .file(shim_source());
    if cfg!(feature = "llvm23") {
        // `BranchInst` has two successors there, which LLVM 22 does not have.
        let _ = shim.flag("-Wno-deprecated-declarations");
    }
    shim.compile("offloadc_shim");
    // The static library where there is one, as on Debian, so that programs need no further package; a linker takes a
    // shared one first.
    println!("cargo:rustc-link-lib=SPIRV-Tools");
    check_loads(&prefix);
    compile_scheduler();
    compile_math();
    compile_memory();
    list_zstd();
    leave_llvm_out();
}

/// A file that includes the files of `SHIM`. Most of a compiler's time for each of them goes into the headers of LLVM,
/// which they share: one translation unit takes a fifth of the time of all.
fn shim_source() -> PathBuf {
    let path = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it")).join("offloadc_shim.cpp");
    let text: String = SHIM.iter().map(|file| format!("#include \"{file}\"\n")).collect();
    std::fs::write(&path, text).expect("the output folder can be written");
    path
}

/// Refuses an LLVM whose x86 code reads outside of a variable (#208611): upstream's 22.1.8 and older versions do, and
/// distributions that have repaired it do not say so in the version. Nothing is checked on other processors.
fn check_loads(prefix: &str) {
    let folder = Path::new("src/llvm/checks");
    println!("cargo:rerun-if-changed={}", folder.display());
    let variable = |name: &str| std::env::var(name).expect("cargo sets it");
    if !(variable("HOST") == variable("TARGET") && variable("CARGO_CFG_TARGET_ARCH") == "x86_64") {
        return;
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let (object, program) = (out.join("loads.o"), out.join("loads"));
    let mut compiler = Command::new(Path::new(prefix).join("bin/llc"));
    let _ = compiler.args(["-O2", "-filetype=obj", "-relocation-model=pic"]).arg(folder.join("loads.ll"));
    run(compiler.arg("-o").arg(&object));
    let mut linker = cc::Build::new().get_compiler().to_command();
    run(linker.arg(folder.join("loads.c")).arg(&object).arg("-o").arg(&program));
    let status = Command::new(&program).status().expect("the linker has written it");
    assert!(
        status.success(),
        "LLVM {} in {prefix} has the fault #208611 (https://github.com/llvm/llvm-project/issues/208611): x86 code reads \
         outside of variables. Debian's package of 22.1.8 has the repair; build with it, and name its folder with {PREFIX}",
        llvm_config(prefix, "--version"),
    );
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}; run `make deps`"));
    assert!(status.success(), "{command:?} failed: {status}");
}

/// Links `cargo-offloadc` without LLVM, of which it calls nothing. The linker exports an instance of a template if a
/// shared library has it, too, and keeps all exported code.
fn leave_llvm_out() {
    let path = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it")).join("cargo-offloadc.map");
    let text = "{ local: _ZN4llvm*; _ZNK4llvm*; _ZNSt*; _ZNKSt*; _ZTV*; _ZTS*; _ZTI*; _ZSt*; };\n";
    std::fs::write(&path, text).expect("the output folder can be written");
    println!("cargo:rustc-link-arg-bin=cargo-offloadc=-Wl,--version-script={}", path.display());
}

/// Writes the object files of the scheduler to the output folder; `src/targets/cpu/abi/omptarget.rs` includes them.
fn compile_scheduler() {
    let parts = ["cpu_scheduler", "cpu_chunks", "cpu_stack"];
    for part in parts {
        println!("cargo:rerun-if-changed=runtime-c/drivers/{part}.c");
        println!("cargo:rerun-if-changed=runtime-c/drivers/{part}.h");
    }
    println!("cargo:rerun-if-changed=runtime-c/offloadrt.h");
    let mut scheduler = cc::Build::new();
    let _ = scheduler
        .std("c11")
        .pic(true)
        .opt_level(2)
        .debug(false)
        .flag("-pthread")
        .flag("-fvisibility=hidden")
        .flag("-fstack-clash-protection")
        .files(parts.map(|part| format!("runtime-c/drivers/{part}.c")));
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    for (object, part) in scheduler.compile_intermediates().iter().zip(parts) {
        std::fs::copy(object, out.join(part).with_extension("o")).expect("the output folder can be written");
    }
}

/// Writes `math.bc` to the output folder: the functions of the `libm` crate, with the names of `math/portable.rs`. It
/// is the same on all machines: it contains no path, no debug information, and no code that depends on the processor.
fn compile_math() {
    println!("cargo:rerun-if-changed=math");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let variable = |name: &str| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let library = library_source("libm");
    let ours = variable("CARGO_MANIFEST_DIR").join("math");
    let module = |name: &str, path: &Path| format!("#[path = {path:?}]\nmod {name};\n");
    let own = ["portable", "straight", "angles", "arcs", "differences", "error_functions", "exp2", "powers", "rounds"];
    let own = own.map(|name| module(name, &ours.join(format!("{name}.rs"))));
    let modules = module("math", &library.join("math/mod.rs")) + &own.concat();
    // The `libm` crate refers to this module from its root.
    let text = format!("#![no_std]\n{modules}use math::support;\n");
    compile_bitcode("math", &text, &["-Copt-level=3", "--cap-lints=allow"], &[&library, &ours]);
}

/// The folder of a crate's `lib.rs`, which cargo has downloaded with the other dependencies. This call may also
/// download dependencies of tests.
fn library_source(name: &str) -> PathBuf {
    let variable = |name: &str| std::env::var(name).expect("cargo sets it");
    let answer = Command::new(variable("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform", &variable("TARGET")])
        .current_dir(variable("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&answer.stdout);
    // `"name":"libm"`, and later in the same package `"src_path":".../src/lib.rs"`.
    let package = said.split_once(&format!("\"name\":\"{name}\",\"version\":")).map(|(_, rest)| rest);
    let path = package.and_then(|rest| rest.split_once("\"src_path\":\"")?.1.split_once('"'));
    let (path, _) = path.unwrap_or_else(|| {
        panic!("cargo does not say where the crate `{name}` is: {}", String::from_utf8_lossy(&answer.stderr))
    });
    Path::new(path).parent().expect("a file is in a folder").to_path_buf()
}

/// Writes `zstd_sources.rs` to the output folder: the files of zstd's decoder that `runtime-c/objects/zstd.c` includes,
/// as pairs of a name and the contents, for a runtime that `offloadc` compiles itself.
fn list_zstd() {
    println!("cargo:rerun-if-changed=runtime-c/objects/zstd.c");
    let folder = library_source("zstd-sys").join("../zstd/lib").canonicalize().expect("the crate has zstd's source");
    let mut compiler = cc::Build::new().get_compiler().to_command();
    let answer = compiler.arg("-MM").arg("-iquote").arg(&folder).arg("runtime-c/objects/zstd.c").output();
    let answer = String::from_utf8(answer.expect("the compiler of the shim runs").stdout).expect("paths are text");
    let files = answer.split_whitespace().filter_map(|word| Path::new(word).canonicalize().ok());
    let files: std::collections::BTreeSet<_> = files.collect();
    let row = |path: &PathBuf| {
        let name = path.strip_prefix(&folder).ok()?;
        Some(format!("({:?}, include_bytes!({path:?})),\n", name.to_str()?))
    };
    let rows: String = files.iter().filter_map(row).collect();
    assert!(!rows.is_empty(), "the compiler does not list the files of {}", folder.display());
    let path = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")).join("zstd_sources.rs");
    std::fs::write(&path, format!("&[{rows}]")).expect("the output folder can be written");
}

/// Writes `memory.bc` to the output folder. LLVM must not replace the loops by calls of the functions themselves.
fn compile_memory() {
    println!("cargo:rerun-if-changed=memory/functions.rs");
    let variable = |name: &str| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let ours = variable("CARGO_MANIFEST_DIR").join("memory");
    let text = format!("#![no_std]\n#![no_builtins]\n#[path = {:?}]\nmod functions;\n", ours.join("functions.rs"));
    compile_bitcode("memory", &text, &["-Copt-level=s"], &[&ours]);
}

/// Writes `NAME.bc` to the output folder: a library that is the same on all machines. rustc writes it as text, because
/// text can be converted between versions of LLVM.
fn compile_bitcode(name: &str, text: &str, options: &[&str], folders: &[&Path]) {
    let variable = |name: &str| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let out = variable("OUT_DIR");
    let root = out.join(format!("{name}.rs"));
    std::fs::write(&root, text).expect("the output folder can be written");
    let assembly = out.join(format!("{name}.ll"));
    let mut rustc = Command::new(variable("RUSTC"));
    let _ = rustc
        .args([&format!("--crate-name={name}"), "--crate-type=lib", "--edition=2024", "--emit=llvm-ir"])
        .args(["-Cpanic=abort", "-Ccodegen-units=1", "-Cmetadata=offload", "-Cdebuginfo=0"])
        .args(["-Cno-vectorize-loops", "-Cno-vectorize-slp"])
        .args(options)
        .args(folders.iter().chain([&&*out]).map(|folder| format!("--remap-path-prefix={}={name}", folder.display())))
        .arg(format!("--target={}", std::env::var("TARGET").expect("cargo sets it")))
        .args(["-o".as_ref(), assembly.as_os_str(), root.as_os_str()]);
    let status = rustc.status().expect("cargo names a rustc that runs");
    assert!(status.success(), "a library for devices does not compile: {rustc:?}");
    assemble(&assembly, &out.join(format!("{name}.bc")));
}

/// Assembles rustc's text into bitcode of our LLVM.
fn assemble(text: &Path, bitcode: &Path) {
    let theirs = std::fs::read_to_string(text).expect("rustc has written it");
    let ours = newer_llvm_text::rewrite(&theirs, rustc_llvm() > our_llvm());
    let ours = ours.unwrap_or_else(|cannot| panic!("{}:{}: {}", text.display(), cannot.line, cannot.what));
    // Rust has no name for these without its standard library.
    let ours = ours.replace("@sqrt(", "@llvm.sqrt.f64(").replace("@sqrtf(", "@llvm.sqrt.f32(");
    std::fs::write(text, ours).expect("the output folder can be written");
    let assembler = Path::new(&llvm_prefix()).join("bin/llvm-as");
    let status = Command::new(&assembler).arg(text).arg("-o").arg(bitcode).status();
    let status = status.unwrap_or_else(|error| panic!("cannot run {}: {error}; run `make deps`", assembler.display()));
    assert!(status.success(), "{} does not take {}", assembler.display(), text.display());
}

/// The major version of the LLVM in the rustc that builds offloadc.
fn rustc_llvm() -> Option<u32> {
    let said = Command::new(std::env::var_os("RUSTC")?).arg("-vV").output().ok()?.stdout;
    let said = String::from_utf8(said).ok()?;
    major(said.lines().find_map(|line| line.strip_prefix("LLVM version: "))?)
}

fn our_llvm() -> Option<u32> {
    major(&llvm_config(&llvm_prefix(), "--version"))
}

fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}
