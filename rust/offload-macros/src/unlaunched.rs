//! `cargo offloadc check` checks the kernels of a crate that nothing launches. Only instances that something names
//! exist in compiled code, so the macro names a kernel that is not generic, if rustc only checks.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::{GenericParam, ItemFn};

use crate::rustc_arguments::arguments;

/// The condition with which `offloadc-rustc` runs rustc.
pub(crate) const CONDITION: &str = "offload_check";

/// An item that names the kernel; none if rustc does more than check, or if the name is not enough.
pub(crate) enum Named {
    /// It is beside the function.
    Beside(TokenStream),
    /// It is in the body of the function, because items of an `impl` have names that nothing may take.
    Inside(TokenStream),
}

/// Names the kernel.
pub(crate) fn name(function: &ItemFn, offload: &syn::Path) -> Option<Named> {
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
    let owner = owner_of(function)?;
    let kernel = owner.as_ref().map_or_else(|| quote!(#name), |owner| quote!(<#owner>::#name));
    let item = item(function, &kernel, offload);
    Some(if owner.is_some() { Named::Inside(item) } else { Named::Beside(item) })
}

/// The words that may name parameters of an `impl` or a trait around the function; none if they are not certain.
pub(crate) fn words_around(function: &ItemFn) -> Option<BTreeSet<String>> {
    words(&function.sig.ident.to_string(), &file_of(function)?)
}

/// See [`owner`].
fn owner_of(function: &ItemFn) -> Option<Option<TokenStream>> {
    owner(&function.sig.ident.to_string(), &file_of(function)?)
}

/// The text of the file in which a function is.
fn file_of(function: &ItemFn) -> Option<String> {
    let file = function.sig.ident.span().unwrap().local_file()?;
    Some(std::fs::read_to_string(file).unwrap_or_default())
}

fn item(function: &ItemFn, kernel: &TokenStream, offload: &syn::Path) -> TokenStream {
    let conditions = function.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    quote! {
        #(#conditions)*
        const _: () = {
            #[used]
            static CHECKED: fn() -> *const () = || #offload::__private::checked_kernel(#kernel);
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

/// The type in whose `impl` the function of a file is, or none if its name is its path there; nothing if neither is
/// certain. A macro does not see where it is called, so all functions of the name in the file must be of one kind: not
/// in traits, not in a generic `impl`, and in macros only as items of those that the file defines and calls.
fn owner(name: &str, text: &str) -> Option<Option<TokenStream>> {
    let mut seen = Seen::default();
    seen.look(text.parse().ok()?, name, &Around::Items);
    seen.follow_calls();
    match &seen.owners[..] {
        _ if seen.unknown => None,
        [] => seen.alone.then_some(None),
        [owner] => (!seen.alone).then(|| Some(owner.clone())),
        _ => None,
    }
}

/// The words in the headers of the generic `impl`s and the traits of a file that have a function of the name.
fn words(name: &str, text: &str) -> Option<BTreeSet<String>> {
    fn add(tokens: TokenStream, words: &mut BTreeSet<String>) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => drop(words.insert(ident.to_string())),
                TokenTree::Group(group) => add(group.stream(), words),
                _ => {}
            }
        }
    }
    let mut seen = Seen::default();
    seen.look(text.parse().ok()?, name, &Around::Items);
    seen.follow_calls();
    let is_found = seen.alone || !seen.owners.is_empty() || !seen.headers.is_empty();
    let mut words = BTreeSet::new();
    for header in &seen.headers {
        add(header.clone(), &mut words);
        let _ = words.insert("Self".to_owned());
    }
    (is_found && !seen.in_unknown_macro).then_some(words)
}

/// The kind of the code in a group.
enum Around {
    /// Items of a module, or statements.
    Items,
    /// The functions of the `impl` of this type.
    Implementation(TokenStream),
    /// The functions of a trait or of another `impl`, with the tokens of its header.
    Generic(TokenStream),
    /// The tokens of a macro's call.
    Macro,
}

/// Where functions of a name have been seen.
#[derive(Default)]
struct Seen {
    alone: bool,
    /// The types of the `impl`s with such a function.
    owners: Vec<TokenStream>,
    /// Whether one is in a trait, in another `impl`, or in the call of a macro.
    unknown: bool,
    /// The headers of these traits and `impl`s.
    headers: Vec<TokenStream>,
    in_unknown_macro: bool,
    /// The macros that the file defines. The last one is looked at, if `in_macro`.
    macros: Vec<Macro>,
    in_macro: bool,
    /// The calls of macros: the macro, whether the call is an item, and whether the name is among its tokens.
    calls: Vec<(String, bool, bool)>,
}

/// The functions that a macro writes.
struct Macro {
    name: String,
    /// One with the name, as an item.
    own: bool,
    /// Some with names that the macro is given: as items, and in an `impl` or a trait.
    given: bool,
    inside: bool,
}

impl Seen {
    /// A function with the name.
    fn found(&mut self, around: &Around) {
        match (self.macros.last_mut().filter(|_| self.in_macro), around) {
            (Some(written), Around::Items) => written.own = true,
            (None, Around::Items) => self.alone = true,
            (None, Around::Implementation(owner)) => self.owners.push(owner.clone()),
            (None, Around::Generic(header)) => {
                self.unknown = true;
                self.headers.push(header.clone());
            }
            _ => (self.unknown, self.in_unknown_macro) = (true, true),
        }
    }

    /// A function with a name that a macro is given.
    fn found_parameter(&mut self, around: &Around) {
        if let Some(written) = self.macros.last_mut().filter(|_| self.in_macro) {
            let is_item = matches!(around, Around::Items);
            written.given |= is_item;
            written.inside |= !is_item;
        }
    }

    fn look(&mut self, tokens: TokenStream, name: &str, around: &Around) {
        // The keyword of the item that has begun, and the tokens after it.
        let (mut item, mut header) = (None::<String>, TokenStream::new());
        // Whether the last token but a name was `!`, the name before it, and the last name.
        let (mut is_macro, mut called, mut last) = (false, String::new(), String::new());
        let mut after_fn = false;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    let word = ident.to_string();
                    if after_fn && word == name {
                        self.found(around);
                    }
                    after_fn = word == "fn";
                    if item.is_none() && ["fn", "impl", "trait", "mod"].contains(&word.as_str()) {
                        (item, header) = (Some(word.clone()), TokenStream::new());
                    } else {
                        header.extend([TokenTree::Ident(ident)]);
                    }
                    last = word;
                }
                TokenTree::Punct(mark) => {
                    if after_fn && mark.as_char() == '$' {
                        self.found_parameter(around);
                    }
                    (after_fn, is_macro) = (false, mark.as_char() == '!');
                    if is_macro {
                        called = std::mem::take(&mut last);
                    }
                    if mark.as_char() == ';' {
                        item = None;
                    }
                    header.extend([TokenTree::Punct(mark)]);
                }
                TokenTree::Group(group) => {
                    if is_macro && called == "macro_rules" {
                        self.define(&last, group.stream(), name);
                    } else if is_macro && group.delimiter() != Delimiter::Bracket {
                        let is_item = item.is_none() && matches!(around, Around::Items);
                        self.calls.push((called.clone(), is_item, has_word(group.stream(), name)));
                        self.look(group.stream(), name, &Around::Macro);
                    } else {
                        let within = match item.as_deref() {
                            _ if matches!(around, Around::Macro) => Around::Macro,
                            // The brackets of an attribute are none of a macro.
                            _ if group.delimiter() == Delimiter::Bracket => Around::Items,
                            Some("impl") => {
                                plain(&header).map_or_else(|| Around::Generic(header.clone()), Around::Implementation)
                            }
                            Some("trait") => Around::Generic(header.clone()),
                            _ => Around::Items,
                        };
                        self.look(group.stream(), name, &within);
                    }
                    if group.delimiter() == Delimiter::Brace {
                        item = None;
                    }
                    is_macro = false;
                }
                TokenTree::Literal(_) => {}
            }
        }
    }

    /// A `macro_rules!` with this name: it writes the groups after each `=>`.
    fn define(&mut self, macro_name: &str, rules: TokenStream, name: &str) {
        self.macros.push(Macro { name: macro_name.to_owned(), own: false, given: false, inside: false });
        let before = std::mem::replace(&mut self.in_macro, true);
        let mut is_written = false;
        for token in rules {
            match token {
                TokenTree::Group(group) if is_written => self.look(group.stream(), name, &Around::Items),
                TokenTree::Punct(mark) => is_written = mark.as_char() == '>',
                _ => {}
            }
        }
        self.in_macro = before;
    }

    /// Adds the functions that macros of the file write where they are called.
    fn follow_calls(&mut self) {
        for written in &self.macros {
            let mut calls = self.calls.iter().filter(|(called, ..)| *called == written.name).peekable();
            self.alone |= written.own && calls.peek().is_some();
            for (_, is_item, is_named) in calls {
                let writes = written.own || *is_named && written.given;
                self.alone |= writes && *is_item;
                self.in_unknown_macro |= writes && !is_item || *is_named && written.inside;
                self.unknown |= self.in_unknown_macro;
            }
        }
    }
}

/// The type of an `impl` without parameters and without a trait.
fn plain(header: &TokenStream) -> Option<TokenStream> {
    let is_plain = |token: TokenTree| match token {
        TokenTree::Ident(ident) => ident != "for" && ident != "where",
        TokenTree::Punct(mark) => mark.as_char() != '!',
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    };
    let is_generic = matches!(header.clone().into_iter().next(), Some(TokenTree::Punct(mark)) if mark.as_char() == '<');
    (!is_generic && header.clone().into_iter().all(is_plain)).then(|| header.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_path_outside_of_implementations_and_macros() {
        let alone = |text: &str| matches!(owner("k", text), Some(None));
        assert!(alone("#![allow(unused)] #[kernel] fn k() {} impl A { fn f() {} }"));
        assert!(alone("mod a { fn f() -> impl Fn() { #[kernel] pub fn k(x: u32) {} } }"));
        assert!(alone("impl A { fn f() { fn k() {} } } struct B; impl B {}"));
        assert!(!alone("impl A { #[kernel] fn k() {} }") && !alone("fn k() {} impl A { fn k() {} }"));
        assert!(!alone("cfg_if! { if #[cfg(a)] { fn k() {} } }"));
        assert!(!alone("kernel!(k);") && !alone("trait T { fn k() {} }"));
    }

    #[test]
    fn a_function_of_an_implementation_has_the_type_before_it() {
        let of = |text: &str| owner("k", text).flatten().map(|owner| owner.to_string());
        assert_eq!(of("struct A; impl A { #[kernel] pub fn k(x: u32) {} fn l() {} }").as_deref(), Some("A"));
        assert_eq!(of("impl a::B<u32> { fn k() {} }").as_deref(), Some("a :: B < u32 >"));
        for text in ["impl<T> A<T> { fn k() {} }", "impl T for A { fn k() {} }", "trait T { fn k() {} }"] {
            assert!(owner("k", text).is_none(), "{text}");
        }
        for text in [
            "impl A { fn k() {} } impl B { fn k() {} }",
            "impl A { fn k() {} } fn k() {}",
            "m! { impl A { fn k() {} } }",
        ] {
            assert!(owner("k", text).is_none(), "{text}");
        }
    }

    #[test]
    fn words_of_headers_may_be_parameters() {
        let of = |text: &str| words("k", text).map(|words| words.into_iter().collect::<Vec<_>>().join(" "));
        assert_eq!(of("fn k() {} struct A<T>(T); impl A<u8> { fn k() {} }").as_deref(), Some(""));
        let header = "impl<'a, T: Copy, const N: usize> A<[T; N]> { fn k() {} }";
        assert_eq!(of(header).as_deref(), Some("A Copy N Self T a const usize"));
        assert_eq!(of(&format!("fn k() {{}} {header}")), of(header));
        assert_eq!(of("trait T<U> { fn k() {} }").as_deref(), Some("Self T U"));
        assert_eq!(of("impl<U> T for A<U> { fn f() { fn k() {} } }").as_deref(), Some(""));
        for text in ["", "m! { fn k() {} }", "macro_rules! m { () => { impl A { fn k() {} } } } m!();"] {
            assert!(of(text).is_none(), "{text}");
        }
    }

    #[test]
    fn macros_of_the_file_write_items() {
        let alone = |text: &str| matches!(owner("k", text), Some(None));
        let given = "macro_rules! m { ($($n:ident: $t:ty),*) => { $(#[kernel] pub fn $n(x: $t) {})* }; }";
        assert!(
            alone(&format!("{given} m!(k: u32, l: u8);")) && alone(&format!("mod a {{ {given} m! {{ k: u32 }} }}"))
        );
        assert!(alone("macro_rules! m { () => { fn k() {} } } m!();"));
        assert!(!alone("macro_rules! m { () => { fn k() {} } }"), "it may be called anywhere");
        assert!(
            !alone(&format!("{given} impl A {{ m!(k: u32); }}")) && !alone(&format!("{given} m!(l: u32); other!(k);"))
        );
        let inside = "macro_rules! m { ($n:ident) => { impl A { fn $n() {} } } }";
        assert!(!alone(&format!("{inside} m!(k);")) && owner("k", &format!("{inside} m!(k);")).is_none());
        assert!(alone("fn k() {} fn f() { println!(\"{}\", k()); vec![k]; }"));
    }

    #[test]
    fn only_functions_with_one_instance_are_named() {
        let concrete = |text: &str| is_concrete(&syn::parse_str(text).expect("a function"));
        assert!(concrete("fn k<'a>(x: &'a [f32], n: u32) {}"));
        assert!(!concrete("fn k<T>(x: &[T]) {}") && !concrete("fn k<const N: usize>() {}"));
        assert!(!concrete("fn k(f: impl Fn(u32) -> u32) {}"));
        let function = syn::parse_str("#[cfg(a)] fn k() {}").expect("a function");
        let item = item(&function, &quote!(<A>::k), &syn::parse_quote!(::offload)).to_string();
        assert!(item.starts_with("# [cfg (a)] const _") && item.contains("checked_kernel (< A > :: k)"), "{item}");
    }
}
