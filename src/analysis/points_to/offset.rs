//! Offsets within an object. An unknown index becomes a stride: the offset is then known modulo that stride.

/// A number of bytes: `base`, plus any multiple of `stride` when that is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Offset {
    base: i64,
    stride: i64,
}

impl Offset {
    /// Any number.
    pub(crate) const ANY: Offset = Offset { base: 0, stride: 1 };

    /// Exactly `base` bytes.
    pub(crate) fn exact(base: i64) -> Self {
        Offset { base, stride: 0 }
    }

    /// Whether it is one number.
    pub(crate) fn is_exact(self) -> bool {
        self.stride == 0
    }

    /// Any multiple of `size`.
    pub(crate) fn multiple(size: u64) -> Self {
        Offset { base: 0, stride: stride(size) }
    }

    /// The sum.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self::new(self.base.wrapping_add(other.base), gcd(self.stride, other.stride))
    }

    fn new(base: i64, stride: i64) -> Self {
        Offset { base: if stride == 0 { base } else { base.rem_euclid(stride) }, stride }
    }

    /// The same number of bytes in the other direction.
    pub(crate) fn negated(self) -> Self {
        Self::new(self.base.wrapping_neg(), self.stride)
    }

    /// The smallest offset that contains both: the join of the lattice.
    pub(crate) fn join(self, other: Self) -> Self {
        let distance = self.base.abs_diff(other.base);
        Self::new(self.base, gcd(gcd(self.stride, other.stride), stride(distance)))
    }

    /// Whether `width` bytes here and `other_width` bytes there may have one in common.
    pub(crate) fn overlaps(self, width: u64, other: Self, other_width: u64) -> bool {
        let (width, other_width) = (width.min(1 << 40) as i64, other_width.min(1 << 40) as i64);
        let distance = self.base.wrapping_sub(other.base);
        match gcd(self.stride, other.stride) {
            0 => distance < other_width && -width < distance,
            step => distance.rem_euclid(step) < other_width || step - distance.rem_euclid(step) < width,
        }
    }
}

/// A stride of `size` bytes. One that is too large for an address becomes any number of bytes.
fn stride(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(1)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_overlap_where_they_may() {
        let exact = Offset::exact;
        assert!(exact(0).overlaps(8, exact(7), 1));
        assert!(!exact(0).overlaps(8, exact(8), 1));
        assert!(exact(8).overlaps(8, exact(0), 16));
        let pairs = Offset::multiple(16);
        assert!(pairs.overlaps(8, exact(32), 8));
        assert!(!pairs.overlaps(8, exact(40), 8));
        assert!(pairs.overlaps(8, exact(-4), 8));
        assert!(Offset::ANY.overlaps(1, exact(i64::MIN), 1));
        assert!(Offset::multiple(1 << 40).overlaps(u64::MAX, exact(8), 1));
    }

    /// Offsets with small numbers.
    fn small_offsets() -> Vec<Offset> {
        let strides = [0, 1, 2, 3, 4, 6, 8];
        strides.into_iter().flat_map(|stride| (-5..=5).map(move |base| Offset::new(base, stride))).collect()
    }

    /// The numbers that an offset represents, near 0.
    fn numbers(offset: Offset) -> Vec<i64> {
        let is_one =
            |n: &i64| if offset.stride == 0 { *n == offset.base } else { (n - offset.base) % offset.stride == 0 };
        (-32..=32).filter(is_one).collect()
    }

    fn contains(offset: Offset, number: i64) -> bool {
        offset.join(Offset::exact(number)) == offset
    }

    #[test]
    fn offsets_are_what_their_numbers_say() {
        let offsets = small_offsets();
        for (a, b) in offsets.iter().flat_map(|a| offsets.iter().map(move |b| (*a, *b))) {
            let (of_a, of_b) = (numbers(a), numbers(b));
            let (sum, either) = (a.plus(b), a.join(b));
            assert!(of_a.iter().all(|n| of_b.iter().all(|m| contains(sum, n + m))), "{a:?} + {b:?} is {sum:?}");
            assert!(of_a.iter().chain(&of_b).all(|n| contains(either, *n)), "{a:?} or {b:?} is {either:?}");
            for (width, other) in [(1, 1), (4, 8), (8, 1)] {
                let common = |n: &i64, m: &i64| *n < m + other as i64 && *m < n + width as i64;
                let overlap = of_a.iter().any(|n| of_b.iter().any(|m| common(n, m)));
                assert_eq!(a.overlaps(width, b, other), overlap, "{width} bytes at {a:?}, {other} at {b:?}");
            }
        }
    }

    #[test]
    fn offsets_too_large_for_an_address_are_any() {
        assert_eq!(Offset::multiple(u64::MAX), Offset::ANY);
        assert_eq!(Offset::exact(i64::MIN).plus(Offset::multiple(u64::MAX)), Offset::ANY);
        assert_eq!(Offset::exact(i64::MIN).join(Offset::exact(i64::MAX)), Offset::ANY);
        assert_eq!(Offset::exact(i64::MIN).join(Offset::exact(0)), Offset::ANY);
    }

    #[test]
    fn offsets_add_up() {
        let (pairs, triples) = (Offset::multiple(16), Offset::multiple(24));
        assert_eq!(pairs.plus(triples), Offset::multiple(8));
        assert_eq!(pairs.plus(Offset::exact(20)), Offset { base: 4, stride: 16 });
        assert_eq!(pairs.plus(Offset::exact(-4)), Offset { base: 12, stride: 16 });
        assert_eq!(Offset::exact(4).join(Offset::exact(12)), Offset { base: 4, stride: 8 });
        assert_eq!(Offset::exact(4).join(Offset::exact(4)), Offset::exact(4));
        assert_eq!(pairs.plus(Offset::exact(20)).negated(), Offset { base: 12, stride: 16 });
        assert_eq!(Offset::exact(i64::MIN).negated(), Offset::exact(i64::MIN));
        assert_eq!(Offset::exact(i64::MAX).plus(Offset::exact(1)), Offset::exact(i64::MIN));
    }
}
