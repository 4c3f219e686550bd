//! The checks that `#[kernel]` adds for the types of parameters, each with an error at that type.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{GenericArgument, PatType, Path, PathArguments, Type};

use crate::kernel::conditions;

/// The check of one type.
pub(crate) struct Check<'a> {
    /// The function of the crate that checks it.
    pub(crate) name: &'static str,
    pub(crate) ty: &'a Type,
    /// The conditions under which the parameter exists.
    pub(crate) conditions: TokenStream,
    /// The call.
    pub(crate) tokens: TokenStream,
}

/// The checks of the parameters' types. A type that several parameters contain is checked once, so that a missing
/// derive is one error of the kernel.
pub(crate) fn checks<'a>(parameters: &[&'a PatType], offload: &Path) -> Vec<Check<'a>> {
    let (mut seen, mut checks) = (BTreeSet::new(), Vec::new());
    // The type of a value must satisfy more than that of an element, so values are first.
    for of_elements in [false, true] {
        for parameter in parameters {
            let (ty, name) = match element(&parameter.ty) {
                Some(element) if of_elements => (element, "check_element"),
                None if !of_elements => (&*parameter.ty, check_of(&parameter.ty)),
                _ => continue,
            };
            let conditions: Vec<_> = conditions(parameter).collect();
            if !conditions.is_empty() || seen.insert(quote!(#ty).to_string()) {
                let function = Ident::new(name, ty.span());
                let conditions = quote!(#(#conditions)*);
                let tokens = quote_spanned!(ty.span()=> #conditions #offload::__private::#function::<#ty>(););
                checks.push(Check { name, ty, conditions, tokens });
            }
        }
    }
    checks
}

/// The names of collections.
const COLLECTIONS: [&str; 9] = ["Vec", "VecDeque", "Box", "Rc", "Arc", "HashMap", "HashSet", "BTreeMap", "BTreeSet"];

/// The type without its reference, if it has the name of a collection, or is a slice that a `&mut` refers to. `Box` is
/// no such name, because a user could implement traits for a `Box` of a local type.
pub(crate) fn collection(ty: &Type) -> Option<&Type> {
    let (inner, is_exclusive) = match ty {
        Type::Reference(reference) => (&*reference.elem, reference.mutability.is_some()),
        ty => (ty, false),
    };
    match inner {
        Type::Slice(_) => Some(inner).filter(|_| is_exclusive),
        Type::Path(path) => {
            let last = path.path.segments.last()?.ident.to_string();
            Some(inner).filter(|_| last != "Box" && COLLECTIONS.contains(&last.as_str()))
        }
        _ => None,
    }
}

/// The check of a parameter's type. It decides by the name which error there is, and not whether there is one: the name
/// may be that of another type.
fn check_of(ty: &Type) -> &'static str {
    const TEXTS: [&str; 2] = ["String", "str"];
    let inner = match ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    let last = match inner {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    };
    if COLLECTIONS.contains(&last.as_str()) {
        "check_collection"
    } else if TEXTS.contains(&last.as_str()) {
        "check_text"
    } else if matches!(ty, Type::Reference(reference) if reference.mutability.is_some()) {
        "check_exclusive_reference"
    } else {
        "check_parameter"
    }
}

/// The type of the elements, if `ty` is a shared slice or one of the crate's own. Slices of atomics do not count: their
/// fault is the scope, and the message about it is at the slice as a whole.
fn element(ty: &Type) -> Option<&Type> {
    const OWN: [&str; 5] = ["DisjointSlice", "DisjointChunks", "DisjointRows", "DisjointLayers", "DisjointBlocks"];
    let element = match ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) if reference.mutability.is_none() => &*slice.elem,
            _ => return None,
        },
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            let inner = arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })?;
            if last.ident == "Option" {
                return element(inner);
            }
            Some(inner).filter(|_| OWN.iter().any(|own| last.ident == own))?
        }
        _ => return None,
    };
    (!quote!(#element).to_string().contains("Atomic")).then(|| innermost(element))
}

/// The type of the elements of an array of arrays, whose errors are those of the array.
fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => innermost(&array.elem),
        _ => ty,
    }
}
