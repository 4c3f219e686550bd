//! The faults that end a launch, and their errors of the driver API.

mod common;

use common::{kernel, launch};

const LAUNCH_FAILED: i32 = 719;
const ILLEGAL_ADDRESS: i32 = 700;

fn fails(before: &str, body: &str, threads: u32, status: i32) {
    let module = format!("{before} {}", kernel(body));
    assert_eq!(launch(&module, &vec![1; 3 * threads as usize], threads), Err(status), "{body}");
}

#[test]
fn addresses_outside_allocations() {
    fails("", "ld.global.u32 %rd, [%from+24];", 1, ILLEGAL_ADDRESS);
    fails("", "st.global.u32 [%from+-4], %rd;", 1, ILLEGAL_ADDRESS);
    fails("", "mov.u64 %x0, 0; ld.u32 %rd, [%x0];", 1, ILLEGAL_ADDRESS);
    fails("", "ld.global.u32 %rd, [%from+2];", 1, 716);
    fails(".const .b32 c = 1;", "mov.u64 %x0, c; st.global.u32 [%x0], %ra;", 1, ILLEGAL_ADDRESS);
}

#[test]
fn addresses_outside_a_block_or_a_stack() {
    fails(".shared .b32 t[4];", "mov.u64 %x0, t; st.shared.u32 [%x0+16], %ra;", 1, ILLEGAL_ADDRESS);
    fails("", ".local .b32 t[4]; mov.u64 %x0, t; ld.local.u32 %rd, [%x0+-4];", 1, ILLEGAL_ADDRESS);
    fails(".shared .b32 t[4];", "mov.u64 %x0, t; cvta.shared.u64 %x1, %x0; ld.global.u32 %rd, [%x1];", 1, 717);
    // Lane 0 passes the address of its stack, and lane 1 loads from it.
    let other = ".local .b64 place; mov.u64 %x0, place; st.local.u64 [place], 1; cvta.local.u64 %x1, %x0;
        mov.b64 {%r3, %r4}, %x1; shfl.sync.idx.b32 %r3, %r3, 0, 31, -1; shfl.sync.idx.b32 %r4, %r4, 0, 31, -1;
        mov.b64 %x1, {%r3, %r4}; ld.u64 %d, [%x1];";
    fails("", other, 32, 717);
}

#[test]
fn undefined_values_decide_nothing() {
    let local = ".local .b32 t; ld.local.u32 %r3, [t];";
    fails("", &format!("{local} setp.eq.u32 %p1, %r3, 0; @%p1 bra X; mov.u64 %d, 1; X:"), 1, LAUNCH_FAILED);
    fails(
        "",
        &format!("{local} cvt.u64.u32 %x0, %r3; add.u64 %x0, %x0, %from; ld.global.u8 %rd, [%x0];"),
        1,
        LAUNCH_FAILED,
    );
    fails("", &format!("{local} shfl.sync.idx.b32 %rd, %tid, %r3, 31, -1;"), 32, LAUNCH_FAILED);
    fails("", "cvta.to.local.u64 %x0, 0; setp.eq.u64 %p1, %x0, 0; @%p1 bra X; mov.u64 %d, 1; X:", 1, LAUNCH_FAILED);
    // Copied, or decided by the bits that were written, they do no harm.
    let copied = format!("{local} and.b32 %r3, %r3, 0; setp.eq.u32 %p1, %r3, 0; @%p1 bra X; mov.u64 %d, 1; X:");
    assert_eq!(launch(&kernel(&copied), &[0; 3], 1), Ok(vec![0]));
}

#[test]
fn lanes_and_threads_that_never_come() {
    let divided = "setp.eq.u32 %p1, %tid, 0; @%p1 bra A; bar.sync 1; bra B; A: bar.sync 2; B:";
    fails("", divided, 64, LAUNCH_FAILED);
    let other =
        "setp.eq.u32 %p1, %tid, 0; @%p1 bra A; vote.sync.ballot.b32 %rd, %p1, -1; bra B; A: bar.warp.sync -1; B:";
    fails("", other, 32, LAUNCH_FAILED);
    fails("", "setp.eq.u32 %p1, %tid, 0; vote.sync.ballot.b32 %rd, %p1, 1;", 32, LAUNCH_FAILED);
}

#[test]
fn what_is_not_known_is_an_error_where_it_is_executed() {
    fails("", "tex.1d.v4.f32.f32 {%r3, %r4, %r5, %r6}, [%x0, {%r7}];", 1, 715);
    let skipped = "setp.ne.u32 %p1, %ra, 1; @!%p1 bra X; wonder.u32 %rd, %ra; X: mov.u64 %d, 4;";
    assert_eq!(launch(&kernel(skipped), &[1; 3], 1), Ok(vec![4]));
    fails("", "trap;", 1, LAUNCH_FAILED);
    fails("", "mov.u64 %x0, 4096; call %x0, (), p; p: .callprototype _ ();", 1, 718);
}

#[test]
fn modules_that_no_driver_takes() {
    assert_eq!(launch(".visible .entry broken( {", &[], 1), Err(218));
    let unresolved = ".extern .func nowhere(); .visible .entry k(.param .u64 a, .param .u64 b) { call nowhere; ret; }";
    assert_eq!(launch(unresolved, &[], 1), Err(218));
}

#[test]
fn a_stack_is_not_endless() {
    let deep = ".func deep(.param .b64 n) { .local .b8 t[64]; .reg .b64 %v; ld.param.b64 %v, [n]; add.u64 %v, %v, 1;
        { .param .b64 a; st.param.b64 [a], %v; call deep, (a); } ret; }";
    fails(deep, "{ .param .b64 a; st.param.b64 [a], %a; call deep, (a); }", 1, 714);
}
