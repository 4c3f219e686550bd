//! Damaged copies of every kind of file that offloadc reads: each ends in success or in an error, with exit status 0, 1
//! or 2, and never in an internal error.
//!
//! LLVM's reader aborts on some and crashes on others. The user must never see a signal, a Rust panic, a partly written
//! file or a remaining temporary file, and an output that is written must be valid. The damage is the same in every
//! run. `make test-all` runs more of them.

mod damage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harness::program::{self, FLAG_SETS};
use harness::{run, run_within};

use damage::SplitMix;

/// The number of copies in `make test`, and in `make test-all`.
const MUTATIONS: [usize; 2] = [500, 10_000];

/// A module with many kinds of instructions.
const KERNELS: &str = "tests/compiler/mutations/kernels.ll";

/// A program that lacks the body of a function of this module.
const CALLER: &str = "\
declare i32 @first(i32)
define ptx_kernel void @calls(ptr %p) {
  %x = call i32 @first(i32 7)
  store i32 %x, ptr %p
  ret void
}
";

/// A file that is damaged, and how it is read.
struct Case {
    /// The kind of file, for messages.
    name: &'static str,
    /// The name of the damaged file.
    file: &'static str,
    bytes: Vec<u8>,
    program: &'static str,
    arguments: Vec<String>,
    /// A program that accepts the output `out`; none if there is no output.
    verifier: Option<Vec<String>>,
}

impl Case {
    fn new(name: &'static str, file: &'static str, bytes: &[u8], arguments: &str) -> Self {
        let arguments = arguments.split_whitespace().map(str::to_owned).collect();
        Self { name, file, bytes: bytes.to_vec(), program: "offloadc", arguments, verifier: None }
    }

    fn verified(mut self, program: &Path, arguments: &str) -> Self {
        let words = arguments.split_whitespace().map(str::to_owned);
        self.verifier = Some(std::iter::once(program.display().to_string()).chain(words).collect());
        self
    }

    /// The damaged copy with number `seed`.
    fn copy(&self, seed: usize) -> Vec<u8> {
        let mut random = SplitMix(seed as u64);
        let is_text = std::str::from_utf8(&self.bytes).is_ok();
        if is_text && !seed.is_multiple_of(4) {
            damage::text(&self.bytes, &mut random)
        } else {
            damage::bytes(&self.bytes, &mut random)
        }
    }
}

/// The inputs of all cases, which `folder` contains undamaged.
fn cases(folder: &Path) -> Vec<Case> {
    let sources = ["examples/contract/saxpy.rs", "examples/contract/histogram.rs", "examples/contract/reduction.rs"];
    let bitcode = |(source, set)| std::fs::read(program::bitcode(source, set, folder)).expect("rustc wrote it");
    let modules: Vec<Vec<u8>> =
        sources.into_iter().zip([FLAG_SETS[0], FLAG_SETS[2], FLAG_SETS[1]]).map(bitcode).collect();
    let mut cases = modules_and_text(&modules);
    cases.extend(objects_and_archives(folder, &modules[1]));
    cases.extend(other_files(folder));
    cases
}

/// Bitcode and IR text, for each target.
fn modules_and_text(modules: &[Vec<u8>]) -> Vec<Case> {
    let readobj = harness::llvm_tool("llvm-readobj");
    let ptxas = harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler");
    let object = |name, file, bytes: &Vec<u8>, level| {
        Case::new(name, file, bytes, &format!("{file} -j1 {level} -o out")).verified(&readobj, "--all")
    };
    let image = |name, file, bytes: &Vec<u8>, arch| {
        let case = Case::new(name, file, bytes, &format!("{file} -j1 -O1 --offload-arch={arch} --emit=image=out"));
        match arch {
            "sm_80" => case.verified(&ptxas, "-arch=sm_80 -o /dev/null"),
            "spirv64" => case.verified(Path::new("spirv-val"), ""),
            _ => case.verified(&readobj, "--all"),
        }
    };
    let mut cases = vec![
        object("bitcode", "damaged.bc", &modules[0], "-O0"),
        object("bitcode", "damaged.bc", &modules[1], "-O2"),
        object("bitcode with debug information", "damaged.bc", &modules[2], "-O0"),
        image("bitcode for NVIDIA", "damaged.bc", &modules[0], "sm_80"),
        image("bitcode for AMD", "damaged.bc", &modules[1], "gfx90a"),
        image("bitcode for SPIR-V", "damaged.bc", &modules[1], "spirv64"),
    ];
    let text = std::fs::read(harness::root().join(KERNELS)).expect("the file is there");
    cases.push(object("text", "damaged.ll", &text, "-O2"));
    cases.extend(["sm_80", "gfx90a", "spirv64"].map(|arch| image("text for a GPU", "damaged.ll", &text, arch)));
    cases
}

/// Objects with images, containers and archives, which `inspect` reads; and objects and archives with bitcode.
fn objects_and_archives(folder: &Path, module: &[u8]) -> Vec<Case> {
    let file = |name: &str| std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    std::fs::write(folder.join("module.bc"), module).expect("the folder can be written");
    let offloadc = harness::offloadc().display().to_string();
    let kernels = harness::root().join(KERNELS).display().to_string();
    let archs = "--offload-arch=cpu,sm_80,gfx90a,gfx1100,spirv64";
    let script = format!(
        "set -e; '{offloadc}' module.bc -w {archs} -o images.o --emit=bundle=container
        '{offloadc}' module.bc -w {archs} -o images.o
        llvm-ar rcs images.a images.o images.o
        '{offloadc}' module.bc -w {archs} --runtime=cuda -o cuda.o
        '{offloadc}' module.bc -w {archs} --runtime=hip -o hip.o
        llvm-objcopy --dump-section .nv_fatbin=fatbinary cuda.o
        llvm-objcopy --dump-section .hip_fatbin=bundle hip.o
        echo >empty.c; cc -c empty.c -o empty.o
        llvm-objcopy --add-section .llvmbc=module.bc empty.o bitcode.o
        llvm-ar rcs modules.a module.bc empty.o
        llvm-as '{kernels}' -o kernels.bc
        llvm-ar rcs library.a empty.o kernels.bc
        '{offloadc}' module.bc -w --offload-arch=sm_80 --emit=flavor=flavor.ll --emit=slice=slice.bin"
    );
    let path_variable = harness::search_path(&[]);
    run(Command::new("bash").args(["-c", &script]).current_dir(folder).env("PATH", path_variable)).success();
    let readobj = harness::llvm_tool("llvm-readobj");
    let mut linker = Case::new("archive for the linker", "damaged.a", &file("modules.a"), "-shared damaged.a -o out");
    linker.program = "offloadc-ld";
    std::fs::write(folder.join("caller.ll"), CALLER).expect("the folder can be written");
    let caller = folder.join("caller.ll").display().to_string();
    let library = format!("{caller} -j1 -O1 --extern-rlib=damaged.a --offload-arch=gfx90a --emit=image=out");
    vec![
        Case::new("slice", "damaged.bin", &file("slice.bin"), "job damaged.bin --offload-arch=sm_80 -o out"),
        Case::new("object with images", "damaged.o", &file("images.o"), "inspect damaged.o"),
        Case::new("container", "damaged.bin", &file("container"), "inspect damaged.bin --json"),
        Case::new("object for CUDA", "damaged.o", &file("cuda.o"), "inspect damaged.o"),
        Case::new("fat binary", "damaged.bin", &file("fatbinary"), "inspect damaged.bin"),
        Case::new("bundle", "damaged.bin", &file("bundle"), "inspect damaged.bin"),
        Case::new("archive with images", "damaged.a", &file("images.a"), "inspect damaged.a"),
        Case::new("object with bitcode", "damaged.o", &file("bitcode.o"), "damaged.o -j1 -O0 -o out")
            .verified(&readobj, "--all"),
        Case::new("library", "damaged.a", &file("library.a"), &library).verified(&readobj, "--all"),
        linker.verified(&readobj, "--all"),
        Case::new(
            "module of a stage",
            "damaged.ll",
            &file("flavor.ll"),
            "damaged.ll -j1 --from=flavor --offload-arch=sm_80 --emit=codegen=out",
        ),
    ]
}

/// Files of options.
fn other_files(folder: &Path) -> Vec<Case> {
    let module = folder.join("module.bc").display().to_string();
    let options = format!(
        "'{module}' -j1 -O1 --offload-arch=cpu,sm_80 \"--kernel=k*\" --math=portable \\\n --fp-contract=off \
        --device-stack=4096 -Wno-no-kernel --message-format=json -o out"
    );
    vec![Case::new("response file", "damaged.rsp", options.as_bytes(), "@damaged.rsp")]
}

/// The number of runs of each case with each status.
type Tally = Mutex<BTreeMap<(&'static str, i32), usize>>;

/// The fault in the reaction to the damaged copy with number `seed`, if there is one.
fn fault(case: &Case, seed: usize, tally: &Tally) -> Option<String> {
    let (folder, temporary) = (harness::scratch(), harness::scratch());
    std::fs::write(folder.path().join(case.file), case.copy(seed)).expect("the folder can be written");
    let mut command = Command::new(harness::program_folder().join(case.program));
    command.args(&case.arguments).current_dir(folder.path()).env("TMPDIR", temporary.path());
    let outcome = run_within(&mut command, Duration::from_secs(300));
    *tally.lock().expect("counting does not panic").entry((case.name, outcome.code())).or_default() += 1;
    let complaint = complaint(case, &outcome, folder.path(), temporary.path())?;
    Some(format!("mutation {seed} of a {}: {complaint}\n{}", case.name, outcome.report()))
}

fn complaint(case: &Case, outcome: &harness::Outcome, folder: &Path, temporary: &Path) -> Option<String> {
    let said = outcome.stderr();
    let output = folder.join("out");
    // A damaged option can name other outputs, and the files of the system's linker are not ours.
    let names_its_output = case.file != "damaged.rsp" && case.program == "offloadc";
    let is_error = |line: &str| line.contains("error") || line.contains("cannot");
    Some(match outcome.code() {
        _ if said.contains("panicked at") => "a Rust panic".to_owned(),
        0..=2 if count(temporary) > 0 => "a temporary file that remains".to_owned(),
        1 | 2 if !said.lines().any(is_error) => "no error is printed".to_owned(),
        1 | 2 if names_its_output && count(folder) > 1 => "a file in spite of the failure".to_owned(),
        1 | 2 => return None,
        0 if case.verifier.is_some() && output.exists() => return invalid(case, &output),
        0 => return None,
        _ => "the status is none of 0, 1 and 2".to_owned(),
    })
}

/// The verifier's complaint about an output.
fn invalid(case: &Case, output: &Path) -> Option<String> {
    let words = case.verifier.as_ref()?;
    let outcome = run(Command::new(&words[0]).args(&words[1..]).arg(output));
    (!outcome.status.success()).then(|| format!("the output is invalid: {}", outcome.report()))
}

fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("the folder can be listed").count()
}

/// The numbers of the copies: `OFFLOADC_MUTATIONS=1200..1300`, or all up to a limit.
fn numbers() -> std::ops::Range<usize> {
    let chosen = std::env::var("OFFLOADC_MUTATIONS").ok();
    let chosen = chosen.as_deref().and_then(|text| text.split_once("..")).and_then(|(first, end)| {
        let (first, end) = (first.parse().ok()?, end.parse().ok()?);
        Some(first..end)
    });
    let all = std::env::var_os("OFFLOADC_ALL_MUTATIONS").is_some();
    chosen.unwrap_or(0..MUTATIONS[usize::from(all)])
}

#[test]
fn damaged_files_never_crash() {
    let folder = harness::scratch();
    let (cases, numbers) = (cases(folder.path()), numbers());
    let next = AtomicUsize::new(numbers.start);
    let tally = Tally::default();
    let work = || {
        let mut faults = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if !numbers.contains(&seed) {
                return faults;
            }
            faults.extend(fault(&cases[seed % cases.len()], seed, &tally));
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a mutation ran too long; see above")).collect()
    });
    for ((name, status), count) in tally.into_inner().expect("counting does not panic") {
        println!("{name}: {count} with status {status}");
    }
    let kept = keep(&faults);
    let shown: Vec<&str> = faults.iter().take(5).map(String::as_str).collect();
    let total = numbers.len();
    assert!(
        faults.is_empty(),
        "{} of {total} mutations went wrong (all in {kept:?}):\n{}",
        faults.len(),
        shown.join("\n")
    );
}

/// Writes all faults to a file.
fn keep(faults: &[String]) -> PathBuf {
    let path = harness::temporary().join("mutations.txt");
    std::fs::write(&path, faults.join("\n\n")).expect("cargo makes the folder for temporary files");
    path
}
