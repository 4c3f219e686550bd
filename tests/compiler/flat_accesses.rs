//! No access of the examples and run tests is flat where it can be known that none need be.

#[path = "../../benches/accesses.rs"]
mod accesses;

use std::path::Path;
use std::process::Command;

use accesses::{Accesses, count};
use harness::program::{FLAG_SETS, FlagSet, bitcode};

const ARCHS: [&str; 3] = ["sm_80", "gfx90a", "gfx1100"];

/// `core::fmt` writes through `dyn Write`: nobody knows where to.
const FORMATS: &str = "format.rs";

/// What takes seconds to compile.
const LARGE: [&str; 4] = ["alloc.rs", "library.rs", "simd.rs", "sort.rs"];

/// The accesses for each arch; none when the input is refused, as one must be whose barriers rustc doubled.
fn accesses(input: &Path, stem: &str, folder: &Path) -> Vec<(&'static str, Accesses)> {
    let archs = format!("--offload-arch={}", ARCHS.join(","));
    let mut command = Command::new(harness::offloadc());
    command.current_dir(folder).arg(input).args([&archs, "--emit=codegen", "-w"]);
    if stem.starts_with("glob.") {
        command.arg("--kernel=glob_*");
    }
    let outcome = harness::run(&mut command);
    if outcome.stderr().contains("error[OFC0012]") {
        return Vec::new();
    }
    let _said = outcome.success();
    let of = |arch| std::fs::read_to_string(folder.join(format!("{stem}.codegen.{arch}.s"))).expect("it was written");
    ARCHS.into_iter().map(|arch| (arch, count(&of(arch)))).collect()
}

/// Every source in a folder, with the flat accesses that each may have.
fn check(folder: &str, set: FlagSet, allowed: &dyn Fn(&str, &str) -> usize) {
    let scratch = harness::scratch();
    let entries = std::fs::read_dir(harness::root().join(folder)).expect("the folder is in the repository");
    let mut names: Vec<_> = entries.map(|e| e.expect("it can be listed").file_name().into_string().unwrap()).collect();
    names.sort();
    names.retain(|name| name.ends_with(".rs") && name != FORMATS);
    if set.name == "O" {
        names.retain(|name| !LARGE.contains(&name.as_str()));
    }
    for name in &names {
        let input = bitcode(&format!("{folder}/{name}"), set, scratch.path());
        let stem = input.file_stem().expect("bitcode has a name").to_string_lossy();
        for (arch, found) in accesses(&input, &stem, scratch.path()) {
            // Without `--device-print` nothing is left of what only prints.
            assert!(found.all > 0 || name == "print.rs", "{name} {} {arch} accesses no memory", set.name);
            assert!(found.flat <= allowed(name, arch), "{name} {} {arch}: {found} accesses are flat", set.name);
        }
    }
}

#[test]
fn the_examples_have_no_flat_access() {
    for set in [FLAG_SETS[0], FLAG_SETS[2], FLAG_SETS[4]] {
        check("examples/contract", set, &|_, _| 0);
    }
}

/// In `dynamic.rs` two functions are called through a table, with pointers to the stack and to a constant alike;
/// `intrinsics.rs` names the intrinsic that copies between generic pointers, and each of the two sorts of `sort.rs` hands
/// itself the last pivot or nothing; `simd.rs` keeps an iterator's pointers in an array when nothing optimised it. What
/// `alloc.rs` allocates it finds through memory, and `recursion.rs` hands on what lies on the stack or elsewhere;
/// `panics_deep.rs` does all of these, and what recurses keeps pointers in frames on AMD's GPUs: their accesses are not
/// counted. The largest are not compiled at `-O`.
#[test]
fn the_run_tests_have_few_flat_accesses() {
    for set in [FLAG_SETS[0], FLAG_SETS[2], FLAG_SETS[4]] {
        check("tests/run", set, &|name, arch| match name {
            "sort.rs" if arch.starts_with("gfx") => usize::MAX,
            "dynamic.rs" | "sort.rs" => 2,
            "simd.rs" => 6,
            "alloc.rs" | "recursion.rs" | "panics_deep.rs" => usize::MAX,
            "intrinsics.rs" => 1,
            _ => 0,
        });
    }
}

#[test]
fn accesses_are_told_apart() {
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
