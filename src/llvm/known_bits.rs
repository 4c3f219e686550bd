//! Known bits of integers, from LLVM's analysis.

use super::{Value, shim};

/// The known bits of an integer of at most 64 bits, as long as it is not poison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownBits {
    /// Those that are zero. The bits above the integer's type are not among them.
    pub zeros: u64,
    /// Those that are one.
    pub ones: u64,
    /// The greatest number that it may be, without a sign.
    pub greatest: u64,
}

impl<'c> Value<'c> {
    /// The known bits of an integer of at most 64 bits; none of another value.
    pub fn known_bits(self) -> Option<KnownBits> {
        let width = self.ty().int_width().filter(|width| *width <= 64)?;
        let all = u64::MAX >> (64 - width);
        if let Some(number) = self.as_u64() {
            return Some(KnownBits { zeros: !number & all, ones: number & all, greatest: number & all });
        }
        let first = || self.function().blocks().first().and_then(|block| block.instructions().next());
        let at = match self.is_instruction() {
            true => Some(self),
            false => self.is_argument().then(first).flatten(),
        };
        let Some(at) = at else { return Some(KnownBits { zeros: 0, ones: 0, greatest: all }) };
        let mut known = [0; 3];
        llvm!(shim::ofc_known_bits(self.raw, at.raw, known.as_mut_ptr()));
        let [zeros, ones, greatest] = known;
        Some(KnownBits { zeros, ones, greatest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, Module};

    #[test]
    fn operations_tell_bits() {
        let text = b"define i64 @f(i64 %n, i64 range(i64 0, 100) %small, ptr %p) {\n  %or = or i64 %n, 7\n  \
            %and = and i64 %n, -8\n  %shl = shl i64 %n, 4\n  %sum = add i64 %and, %shl\n  \
            %count = call i64 @llvm.ctpop.i64(i64 %n)\n  %byte = load i8, ptr %p\n  %wide = zext i8 %byte to i64\n  \
            %cut = urem i64 %n, 50\n  ret i64 0\n}\ndeclare i64 @llvm.ctpop.i64(i64)\n";
        let context = Context::create();
        let module = Module::from_text(&context, text, "f").unwrap();
        let function = module.function("f").unwrap();
        let known = |value: Value<'_>| {
            let KnownBits { zeros, ones, greatest } = value.known_bits().unwrap();
            (zeros.trailing_ones(), ones.trailing_ones(), greatest)
        };
        let all: Vec<_> = function.instructions().filter(|i| !i.is_terminator()).map(known).collect();
        let max = u64::MAX;
        let (sum, count) = ((3, 0, max - 7), (0, 0, 64));
        assert_eq!(all[..5], [(0, 3, max), (3, 0, max - 7), (4, 0, max - 15), sum, count]);
        assert_eq!(all[5..], [(0, 0, 255), (0, 0, 255), (0, 0, 49)]);
        let [n, small, pointer] = function.parameters()[..] else { panic!("there are three parameters") };
        assert_eq!([n, small].map(known), [(0, 0, max), (0, 0, 99)]);
        assert_eq!(pointer.known_bits(), None);
        assert_eq!(known(n.ty().constant(12)), (2, 0, 12));
        assert_eq!(known(n.ty().poison()), (0, 0, max));
    }
}
