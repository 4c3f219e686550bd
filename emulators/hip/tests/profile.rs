//! `OFFLOAD_EMULATED_PROFILE`: the counts of each line of a kernel, written when the process ends.

mod common;

use std::process::Command;

use common::{BOTH, Kernel, Processor, RDNA, SOURCE};

/// Set in the process that launches the kernel, to the name of the processor.
const INSIDE: &str = "EMULATOR_TEST_INSIDE";

/// A load of words that are 16 bytes apart, and a store to each second word of shared memory.
fn accesses(processor: Processor) -> [&'static str; 2] {
    match processor == RDNA {
        true => ["  global_load_b32 v10, v7, s[2:3]", "  ds_store_b32 v6, v1"],
        false => ["  global_load_dword v10, v7, s[2:3]", "  ds_write_b32 v6, v1"],
    }
}

#[test]
fn lines_are_counted() {
    for processor in BOTH {
        let [load, store] = accesses(processor);
        let body = format!("{load}\n{store}\n  s_waitcnt vmcnt(0) lgkmcnt(0)\n  v_mov_b32 v11, 0");
        // The second wave has half of its lanes.
        let threads = 3 * processor.lanes / 2;
        let kernel = Kernel { threads, shared: 8 * threads, ..Kernel::new(processor, &body) };
        if let Ok(inside) = std::env::var(INSIDE) {
            if inside == processor.name {
                assert!(kernel.try_run(|thread| [thread as u32, 0, 0, 0]).is_ok());
                return;
            }
            continue;
        }
        let file = std::env::temp_dir().join(format!("emulator-profile-{}-{}", processor.name, std::process::id()));
        let mut command = Command::new(std::env::current_exe().expect("this is a program"));
        command.args(["--exact", "lines_are_counted"]).env(INSIDE, processor.name);
        let output = command.env("OFFLOAD_EMULATED_PROFILE", &file).output().expect("it can be started again");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read_to_string(&file).expect("the process has written it");
        std::fs::remove_file(&file).expect("it is this test's");
        let head = format!("{{\"device\": \"hip:{}\", \"arch\": \"{}\", ", processor.number, processor.name);
        assert!(text.starts_with(&head) && text.contains("\"launches\": 1, \"warps\": 2, "), "{text}");
        let source = kernel.source();
        let line = |instruction: &str| source.lines().position(|line| line == instruction).expect("it is there") + 1;
        let lanes = threads as u64;
        // Two words are in a sector of 32 bytes. Each 32 lanes that store have one word more in each bank.
        let turns = lanes.div_ceil(32) - u64::from(lanes % 32 == 16);
        for (line, [accesses, bytes, transactions, conflicts]) in
            [(line(load), [2, 4 * lanes, lanes / 2, 0]), (line(store), [0, 0, 0, turns])]
        {
            let wanted = format!(
                "{SOURCE}\", \"line\": {line}, \"instructions\": 2, \"lanes\": {lanes}, \"accesses\": {accesses}, \
                 \"bytes\": {bytes}, \"transactions\": {transactions}, \"conflicts\": {conflicts}}}"
            );
            assert!(text.contains(&wanted), "`{wanted}` is missing:\n{text}");
        }
    }
}
