//! Litmus tests of the memory model with their usual names, at the scopes of a block, a device and the system. With the
//! fences that it needs, an outcome that the PTX ISA forbids never comes in 1,000 orders of execution; without them it
//! does. Each launch has another order, because orders depend on the number of the launch, too.
//!
//! A role is a thread of the test. Each lane of a warp plays the same role in a separate instance.

use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::sync::{Mutex, Once, PoisonError};

use cuda::*;

/// Orders of execution.
const ORDERS: usize = 1000;
/// The bytes of an instance: `x`, `y`, and the values that two roles have loaded.
const INSTANCE: usize = 128;

/// Where the roles run, and the scope that contains all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Block,
    Device,
    System,
}

const PLACES: [Place; 3] = [Place::Block, Place::Device, Place::System];

impl Place {
    fn scope(self) -> &'static str {
        match self {
            Place::Block => "cta",
            Place::Device => "gpu",
            Place::System => "sys",
        }
    }
}

/// A kernel of some roles. In their text `SCOPE` is the scope, `%x` and `%y` are the addresses, and `%r0` and `%r1` are
/// kept.
fn module(place: Place, roles: &[&str]) -> String {
    let which = if place == Place::Block { "shr.u32 %role, %tid, 5" } else { "mov.u32 %role, %ctaid.x" };
    let mut text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one(.param .u64 memory) {{
            .reg .b64 %x, %y, %z, %all; .reg .b32 %tid, %role, %lane, %r<4>; .reg .pred %p;
            ld.param.u64 %all, [memory]; mov.u32 %tid, %tid.x; {which}; and.b32 %lane, %tid, 31;
            mad.wide.u32 %x, %lane, {INSTANCE}, %all; add.u64 %y, %x, 32; mov.u32 %r0, 7; mov.u32 %r1, 7;\n"
    );
    for (number, role) in roles.iter().enumerate() {
        let role = role.replace("SCOPE", place.scope());
        let _written = writeln!(text, "setp.ne.u32 %p, %role, {number}; @%p bra NEXT{number};\n{role}\nNEXT{number}:");
    }
    text + "mad.wide.u32 %z, %role, 8, %x; st.global.v2.u32 [%z+64], {%r0, %r1}; ret; }\n"
}

/// The outcomes of all instances in all orders: the values that each role has loaded, and `x` at the end.
fn outcomes(place: Place, roles: &[&str]) -> Vec<(Vec<[u32; 2]>, u32)> {
    static ONE: Mutex<()> = Mutex::new(());
    static ONCE: Once = Once::new();
    let _guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the other threads of this program wait for the lock, and read no environment.
    ONCE.call_once(|| unsafe { std::env::set_var("OFFLOAD_EMULATED_SCHEDULE", "1") });
    let text = CString::new(module(place, roles)).expect("PTX is text");
    let count = roles.len() as u32;
    let (blocks, threads) = if place == Place::Block { (1, 32 * count) } else { (count, 32) };
    let mut words = vec![0u32; 32 * INSTANCE / 4];
    let size = 4 * words.len();
    let (mut context, mut handle, mut function, mut memory) = (0, 0, 0, 0);
    let mut all = Vec::new();
    // SAFETY: each pointer refers to a variable, or to an array of the given size.
    unsafe {
        assert_eq!(cuInit(0), SUCCESS);
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), SUCCESS);
        assert_eq!(cuCtxSetCurrent(context), SUCCESS);
        assert_eq!(cuModuleLoadData(&mut handle, text.as_ptr().cast()), SUCCESS, "{text:?}");
        assert_eq!(cuModuleGetFunction(&mut function, handle, c"one".as_ptr()), SUCCESS);
        assert_eq!(cuMemAlloc_v2(&mut memory, size), SUCCESS);
        let arguments: [*const c_void; 1] = [(&raw const memory).cast()];
        for _ in 0..ORDERS {
            assert_eq!(cuMemsetD8_v2(memory, 0, size), SUCCESS);
            let (list, none) = (arguments.as_ptr(), std::ptr::null());
            assert_eq!(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, 0, list, none), SUCCESS);
            assert_eq!(cuCtxSynchronize(), SUCCESS, "{}", text.to_string_lossy());
            assert_eq!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), memory, size), SUCCESS);
            all.extend(words.chunks(INSTANCE / 4).map(|instance| {
                let of_role = |role: usize| [instance[16 + 2 * role], instance[17 + 2 * role]];
                ((0..roles.len()).map(of_role).collect::<Vec<_>>(), instance[0])
            }));
        }
        assert_eq!(cuMemFree_v2(memory), SUCCESS);
        assert_eq!(cuModuleUnload(handle), SUCCESS);
    }
    all
}

/// How often an outcome comes.
fn count(place: Place, roles: &[&str], is: fn(&[[u32; 2]], u32) -> bool) -> usize {
    outcomes(place, roles).iter().filter(|(loaded, x)| is(loaded, *x)).count()
}

/// The roles with a text in the place of `FENCE`.
fn with(roles: &[&str], fence: &str) -> Vec<String> {
    roles.iter().map(|role| role.replace("FENCE", fence)).collect()
}

/// With each of the fences the outcome never comes, and without one it does.
#[track_caller]
fn check(name: &str, roles: &[&str], fences: &[&str], is: fn(&[[u32; 2]], u32) -> bool) {
    for place in PLACES {
        for fence in fences {
            let roles = with(roles, fence);
            let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
            assert_eq!(count(place, &roles, is), 0, "{name} {place:?} with `{fence}`");
        }
        let roles = with(roles, "");
        let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
        assert!(count(place, &roles, is) > 0, "{name} {place:?} without a fence");
    }
}

const STORE_BOTH: &str = "st.relaxed.SCOPE.global.u32 [%x], 1; FENCE st.relaxed.SCOPE.global.u32 [%y], 1;";
const LOAD_BOTH: &str = "ld.relaxed.SCOPE.global.u32 %r0, [%y]; FENCE ld.relaxed.SCOPE.global.u32 %r1, [%x];";

fn passed(loaded: &[[u32; 2]], _: u32) -> bool {
    loaded[1] == [1, 0]
}

#[test]
fn message_passing() {
    check("MP", &[STORE_BOTH, LOAD_BOTH], &["fence.acq_rel.SCOPE;", "fence.sc.SCOPE;"], passed);
    for place in PLACES {
        let release = "st.global.u32 [%x], 1; st.release.SCOPE.global.u32 [%y], 1;";
        let acquire = "ld.acquire.SCOPE.global.u32 %r0, [%y]; ld.global.u32 %r1, [%x];";
        assert_eq!(count(place, &[release, acquire], passed), 0, "{place:?}");
        // One side is not sufficient.
        assert!(
            count(
                place,
                &[STORE_BOTH, acquire].map(|role| role.replace("FENCE", "")).each_ref().map(|s| s.as_str()),
                passed
            ) > 0
        );
        assert!(count(place, &[release, &LOAD_BOTH.replace("FENCE", "")], passed) > 0);
        let exchange = "st.global.u32 [%x], 1; atom.acq_rel.SCOPE.global.exch.b32 %r2, [%y], 1;";
        let look = "atom.acq_rel.SCOPE.global.add.u32 %r0, [%y], 0; ld.global.u32 %r1, [%x];";
        assert_eq!(count(place, &[exchange, look], passed), 0, "{place:?}");
        let relaxed = [exchange, look].map(|role| role.replace("acq_rel", "relaxed"));
        assert!(count(place, &relaxed.each_ref().map(|role| role.as_str()), passed) > 0, "{place:?}");
    }
}

/// A fence for the threads of a block says nothing to those of another one.
#[test]
fn scopes_contain_their_threads() {
    let roles = with(&[STORE_BOTH, LOAD_BOTH], "fence.acq_rel.cta;");
    let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
    assert_eq!(count(Place::Block, &roles, passed), 0);
    assert!(count(Place::Device, &roles, passed) > 0);
}

/// A thread's release hands on the stores that it has loaded, also through a barrier of its block.
#[test]
fn releases_hand_on_what_was_seen() {
    let first = "st.global.u32 [%x], 1; fence.acq_rel.SCOPE; st.relaxed.SCOPE.global.u32 [%x+8], 1;";
    let second = "ld.relaxed.SCOPE.global.u32 %r0, [%x+8]; fence.acq_rel.SCOPE; st.relaxed.SCOPE.global.u32 [%y], %r0;";
    let third = "ld.acquire.SCOPE.global.u32 %r0, [%y]; ld.global.u32 %r1, [%x];";
    for place in PLACES {
        assert_eq!(count(place, &[first, second, third], |loaded, _| loaded[2] == [1, 0]), 0, "{place:?}");
    }
    let barrier = "st.global.u32 [%x], 1; bar.sync 0;";
    let other = "bar.sync 0; ld.global.u32 %r0, [%x];";
    assert_eq!(count(Place::Block, &[barrier, other], |loaded, _| loaded[1][0] != 1), 0);
}

#[test]
fn store_buffering() {
    let roles = [
        "st.relaxed.SCOPE.global.u32 [%x], 1; FENCE ld.relaxed.SCOPE.global.u32 %r0, [%y];",
        "st.relaxed.SCOPE.global.u32 [%y], 1; FENCE ld.relaxed.SCOPE.global.u32 %r0, [%x];",
    ];
    let fences = ["fence.sc.SCOPE;", "membar.SCOPE;"].map(|fence| fence.replace("membar.SCOPE", "membar.sys"));
    let is: fn(&[[u32; 2]], u32) -> bool = |loaded, _| loaded[0][0] == 0 && loaded[1][0] == 0;
    check("SB", &roles, &fences.each_ref().map(|fence| fence.as_str()), is);
    // Release and acquire do not order a store before a load.
    let weaker = with(&roles, "fence.acq_rel.SCOPE;");
    assert!(count(Place::Device, &weaker.iter().map(String::as_str).collect::<Vec<_>>(), is) > 0);
}

/// Stores to one location have one order, without any fence.
#[test]
fn coherence() {
    let twice = "st.relaxed.SCOPE.global.u32 [%x], 1; st.relaxed.SCOPE.global.u32 [%x], 2;";
    let look = "ld.relaxed.SCOPE.global.u32 %r0, [%x]; ld.relaxed.SCOPE.global.u32 %r1, [%x];";
    for place in PLACES {
        let all = outcomes(place, &[twice, look]);
        assert!(all.iter().all(|(loaded, x)| loaded[1][0] <= loaded[1][1] && *x == 2), "CoRR, CoWW {place:?}");
        // Each pair of values that is in order comes.
        for pair in [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]] {
            assert!(all.iter().any(|(loaded, _)| loaded[1] == pair), "{pair:?} {place:?}");
        }
    }
}

#[test]
fn independent_reads_of_independent_writes() {
    let roles = [
        "st.relaxed.SCOPE.global.u32 [%x], 1;",
        "st.relaxed.SCOPE.global.u32 [%y], 1;",
        "ld.relaxed.SCOPE.global.u32 %r0, [%x]; FENCE ld.relaxed.SCOPE.global.u32 %r1, [%y];",
        "ld.relaxed.SCOPE.global.u32 %r0, [%y]; FENCE ld.relaxed.SCOPE.global.u32 %r1, [%x];",
    ];
    check("IRIW", &roles, &["fence.sc.SCOPE;"], |loaded, _| loaded[2] == [1, 0] && loaded[3] == [1, 0]);
}

/// A load that gives a later store of another thread is not modelled, so the outcome does not come without a fence
/// either: documents say so.
#[test]
fn load_buffering() {
    let roles = [
        "ld.relaxed.SCOPE.global.u32 %r0, [%x]; st.relaxed.SCOPE.global.u32 [%y], 1;",
        "ld.relaxed.SCOPE.global.u32 %r0, [%y]; st.relaxed.SCOPE.global.u32 [%x], 1;",
    ];
    for place in PLACES {
        assert_eq!(count(place, &roles, |loaded, _| loaded[0][0] == 1 && loaded[1][0] == 1), 0, "{place:?}");
    }
}

/// Atomic operations add to the newest value.
#[test]
fn atomic_operations_lose_nothing() {
    let add = "atom.relaxed.SCOPE.global.add.u32 %r0, [%x], 1; red.relaxed.SCOPE.global.add.u32 [%x], 1;";
    for place in PLACES {
        assert_eq!(count(place, &[add, add, add], |_, x| x != 6), 0, "{place:?}");
    }
}
