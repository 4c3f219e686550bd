//! `#[derive(DeviceCopy)]` and `#[derive(Zeroable)]`: an implementation of the trait, under the condition that the type
//! of every field implements it.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Error, Field, Ident, Path, Result, parse_quote, parse_quote_spanned};

use crate::kernel::crate_path;

/// The implementation of `Zeroable`. It is for structs only, because rustc decides which value of an enum is all zeros.
pub(crate) fn expand_zeroable(item: TokenStream) -> Result<TokenStream> {
    let input = syn::parse2::<DeriveInput>(item)?;
    let Data::Struct(data) = &input.data else {
        let text = "only a struct can derive `Zeroable`: implement it by hand if bytes that are all 0 are a value";
        return Err(Error::new(input.ident.span(), text));
    };
    let fields: Vec<_> = data.fields.iter().cloned().collect();
    let offload = offload(&input.attrs)?;
    implement(input, &offload, &parse_quote!(Zeroable), &fields, TokenStream::new())
}

/// The implementation of `DeviceCopy`, with a condition for each field. An error about it appears at that field.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let input = syn::parse2::<DeriveInput>(item)?;
    let fields: Vec<_> = match &input.data {
        Data::Struct(data) => data.fields.iter().cloned().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| variant.fields.iter().cloned()).collect(),
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span,
                "the meaning of a union's bytes is not known: implement `DeviceCopy` by hand",
            ));
        }
    };
    let offload = offload(&input.attrs)?;
    let any = |name: &str| {
        let of_fields = fields.iter().map(|field| {
            let (ty, offload) = (&field.ty, located(&offload, field.ty.span()));
            let name = Ident::new(name, ty.span());
            quote_spanned!(ty.span()=> || <#ty as #offload::DeviceCopy>::#name)
        });
        let name = Ident::new(name, Span::call_site());
        quote!(const #name: bool = false #(#of_fields)*;)
    };
    let items = [any("MAY_HIDE_ADDRESS"), any("MAY_HOLD_POINTER")];
    implement(input, &offload, &parse_quote!(DeviceCopy), &fields, quote!(#(#items)*))
}

/// `unsafe impl Trait for Type where Field: Trait, …`. The conditions belong to the implementation itself. Whatever the
/// path leads to, every field must therefore have the trait that is implemented, and no name of this macro can shadow a
/// name in the type of a field.
fn implement(
    mut input: DeriveInput,
    offload: &Path,
    name_of_trait: &Ident,
    fields: &[Field],
    items: TokenStream,
) -> Result<TokenStream> {
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#offload::#name_of_trait));
    }
    let conditions = input.generics.make_where_clause();
    for field in fields {
        let ty = &field.ty;
        let (offload, mut name_of_trait) = (located(offload, ty.span()), name_of_trait.clone());
        name_of_trait.set_span(name_of_trait.span().located_at(ty.span()));
        conditions.predicates.push(parse_quote_spanned!(ty.span()=> #ty: #offload::#name_of_trait));
    }
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        // SAFETY: every field has the trait. Otherwise the conditions fail, and rustc names the field.
        unsafe impl #generics #offload::#name_of_trait for #name #arguments #bounds {
            #items
        }
    })
}

/// The path of the crate, which an attribute gives if the crate has another name.
fn offload(attributes: &[Attribute]) -> Result<Path> {
    match attributes.iter().find(|attribute| attribute.path().is_ident("device_copy")) {
        Some(attribute) => attribute.parse_args_with(crate_path),
        None => Ok(parse_quote!(::offload)),
    }
}

/// The same path, with spans such that errors about it appear at `place`.
fn located(path: &Path, place: Span) -> Path {
    let mut path = path.clone();
    let colons = path.leading_colon.iter_mut().chain(path.segments.pairs_mut().filter_map(|pair| pair.into_tuple().1));
    colons.for_each(|colons| colons.spans = colons.spans.map(|span| span.located_at(place)));
    for segment in &mut path.segments {
        segment.ident.set_span(segment.ident.span().located_at(place));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_has_the_name_it_is_given() {
        let item = quote!(
            #[device_copy(crate = gpu)]
            struct Pair<T>(T, T);
        );
        let implementation = expand(item).expect("a good struct").to_string();
        let head = "unsafe impl < T : gpu :: DeviceCopy > gpu :: DeviceCopy for Pair < T > where T : gpu :: DeviceCopy";
        assert!(implementation.contains(head), "{implementation}");
        assert!(!implementation.contains("offload"), "{implementation}");
    }
}
