//! The text of a report: the error, the kernel as the Rust program calls it, the line of the source, the instruction,
//! the block and the thread.

mod common;

use std::process::Command;

use common::{kernel, launch};

/// How a Rust program writes the name of the kernels.
const RUST_NAME: &str = "kernels::one";

/// Set in the process whose stderr is read: which of a test's kernels it launches.
const INSIDE: &str = "EMULATOR_TEST_INSIDE";

/// A kernel, whose wrong instruction follows `HERE`.
struct Case {
    before: &'static str,
    body: &'static str,
    threads: u32,
    /// The description of the error.
    says: &'static str,
    instruction: &'static str,
    thread: u32,
}

/// Stands before the wrong instruction: from there on, the source is at this line.
const HERE: &str = ".loc 1 42 9";
const ELSEWHERE: &str = ".loc 1 41 1";

impl Case {
    fn module(&self) -> String {
        let body = self.body.replace("HERE", HERE);
        format!(".file 1 \"src/kernels.rs\"\n{}\n{}", self.before, kernel(&format!("{ELSEWHERE} {body}")))
    }

    fn launch(&self) -> Result<Vec<u64>, i32> {
        launch(&self.module(), &vec![1; 3 * self.threads as usize], self.threads)
    }

    /// Looks for all parts of the report in the output of this case's process.
    fn check(&self, said: &str) {
        let wanted = [
            "emulated cuda:0 (sm_80): ".to_owned(),
            format!("kernel `{RUST_NAME}`: "),
            self.says.to_owned(),
            "\n  at src/kernels.rs:42\n".to_owned(),
            format!("\n  instruction: {}", self.instruction),
            format!("\n  block (0, 0, 0), thread ({}, 0, 0)\n", self.thread),
        ];
        for text in wanted {
            assert!(said.contains(&text), "`{text}` is missing:\n{said}");
        }
    }
}

/// Launches each kernel in a separate process, and reads the report.
fn all_say(test: &str, cases: &[Case]) {
    if let Ok(inside) = std::env::var(INSIDE) {
        let number: usize = inside.parse().expect("it is the number of a case");
        assert!(cases[number].launch().is_err());
        return;
    }
    for (number, case) in cases.iter().enumerate() {
        let mut command = Command::new(std::env::current_exe().expect("this is a program"));
        command.args(["--exact", test, "--nocapture"]).env(INSIDE, number.to_string());
        let output = command.output().expect("it can be started again");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        case.check(&said);
    }
}

#[test]
fn accesses() {
    let case = |body, says, instruction| Case { before: "", body, threads: 4, says, instruction, thread: 0 };
    let cases = [
        Case {
            body: "HERE ld.global.u32 %rd, [%at+24];",
            says: "a load of global memory: 4 bytes at 0x",
            instruction: "ld.global.u32 %rd, [%at+24]",
            thread: 3,
            ..case("", "", "")
        },
        Case {
            body: "HERE st.global.u64 [%at+24], %a;",
            says: "are in no allocation; they end 8 bytes after device memory of 96 bytes at 0x",
            instruction: "st.global.u64 [%at+24], %a",
            thread: 3,
            ..case("", "", "")
        },
        case("HERE ld.global.u32 %rd, [%from+2];", " are not aligned to 4", "ld.global.u32 %rd, [%from+2]"),
        Case {
            before: ".const .b32 c = 1;",
            ..case(
                "mov.u64 %x0, c; HERE st.global.u32 [%x0], %ra;",
                " cannot be written: constant memory of 4 bytes",
                "st.global.u32 [%x0], %ra",
            )
        },
        Case {
            before: ".shared .b32 t[4];",
            ..case(
                "mov.u64 %x0, t; HERE st.shared.u32 [%x0+16], %ra;",
                "a store of shared memory: 4 bytes at 0x",
                "st.shared.u32 [%x0+16], %ra",
            )
        },
        case(
            ".local .b32 t[4]; mov.u64 %x0, t; HERE ld.local.u32 %rd, [%x0+-4];",
            "a load of local memory: 4 bytes at 0x",
            "ld.local.u32 %rd, [%x0+-4]",
        ),
    ];
    all_say("accesses", &cases);
}

#[test]
fn undefined_values() {
    let case = |body, says, instruction| Case { before: "", body, threads: 32, says, instruction, thread: 0 };
    let cases = [
        case(
            ".local .b32 t; ld.local.u32 %r3, [t]; setp.eq.u32 %p1, %r3, 0; HERE @%p1 bra X; mov.u64 %d, 1; X:",
            "a value that was never written decides a branch",
            "@%p1 bra X",
        ),
        case(
            ".local .b32 t; ld.local.u32 %r3, [t]; mad.wide.u32 %x0, %r3, 8, %from; HERE ld.global.u64 %d, [%x0];",
            "a value that was never written decides an address",
            "ld.global.u64 %d, [%x0]",
        ),
        case(
            ".local .b32 t; ld.local.u32 %r3, [t]; HERE shfl.sync.idx.b32 %rd, %tid, %r3, 31, -1;",
            "a value that was never written decides from which lane a shuffle reads",
            "shfl.sync.idx.b32 %rd, %tid, %r3, 31, -1",
        ),
    ];
    all_say("undefined_values", &cases);
}

#[test]
fn threads_that_never_come() {
    let cases = [
        Case {
            before: "",
            body: "setp.lt.u32 %p1, %tid, 32; @%p1 bra A; bra B; A: HERE bar.sync 1; bra C; B: bar.sync 2; C:",
            threads: 64,
            says: "barrier 1 is reached by 32 of 64 threads, and the others never come",
            instruction: "bar.sync 1",
            thread: 0,
        },
        Case {
            before: "",
            body: "setp.eq.u32 %p1, %tid, 5; @%p1 bra A; HERE vote.sync.ballot.b32 %rd, %p1, -1; bra B;
                A: bar.sync 0; B:",
            threads: 32,
            says: "lane 5 is in the mask 0xffffffff and does not come to this instruction",
            instruction: "vote.sync.ballot.b32 %rd, %p1, -1",
            thread: 0,
        },
        Case {
            before: "",
            body: "HERE vote.sync.ballot.b32 %rd, %p1, 7;",
            threads: 32,
            says: "lane 3 is not in the mask 0x00000007 of its operation",
            instruction: "vote.sync.ballot.b32 %rd, %p1, 7",
            thread: 3,
        },
    ];
    all_say("threads_that_never_come", &cases);
}

#[test]
fn calls_are_named() {
    let inner = ".func _ZN7kernels4half17h0123456789abcdefE(.param .b64 a) { .reg .b64 %v; ld.param.b64 %v, [a];
        .loc 1 42 9 ld.global.u64 %v, [%v]; ret; }";
    let case = Case {
        before: inner,
        body: "{ .param .b64 a; mov.b64 %x0, 64; st.param.b64 [a], %x0;
            call _ZN7kernels4half17h0123456789abcdefE, (a); }",
        threads: 1,
        says: "\n  in `kernels::half` (src/kernels.rs:42)\n  in `kernels::one` (src/kernels.rs:41)\n",
        instruction: "ld.global.u64 %v, [%v]",
        thread: 0,
    };
    all_say("calls_are_named", &[case]);
}

/// `half` is inlined into the kernel at two places, and a function of `core` into `half`.
#[test]
fn inlined_functions_are_named() {
    let before = ".file 2 \"/rustc/0123/library/core/src/ptr.rs\"
        .section .debug_macinfo { }
        .section .debug_str { A: .b8 110,111,0,99,111,114,101,58,58,112,116,114,0 B: .b8 104,97,108,102
        .b8 0 }";
    let case = |body, says| Case { before, body, threads: 1, says, instruction: "ld.global.u32 %rd", thread: 0 };
    let cases = [
        case(
            ".loc 1 10 1 .loc 1 42 7, function_name B, inlined_at 1 10 1
            .loc 2 5 3, function_name A+3, inlined_at 1 42 7 ld.global.u32 %rd, [%from+2];
            .loc 1 11 1 .loc 1 42 7, function_name B, inlined_at 1 11 1
            .loc 2 5 3, function_name A+3, inlined_at 1 42 7 ld.global.u32 %rd, [%from];",
            "  in `core::ptr` (library/core/src/ptr.rs:5)\n  in `half` (src/kernels.rs:42)
  in `kernels::one` (src/kernels.rs:10)\n",
        ),
        // The same place in `half`, which another line of the kernel calls.
        case(
            ".loc 1 10 1 .loc 1 42 7, function_name B, inlined_at 1 10 1
            .loc 2 5 3, function_name A+3, inlined_at 1 42 7 ld.global.u32 %rd, [%from];
            .loc 1 11 1 .loc 1 42 7, function_name B, inlined_at 1 11 1
            .loc 2 5 3, function_name A+3, inlined_at 1 42 7 ld.global.u32 %rd, [%from+2];",
            "  in `core::ptr` (library/core/src/ptr.rs:5)\n  in `half` (src/kernels.rs:42)
  in `kernels::one` (src/kernels.rs:11)\n",
        ),
        // The function around it has no directive, and one has no name. Code without a line has the line before it.
        case(
            ".loc 2 5 3, function_name A+300, inlined_at 1 42 7 mov.u32 %r3, 0; .loc 2 0 3
            ld.global.u32 %rd, [%from+2];",
            "  in an unknown function (library/core/src/ptr.rs:5)\n  in `kernels::one` (src/kernels.rs:42)\n",
        ),
    ];
    all_say("inlined_functions_are_named", &cases);
}

#[test]
fn instructions_are_counted() {
    let looped = "mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 10; @%p0 bra LOOP;";
    // One lane of each warp leaves the loop in another iteration, and executes nothing that the others do not.
    let diverging = "mov.u32 %r3, %tid; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 34; @%p0 bra LOOP;";
    let bodies = ["", looped, diverging];
    if let Ok(inside) = std::env::var(INSIDE) {
        let number: usize = inside.parse().expect("it is the number of a body");
        assert!(launch(&kernel(bodies[number]), &[1; 3 * 33], 33).is_ok());
        return;
    }
    // The instructions around a body, in two warps; then the loop's instructions for the first lane of each.
    let expected = [2 * 20, 2 * (20 + 1 + 3 * 10), 2 * (20 + 1) + 3 * 34 + 3 * 2];
    for (number, expected) in expected.into_iter().enumerate() {
        let mut command = Command::new(std::env::current_exe().expect("this is a program"));
        command.args(["--exact", "instructions_are_counted", "--nocapture"]).env(INSIDE, number.to_string());
        let output = command.env("OFFLOAD_EMULATED_COUNTS", "1").output().expect("it can be started again");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let wanted = format!("emulated cuda:0 (sm_80): kernel `{RUST_NAME}`: {expected} instructions of 2 warps\n");
        assert!(output.status.success() && said.contains(&wanted), "`{wanted}` is missing:\n{said}");
    }
}
