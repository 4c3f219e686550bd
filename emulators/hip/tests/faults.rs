//! A fault of a kernel is an error of its launch, with a report that describes it and names the thread.

mod common;

use std::process::Command;

use common::reports::{INSIDE, RUST_NAME, reports};
use common::{BOTH, GCN, Kernel, Processor, RDNA};

fn thread_number(thread: usize) -> [u32; 4] {
    [thread as u32, 0, 0, 0]
}

#[test]
fn addresses_outside_of_every_allocation() {
    for processor in BOTH {
        let name = if processor == RDNA { "global_load_b32" } else { "global_load_dword" };
        let text = format!("  v_mov_b32 v11, 0\n  v_add_u32 v7, 4, v7\n  {name} v10, v7, s[2:3]\n  s_waitcnt vmcnt(0)");
        let text = if processor == RDNA { text.replace("v_add_u32", "v_add_nc_u32") } else { text };
        let text = text.replace("4, v7\n", "13, v7\n");
        let last = format!("thread ({}, 0, 0)", processor.lanes - 1);
        let wanted = ["they end 1 bytes after device memory", &last, name];
        reports("addresses_outside_of_every_allocation", &Kernel::new(processor, &text), thread_number, &wanted);
    }
}

#[test]
fn undefined_values_that_decide() {
    let name = "undefined_values_that_decide";
    let address = "  v_mov_b32 v11, 0\n  v_lshlrev_b32 v7, 2, v40\n  global_load_b32 v10, v7, s[2:3]";
    reports(name, &Kernel::new(RDNA, address), thread_number, &["a value that was never written decides an address"]);
    let branch = "  v_mov_b32 v10, 0\n  v_mov_b32 v11, 0\n  s_cmp_eq_u32 s40, 0\n  s_cbranch_scc0 0";
    reports(name, &Kernel::new(GCN, branch), thread_number, &["a value that was never written decides a branch"]);
    let mask = "  v_mov_b32 v10, 0\n  v_mov_b32 v11, 0\n  v_cmp_eq_u32 vcc_lo, 0, v40\n  s_and_saveexec_b32 s8, vcc_lo";
    let wanted = ["a value that was never written decides which lanes are active", "s_and_saveexec_b32"];
    reports(name, &Kernel::new(RDNA, mask), thread_number, &wanted);
    let lane = "  v_mov_b32 v11, 0\n  ds_bpermute_b32 v10, v40, v1";
    reports(
        name,
        &Kernel::new(GCN, lane),
        thread_number,
        &["a value that was never written decides the number of a lane"],
    );
}

/// With error correction, a load of a half writes the whole register. RDNA keeps the other half.
#[test]
fn halves_beside_a_load() {
    let halves = [
        ("global_load_short_d16_hi", "v_and_b32 v9, 0xffff, v9"),
        ("global_load_short_d16", "v_lshrrev_b32 v9, 16, v9"),
    ];
    for (load, other) in halves {
        let text = format!(
            "  v_mov_b32 v11, 0
  v_lshlrev_b32 v7, 4, v1
  v_mul_u32_u24 v9, 0x10001, v1
  {load} v9, v7, s[2:3]
  s_waitcnt vmcnt(0)
  {other}
  v_lshlrev_b32 v9, 4, v9
  global_load_dword v10, v9, s[2:3]
  s_waitcnt vmcnt(0)"
        );
        let wanted = ["a value that was never written decides an address"];
        reports("halves_beside_a_load", &Kernel::new(GCN, &text), thread_number, &wanted);
        let text = text.replace("load_short_d16", "load_d16").replace("load_dword", "load_b32");
        let text = text.replace("_d16_hi v9", "_d16_hi_b16 v9").replace("_d16 v9", "_d16_b16 v9");
        if std::env::var(INSIDE).is_err() {
            let outputs = Kernel::new(RDNA, &text).run(thread_number);
            assert!(outputs.iter().enumerate().all(|(thread, output)| output[0] == thread as u32));
        }
    }
}

/// Copies of unwritten values, and parts of such values that no result depends on, are no error.
#[test]
fn undefined_values_that_decide_nothing() {
    for processor in BOTH {
        let text = "  v_mov_b32 v11, v40
  v_and_b32 v12, 0xff, v40
  v_lshlrev_b32 v12, 8, v12
  s_movk_i32 s8, 0xff
  v_bfi_b32 v12, s8, v1, v12
  v_and_b32 v10, 0xff, v12
  s_movk_i32 s8, 0x100
  v_lshl_or_b32 v12, v40, 16, s8
  v_ffbl_b32 v12, v12
  v_cmp_ne_u32 vcc, 8, v12
  s_cbranch_vccnz 0";
        let text = match processor == RDNA {
            true => text.replace("v_ffbl_b32", "v_ctz_i32_b32").replace("vcc,", "vcc_lo,"),
            false => text.to_owned(),
        };
        let outputs = Kernel::new(processor, &text).run(thread_number);
        assert!(outputs.iter().enumerate().all(|(thread, output)| output[0] == thread as u32));
    }
}

#[test]
fn barriers_that_not_all_reach() {
    let name = "barriers_that_not_all_reach";
    let sides = "  v_mov_b32 v10, 0
  v_mov_b32 v11, 0
  s_mov_b64 s[8:9], exec
  v_cmpx_gt_u32 vcc, 5, v1
  s_barrier
  s_andn2_b64 exec, s[8:9], exec
  s_barrier";
    reports(
        name,
        &Kernel::new(GCN, sides),
        thread_number,
        &["not all threads of the block reach", "thread (5, 0, 0)", "s_barrier"],
    );
}

/// Waves that have ended, and threads that do nothing any more, are not waited for.
#[test]
fn barriers_for_those_that_have_not_ended() {
    let text = "  v_mov_b32 v10, 1
  v_mov_b32 v11, 0
  v_cmpx_gt_u32 vcc, 70, v1
  s_cbranch_execz 1
  s_barrier";
    let outputs = Kernel { threads: 192, ..Kernel::new(GCN, text) }.run(thread_number);
    assert!(outputs.iter().enumerate().all(|(thread, output)| (output[0] == 1) == (thread < 70)));
}

#[test]
fn memory_and_registers_that_the_kernel_has_not() {
    let name = "memory_and_registers_that_the_kernel_has_not";
    let shared = "  v_mov_b32 v11, 0\n  v_mov_b32 v12, 0x100\n  ds_read_b32 v10, v12 offset:16";
    let kernel = Kernel { shared: 272, ..Kernel::new(GCN, shared) };
    reports(
        name,
        &kernel,
        thread_number,
        &["4 bytes at offset 0x110 are not in the 272 bytes of the block's shared memory"],
    );
    let private = "  v_mov_b32 v11, 0\n  scratch_load_b32 v10, off, off offset:4";
    reports(
        name,
        &Kernel::new(RDNA, private),
        thread_number,
        &["are not in the 0 bytes of the thread's private memory"],
    );
    let register = "  v_mov_b32 v11, 0\n  v_mov_b32 v10, v64";
    for processor in BOTH {
        let wanted = ["vector register 64 is beyond the 64 that the kernel's descriptor asks for"];
        reports(name, &Kernel::new(processor, register), thread_number, &wanted);
    }
}

#[test]
fn misaligned_atomics_and_traps() {
    let name = "misaligned_atomics_and_traps";
    let atomic = "  v_mov_b32 v11, 0\n  v_mov_b32 v10, 2\n  global_atomic_add v10, v10, s[2:3]";
    reports(name, &Kernel::new(GCN, atomic), thread_number, &["atomic: ", "are not aligned to 4"]);
    reports(name, &Kernel::new(RDNA, "  s_trap 2"), thread_number, &["a trap", "s_trap 2"]);
}

/// With and without the value before, for which the emulator loads.
#[test]
fn atomics_outside_memory_are_named() {
    let name = "atomics_outside_memory_are_named";
    for update in ["ds_add_u32 v12, v1", "ds_add_rtn_u32 v10, v12, v1", "ds_cmpst_rtn_b32 v10, v12, v1, v1"] {
        let text = format!("  v_mov_b32 v11, 0\n  v_mov_b32 v10, 0\n  v_mov_b32 v12, 0x110\n  {update}");
        let kernel = Kernel { shared: 272, ..Kernel::new(GCN, &text) };
        let wanted = ["atomic: 4 bytes at offset 0x110 are not in the 272 bytes of the block's shared memory"];
        reports(name, &kernel, thread_number, &wanted);
    }
    for update in ["v12, v1, s[2:3]", "v10, v12, v1, s[2:3] glc"] {
        let text = format!(
            "  v_mov_b32 v11, 0\n  v_mov_b32 v10, 0\n  v_mov_b32 v12, 0x7ffffff0\n  global_atomic_add {update}"
        );
        reports(name, &Kernel::new(GCN, &text), thread_number, &["atomic: "]);
    }
}

#[test]
fn instructions_without_a_row_are_named() {
    let processors: [(Processor, &str); 1] = [(GCN, "v_mfma_f32_32x32x1f32 a[0:31], v1, v2, a[0:31]")];
    for (processor, instruction) in processors {
        let text = format!("  v_mov_b32 v11, 0\n  v_mov_b32 v10, 0\n  {instruction}");
        let mnemonic = instruction.split(' ').next().unwrap_or_default();
        let wanted = format!("instruction `{mnemonic}` is not emulated");
        reports("instructions_without_a_row_are_named", &Kernel::new(processor, &text), thread_number, &[&wanted]);
    }
}

#[test]
fn instructions_are_counted() {
    let (plain, more) = ("  v_mov_b32 v11, 0\n  v_mov_b32 v10, 0", "  v_mov_b32 v11, 0\n  v_mov_b32 v10, 0\n  v_nop\n");
    // The loop has four instructions, and two come before it.
    let looped = format!(
        "{plain}\n  s_mov_b32 s7, 0\n  v_nop\nagain:\n  s_add_i32 s7, s7, 1\n  v_nop\n  s_cmp_lt_i32 s7, 10\n  \
         s_cbranch_scc1 again"
    );
    for processor in BOTH {
        let bodies = [plain, more, &looped].map(|body| Kernel::new(processor, body));
        let threads = 3 * processor.lanes / 2;
        if let Ok(inside) = std::env::var(INSIDE) {
            let number = inside.strip_prefix(processor.name).and_then(|number| number.trim().parse::<usize>().ok());
            let Some(number) = number else { continue };
            assert!(Kernel { threads, ..bodies[number] }.try_run(thread_number).is_ok());
            return;
        }
        let counts = [0, 1, 2].map(|number| {
            let mut command = Command::new(std::env::current_exe().expect("this is a program"));
            command.args(["--exact", "instructions_are_counted", "--nocapture"]);
            command.env(INSIDE, format!("{} {number}", processor.name)).env("OFFLOAD_EMULATED_COUNTS", "1");
            let output = command.output().expect("it can be started again");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let head = format!("emulated hip:{} ({}): kernel `{RUST_NAME}`: ", processor.number, processor.name);
            let rest = said.split_once(&head).unwrap_or_else(|| panic!("`{head}` is missing:\n{said}")).1;
            let (count, rest) = rest.split_once(' ').expect("a word follows the number");
            assert!(rest.starts_with("instructions of 2 warps\n"), "{said}");
            count.parse::<u64>().expect("it is a number")
        });
        assert_eq!(counts.map(|count| count - counts[0]), [0, 2, 2 * (2 + 4 * 10)], "{}", processor.name);
    }
}
