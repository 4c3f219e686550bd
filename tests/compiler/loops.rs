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
