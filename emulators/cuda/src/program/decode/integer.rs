//! Integers of each width and sign, from words and back.

/// An integer type of PTX. Words hold the bits of its width, zero above.
pub(super) trait Integer: Copy + Ord {
    const WIDTH: u32;
    fn of(word: u64) -> Self;
    fn word(self) -> u64;
    fn wide(self) -> i128;
    fn narrow(value: i128) -> Self;
    /// The nearest value of the type.
    fn clamped(value: i128) -> Self;
}

macro_rules! integers {
    ($($type:ident as $unsigned:ident),*) => {$(
        impl Integer for $type {
            const WIDTH: u32 = $type::BITS;
            #[inline]
            fn of(word: u64) -> Self {
                word as $type
            }
            #[inline]
            fn word(self) -> u64 {
                u64::from(self as $unsigned)
            }
            #[inline]
            fn wide(self) -> i128 {
                i128::from(self)
            }
            #[inline]
            fn narrow(value: i128) -> Self {
                value as $type
            }
            #[inline]
            fn clamped(value: i128) -> Self {
                value.clamp(i128::from($type::MIN), i128::from($type::MAX)) as $type
            }
        }
    )*};
}

integers!(u8 as u8, i8 as u8, u16 as u16, i16 as u16, u32 as u32, i32 as u32, u64 as u64, i64 as u64);

/// Calls a generic function with the type of a PTX integer type.
macro_rules! with_integer {
    ($type:expr, $function:ident ( $($argument:expr),* )) => {{
        let element = $type;
        match (element.width, element.is_signed()) {
            (8, false) => $function::<u8>($($argument),*),
            (8, true) => $function::<i8>($($argument),*),
            (16, false) => $function::<u16>($($argument),*),
            (16, true) => $function::<i16>($($argument),*),
            (32, false) => $function::<u32>($($argument),*),
            (32, true) => $function::<i32>($($argument),*),
            (64, true) => $function::<i64>($($argument),*),
            _ => $function::<u64>($($argument),*),
        }
    }};
}
pub(super) use with_integer;
