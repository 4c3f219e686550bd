//! The result type of a kernel with wrong parameters. A kernel returns `()`. The macro writes that as a type which
//! depends on the checks of the parameters, where it can. If a check fails, rustc has reported it at the parameter, and
//! then knows no type of the function. Launches of the function therefore cause no second error.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::{GenericParam, Generics, ItemFn, Path, parse_quote};

use crate::unlaunched::words_around;

/// Moves checks from the body into the result type. Returns those that remain for the body.
///
/// A constant in a type knows no parameters of a function or of an `impl` around it, so checks of types that may
/// contain one remain. Documentation, editors and clippy see the function as it is written.
pub(crate) fn check_in_result(function: &mut ItemFn, checks: Vec<TokenStream>, offload: &Path) -> Vec<TokenStream> {
    static COMPILES: OnceLock<bool> = OnceLock::new();
    let compiles = COMPILES.get_or_init(|| {
        let program = std::env::args_os().next().map(std::path::PathBuf::from);
        let name = program.as_ref().and_then(|path| path.file_stem()?.to_str());
        name == Some("rustc")
    });
    if checks.is_empty() || !compiles {
        return checks;
    }
    let Some(words) = words_around(function) else { return checks };
    let parameters = Parameters::new(&function.sig.generics, words);
    let (checks, remaining): (Vec<_>, Vec<_>) = checks.into_iter().partition(|check| !parameters.are_in(check.clone()));
    if !checks.is_empty() {
        let checks = checks.into_iter().map(|check| parameters.without_lifetimes(check));
        function.sig.output = parse_quote! {
            -> <() as #offload::__private::Checked<{ if false { #(#checks)* } true }>>::Result
        };
    }
    remaining
}

/// The parameters of a function.
pub(crate) struct Parameters {
    lifetimes: BTreeSet<String>,
    /// Those that are types and numbers, and other words that may be such parameters.
    words: BTreeSet<String>,
}

impl Parameters {
    pub(crate) fn new(generics: &Generics, mut words: BTreeSet<String>) -> Parameters {
        let mut lifetimes = BTreeSet::new();
        for parameter in &generics.params {
            let _ = match parameter {
                GenericParam::Lifetime(lifetime) => lifetimes.insert(lifetime.lifetime.ident.to_string()),
                GenericParam::Type(ty) => words.insert(ty.ident.to_string()),
                GenericParam::Const(number) => words.insert(number.ident.to_string()),
            };
        }
        Parameters { lifetimes, words }
    }

    /// Whether tokens have a parameter that is no lifetime.
    pub(crate) fn are_in(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => self.words.contains(&ident.to_string()),
            TokenTree::Group(group) => self.are_in(group.stream()),
            _ => false,
        })
    }

    /// The tokens with `'_` in place of lifetimes, which no check depends on.
    fn without_lifetimes(&self, tokens: TokenStream) -> TokenStream {
        let mut after_quote = false;
        let replaced = tokens.into_iter().map(|token| {
            let is_lifetime = std::mem::take(&mut after_quote);
            match token {
                TokenTree::Punct(mark) => {
                    after_quote = mark.as_char() == '\'';
                    mark.into()
                }
                TokenTree::Ident(name) if is_lifetime && self.lifetimes.contains(&name.to_string()) => {
                    Ident::new("_", name.span()).into()
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.without_lifetimes(group.stream()));
                    inner.set_span(group.span());
                    inner.into()
                }
                other => other,
            }
        });
        replaced.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_with_parameters_are_known() {
        let function: ItemFn = parse_quote!(
            fn k<'a, T, const N: usize>() {}
        );
        let parameters = Parameters::new(&function.sig.generics, BTreeSet::from(["U".to_owned()]));
        let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
        for text in ["check::<[u8; N]>();", "check::<&[T]>();", "check::<V<U>>();"] {
            assert!(parameters.are_in(tokens(text)), "{text}");
        }
        let known = tokens("check::<&'a B<'a, 'b>>();");
        assert!(!parameters.are_in(known.clone()));
        let expected = tokens("check::<&'_ B<'_, 'b>>();");
        assert_eq!(parameters.without_lifetimes(known).to_string(), expected.to_string());
    }
}
