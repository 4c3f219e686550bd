//! The device's side of calls of the host, with more threads than a mailbox has slots. Emulated devices never run as
//! many at once. `mailbox.c` has the threads.

use std::process::Command;
use std::time::Duration;

use harness::{run, run_within};

const MODULE: &str = r#"target triple = "x86_64-unknown-linux-gnu"
declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)
define void @k(ptr %result, ptr %arguments) {
  %status = call i32 @__offload_call_host(i64 3, ptr %arguments, i64 24, ptr %result, i64 8)
  ret void
}
"#;

#[test]
fn threads_wait_for_a_slot_if_all_are_in_use() {
    let folder = harness::scratch();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("k.ll"), MODULE).expect("the folder is ours");
    let pass = ["--run-pass=lower_host_calls", "--kernel=k"];
    let lowered = run(Command::new(harness::offloadc()).arg(file("k.ll")).args(pass)).success().stdout();
    std::fs::write(file("lowered.ll"), lowered).expect("the folder is ours");
    let mut llc = Command::new(harness::llvm_tool("llc"));
    llc.args(["-O2", "-filetype=obj", "-relocation-model=pic", "-o"]).arg(file("k.o")).arg(file("lowered.ll"));
    run(&mut llc).success();
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O1", "-pthread", "-I"]).arg(harness::root().join("runtime-c"));
    cc.arg(harness::root().join("tests/codegen/mailbox.c")).arg(file("k.o")).arg("-o").arg(file("program"));
    run(&mut cc).success();
    // If two threads have the same slot, one of them waits forever.
    let ran = run_within(&mut Command::new(file("program")), Duration::from_secs(60));
    assert_eq!(ran.code(), 0, "{}", ran.report());
}
