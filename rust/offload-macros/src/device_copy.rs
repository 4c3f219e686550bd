//! `#[derive(DeviceCopy)]` and `#[derive(Zeroable)]`: an implementation of the trait, under the condition that the type
//! of every field implements it.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Field, Fields, Ident, Path, Result, Token, Type, Variant,
    parenthesized, parse_quote, parse_quote_spanned,
};

use crate::kernel::crate_path;
use crate::result::Parameters;

/// The implementation of `Zeroable`. It is for structs only, because rustc decides which value of an enum is all zeros.
pub(crate) fn expand_zeroable(item: TokenStream) -> Result<TokenStream> {
    let input = syn::parse2::<DeriveInput>(item)?;
    let Data::Struct(data) = &input.data else {
        let text = "only a struct can derive `Zeroable`: implement it by hand if bytes that are all 0 are a value";
        return Err(Error::new(input.ident.span(), text));
    };
    let fields: Vec<_> = data.fields.iter().cloned().collect();
    let (offload, check) = (offload(&input.attrs)?, has_these_fields(&input.data));
    let check = quote! {
        fn check_fields(this: Self) { #check }
    };
    implement(input, &offload, &parse_quote!(Zeroable), &fields, check)
}

/// Code that compiles if the type has exactly these fields, of these types. An attribute below the derive may change a
/// struct after the derive has read it.
fn has_these_fields(data: &Data) -> TokenStream {
    let (paths, fields): (Vec<_>, Vec<_>) = match data {
        Data::Struct(data) => (vec![quote!(Self)], vec![&data.fields]),
        Data::Enum(data) => {
            let variants = data.variants.iter();
            variants.map(|Variant { ident, fields, .. }| (quote!(Self::#ident), fields)).unzip()
        }
        Data::Union(_) => return TokenStream::new(),
    };
    let arms = paths.iter().zip(fields).map(|(path, fields)| {
        let (members, types): (Vec<_>, Vec<_>) = fields.members().zip(fields.iter().map(|field| &field.ty)).unzip();
        let names: Vec<_> =
            (0..members.len()).map(|number| Ident::new(&format!("field_{number}"), Span::mixed_site())).collect();
        // A reference would become one of another type by `Deref`. A raw pointer does not.
        quote! {
            #path { #(#members: #names),* } => {
                #(let pointer = &raw const #names; let _: *const #types = pointer;)*
            }
        }
    });
    quote! { match this { #(#arms)* } }
}

/// The implementation of `WarpValue`, which splits a struct into words and makes it from words again. The word of an
/// enum is the number of its variant. Enums with fields have no implementation, because no lane could know which fields
/// another lane has.
pub(crate) fn expand_warp_value(item: TokenStream) -> Result<TokenStream> {
    let mut input = syn::parse2::<DeriveInput>(item)?;
    let offload = offload(&input.attrs)?;
    let (fields, body) = match &input.data {
        Data::Struct(data) => {
            let members = data.fields.members();
            let body = quote! {
                Self { #(#members: #offload::warp::WarpValue::map_words(self.#members, exchange)),* }
            };
            (data.fields.iter().cloned().collect(), body)
        }
        Data::Enum(data) => (Vec::new(), number_of_variant(data, &input.ident)?),
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span, "the meaning of a union's bytes is not known"));
        }
    };
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#offload::warp::WarpValue));
    }
    let conditions = input.generics.make_where_clause();
    for Field { ty, .. } in &fields {
        let offload = located(&offload, ty.span());
        conditions.predicates.push(parse_quote_spanned!(ty.span()=> #ty: #offload::warp::WarpValue));
    }
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        // SAFETY: the words of each field, or one.
        unsafe impl #generics #offload::warp::WarpValue for #name #arguments #bounds {
            #[inline(always)]
            fn map_words(self, exchange: &mut impl ::core::ops::FnMut(
                ::core::primitive::u64,
                ::core::primitive::usize,
            ) -> ::core::primitive::u64) -> Self {
                #body
            }
        }
    })
}

/// The body of `map_words` for an enum. A word of no variant is that of a lane that does not take part, and never used.
fn number_of_variant(data: &DataEnum, name: &Ident) -> Result<TokenStream> {
    if let Some(variant) = data.variants.iter().find(|variant| !variant.fields.is_empty()) {
        let text = "an enum with fields cannot derive `WarpValue`, because lanes could have different variants: exchange \
                    a struct, or the fields and the number of the variant";
        return Err(Error::new(variant.ident.span(), text));
    }
    let names: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let Some((first, others)) = names.split_first() else {
        return Err(Error::new(name.span(), "an enum without variants has no value that lanes could exchange"));
    };
    let numbers = 1_u64..;
    let (to, from) = (numbers.clone().zip(others), numbers.zip(others));
    let to = to.map(|(number, variant)| quote!(Self::#variant => #number,));
    let from = from.map(|(number, variant)| quote!(#number => Self::#variant,));
    Ok(quote! {
        let number = match self { Self::#first => 0_u64, #(#to)* };
        match exchange(number, 4) { #(#from)* _ => Self::#first }
    })
}

/// The implementation of `DeviceCopy`, with a condition for each field. An error about it appears at that field.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let input = syn::parse2::<DeriveInput>(item)?;
    let of_variants: Vec<_> = match &input.data {
        Data::Struct(data) => vec![(None, &data.fields)],
        Data::Enum(data) => data.variants.iter().map(|variant| (Some(&variant.ident), &variant.fields)).collect(),
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span,
                "the meaning of a union's bytes is not known: implement `DeviceCopy` by hand",
            ));
        }
    };
    let offload = offload(&input.attrs)?;
    let (foreign, fields) = foreign(of_variants.into_iter())?;
    let any = |name: &str| {
        let of_fields = fields.iter().map(|field| {
            let (ty, offload) = (&field.ty, located(&offload, field.ty.span()));
            let name = Ident::new(name, ty.span());
            quote_spanned!(ty.span()=> || <#ty as #offload::DeviceCopy>::#name)
        });
        let name = Ident::new(name, Span::call_site());
        quote!(const #name: bool = false #(#of_fields)*;)
    };
    let padding = if foreign.is_empty() { has_padding(&input.data, &fields, &offload) } else { TokenStream::new() };
    let items = [any("MAY_HIDE_ADDRESS"), any("MAY_HOLD_POINTER"), padding];
    let (layout, pointers) = (layout(&input.data, &offload), pointers(&input.data, &offload));
    let parts = parts(&input.data, &offload);
    let check = has_these_fields(&input.data);
    // The word is the user's, so that the lint `unsafe_code` sees it.
    let promises = foreign.iter().map(|Foreign { word, ty, .. }| {
        let offload = located(&offload, ty.span());
        quote_spanned!(ty.span()=> #word { #offload::__private::foreign::<#ty>() };)
    });
    let check = quote! {
        fn check_fields(this: Self) { #check #(#promises)* }
    };
    let marks = marks(&input, &foreign, &offload);
    let items = quote!(#(#items)* #layout #pointers #parts #check);
    let implementation = implement(input, &offload, &parse_quote!(DeviceCopy), &fields, items)?;
    Ok(quote!(#implementation #marks))
}

/// A field with `#[device_copy(unsafe(foreign))]`.
struct Foreign {
    /// The word `unsafe`.
    word: Token![unsafe],
    ty: Type,
    /// The field's name in debug information, after the name of its variant in an enum.
    member: String,
}

/// The fields of a struct, or of the variants of an enum: those with that promise, and the other ones.
fn foreign<'a>(
    of_variants: impl Iterator<Item = (Option<&'a Ident>, &'a Fields)>,
) -> Result<(Vec<Foreign>, Vec<Field>)> {
    let (mut foreign, mut others) = (Vec::new(), Vec::new());
    for (variant, fields) in of_variants {
        for (number, field) in fields.iter().enumerate() {
            let Some(word) = promise(field)? else {
                others.push(field.clone());
                continue;
            };
            let name = field.ident.as_ref().map_or_else(|| format!("__{number}"), |name| name.unraw().to_string());
            let member = variant.map_or(name.clone(), |variant| format!("{} {name}", variant.unraw()));
            foreign.push(Foreign { word, ty: field.ty.clone(), member });
        }
    }
    Ok((foreign, others))
}

/// A static for each field with that promise, at the field's type: offloadc looks for addresses in the type. A static
/// knows no parameters of a struct. For types with one, it has the names of the struct and of the field, by which
/// offloadc finds the types of the instances; for an enum, also the name of the variant.
fn marks(input: &DeriveInput, foreign: &[Foreign], offload: &Path) -> TokenStream {
    let lifetimes = input.generics.lifetimes().map(|lifetime| lifetime.lifetime.ident.to_string());
    let parameters = Parameters::new(&input.generics, lifetimes.chain(["Self".to_owned()]).collect());
    let (of_instances, known): (Vec<_>, Vec<_>) =
        foreign.iter().partition(|Foreign { ty, .. }| parameters.are_in(quote!(#ty)));
    let marks = known.into_iter().map(|Foreign { ty, .. }| {
        let offload = located(offload, ty.span());
        quote_spanned! {ty.span()=>
            const _: () = {
                #[used]
                static __OFFLOAD_FOREIGN: #offload::__private::ForeignField<#ty> =
                    #offload::__private::ForeignField::<#ty>::MARK;
            };
        }
    });
    let name = input.ident.unraw();
    let of_instances = of_instances.into_iter().map(|Foreign { ty, member, .. }| {
        let names = format!("{name} {member}");
        quote_spanned! {ty.span()=>
            const _: () = {
                #[used]
                static __OFFLOAD_FOREIGN_OF_INSTANCES: &::core::primitive::str = #names;
            };
        }
    });
    quote!(#(#marks)* #(#of_instances)*)
}

/// The attribute of a field whose type belongs to another crate.
const FOREIGN: &str = "expected `#[device_copy(unsafe(foreign))]`: the promise that a value of the field's type, which is of \
    another crate, has no address of the host";

/// The word `unsafe` of a field's `#[device_copy(unsafe(foreign))]`.
fn promise(field: &Field) -> Result<Option<Token![unsafe]>> {
    let Some(attribute) = field.attrs.iter().find(|attribute| attribute.path().is_ident("device_copy")) else {
        return Ok(None);
    };
    let parse = |input: ParseStream<'_>| {
        let word: Token![unsafe] = input.parse()?;
        let content;
        let _ = parenthesized!(content in input);
        let name: Ident = content.parse()?;
        if name == "foreign" && content.is_empty() { Ok(word) } else { Err(content.error(FOREIGN)) }
    };
    attribute.parse_args_with(parse).map(Some).map_err(|_| Error::new(attribute.span(), FOREIGN))
}

/// Whether [`promise`] finds one.
fn is_foreign(field: &Field) -> bool {
    matches!(promise(field), Ok(Some(_)))
}

/// The function that visits the pointers in the fields of a struct. The pointers in an enum are not visited.
fn pointers(data: &Data, offload: &Path) -> TokenStream {
    let Data::Struct(data) = data else { return TokenStream::new() };
    let fields = data.fields.iter().zip(data.fields.members()).filter(|(field, _)| !is_foreign(field));
    let fields = fields.map(|(field, member)| {
        let (ty, offload) = (&field.ty, located(offload, field.ty.span()));
        // A field of a packed struct has no address.
        quote_spanned!(ty.span()=> { let field = self.#member; <#ty as #offload::DeviceCopy>::pointers(&field, each); })
    });
    quote! {
        #[inline(always)]
        fn pointers(&self, each: &mut impl ::core::ops::FnMut(*const ::core::primitive::u8, ::core::primitive::usize)) {
            #(#fields)*
        }
    }
}

/// The function that visits the parts of a struct that are no padding. Only rustc knows those of an enum.
fn parts(data: &Data, offload: &Path) -> TokenStream {
    let Data::Struct(data) = data else { return TokenStream::new() };
    let fields = data.fields.iter().zip(data.fields.members()).map(|(field, member)| {
        let (ty, offload) = (&field.ty, located(offload, field.ty.span()));
        let at = quote!(offset + ::core::mem::offset_of!(Self, #member));
        match is_foreign(field) {
            true => quote_spanned!(ty.span()=> each(#at, ::core::mem::size_of::<#ty>());),
            false => quote_spanned!(ty.span()=> <#ty as #offload::DeviceCopy>::parts(#at, each);),
        }
    });
    quote! {
        #[inline(always)]
        fn parts(
            offset: ::core::primitive::usize,
            each: &mut impl ::core::ops::FnMut(::core::primitive::usize, ::core::primitive::usize),
        ) {
            #(#fields)*
        }
    }
}

/// Whether bytes of a struct belong to no field. rustc decides which bytes of an enum have a meaning.
fn has_padding(data: &Data, fields: &[Field], offload: &Path) -> TokenStream {
    if !matches!(data, Data::Struct(_)) {
        return TokenStream::new();
    }
    let of_fields = fields.iter().map(|field| {
        let (ty, offload) = (&field.ty, located(offload, field.ty.span()));
        quote_spanned!(ty.span()=> || <#ty as #offload::DeviceCopy>::HAS_PADDING)
    });
    let sizes = fields.iter().map(|field| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> + ::core::mem::size_of::<#ty>())
    });
    quote!(const HAS_PADDING: bool = ::core::mem::size_of::<Self>() != 0 #(#sizes)* #(#of_fields)*;)
}

/// The function that describes the layout: the offset of each field of a struct. Only rustc knows those of an enum.
fn layout(data: &Data, offload: &Path) -> TokenStream {
    let of_type = |field: &Field| {
        let (ty, offload) = (&field.ty, located(offload, field.ty.span()));
        match is_foreign(field) {
            true => quote_spanned!(ty.span()=> layout.opaque::<#ty>();),
            false => quote_spanned!(ty.span()=> <#ty as #offload::DeviceCopy>::layout(layout);),
        }
    };
    let body = match data {
        Data::Struct(data) => {
            let fields = data.fields.iter().zip(data.fields.members()).map(|(field, member)| {
                let name = quote!(#member).to_string();
                let of_type = of_type(field);
                quote!(layout.field(#name, ::core::mem::offset_of!(Self, #member)); #of_type)
            });
            quote!(layout.plain::<Self>(); #(#fields)*)
        }
        Data::Enum(data) => {
            let fields = data.variants.iter().flat_map(|variant| variant.fields.iter().map(of_type));
            quote!(layout.opaque::<Self>(); #(#fields)*)
        }
        Data::Union(_) => TokenStream::new(),
    };
    quote!(fn layout(layout: &mut #offload::__private::Layout) { #body })
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
        Some(attribute) => attribute.parse_args_with(crate_path).map_err(|_| {
            let text = "expected `#[device_copy(crate = PATH)]`, the path of the `offload` crate; at a field of a type of \
                another crate, `#[device_copy(unsafe(foreign))]`";
            Error::new(attribute.span(), text)
        }),
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

    #[test]
    fn foreign_types_are_marked() {
        let item = quote!(
            struct Several<'a, T, const N: usize> {
                #[device_copy(unsafe(foreign))]
                known: other::Named,
                #[device_copy(unsafe(foreign))]
                of_a_type: other::Of<T>,
                #[device_copy(unsafe(foreign))]
                of_a_number: [other::Named; N],
                #[device_copy(unsafe(foreign))]
                of_a_lifetime: other::Borrowed<'a>,
            }
        );
        let text = expand(item).expect("a good struct").to_string();
        let marked: Vec<_> = text.match_indices("__OFFLOAD_FOREIGN : ").collect();
        assert_eq!(marked.len(), 1, "{text}");
        assert!(text.contains("ForeignField < other :: Named > ="), "{text}");
        for field in ["of_a_type", "of_a_number", "of_a_lifetime"] {
            let mark = "static __OFFLOAD_FOREIGN_OF_INSTANCES : & :: core :: primitive :: str =";
            assert!(text.contains(&format!("{mark} \"Several {field}\"")), "{text}");
        }
    }

    #[test]
    fn foreign_types_in_enums_are_marked() {
        let item = quote!(
            enum Choice<T> {
                Pair(u32, #[device_copy(unsafe(foreign))] other::Of<T>),
                r#Else {
                    #[device_copy(unsafe(foreign))]
                    r#type: other::Of<T>,
                    #[device_copy(unsafe(foreign))]
                    known: other::Named,
                },
            }
        );
        let text = expand(item).expect("a good enum").to_string();
        assert_eq!(text.matches("__OFFLOAD_FOREIGN : ").count(), 1, "{text}");
        assert!(text.contains("\"Choice Pair __1\"") && text.contains("\"Choice Else type\""), "{text}");
    }
}
