//! How undefined bits propagate through operations, by the rules that Valgrind's memcheck documents: exact for bitwise
//! operations and comparisons, to the left of the lowest undefined bit for sums and products, whole for everything
//! else.
//!
//! A value is two words: its bits, and a mask of its bits that nobody wrote. `width` is 1 to 64. Bits above the width
//! are zero in both words.

/// The lowest `width` bits.
#[inline]
pub fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// A bit of a conjunction is undefined unless one of its operands is a written 0.
#[inline]
pub fn and(a: u64, undefined_a: u64, b: u64, undefined_b: u64) -> u64 {
    (undefined_a | undefined_b) & (a | undefined_a) & (b | undefined_b)
}

/// A bit of a disjunction is undefined unless one of its operands is a written 1.
#[inline]
pub fn or(a: u64, undefined_a: u64, b: u64, undefined_b: u64) -> u64 {
    (undefined_a | undefined_b) & (!a | undefined_a) & (!b | undefined_b)
}

/// Exclusive or, and anything else that treats each bit alone.
#[inline]
pub fn each(undefined_a: u64, undefined_b: u64) -> u64 {
    undefined_a | undefined_b
}

/// Sums, differences and the lower half of products: carries go to the left.
#[inline]
pub fn carried(undefined_a: u64, undefined_b: u64, width: u32) -> u64 {
    let undefined = undefined_a | undefined_b;
    (undefined | undefined.wrapping_neg()) & ones(width)
}

/// An operation that mixes all bits: everything is undefined if anything is.
#[inline]
pub fn whole(undefined: u64, width: u32) -> u64 {
    if undefined == 0 { 0 } else { ones(width) }
}

/// A shift to the left by `amount`, which is below the width or clears the value.
#[inline]
pub fn shifted_left(undefined: u64, amount: u64, undefined_amount: u64, width: u32) -> u64 {
    if undefined_amount != 0 {
        return ones(width);
    }
    if amount >= u64::from(width) { 0 } else { (undefined << amount) & ones(width) }
}

/// A shift to the right that brings in zeros.
#[inline]
pub fn shifted_right(undefined: u64, amount: u64, undefined_amount: u64, width: u32) -> u64 {
    if undefined_amount != 0 {
        return ones(width);
    }
    if amount >= u64::from(width) { 0 } else { undefined >> amount }
}

/// A shift to the right that brings in the sign, which is undefined if the highest bit is.
#[inline]
pub fn shifted_right_signed(undefined: u64, amount: u64, undefined_amount: u64, width: u32) -> u64 {
    if undefined_amount != 0 {
        return ones(width);
    }
    let amount = amount.min(u64::from(width) - 1);
    (sign_extended(undefined, width) >> amount) as u64 & ones(width)
}

/// The lowest `width` bits as a signed number.
#[inline]
pub fn sign_extended(value: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((value << unused) as i64) >> unused
}

/// Whether `a == b` is undefined: no written bit differs, and some bit was not written.
#[inline]
pub fn equality(a: u64, undefined_a: u64, b: u64, undefined_b: u64) -> bool {
    let undefined = undefined_a | undefined_b;
    undefined != 0 && (a ^ b) & !undefined == 0
}

/// Whether an unsigned order between the two is undefined: the intervals of their possible values overlap.
#[inline]
pub fn order_unsigned(a: u64, undefined_a: u64, b: u64, undefined_b: u64) -> bool {
    if undefined_a | undefined_b == 0 {
        return false;
    }
    let (low_a, high_a) = (a & !undefined_a, a | undefined_a);
    let (low_b, high_b) = (b & !undefined_b, b | undefined_b);
    high_a >= low_b && high_b >= low_a
}

/// The same for signed numbers: with the sign turned round, their order is that of unsigned ones.
#[inline]
pub fn order_signed(a: u64, undefined_a: u64, b: u64, undefined_b: u64, width: u32) -> bool {
    let sign = 1 << (width - 1);
    let turned = |value: u64, undefined: u64| (value ^ sign) & !(undefined & sign) | (value & undefined & sign);
    order_unsigned(turned(a, undefined_a), undefined_a, turned(b, undefined_b), undefined_b)
}

/// A choice between two values by a condition.
#[inline]
pub fn select(undefined_condition: bool, chosen: u64, a: (u64, u64), b: (u64, u64)) -> u64 {
    if undefined_condition { (a.0 ^ b.0) | a.1 | b.1 } else { chosen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_zero_decides_a_conjunction() {
        assert_eq!(and(0b0000, 0b1111, 0b0011, 0b0000), 0b0011);
        assert_eq!(or(0b0000, 0b1111, 0b0011, 0b0000) & 0b1111, 0b1100);
    }

    #[test]
    fn carries_go_to_the_left() {
        assert_eq!(carried(0b0100, 0, 8), 0b1111_1100);
        assert_eq!(carried(0, 0, 8), 0);
        assert_eq!(carried(1, 0, 64), u64::MAX);
    }

    #[test]
    fn shifts_move_the_mask() {
        assert_eq!(shifted_left(0xf0, 4, 0, 8), 0);
        assert_eq!(shifted_right(0xf0, 4, 0, 8), 0x0f);
        assert_eq!(shifted_right_signed(0x80, 3, 0, 8), 0xf0);
        assert_eq!(shifted_right(0, 1, 1, 8), 0xff);
    }

    #[test]
    fn comparisons_are_undefined_only_where_unwritten_bits_decide() {
        assert!(!equality(0x10, 0x0f, 0x20, 0));
        assert!(equality(0x10, 0x0f, 0x1f, 0));
        assert!(!order_unsigned(0x10, 0x0f, 0x20, 0));
        assert!(order_unsigned(0x10, 0x0f, 0x18, 0));
        assert!(!order_signed(0x80, 0x0f, 0x20, 0, 8));
        assert!(!order_signed(0x00, 0x80, 0x20, 0, 8));
        assert!(order_signed(0x00, 0x80, 0xe0, 0, 8));
    }

    #[test]
    fn equal_alternatives_need_no_condition() {
        assert_eq!(select(true, 0, (0b1010, 0), (0b1010, 0)), 0);
        assert_eq!(select(true, 0, (0b1010, 0), (0b1000, 0)), 0b0010);
    }
}
