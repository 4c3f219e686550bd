//! `--from` continues with the output of each stage that has code, and makes the bytes of a direct compile.

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::program::{RECOMMENDED, bitcode};
use harness::{Outcome, run, scratch};

/// The stages, with the extension of their output and whether there is one for each arch.
const STAGES: [(&str, &str, bool); 10] = [
    ("read", "ll", false),
    ("split", "ll", false),
    ("resolve", "ll", false),
    ("legalize", "ll", false),
    ("simplify", "ll", false),
    ("validate", "ll", false),
    ("slice", "bin", false),
    ("flavor", "ll", true),
    ("optimize", "ll", true),
    ("codegen", "s", true),
];

/// Archs of all targets. The first program continues for those with even numbers, the second one for the others.
const ARCHS: [&str; 7] = ["cpu", "sm_80", "gfx90a", "spirv64", "cpu:x86-64-v3", "sm_90", "gfx1100"];

fn offloadc(words: &[&str], folder: &Path) -> Outcome {
    run(Command::new(harness::offloadc()).args(words).current_dir(folder))
}

/// Panics with texts of all kinds; a heap, shared memory, launch bounds, marked parameters and printing.
#[test]
fn each_stage_continues_to_the_bytes_of_a_direct_compile() {
    let is_all = std::env::var_os("OFFLOADC_ALL_EMULATED").is_some();
    let archs = if is_all { &ARCHS[..] } else { &ARCHS[..4] };
    for (turn, source) in ["tests/compiler/variants/program.rs", "tests/run/panics.rs"].into_iter().enumerate() {
        let mine = archs.iter().enumerate().filter(|(number, _)| is_all || number % 2 == turn);
        let _ = continue_all(source, archs, &mine.map(|(_, arch)| *arch).collect::<Vec<_>>());
    }
}

/// PTX is text twice: the output of `codegen` and the image. The branches of the back end are joined in both.
#[test]
fn joined_branches_continue() {
    let continued = continue_all("tests/run/sort.rs", &["sm_80"], &["sm_80"]);
    assert!(continued.windows(4).any(|part| part == b"@!%p"), "the program has no branch that is joined");
}

/// Continues for each of `mine` of a build for all archs. Returns the last image.
fn continue_all(source: &str, archs: &[&str], mine: &[&str]) -> Vec<u8> {
    let (folder, mut last) = (scratch(), Vec::new());
    let input = bitcode(source, RECOMMENDED, folder.path());
    fs::rename(&input, folder.path().join("p.bc")).expect("the folder is ours");
    let run = |words: &[&str]| _ = offloadc(words, folder.path()).success();
    let read = |name: &str| fs::read(folder.path().join(name)).expect("it was written");
    let list = format!("--offload-arch={}", archs.join(","));
    run(&["p.bc", "-O3", "--device-print", &list, "--save-temps=temps", "-o", "p.o"]);
    for arch in mine {
        let named = format!("--offload-arch={arch}");
        run(&["p.bc", "-O3", "--device-print", &named, "--emit=image=direct"]);
        let direct = read("direct");
        for (stage, extension, is_per_arch) in STAGES {
            let of_arch = if is_per_arch { format!(".{}", arch.replace(':', "@")) } else { String::new() };
            let file = format!("temps/p.{stage}{of_arch}.{extension}");
            let from = format!("--from={stage}");
            run(&[&file, &from, "-O3", "--device-print", &named, "--emit=image=continued"]);
            let continued = read("continued");
            let same_code = || instructions(&continued).is_some_and(|code| Some(code) == instructions(&direct));
            let is_equal = continued == direct || stage == "codegen" && same_code();
            assert!(is_equal && !direct.is_empty(), "{source}: {stage}, {arch}");
        }
        last = direct;
    }
    last
}

/// The instructions and symbols of an AMD code object. Its assembly does not have the encoding of bits without meaning.
/// The code of other targets is compared as it is.
fn instructions(image: &[u8]) -> Option<String> {
    const AMDGPU: [u8; 2] = [224, 0];
    if image.get(18..20) != Some(&AMDGPU) {
        return None;
    }
    let folder = scratch();
    fs::write(folder.path().join("image"), image).expect("the folder is ours");
    let mut objdump = Command::new(harness::llvm_tool("llvm-objdump"));
    let shown = run(objdump.args(["-d", "-t", "image"]).current_dir(folder.path())).success().stdout();
    let code = |line: &str| line.split(" // ").next().unwrap_or_default().trim_end().to_owned();
    Some(shown.lines().map(code).collect::<Vec<_>>().join("\n"))
}

/// An edit changes the number of uses, so that their orders in the text no longer fit.
#[test]
fn an_edited_text_continues() {
    let folder = scratch();
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        define ptx_kernel void @k(ptr %to, i32 %number) {\n  %twice = add i32 %number, %number\n  \
        %more = mul i32 %number, %twice\n  store i32 %more, ptr %to\n  ret void\n}\n";
    fs::write(folder.path().join("in.ll"), text).expect("the folder is ours");
    let run = |words: &[&str]| offloadc(words, folder.path());
    let arch = "--offload-arch=sm_80";
    for stage in ["split", "legalize", "validate"] {
        let _written = run(&["in.ll", arch, &format!("--emit={stage}=shown.ll")]).success();
        let shown = fs::read_to_string(folder.path().join("shown.ll")).expect("it was written");
        assert!(shown.contains("!offload.state = "), "{shown}");
        let edited = shown.replace("mul i32 %number, %twice", "add i32 %twice, 12345");
        let edited =
            edited.replace("mul i32 %twice, %number", "add i32 %twice, 12345") + "\nuselistorder i32 7, { 1, 0 }\n";
        fs::write(folder.path().join("edited.ll"), edited).expect("the folder is ours");
        let code = run(&["edited.ll", &format!("--from={stage}"), arch, "--emit=codegen=-"]).success().stdout();
        assert!(code.contains("12345"), "{stage}: {code}");
    }
}

/// Without the tables, with those of another stage, and with damaged ones, nothing is compiled.
#[test]
fn a_text_without_its_tables_is_refused() {
    let folder = scratch();
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        define ptx_kernel void @k(ptr %to) {\n  store i32 1, ptr %to\n  ret void\n}\n";
    fs::write(folder.path().join("in.ll"), text).expect("the folder is ours");
    let run = |words: &[&str]| offloadc(words, folder.path());
    let arch = "--offload-arch=sm_80";
    let plain = run(&["in.ll", arch, "--emit=split=-"]).success().stdout();
    assert!(!plain.contains("offload.state"), "{plain}");
    let _written = run(&["in.ll", arch, "--emit=split=shown.ll"]).success();
    let shown = fs::read_to_string(folder.path().join("shown.ll")).expect("it was written");
    let refused = |text: &str, stage: &str, said: &str| {
        fs::write(folder.path().join("changed.ll"), text).expect("the folder is ours");
        let ran = run(&["changed.ll", &format!("--from={stage}"), arch, "--emit=image=out"]);
        assert!(ran.code() == 1 && ran.stderr().contains(said), "{}", ran.report());
        assert!(!folder.path().join("out").exists());
    };
    refused(&plain, "split", "lacks the tables of kernels that `--from=split` needs");
    refused(&shown, "legalize", "is the output of `--emit=split`");
    let digits = shown.split("!{!\"").last().and_then(|rest| rest.split('"').next()).expect("it has tables").to_owned();
    for damaged in ["", "0", "zz", &digits[..digits.len() - 2], &format!("{digits}00")] {
        refused(&shown.replace(&digits, damaged), "split", "the tables of kernels in `changed.ll` are damaged");
    }
    let number = "0800000000000000"; // the offset or the size of a parameter
    for edited in [digits.replacen(number, "0400000000000000", 1), digits.replacen("000000006b", "000000006c", 1)] {
        refused(&shown.replace(&digits, &edited), "split", "the tables of kernels in `changed.ll` are damaged");
    }
    let wrong = run(&["in.ll", "--from=image", arch, "--emit=image=out"]);
    let said = "the stages are read, split, resolve, legalize, simplify, validate, slice, flavor, optimize, codegen";
    assert!(wrong.code() == 2 && wrong.stderr().contains(said), "{}", wrong.report());
}

/// The kernels of an edited text are those of its table: the arguments of a launch are fixed.
#[test]
fn a_text_with_other_kernels_than_its_table_is_refused() {
    let folder = scratch();
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        declare i32 @__offload_thread_id_x()\n\
        define ptx_kernel void @k(ptr %to, i32 %number) {\n  %x = call i32 @__offload_thread_id_x()\n  \
        store volatile i32 %x, ptr %to\n  store volatile i32 %number, ptr %to\n  ret void\n}\n";
    fs::write(folder.path().join("in.ll"), text).expect("the folder is ours");
    let run = |words: &[&str]| offloadc(words, folder.path());
    let arch = "--offload-arch=sm_80";
    let called = "`__offload_thread_id_x` is called with parameters that it does not have";
    let no_function = "kernel `k` of the table has no function `k` with a body in the module";
    for stage in ["split", "resolve", "legalize", "simplify", "validate"] {
        let _written = run(&["in.ll", arch, &format!("--emit={stage}=shown.ll")]).success();
        let shown = fs::read_to_string(folder.path().join("shown.ll")).expect("it was written");
        let (define, body) = shown.split_once("define ").expect("it has the kernel");
        let head = body.lines().next().expect("it has the kernel").to_owned();
        let more = head.replacen("%number)", "%number, i32 %more)", 1);
        let other = head.replacen("i32 %number)", "i64 %number)", 1);
        let with = |changed: &str| format!("{define}define {}", body.replacen(&head, changed, 1));
        let declared = format!("{define}{}", &body[body.find('}').expect("it has an end") + 2..]);
        let parameters = "kernel `k` of the table has other parameters than function `k` in the module";
        let stored = |text: String| text.replace("volatile i32 %number", "volatile i64 %number");
        for (edited, said) in [
            (shown.replace("@k(", "@renamed("), no_function),
            (declared, no_function),
            (with(&more), parameters),
            (stored(with(&other)), parameters),
            (format!("{define}define {}", body.replacen("_id_x()", "_id_x(i32 1)", 1)), called),
            (with(&format!("internal {head}")), "kernel `k` of the table is function `k`, which is not external"),
        ] {
            fs::write(folder.path().join("edited.ll"), &edited).expect("the folder is ours");
            let ran = run(&["edited.ll", &format!("--from={stage}"), arch, "--emit=image=out"]);
            let is_said = ran.stderr().contains(&format!("error[OFC0022]: {said}"));
            assert!(ran.code() == 1 && is_said, "{stage}: {edited}\n{}", ran.report());
            assert!(!folder.path().join("out").exists());
        }
    }
}

/// Before `validate`, LLVM changes such a call, or the checks report it.
#[test]
fn a_validated_text_that_calls_a_function_with_other_parameters_is_refused() {
    let folder = scratch();
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        define ptx_kernel void @k(ptr %to) {\n  store i32 7, ptr %to\n  ret void\n}\n";
    fs::write(folder.path().join("in.ll"), text).expect("the folder is ours");
    let run = |words: &[&str]| offloadc(words, folder.path());
    let _written = run(&["in.ll", "--offload-arch=cpu", "--emit=validate=shown.ll"]).success();
    let shown = fs::read_to_string(folder.path().join("shown.ll")).expect("it was written");
    let own = "define internal i32 @own(i32 %a) {\n  ret i32 %a\n}\n\ndefine ";
    let edited = shown.replacen("define ", own, 1).replacen("store ", "%v = call i32 @own()\n  store ", 1);
    fs::write(folder.path().join("edited.ll"), edited).expect("the folder is ours");
    let ran = run(&["edited.ll", "--from=validate", "--offload-arch=cpu", "--emit=image=out"]);
    let is_said = ran.stderr().contains("error[OFC0022]: `own` is called with parameters that it does not have");
    assert!(ran.code() == 1 && is_said, "{}", ran.report());
}

/// The texts of the stages after the first one have one state each, and a build continues with each of them.
#[test]
fn a_continued_build_shows_stages_that_continue() {
    let folder = scratch();
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        define ptx_kernel void @k(ptr %to) {\n  store i32 1, ptr %to\n  ret void\n}\n";
    fs::write(folder.path().join("in.ll"), text).expect("the folder is ours");
    let run = |words: &[&str]| _ = offloadc(words, folder.path()).success();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    let arch = "--offload-arch=sm_80";
    run(&["in.ll", arch, "--emit=split=in.split.ll", "--emit=image=direct"]);
    let stages = ["split", "resolve", "legalize", "simplify", "validate"];
    for (number, from) in stages.into_iter().enumerate() {
        let input = if number == 0 { "in.split.ll".to_owned() } else { format!("temps/in.{from}.ll") };
        fs::write(folder.path().join("in.ll"), read(&input)).expect("the folder is ours");
        run(&["in.ll", &format!("--from={from}"), arch, "--save-temps=temps", "--emit=image=continued"]);
        assert_eq!(read("direct"), read("continued"), "{from}");
        for stage in &stages[number + 1..] {
            let text = read(&format!("temps/in.{stage}.ll"));
            assert_eq!(text.matches("!offload.state = ").count(), 1, "{from}, {stage}: {text}");
        }
    }
}
