//! Litmus tests of stores that are late, with their usual names, between the waves of a block and between blocks. With
//! the waits that it needs, an outcome never comes in 1,000 orders of execution; without them it does. Each launch has
//! another order, because orders depend on the number of the launch, too.
//!
//! Each lane plays a role in a separate instance: role 0 is that of the first wave or block.

mod common;

use std::sync::Once;

use common::{BOTH, GCN, Kernel, Processor, RDNA};

/// Orders of execution.
const ORDERS: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Block,
    Device,
}

/// The text of two roles. `v8` is the address of an instance from `s[2:3]` on, with `x` at 4 and `y` at 8; the roles
/// leave results in `v10` and `v11`.
fn body(processor: Processor, place: Place, roles: [&str; 2], wait: &str) -> String {
    let shift = processor.lanes.trailing_zeros();
    let role = match place {
        Place::Block => format!("v_readfirstlane_b32 s8, v0\n  s_lshr_b32 s8, s8, {shift}"),
        Place::Device => "s_mov_b32 s8, s20".to_owned(),
    };
    let [first, second] = roles.map(|role| role.replace("WAIT", wait));
    let text = format!(
        "  {role}
  v_mov_b32 v10, 7
  v_mov_b32 v11, 7
  v_mov_b32 v12, 1
  v_and_b32 v8, {}, v0
  v_lshlrev_b32 v8, 4, v8
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc0 second
  {first}
  s_branch end
second:
  {second}
end:
  s_waitcnt vmcnt(0)",
        processor.lanes - 1
    );
    match processor == RDNA {
        true => text.replace("load_dword", "load_b32").replace("store_dword", "store_b32"),
        false => text,
    }
}

/// How often an outcome of both roles comes.
fn count(
    (processor, place): (Processor, Place),
    roles: [&str; 2],
    wait: &str,
    is: fn([u32; 2], [u32; 2]) -> bool,
) -> usize {
    static ONCE: Once = Once::new();
    // SAFETY: all threads of this program come here first, and read no environment before.
    ONCE.call_once(|| unsafe { std::env::set_var("OFFLOAD_EMULATED_SCHEDULE", "1") });
    let text = body(processor, place, roles, wait);
    let lanes = processor.lanes;
    let (threads, blocks) = if place == Place::Block { (2 * lanes, 1) } else { (lanes, 2) };
    let kernel = Kernel { threads, blocks, ..Kernel::new(processor, &text) };
    let all = kernel.run_often(ORDERS, |_| [0; 4]);
    all.iter().map(|one| (0..lanes).filter(|lane| is(one[*lane], one[lanes + lane])).count()).sum()
}

/// The instruction that waits for stores.
fn wait(processor: Processor) -> &'static str {
    if processor == RDNA { "s_waitcnt_vscnt null, 0x0" } else { "s_waitcnt vmcnt(0)" }
}

/// The waves of a block of GCN reach memory through one cache, in order.
fn is_ordered(processor: Processor, place: Place) -> bool {
    processor == GCN && place == Place::Block
}

fn check(name: &str, roles: [&str; 2], is: fn([u32; 2], [u32; 2]) -> bool) {
    for processor in BOTH {
        for place in [Place::Block, Place::Device] {
            let at = (processor, place);
            assert_eq!(count(at, roles, wait(processor), is), 0, "{name} {place:?} {} with a wait", processor.name);
            let without = count(at, roles, "s_nop 0", is);
            assert_eq!(without == 0, is_ordered(processor, place), "{name} {place:?} {}: {without}", processor.name);
        }
    }
}

#[test]
fn message_passing() {
    // The wave goes on for a while before it waits for both.
    let write = "global_store_dword v8, v12, s[2:3] offset:4
  WAIT
  global_store_dword v8, v12, s[2:3] offset:8
  .rept 100
  s_nop 0
  .endr";
    let read = "global_load_dword v10, v8, s[2:3] offset:8
  s_waitcnt vmcnt(0)
  global_load_dword v11, v8, s[2:3] offset:4";
    check("MP", [write, read], |_, read| read == [1, 0]);
}

#[test]
fn store_buffering() {
    let role = |own: u32, other: u32| {
        format!(
            "global_store_dword v8, v12, s[2:3] offset:{own}\n  WAIT\n  global_load_dword v10, v8, s[2:3] offset:{other}"
        )
    };
    check("SB", [&role(4, 8), &role(8, 4)], |first, second| first[0] == 0 && second[0] == 0);
}

/// Stores of a wave to one location stay in order, without any wait.
#[test]
fn coherence() {
    let write = "global_store_dword v8, v12, s[2:3] offset:4
  v_mov_b32 v13, 2
  global_store_dword v8, v13, s[2:3] offset:4
  global_load_dword v10, v8, s[2:3] offset:4";
    let read = "global_load_dword v10, v8, s[2:3] offset:4\n  global_load_dword v11, v8, s[2:3] offset:4";
    for processor in BOTH {
        for place in [Place::Block, Place::Device] {
            let wrong = |own: [u32; 2], read: [u32; 2]| own[0] != 2 || read[0] > read[1];
            assert_eq!(count((processor, place), [write, read], "", wrong), 0, "{place:?} {}", processor.name);
        }
    }
}
