//! The result type of a kernel with wrong parameters. A kernel returns `()`. The macro writes that as a type which
//! depends on the checks of the parameters, where it can. If a check fails, rustc has reported it at the parameter, and
//! then knows no type of the function. Launches of the function therefore cause no second error.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{FnArg, GenericParam, Generics, ItemFn, Path, ReturnType, Signature, Type, parse_quote};

use crate::kernel::conditions;
use crate::parameter_checks::{Check, collection};
use crate::stand_ins::StandIns;
use crate::unlaunched::words_around;

/// Moves checks from the body into the result type. Returns those that remain for the body.
///
/// A constant in a type knows no parameters of a function or of an `impl` around it, so checks of types that may
/// contain one remain, unless there is a stand-in for it. `words` are those around the function, which rustc compiles;
/// none otherwise: documentation, editors and clippy see the function as it is written.
pub(crate) fn check_in_result(
    sig: &Signature,
    checks: &[Check<'_>],
    words: Option<BTreeSet<String>>,
    offload: &Path,
) -> Checked {
    let Some(words) = words.filter(|_| !checks.is_empty()) else {
        return Checked { output: None, remaining: checks.iter().map(Remaining::of).collect() };
    };
    let stand_ins = StandIns::new(&sig.generics, &words, offload);
    let parameters = Parameters::new(&sig.generics, words);
    let (mut known, mut remaining) = (Vec::new(), Vec::new());
    for check in checks {
        match stand_ins.check(check, &parameters) {
            _ if !parameters.are_in(check.tokens.clone()) => known.push(check.tokens.clone()),
            Some(with_stand_ins) => known.push(with_stand_ins),
            None => remaining.push(Remaining::of(check)),
        }
    }
    let known: Vec<_> = known.into_iter().map(|check| parameters.without_lifetimes(check)).collect();
    let output = (!known.is_empty()).then(|| {
        parse_quote! {
            -> <() as #offload::__private::Checked<{ if false { #(#known)* } true }>>::Result
        }
    });
    Checked { output, remaining }
}

/// The result type with checks, and the checks that remain for the body.
pub(crate) struct Checked {
    pub(crate) output: Option<ReturnType>,
    pub(crate) remaining: Vec<Remaining>,
}

/// A check that remains for the body.
pub(crate) struct Remaining {
    /// The type, as text.
    ty: String,
    pub(crate) tokens: TokenStream,
}

impl Remaining {
    fn of(check: &Check<'_>) -> Remaining {
        let ty = check.ty;
        Remaining { ty: quote!(#ty).to_string(), tokens: check.tokens.clone() }
    }
}

/// Whether rustc compiles the code, and no other program shows it.
pub(crate) fn compiles() -> bool {
    static COMPILES: OnceLock<bool> = OnceLock::new();
    *COMPILES.get_or_init(|| {
        let program = std::env::args_os().next().map(std::path::PathBuf::from);
        let name = program.as_ref().and_then(|path| path.file_stem()?.to_str());
        name == Some("rustc")
    })
}

/// Gives a kernel the result that its first parameter of the name of a collection decides, if its type depends on a
/// parameter of the function that has no stand-in. The check of the parameter remains in the body, and launches cause
/// no second error.
pub(crate) fn depend_on_collection(function: &mut ItemFn, remaining: &[Remaining], offload: &Path) {
    if !compiles() {
        return;
    }
    let Some(words) = words_around(function) else { return };
    let parameters = Parameters::new(&function.sig.generics, words);
    let has_lifetime = |text: String| text.contains('&') || text.contains('\'');
    let depends = |ty: &&Type| parameters.are_in(quote!(#ty)) && !has_lifetime(quote!(#ty).to_string());
    let remains = |ty: &Type| remaining.iter().any(|check| check.ty == quote!(#ty).to_string());
    let types = function.sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(parameter) if conditions(parameter).next().is_none() && remains(&parameter.ty) => {
            collection(&parameter.ty)
        }
        _ => None,
    });
    let Some(ty) = types.into_iter().find(depends).cloned() else { return };
    let base: Type = match &function.sig.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, ty) => (**ty).clone(),
    };
    function.sig.output = parse_quote!(-> <#ty as #offload::__private::ResultWith<#base>>::Result);
    let body = &function.block;
    // The body may return. Its result is written as `()`, so that the checks in `base` are only in the signature.
    function.block = parse_quote!({ <#ty as #offload::__private::ResultWith<()>>::result((move || #body)()) });
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

    /// These but for some that are types.
    pub(crate) fn without<'a>(&self, names: impl Iterator<Item = &'a String>) -> Parameters {
        let names: BTreeSet<_> = names.collect();
        let words = self.words.iter().filter(|word| !names.contains(word)).cloned().collect();
        Parameters { lifetimes: self.lifetimes.clone(), words }
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
