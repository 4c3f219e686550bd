//! The messages of Rust's panic functions, and the parameters that they contain.
//!
//! Names and parameters are those of `core`, `alloc` and `std` in rustc 1.90 to 1.101. The message of an unknown
//! function is its name.

use crate::contract::panic_table::SLICE_RANGE;
use crate::llvm::{Function, Type};

/// The message of a panic function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A fixed text, and the parameters that are its operands.
    Fixed(String, &'static [usize]),
    /// The `&str` in the first two parameters.
    Text,
    /// The `fmt::Arguments` in the first two parameters.
    Template,
    /// The same before 1.93: the first parameter is its address.
    Pieces,
    /// `assert_eq!` and similar: the first parameter is the operator, and two parameters from this one are an
    /// `Option<fmt::Arguments>`.
    Assertion(usize),
    /// The same before 1.93: this parameter is the address of the `Option`.
    AssertionPieces(usize),
}

/// The operators of `assert_eq!`, `assert_ne!` and `assert_matches!`, by `core::panicking::AssertKind`.
pub const ASSERTIONS: [&str; 3] = ["==", "!=", "matches"];

/// The functions that these macros call, and the index of their message parameter.
const ASSERTION_PATHS: &[(&str, usize)] =
    &[("core::panicking::assert_failed", 3), ("core::panicking::assert_failed_inner", 5)];

/// Functions with a fixed text: path, text, operands.
#[rustfmt::skip]
const FIXED: &[(&str, &str, &[usize])] = &[
    ("core::panicking::panic_bounds_check", "index out of bounds: the len is \u{2} but the index is \u{1}", &[0, 1]),
    ("core::panicking::panic_explicit", "explicit panic", &[]),
    ("core::panicking::panic_default_msg", "explicit panic", &[]),
    ("core::panicking::unreachable_default_msg", "internal error: entered unreachable code", &[]),
    ("core::panicking::todo_default_msg", "not yet implemented", &[]),
    ("core::panicking::unimplemented_default_msg", "not implemented", &[]),
    ("core::panicking::unreachable_display", "internal error: entered unreachable code", &[]),
    ("core::panicking::panic_misaligned_pointer_dereference",
     "misaligned pointer dereference: address must be a multiple of \u{1} but is \u{2}", &[0, 1]),
    ("core::panicking::panic_null_pointer_dereference", "null pointer dereference occurred", &[]),
    ("core::panicking::panic_invalid_enum_construction", "trying to construct an enum from an invalid value", &[]),
    ("core::panicking::panic_cannot_unwind", "panic in a function that cannot unwind", &[]),
    ("core::panicking::panic_in_cleanup", "panic in a destructor during cleanup", &[]),
    ("core::option::unwrap_failed", "called `Option::unwrap()` on a `None` value", &[]),
    ("core::slice::index::slice_index_fail", "", &[0, 1, 2]),
    ("core::slice::index::slice_start_index_len_fail",
     "range start index \u{1} out of range for slice of length \u{2}", &[0, 1]),
    ("core::slice::index::slice_end_index_len_fail",
     "range end index \u{1} out of range for slice of length \u{2}", &[0, 1]),
    ("core::slice::index::slice_start_index_overflow_fail", "attempted to index slice from after maximum usize", &[]),
    ("core::slice::index::slice_end_index_overflow_fail", "attempted to index slice up to maximum usize", &[]),
    ("core::slice::index::slice_index_order_fail", "slice index starts at \u{1} but ends at \u{2}", &[0, 1]),
    ("core::slice::copy_from_slice_impl::len_mismatch_fail", COPY_FROM_SLICE, &[0, 1]),
    ("core::slice::<impl [T]>::copy_from_slice::len_mismatch_fail", COPY_FROM_SLICE, &[0, 1]),
    ("core::str::slice_error_fail", "byte range \u{1}..\u{2} is outside the string or not at characters' bounds", &[2, 3]),
    ("core::num::int_log10::panic_for_nonpositive_argument", "argument of integer logarithm must be positive", &[]),
    ("core::cell::panic_already_borrowed", "RefCell already borrowed", &[]),
    ("core::cell::panic_already_mutably_borrowed", "RefCell already mutably borrowed", &[]),
    ("alloc::raw_vec::capacity_overflow", "capacity overflow", &[]),
    ("alloc::alloc::handle_alloc_error", "memory allocation of \u{1} bytes failed: the launch's heap has no room (`heap_bytes`)", &[1]),
    ("std::process::abort", ABORTED, &[]),
];

const COPY_FROM_SLICE: &str =
    "copy_from_slice: source slice length (\u{2}) does not match destination slice length (\u{1})";

/// The message of an abort without a panic.
pub const ABORTED: &str = "aborted";

/// Functions of `core::panicking::panic_const`: the end of their name, and the text.
const ARITHMETIC: &[(&str, &str)] = &[
    ("add_overflow", "attempt to add with overflow"),
    ("sub_overflow", "attempt to subtract with overflow"),
    ("mul_overflow", "attempt to multiply with overflow"),
    ("div_overflow", "attempt to divide with overflow"),
    ("rem_overflow", "attempt to calculate the remainder with overflow"),
    ("neg_overflow", "attempt to negate with overflow"),
    ("shl_overflow", "attempt to shift left with overflow"),
    ("shr_overflow", "attempt to shift right with overflow"),
    ("div_by_zero", "attempt to divide by zero"),
    ("rem_by_zero", "attempt to calculate the remainder with a divisor of zero"),
];

/// The same for `core::num::overflow_panic`, which the `strict_` methods call.
const STRICT: &[(&str, &str)] = &[
    ("add", "attempt to add with overflow"),
    ("sub", "attempt to subtract with overflow"),
    ("mul", "attempt to multiply with overflow"),
    ("div", "attempt to divide with overflow"),
    ("rem", "attempt to calculate the remainder with overflow"),
    ("neg", "attempt to negate with overflow"),
    ("shl", "attempt to shift left with overflow"),
    ("shr", "attempt to shift right with overflow"),
];

/// Functions whose text is a `&str` parameter.
const WITH_TEXT: &[&str] = &[
    "core::panicking::panic",
    "core::panicking::panic_str_2015",
    "core::panicking::panic_nounwind",
    "core::panicking::panic_nounwind_nobacktrace",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
    "core::result::unwrap_failed::unwrap_failed_inner",
    "std::panicking::begin_panic",
];

/// Functions with a `fmt::Arguments` parameter.
const WITH_TEMPLATE: &[&str] = &["core::panicking::panic_fmt", "core::panicking::panic_nounwind_fmt"];

/// The message of the panic function with this path, and whether a pointer in its last parameter is known to be a
/// `Location`.
pub fn message_of(path: &str, function: Function<'_>) -> (Message, bool) {
    let path = without_parameters(path);
    let types = function.function_type().parameters();
    if WITH_TEXT.contains(&path) && is_text(&types) {
        return (Message::Text, true);
    }
    if WITH_TEMPLATE.contains(&path) && types.first().is_some_and(|first| first.is_pointer()) {
        // A location is the last parameter. If arguments have two words, there is one more pointer.
        let two_words = types.len() >= 3 && pointers(&types, 0);
        return (if two_words { Message::Template } else { Message::Pieces }, true);
    }
    // Kind, left, right, message, location. A value is one pointer, or two if it is a trait object.
    let message = ASSERTION_PATHS.iter().find(|(known, _)| *known == path).map(|(_, at)| *at);
    if let Some(at) = message.filter(|at| pointers(&types, *at)) {
        match types.len() - at {
            2 => return (Message::AssertionPieces(at), true),
            3 => return (Message::Assertion(at), true),
            _ => {}
        }
    }
    // Since 1.96, the internals of `core::num` are in a separate module.
    let own = path.replacen("core::num::imp::", "core::num::", 1);
    if let Some((_, text, operands)) = FIXED.iter().find(|(known, ..)| *known == own) {
        let text = if text.is_empty() { SLICE_RANGE.to_string() } else { (*text).to_owned() };
        return (Message::Fixed(text, operands), true);
    }
    let arithmetic =
        [("core::panicking::panic_const::panic_const_", ARITHMETIC), ("core::num::overflow_panic::", STRICT)];
    let texts = arithmetic.iter().flat_map(|(prefix, texts)| texts.iter().map(move |row| (*prefix, row)));
    let is_this = |(prefix, (name, _)): &(&str, &(&str, &str))| own.strip_prefix(prefix) == Some(*name);
    if let Some((_, (_, text))) = texts.into_iter().find(is_this) {
        return (Message::Fixed((*text).to_owned(), &[]), true);
    }
    (Message::Fixed(format!("panicked in `{path}`"), &[]), false)
}

/// A path without the generic arguments at its end. `::<impl [T]>::` in the middle is not such an argument.
fn without_parameters(path: &str) -> &str {
    let generics = path.match_indices("::<").find(|(at, _)| !path[*at..].starts_with("::<impl "));
    generics.map_or(path, |(at, _)| &path[..at])
}

fn is_text(types: &[Type<'_>]) -> bool {
    matches!(types, [text, length, ..] if text.is_pointer() && length.int_width() == Some(64))
}

/// Whether parameters `at` and `at + 1` are pointers.
fn pointers(types: &[Type<'_>], at: usize) -> bool {
    types.len() >= at + 2 && types[at].is_pointer() && types[at + 1].is_pointer()
}
