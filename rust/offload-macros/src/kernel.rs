//! `#[kernel]`: the function as it was, promises at its beginning, and a check of each parameter's type at that type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Error, Expr, FnArg, Ident, ItemFn, Result, ReturnType, Token, Type, parenthesized};

/// The kernel with what belongs to it.
pub(crate) fn expand(promises: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let promises = syn::parse2::<Promises>(promises)?;
    let mut function = syn::parse2::<ItemFn>(item)?;
    check_signature(&function)?;
    let checks = parameters(&function)?
        .into_iter()
        .map(|ty| quote_spanned!(ty.span()=> ::offload::__private::check_parameter::<#ty>();));
    // Inside the function, where its generics and an impl's `Self` have their meaning.
    let checks = quote!(if false { #(#checks)* });
    let calls = promises.calls;
    function.block.stmts.splice(0..0, syn::parse2::<Statements>(quote!(#checks #(#calls)*))?.0);
    Ok(quote!(#function))
}

/// Statements without braces.
struct Statements(Vec<syn::Stmt>);

impl Parse for Statements {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        input.call(syn::Block::parse_within).map(Statements)
    }
}

/// What stands between the attribute's parentheses, as calls.
struct Promises {
    calls: Vec<TokenStream>,
}

impl Parse for Promises {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut calls = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let numbers;
            let _ = parenthesized!(numbers in input);
            let numbers: Vec<Expr> = Punctuated::<Expr, Token![,]>::parse_terminated(&numbers)?.into_iter().collect();
            calls.push(match (name.to_string().as_str(), &numbers[..]) {
                ("launch_bounds", [threads]) => quote!(::offload::__private::launch_bounds(#threads, 0);),
                ("launch_bounds", [threads, blocks]) => quote!(::offload::__private::launch_bounds(#threads, #blocks);),
                ("block_size", [x, y, z]) => quote!(::offload::__private::block_size(#x, #y, #z);),
                ("launch_bounds", _) => {
                    return Err(Error::new(
                        name.span(),
                        "expected `launch_bounds(THREADS)` or `launch_bounds(THREADS, BLOCKS)`",
                    ));
                }
                ("block_size", _) => return Err(Error::new(name.span(), "expected `block_size(X, Y, Z)`")),
                _ => return Err(Error::new(name.span(), "expected `launch_bounds(..)` or `block_size(..)`")),
            });
            if !input.is_empty() {
                let _: Token![,] = input.parse()?;
            }
        }
        Ok(Promises { calls })
    }
}

/// What no kernel's signature has.
fn check_signature(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Some(word) = &signature.asyncness {
        return Err(Error::new(word.span(), "a kernel cannot be `async`: a launch is what runs beside the host"));
    }
    if let Some(word) = &signature.unsafety {
        let text = "a kernel cannot be `unsafe`: nobody can check a caller's promise for every thread of a launch; \
            write the unsafe part inside";
        return Err(Error::new(word.span(), text));
    }
    if let Some(abi) = &signature.abi {
        return Err(Error::new(abi.span(), "a kernel has Rust's own calling convention: remove the `extern`"));
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        return Err(Error::new(ty.span(), "a kernel returns nothing: write results to a `DisjointSlice`"));
    }
    Ok(())
}

/// The types of the parameters.
fn parameters(function: &ItemFn) -> Result<Vec<&Type>> {
    fn ty(argument: &FnArg) -> Result<&Type> {
        match argument {
            FnArg::Typed(typed) => Ok(&typed.ty),
            FnArg::Receiver(receiver) => Err(Error::new(receiver.span(), "a kernel is no method")),
        }
    }
    function.sig.inputs.iter().map(ty).collect()
}
