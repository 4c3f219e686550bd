//! Operators of an [`Index`] and a number. There are none with the number first: rustc could then no longer infer the
//! type of an operand that a program adds to a `usize`.

use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Rem, Sub};

use super::Index;

macro_rules! operators {
    ($($operator:ident $name:ident),*) => { $(
        impl $operator<usize> for Index {
            type Output = usize;

            #[inline(always)]
            #[track_caller]
            fn $name(self, other: usize) -> usize {
                self.get().$name(other)
            }
        }
    )* };
}
operators!(Add add, Sub sub, Mul mul, Div div, Rem rem);

impl PartialEq<usize> for Index {
    #[inline(always)]
    fn eq(&self, other: &usize) -> bool {
        self.get() == *other
    }
}

impl PartialOrd<usize> for Index {
    #[inline(always)]
    fn partial_cmp(&self, other: &usize) -> Option<Ordering> {
        self.get().partial_cmp(other)
    }
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn a_result_is_a_number() {
        let i = Index::new(7);
        assert_eq!([i + 1, i - 1, i * 2, i / 2, i % 4], [8, 6, 14, 3, 3]);
        assert!(i == 7 && i != 8 && i < 8 && i > 6);
    }
}
