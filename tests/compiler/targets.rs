//! `docs/targets.md` lists the features that each target supports. This test determines them and compares. `make bless`
//! writes the file.
//!
//! Every row in the table of features is a small kernel, which offloadc compiles into an image for one arch of each
//! target, or refuses with a code.

use std::fmt::Write;
use std::process::Command;

use harness::run;
use offloadc::bundle::read_images;
use offloadc::diagnostics::Code;
use offloadc::targets::{COMMON_FEATURES, TARGETS, lookup, portable};

/// One arch for each target.
const ARCHS: [(&str, &str); 4] = [("cpu", "cpu"), ("nvptx", "sm_80"), ("amdgpu", "gfx90a"), ("spirv", "spirv64")];

/// A group of features, each with its name, the code outside of the kernel, and the code in the kernel.
type Group = (&'static str, &'static [(&'static str, &'static str, &'static str)]);

const GROUPS: &[Group] = &[
    (
        "The device contract",
        &[
            (
                "position in block and grid",
                "declare i32 @__offload_thread_id_x()\ndeclare i32 @__offload_grid_dim_z()",
                "%a = call i32 @__offload_thread_id_x()\n%b = call i32 @__offload_grid_dim_z()\n\
                 %c = add i32 %a, %b\nstore i32 %c, ptr %p",
            ),
            ("printing", "declare void @__offload_print(ptr, i64)", "call void @__offload_print(ptr %q, i64 4)"),
            (
                "memory for `Box`, `Vec`, `String`",
                "declare ptr @__rust_alloc(i64, i64)",
                "%a = call ptr @__rust_alloc(i64 16, i64 8)\nstore ptr %a, ptr %p",
            ),
            ("barrier", "declare void @__offload_sync_threads()", "call void @__offload_sync_threads()"),
            (
                "fences of block, device, system",
                "declare void @__offload_fence_block()\ndeclare void @__offload_fence_device()\n\
                 declare void @__offload_fence_system()",
                "call void @__offload_fence_block()\ncall void @__offload_fence_device()\n\
                 call void @__offload_fence_system()",
            ),
            (
                "lane number and count",
                "declare i32 @__offload_lane_id()\ndeclare i32 @__offload_lane_count()",
                "%a = call i32 @__offload_lane_id()\n%b = call i32 @__offload_lane_count()\n\
                 %c = add i32 %a, %b\nstore i32 %c, ptr %p",
            ),
            (
                "shuffles",
                "declare i32 @__offload_shuffle(i32, i32)\ndeclare i32 @__offload_shuffle_down(i32, i32)",
                "%n = load i32, ptr %q\n%a = call i32 @__offload_shuffle(i32 %n, i32 3)\n\
                 %b = call i32 @__offload_shuffle_down(i32 %a, i32 1)\nstore i32 %b, ptr %p",
            ),
            (
                "ballot, any, all",
                "declare i64 @__offload_ballot(i1 zeroext)\ndeclare zeroext i1 @__offload_any(i1 zeroext)\n\
                 declare zeroext i1 @__offload_all(i1 zeroext)",
                "%n = load i32, ptr %q\n%c = icmp eq i32 %n, 0\n%a = call i64 @__offload_ballot(i1 zeroext %c)\n\
                 %b = call zeroext i1 @__offload_any(i1 zeroext %c)\n%d = call zeroext i1 @__offload_all(i1 zeroext %b)\n\
                 %e = zext i1 %d to i64\n%f = add i64 %a, %e\nstore i64 %f, ptr %p",
            ),
            (
                "the same of a mask's lanes",
                "declare i64 @__offload_active_mask()\ndeclare i32 @__offload_shuffle_xor_sync(i64, i32, i32)\n\
                 declare zeroext i1 @__offload_all_sync(i64, i1 zeroext)\ndeclare void @__offload_sync_warp(i64)",
                "%m = call i64 @__offload_active_mask()\n%n = load i32, ptr %q\n\
                 %a = call i32 @__offload_shuffle_xor_sync(i64 %m, i32 %n, i32 1)\n%c = icmp eq i32 %n, %a\n\
                 %b = call zeroext i1 @__offload_all_sync(i64 %m, i1 zeroext %c)\ncall void @__offload_sync_warp(i64 %m)\n\
                 %d = zext i1 %b to i32\nstore i32 %d, ptr %p",
            ),
            (
                "questions about the arch",
                "@avx2 = private constant [4 x i8] c\"avx2\"\ndeclare i1 @__offload_has_feature(ptr, i64)\n\
                 declare i32 @__offload_warp_size()\ndeclare i1 @__offload_is_generic()",
                "%a = call i1 @__offload_has_feature(ptr @avx2, i64 4)\n%b = call i1 @__offload_is_generic()\n\
                 %c = or i1 %a, %b\n%d = call i32 @__offload_warp_size()\n%e = select i1 %c, i32 %d, i32 1\n\
                 store i32 %e, ptr %p",
            ),
            (
                "static workgroup memory",
                "@tile = internal global [64 x i32] zeroinitializer, section \".offload.shared\"\n\
                 declare i32 @__offload_thread_id_x()",
                "%t = call i32 @__offload_thread_id_x()\n%s = getelementptr [64 x i32], ptr @tile, i32 0, i32 %t\n\
                 store i32 1, ptr %s",
            ),
            (
                "launch-sized workgroup memory",
                "declare ptr @__offload_dynamic_shared()",
                "%s = call ptr @__offload_dynamic_shared()\nstore i32 1, ptr %s",
            ),
            (
                "constant memory",
                "@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], section \".offload.constant\"",
                "%n = load i32, ptr %q\n%s = getelementptr [4 x i32], ptr @table, i32 0, i32 %n\n\
                 %v = load i32, ptr %s\nstore i32 %v, ptr %p",
            ),
            (
                "launch bounds",
                "declare void @__offload_launch_bounds(i32, i32)",
                "call void @__offload_launch_bounds(i32 256, i32 2)\nstore i32 1, ptr %p",
            ),
            (
                "required block size",
                "declare void @__offload_block_size(i32, i32, i32)",
                "call void @__offload_block_size(i32 16, i32 8, i32 1)\nstore i32 1, ptr %p",
            ),
        ],
    ),
    (
        "Types",
        &[
            (
                "8 and 16-bit integers",
                "",
                "%a = load i8, ptr %q\n%b = add i8 %a, 3\n%c = sext i8 %b to i16\nstore i16 %c, ptr %p",
            ),
            ("`i128`, multiplied", "", "%a = load i128, ptr %q\n%b = mul i128 %a, %a\nstore i128 %b, ptr %p"),
            ("`i128`, divided", "", "%a = load i128, ptr %q\n%b = udiv i128 7, %a\nstore i128 %b, ptr %p"),
            ("half precision", "", "%a = load half, ptr %q\n%b = fadd half %a, %a\nstore half %b, ptr %p"),
            ("single precision", "", "%a = load float, ptr %q\n%b = fdiv float 1.0, %a\nstore float %b, ptr %p"),
            ("double precision", "", "%a = load double, ptr %q\n%b = fdiv double 1.0, %a\nstore double %b, ptr %p"),
            ("quadruple precision", "", "%a = load fp128, ptr %q\n%b = fadd fp128 %a, %a\nstore fp128 %b, ptr %p"),
            ("float to `i128`", "", "%a = load float, ptr %q\n%b = fptosi float %a to i128\nstore i128 %b, ptr %p"),
            (
                "vectors of four",
                "",
                "%a = load <4 x float>, ptr %q\n%b = fmul <4 x float> %a, %a\nstore <4 x float> %b, ptr %p",
            ),
        ],
    ),
    (
        "Atomics",
        &[
            (
                "8 and 16 bits",
                "",
                "%a = cmpxchg ptr %p, i8 1, i8 2 seq_cst seq_cst\n%b = atomicrmw add ptr %q, i16 1 monotonic",
            ),
            ("32 bits", "", "%a = atomicrmw add ptr %p, i32 1 seq_cst\n%b = atomicrmw umax ptr %q, i32 %a acq_rel"),
            (
                "64 bits",
                "",
                "%a = atomicrmw add ptr %p, i64 1 seq_cst\n%b = cmpxchg ptr %q, i64 %a, i64 2 acquire monotonic",
            ),
            ("128 bits", "", "%a = cmpxchg ptr %p, i128 1, i128 2 seq_cst seq_cst"),
            ("addition of floats", "", "%a = atomicrmw fadd ptr %p, float 1.0 monotonic"),
            (
                "acquiring loads, releasing stores",
                "",
                "%a = load atomic i32, ptr %q acquire, align 4\nstore atomic i32 %a, ptr %p release, align 4",
            ),
        ],
    ),
    (
        "Math",
        &[
            (
                "`sqrt`, `fma`, rounding",
                "declare float @llvm.sqrt.f32(float)\ndeclare float @llvm.fma.f32(float, float, float)\n\
                 declare float @llvm.floor.f32(float)",
                "%a = load float, ptr %q\n%b = call float @llvm.sqrt.f32(float %a)\n\
                 %c = call float @llvm.fma.f32(float %a, float %b, float %b)\n%d = call float @llvm.floor.f32(float %c)\n\
                 store float %d, ptr %p",
            ),
            (
                "`exp2` of `f32`",
                "declare float @llvm.exp2.f32(float)",
                "%a = load float, ptr %q\n%b = call float @llvm.exp2.f32(float %a)\nstore float %b, ptr %p",
            ),
            (
                "`exp`, `log` of `f32`",
                "declare float @llvm.exp.f32(float)\ndeclare float @llvm.log.f32(float)",
                "%a = load float, ptr %q\n%b = call float @llvm.exp.f32(float %a)\n\
                 %c = call float @llvm.log.f32(float %b)\nstore float %c, ptr %p",
            ),
            (
                "`exp`, `log` of `f64`",
                "declare double @llvm.exp.f64(double)\ndeclare double @llvm.log.f64(double)",
                "%a = load double, ptr %q\n%b = call double @llvm.exp.f64(double %a)\n\
                 %c = call double @llvm.log.f64(double %b)\nstore double %c, ptr %p",
            ),
            (
                "`sin`, `cos`, `pow`",
                "declare float @llvm.sin.f32(float)\ndeclare float @llvm.pow.f32(float, float)",
                "%a = load float, ptr %q\n%b = call float @llvm.sin.f32(float %a)\n\
                 %c = call float @llvm.pow.f32(float %b, float %a)\nstore float %c, ptr %p",
            ),
        ],
    ),
    (
        "Memory and control flow",
        &[
            (
                "read-only statics",
                "@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]",
                "%n = load i32, ptr %q\n%s = getelementptr [4 x i32], ptr @table, i32 0, i32 %n\n\
                 %v = load i32, ptr %s\nstore i32 %v, ptr %p",
            ),
            (
                "mutable statics (a separate copy on the device)",
                "@count = internal global i32 5",
                "%a = atomicrmw add ptr @count, i32 1 monotonic\nstore i32 %a, ptr %p",
            ),
            (
                "statics that hold addresses of statics",
                "@one = internal constant i32 1\n@all = internal constant [2 x ptr] [ptr @one, ptr @one]",
                "%n = load i32, ptr %q\n%s = getelementptr [2 x ptr], ptr @all, i32 0, i32 %n\n\
                 %a = load ptr, ptr %s\n%v = load i32, ptr %a\nstore i32 %v, ptr %p",
            ),
            (
                "local memory of a thread",
                "",
                "%n = load i32, ptr %q\n%a = alloca [64 x i32]\n%s = getelementptr [64 x i32], ptr %a, i32 0, i32 %n\n\
                 store volatile i32 %n, ptr %s\n%v = load volatile i32, ptr %a\nstore i32 %v, ptr %p",
            ),
            (
                "stack memory of a size known at run time",
                "",
                "%n = load i32, ptr %q\n%a = alloca i32, i32 %n\nstore volatile i32 1, ptr %a",
            ),
            (
                "recursion",
                "define internal i32 @fib(i32 %n) noinline {\n%small = icmp ult i32 %n, 2\n\
                 br i1 %small, label %end, label %more\nmore:\n%a = sub i32 %n, 1\n%b = call i32 @fib(i32 %a)\n\
                 %c = sub i32 %n, 2\n%d = call i32 @fib(i32 %c)\n%e = add i32 %b, %d\nret i32 %e\nend:\nret i32 %n\n}",
                "%n = load i32, ptr %q\n%v = call i32 @fib(i32 %n)\nstore i32 %v, ptr %p",
            ),
            (
                "calls through pointers, `dyn`",
                "define internal i32 @a(i32 %n) noinline {\n%b = add i32 %n, 1\nret i32 %b\n}\n\
                 define internal i32 @b(i32 %n) noinline {\n%b = mul i32 %n, 3\nret i32 %b\n}\n\
                 @table = internal constant [2 x ptr] [ptr @a, ptr @b]",
                "%n = load i32, ptr %q\n%s = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n\n\
                 %f = load ptr, ptr %s\n%v = call i32 %f(i32 %n)\nstore i32 %v, ptr %p",
            ),
            (
                "functions passed as values",
                "define internal i32 @a(i32 %n) noinline {\n%b = add i32 %n, 1\nret i32 %b\n}\n\
                 declare i64 @__offload_function(ptr)\ndeclare ptr @__offload_function_pointer(i64)",
                "%n = load i64, ptr %q\n%h = call i64 @__offload_function(ptr @a)\n%s = add i64 %h, %n\n\
                 %f = call ptr @__offload_function_pointer(i64 %s)\n%v = call i32 %f(i32 1)\nstore i32 %v, ptr %p",
            ),
            (
                "panics",
                "declare void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr, i64, ptr) noreturn",
                "%n = load i32, ptr %q\n%bad = icmp eq i32 %n, 0\nbr i1 %bad, label %stop, label %go\nstop:\n\
                 call void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr %p, i64 1, ptr %q)\nunreachable\ngo:\n\
                 store i32 1, ptr %p",
            ),
            (
                "variable arguments",
                "declare i32 @printf(ptr, ...)",
                "%a = call i32 (ptr, ...) @printf(ptr %q, i32 1)\nstore i32 %a, ptr %p",
            ),
            ("the host's assembly", "", "call void asm sideeffect \"nop\", \"\"()"),
            (
                "thread-locals",
                "@mine = internal thread_local global i32 1",
                "%a = load i32, ptr @mine\nstore i32 %a, ptr %p",
            ),
        ],
    ),
    (
        "Intrinsics by name",
        &[
            (
                "`llvm.bitreverse.i32`",
                "declare i32 @__offload_intrinsic.llvm.bitreverse.i32(i32)",
                "%n = load i32, ptr %q\n%a = call i32 @__offload_intrinsic.llvm.bitreverse.i32(i32 %n)\nstore i32 %a, ptr %p",
            ),
            (
                "`llvm.nvvm.…`",
                "declare i64 @__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock64()",
                "%a = call i64 @__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock64()\nstore i64 %a, ptr %p",
            ),
            (
                "`llvm.amdgcn.…`",
                "declare i64 @__offload_intrinsic.llvm.amdgcn.s.memtime()",
                "%a = call i64 @__offload_intrinsic.llvm.amdgcn.s.memtime()\nstore i64 %a, ptr %p",
            ),
        ],
    ),
];

const INTRODUCTION: &str = "\
# What each target supports

`make bless` writes this file from the results of `tests/compiler/targets.rs`, and the test fails if the two differ. Each feature is a small
kernel. \"yes\" means that it was compiled up to the image; otherwise the row shows the code of the error that refused it.

With `-g`, images have line tables, and with `-O0` variables, too, except on SPIR-V: LLVM's back end writes none for kernels.
";

/// The result of a kernel on one arch: `yes`, or the code of the error.
fn outcome(text: &str, arch: &str) -> String {
    let folder = harness::scratch();
    let file = folder.path().join("probe.ll");
    std::fs::write(&file, text).expect("the scratch folder can be written");
    let mut command = Command::new(harness::offloadc());
    let arch = format!("--offload-arch={arch}");
    let outcome = run(command
        .arg(&file)
        .args([&arch, "-w", "--device-print", "--emit=image"])
        .arg("-o")
        .arg(folder.path().join("image")));
    let said = outcome.stderr();
    let code = said.split_once("error[").and_then(|(_, rest)| rest.split_once(']')).map(|(code, _)| code);
    match (outcome.code(), code) {
        (0, _) => "yes".to_owned(),
        (1, Some(code)) => code.to_owned(),
        (70, _) => "fails in LLVM".to_owned(),
        _ => panic!("{text}\n{}", outcome.report()),
    }
}

fn probe(outside: &str, inside: &str) -> String {
    let head = "target triple = \"x86_64-unknown-linux-gnu\"";
    format!("{head}\n{outside}\ndefine ptx_kernel void @k(ptr %p, ptr %q) {{\n{inside}\nret void\n}}\n")
}

/// A table for each group. Several threads compute its rows.
fn features(text: &mut String) {
    for (title, rows) in GROUPS {
        let names: Vec<_> = ARCHS.iter().map(|(target, arch)| format!("{target} (`{arch}`)")).collect();
        let _infallible = write!(text, "\n## {title}\n\n| | {} |\n|---|---|---|---|---|\n", names.join(" | "));
        let found: Vec<Vec<String>> = std::thread::scope(|scope| {
            let columns = ARCHS.map(|(_, arch)| {
                scope.spawn(move || {
                    rows.iter().map(|(_, outside, inside)| outcome(&probe(outside, inside), arch)).collect()
                })
            });
            columns.into_iter().map(|column| column.join().expect("the thread says why it failed")).collect()
        });
        for (index, (name, _, _)) in rows.iter().enumerate() {
            let cells: Vec<_> = found.iter().map(|column| column[index].as_str()).collect();
            let _infallible = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
    }
}

/// The meaning of the codes in the tables.
fn legend(text: &mut String) {
    let used: Vec<_> = Code::ALL.iter().filter(|code| text.contains(&code.to_string())).collect();
    text.push_str("\n## The codes\n\n");
    for code in used {
        let _infallible = writeln!(text, "- {code}: {}", code.title());
    }
}

/// The names for `has_feature`, and the lanes of a warp.
fn named_features(text: &mut String) {
    text.push_str(
        "\n## Features\n\n`offload::target::has_feature` has a constant answer for each arch: whether every device that \
         runs the code of the arch has the feature. These names are common to all targets:\n\n",
    );
    let archs = ARCHS.map(|(_, arch)| lookup(arch).unwrap_or_else(|_| panic!("{arch} is an arch")));
    let names: Vec<_> = ARCHS.iter().map(|(target, arch)| format!("{target} (`{arch}`)")).collect();
    let _infallible = write!(text, "| name | meaning | {} |\n|---|---|---|---|---|---|\n", names.join(" | "));
    for (name, meaning) in COMMON_FEATURES {
        let cells: Vec<_> = archs.iter().map(|arch| if arch.has_feature(name) { "yes" } else { "no" }).collect();
        let _infallible = writeln!(text, "| `{name}` | {meaning} | {} |", cells.join(" | "));
    }
    let lanes: Vec<_> = archs.iter().map(|arch| arch.target.warp_size(arch).unwrap_or(0).to_string()).collect();
    let _infallible =
        writeln!(text, "| | lanes of a warp (`warp_size()`); 0: known at the launch | {} |", lanes.join(" | "));
    text.push_str(
        "\nThe other names are:\n\n\
         - archs of this page: `gfx90a` is that arch alone. `sm_80` is this arch and later ones, `sm_90a` this arch alone, \
         and `sm_100f` also `sm_100a`. `cpu` and `spirv64` are all code of these targets.\n\
         - levels of x86-64: `x86-64-v2`, `x86-64-v3`, `x86-64-v4`, each with the levels above.\n\
         - LLVM's names of features, for the CPU and AMD GPUs: `avx2`, `fma`, `neon`, `wavefrontsize64`, `mai-insts`. \
         `llc -mtriple=amdgcn -mattr=help` lists them.\n\n\
         A name that no target has is OFC0057.\n",
    );
}

/// The sets of archs.
fn sets(text: &mut String) {
    let names: Vec<_> = portable().into_iter().map(|arch| format!("`{arch}`")).collect();
    let _infallible = write!(
        text,
        "\n## Sets of archs\n\n\
         - `--offload-arch=native` is what the machine has that compiles: the level of its processor, and each GPU that the \
         runtime's drivers find. A driver that is not installed adds nothing. `offloadrt-info --archs` prints the list.\n\
         - `--offload-arch=portable` is a set that runs on most devices: {}. NVIDIA's driver compiles PTX of the oldest arch \
         for its GPU. AMD's generic archs cover `gfx900` and later; `gfx908` and `gfx90a` are covered by none, so they are \
         in the set themselves. An image for a generic arch is a code object of version 6, which AMD's runtime must be new \
         enough to read; all others have version 5. A device gets the image for its own arch if the program has both.\n",
        names.join(", ")
    );
}

/// The archs of each target, and the requirements of an image for each NVIDIA arch.
fn archs(text: &mut String) {
    text.push_str("\n## Archs\n");
    for target in TARGETS {
        let names: Vec<_> = target.archs().iter().map(|arch| format!("`{arch}`")).collect();
        let more = if target.name() == "cpu" { ", or the platform of the program" } else { "" };
        let _infallible = write!(text, "\n**{}** ({}{more}): {}\n", target.name(), target.triple(), names.join(", "));
    }
    text.push_str(
        "\nNewer versions of rustc refuse archs before `sm_70` for their own target `nvptx64-nvidia-cuda`. Kernels are not \
         compiled for that target, so they run on `sm_50` and later with every rustc.\n",
    );
    text.push_str("\nThe table shows the lowest PTX version of each NVIDIA arch, and the oldest driver that reads it. Code may need a newer version.\n\n");
    text.push_str("| arch | PTX | driver |\n|---|---|---|\n");
    let folder = harness::scratch();
    let (file, bundle) = (folder.path().join("probe.ll"), folder.path().join("bundle"));
    std::fs::write(&file, probe("", "store i32 1, ptr %p")).expect("the scratch folder can be written");
    let nvidia = TARGETS.iter().find(|target| target.name() == "nvptx").expect("it is one of the targets");
    let list = format!("--offload-arch={}", nvidia.archs().join(","));
    run(Command::new(harness::offloadc()).arg(&file).args([&list, "--emit=bundle"]).arg("-o").arg(&bundle)).success();
    let bytes = std::fs::read(&bundle).expect("the bundle was written");
    let images = read_images(&bytes).expect("offloadc wrote it");
    for arch in nvidia.archs() {
        let image = images.iter().find(|image| image.arch == *arch).expect("every arch was asked for");
        let string = |key| image.strings.iter().find(|(name, _)| *name == key).map_or("", |(_, value)| value);
        let _infallible = writeln!(text, "| `{arch}` | {} | {} |", string("ptx"), string("driver"));
    }
}

/// LLVM does not accept a lower PTX version than offloadc selects, except for archs before the first one with shuffles.
#[test]
fn no_lower_version_of_ptx_is_possible() {
    let nvidia = TARGETS.iter().find(|target| target.name() == "nvptx").expect("it is one of the targets");
    let folder = harness::scratch();
    let file = folder.path().join("empty.ll");
    std::fs::write(&file, "target triple = \"nvptx64-nvidia-cuda\"\n").expect("the scratch folder can be written");
    for arch in nvidia.archs() {
        let mut command = Command::new(harness::llvm_tool("llc"));
        let text = run(command.arg(&file).arg(format!("-mcpu={arch}")).args(["-o", "-"])).success().stdout();
        let version = text.lines().find_map(|line| line.strip_prefix(".version ")).expect("PTX states its version");
        let processor = nvidia.processor(arch).expect("it is one of the archs");
        let own = processor.features.trim_start_matches("+ptx");
        let wanted = version.replace('.', "").parse::<u32>().expect("a version is a number").max(60);
        assert_eq!(own, wanted.to_string(), "{arch}");
    }
}

#[test]
fn the_document_says_what_is_so() {
    let mut text = INTRODUCTION.to_owned();
    features(&mut text);
    legend(&mut text);
    named_features(&mut text);
    sets(&mut text);
    archs(&mut text);
    let file = harness::root().join("docs/targets.md");
    if std::env::var_os("OFFLOADC_BLESS").is_some() {
        return std::fs::write(file, text).expect("the document can be written");
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let differs = |(a, b): &(&str, &str)| a != b;
    let difference = text.lines().zip(written.lines()).find(differs);
    assert!(text == written, "docs/targets.md is out of date (found, written): {difference:?}; `make bless` writes it");
}
