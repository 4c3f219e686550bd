//! Memory operations complete when the wave waits for them, and not before: machine code without a wait that it needs
//! is reported, and machine code with all of its waits is not. Each kernel is right as it stands; its mutation lacks
//! the line with `NEEDED`, or has another one.

mod common;

use common::reports::reports;
use common::{BOTH, GCN, Kernel, Processor, RDNA};

fn thread_number(thread: usize) -> [u32; 4] {
    [thread as u32, 0, 0, 0]
}

/// The names of GCN in those of RDNA.
fn renamed(processor: Processor, text: &str) -> String {
    if processor == GCN {
        return text.to_owned();
    }
    let names = [
        ("global_load_dwordx2", "global_load_b64"),
        ("global_load_dword", "global_load_b32"),
        ("global_store_dword", "global_store_b32"),
        ("flat_load_dword", "flat_load_b32"),
        ("flat_store_dword", "flat_store_b32"),
        ("s_load_dwordx2", "s_load_b64"),
        ("ds_read_b32", "ds_load_b32"),
        ("ds_write_b32", "ds_store_b32"),
        ("v_add_u32", "v_add_nc_u32"),
    ];
    names.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The kernel gives `right` for each thread; with the needed line replaced, it is reported with all of `wanted`.
#[track_caller]
fn check(
    test: &str,
    processor: Processor,
    threads: usize,
    body: &str,
    wrong: &str,
    right: fn(u32) -> u32,
    wanted: &[&str],
) {
    let body = renamed(processor, body);
    let kernel = |body| Kernel { threads, shared: 1024, ..Kernel::new(processor, body) };
    if std::env::var(common::reports::INSIDE).is_err() {
        let outputs = kernel(&body).run(thread_number);
        for (thread, output) in outputs.iter().enumerate() {
            assert_eq!(output[0], right(thread as u32), "thread {thread} of {}:\n{body}", processor.name);
        }
    }
    let replaced = |line: &str| if line.contains("NEEDED") { wrong.to_owned() } else { line.to_owned() };
    let mutated: String = body.lines().map(|line| replaced(line) + "\n").collect();
    assert_ne!(mutated, body);
    let wanted: Vec<String> = wanted.iter().map(|text| renamed(processor, text)).collect();
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    reports(test, &kernel(&mutated), thread_number, &wanted);
}

const ONCE: &str = "  v_mov_b32 v11, 0
  v_lshlrev_b32 v7, 4, v1
  v_lshlrev_b32 v8, 2, v1
";

#[test]
fn registers_of_loads() {
    let name = "registers_of_loads";
    let read = "the instruction needs v9, and no wait completes the load of it";
    for processor in BOTH {
        let check = |body: &str, wrong: &str, wanted: &[&str]| {
            check(name, processor, processor.lanes, &format!("{ONCE}{body}"), wrong, |thread| thread, wanted);
        };
        let global = "  global_load_dword v9, v7, s[2:3]
  s_waitcnt vmcnt(0) // NEEDED
  v_mov_b32 v10, v9";
        check(global, "", &[read, "instruction: v_mov_b32", "the other one: global_load_dword"]);
        check(global, "  s_waitcnt lgkmcnt(0)", &[read]);
        check(global, "  s_waitcnt vmcnt(1)", &[read]);
        let overwritten = "  global_load_dword v9, v7, s[2:3] offset:4
  s_waitcnt vmcnt(0) // NEEDED
  v_mov_b32 v9, v1
  v_mov_b32 v10, v9";
        check(overwritten, "", &[read, "instruction: v_mov_b32"]);
        let shared = "  ds_write_b32 v8, v1
  ds_read_b32 v9, v8
  s_waitcnt lgkmcnt(0) // NEEDED
  v_mov_b32 v10, v9";
        check(shared, "", &[read, "the other one: ds_read_b32"]);
        let exchanged = "  ds_bpermute_b32 v9, v8, v1
  s_waitcnt lgkmcnt(0) // NEEDED
  v_mov_b32 v10, v9";
        check(exchanged, "  s_waitcnt vmcnt(0)", &[read, "the other one: ds_bpermute_b32"]);
        let scalar = "  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dwordx2 s[10:11], s[0:1], 0x8
  s_waitcnt lgkmcnt(0) // NEEDED
  global_load_dword v10, v7, s[8:9]
  s_waitcnt vmcnt(0)";
        // Scalar loads complete in any order.
        check(scalar, "  s_waitcnt lgkmcnt(1)", &["needs s8", "the other one: s_load_dwordx2"]);
    }
}

/// Operations of one kind complete in order, so a wait need not wait for all.
#[test]
fn operations_complete_in_order() {
    let name = "operations_complete_in_order";
    for processor in BOTH {
        let body = format!(
            "{ONCE}  global_load_dword v9, v7, s[2:3]
  global_load_dword v12, v7, s[2:3] offset:4
  global_load_dword v13, v7, s[2:3] offset:8
  s_waitcnt vmcnt(2) // NEEDED
  v_mov_b32 v10, v9"
        );
        check(name, processor, processor.lanes, &body, "  s_waitcnt vmcnt(3)", |thread| thread, &["needs v9"]);
        // The same with stores between, which count with loads on GCN and separately on RDNA.
        let count = if processor == GCN { 2 } else { 1 };
        let body = format!(
            "{ONCE}  v_mov_b32 v14, 7
  global_load_dword v9, v7, s[2:3]
  global_store_dword v6, v14, s[4:5] offset:4
  global_load_dword v12, v7, s[2:3] offset:4
  s_waitcnt vmcnt({count}) // NEEDED
  v_mov_b32 v10, v9"
        );
        let wrong = format!("  s_waitcnt vmcnt({})", count + 1);
        check(name, processor, processor.lanes, &body, &wrong, |thread| thread, &["needs v9"]);
        // Two loads of a register: the younger one comes last.
        let body = format!(
            "{ONCE}  global_load_dword v9, v7, s[2:3] offset:4
  global_load_dword v9, v7, s[2:3]
  s_waitcnt vmcnt(0) // NEEDED
  v_mov_b32 v10, v9"
        );
        check(name, processor, processor.lanes, &body, "  s_waitcnt vmcnt(1)", |thread| thread, &["needs v9"]);
    }
}

/// Loads of both halves of a register need no wait between them.
#[test]
fn halves_are_loaded_one_after_another() {
    let body = format!(
        "{ONCE}  global_load_d16_b16 v9, v7, s[2:3]
  global_load_d16_hi_b16 v9, v7, s[2:3] offset:4
  s_waitcnt vmcnt(0) // NEEDED
  v_and_b32 v10, 0xffff, v9"
    );
    let name = "halves_are_loaded_one_after_another";
    let wanted = ["needs v9", "the other one: global_load_d16_hi_b16"];
    check(name, RDNA, 32, &body, "  s_waitcnt vmcnt(1)", |thread| thread, &wanted);
}

/// RDNA3 stores one half of a register while the other half is loaded, and nothing else.
#[test]
fn a_half_is_stored_beside_one_that_is_loaded() {
    let name = "a_half_is_stored_beside_one_that_is_loaded";
    let body = |store: &str, read: &str| {
        format!(
            "{ONCE}  v_mov_b32 v9, v1
  global_load_d16_hi_b16 v9, v7, s[2:3]
  {store}
  {read}
  v_lshrrev_b32 v10, 16, v9"
        )
    };
    let wait = "s_waitcnt vmcnt(0)";
    for store in ["global_store_b16 v6, v9, s[4:5] offset:4", "global_store_b8 v6, v9, s[4:5] offset:4"] {
        let needed = body(store, &format!("{wait} // NEEDED"));
        check(name, RDNA, 32, &needed, "", |thread| thread, &["needs v9", "instruction: v_lshrrev_b32"]);
        // The loaded half, the whole register, and an address.
        let needed = body(&format!("{store} // NEEDED"), wait);
        for wrong in ["global_store_d16_hi_b16 v6, v9", "global_store_b32 v6, v9", "global_store_b16 v9, v9"] {
            let wanted = ["needs v9", "the other one: global_load_d16_hi_b16"];
            check(name, RDNA, 32, &needed, &format!("  {wrong}, s[4:5] offset:4"), |thread| thread, &wanted);
        }
        check(name, RDNA, 32, &needed, "  v_add_nc_u16 v12, v9, v9", |thread| thread, &["needs v9", "v_add_nc_u16"]);
    }
    let halves = "  v_mov_b32 v9, v1
  global_load_short_d16_hi v9, v7, s[2:3]
  s_waitcnt vmcnt(0) // NEEDED
  global_store_short v6, v9, s[4:5] offset:4
  v_lshrrev_b32 v10, 16, v9";
    let wanted = ["needs v9", "instruction: global_store_short"];
    check(name, GCN, 64, &format!("{ONCE}{halves}"), "", |thread| thread, &wanted);
}

/// After a generic access of GCN, only a wait for zero ensures anything.
#[test]
fn generic_accesses() {
    let name = "generic_accesses";
    let body = format!(
        "{ONCE}  v_mov_b32 v17, s3
  v_add_co_u32 v16, vcc, s2, v7
  v_addc_co_u32 v17, vcc, 0, v17, vcc
  flat_load_dword v9, v[16:17]
  global_load_dword v12, v7, s[2:3] offset:4
  s_waitcnt vmcnt(0) lgkmcnt(0) // NEEDED
  v_mov_b32 v10, v9"
    );
    let wanted = ["needs v9", "the other one: flat_load_dword"];
    check(name, GCN, 64, &body, "  s_waitcnt vmcnt(1) lgkmcnt(0)", |thread| thread, &wanted);
    let body = body.replace("v_add_co_u32 v16, vcc, s2, v7", "v_add_co_u32 v16, vcc_lo, s2, v7");
    let body = body.replace("v_addc_co_u32 v17, vcc, 0, v17, vcc", "v_add_co_ci_u32 v17, vcc_lo, 0, v17, vcc_lo");
    let body = body.replace("vmcnt(0) lgkmcnt(0)", "vmcnt(1)");
    check(name, RDNA, 32, &body, "  s_waitcnt vmcnt(2)", |thread| thread, &wanted);
}

/// A generic load of GCN and a later load into the same register: after the data that LDS may have, those of memory
/// come in order.
#[test]
fn generic_loads_of_a_register() {
    let name = "generic_loads_of_a_register";
    let wanted = ["needs v9", "the other one: flat_load_dword"];
    let memory = "flat_load_dword v9, v[16:17] offset:4
  s_waitcnt lgkmcnt(0)
  global_load_dword v9, v7, s[2:3]
  s_waitcnt vmcnt(0) // NEEDED";
    let of_memory = format!(
        "{ONCE}  v_mov_b32 v17, s3
  v_add_co_u32 v16, vcc, s2, v7
  v_addc_co_u32 v17, vcc, 0, v17, vcc
  {memory}
  v_mov_b32 v10, v9"
    );
    check(name, GCN, 64, &of_memory, "  s_waitcnt lgkmcnt(0)", |thread| thread, &["needs v9"]);
    let of_shared = format!(
        "{ONCE}  s_mov_b64 s[8:9], src_shared_base
  v_mov_b32 v16, v8
  v_mov_b32 v17, s9
  flat_load_dword v9, v[16:17]
  s_waitcnt lgkmcnt(0) // NEEDED
  global_load_dword v9, v7, s[2:3]
  s_waitcnt vmcnt(0)
  v_mov_b32 v10, v9"
    );
    check(name, GCN, 64, &of_shared, "", |thread| thread, &wanted);
    check(name, GCN, 64, &of_shared, "  s_waitcnt vmcnt(0)", |thread| thread, &wanted);
}

/// Each thread writes for a thread of another wave.
fn neighbours(write: &str, wait: &str, read: &str) -> String {
    format!(
        "{ONCE}  v_xor_b32 v12, 64, v1
  v_lshlrev_b32 v12, 2, v12
  v_mov_b32 v14, 0
  {write}
  s_waitcnt {wait} // NEEDED
  s_barrier
  {read}
  s_waitcnt vmcnt(0) lgkmcnt(0)"
    )
}

#[test]
fn barriers_wait_for_no_memory() {
    let name = "barriers_wait_for_no_memory";
    for processor in BOTH {
        let body = neighbours("ds_write_b32 v8, v1", "lgkmcnt(0)", "ds_read_b32 v10, v12");
        let wanted = [
            "load: 4 bytes of shared memory that another wave writes",
            "instruction: ds_read_b32",
            "the other one: ds_write_b32",
        ];
        check(name, processor, 128, &body, "", |thread| thread ^ 64, &wanted);
        check(name, processor, 128, &body, "  s_waitcnt lgkmcnt(1)", |thread| thread ^ 64, &wanted);
        // A load that another wave's store after the barrier overtakes.
        let body = neighbours(
            "ds_write_b32 v8, v1\n  s_waitcnt lgkmcnt(0)\n  s_barrier\n  ds_read_b32 v10, v12",
            "lgkmcnt(0)",
            "ds_write_b32 v8, v14",
        );
        let wanted = ["store: 4 bytes of shared memory that another wave reads", "the other one: ds_read_b32"];
        check(name, processor, 128, &body, "", |thread| thread ^ 64, &wanted);
    }
}

/// A store through a generic address is complete by the counter of the memory that it reaches, and the other one still
/// counts it.
#[test]
fn generic_accesses_of_shared_memory() {
    let name = "generic_accesses_of_shared_memory";
    for processor in BOTH {
        let write = "s_mov_b64 s[8:9], src_shared_base\n  v_mov_b32 v16, v8\n  v_mov_b32 v17, s9
  flat_store_dword v[16:17], v1";
        let body = neighbours(write, "lgkmcnt(0)", "ds_read_b32 v10, v12");
        let wanted = ["load: 4 bytes of shared memory that another wave writes", "the other one: flat_store_dword"];
        check(name, processor, 128, &body, "", |thread| thread ^ 64, &wanted);
        check(name, processor, 128, &body, "  s_waitcnt vmcnt(0)", |thread| thread ^ 64, &wanted);
    }
}

/// Waves of a block of GCN reach global memory through one cache, in order. Those of RDNA have two in the mode of work
/// group processors.
#[test]
fn barriers_and_global_memory() {
    let body = neighbours(
        "v_lshlrev_b32 v8, 3, v1\n  v_lshlrev_b32 v12, 1, v12\n  global_store_dword v8, v1, s[4:5]",
        "vmcnt(0)",
        "global_load_dword v10, v12, s[4:5]",
    );
    let rdna = body.replace("s_waitcnt vmcnt(0) // NEEDED", "s_waitcnt_vscnt null, 0x0 // NEEDED");
    let end = "\n  s_barrier";
    let wanted = ["load: 4 bytes of global memory that another wave writes", "the other one: global_store_b32"];
    check("barriers_and_global_memory", RDNA, 128, &(rdna + end), "", |thread| thread ^ 64, &wanted);
    let without: String =
        (body + end).lines().filter(|line| !line.contains("NEEDED")).map(|l| l.to_owned() + "\n").collect();
    let outputs = Kernel { threads: 128, ..Kernel::new(GCN, &without) }.run(thread_number);
    assert!(outputs.iter().enumerate().all(|(thread, output)| output[0] == thread as u32 ^ 64));
}
