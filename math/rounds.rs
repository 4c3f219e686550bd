//! `trunc`, `floor`, `ceil`, `round`, `rint` and `roundeven` with the bits of the `libm` crate's, without a branch.
//!
//! Adding and subtracting a number whose last digit is a one rounds to a whole number. A comparison shows whether this
//! was the wrong one of the two nearest. These functions are for processors without an instruction.

use super::straight::choose;

macro_rules! rounds {
    ($float:ident: $trunc:ident, $floor:ident, $ceil:ident, $round:ident, $rint:ident, $roundeven:ident) => {
        /// Rounded towards zero.
        pub(crate) fn $trunc(x: $float) -> $float {
            let (size, near) = (x.abs(), $rint(x.abs()));
            (near - choose(near > size, 1.0, 0.0)).copysign(x)
        }

        /// Rounded down.
        pub(crate) fn $floor(x: $float) -> $float {
            let near = $rint(x);
            near - choose(near > x, 1.0, 0.0)
        }

        /// Rounded up. The result of a negative number is negative, zero included.
        pub(crate) fn $ceil(x: $float) -> $float {
            let near = $rint(x);
            (near + choose(near < x, 1.0, 0.0)).copysign(x)
        }

        /// Rounded to the nearest whole number, and away from zero if there are two.
        pub(crate) fn $round(x: $float) -> $float {
            const HALF: $float = 0.5 - 0.25 * $float::EPSILON;
            $trunc(x + HALF.copysign(x))
        }

        /// Rounded to the nearest whole number, and to the even one if there are two.
        #[inline(always)]
        pub(crate) fn $rint(x: $float) -> $float {
            /// From this |x| on, all numbers are whole.
            const WHOLE: $float = 1.0 / $float::EPSILON;
            let size = x.abs();
            choose(size < WHOLE, ((size + WHOLE) - WHOLE).copysign(x), x)
        }

        /// The same.
        pub(crate) fn $roundeven(x: $float) -> $float {
            $rint(x)
        }
    };
}

rounds! { f32: truncf, floorf, ceilf, roundf, rintf, roundevenf }
rounds! { f64: trunc, floor, ceil, round, rint, roundeven }
