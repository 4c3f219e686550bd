//! `OFFLOAD_EMULATED_PROFILE`: the counts of each line of a kernel, written when the process ends.

mod common;

use std::process::Command;

use common::{NAME, kernel, launch};

/// Set in the process that launches the kernel.
const INSIDE: &str = "EMULATOR_TEST_INSIDE";

/// A line for each access. Two warps execute them: one of 32 lanes, and one of a single lane.
const BODY: &str = "
    .shared .b32 t[1024];
    .loc 1 6 1
    setp.lt.u32 %p0, %tid, 4; mov.u64 %x1, t; mul.wide.u32 %x2, %tid, 8; add.u64 %x1, %x1, %x2;
    .loc 1 7 1
    ld.global.u64 %x0, [%at];
    .loc 1 8 1
    @%p0 ld.global.u32 %r3, [%from];
    .loc 1 9 1
    st.shared.u32 [%x1], %ra;
    .loc 1 10 1
    ld.shared.u32 %r4, [t];
    .loc 1 11 1
    red.global.add.u32 [%from], 1;
    .loc 1 12 1";

#[test]
fn lines_are_counted() {
    if std::env::var(INSIDE).is_ok() {
        let module = format!(".file 1 \"src/kernels.rs\"\n{}", kernel(BODY));
        for _ in 0..2 {
            assert!(launch(&module, &[1; 3 * 33], 33).is_ok());
        }
        return;
    }
    let folder = std::env::temp_dir().join(format!("emulator-profile-{}", std::process::id()));
    let mut command = Command::new(std::env::current_exe().expect("this is a program"));
    command.args(["--exact", "lines_are_counted"]).env(INSIDE, "1").env("OFFLOAD_EMULATED_PROFILE", &folder);
    let output = command.output().expect("it can be started again");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&folder).expect("the process has written it");
    std::fs::remove_file(&folder).expect("it is this test's");
    let head = format!(
        "{{\"device\": \"cuda:0\", \"arch\": \"sm_80\", \"kernel\": \"kernels::one\", \"symbol\": \"{NAME}\", \
         \"launches\": 2, \"warps\": 4, \"lines\": [{{\"file\": \"\", \"line\": 0, "
    );
    assert!(text.starts_with(&head) && text.ends_with("]}\n") && text.lines().count() == 1, "{text}");
    for (line, instructions, lanes, [accesses, bytes, transactions, conflicts]) in [
        (6, 4 * 2, 4 * 33, [0, 0, 0, 0]),
        // 32 values of 8 bytes, each of which begins 24 bytes after the one before it, and one more.
        (7, 2, 33, [2, 33 * 8, 24 + 1, 0]),
        // The guard holds in 4 lanes of the first warp, which load the same word.
        (8, 2, 33, [1, 4 * 4, 1, 0]),
        // The lanes of the first warp store to each second word.
        (9, 2, 33, [0, 0, 0, 1]),
        (10, 2, 33, [0, 0, 0, 0]),
        (11, 2, 33, [2, 33 * 4, 2, 0]),
    ] {
        let twice = [instructions, lanes, accesses, bytes, transactions, conflicts].map(|count: u64| 2 * count);
        let [instructions, lanes, accesses, bytes, transactions, conflicts] = twice;
        let wanted = format!(
            "{{\"file\": \"src/kernels.rs\", \"line\": {line}, \"instructions\": {instructions}, \"lanes\": {lanes}, \
             \"accesses\": {accesses}, \"bytes\": {bytes}, \"transactions\": {transactions}, \"conflicts\": \
             {conflicts}}}"
        );
        assert!(text.contains(&wanted), "`{wanted}` is missing:\n{text}");
    }
}
