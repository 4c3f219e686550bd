//! The code of each program for the GPU targets: no access is flat if its address space is known. With `-g`, tools
//! accept the line tables of every target, and the result of the build is the same as without.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Bitcode;
use crate::accesses::{Accesses, count};
use harness::program::{self, FLAG_SETS, FlagSet, RECOMMENDED};
use harness::{Outcome, run, turns};

/// The archs whose code is looked at, one of each vendor among them, and those that are compiled with `-g` too.
const ARCHS: [&str; 3] = ["sm_90", "gfx90a", "gfx1100"];
const DEBUG_ARCHS: [&str; 2] = ["sm_90", "gfx90a"];
/// For the recommended flags.
const MORE_ARCHS: [&str; 4] = ["sm_90", "gfx90a", "gfx1100", "sm_70"];
/// Two of those without `OFFLOADC_ALL_FLAGS=1`. They are the others when the recommended flags are next, which is every
/// second turn.
const TWO_IN_TURN: [[&str; 2]; 4] = {
    let [first, second] = [["sm_90", "gfx90a"], ["gfx1100", "sm_70"]];
    [first, first, second, second]
};
/// For other flags than the recommended ones, without `OFFLOADC_ALL_FLAGS=1`.
const FEWER_ARCHS: [&str; 2] = ["sm_90", "gfx1100"];

/// Programs whose code is for the most part the sysroot's and takes seconds: not at `-O`, and with `-g` for one arch.
const LARGE: [&str; 4] = ["alloc", "library", "simd", "sort"];
/// `core::fmt` writes through `dyn Write`, to an unknown place. It takes NVIDIA's assembler half a minute.
const LEFT_OUT: &str = "format";
/// Programs whose addresses come from memory, functions that values choose and recursion on purpose, and those with
/// volatile accesses, which keep their address space.
const MIXED: [&str; 11] = [
    "pairs_blocks",
    "pairs_calls",
    "pairs_faults",
    "pairs_functions",
    "pairs_print",
    "pairs_statics",
    "parts",
    "registers",
    "scans",
    "stored_functions",
    "vectorized",
];

/// The archs for which a program is compiled at these flags, without and with `-g`.
fn archs(name: &str, set: FlagSet) -> (&'static [&'static str], &'static [&'static str]) {
    let recommended = set.name == RECOMMENDED.name;
    let fewer = recommended && !crate::sets::all_flags();
    match (LARGE.contains(&name), recommended) {
        _ if name == LEFT_OUT || MIXED.contains(&name) => (&[], &[]),
        (is_large, _) if fewer => {
            let archs = turns::of(name, &TWO_IN_TURN);
            (archs, &archs[..if is_large { 1 } else { 2 }])
        }
        (true, true) => (&ARCHS, &DEBUG_ARCHS[..1]),
        (true, false) if set.name == "O" => (&[], &[]),
        (true, false) if !crate::sets::all_flags() => (&FEWER_ARCHS[1..], &[]),
        (true, false) => (&ARCHS, &[]),
        (false, true) => (&MORE_ARCHS, &MORE_ARCHS),
        (false, false) if !crate::sets::all_flags() => (&FEWER_ARCHS, &DEBUG_ARCHS[..1]),
        (false, false) => (&ARCHS, &DEBUG_ARCHS),
    }
}

/// The sets without `-g`. In `make test`, every other program has one of them, in turn, and most of these programs the
/// recommended one.
const IN_TURN: [Option<&str>; 8] =
    [Some(RECOMMENDED.name), None, Some("O"), None, Some(RECOMMENDED.name), None, Some("O0"), None];

/// Whether a program is looked at with these flags; `number` is its place in a list.
pub(crate) fn is_checked(name: &str, number: usize, set: FlagSet) -> bool {
    let is_next = |place| crate::sets::all_flags() || turns::is_next(place, IN_TURN.len());
    let mut places = (number..).zip(IN_TURN);
    places.any(|(place, name)| name == Some(set.name) && is_next(place)) && !archs(name, set).0.is_empty()
}

/// The set with the same flags and `-g`.
pub(crate) fn with_debug_info(set: FlagSet) -> FlagSet {
    let name = format!("{}-g", set.name);
    FLAG_SETS.into_iter().find(|other| other.name == name).expect("the harness has each set with `-g` too")
}

/// Compiles a program without and with `-g`, and looks at both.
pub(crate) fn check(plain: &Bitcode, debug: &Bitcode) {
    let (name, set) = (crate::stem(plain.program.source), plain.set);
    let (plain_archs, debug_archs) = archs(&name, set);
    let folder = harness::scratch();
    let compiled = compile(plain, folder.path(), plain_archs, &["--emit=codegen", "-w"]);
    if compiled.code() == 0 {
        plain_archs.iter().for_each(|arch| check_accesses(folder.path(), &name, set, arch));
    } else {
        // rustc's own optimiser duplicates the barriers of some.
        let refused = compiled.stderr().contains("error[OFC0012]") && set.name != RECOMMENDED.name;
        assert!(refused, "{}", compiled.report());
    }
    if !debug_archs.is_empty() {
        let with_debug = compile(debug, folder.path(), debug_archs, &["--emit=image", "-g"]);
        let (one, other) = (compiled.code(), with_debug.code());
        assert_eq!(one, other, "-g decides over {name}:\n{}\n{}", compiled.report(), with_debug.report());
        if other == 0 {
            debug_archs.iter().for_each(|arch| check_image(&image(folder.path(), arch), arch, &name));
        }
    }
}

/// Compiles for all archs at once; the output is files in `folder` whose names contain the arch.
fn compile(bitcode: &Bitcode, folder: &Path, archs: &[&str], options: &[&str]) -> Outcome {
    let mut command = Command::new(harness::offloadc());
    command.current_dir(folder).arg(bitcode.path()).args(bitcode.program.options).args(options);
    run(command.arg(format!("--offload-arch={}", archs.join(","))))
}

fn check_accesses(folder: &Path, name: &str, set: FlagSet, arch: &str) {
    let file = folder.join(format!("{name}.{}.codegen.{arch}.s", set.name));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let found = count(&text);
    // Without `--device-print`, code that only prints is removed.
    assert!(found.all > 0 || name == "print", "{name} for {arch} accesses no memory");
    assert!(found.flat <= allowed(name), "{name} for {arch}: {found} accesses are flat");
}

/// How many flat accesses a program may have.
///
/// In `dynamic.rs` two functions are called through a table, with pointers to the stack and to a constant alike;
/// `intrinsics.rs` names the intrinsic that copies between generic pointers; rustc returns the four floats of
/// `tensor_core.rs` as two doubles, which stay on the stack if nothing optimised them; `simd.rs` keeps an iterator's
/// pointers in an array when nothing optimised it. `alloc.rs`, `maps.rs` and `host_calls.rs` find their allocations and
/// the mailbox through memory; `recursion.rs` and `sort.rs` recurse, so that their pointers are in frames;
/// `panics_deep.rs` does all of these: their accesses are not counted. Nor are those of `local_atomics.rs`, whose
/// pointers refer to locals or to device memory on purpose.
fn allowed(name: &str) -> usize {
    match name {
        "dynamic" | "tensor_core" => 2,
        "simd" => 6,
        "alloc" | "vtables" | "maps" | "host_calls" | "recursion" | "sort" | "panics_deep" | "local_atomics" => {
            usize::MAX
        }
        "intrinsics" => 1,
        _ => 0,
    }
}

fn image(folder: &Path, arch: &str) -> PathBuf {
    let part = format!(".image.{arch}.");
    let files = std::fs::read_dir(folder).expect("the folder was made").flatten().map(|entry| entry.path());
    let mut files = files.filter(|path| path.to_string_lossy().contains(&part));
    files.next().unwrap_or_else(|| panic!("no image for {arch}"))
}

/// The tools accept the image, and its lines refer to the program's source.
fn check_image(image: &Path, arch: &str, stem: &str) {
    let elf = if arch.starts_with("sm_") {
        let ptxas = harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler");
        let cubin = image.with_extension("cubin");
        let mut command = Command::new(ptxas);
        run(command.args(["-lineinfo", "-arch", arch]).arg(image).arg("-o").arg(&cubin)).success();
        cubin
    } else {
        run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--verify").arg(image)).success();
        image.to_path_buf()
    };
    let lines =
        run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--debug-line").arg(&elf)).success().stdout();
    assert!(lines.contains(&format!("{stem}.rs\"")) && lines.contains("is_stmt"), "{stem} for {arch}:\n{lines}");
}

/// Machine code that offloadc has assembled has a line table too, and the merged host object is sound.
pub(crate) fn machine_code_and_the_host_object_have_line_tables() {
    let folder = harness::scratch();
    let ptxas = harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler");
    let bitcode = program::bitcode("examples/contract/matmul.rs", with_debug_info(RECOMMENDED), folder.path());
    let (cubin, object) = (folder.path().join("matmul.cubin"), folder.path().join("matmul.o"));
    let ptxas = ptxas.to_string_lossy();
    program::compile(&bitcode, &cubin, &["-g", "--ptxas", &ptxas, "--offload-arch=sm_80-real", "--emit=image"])
        .success();
    check_lines(&cubin, "matmul.rs");
    program::compile(&bitcode, &object, &["-g", "--offload-arch=cpu,gfx90a"]).success();
    run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--verify").arg(&object)).success();
    check_lines(&object, "matmul.rs");
}

fn check_lines(file: &Path, source: &str) {
    let lines =
        run(Command::new(harness::llvm_tool("llvm-dwarfdump")).arg("--debug-line").arg(file)).success().stdout();
    assert!(lines.contains(source), "{}:\n{lines}", file.display());
}

/// The count itself, which a check that allows none would not miss.
pub(crate) fn accesses_are_told_apart() {
    let ptx = ".address_size 64
        ld.param.b64 %rd1, [k_param_0];
        @%p1 ld.global.nc.b32 %r1, [%rd1];
        ld.volatile.shared.b32 %r1, [%rd1];
        st.local.b32 [%rd1], %r1;
        atom.add.u32 %r1, [%rd1], 1;
        ld.b32 %r1, [%rd1];";
    assert_eq!(count(ptx), Accesses { flat: 2, all: 5 });
    let amd = "\ts_load_dwordx2 s[0:1], s[4:5], 0x0
        global_load_dword v1, v0, s[0:1]
        ds_read_b32 v1, v0
        ds_bpermute_b32 v1, v0, v2
        flat_store_dword v[0:1], v2
        buffer_store_dword v0, off, s[0:3], 0
        .amdhsa_uses_flat_scratch 1";
    assert_eq!(count(amd), Accesses { flat: 1, all: 4 });
}
