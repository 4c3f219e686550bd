//! Device code in parts: the bytes follow from the program alone, and a changed kernel costs one part.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use harness::run;

const ARCHS: &str = "--offload-arch=cpu,gfx90a,sm_80";
const STATS: [&str; 3] = ["cache", "stats", "--cache-dir=cache"];
const KERNELS: usize = 32;
/// The steps of a kernel. They are the most of its instructions.
const STEPS: usize = 100;

/// Kernels that mix a number. The one with the number `other` mixes it differently. All call a function, which is
/// not inlined, and have a variable in shared memory. One asks for its arch, and every second one promises its launch.
fn program(other: usize) -> String {
    let mut text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        @tile = internal global [64 x i32] zeroinitializer, section \".offload.shared\"\n\
        declare i32 @__offload_thread_id_x()\ndeclare void @__offload_sync_threads()\n\
        declare i32 @__offload_arch()\ndeclare void @__offload_launch_bounds(i32, i32)\n\
        define internal i32 @turn(i32 %v) noinline {\n\
          %i = call i32 @__offload_thread_id_x()\n  %here = getelementptr i32, ptr @tile, i32 %i\n\
          store i32 %v, ptr %here\n  call void @__offload_sync_threads()\n  %j = sub i32 63, %i\n\
          %there = getelementptr i32, ptr @tile, i32 %j\n  %w = load i32, ptr %there\n  ret i32 %w\n}\n"
        .to_owned();
    for kernel in 0..KERNELS {
        let _ = writeln!(text, "define ptx_kernel void @mix_{kernel}(ptr %p) {{");
        if kernel % 2 == 0 {
            text += "  call void @__offload_launch_bounds(i32 64, i32 1)\n";
        }
        text += if kernel == 0 { "  %x0 = call i32 @__offload_arch()\n" } else { "  %x0 = load i32, ptr %p\n" };
        for step in 0..STEPS {
            let factor = 2 * (kernel * STEPS + step) + if kernel == other { 77_777 } else { 3 };
            let _ = write!(text, "  %m{step} = mul i32 %x{step}, {factor}\n  %s{step} = lshr i32 %m{step}, 15\n");
            let _ = writeln!(text, "  %x{} = xor i32 %m{step}, %s{step}", step + 1);
        }
        let _ = write!(text, "  %t = call i32 @turn(i32 %x{STEPS})\n  store i32 %t, ptr %p\n  ret void\n}}\n");
    }
    text
}

/// Compiles the program in `folder`. Returns the output and the messages.
fn compile(folder: &Path, options: &[&str]) -> (Vec<u8>, String) {
    let mut command = Command::new(harness::offloadc());
    let _ = command.current_dir(folder).args(["in.ll", "-O1", "-o", "out"]).args(options);
    let said = run(&mut command).success().stderr();
    (fs::read(folder.join("out")).expect("the output was written"), said)
}

#[test]
fn a_changed_kernel_costs_one_part_of_each_arch() {
    let folder = harness::scratch();
    let write = |other| fs::write(folder.path().join("in.ll"), program(other)).expect("the folder can be written");
    // The output, and the number of parts that were compiled for each arch.
    let cached = |options: &[&str]| {
        let (bytes, said) = compile(folder.path(), &[&[ARCHS, "--cache-dir=cache", "--cache-why"], options].concat());
        let missed = |arch: &str| said.matches(&format!("`{arch}, part ")).count();
        (bytes, (missed("cpu"), missed("gfx90a"), missed("sm_80")))
    };
    write(KERNELS);
    let (cold, (cpu, gfx90a, sm_80)) = cached(&["-j5"]);
    assert!(cpu >= 3 && cpu == gfx90a && cpu == sm_80, "{cpu}, {gfx90a} and {sm_80} parts");
    let (warm, missed) = cached(&["-j1"]);
    assert!(warm == cold && missed == (0, 0, 0), "the number of threads decides nothing, but {missed:?} are compiled");
    let stats = run(Command::new(harness::offloadc()).current_dir(folder.path()).args(STATS)).success().stdout();
    let entries = format!("images   3\nparts    {}\n", cpu + gfx90a + sm_80);
    assert!(stats.contains(&entries), "it lacks {entries}:\n{stats}");
    write(21);
    let (changed, missed) = cached(&[]);
    assert_eq!(missed, (1, 1, 1), "one kernel has changed");
    let (uncached, _) = compile(folder.path(), &[ARCHS, "--no-cache", "-j1"]);
    assert!(changed != cold && changed == uncached, "the cache changes the output");
}

#[test]
fn an_image_has_the_kernels_of_all_parts() {
    let folder = harness::scratch();
    fs::write(folder.path().join("in.ll"), program(KERNELS)).expect("the folder can be written");
    let ptxas = harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler").display().to_string();
    let (_, said) = compile(folder.path(), &[ARCHS, "--cache-dir=cache", "--cache-why", "--parts=7"]);
    assert_eq!(said.matches(", part 7` is not in the cache").count(), 3, "the module was not cut:\n{said}");
    let json = run(Command::new(harness::offloadc())
        .current_dir(folder.path())
        .args(["inspect", "--json", "--ptxas", &ptxas, "out"]));
    let json = json.success().stdout();
    for kernel in 0..KERNELS {
        // Its row in the table, and its resources and the size of its code on each GPU.
        assert_eq!(json.matches(&format!("\"mix_{kernel}\"")).count(), 6, "kernel {kernel}:\n{json}");
    }
}
