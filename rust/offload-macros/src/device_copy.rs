//! `#[derive(DeviceCopy)]`: an implementation that holds when every field's type does.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Error, Path, Result, parse_quote};

use crate::kernel::crate_path;

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
    let offload = offload(&input.attrs)?;
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#offload::DeviceCopy));
    }
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let checks = fields.iter().map(|field| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> #offload::__private::check_device_copy::<#ty>();)
    });
    Ok(quote! {
        // SAFETY: every field is, which the function below makes sure of.
        unsafe impl #generics #offload::DeviceCopy for #name #arguments #bounds {}
        // A trait's function, where `Self` has its meaning.
        const _: () = {
            #[allow(dead_code)]
            trait Fields {
                fn fields();
            }
            impl #generics Fields for #name #arguments #bounds {
                fn fields() { #(#checks)* }
            }
        };
    })
}

/// The crate's path, which an attribute says where it goes by another name.
fn offload(attributes: &[Attribute]) -> Result<Path> {
    match attributes.iter().find(|attribute| attribute.path().is_ident("device_copy")) {
        Some(attribute) => attribute.parse_args_with(crate_path),
        None => Ok(parse_quote!(::offload)),
    }
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
        assert!(implementation.contains("unsafe impl < T : gpu :: DeviceCopy > gpu :: DeviceCopy for Pair < T >"));
        assert!(!implementation.contains("offload"), "{implementation}");
    }
}
