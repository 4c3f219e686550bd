//! Large modules of the host are compiled by the LLVM of rustc. The code is that of offloadc's own LLVM.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{run, scratch};

/// The parts of a user's program: functions, a cold one among them, one with a jump table and a clean-up, zeros,
/// numbers, addresses, text, thread-locals, and statics without a value. Nothing calls `chosen_@`, and nothing defines
/// the functions that it needs.
const COPY: &str = r#"
static mut ZEROS_@: [u64; 9] = [0; 9];
static mut UNSET_@: (u64, std::mem::MaybeUninit<[u64; 9]>) = (0, std::mem::MaybeUninit::uninit());
static mut NUMBERS_@: [u64; 9] = [@; 9];
static TABLE_@: [fn(&str) -> u64; 2] = [length_@, cold_@];
thread_local! { static CALLS_@: std::cell::Cell<u64> = const { std::cell::Cell::new(@) }; }
thread_local! { static LISTS_@: std::cell::RefCell<Vec<u64>> = std::cell::RefCell::new(vec![@]); }
#[inline(never)]
fn length_@(text: &str) -> u64 { text.chars().map(|c| u64::from(u32::from(c))).filter(|c| c % 7 != @ % 7).sum() }
#[cold]
#[inline(never)]
fn cold_@(text: &str) -> u64 { format!("{text:>9}, {:?}", Some(@)).len() as u64 }
extern "Rust" { fn missing_@(text: &str) -> u64; }
#[no_mangle]
fn chosen_@(text: &str, number: u64) -> u64 {
    let owned = text.to_owned();
    match number {
        0 => length_@(&owned) + 3,
        1 => cold_@(&owned) * 5,
        2 => unsafe { missing_@(&owned) },
        3 => run_@(&owned) ^ number,
        4 => length_@(&owned[1..]),
        _ => cold_@(&owned[2..]),
    }
}
fn run_@(text: &str) -> u64 {
    CALLS_@.set(CALLS_@.get() + text.len() as u64);
    LISTS_@.with(|list| list.borrow_mut().push(1));
    unsafe { UNSET_@.0 += 1; UNSET_@.1.as_mut_ptr().cast::<u64>().write_volatile(UNSET_@.0); }
    unsafe { ZEROS_@[text.len() % 9] += 1; NUMBERS_@[text.len() % 9] += ZEROS_@[1]; }
    TABLE_@[text.len() % 2](text) + CALLS_@.get() + unsafe { NUMBERS_@[text.len() % 9] }
}
"#;
const KERNEL: &str = "
#[no_mangle]
pub unsafe extern \"C\" fn kernel(to: *mut u32) { *to += 1 }
";
/// A function with a jump table that the program calls.
const LIVE: &str = r"
#[inline(never)]
fn live(number: u64, text: &str) -> u64 {
    match number % 6 {
        0 => length_0(text) + 3,
        1 => cold_0(text) * 5,
        2 => run_0(text),
        3 => length_0(&text[1..]),
        4 => cold_0(&text[2..]),
        _ => run_0(text) ^ number,
    }
}
";

/// It writes a file when it is loaded. With `SPY_DIES`, it ends in the middle of the work.
const SPY: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void note(void) { FILE *f = fopen("loaded", "w"); if (f) fclose(f); }
void *LLVMRunPasses(void *module, const char *passes, void *machine, void *options) {
    if (getenv("SPY_DIES")) raise(SIGKILL);
    void *(*run)(void *, const char *, void *, void *) = dlsym(RTLD_NEXT, "LLVMRunPasses");
    return run(module, passes, machine, options);
}
"#;

const MAIN: &str = "fn main() {\n    let (text, mut sum) = (\"abc\".repeat(3), 0);\n";

/// The bitcode of a program with so many copies.
fn program(folder: &Path, copies: usize) -> PathBuf {
    let (source, bitcode) = (folder.join("app.rs"), folder.join("app.bc"));
    let calls: String = (0..copies).map(|number| format!("    sum += run_{number}(&text);\n")).collect();
    let text = (0..copies).map(|number| COPY.replace('@', &number.to_string())).collect::<String>() + KERNEL + LIVE;
    let main = format!("{MAIN}{calls}    println!(\"{{}}\", live(sum, &text));\n}}\n");
    std::fs::write(&source, text + &main).expect("the folder is ours");
    compiled(&source, &bitcode)
}

/// The bitcode of a program that is too small to be worth another process.
fn small_program(folder: &Path) -> PathBuf {
    let (source, bitcode) = (folder.join("small.rs"), folder.join("small.bc"));
    std::fs::write(&source, format!("{KERNEL}fn main() {{}}\n")).expect("the folder is ours");
    compiled(&source, &bitcode)
}

fn compiled(source: &Path, bitcode: &Path) -> PathBuf {
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2021", "--emit=llvm-bc", "-Copt-level=2", "-Cno-prepopulate-passes", "-Awarnings"]);
    let _said = run(rustc.arg(source).arg("-o").arg(bitcode)).success();
    bitcode.to_path_buf()
}

/// The library that a program of LLVM loads, after one that prints that it was loaded.
fn spy(folder: &Path) -> PathBuf {
    let tool = harness::llvm_tool("llvm-config");
    let llvm = tool.ancestors().nth(2).expect("the tool is in a folder of LLVM's");
    let (source, spy) = (folder.join("spy.c"), folder.join("spy.so"));
    std::fs::write(&source, SPY).expect("the folder is ours");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"]).arg(&spy).arg(&source);
    cc.arg(llvm.join("lib/libLLVM.so")).arg(format!("-Wl,-rpath,{}", llvm.join("lib").display()));
    let _said = run(&mut cc).success();
    spy
}

/// The host code of a program, by the LLVM of this library if it can be loaded. Returns whether it was.
fn host_code(folder: &Path, bitcode: &Path, library: &Path) -> (Vec<u8>, bool) {
    host_code_with(folder, bitcode, library, &[], &[])
}

/// The same with options, and with variables in the environment.
fn host_code_with(
    folder: &Path,
    bitcode: &Path,
    library: &Path,
    options: &[&str],
    environment: &[(&str, &str)],
) -> (Vec<u8>, bool) {
    let loaded = folder.join("loaded");
    let _absent = std::fs::remove_file(&loaded);
    let mut command = compiler(folder, bitcode, library);
    command.args(["--no-cache", "--emit=host=host.o"]).args(options).envs(environment.iter().copied());
    let _said = run(&mut command).success();
    (std::fs::read(folder.join("host.o")).expect("offloadc wrote it"), loaded.exists())
}

/// A command that compiles the program.
fn compiler(folder: &Path, bitcode: &Path, library: &Path) -> Command {
    compiler_of(&harness::offloadc(), folder, bitcode, library)
}

/// The same with another offloadc.
fn compiler_of(program: &Path, folder: &Path, bitcode: &Path, library: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).arg(bitcode).args(["-O2", "--kernel=kernel", "--offload-arch=cpu", "-o", "app.o"]);
    command.arg(format!("--rustc-llvm={}", library.display()));
    command
}

/// Both objects have the same sections, because both LLVMs are one version.
#[test]
fn large_modules_are_compiled_by_rustcs_llvm() {
    let folder = scratch();
    let (folder, spy) = (folder.path(), spy(folder.path()));
    let large = program(folder, 30);
    let (ours, ours_loaded) = host_code(folder, &large, Path::new("/nonexistent"));
    let (theirs, theirs_loaded) = host_code(folder, &large, &spy);
    assert_eq!((ours_loaded, theirs_loaded), (false, true));
    let (ours, theirs) = (sections(&ours), sections(&theirs));
    let different: Vec<_> = ours.iter().filter(|section| !theirs.contains(section)).collect();
    assert!(different.is_empty() && ours.len() == theirs.len(), "{different:#?}");
    assert!(ours.iter().any(|(name, ..)| name.starts_with(".rodata.chosen_")), "{ours:#?}");
    let small = small_program(folder);
    assert!(!host_code(folder, &small, &spy).1, "a small module is not worth another process");
}

/// The functions that nothing calls need symbols that nothing defines, and have jump tables, as one has that is called.
#[test]
fn a_linker_leaves_out_what_nothing_uses() {
    let folder = scratch();
    let (folder, spy) = (folder.path(), spy(folder.path()));
    let large = program(folder, 30);
    for library in [Path::new("/nonexistent"), &spy] {
        let mut command = compiler(folder, &large, library);
        command.args(["--no-cache", "--emit=exe", "-o", "app"]);
        let _said = run(&mut command).success();
    }
}

#[test]
fn the_llvm_of_rustc_can_be_switched_off_and_may_die() {
    let folder = scratch();
    let (folder, spy) = (folder.path(), spy(folder.path()));
    let large = program(folder, 30);
    let (ours, _) = host_code(folder, &large, Path::new("/nonexistent"));
    let (switched_off, was_loaded) = host_code_with(folder, &large, &spy, &["--host-llvm=own"], &[]);
    assert!(!was_loaded && switched_off == ours);
    let (died, was_loaded) = host_code_with(folder, &large, &spy, &[], &[("SPY_DIES", "1")]);
    assert!(was_loaded && died == ours, "our LLVM compiles what the other one cannot");
}

/// Which rustc is there has no effect on the code of another compiler.
#[test]
fn modules_of_other_compilers_are_left_to_our_llvm() {
    let folder = scratch();
    let (folder, spy) = (folder.path(), spy(folder.path()));
    let large = program(folder, 30);
    let mut bytes = std::fs::read(&large).expect("rustc wrote it");
    let names: Vec<_> = memchr::memmem::find_iter(&bytes, "rustc version").collect();
    assert!(!names.is_empty(), "rustc writes its name into a module");
    names.into_iter().for_each(|at| bytes[at..at + 5].copy_from_slice(b"other"));
    std::fs::write(&large, bytes).expect("the folder is ours");
    assert!(!host_code(folder, &large, &spy).1);
}

#[test]
fn the_key_of_a_host_object_has_the_llvm_that_made_it() {
    let folder = scratch();
    let (folder, spy) = (folder.path(), spy(folder.path()));
    let other = folder.join("other.so");
    let mut bytes = std::fs::read(&spy).expect("cc wrote it");
    bytes.extend_from_slice(b"another library");
    std::fs::write(&other, bytes).expect("the folder is ours");
    let large = program(folder, 30);
    let missed = |library: &Path, options: &[&str]| {
        let mut command = compiler(folder, &large, library);
        let said = run(command.args(["--cache-dir=cache", "--cache-why"]).args(options)).success().stderr();
        said.lines().filter(|line| line.contains("host object")).count()
    };
    assert_eq!([missed(&spy, &[]), missed(&spy, &[])], [1, 0]);
    assert_eq!([missed(&other, &[]), missed(&other, &[])], [1, 0], "a library with other bytes");
    assert_eq!([missed(&other, &["--host-llvm=own"]), missed(Path::new("/nonexistent"), &[])], [1, 0]);
}

/// The program that loads the LLVM of rustc may change while offloadc does not.
#[test]
fn the_key_of_a_host_object_has_the_program_that_loads_llvm() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = scratch();
    let (folder, spy) = (folder.path(), spy(folder.path()));
    let (large, own) = (program(folder, 30), folder.join("offloadc"));
    let linked = std::fs::hard_link(harness::offloadc(), &own);
    linked.or_else(|_| std::fs::copy(harness::offloadc(), &own).map(|_| ())).expect("the folder is ours");
    let missed = |word: &str| {
        let (path, real) = (folder.join("offloadc-dis"), harness::program_folder().join("offloadc-dis"));
        let text = format!("#!/bin/sh\n# {word}\nexec '{}' \"$@\"\n", real.display());
        std::fs::write(&path, text).expect("the folder is ours");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
        let mut command = compiler_of(&own, folder, &large, &spy);
        let said = run(command.args(["--cache-dir=cache", "--cache-why"])).success().stderr();
        said.lines().filter(|line| line.contains("host object")).count()
    };
    assert_eq!([missed("one"), missed("one"), missed("two"), missed("two")], [1, 0, 1, 0]);
}

/// The LLVM of rustc may die in one run only, for example without memory. Code that our LLVM makes then has a separate
/// key, so the next run tries again.
#[test]
fn what_ours_made_because_the_other_died_is_not_kept_as_its_own() {
    let folder = scratch();
    let (folder, spy) = (folder.path(), spy(folder.path()));
    let large = program(folder, 3);
    let missed = |dies: bool| {
        let mut command = compiler(folder, &large, &spy);
        command.envs(dies.then_some(("SPY_DIES", "1"))).args(["--cache-dir=cache", "--cache-why"]);
        let said = run(&mut command).success().stderr();
        said.lines().filter(|line| line.contains("host object")).count()
    };
    let outcomes = [missed(true), missed(true), missed(false), missed(false)];
    assert_eq!(outcomes, [1, 1, 1, 0]);
}

/// rustc merges equal functions, like either LLVM here.
#[test]
fn equal_functions_of_the_host_are_one() {
    let folder = scratch();
    let folder = folder.path();
    let (source, bitcode) = (folder.join("equal.rs"), folder.join("equal.bc"));
    let function = |number: u32| {
        format!(
            "#[inline(never)] fn equal_{number}(text: &str) -> u64 {{ text.chars().map(|c| u64::from(u32::from(c))).sum() }}\n"
        )
    };
    let main = "fn main() { let text = std::env::args().next().unwrap(); println!(\"{}\", equal_1(&text) + equal_2(&text)); }\n";
    std::fs::write(&source, [&function(1), &function(2), KERNEL, main].concat()).expect("the folder is ours");
    let bitcode = compiled(&source, &bitcode);
    let spy = spy(folder);
    for library in [Path::new("/nonexistent"), &spy] {
        let (object, _) = host_code(folder, &bitcode, library);
        let named = |name: &str| sections(&object).iter().filter(|(section, ..)| section.contains(name)).count();
        assert_eq!((named("equal_1"), named("equal_2")), (1, 0), "{:#?}", sections(&object));
    }
}

/// The names, sizes and flags of the sections that a program loads, sorted.
fn sections(object: &[u8]) -> Vec<(String, u64, u64)> {
    let elf = goblin::elf::Elf::parse(object).expect("offloadc writes objects");
    let name = |at| elf.shdr_strtab.get_at(at).unwrap_or_default().to_owned();
    let code = elf.section_headers.iter().filter(|header| header.sh_flags & 2 != 0);
    let mut all: Vec<_> = code.map(|header| (name(header.sh_name), header.sh_size, header.sh_flags)).collect();
    all.sort();
    all
}
