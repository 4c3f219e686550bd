//! `cargo offloadc check` checks the kernels of a crate that nothing launches. Only instances that something names
//! exist in compiled code, so the macro names a kernel that is not generic, if rustc only checks.

use std::path::Path;
use std::sync::OnceLock;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::{GenericParam, ItemFn};

use crate::rustc_arguments::arguments;

/// The condition with which `offloadc-rustc` runs rustc.
pub(crate) const CONDITION: &str = "offload_check";

/// An item that names the kernel, beside it; none if rustc does more than check, or if the name is not enough.
pub(crate) fn name(function: &ItemFn, offload: &syn::Path) -> Option<TokenStream> {
    static CHECKS: OnceLock<bool> = OnceLock::new();
    let is_condition = |words: &[String]| words.join("=") == format!("--cfg={CONDITION}");
    let checks = CHECKS.get_or_init(|| {
        let words = arguments();
        words.windows(2).any(is_condition) || words.chunks(1).any(is_condition)
    });
    if !checks || !is_concrete(function) {
        return None;
    }
    let name = &function.sig.ident;
    let file = name.span().unwrap().local_file()?;
    stands_alone(&name.to_string(), &file).then(|| item(function, offload))
}

fn item(function: &ItemFn, offload: &syn::Path) -> TokenStream {
    let (name, conditions) = (&function.sig.ident, function.attrs.iter().filter(|a| a.path().is_ident("cfg")));
    quote! {
        #(#conditions)*
        const _: () = {
            #[used]
            static CHECKED: fn() -> *const () = || #offload::__private::checked_kernel(#name);
        };
    }
}

/// Whether the function has one instance.
fn is_concrete(function: &ItemFn) -> bool {
    let generics = &function.sig.generics;
    let inputs = &function.sig.inputs;
    generics.where_clause.is_none()
        && generics.params.iter().all(|parameter| matches!(parameter, GenericParam::Lifetime(_)))
        && !has_word(quote!(#inputs), "impl")
}

fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        _ => false,
    })
}

/// Whether the name of a function in this file is its path there. A macro does not see whether it is called in an
/// `impl`, so all functions of the name must be seen outside of one, and of other macros.
fn stands_alone(name: &str, file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut seen = Seen::default();
    if let Ok(tokens) = text.parse::<TokenStream>() {
        seen.look(tokens, name, Around::Items);
    }
    seen.alone && !seen.inside
}

/// What the tokens of a group are.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    /// Items of a module, or statements.
    Items,
    /// The functions of an `impl` or a trait.
    Implementation,
    /// The tokens of another macro.
    Macro,
}

/// Where functions of a name have been seen.
#[derive(Default)]
struct Seen {
    alone: bool,
    inside: bool,
}

impl Seen {
    fn look(&mut self, tokens: TokenStream, name: &str, around: Around) {
        // The keyword of the item that has begun, and whether the last token but a name was `!`.
        let (mut item, mut is_macro, mut after_fn) = (None::<String>, false, false);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    let word = ident.to_string();
                    if after_fn && word == name {
                        let seen = if around == Around::Items { &mut self.alone } else { &mut self.inside };
                        *seen = true;
                    }
                    after_fn = word == "fn";
                    if item.is_none() && ["fn", "impl", "trait", "mod"].contains(&word.as_str()) {
                        item = Some(word);
                    }
                }
                TokenTree::Punct(mark) => {
                    is_macro = mark.as_char() == '!';
                    if mark.as_char() == ';' {
                        item = None;
                    }
                }
                TokenTree::Group(group) => {
                    let within = match item.as_deref() {
                        _ if around == Around::Macro || is_macro => Around::Macro,
                        Some("impl" | "trait") => Around::Implementation,
                        _ => Around::Items,
                    };
                    // The brackets of an attribute are none of a macro.
                    let is_attribute = group.delimiter() == Delimiter::Bracket;
                    self.look(group.stream(), name, if is_attribute { Around::Items } else { within });
                    if group.delimiter() == Delimiter::Brace {
                        item = None;
                    }
                    is_macro = false;
                }
                TokenTree::Literal(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_path_outside_of_implementations_and_macros() {
        let alone = |text: &str| {
            let mut seen = Seen::default();
            seen.look(text.parse().expect("Rust"), "k", Around::Items);
            seen.alone && !seen.inside
        };
        assert!(alone("#![allow(unused)] #[kernel] fn k() {} impl A { fn f() {} }"));
        assert!(alone("mod a { fn f() -> impl Fn() { #[kernel] pub fn k(x: u32) {} } }"));
        assert!(alone("impl A { fn f() { fn k() {} } } struct B; impl B {}"));
        assert!(!alone("impl A { #[kernel] fn k() {} }") && !alone("fn k() {} impl A { fn k() {} }"));
        assert!(!alone("macro_rules! m { () => { fn k() {} } }") && !alone("cfg_if! { if #[cfg(a)] { fn k() {} } }"));
        assert!(!alone("kernel!(k);") && !alone("trait T { fn k() {} }"));
    }

    #[test]
    fn only_functions_with_one_instance_are_named() {
        let concrete = |text: &str| is_concrete(&syn::parse_str(text).expect("a function"));
        assert!(concrete("fn k<'a>(x: &'a [f32], n: u32) {}"));
        assert!(!concrete("fn k<T>(x: &[T]) {}") && !concrete("fn k<const N: usize>() {}"));
        assert!(!concrete("fn k(f: impl Fn(u32) -> u32) {}"));
        let function = syn::parse_str("#[cfg(a)] fn k() {}").expect("a function");
        let item = item(&function, &syn::parse_quote!(::offload)).to_string();
        assert!(item.starts_with("# [cfg (a)] const _") && item.contains("checked_kernel (k)"), "{item}");
    }
}
