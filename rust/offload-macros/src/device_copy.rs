//! `#[derive(DeviceCopy)]`: an implementation that holds when every field's type does.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Result, parse_quote};

/// The implementation, and a check of each field at that field.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut input = syn::parse2::<DeriveInput>(item)?;
    let fields: Vec<_> = match &input.data {
        Data::Struct(data) => data.fields.iter().cloned().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| variant.fields.iter().cloned()).collect(),
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span,
                "a union's bytes may mean anything: implement `DeviceCopy` by hand",
            ));
        }
    };
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::offload::DeviceCopy));
    }
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let checks = fields.iter().map(|field| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> ::offload::__private::check_device_copy::<#ty>();)
    });
    Ok(quote! {
        // SAFETY: every field is, which the function below makes sure of.
        unsafe impl #generics ::offload::DeviceCopy for #name #arguments #bounds {}
        const _: () = {
            #[allow(dead_code)]
            fn fields #generics () #bounds { #(#checks)* }
        };
    })
}
