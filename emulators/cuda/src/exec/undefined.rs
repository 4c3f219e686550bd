//! How undefined bits of a register's lanes go through an operation.

use emulator_core::bits;

use crate::lanes::{Lanes, Word};
use crate::program::code::{Comparison, Rule};

/// The undefined bits of a result whose operands are not all defined. Operations that move bits are not among these.
pub(super) fn through(rule: Rule, width: u32, operands: &[&Lanes]) -> Word {
    let none = Lanes::splat(0);
    let (a, b, c) = (operands[0], operands.get(1).copied().unwrap_or(&none), operands.get(2).copied().unwrap_or(&none));
    std::array::from_fn(|lane| {
        let (ua, ub, uc) = (a.mask(lane), b.mask(lane), c.mask(lane));
        match rule {
            Rule::And => bits::and(a.bits[lane], ua, b.bits[lane], ub) & bits::ones(width),
            Rule::Or => bits::or(a.bits[lane], ua, b.bits[lane], ub) & bits::ones(width),
            Rule::Each => (ua | ub | uc) & bits::ones(width),
            Rule::Carry => bits::carried(ua | ub, uc, width),
            Rule::ShiftLeft => bits::shifted_left(ua, b.bits[lane] & 0xffff_ffff, ub, width),
            Rule::ShiftRight => bits::shifted_right(ua, b.bits[lane] & 0xffff_ffff, ub, width),
            Rule::ShiftRightSigned => bits::shifted_right_signed(ua, b.bits[lane] & 0xffff_ffff, ub, width),
            Rule::Halves => {
                let all = ua | ub | uc;
                let half = |bits: u64| if bits == 0 { 0 } else { 0xffff };
                half(all & 0xffff) | half(all >> 16 & 0xffff) << 16
            }
            Rule::Divide if b.bits[lane] == 0 => bits::ones(width),
            _ => bits::whole(ua | ub | uc, width),
        }
    })
}

/// The lanes in which a comparison is undefined.
pub(super) fn comparison(kind: Comparison, width: u32, a: &Lanes, b: &Lanes) -> u32 {
    (0..32).fold(0, |undefined, lane| {
        let (x, ux) = (a.bits[lane], a.mask(lane) & bits::ones(width));
        let (y, uy) = (b.bits[lane], b.mask(lane) & bits::ones(width));
        let is_undefined = match kind {
            Comparison::Equality => bits::equality(x, ux, y, uy),
            Comparison::Unsigned => bits::order_unsigned(x, ux, y, uy),
            Comparison::Signed => bits::order_signed(x, ux, y, uy, width),
            Comparison::Whole => ux | uy != 0,
        };
        undefined | u32::from(is_undefined) << lane
    })
}
