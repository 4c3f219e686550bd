//! Shared memory in generic kernels: `shared!` declares a static, and a static cannot depend on the generic parameters
//! of the function around it. A length cannot be computed from them, either. rustc's error stops there; the error of
//! this module has the remedy.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Error, GenericParam, ItemFn, Result};

/// Refuses a `shared!` whose text names a generic parameter of the kernel.
pub(crate) fn check(kernel: &ItemFn) -> Result<()> {
    let names = kernel.sig.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(ty) => Some(&ty.ident),
        GenericParam::Const(number) => Some(&number.ident),
        GenericParam::Lifetime(_) => None,
    });
    let names: Vec<&Ident> = names.collect();
    let Some((name, is_static)) = named_by_shared(kernel.block.to_token_stream(), &names) else { return Ok(()) };
    let text = match is_static {
        true => format!(
            "a static of `shared!` cannot depend on the kernel's parameter `{name}`: declare it with `let`, as in \
            `shared! {{ let tile: [T; N]; }}`"
        ),
        false => format!(
            "Rust computes no length from the kernel's parameter `{name}`: declare two dimensions, as in \
            `shared! {{ let tile: [[T; N]; N]; }}`, or add a parameter for the length to the kernel"
        ),
    };
    Err(Error::new(name.span(), text))
}

/// The first of `names` that a `shared!` cannot have where it is, and whether that is in a static.
fn named_by_shared(tokens: TokenStream, names: &[&Ident]) -> Option<(Ident, bool)> {
    let mut before = [None, None];
    for token in tokens {
        let is_shared = matches!(&before, [Some(TokenTree::Ident(name)), Some(TokenTree::Punct(mark))]
            if name == "shared" && mark.as_char() == '!');
        if let TokenTree::Group(group) = &token {
            let found = match (is_shared, declares_reference(group.stream())) {
                (true, true) => computed_from(group.stream(), names).map(|name| (name, false)),
                (true, false) => named(group.stream(), names).map(|name| (name, true)),
                (false, _) => named_by_shared(group.stream(), names),
            };
            if found.is_some() {
                return found;
            }
        }
        before = [before[1].take(), Some(token)];
    }
    None
}

/// The first of `names` from which the length of an array is computed. rustc takes the name alone, with braces or
/// without.
fn computed_from(tokens: TokenStream, names: &[&Ident]) -> Option<Ident> {
    tokens.into_iter().find_map(|token| {
        let TokenTree::Group(group) = token else { return None };
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';');
        let of_array = (group.delimiter() == Delimiter::Bracket).then(|| inside.iter().rposition(is_end)).flatten();
        let length: TokenStream = of_array.map(|end| inside[end + 1..].iter().cloned().collect()).unwrap_or_default();
        let found = if is_one_name(&length) { None } else { named(length, names) };
        found.or_else(|| computed_from(group.stream(), names))
    })
}

/// Whether the tokens are `N` or `{ N }`.
fn is_one_name(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(_)), None) => true,
        (Some(TokenTree::Group(group)), None) => is_one_name(&group.stream()),
        _ => false,
    }
}

/// Whether the declarations begin with `let`.
fn declares_reference(tokens: TokenStream) -> bool {
    matches!(tokens.into_iter().next(), Some(TokenTree::Ident(word)) if word == "let")
}

/// The first of `names` in the tokens.
fn named(tokens: TokenStream, names: &[&Ident]) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => named(group.stream(), names),
        TokenTree::Ident(name) => names.contains(&&name).then_some(name),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn refused(kernel: TokenStream) -> bool {
        check(&syn::parse2(kernel).expect("a function")).is_err()
    }

    #[test]
    fn only_the_parameters_of_the_kernel_are_refused() {
        assert!(refused(quote!(
            fn k<T>() {
                if a {
                    offload::shared! { static TILE: [T; 64]; }
                }
            }
        )));
        assert!(refused(quote!(
            fn k<const N: usize>() {
                shared!(
                    static TILE: [u32; 2 * N];
                );
            }
        )));
        assert!(!refused(quote!(
            fn k<T>(x: T) {
                shared! { static TILE: [u32; N]; }
                let y: T = x;
            }
        )));
        assert!(!refused(quote!(
            fn k<T>() {
                shared! { let tile: [T; 64]; }
            }
        )));
        assert!(refused(quote!(
            fn k<const N: usize>() {
                shared! { let tile: [u32; 4]; let wide: [[u32; N + 1]; 4]; }
            }
        )));
        assert!(!refused(quote!(
            fn k<const N: usize>() {
                shared! { let tile: [[u32; N]; { N }]; let flat: [u32; T * T]; }
            }
        )));
        assert!(!refused(quote!(
            fn k<T>() {
                other! { static TILE: [T; 64]; }
            }
        )));
    }
}
