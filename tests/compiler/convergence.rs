//! Random kernels with barriers, compiled by rustc with each set of flags, and compared with an interpreter of their
//! source.
//!
//! A kernel may be refused, but never compiled wrongly, and only a few are refused. `OFFLOADC_KERNELS=FIRST..END`
//! selects other seeds; many are compiled in steps. A kernel that one set of flags or one version of rustc refuses is
//! refused by all: `OFFLOADC_RICH_KERNELS=FIRST..END` selects the seeds of these kernels.

mod generate;
mod interpret;
mod text;

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use generate::Kernel;
use harness::program::{self, FlagSet, RECOMMENDED};
use harness::{emulators, opencl, run};

/// The arguments of the launches.
const PARAMETERS: [[u32; 2]; 4] = [[0, 0], [1, 3], [3, 2], [4, 5]];
/// rustc's flags, and the archs to compile for. SPIR-V has no code for some output of LLVM's vectoriser.
const SETS: [(FlagSet, &str); 4] = [
    (RECOMMENDED, "cpu,spirv64"),
    (FlagSet { name: "O", flags: &["-O"] }, "cpu"),
    (FlagSet { name: "O-scalar", flags: &["-O", "-Cno-vectorize-loops", "-Cno-vectorize-slp"] }, "spirv64"),
    (FlagSet { name: "O0", flags: &["-Copt-level=0"] }, "cpu,spirv64"),
];
/// The number of kernels in a program.
const STEP: u64 = 32;
/// Kernels whose loops Intel's compiler must not unroll (`targets/spirv/loops.rs`).
const LEFT_WHOLE: [u64; 2] = [165, 271];

#[test]
fn random_kernels_are_right_or_refused() {
    let (first, end) = seeds("OFFLOADC_KERNELS", STEP);
    let mut refused = Vec::new();
    for start in (first..end).step_by(STEP as usize) {
        let more = if start == 0 { &LEFT_WHOLE[..] } else { &[] };
        let kernels: Vec<_> =
            (start..end.min(start + STEP)).chain(more.iter().copied()).map(generate::kernel).collect();
        for (set, archs) in SETS {
            refused.extend(check(&kernels, set, archs));
        }
    }
    let all = (end - first) as usize * SETS.len();
    println!("{} of {all} refused: {}", refused.len(), refused.join(" "));
    assert!(refused.len() * 20 <= all, "more than 5 % are refused: {}", refused.join(" "));
}

/// The programs of `tests/run` whose barriers rustc and LLVM duplicate, with the number of barriers in the source of
/// their kernels, and the same with ballots.
const COPIED: [(&str, [usize; 2]); 4] = [
    ("tests/run/threaded.rs", [1, 0]),
    ("tests/run/unswitched.rs", [2, 0]),
    ("tests/run/copied.rs", [6, 1]),
    ("tests/run/tolerance.rs", [6, 0]),
];

#[test]
#[cfg_attr(feature = "llvm23", ignore = "LLVM 23 unrolls loops with barriers where all threads take as many turns")]
fn code_has_one_barrier_for_each_in_the_source() {
    for (source, [barriers, ballots]) in COPIED {
        for (set, _) in SETS {
            let folder = harness::scratch();
            let bitcode = program::bitcode(source, set, folder.path());
            for (arch, instruction) in [("sm_80", "bar.sync"), ("gfx90a", "s_barrier")] {
                let code = folder.path().join(arch);
                let emit = format!("--emit=codegen={}", code.display());
                let arguments = [bitcode.display().to_string(), format!("--offload-arch={arch}"), emit];
                run(Command::new(harness::offloadc()).args(arguments)).success();
                let text = std::fs::read_to_string(&code).expect("offloadc wrote it");
                let count =
                    |instruction: &str| text.lines().filter(|l| l.trim_start().starts_with(instruction)).count();
                assert_eq!(count(instruction), barriers, "{source} at {} for {arch}:\n{text}", set.name);
                if let (Some(ptxas), "sm_80") = (harness::ptxas(), arch) {
                    assert_eq!(count("vote.sync"), ballots, "{source} at {} for {arch}:\n{text}", set.name);
                    for level in ["-O0", "-O3"] {
                        let cubin = folder.path().join("cubin");
                        let mut command = Command::new(&ptxas);
                        run(command.args([level, "-arch=sm_80"]).arg(&code).arg("-o").arg(&cubin)).success();
                        let cubin = std::fs::read(&cubin).expect("ptxas wrote it");
                        assert_eq!(machine_barriers(&cubin), barriers, "{source} at {}, ptxas {level}", set.name);
                    }
                }
            }
        }
    }
}

/// The number of barriers in machine code for `sm_80`: instructions have 16 bytes, and the lowest 12 bits are the
/// opcode.
fn machine_barriers(cubin: &[u8]) -> usize {
    const BAR: u16 = 0xb1d;
    let file = goblin::elf::Elf::parse(cubin).expect("ptxas writes ELF");
    let named = |at: usize| file.shdr_strtab.get_at(at).unwrap_or_default();
    let code = file.section_headers.iter().filter(|s| named(s.sh_name).starts_with(".text."));
    let bytes = code.flat_map(|s| cubin[s.file_range().expect("code has bytes")].chunks(16));
    bytes.filter(|i| u16::from_le_bytes([i[0], i[1]]) & 0xfff == BAR).count()
}

fn seeds(variable: &str, usual: u64) -> (u64, u64) {
    let given = std::env::var(variable).unwrap_or_else(|_| format!("0..{usual}"));
    let parsed = given.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parsed.unwrap_or_else(|| panic!("{variable} is FIRST..END"))
}

/// Kernels that are refused only as `-O` compiles them: in one of several copies of a loop, LLVM has computed in closed
/// form whether an iteration would return, which only arithmetic over all iterations shows to be the same.
const UNPROVEN: [&str; 1] = ["r64"];

/// The archs that each set of flags is compiled for. On the CPU, the threads of a block run in turn, so barriers that
/// only some of them reach together go unnoticed. The lanes of an emulated wave of gfx1100 execute a barrier together,
/// and only then those that are elsewhere. `-O` makes most copies.
const ARCHS: [&str; 4] = ["cpu", "cpu,gfx1100", "cpu,sm_80", "cpu"];

/// Votes and shuffles, returns, and barriers under every kind of condition: with optimisation and without, and with
/// each installed version of rustc, the same kernels are refused, and the others give the results of the interpreter.
#[test]
fn a_kernel_is_refused_with_all_flags_and_versions_or_with_none() {
    let (first, end) = seeds("OFFLOADC_RICH_KERNELS", if all_kernels() { 200 } else { 12 });
    for start in (first..end).step_by(STEP as usize) {
        let kernels: Vec<_> = (start..end.min(start + STEP)).map(generate::rich_kernel).collect();
        let by_set = SETS.into_iter().zip(ARCHS);
        let by_set = by_set.map(|((set, _), archs)| (set.name.to_owned(), check(&kernels, set, archs)));
        let by_version = toolchains().into_iter().map(|(version, rustc)| (version, refused_with(&rustc, &kernels)));
        let refused: Vec<_> = by_set.chain(by_version).collect();
        let names = |refused: &[String]| -> Vec<String> {
            refused.iter().map(|name| name.split('/').next().unwrap_or_default().to_owned()).collect()
        };
        println!("{start}: {refused:?}");
        let unproven: Vec<_> = kernels.iter().map(|k| k.name.clone()).filter(|k| UNPROVEN.contains(&&k[..])).collect();
        for (with, other) in &refused {
            let mut usual = names(&refused[0].1);
            if with.starts_with("O") && with != "O0" {
                usual.extend(unproven.iter().cloned());
            }
            let named: HashSet<_> = names(other).into_iter().collect();
            let same = named == usual.into_iter().collect();
            assert!(same, "refused at {}: {:?}, with {with}: {other:?}", refused[0].0, refused[0].1);
        }
    }
}

fn all_kernels() -> bool {
    std::env::var_os("OFFLOADC_ALL_KERNELS").is_some()
}

/// The installed versions of rustc, in their order.
fn toolchains() -> Vec<(String, PathBuf)> {
    let folder = harness::root().join("target/toolchains/toolchains");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path().join("bin/rustc")))
        .collect();
    found.sort();
    found
}

/// The kernels that are refused as one version of rustc compiles them. Their host code has another standard library, so
/// they are not run.
fn refused_with(rustc: &Path, kernels: &[Kernel]) -> Vec<String> {
    let folder = harness::scratch();
    let [source, bitcode] = ["kernels.rs", "kernels.bc"].map(|name| folder.path().join(name));
    std::fs::write(&source, program_text(kernels)).expect("the folder is ours");
    let mut command = Command::new(rustc);
    command.env_remove("RUSTUP_TOOLCHAIN").args(["--edition=2021", "--emit=llvm-bc"]).args(RECOMMENDED.flags);
    run(command.arg(&source).arg("-o").arg(&bitcode)).success();
    compile(kernels, &bitcode, &folder.path().join("kernels.o"), "cpu", rustc.parent())
}

/// Compiles and runs kernels with one set of flags. Returns the refused ones.
fn check(kernels: &[Kernel], set: FlagSet, archs: &str) -> Vec<String> {
    let folder = harness::scratch();
    let source = folder.path().join("kernels.rs");
    std::fs::write(&source, program_text(kernels)).expect("the folder is ours");
    let bitcode = program::bitcode(&source.display().to_string(), set, folder.path());
    let object = folder.path().join("kernels.o");
    let refused = compile(kernels, &bitcode, &object, archs, None);
    let executable = folder.path().join("kernels");
    program::link_rust(&object, "offloadrt", &executable);
    let expected = expected(kernels, &refused);
    if archs.contains("cpu") {
        compare(&expected, &run(&mut Command::new(&executable)).success().stdout(), set, "cpu");
    }
    if archs.contains("spirv64") && opencl::folder().is_some() {
        let mut command = Command::new(&executable);
        // The code that Intel's vectoriser generates for some kernels crashes, with all flags of rustc:
        // tests/compiler/convergence/vectoriser.spvasm is one of them.
        let command = opencl::choose(&mut command).env("CL_CONFIG_USE_VECTORIZER", "False");
        compare(&expected, &run(command).success().stdout(), set, "opencl");
    }
    for emulated in emulators::all().filter(|emulated| archs.split(',').any(|arch| arch == emulated.arch)) {
        let mut command = Command::new(&executable);
        let outcome = run(emulators::choose(&mut command, emulated)).success();
        compare(&expected, &outcome.stdout(), set, emulated.arch);
    }
    refused.into_iter().map(|name| format!("{name}/{}", set.name)).collect()
}

/// Compiles the kernels that are not refused. Returns the names of the others. `rustc` is the folder of the programs
/// that have made the bitcode, if they are not the usual ones.
fn compile(kernels: &[Kernel], bitcode: &Path, object: &Path, archs: &str, rustc: Option<&Path>) -> Vec<String> {
    let archs = format!("--offload-arch={archs}");
    let with = |refused: &HashSet<String>| {
        let kept = kernels.iter().filter(|k| !refused.contains(&k.name));
        let names: Vec<_> = kept.map(|k| format!("--kernel={}", k.name)).collect();
        let mut command = Command::new(harness::offloadc());
        if let Some(rustc) = rustc {
            command.env("PATH", harness::search_path(&[rustc, &harness::program_folder()]));
        }
        run(command.arg(bitcode).arg(&archs).args(&names).arg("-o").arg(object))
    };
    // Each cause is reported once.
    let named =
        |line: &str| Some(line.strip_prefix("error[OFC")?.split_once("kernel `")?.1.split('`').next()?.to_owned());
    let mut refused = HashSet::new();
    loop {
        let outcome = with(&refused);
        if outcome.code() == 0 {
            break;
        }
        let before = refused.len();
        refused.extend(outcome.stderr().lines().filter_map(named));
        assert!(refused.len() > before, "{}", outcome.report());
    }
    kernels.iter().map(|k| k.name.clone()).filter(|name| refused.contains(name)).collect()
}

fn compare(expected: &str, got: &str, set: FlagSet, device: &str) {
    for (wanted, line) in expected.lines().zip(got.lines()) {
        assert_eq!(wanted, line, "at {} on {device}", set.name);
    }
    assert_eq!(expected.lines().count(), got.lines().count(), "at {} on {device}:\n{got}", set.name);
}

fn expected(kernels: &[Kernel], refused: &[String]) -> String {
    let mut text = String::new();
    for kernel in kernels.iter().filter(|k| !refused.contains(&k.name)) {
        for parameters in PARAMETERS {
            let _done = writeln!(text, "{} {parameters:?} {:x?}", kernel.name, interpret::run(kernel, parameters));
        }
    }
    text
}

/// The code that the kernels share.
const COMMON: &str = "use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use offload::{argument, Device, Shape};
extern \"C\" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_shuffle(value: u32, lane: u32) -> u32;
}
#[link_section = \".offload.shared\"]
static mut VALUES: [u32; 32] = [0; 32];
#[link_section = \".offload.shared\"]
static NUMBERS: [AtomicU32; 32] = [const { AtomicU32::new(0) }; 32];
#[inline(never)]
unsafe fn exchange(t: u32, v: u32, k: u32) -> u32 {
    VALUES[(t & 31) as usize] = v;
    __offload_sync_threads();
    let other = VALUES[(t.wrapping_add(k) & 31) as usize];
    __offload_sync_threads();
    other
}
#[inline(never)]
fn is_odd(n: u32) -> bool {
    n % 2 == 1
}
unsafe fn write(out: *mut u32, t: u32, values: [u32; 3]) {
    for (k, value) in values.into_iter().enumerate() {
        *out.add(3 * t as usize + k) = value;
    }
}
";

/// A program that launches each registered kernel and prints its results.
fn program_text(kernels: &[Kernel]) -> String {
    let common = harness::root().join("examples/contract/common/offload.rs");
    let names: Vec<_> = kernels.iter().map(|k| format!("{:?}", k.name)).collect();
    let mut text = format!("#![allow(static_mut_refs, unused)]\n#[path = {common:?}]\nmod offload;\n") + COMMON;
    text += &kernels.iter().map(text::source).collect::<String>();
    let _done = write!(
        text,
        "fn main() {{
    let device = Device::open();
    let threads = {threads};
    for name in [{names}] {{
        let Some(kernel) = offload::find_kernel(name) else {{ continue }};
        for p in {PARAMETERS:?} {{
            let out = device.upload(&vec![0u32; 3 * threads]);
            let shape = Shape::linear(threads as u32, threads as u32);
            device.launch(kernel, shape, &[argument(&p[0]), argument(&p[1]), argument(&out.as_mut_ptr())]);
            println!(\"{{name}} {{p:?}} {{:x?}}\", out.read());
        }}
    }}
}}
",
        threads = generate::THREADS,
        names = names.join(", "),
    );
    text
}
