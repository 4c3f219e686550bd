//! Attributes that change a type below a derive, in safe code.

use proc_macro::TokenStream;

/// Adds `more` before the last brace of the type.
fn with_more(item: &TokenStream, more: &str) -> TokenStream {
    let text = item.to_string();
    let (before, _) = text.rsplit_once('}').expect("a type with braces");
    format!("{}, {more} }}", before.trim_end().trim_end_matches(',')).parse().expect("a type")
}

/// Adds the field `text: &'static str` to a struct.
#[proc_macro_attribute]
pub fn add_field(_: TokenStream, item: TokenStream) -> TokenStream {
    with_more(&item, "pub text: &'static str")
}

/// Adds a variant with a reference to an enum.
#[proc_macro_attribute]
pub fn add_variant(_: TokenStream, item: TokenStream) -> TokenStream {
    with_more(&item, "Text(&'static str)")
}

/// Makes references of the numbers in a type.
#[proc_macro_attribute]
pub fn refer(_: TokenStream, item: TokenStream) -> TokenStream {
    item.to_string().replace("u32", "&'static u32").parse().expect("a type")
}
