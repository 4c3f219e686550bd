//! Functions over the 32 lanes of words, made from functions of one lane.

/// A function of one operand.
macro_rules! unary {
    (|$a:ident| $result:expr) => {{
        fn each(d: &mut $crate::program::code::Word, a: &$crate::program::code::Word) {
            for i in 0..32 {
                let $a = a[i];
                d[i] = $result;
            }
        }
        each as fn(&mut $crate::program::code::Word, &$crate::program::code::Word)
    }};
    ($t:ident: $bound:path, |$a:ident| $result:expr) => {{
        fn each<$t: $bound>(d: &mut $crate::program::code::Word, a: &$crate::program::code::Word) {
            for i in 0..32 {
                let $a = $t::of(a[i]);
                d[i] = $result;
            }
        }
        each::<$t> as fn(&mut $crate::program::code::Word, &$crate::program::code::Word)
    }};
}

/// A function of two operands.
macro_rules! binary {
    (|$a:ident, $b:ident| $result:expr) => {{
        fn each(d: &mut $crate::program::code::Word, a: &$crate::program::code::Word, b: &$crate::program::code::Word) {
            for i in 0..32 {
                let ($a, $b) = (a[i], b[i]);
                d[i] = $result;
            }
        }
        each as $crate::program::decode::lanes::BinaryFn
    }};
    ($t:ident: $bound:path, |$a:ident, $b:ident| $result:expr) => {{
        fn each<$t: $bound>(
            d: &mut $crate::program::code::Word,
            a: &$crate::program::code::Word,
            b: &$crate::program::code::Word,
        ) {
            for i in 0..32 {
                let ($a, $b) = ($t::of(a[i]), $t::of(b[i]));
                d[i] = $result;
            }
        }
        each::<$t> as $crate::program::decode::lanes::BinaryFn
    }};
}

/// A function of three operands.
macro_rules! ternary {
    (|$a:ident, $b:ident, $c:ident| $result:expr) => {{
        fn each(
            d: &mut $crate::program::code::Word,
            a: &$crate::program::code::Word,
            b: &$crate::program::code::Word,
            c: &$crate::program::code::Word,
        ) {
            for i in 0..32 {
                let ($a, $b, $c) = (a[i], b[i], c[i]);
                d[i] = $result;
            }
        }
        each as $crate::program::decode::lanes::TernaryFn
    }};
    ($t:ident: $bound:path, |$a:ident, $b:ident, $c:ident| $result:expr) => {{
        fn each<$t: $bound>(
            d: &mut $crate::program::code::Word,
            a: &$crate::program::code::Word,
            b: &$crate::program::code::Word,
            c: &$crate::program::code::Word,
        ) {
            for i in 0..32 {
                let ($a, $b, $c) = ($t::of(a[i]), $t::of(b[i]), $t::of(c[i]));
                d[i] = $result;
            }
        }
        each::<$t> as $crate::program::decode::lanes::TernaryFn
    }};
}

/// A comparison: the lanes where it holds.
macro_rules! compare {
    ($t:ident: $bound:path, |$a:ident, $b:ident| $result:expr) => {{
        fn each<$t: $bound>(a: &$crate::program::code::Word, b: &$crate::program::code::Word) -> u32 {
            let mut holds = 0;
            for i in 0..32 {
                let ($a, $b) = ($t::of(a[i]), $t::of(b[i]));
                holds |= u32::from($result) << i;
            }
            holds
        }
        each::<$t> as $crate::program::decode::lanes::CompareFn
    }};
}

pub(super) use {binary, compare, ternary, unary};

use crate::program::code::Word;

/// d = f(a)
pub(super) type UnaryFn = fn(&mut Word, &Word);
/// d = f(a, b)
pub(super) type BinaryFn = fn(&mut Word, &Word, &Word);
/// d = f(a, b, c)
pub(super) type TernaryFn = fn(&mut Word, &Word, &Word, &Word);
/// The lanes where it holds.
pub(super) type CompareFn = fn(&Word, &Word) -> u32;
