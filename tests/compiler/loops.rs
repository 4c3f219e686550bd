//! Passes that look at loops, in kernels with thousands of them: generated code, and many instances of one generic
//! function that are inlined. A pass that looks through the function for each loop would take minutes here, and LLVM's
//! own passes do, so each pass runs alone.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use harness::run_within;

const LOOPS: usize = 8000;

/// A kernel with so many loops, one after another.
fn kernel() -> String {
    let mut text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
                    define ptx_kernel void @k(ptr %p, i32 %n) {\nl0:\n  br label %l1\n"
        .to_owned();
    for at in 1..=LOOPS {
        let (before, after) = (at - 1, at + 1);
        let _ = write!(
            text,
            "l{at}:
  %c{at} = phi i32 [ 0, %l{before} ], [ %d{at}, %l{at} ]
  store volatile i32 %c{at}, ptr %p
  %d{at} = add i32 %c{at}, 1
  %e{at} = icmp eq i32 %d{at}, %n
  br i1 %e{at}, label %l{after}, label %l{at}
"
        );
    }
    let _ = writeln!(text, "l{}:\n  ret void\n}}", LOOPS + 1);
    text
}

#[test]
fn thousands_of_loops_take_seconds() {
    let folder = harness::scratch();
    let input = folder.path().join("loops.ll");
    std::fs::write(&input, kernel()).expect("the folder is ours");
    for (pass, arch) in [("unroll_inner_loops", "cpu"), ("keep_exit_values", "gfx90a")] {
        let mut command = Command::new(harness::offloadc());
        command.arg(&input).args(["--kernel=k", &format!("--offload-arch={arch}"), &format!("--run-pass={pass}")]);
        let ran = run_within(&mut command, Duration::from_secs(20)).success();
        assert!(ran.stdout().contains(&format!("label %l{LOOPS}")), "{pass}");
    }
}

/// A kernel with so many loops whose check always holds.
fn checked(loops: usize) -> String {
    let mut text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
                    define ptx_kernel void @k(ptr %p) {\nl0:\n  br label %l1\n"
        .to_owned();
    for at in 1..=loops {
        let after = at + 1;
        let _ = write!(
            text,
            "l{at}:
  br label %b{at}
b{at}:
  %i{at} = phi i32 [ 0, %l{at} ], [ %j{at}, %s{at} ]
  %c{at} = icmp ult i32 %i{at}, 100
  br i1 %c{at}, label %s{at}, label %panic
s{at}:
  store volatile i32 %i{at}, ptr %p
  %j{at} = add i32 %i{at}, 1
  %e{at} = icmp eq i32 %j{at}, 50
  br i1 %e{at}, label %l{after}, label %b{at}
"
        );
    }
    let _ = writeln!(text, "l{}:\n  ret void\npanic:\n  call void @llvm.trap()\n  unreachable\n}}", loops + 1);
    text + "declare void @llvm.trap()\n"
}

/// Scalar evolution compares each condition of a function with those of the loops before: the first 128 are looked at.
#[test]
fn checks_of_a_thousand_loops_take_seconds() {
    let folder = harness::scratch();
    let input = folder.path().join("checks.ll");
    for (loops, left) in [(128, 0), (1000, 1000 - 128)] {
        std::fs::write(&input, checked(loops)).expect("the folder is ours");
        let mut command = Command::new(harness::offloadc());
        command.arg(&input).args(["--kernel=k", "--offload-arch=sm_80", "--run-pass=hoist_checks"]);
        let ran = run_within(&mut command, Duration::from_secs(20)).success();
        assert_eq!(ran.stdout().matches("label %panic").count(), left, "{loops} loops");
    }
}
