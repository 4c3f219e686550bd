//! State spaces, initial values, calls and atomic operations.

mod common;

use common::{kernel, launch};

fn one(module: &str) -> u64 {
    launch(module, &[3, 5, 7], 1).unwrap_or_else(|status| panic!("{module}: error {status}"))[0]
}

#[test]
fn variables_begin_with_their_initial_values() {
    let module = |read: &str| {
        let variables = ".global .align 8 .u64 there = 42; .global .align 8 .u64 at[2] = {generic(there), there+0};
            .const .align 4 .b32 table[4] = {1, 2, 0xffffffff}; .global .f32 half = 0f3F000000;
            .global .align 1 .b8 bytes[8] = {0xFF(there), 0xFF00(there)};";
        format!("{variables} {}", kernel(read))
    };
    assert_eq!(one(&module("ld.global.u64 %x0, [at]; ld.u64 %d, [%x0];")), 42);
    assert_eq!(one(&module("ld.const.u32 %rd, [table+8]; cvt.u64.u32 %d, %rd;")), 0xffff_ffff);
    assert_eq!(one(&module("ld.const.u32 %rd, [table+12]; cvt.u64.u32 %d, %rd;")), 0);
    assert_eq!(one(&module("ld.global.u32 %rd, [half]; cvt.u64.u32 %d, %rd;")), 0x3f00_0000);
    let low = "ld.global.v2.u8 {%ha, %hb}, [bytes]; cvt.u64.u16 %x0, %ha; cvt.u64.u16 %x1, %hb; shl.b64 %x1, %x1, 8;
        or.b64 %x0, %x0, %x1; mov.u64 %x2, there; and.b64 %x2, %x2, 0xffff; sub.u64 %d, %x0, %x2;";
    assert_eq!(one(&module(low)), 0);
}

#[test]
fn generic_addresses_lead_to_each_space() {
    let through = |space: &str| {
        format!(
            "{} {}",
            if space == "shared" { ".shared .align 8 .b64 place;" } else { "" },
            kernel(&format!(
                "{} mov.u64 %x0, place; cvta.{space}.u64 %x1, %x0; st.u64 [%x1], %b; ld.{space}.u64 %x2, [place];
                 cvta.to.{space}.u64 %x3, %x1; setp.eq.u64 %p0, %x0, %x3; isspacep.{space} %p1, %x1;
                 and.pred %p0, %p0, %p1; isspacep.global %p1, %x1; not.pred %p1, %p1; and.pred %p0, %p0, %p1;
                 selp.u64 %d, %x2, 0, %p0;",
                if space == "local" { ".local .align 8 .b64 place;" } else { "" }
            ))
        )
    };
    assert_eq!(one(&through("shared")), 5);
    assert_eq!(one(&through("local")), 5);
}

const FUNCTIONS: &str = "
    .func (.param .b64 out) twice(.param .b64 in) { .reg .b64 %v; ld.param.b64 %v, [in]; shl.b64 %v, %v, 1; st.param.b64 [out], %v; ret; }
    .func (.param .b64 out) next(.param .b64 in) { .reg .b64 %v; ld.param.b64 %v, [in]; add.u64 %v, %v, 1; st.param.b64 [out], %v; ret; }
    .func (.param .b64 out) sum(.param .b64 in) { .reg .b64 %v, %w; .reg .pred %p; ld.param.b64 %v, [in]; mov.b64 %w, 0;
        setp.eq.u64 %p, %v, 0; @%p bra END; sub.u64 %w, %v, 1;
        { .param .b64 a; .param .b64 r; st.param.b64 [a], %w; call.uni (r), sum, (a); ld.param.b64 %w, [r]; }
        add.u64 %w, %w, %v; END: st.param.b64 [out], %w; ret; }
    .func (.param .b64 out) last(.param .align 8 .b8 in[24]) { .reg .b64 %v, %g; mov.b64 %v, in; cvta.local.u64 %g, %v;
        ld.b64 %v, [%g+16]; st.param.b64 [out], %v; ret; }
    .global .align 8 .u64 table[2] = {twice, next};";

#[test]
fn lanes_call_different_functions() {
    let body = "and.b32 %r3, %tid, 1; mov.u64 %x0, table; mad.wide.u32 %x0, %r3, 8, %x0; ld.global.u64 %x1, [%x0];
        { .param .b64 a; .param .b64 r; st.param.b64 [a], %a;
          proto: .callprototype (.param .b64 _) _ (.param .b64 _);
          call (r), %x1, (a), proto; ld.param.b64 %d, [r]; }";
    let input: Vec<u64> = (0..96).collect();
    let expected: Vec<u64> = (0..32).map(|i| if i % 2 == 0 { 6 * i } else { 3 * i + 1 }).collect();
    assert_eq!(launch(&format!("{FUNCTIONS} {}", kernel(body)), &input, 32), Ok(expected));
}

#[test]
fn calls_recurse_as_deep_as_each_lane_wants() {
    let body = "{ .param .b64 a; .param .b64 r; cvt.u64.u32 %x0, %tid; st.param.b64 [a], %x0; call (r), sum, (a); ld.param.b64 %d, [r]; }";
    let expected: Vec<u64> = (0..32).map(|i| i * (i + 1) / 2).collect();
    assert_eq!(launch(&format!("{FUNCTIONS} {}", kernel(body)), &[0; 96], 32), Ok(expected));
}

#[test]
fn a_parameter_has_an_address() {
    let body = "{ .param .align 8 .b8 a[24]; .param .b64 r; st.param.b64 [a], %a; st.param.b64 [a+8], %b; st.param.b64 [a+16], %c;
        call (r), last, (a); ld.param.b64 %d, [r]; }";
    assert_eq!(one(&format!("{FUNCTIONS} {}", kernel(body))), 7);
}

#[test]
fn atomic_operations_give_the_old_value() {
    let atomic = |operation: &str, begin: u64| {
        let body =
            format!("st.global.u32 [%at], {begin}; {operation}; ld.global.u32 %r4, [%at]; mov.b64 %d, {{%rd, %r4}};");
        let got = one(&kernel(&body));
        (got & 0xffff_ffff, got >> 32)
    };
    assert_eq!(atomic("atom.global.add.u32 %rd, [%at], 5", 10), (10, 15));
    assert_eq!(atomic("atom.global.inc.u32 %rd, [%at], 5", 5), (5, 0));
    assert_eq!(atomic("atom.global.dec.u32 %rd, [%at], 5", 0), (0, 5));
    assert_eq!(atomic("atom.global.cas.b32 %rd, [%at], 3, 9", 3), (3, 9));
    assert_eq!(atomic("atom.global.max.s32 %rd, [%at], -1", 0xffff_fff0), (0xffff_fff0, 0xffff_ffff));
    assert_eq!(atomic("atom.global.min.u32 %rd, [%at], 7", 0xffff_ffff), (0xffff_ffff, 7));
    let float = u64::from(1.5f32.to_bits());
    assert_eq!(atomic("atom.global.add.f32 %rd, [%at], 0f3F800000", float), (float, u64::from(2.5f32.to_bits())));
}

#[test]
fn asynchronous_copies_fill_with_zeros() {
    let module = format!(
        ".shared .align 16 .b8 t[16]; {}",
        kernel(
            "mov.u64 %x0, t; mov.u32 %r3, 4; cp.async.ca.shared.global [%x0], [%at], 8, %r3; cp.async.wait_all;
             ld.shared.u64 %d, [t];"
        )
    );
    assert_eq!(launch(&module, &[0x1234_5678_9abc_def0, 0, 0], 1), Ok(vec![0x9abc_def0]));
}
