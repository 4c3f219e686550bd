//! The table of scalar computations (RDNA3 ISA, "SOP1" to "SOPK"; CDNA2 ISA, the same).

use emulator_core::bits;

use crate::mode::Mode;
use crate::vector::integer::{leading_rule, trailing_rule};
use crate::vector::op::Kind::{self, B32, B64, I64};
use crate::vector::op::{Known, Rule};

/// The change of the scalar condition code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    Kept,
    /// Whether the result is not zero.
    NotZero,
    /// The condition that the operation computes.
    Own,
}

/// A scalar computation.
pub(crate) struct ScalarOp {
    /// The mnemonics, of both generations.
    pub(crate) names: &'static [&'static str],
    /// None for comparisons.
    pub(crate) result: Option<Kind>,
    pub(crate) sources: &'static [Kind],
    /// The last source is the condition code.
    pub(crate) compute: fn([u64; 4]) -> (u64, bool),
    pub(crate) rule: Rule,
    pub(crate) condition: Condition,
    /// Whether the result's register is the first source as well.
    pub(crate) accumulates: bool,
    pub(crate) reads_condition: bool,
    /// Whether the last operand is the 16 bits after the opcode, with a sign.
    pub(crate) extends: bool,
}

const fn op(
    names: &'static [&'static str],
    result: Kind,
    sources: &'static [Kind],
    rule: Rule,
    condition: Condition,
    compute: fn([u64; 4]) -> (u64, bool),
) -> ScalarOp {
    ScalarOp {
        names,
        result: Some(result),
        sources,
        compute,
        rule,
        condition,
        accumulates: false,
        reads_condition: false,
        extends: false,
    }
}

/// A bitwise operation, whose condition is that its result is not zero.
const fn bitwise(
    names: &'static [&'static str],
    kind: Kind,
    sources: &'static [Kind],
    rule: Rule,
    compute: fn([u64; 4]) -> (u64, bool),
) -> ScalarOp {
    op(names, kind, sources, rule, Condition::NotZero, compute)
}

const fn question(
    names: &'static [&'static str],
    sources: &'static [Kind],
    compute: fn([u64; 4]) -> (u64, bool),
) -> ScalarOp {
    ScalarOp { result: None, ..op(names, B32, sources, Rule::Whole, Condition::Own, compute) }
}

const fn accumulating(op: ScalarOp) -> ScalarOp {
    ScalarOp { accumulates: true, extends: true, ..op }
}

const fn extending(op: ScalarOp) -> ScalarOp {
    ScalarOp { extends: true, ..op }
}

const fn conditional(op: ScalarOp) -> ScalarOp {
    ScalarOp { reads_condition: true, ..op }
}

const TWO: &[Kind] = &[B32, B32];
const TWO_WIDE: &[Kind] = &[B64, B64];

fn i(value: u64) -> i64 {
    i64::from(value as u32 as i32)
}

fn sum(a: u64, b: u64, carry: u64) -> (u64, bool) {
    (a + b + carry, (a + b + carry) >> 32 != 0)
}

fn difference(a: u64, b: u64, borrow: u64) -> (u64, bool) {
    (a.wrapping_sub(b).wrapping_sub(borrow), a < b + borrow)
}

fn overflows(value: i64) -> (u64, bool) {
    (value as u64, i32::try_from(value).is_err())
}

fn shift_and_add(a: u64, b: u64, by: u32) -> (u64, bool) {
    let sum = (a << by) + b;
    (sum, sum >> 32 != 0)
}

fn field(value: u64, control: u64, most: u32) -> u64 {
    let (offset, width) = (control & u64::from(most), (control >> 16 & 0x7f).min(64) as u32);
    value >> offset & bits::ones(width)
}

fn signed_field(value: u64, control: u64, most: u32) -> u64 {
    let width = (control >> 16 & 0x7f).min(64) as u32;
    let (value, offset) = (bits::sign_extended(value, most + 1), control & u64::from(most));
    if width == 0 { 0 } else { bits::sign_extended((value >> offset) as u64, width) as u64 }
}

/// `(a & !b)`.
fn and_not(known: &Known) -> u64 {
    bits::and(known[0].value, known[0].undefined, !known[1].value, known[1].undefined)
}

/// `(a | !b)`.
fn or_not(known: &Known) -> u64 {
    bits::or(known[0].value, known[0].undefined, !known[1].value, known[1].undefined)
}

fn and_rule(known: &Known) -> u64 {
    bits::and(known[0].value, known[0].undefined, known[1].value, known[1].undefined)
}

fn or_rule(known: &Known) -> u64 {
    bits::or(known[0].value, known[0].undefined, known[1].value, known[1].undefined)
}

/// `condition ? a : b`; the condition is the last source.
fn choose_rule(known: &Known) -> u64 {
    let [a, b, _, condition] = *known;
    let chosen = if condition.value != 0 { a.undefined } else { b.undefined };
    bits::select(condition.undefined != 0, chosen, (a.value, a.undefined), (b.value, b.undefined))
}

/// One bit of the value is written.
fn bit_rule(known: &Known) -> u64 {
    if known[1].undefined != 0 { u64::MAX } else { known[0].undefined & !(1 << (known[1].value & 63)) }
}

fn leading(value: u64, width: u32) -> u64 {
    if value == 0 { u64::MAX } else { u64::from(value.leading_zeros() - (64 - width)) }
}

fn trailing(value: u64) -> u64 {
    if value == 0 { u64::MAX } else { value.trailing_zeros().into() }
}

fn leading_sign(value: u64, width: u32) -> u64 {
    let value = bits::sign_extended(value, width);
    let magnitude = (if value < 0 { !value } else { value }) as u64;
    leading(magnitude, width)
}

fn whole_quads(value: u64) -> u64 {
    (0..16).fold(0, |all, quad| if value >> (4 * quad) & 0xf != 0 { all | 0xf << (4 * quad) } else { all })
}

use Condition::{Kept, NotZero, Own as Says};
use Rule::{And, Carried, Each, Moved, Or, Own, Whole};

/// All of them but comparisons.
pub(crate) static OPS: &[ScalarOp] = &[
    op(&["s_mov_b32"], B32, &[B32], Each, Kept, |[a, ..]| (a, false)),
    op(&["s_mov_b64"], B64, &[B64], Each, Kept, |[a, ..]| (a, false)),
    extending(op(&["s_movk_i32"], B32, &[B32], Each, Kept, |[a, ..]| (a, false))),
    conditional(op(&["s_cselect_b32"], B32, TWO, Own(choose_rule), Kept, |[a, b, _, c]| {
        (if c != 0 { a } else { b }, false)
    })),
    conditional(op(&["s_cselect_b64"], B64, TWO_WIDE, Own(choose_rule), Kept, |[a, b, _, c]| {
        (if c != 0 { a } else { b }, false)
    })),
    op(&["s_add_u32", "s_add_co_u32"], B32, TWO, Carried, Says, |[a, b, ..]| sum(a, b, 0)),
    op(&["s_sub_u32"], B32, TWO, Carried, Says, |[a, b, ..]| difference(a, b, 0)),
    conditional(op(&["s_addc_u32"], B32, TWO, Carried, Says, |[a, b, _, c]| sum(a, b, c))),
    conditional(op(&["s_subb_u32"], B32, TWO, Carried, Says, |[a, b, _, c]| difference(a, b, c))),
    op(&["s_add_i32"], B32, TWO, Carried, Says, |[a, b, ..]| overflows(i(a) + i(b))),
    op(&["s_sub_i32"], B32, TWO, Carried, Says, |[a, b, ..]| overflows(i(a) - i(b))),
    accumulating(op(&["s_addk_i32"], B32, TWO, Carried, Says, |[a, b, ..]| overflows(i(a) + i(b)))),
    accumulating(op(&["s_mulk_i32"], B32, TWO, Carried, Kept, |[a, b, ..]| (a.wrapping_mul(b), false))),
    op(&["s_mul_i32"], B32, TWO, Carried, Kept, |[a, b, ..]| (a.wrapping_mul(b), false)),
    op(&["s_mul_hi_u32"], B32, TWO, Whole, Kept, |[a, b, ..]| ((a * b) >> 32, false)),
    op(&["s_mul_hi_i32"], B32, TWO, Whole, Kept, |[a, b, ..]| (((i(a) * i(b)) >> 32) as u64, false)),
    op(&["s_lshl1_add_u32"], B32, TWO, Carried, Says, |[a, b, ..]| shift_and_add(a, b, 1)),
    op(&["s_lshl2_add_u32"], B32, TWO, Carried, Says, |[a, b, ..]| shift_and_add(a, b, 2)),
    op(&["s_lshl3_add_u32"], B32, TWO, Carried, Says, |[a, b, ..]| shift_and_add(a, b, 3)),
    op(&["s_lshl4_add_u32"], B32, TWO, Carried, Says, |[a, b, ..]| shift_and_add(a, b, 4)),
    op(&["s_min_u32"], B32, TWO, Whole, Says, |[a, b, ..]| (a.min(b), a < b)),
    op(&["s_max_u32"], B32, TWO, Whole, Says, |[a, b, ..]| (a.max(b), a > b)),
    op(&["s_min_i32"], B32, TWO, Whole, Says, |[a, b, ..]| (i(a).min(i(b)) as u64, i(a) < i(b))),
    op(&["s_max_i32"], B32, TWO, Whole, Says, |[a, b, ..]| (i(a).max(i(b)) as u64, i(a) > i(b))),
    op(&["s_absdiff_i32"], B32, TWO, Whole, NotZero, |[a, b, ..]| ((i(a) - i(b)).unsigned_abs(), false)),
    op(&["s_abs_i32"], B32, &[B32], Whole, NotZero, |[a, ..]| (i(a).unsigned_abs(), false)),
    bitwise(&["s_and_b32"], B32, TWO, And, |[a, b, ..]| (a & b, false)),
    bitwise(&["s_and_b64"], B64, TWO_WIDE, And, |[a, b, ..]| (a & b, false)),
    bitwise(&["s_or_b32"], B32, TWO, Or, |[a, b, ..]| (a | b, false)),
    bitwise(&["s_or_b64"], B64, TWO_WIDE, Or, |[a, b, ..]| (a | b, false)),
    bitwise(&["s_xor_b32"], B32, TWO, Each, |[a, b, ..]| (a ^ b, false)),
    bitwise(&["s_xor_b64"], B64, TWO_WIDE, Each, |[a, b, ..]| (a ^ b, false)),
    bitwise(&["s_xnor_b32"], B32, TWO, Each, |[a, b, ..]| (!(a ^ b) & 0xffff_ffff, false)),
    bitwise(&["s_xnor_b64"], B64, TWO_WIDE, Each, |[a, b, ..]| (!(a ^ b), false)),
    bitwise(&["s_and_not1_b32", "s_andn2_b32"], B32, TWO, Own(and_not), |[a, b, ..]| (a & !b, false)),
    bitwise(&["s_and_not1_b64", "s_andn2_b64"], B64, TWO_WIDE, Own(and_not), |[a, b, ..]| (a & !b, false)),
    bitwise(&["s_or_not1_b32", "s_orn2_b32"], B32, TWO, Own(or_not), |[a, b, ..]| ((a | !b) & 0xffff_ffff, false)),
    bitwise(&["s_or_not1_b64", "s_orn2_b64"], B64, TWO_WIDE, Own(or_not), |[a, b, ..]| (a | !b, false)),
    bitwise(&["s_nand_b32"], B32, TWO, Own(and_rule), |[a, b, ..]| (!(a & b) & 0xffff_ffff, false)),
    bitwise(&["s_nand_b64"], B64, TWO_WIDE, Own(and_rule), |[a, b, ..]| (!(a & b), false)),
    bitwise(&["s_nor_b32"], B32, TWO, Own(or_rule), |[a, b, ..]| (!(a | b) & 0xffff_ffff, false)),
    bitwise(&["s_nor_b64"], B64, TWO_WIDE, Own(or_rule), |[a, b, ..]| (!(a | b), false)),
    bitwise(&["s_not_b32"], B32, &[B32], Each, |[a, ..]| (!a & 0xffff_ffff, false)),
    bitwise(&["s_not_b64"], B64, &[B64], Each, |[a, ..]| (!a, false)),
    bitwise(&["s_wqm_b32"], B32, &[B32], Whole, |[a, ..]| (whole_quads(a), false)),
    bitwise(&["s_wqm_b64"], B64, &[B64], Whole, |[a, ..]| (whole_quads(a), false)),
    op(&["s_brev_b32"], B32, &[B32], Moved(1), Kept, |[a, ..]| ((a as u32).reverse_bits().into(), false)),
    op(&["s_brev_b64"], B64, &[B64], Moved(1), Kept, |[a, ..]| (a.reverse_bits(), false)),
    bitwise(&["s_lshl_b32"], B32, TWO, Moved(1), |[a, b, ..]| (a << (b & 31) & 0xffff_ffff, false)),
    bitwise(&["s_lshl_b64"], B64, &[B64, B32], Moved(1), |[a, b, ..]| (a << (b & 63), false)),
    bitwise(&["s_lshr_b32"], B32, TWO, Moved(1), |[a, b, ..]| (a >> (b & 31), false)),
    bitwise(&["s_lshr_b64"], B64, &[B64, B32], Moved(1), |[a, b, ..]| (a >> (b & 63), false)),
    bitwise(&["s_ashr_i32"], B32, TWO, Moved(1), |[a, b, ..]| ((i(a) >> (b & 31)) as u64 & 0xffff_ffff, false)),
    bitwise(&["s_ashr_i64"], B64, &[I64, B32], Moved(1), |[a, b, ..]| (((a as i64) >> (b & 63)) as u64, false)),
    op(&["s_bfm_b32"], B32, TWO, Whole, Kept, |[a, b, ..]| (bits::ones((a & 31) as u32) << (b & 31), false)),
    op(&["s_bfm_b64"], B64, TWO, Whole, Kept, |[a, b, ..]| (bits::ones((a & 63) as u32) << (b & 63), false)),
    bitwise(&["s_bfe_u32"], B32, TWO, Moved(1), |[a, b, ..]| (field(a, b, 31), false)),
    bitwise(&["s_bfe_u64"], B64, &[B64, B32], Moved(1), |[a, b, ..]| (field(a, b, 63), false)),
    bitwise(&["s_bfe_i32"], B32, TWO, Moved(1), |[a, b, ..]| (signed_field(a, b, 31) & 0xffff_ffff, false)),
    bitwise(&["s_bfe_i64"], B64, &[I64, B32], Moved(1), |[a, b, ..]| (signed_field(a, b, 63), false)),
    bitwise(&["s_bcnt1_i32_b32"], B32, &[B32], Whole, |[a, ..]| (a.count_ones().into(), false)),
    bitwise(&["s_bcnt1_i32_b64"], B32, &[B64], Whole, |[a, ..]| (a.count_ones().into(), false)),
    bitwise(&["s_bcnt0_i32_b32"], B32, &[B32], Whole, |[a, ..]| ((a as u32).count_zeros().into(), false)),
    bitwise(&["s_bcnt0_i32_b64"], B32, &[B64], Whole, |[a, ..]| (a.count_zeros().into(), false)),
    op(&["s_clz_i32_u32", "s_flbit_i32_b32"], B32, &[B32], Own(|known| leading_rule(known[0], 32)), Kept, |[a, ..]| {
        (leading(a, 32), false)
    }),
    op(&["s_clz_i32_u64", "s_flbit_i32_b64"], B32, &[B64], Own(|known| leading_rule(known[0], 64)), Kept, |[a, ..]| {
        (leading(a, 64), false)
    }),
    op(&["s_cls_i32", "s_flbit_i32"], B32, &[B32], Whole, Kept, |[a, ..]| (leading_sign(a, 32), false)),
    op(&["s_cls_i32_i64", "s_flbit_i32_i64"], B32, &[B64], Whole, Kept, |[a, ..]| (leading_sign(a, 64), false)),
    op(&["s_ctz_i32_b32", "s_ff1_i32_b32"], B32, &[B32], Own(|known| trailing_rule(known[0])), Kept, |[a, ..]| {
        (trailing(a), false)
    }),
    op(&["s_ctz_i32_b64", "s_ff1_i32_b64"], B32, &[B64], Own(|known| trailing_rule(known[0])), Kept, |[a, ..]| {
        (trailing(a), false)
    }),
    op(&["s_sext_i32_i8"], B32, &[B32], Moved(1), Kept, |[a, ..]| (a as i8 as u64, false)),
    op(&["s_sext_i32_i16"], B32, &[B32], Moved(1), Kept, |[a, ..]| (a as i16 as u64, false)),
    op(&["s_pack_ll_b32_b16"], B32, TWO, Moved(3), Kept, |[a, b, ..]| (a & 0xffff | b << 16, false)),
    op(&["s_pack_lh_b32_b16"], B32, TWO, Moved(3), Kept, |[a, b, ..]| (a & 0xffff | b & 0xffff_0000, false)),
    op(&["s_pack_hh_b32_b16"], B32, TWO, Moved(3), Kept, |[a, b, ..]| (a >> 16 | b & 0xffff_0000, false)),
    op(&["s_pack_hl_b32_b16"], B32, TWO, Moved(3), Kept, |[a, b, ..]| (a >> 16 | b << 16, false)),
    ScalarOp {
        accumulates: true,
        ..op(&["s_bitset1_b32"], B32, TWO, Own(bit_rule), Kept, |[a, b, ..]| (a | 1 << (b & 31), false))
    },
    ScalarOp {
        accumulates: true,
        ..op(&["s_bitset0_b32"], B32, TWO, Own(bit_rule), Kept, |[a, b, ..]| (a & !(1 << (b & 31)), false))
    },
    ScalarOp {
        accumulates: true,
        ..op(&["s_bitset1_b64"], B64, &[B64, B32], Own(bit_rule), Kept, |[a, b, ..]| (a | 1 << (b & 63), false))
    },
    ScalarOp {
        accumulates: true,
        ..op(&["s_bitset0_b64"], B64, &[B64, B32], Own(bit_rule), Kept, |[a, b, ..]| (a & !(1 << (b & 63)), false))
    },
];

/// Comparisons, whose result is the condition code.
pub(crate) static QUESTIONS: &[ScalarOp] = &[
    question(&["s_cmp_eq_u32", "s_cmp_eq_i32"], TWO, |[a, b, ..]| (0, a == b)),
    question(&["s_cmp_lg_u32", "s_cmp_lg_i32"], TWO, |[a, b, ..]| (0, a != b)),
    question(&["s_cmp_eq_u64"], TWO_WIDE, |[a, b, ..]| (0, a == b)),
    question(&["s_cmp_lg_u64"], TWO_WIDE, |[a, b, ..]| (0, a != b)),
    question(&["s_cmp_gt_u32"], TWO, |[a, b, ..]| (0, a > b)),
    question(&["s_cmp_ge_u32"], TWO, |[a, b, ..]| (0, a >= b)),
    question(&["s_cmp_lt_u32"], TWO, |[a, b, ..]| (0, a < b)),
    question(&["s_cmp_le_u32"], TWO, |[a, b, ..]| (0, a <= b)),
    question(&["s_cmp_gt_i32"], TWO, |[a, b, ..]| (0, i(a) > i(b))),
    question(&["s_cmp_ge_i32"], TWO, |[a, b, ..]| (0, i(a) >= i(b))),
    question(&["s_cmp_lt_i32"], TWO, |[a, b, ..]| (0, i(a) < i(b))),
    question(&["s_cmp_le_i32"], TWO, |[a, b, ..]| (0, i(a) <= i(b))),
    question(&["s_cmpk_eq_u32"], TWO, |[a, b, ..]| (0, a == b)),
    question(&["s_cmpk_lg_u32"], TWO, |[a, b, ..]| (0, a != b)),
    question(&["s_cmpk_gt_u32"], TWO, |[a, b, ..]| (0, a > b)),
    question(&["s_cmpk_ge_u32"], TWO, |[a, b, ..]| (0, a >= b)),
    question(&["s_cmpk_lt_u32"], TWO, |[a, b, ..]| (0, a < b)),
    question(&["s_cmpk_le_u32"], TWO, |[a, b, ..]| (0, a <= b)),
    extending(question(&["s_cmpk_eq_i32"], TWO, |[a, b, ..]| (0, i(a) == i(b)))),
    extending(question(&["s_cmpk_lg_i32"], TWO, |[a, b, ..]| (0, i(a) != i(b)))),
    extending(question(&["s_cmpk_gt_i32"], TWO, |[a, b, ..]| (0, i(a) > i(b)))),
    extending(question(&["s_cmpk_ge_i32"], TWO, |[a, b, ..]| (0, i(a) >= i(b)))),
    extending(question(&["s_cmpk_lt_i32"], TWO, |[a, b, ..]| (0, i(a) < i(b)))),
    extending(question(&["s_cmpk_le_i32"], TWO, |[a, b, ..]| (0, i(a) <= i(b)))),
    question(&["s_bitcmp1_b32"], TWO, |[a, b, ..]| (0, a >> (b & 31) & 1 != 0)),
    question(&["s_bitcmp0_b32"], TWO, |[a, b, ..]| (0, a >> (b & 31) & 1 == 0)),
    question(&["s_bitcmp1_b64"], &[B64, B32], |[a, b, ..]| (0, a >> (b & 63) & 1 != 0)),
    question(&["s_bitcmp0_b64"], &[B64, B32], |[a, b, ..]| (0, a >> (b & 63) & 1 == 0)),
];

/// The part of a rule's interface that a scalar operation has: its result alone.
pub(crate) fn apply(op: &ScalarOp, known: &Known, width: u32) -> u64 {
    match op.rule {
        Rule::Moved(moved) => {
            let is_moved = |i: usize| moved >> i & 1 != 0;
            if (0..known.len()).any(|i| !is_moved(i) && known[i].undefined != 0) {
                return bits::ones(width);
            }
            let masks = std::array::from_fn(|i| if is_moved(i) { known[i].undefined } else { known[i].value });
            (op.compute)(masks).0 & bits::ones(width)
        }
        rule => rule.apply(known, width, &Mode(0), |_, _| 0),
    }
}
