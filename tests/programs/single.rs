//! Tests of single programs: their output and their errors, and how a program ends.

use std::process::Command;

use harness::program::{self, FLAG_SETS, RECOMMENDED};
use harness::{emulators, opencl, run, turns};
use libtest_mimic::Trial;
use offloadc::llvm::workarounds::WORKAROUNDS;

use super::checked;
use super::places::{Device, PLACES, Place};
use super::sets::all_flags;

pub(crate) fn trials() -> Vec<Trial> {
    let no_opencl = opencl::folder().is_none();
    vec![
        Trial::test("omptarget-info", || checked(omptarget_says_what_it_does)),
        Trial::test("panic-as-a-trap", || checked(a_panic_ends_the_program)),
        Trial::test("locks-on-cpu", || checked(threads_wait_for_lower_ones)),
        Trial::test("stack-overflow-on-cpu", || checked(a_full_stack_of_the_hosts_is_an_error)),
        Trial::test("stack-overflow", || checked(a_full_stack_is_a_panic)).with_ignored_flag(no_opencl),
        Trial::test("no-lanes", || checked(no_lanes_is_an_error)).with_ignored_flag(no_opencl),
        Trial::test("the-rule-in-the-manual", || checked(the_manual_has_the_rule_as_it_is_run)),
        Trial::test("places-of-masks", || checked(a_fault_of_a_mask_has_a_place)),
        Trial::test("printing", || checked(kernels_print)),
        Trial::test("one-command", || checked(one_command_links_a_program)),
        Trial::test("native-and-portable", || checked(sets_of_archs_run_where_they_say)),
        Trial::test("calls-of-the-host", || checked(no_call_of_the_host_is_lost)),
        Trial::test("work-arounds", || checked(without_work_arounds_results_are_wrong)),
        Trial::test("levels-of-the-cpu", || checked(each_level_has_the_same_results)),
        Trial::test("editions", || checked(examples_are_of_any_edition)),
    ]
}

/// rustc takes the examples of the contract without an option, and with the edition of a new package.
fn examples_are_of_any_edition() {
    let folder = harness::scratch();
    for name in ["histogram", "mandelbrot", "matmul", "reduction", "saxpy"] {
        for edition in [&[][..], &["--edition=2018"], &["--edition=2021"], &["--edition=2024"]] {
            let mut command = program::rustc();
            command.current_dir(harness::root()).args(edition).args([
                "--crate-type=bin",
                "--emit=metadata",
                "-Dwarnings",
            ]);
            command.arg(format!("examples/contract/{name}.rs")).arg("-o").arg(folder.path().join("example.rmeta"));
            run(&mut command).success();
        }
    }
}

/// libomptarget reports that it has launched the kernel, and copied bytes in both directions.
fn omptarget_says_what_it_does() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let (object, executable) = (folder.path().join("saxpy.o"), folder.path().join("saxpy"));
    program::compile(&bitcode, &object, &["--runtime=omptarget"]).success();
    // As in the manual, with the default linker of `cc`.
    run(Command::new("cc").args(program::rust_link(&object, "omptarget")).arg("-o").arg(&executable)).success();
    let outcome = run(Command::new(&executable).arg("1000").env("LIBOMPTARGET_INFO", "-1")).success();
    let said = outcome.stderr();
    let has = |parts: &[&str]| said.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    // One team: the image contains its own scheduler of blocks, and receives the grid as arguments.
    assert!(has(&["Launching kernel", "saxpy", "[1,1,1] blocks"]), "no launch line:\n{said}");
    assert!(
        has(&["Entering OpenMP kernel", "with 10 arguments"]),
        "four arguments, the grid's four, a state and libomptarget's own:\n{said}"
    );
    assert!(has(&["Copying data from host to device", "Size=4000"]), "no copy to the device:\n{said}");
    assert!(has(&["Copying data from device to host", "Size=4000"]), "no copy to the host:\n{said}");
}

/// `--emit=exe` writes a program that runs and contains the standard library.
fn one_command_links_a_program() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let executable = folder.path().join("saxpy");
    program::compile(&bitcode, &executable, &["--emit=exe"]).success();
    let outcome = run(Command::new(&executable).arg("1000")).success();
    assert_eq!(outcome.stdout(), "saxpy: 1000 elements, ok\n");
}

/// `native` has code for each device that the runtime finds and for no other, and `portable` runs on all of them.
/// Without the runtime's list of devices, `native` is an error.
fn sets_of_archs_run_where_they_say() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let executable = folder.path().join("saxpy");
    let offloadc = |arch: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc"));
        let _ =
            command.arg(&bitcode).arg(format!("--offload-arch={arch}")).arg("--emit=exe").arg("-o").arg(&executable);
        command
    };
    let archs = || {
        let shown = run(Command::new(env!("CARGO_BIN_EXE_offloadc")).arg("inspect").arg(&executable).arg("--json"));
        let shown: serde_json::Value = serde_json::from_str(&shown.success().stdout()).expect("it is JSON");
        let images = shown["objects"][0]["images"].as_array().expect("there are images").clone();
        images.iter().map(|image| image["arch"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let works_on = |emulated: Option<emulators::Emulated>| {
        let mut command = Command::new(&executable);
        let device = emulated.map_or("cpu", |emulated| emulated.device);
        let command = emulated.into_iter().fold(command.env("OFFLOADRT_DEVICE", device), emulators::choose);
        assert_eq!(run(command.arg("1000")).success().stdout(), "saxpy: 1000 elements, ok\n");
    };
    run(&mut offloadc("portable")).success();
    works_on(None);
    // The emulator itself is a gfx90a or a gfx1100, and no generic arch.
    emulators::all().filter(|emulated| emulated.arch != "gfx1100").for_each(|emulated| works_on(Some(emulated)));
    let portable = archs();
    assert!(
        ["cpu", "sm_70", "spirv64", "gfx90a", "gfx11-generic"].iter().all(|arch| portable.contains(&(*arch).into()))
    );

    for emulated in emulators::all() {
        run(emulators::choose(&mut offloadc("native"), emulated)).success();
        let here = archs();
        assert!(here.iter().any(|arch| arch.starts_with(emulated.arch)), "{here:?}");
        assert!(here.iter().any(|arch| arch.starts_with("cpu")) && here.len() <= 3, "{here:?}");
        works_on(Some(emulated));
    }
    let unknown = run(offloadc("native").env("OFFLOADC_RUNTIME_DIR", folder.path()));
    assert!(unknown.code() == 2 && unknown.stderr().contains("`offloadrt-info` is not beside the runtime"));
}

/// Ten thousand threads call the host ten times each, or as often as a device does in `make test`. OpenCL does it where
/// it runs the program anyway, because it takes most of the time to compile it.
fn no_call_of_the_host_is_lost() {
    let rounds = |place: &Place| match place.name {
        _ if all_flags() => 10,
        "offloadrt" | "hip-gfx90a" => 10,
        // Each lane waits alone, and the emulator's time for it depends on the load of the machine.
        "cuda-sm_80" => 2,
        _ => 0,
    };
    let places: Vec<_> = PLACES.into_iter().filter(|place| place.shares_programs() && rounds(place) > 0).collect();
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/run/host_calls.rs", RECOMMENDED, folder.path());
    let executable = folder.path().join("host_calls");
    let archs = format!("--offload-arch={}", places.iter().map(|place| place.arch).collect::<Vec<_>>().join(","));
    program::compile(&bitcode, &executable, &["--emit=exe", &archs]).success();
    for place in places {
        let rounds = rounds(&place);
        let outcome = run(place.choose(Command::new(&executable).arg(rounds.to_string()))).success();
        let (text, calls) = (outcome.stdout(), 10240 * rounds);
        let is_right = text.starts_with(&format!("host_calls: {calls} calls")) && text.ends_with(", ok\n");
        assert!(is_right, "{}: {text}", place.name);
    }
}

/// A program with code for several levels of the processor runs the highest that the machine has, or that the variable
/// allows. The programs compare their results with the host's, to the bit; in `make test`, two of them in turn do. A
/// program without code for the level is an error that names both levels.
fn each_level_has_the_same_results() {
    let folder = harness::scratch();
    let executable = folder.path().join("program");
    let compile = |name: &str, archs: &str| {
        let bitcode = program::bitcode(&format!("tests/run/{name}.rs"), RECOMMENDED, folder.path());
        let archs = format!("--offload-arch={archs}");
        program::compile(&bitcode, &executable, &["--emit=exe", "-O3", &archs]).success();
    };
    let run_at =
        |level: &str| run(Command::new(&executable).env("OFFLOADRT_CPU_LEVEL", level).env("OFFLOADRT_LOG", "1"));
    let programs = ["library", "vectors", "rows", "strides", "simd", "intrinsics"];
    let is_next = |number: usize| all_flags() || turns::is_next(number, 3);
    for (_, name) in (0..).zip(programs).filter(|(number, _)| is_next(*number)) {
        compile(name, "cpu:all");
        let said = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"].map(|level| run_at(level).success().stderr());
        let runs = |said: &str, level: &str| said.contains(&format!("cpu: the code for {level} runs"));
        assert!(runs(&said[0], "x86-64") && runs(&said[1], "x86-64"), "there is no code for x86-64-v2:\n{}", said[1]);
        if is_x86_feature_detected!("avx2") {
            assert!(runs(&said[2], "x86-64-v3"), "{}", said[2]);
        }
        if is_x86_feature_detected!("avx512vl") {
            assert!(runs(&said[3], "x86-64-v4"), "{}", said[3]);
        }
    }
    compile("rows", "cpu:x86-64-v3");
    let refused = run_at("x86-64-v2");
    let said = "the closest is cpu:x86-64-v3, which this processor does not run: it is x86-64";
    assert!(refused.code() != 0 && refused.stderr().contains(said), "{}", refused.stderr());
    let refused = run_at("v3");
    let said = "`OFFLOADRT_CPU_LEVEL` is `v3`, and must be `x86-64`";
    assert!(refused.code() != 0 && refused.stderr().contains(said), "{}", refused.stderr());
}

/// Without the work-around of a fault of LLVM, a program has wrong results, or reads memory of others:
/// `--without-workaround=keep_loop_entries`, `--without-workaround=keep_branch_conditions`,
/// `--without-workaround=copy_frame_addresses`,
/// `--without-workaround=hoist_free_operands`, `--without-workaround=keep_exit_values`,
/// `--without-workaround=keep_carries`, `--without-workaround=keep_product_masks`,
/// `--without-workaround=hide_byte_products`, `--without-workaround=hide_sign_bytes`,
/// `--without-workaround=disable_sdwa`, `--without-workaround=narrow_word_products`,
/// `--without-workaround=freeze_stopped_counters`, `--without-workaround=freeze_masked_loads`,
/// `--without-workaround=hide_low_bytes`, `--without-workaround=disable_tail_duplication`, and on OpenCL
/// `--without-workaround=disable_loop_reduce` and `--without-workaround=widen_signs`.
fn without_work_arounds_results_are_wrong() {
    let folder = harness::scratch();
    let executable = folder.path().join("program");
    let unoptimized = FLAG_SETS.into_iter().find(|set| set.name == "O0").expect("it is one of the sets");
    let place = |arch: &str| {
        let place = PLACES.into_iter().find(|place| Some(place.arch) == arch.split(':').next());
        place.expect("there is a device of the arch")
    };
    let cases = [
        ("keep_branch_conditions", "gfx90a", unoptimized, "-O2", "uniform_choices", &["triangles"][..]),
        ("keep_loop_entries", "gfx90a", RECOMMENDED, "-Oz", "copied", &[]),
        ("copy_frame_addresses", "gfx90a", RECOMMENDED, "-O2", "uniform_choices", &["arrays"][..]),
        ("copy_frame_addresses", "gfx1100", RECOMMENDED, "-O2", "uniform_choices", &["arrays"][..]),
        ("copy_frame_addresses", "gfx90a", unoptimized, "-O2", "uniform_choices", &["arrays"][..]),
        ("hoist_free_operands", "gfx90a", RECOMMENDED, "-O0", "names", &[]),
        ("hoist_free_operands", "gfx1100", RECOMMENDED, "-O0", "names", &[]),
        ("keep_exit_values", "gfx90a", RECOMMENDED, "-O2", "format", &[]),
        ("keep_product_masks", "gfx90a", RECOMMENDED, "-O2", "narrow", &[]),
        ("keep_product_masks", "gfx1100", unoptimized, "-O2", "narrow", &[]),
        ("hide_byte_products", "gfx90a", RECOMMENDED, "-O2", "bytes", &[]),
        ("hide_byte_products", "gfx1100", RECOMMENDED, "-O2", "bytes", &[]),
        ("hide_sign_bytes", "gfx90a", RECOMMENDED, "-O2", "bytes", &[]),
        ("hide_sign_bytes", "gfx1100", RECOMMENDED, "-O2", "bytes", &[]),
        ("disable_sdwa", "gfx90a", RECOMMENDED, "-O2", "bytes", &[]),
        ("keep_carries", "gfx90a", RECOMMENDED, "-O2", "carries", &[]),
        ("keep_carries", "gfx1100", unoptimized, "-O2", "carries", &[]),
        ("freeze_narrow_recurrences", "cpu", RECOMMENDED, "-O2", "vectorized", &[]),
        ("freeze_stopped_counters", "cpu:x86-64-v3", RECOMMENDED, "-O2", "vectorized", &[]),
        ("freeze_masked_loads", "cpu:x86-64-v3", RECOMMENDED, "-O2", "registers", &[]),
        ("hide_low_bytes", "cpu", RECOMMENDED, "-O2", "registers", &[]),
        ("disable_tail_duplication", "cpu", RECOMMENDED, "-O2", "registers", &[]),
        ("narrow_word_products", "cpu:x86-64-v3", RECOMMENDED, "-O2", "vectorized", &[]),
        ("disable_loop_reduce", "spirv64", RECOMMENDED, "-O2", "vectors", &[]),
        ("widen_signs", "spirv64", RECOMMENDED, "-O2", "narrow", &[]),
    ];
    let can_run = |arch: &str| match arch {
        "spirv64" => opencl::folder().is_some(),
        "cpu:x86-64-v3" => is_x86_feature_detected!("avx2"),
        _ => true,
    };
    for (name, arch, set, level, source, arguments) in cases.into_iter().filter(|case| can_run(case.1)) {
        let row = WORKAROUNDS.iter().find(|row| row.name == name).expect("the table has it");
        let bitcode = program::bitcode(&format!("tests/run/{source}.rs"), set, folder.path());
        let arch_option = format!("--offload-arch={arch}");
        let off = format!("--without-workaround={name}");
        // LLVM 23 saves SCC there, on GPUs with flat scratch memory.
        let is_repaired = cfg!(feature = "llvm23") && (name, arch) == ("copy_frame_addresses", "gfx1100");
        for (without, is_right) in [(None, true), (Some(&*off), is_repaired || !row.is_needed())] {
            let options: Vec<&str> = ["--emit=exe", &arch_option, level].into_iter().chain(without).collect();
            program::compile(&bitcode, &executable, &options).success();
            let outcome = run(place(arch).choose(Command::new(&executable).args(arguments)));
            assert_eq!(outcome.code() == 0, is_right, "{name}, {arch}, {}: {}", set.name, outcome.report());
        }
    }
}

/// The output contains each thread's lines completely and once, on all devices. Without the option, only the host
/// prints.
fn kernels_print() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/run/print.rs", RECOMMENDED, folder.path());
    let mut lines: Vec<String> = (0..40).map(|i| format!("thread {i} of 40")).collect();
    lines.extend(std::iter::repeat_n("a text of the program".to_owned(), 40));
    lines.push(format!("<{}", ".".repeat(598)));
    let hosts = ["before the kernel", "on the host", "print: done"].map(str::to_owned);
    lines.extend(hosts.clone());
    lines.sort();
    let ignored = |place: &Place| place.device == Device::Cuda || place.is_ignored(false);
    for place in PLACES.into_iter().filter(|place| !ignored(place)) {
        let (object, executable) = (folder.path().join("print.o"), folder.path().join("print"));
        for (option, wanted) in [("--device-print", &lines[..]), ("-Wno-print-dropped", &hosts[..])] {
            let options = place.options();
            let options: Vec<&str> = options.iter().map(String::as_str).chain([option]).collect();
            program::compile(&bitcode, &object, &options).success();
            program::link_rust(&object, place.runtime, &executable);
            let mut command = Command::new(&executable);
            let on_opencl = place.device == Device::OpenCl;
            let outcome = run(place.choose(&mut command)).success();
            let text = outcome.stdout();
            // OpenCL's own print only keeps up to 32 bytes of a call together, so the text of dots may be mixed with
            // lines of other threads.
            let dots = |text: &str| text.matches(['<', '.']).count();
            assert_eq!(dots(&text), wanted.iter().map(|line| dots(line)).sum::<usize>(), "{} {option}", place.name);
            let without_dots = |line: &str| if on_opencl { line.replace(['<', '.'], "") } else { line.to_owned() };
            let sorted = |lines: &mut dyn Iterator<Item = &str>| {
                let mut lines: Vec<String> = lines.map(without_dots).filter(|line| !line.is_empty()).collect();
                lines.sort();
                lines
            };
            let wanted = sorted(&mut wanted.iter().map(String::as_str));
            assert_eq!(sorted(&mut text.lines()), wanted, "{} {option}", place.name);
        }
    }
}

/// The manual's examples about the lanes that take part in an operation are those of the programs that run them.
fn the_manual_has_the_rule_as_it_is_run() {
    let read = |path: &str| std::fs::read_to_string(harness::root().join(path)).expect("the repository has it");
    let manual = read("docs/contract.md");
    for (first, count, program) in [(1, 12, "tests/run/warp_rule.rs"), (13, 4, "tests/run/warp_masks.rs")] {
        let begin = format!("rust,ignore\n// {first}. ");
        let examples = manual.split("```").find(|block| block.starts_with(&begin)).expect("the manual has examples");
        let examples = examples.trim_start_matches("rust,ignore\n").trim_end();
        let numbered = |line: &&str| line.starts_with("// ") && !line.starts_with("//  ");
        assert_eq!(examples.lines().filter(numbered).count(), count);
        assert!(read(program).contains(examples), "docs/contract.md has other examples than {program}");
    }
}

/// If a device has no separate stack, a full stack is an error of the launch; a larger stack is sufficient.
fn a_full_stack_is_a_panic() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/run/overflow.rs", RECOMMENDED, folder.path());
    let (object, executable) = (folder.path().join("overflow.o"), folder.path().join("overflow"));
    for (stack, wanted) in [
        (
            "4096",
            "panicked: stack overflow: recursion needs more than 4096 bytes (`--device-stack`) (block 0, thread 7)",
        ),
        ("262144", "overflow: 8 threads, ok"),
    ] {
        let stack = format!("--device-stack={stack}");
        program::compile(&bitcode, &object, &["--offload-arch=spirv64", &stack]).success();
        program::link_rust(&object, "offloadrt", &executable);
        let outcome = run(opencl::choose(&mut Command::new(&executable)));
        assert!((outcome.stdout() + &outcome.stderr()).contains(wanted), "{}", outcome.report());
    }
}

/// With debug information, the error about a lane that waits in vain has its location.
fn a_fault_of_a_mask_has_a_place() {
    let folder = harness::scratch();
    let set = FLAG_SETS.into_iter().find(|set| set.name == "facts-g").expect("the table has it");
    let bitcode = program::bitcode("tests/run/warp_masks.rs", set, folder.path());
    let (object, executable) = (folder.path().join("masks.o"), folder.path().join("masks"));
    program::compile(&bitcode, &object, &["--offload-arch=cpu"]).success();
    program::link_rust(&object, "offloadrt", &executable);
    let outcome = run(Command::new(&executable).arg("places"));
    assert!(outcome.code() == 0 && outcome.stdout().contains("warp_masks: 40 threads, ok"), "{}", outcome.report());
}

/// If Intel's OpenCL is configured without subgroups, a kernel that needs them is not launched.
fn no_lanes_is_an_error() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/run/lanes.rs", RECOMMENDED, folder.path());
    let (object, executable) = (folder.path().join("lanes.o"), folder.path().join("lanes"));
    program::compile(&bitcode, &object, &["--offload-arch=spirv64"]).success();
    program::link_rust(&object, "offloadrt", &executable);
    let mut command = Command::new(&executable);
    let outcome = run(opencl::choose(&mut command).env("CL_CONFIG_USE_VECTORIZER", "False"));
    let wanted = "has lanes only where `CL_CONFIG_USE_VECTORIZER=True` is in the environment";
    assert!(outcome.code() == 1 && outcome.stderr().contains(wanted), "{}", outcome.report());
}

/// On the CPU, the error of a kernel that needs more than its thread's stack names the kernel, and nothing else is
/// changed.
fn a_full_stack_of_the_hosts_is_an_error() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/run/overflow.rs", RECOMMENDED, folder.path());
    let (object, executable) = (folder.path().join("overflow.o"), folder.path().join("overflow"));
    for (runtime, ends_by_signal) in [("offloadrt", false), ("omptarget", true)] {
        program::compile(&bitcode, &object, &["--offload-arch=cpu", &format!("--runtime={runtime}")]).success();
        program::link_rust(&object, runtime, &executable);
        let start = |depth| {
            let mut command = Command::new(&executable);
            // libomptarget leaves the images that it loads in the folder for temporary files.
            run(command.arg(depth).env("TMPDIR", folder.path()))
        };
        assert!(start("5000").success().stdout().contains("overflow: 8 threads, ok"));
        let outcome = start("1000000000");
        assert!(outcome.stderr().contains("deep` overflowed its stack"), "{}", outcome.report());
        assert_eq!(outcome.code() > 128, ends_by_signal, "{}", outcome.report());
    }
}

/// On a processor, a thread may wait for one with a lower number. Lanes of an AMD GPU may not.
fn threads_wait_for_lower_ones() {
    let folder = harness::scratch();
    for set in FLAG_SETS {
        let bitcode = program::bitcode("tests/run/locks.rs", set, folder.path());
        let executable = folder.path().join("locks");
        program::compile(&bitcode, &executable, &["--offload-arch=cpu", "--emit=exe"]).success();
        let outcome = run(&mut Command::new(&executable)).success();
        assert_eq!(outcome.stdout(), "locks: 3 kernels, ok\n", "{}", set.name);
    }
}

/// With `--device-panic=trap`, a panic in a kernel ends the program by a signal, and no result is copied back.
fn a_panic_ends_the_program() {
    for set in FLAG_SETS {
        let folder = harness::scratch();
        let bitcode = program::bitcode("tests/run/refused/traps.rs", set, folder.path());
        let (object, executable) = (folder.path().join("traps.o"), folder.path().join("traps"));
        program::compile(&bitcode, &object, &["--device-panic=trap"]).success();
        program::link_rust(&object, "offloadrt", &executable);
        let outcome = run(&mut Command::new(&executable));
        assert!(outcome.code() > 128 && outcome.stdout().is_empty(), "{}: {}", set.name, outcome.report());
    }
}
