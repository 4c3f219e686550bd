//! Integer instructions: expected values are the PTX ISA's definitions, worked out by hand or by the host.

mod common;
#[path = "common/evaluate.rs"]
mod evaluate;

use evaluate::evaluate;

fn check(instruction: &str, rows: &[(u64, u64, u64, u64)]) {
    let operands: Vec<[u64; 3]> = rows.iter().map(|(a, b, c, _)| [*a, *b, *c]).collect();
    let expected: Vec<u64> = rows.iter().map(|row| row.3).collect();
    assert_eq!(evaluate(instruction, &operands), expected, "{instruction}");
}

const MINUS_1: u64 = 0xffff_ffff;

#[test]
fn sums_and_products() {
    check("add.u32 %rd, %ra, %rb", &[(MINUS_1, 1, 0, 0), (5, 7, 0, 12)]);
    check("add.sat.s32 %rd, %ra, %rb", &[(0x7fff_ffff, 1, 0, 0x7fff_ffff), (0x8000_0000, MINUS_1, 0, 0x8000_0000)]);
    check("mul.hi.u32 %rd, %ra, %rb", &[(MINUS_1, MINUS_1, 0, 0xffff_fffe)]);
    check("mul.hi.s32 %rd, %ra, %rb", &[(MINUS_1, 1, 0, MINUS_1), (MINUS_1, MINUS_1, 0, 0)]);
    check("mul.hi.u64 %d, %a, %b", &[(u64::MAX, u64::MAX, 0, u64::MAX - 1)]);
    check("mul.wide.s32 %d, %ra, %rb", &[(MINUS_1, 2, 0, (-2i64) as u64)]);
    check("mad.wide.u16 %rd, %ha, %hb, %rc", &[(0xffff, 0xffff, 1, 0xfffe_0002)]);
    check("mad.lo.s64 %d, %a, %b, %c", &[(u64::MAX, 3, 10, 7)]);
    check("sad.s32 %rd, %ra, %rb, %rc", &[(MINUS_1, 2, 10, 13)]);
    check("mul24.lo.s32 %rd, %ra, %rb", &[(0xff_ffff, 3, 0, (-3i32) as u32 as u64)]);
}

/// Code that is not optimised reads the number of lanes.
#[test]
fn the_number_of_lanes_is_a_constant() {
    check("mov.u32 %rd, WARP_SZ", &[(0, 0, 0, 32)]);
    check("mul.wide.u32 %d, %ra, WARP_SZ", &[(3, 0, 0, 96)]);
    check("setp.lt.u32 %p0, %ra, WARP_SZ", &[(31, 0, 0, 1), (32, 0, 0, 0)]);
}

#[test]
fn blocks_are_clusters() {
    check("mov.u32 %rd, %nclusterid.x; sub.u32 %rd, %rd, %nctaid.x", &[(0, 0, 0, 0)]);
    check("mov.u32 %rd, %nclusterid.z", &[(0, 0, 0, 1)]);
}

#[test]
fn quotients() {
    check("div.s32 %rd, %ra, %rb", &[((-7i32) as u32 as u64, 2, 0, (-3i32) as u32 as u64)]);
    check("rem.s32 %rd, %ra, %rb", &[((-7i32) as u32 as u64, 2, 0, MINUS_1)]);
    check("div.u64 %d, %a, %b", &[(u64::MAX, 10, 0, u64::MAX / 10)]);
}

#[test]
fn shifts_clamp_their_amount() {
    check("shl.b32 %rd, %ra, %rb", &[(1, 31, 0, 1 << 31), (1, 32, 0, 0), (1, MINUS_1, 0, 0)]);
    check("shr.s32 %rd, %ra, %rb", &[(0x8000_0000, 4, 0, 0xf800_0000), (0x8000_0000, 99, 0, MINUS_1)]);
    check("shr.u64 %d, %a, %rb", &[(1 << 63, 63, 0, 1), (1 << 63, 64, 0, 0)]);
    check("shf.l.wrap.b32 %rd, %ra, %rb, %rc", &[(0x8000_0000, 1, 1, 3), (7, 9, 32, 9)]);
    check("shf.r.clamp.b32 %rd, %ra, %rb, %rc", &[(0, 1, 1, 0x8000_0000), (7, 9, 40, 9)]);
}

#[test]
fn fields_of_bits() {
    check("bfe.u32 %rd, %ra, %rb, %rc", &[(0xabcd_1234, 8, 8, 0x12), (5, 0, 0, 0), (MINUS_1, 28, 16, 0xf)]);
    check(
        "bfe.s32 %rd, %ra, %rb, %rc",
        &[(0x80, 0, 8, 0xffff_ff80), (0x80, 4, 4, 0xffff_fff8), (0x8000_0000, 31, 8, MINUS_1)],
    );
    check("bfi.b32 %rd, %ra, %rb, %rc, 8", &[(0xff, 0x1234_5678, 4, 0x1234_5ff8), (0xff, 1, 40, 1)]);
    check("bfind.u32 %rd, %ra", &[(0, 0, 0, MINUS_1), (0x10, 0, 0, 4)]);
    check("bfind.s32 %rd, %ra", &[(0xffff_ff00, 0, 0, 7)]);
    check("bfind.shiftamt.u32 %rd, %ra", &[(0x10, 0, 0, 27)]);
    check("clz.b32 %rd, %ra", &[(0, 0, 0, 32), (1, 0, 0, 31)]);
    check("popc.b64 %rd, %a", &[(u64::MAX, 0, 0, 64)]);
    check("brev.b32 %rd, %ra", &[(1, 0, 0, 1 << 31)]);
}

#[test]
fn bytes_are_permuted() {
    let (a, b) = (0x3322_1100, 0x7766_5544);
    check("prmt.b32 %rd, %ra, %rb, %rc", &[(a, b, 0x7531, 0x7755_3311), (0x80, b, 0x0008, 0x8080_80ff)]);
    check("prmt.b32.f4e %rd, %ra, %rb, %rc", &[(a, b, 1, 0x4433_2211)]);
    check("prmt.b32.b4e %rd, %ra, %rb, %rc", &[(a, b, 1, 0x6677_0011)]);
    check("prmt.b32.rc8 %rd, %ra, %rb, %rc", &[(a, b, 2, 0x2222_2222)]);
    check("prmt.b32.ecl %rd, %ra, %rb, %rc", &[(a, b, 2, 0x3322_2222)]);
    check("prmt.b32.rc16 %rd, %ra, %rb, %rc", &[(a, b, 1, 0x3322_3322)]);
    check("lop3.b32 %rd, %ra, %rb, %rc, 0x96", &[(1, 3, 7, 1 ^ 3 ^ 7)]);
    check("lop3.b32 %rd, %ra, %rb, %rc, 0xe8", &[(0b1100, 0b1010, 0b0110, 0b1110)]);
}

#[test]
fn dot_products() {
    check("dp4a.s32.s32 %rd, %ra, %rb, %rc", &[(0x01ff_0203, 0x0101_0101, 10, 15)]);
    check("dp4a.u32.u32 %rd, %ra, %rb, %rc", &[(0xff, 2, 1, 511)]);
    check("dp2a.lo.s32.u32 %rd, %ra, %rb, %rc", &[(0xffff_0003, 0x0000_0502, 100, 101)]);
}

#[test]
fn carries_go_on() {
    let two = "{ .reg .b32 %l, %h; add.cc.u32 %l, %ra, %rb; addc.u32 %h, %rc, 0; mov.b64 %d, {%l, %h}; }";
    check(two, &[(MINUS_1, 1, 5, 6 << 32), (1, 1, 5, 5 << 32 | 2)]);
    let two = "{ .reg .b32 %l, %h; sub.cc.u32 %l, %ra, %rb; subc.u32 %h, %rc, 0; mov.b64 %d, {%l, %h}; }";
    check(two, &[(0, 1, 5, 4 << 32 | MINUS_1)]);
    let wide =
        "{ .reg .b32 %l, %h; mad.lo.cc.u32 %l, %ra, %rb, %rc; madc.hi.u32 %h, %ra, %rb, 0; mov.b64 %d, {%l, %h}; }";
    check(wide, &[(MINUS_1, MINUS_1, 2, 0xffff_fffe_0000_0003)]);
}

#[test]
fn conversions_extend_by_the_sources_type() {
    check("cvt.s64.s8 %d, %a", &[(0x80, 0, 0, (-128i64) as u64)]);
    check("cvt.u32.u16 %rd, %ha", &[(0x1_8000, 0, 0, 0x8000)]);
    check("cvt.s32.s16 %rd, %ha", &[(0x8000, 0, 0, 0xffff_8000)]);
    check("cvt.sat.u8.s32 %rd, %ra", &[(300, 0, 0, 255), (MINUS_1, 0, 0, 0)]);
    check("cvt.sat.s8.s32 %rd, %ra", &[((-300i32) as u32 as u64, 0, 0, 0xffff_ff80)]);
}

#[test]
fn comparisons_and_choices() {
    check("setp.lt.s32 %p0, %ra, %rb", &[(MINUS_1, 0, 0, 1), (0, MINUS_1, 0, 0)]);
    check("setp.lo.u32 %p0, %ra, %rb", &[(MINUS_1, 0, 0, 0)]);
    check("setp.eq.u32 %p1, %rc, 1; setp.lt.and.u32 %p0|%p2, %ra, %rb, !%p1", &[(1, 2, 0, 1), (1, 2, 1, 0)]);
    check("set.lt.u32.s32 %rd, %ra, %rb", &[(MINUS_1, 0, 0, MINUS_1)]);
    check("slct.s32.s32 %rd, %ra, %rb, %rc", &[(1, 2, 0, 1), (1, 2, MINUS_1, 2)]);
}
