//! Checks of types with a parameter of the kernel, such as `Mine<T>`. The constant in which the check has to be knows
//! no parameters, so a type that has no trait but those of the parameter's bounds stands in for it. The trait of the
//! check is made for it, so that its message has the type as the user has written it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{GenericParam, Generics, Path, Type, TypeParamBound, WherePredicate};

use crate::parameter_checks::Check;
use crate::result::Parameters;

/// Bounds that each stand-in satisfies.
const BOUNDS: [&str; 5] = ["DeviceCopy", "Copy", "Clone", "Send", "Sync"];

/// The parameters of a function that have a stand-in.
pub(crate) struct StandIns {
    aliases: BTreeMap<String, TokenStream>,
    offload: Path,
}

impl StandIns {
    /// Those of a function with these generics. `words` may be parameters of an `impl` around it.
    pub(crate) fn new(generics: &Generics, words: &BTreeSet<String>, offload: &Path) -> StandIns {
        let mut bounds: BTreeMap<&Ident, Vec<&TypeParamBound>> = BTreeMap::new();
        for parameter in &generics.params {
            if let GenericParam::Type(ty) = parameter {
                bounds.insert(&ty.ident, ty.bounds.iter().collect());
            }
        }
        let mut is_known = true;
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            let WherePredicate::Type(predicate) = predicate else { continue };
            let name = if let Type::Path(path) = &predicate.bounded_ty { path.path.get_ident() } else { None };
            match name.and_then(|name| bounds.get_mut(name)) {
                Some(all) if predicate.lifetimes.is_none() => all.extend(&predicate.bounds),
                // The type of a parameter may be a kernel's because of it.
                _ => is_known = false,
            }
        }
        let has_stand_in = |all: &[&TypeParamBound]| {
            all.iter().all(|bound| is_satisfied(bound)) && all.iter().any(|bound| name_of(bound) == "DeviceCopy")
        };
        let known = bounds.into_iter().enumerate().filter(|(_, (_, all))| is_known && has_stand_in(all));
        let alias = |(number, (name, _)): (usize, (&Ident, _))| {
            let alias = quote!(#[allow(dead_code)] type #name = #offload::__private::StandIn<#number>;);
            (name.to_string(), alias)
        };
        let mut aliases: BTreeMap<_, _> = known.map(alias).collect();
        aliases.retain(|name, _| !words.contains(name));
        StandIns { aliases, offload: offload.clone() }
    }

    /// A check with stand-ins for all parameters in it; none if it has others.
    pub(crate) fn check(&self, check: &Check<'_>, parameters: &Parameters) -> Option<TokenStream> {
        let Check { name, ty, conditions, .. } = check;
        if parameters.without(self.aliases.keys()).are_in(quote!(#ty)) {
            return None;
        }
        let offload = &self.offload;
        let text = quote!(#ty).to_string();
        let (bound, texts) = match *name {
            "check_element" => (quote!(#offload::DeviceCopy), of_element(&shown(&text))),
            "check_parameter" => (quote!(#offload::Param), of_parameter(&shown(&text))),
            "check_collection" => (quote!(#offload::Param), of_collection(&shown(&text))),
            _ => return None,
        };
        let aliases = self.aliases.values();
        let call = quote_spanned!(ty.span()=> fits::<#ty>(););
        Some(quote! {
            #conditions
            {
                #(#aliases)*
                #[diagnostic::on_unimplemented(#texts)]
                trait Fits {}
                #[diagnostic::do_not_recommend]
                impl<P: #bound> Fits for P {}
                const fn fits<P: Fits>() {}
                #call
            }
        })
    }
}

fn is_satisfied(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Lifetime(_)) || BOUNDS.contains(&name_of(bound).as_str())
}

/// The last word of a trait; none of one with arguments, or of `?Sized`.
fn name_of(bound: &TypeParamBound) -> String {
    let TypeParamBound::Trait(bound) = bound else { return String::new() };
    let path = &bound.path;
    let is_plain = quote!(#bound).to_string() == quote!(#path).to_string();
    let last = path.segments.last().filter(|last| is_plain && last.arguments.is_none());
    last.map(|last| last.ident.to_string()).unwrap_or_default()
}

/// A type's tokens as rustc shows the type: spaces are between words, after a comma, and around a plus.
fn shown(tokens: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    for token in tokens.split_whitespace() {
        if text.ends_with(is_word) && token.starts_with(|c| is_word(c) || c == '\'') {
            text.push(' ');
        }
        text += token;
    }
    text.replace(", ", ",").replace(',', ", ").replace(';', "; ").replace('+', " + ")
}

/// The texts of the trait `Param` for a type.
fn of_parameter(ty: &str) -> TokenStream {
    let message = format!("`{ty}` cannot be a parameter of a kernel");
    let derive = format!(
        "if `{ty}` is a struct or an enum of yours, or a slice of one, add `#[derive(Clone, Copy, DeviceCopy)]` to that type"
    );
    quote! {
        message = #message,
        label = "a kernel cannot take this",
        note = #derive,
        note = "a kernel takes numbers, structs with this derive, `&[T]`, `DisjointSlice<T>`, `Option`s of these, `&[Atomic<T>]` with the scope of the device or of the system, and raw pointers"
    }
}

/// Those of `Element`.
fn of_element(ty: &str) -> TokenStream {
    let message = format!("a kernel cannot take a slice of `{ty}`");
    let derive = format!("if `{ty}` is a struct or an enum of yours, add `#[derive(Clone, Copy, DeviceCopy)]` to it");
    quote!(message = #message, label = "not `DeviceCopy`", note = #derive)
}

/// Those of `NoCollection`.
fn of_collection(ty: &str) -> TokenStream {
    let message = format!("`{ty}` is memory of the host, and cannot be a parameter of a kernel");
    quote! {
        message = #message,
        label = "a kernel cannot take this",
        note = "take a `&[T]` of its elements, or a `DisjointSlice<T>` to write them; a launch takes `&buffer` or `&mut buffer` of a `DeviceBuffer<T>`, or `&vector[..]`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{ItemFn, parse_quote};

    fn names(function: &ItemFn) -> Vec<String> {
        let words = BTreeSet::from(["W".to_owned()]);
        StandIns::new(&function.sig.generics, &words, &parse_quote!(offload)).aliases.into_keys().collect()
    }

    #[test]
    fn parameters_with_known_bounds_have_a_stand_in() {
        let known = parse_quote!(
            fn k<T: DeviceCopy + Copy, U, V: DeviceCopy + Add, W: DeviceCopy, X: Copy>()
            where
                U: 'static + offload::DeviceCopy,
            {
            }
        );
        assert_eq!(names(&known), ["T", "U"]);
        let conditional = parse_quote!(
            fn k<T: DeviceCopy>()
            where
                Mine<T>: DeviceCopy,
            {
            }
        );
        assert!(names(&conditional).is_empty());
    }

    #[test]
    fn types_are_shown_as_rustc_shows_them() {
        for ty in ["Mine<T>", "&[a::B<T, u8>]", "[Wrap<'a, T>; 3]", "(T, Mine<T>)"] {
            let tokens: TokenStream = ty.parse().expect("tokens");
            assert_eq!(shown(&tokens.to_string()), ty);
        }
    }
}
