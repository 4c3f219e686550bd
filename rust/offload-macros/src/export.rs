//! `#[kernel(export = "NAME")]`: a kernel for other launchers, with a name of C and the parameters of an `extern "C"`
//! function. `offloadc` finds it by a static in section `.offload.exports`.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    AngleBracketedGenericArguments, Error, FnArg, Ident, ItemFn, LitStr, Path, Result, Token, parenthesized, token,
};

use crate::kernel::conditions;

/// The name of an instance.
pub(crate) struct Export {
    /// The arguments of a generic kernel.
    arguments: Option<AngleBracketedGenericArguments>,
    name: LitStr,
}

/// The forms that the attribute has.
const FORMS: &str =
    "expected `export = \"NAME\"`, or `export(<TYPES> = \"NAME\", ..)` for instances of a generic kernel";

/// What follows the word `export`.
pub(crate) fn exports(word: &Ident, input: ParseStream<'_>) -> Result<Vec<Export>> {
    let error = |_| Error::new(word.span(), FORMS);
    if input.peek(token::Paren) {
        let content;
        let _ = parenthesized!(content in input);
        let all = Punctuated::<Export, Token![,]>::parse_terminated(&content)?;
        return if all.is_empty() { Err(Error::new(word.span(), FORMS)) } else { Ok(all.into_iter().collect()) };
    }
    let _: Token![=] = input.parse().map_err(error)?;
    Ok(vec![Export { arguments: None, name: name(input)? }])
}

impl Parse for Export {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let place = input.span();
        if !input.peek(Token![<]) {
            return Err(Error::new(place, FORMS));
        }
        let arguments = Some(input.parse()?);
        let _: Token![=] = input.parse().map_err(|_| Error::new(place, FORMS))?;
        Ok(Export { arguments, name: name(input)? })
    }
}

/// A name of C.
fn name(input: ParseStream<'_>) -> Result<LitStr> {
    let name: LitStr = input.parse()?;
    let text = name.value();
    let is_identifier = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let message = format!("`{text}` is no name in C: it has letters, digits and `_`, and does not begin with a digit");
    if is_identifier { Ok(name) } else { Err(Error::new(name.span(), message)) }
}

/// Refuses a kernel that cannot be exported as these instances.
pub(crate) fn check(function: &ItemFn, exports: &[Export]) -> Result<()> {
    let signature = &function.sig;
    if let Some(abi) = signature.abi.as_ref().filter(|abi| abi.name.as_ref().is_some_and(|name| name.value() != "C")) {
        return Err(Error::new(abi.span(), "an exported kernel is `extern \"C\"`, also without these words"));
    }
    let is_generic = is_generic(function);
    for export in exports {
        if is_generic && export.arguments.is_none() {
            let text = "a generic kernel has no name: export its instances, as in `export(<f32> = \"scale_f32\")`";
            return Err(Error::new(export.name.span(), text));
        }
    }
    match (exports, is_generic) {
        ([_, second, ..], false) => Err(Error::new(second.name.span(), "a kernel that is not generic has one name")),
        _ => Ok(()),
    }
}

/// Makes the function `extern "C"`. Returns the checks of its parameters' types, which stand in the function. Those of
/// a generic kernel are checked for each instance.
pub(crate) fn fit(function: &mut ItemFn, offload: &Path) -> TokenStream {
    function.sig.abi.get_or_insert_with(|| syn::parse_quote!(extern "C"));
    if is_generic(function) {
        return TokenStream::new();
    }
    let checks = function.sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(typed) => {
            let (ty, conditions) = (&typed.ty, conditions(typed));
            Some(quote_spanned!(ty.span()=> #(#conditions)* #offload::__private::check_export::<#ty>();))
        }
        FnArg::Receiver(_) => None,
    });
    quote!(if false { #(#checks)* })
}

/// Whether it has instances for types or numbers.
fn is_generic(function: &ItemFn) -> bool {
    let generics = &function.sig.generics;
    generics.type_params().next().is_some() || generics.const_params().next().is_some()
}

/// A function that takes a pointer to an instance, and requires parameters that an exported kernel can have.
fn instance_check(function: &ItemFn, offload: &Path) -> TokenStream {
    let names: Vec<_> = (0..function.sig.inputs.len()).map(|number| format_ident!("P{number}")).collect();
    quote! {
        #[allow(clippy::too_many_arguments, clippy::type_complexity)]
        const fn check<#(#names: #offload::__private::ExportParam),*>(_: unsafe extern "C" fn(#(#names),*)) {}
    }
}

/// The statics by which offloadc finds the instances.
pub(crate) fn statics(function: &ItemFn, exports: &[Export], offload: &Path) -> TokenStream {
    let kernel = &function.sig.ident;
    let conditions: Vec<_> = function.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect();
    let check = is_generic(function).then(|| instance_check(function, offload));
    let items = exports.iter().map(|Export { arguments, name }| {
        let text = name.value();
        let (length, bytes) = (text.len(), Literal::byte_string(text.as_bytes()));
        let arguments = arguments.as_ref().map(|arguments| quote!(::#arguments));
        let checked = check.as_ref().map(|check| quote_spanned!(name.span()=> #check check(#kernel #arguments);));
        quote! {
            #(#conditions)*
            const _: () = {
                #checked
                #[used]
                #[unsafe(link_section = ".offload.exports")]
                static EXPORT: #offload::__private::Export<#length> =
                    #offload::__private::Export::new(#kernel #arguments as *const (), *#bytes);
            };
        }
    });
    quote!(#(#items)*)
}
