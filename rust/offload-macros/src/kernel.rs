//! `#[kernel]`: returns the function with its promises as calls at the beginning, and adds a check of each parameter's
//! type, whose errors appear at that type.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::token::Paren;
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, GenericArgument, Ident, ItemFn, Lifetime, Lit, Pat, PatType, Path,
    PathArguments, Result, ReturnType, Safety, Token, Type, parenthesized, parse_quote,
};

use crate::closures::{name_types, wrap_closures};
use crate::export::{self, Export};
use crate::nearest::nearest;
use crate::parameter_checks::checks;
use crate::result::{Checked, check_in_result, compiles, depend_on_collection};
use crate::unlaunched::{self, Named, words_around};
use crate::{shared, text};

/// Returns the function with the promises and checks.
pub(crate) fn expand(promises: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let promises = syn::parse2::<Promises>(promises)?;
    let mut function = syn::parse2::<ItemFn>(item)?;
    if !promises.exports.is_empty() {
        return expand_exported(&promises, function);
    }
    check_signature(&function)?;
    if let Err(error) = check_count(&function) {
        let error = error.into_compile_error();
        shorten(&mut function, &promises.offload);
        return Ok(quote!(#error #function));
    }
    name_types(&mut function)?;
    let closures = wrap_closures(&mut function, &promises.offload);
    if let Err(error) = shared::check(&function) {
        // Without its body, the kernel causes no second error about the same static.
        let error = error.into_compile_error();
        function.block = parse_quote!({});
        function.attrs.push(parse_quote!(#[allow(unused_variables, unused_mut)]));
        return Ok(quote!(#error #function));
    }
    let offload = &promises.offload;
    let values = specialize(&mut function, &promises)?;
    let words = if compiles() { words_around(&function) } else { None };
    let Checked { output, remaining } =
        check_in_result(&function.sig, &checks(&parameters(&function)?, offload), words, offload);
    function.sig.output = output.unwrap_or(function.sig.output);
    // These checks are inside the function, where its generic parameters and the `Self` of an impl are in scope.
    let checks = remaining.iter().map(|check| &check.tokens);
    let checks = (!remaining.is_empty()).then(|| quote!(if false { #(#checks)* }));
    let text = text::count_iterations(&mut function.block, offload);
    let calls = calls(&promises, &mut function);
    let start = quote!(#(#closures)* #checks #calls #values #text);
    function.block.stmts.splice(0..0, syn::parse2::<Statements>(start)?.0);
    depend_on_collection(&mut function, &remaining, offload);
    Ok(match unlaunched::name(&function, offload) {
        None => quote!(#function),
        Some(Named::Beside(item)) => quote!(#function #item),
        Some(Named::Inside(item)) => {
            function.block.stmts.insert(0, syn::parse2(item)?);
            quote!(#function)
        }
    })
}

/// The same for a kernel that is exported.
fn expand_exported(promises: &Promises, mut function: ItemFn) -> Result<TokenStream> {
    let (exports, offload) = (&promises.exports, &promises.offload);
    check_form(&function)?;
    export::check(&function, exports)?;
    shared::check(&function)?;
    if let Some(name) = promises.specialized.first() {
        let text = "an exported kernel has no specialized parameters: other launchers cannot compile it again";
        return Err(Error::new(name.span(), text));
    }
    let statics = export::statics(&function, exports, offload);
    let checks = export::fit(&mut function, offload);
    let calls = calls(promises, &mut function);
    let text = text::count_iterations(&mut function.block, offload);
    function.block.stmts.splice(0..0, syn::parse2::<Statements>(quote!(#checks #calls #text))?.0);
    Ok(quote!(#function #statics))
}

/// The promises and options as statements. Adds an attribute to the function where its code needs one.
fn calls(promises: &Promises, function: &mut ItemFn) -> TokenStream {
    let offload = &promises.offload;
    if promises.calls.iter().any(is_of_floats) && !function.attrs.iter().any(|a| a.path().is_ident("inline")) {
        // rustc must not inline the kernel into a function with other rules. offloadc inlines it nevertheless.
        function.attrs.push(parse_quote!(#[inline(never)]));
    }
    let calls = promises.calls.iter().map(|call| match is_of_floats(call) {
        true => quote!(if #offload::__private::is_compiled() { #offload::__private::#call; }),
        false => quote!(#offload::__private::#call;),
    });
    let calls = calls.chain(promises.unsafe_word.map(|word| {
        // The word is the user's, so that the lint `unsafe_code` sees it.
        quote!(#word { #offload::__private::restrict(); })
    }));
    quote!(#(#calls)*)
}

/// Makes `Specialized` parameters of those that `specialize(..)` names. Returns the statements by which the body has
/// their values under the same names.
fn specialize(function: &mut ItemFn, promises: &Promises) -> Result<TokenStream> {
    let offload = &promises.offload;
    let mut values = TokenStream::new();
    for name in &promises.specialized {
        let named = function.sig.inputs.iter_mut().find_map(|argument| match argument {
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(pattern) if pattern.ident == *name && pattern.subpat.is_none() => Some(typed),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        });
        let Some(typed) = named else {
            let text = format!("the kernel has no parameter `{name}`: name parameters, or `block_dim`");
            return Err(Error::new(name.span(), text));
        };
        let (ty, pattern) = (typed.ty.clone(), typed.pat.clone());
        let conditions: Vec<_> = conditions(typed).cloned().collect();
        *typed.pat = parse_quote!(#name);
        *typed.ty = parse_quote!(#offload::__private::Specialized<#ty>);
        values.extend(quote!(#(#conditions)* let #pattern: #ty = *#name;));
    }
    Ok(values)
}

/// Whether a call is for the function itself, and not for the kernel that it becomes a part of.
fn is_of_floats(call: &TokenStream) -> bool {
    let text = call.to_string();
    ["__offload_fast_math", "__offload_fp_contract"].iter().any(|name| text.starts_with(name))
}

/// Statements without braces.
struct Statements(Vec<syn::Stmt>);

impl Parse for Statements {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        input.call(syn::Block::parse_within).map(Statements)
    }
}

/// The arguments of the attribute: the path of the crate if it has another name, and the promises as calls.
struct Promises {
    offload: Path,
    calls: Vec<TokenStream>,
    /// The names in `specialize(..)`, without `block_dim`.
    specialized: Vec<Ident>,
    /// The word `unsafe` of `unsafe(restrict)`.
    unsafe_word: Option<Token![unsafe]>,
    /// The names for other launchers.
    exports: Vec<Export>,
}

impl Parse for Promises {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (mut offload, mut calls, mut specialized) = (parse_quote!(::offload), Vec::new(), Vec::new());
        let (mut unsafe_word, mut exports) = (None, Vec::new());
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                offload = crate_path(input)?;
            } else if input.peek(Token![unsafe]) {
                unsafe_word = Some(unsafe_restrict(input)?);
            } else if is_next(input, "export") {
                let word: Ident = input.parse()?;
                exports.extend(export::exports(&word, input)?);
            } else if is_next(input, "specialize") {
                let names = specialized_names(input)?;
                let (of_block, names) = names.into_iter().partition::<Vec<_>, _>(|name| name == BLOCK_DIM);
                calls.extend(of_block.first().map(|_| quote!(specialize_block_dim())));
                specialized.extend(names);
            } else {
                let (span, new) = (input.span(), call(input)?);
                if is_of_floats(&new) && calls.iter().any(is_of_floats) {
                    let text = "the rules for floating-point code are given twice: `fast_math` contracts, too";
                    return Err(Error::new(span, text));
                }
                calls.push(new);
            }
            if !input.is_empty() {
                let _: Token![,] = input.parse()?;
            }
        }
        Ok(Promises { offload, calls, specialized, unsafe_word, exports })
    }
}

/// The word for the size of the block in `specialize(..)`.
const BLOCK_DIM: &str = "block_dim";

/// Whether a word is next.
fn is_next(input: ParseStream<'_>, word: &str) -> bool {
    input.fork().parse::<Ident>().is_ok_and(|name| name == word)
}

/// `unsafe(restrict)`, of which the result is the first word.
fn unsafe_restrict(input: ParseStream<'_>) -> Result<Token![unsafe]> {
    let word: Token![unsafe] = input.parse()?;
    let error = || Error::new(word.span(), RESTRICT);
    if !input.peek(Paren) {
        return Err(error());
    }
    let content;
    let _ = parenthesized!(content in input);
    let name: Ident = content.parse().ok().filter(|_| content.is_empty()).ok_or_else(error)?;
    if name == "restrict" { Ok(word) } else { Err(error()) }
}

/// The option with which a user promises that the parameters do not overlap.
const RESTRICT: &str = "expected `unsafe(restrict)`: the promise that memory which the kernel writes through one \
    parameter is reached through no other one";

/// The names in `specialize(n, block_dim)`.
fn specialized_names(input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let word: Ident = input.parse()?;
    let error = || Error::new(word.span(), "expected `specialize(NAME, ..)`, with parameters and `block_dim`");
    if !input.peek(Paren) {
        return Err(error());
    }
    let names;
    let _ = parenthesized!(names in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names).map_err(|_| error())?;
    if names.is_empty() { Err(error()) } else { Ok(names.into_iter().collect()) }
}

/// `crate = PATH`.
pub(crate) fn crate_path(input: ParseStream<'_>) -> Result<Path> {
    let place = input.span();
    let error = |_| Error::new(place, "expected `crate = PATH`, the path of the `offload` crate");
    let _: Token![crate] = input.parse().map_err(error)?;
    let _: Token![=] = input.parse().map_err(error)?;
    input.call(Path::parse_mod_style).map_err(error)
}

/// The names that mean a call, with the messages about their form.
const OPTIONS: [(&str, &str); 3] = [
    ("fp_contract", "expected `fp_contract = \"fast\"` or `fp_contract = \"off\"`"),
    ("fast_math", "expected `fast_math` without a value"),
    ("max_registers", "expected `max_registers = COUNT`, with 24 to 255 registers"),
];

/// An option of the generated code. The compiler looks for the calls of float options in the kernel itself.
fn option(name: &Ident, expected: &str, input: ParseStream<'_>) -> Result<TokenStream> {
    let error = || Error::new(name.span(), expected);
    if name == "fast_math" {
        let ends = input.is_empty() || input.peek(Token![,]);
        return if ends { Ok(quote!(__offload_fast_math())) } else { Err(error()) };
    }
    let _: Token![=] = input.parse().map_err(|_| error())?;
    let value: Expr = input.parse()?;
    if name == "max_registers" {
        return Ok(quote!(max_registers(#value)));
    }
    let rule: u32 = match &value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "fast" => 1,
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "off" => 0,
        _ => return Err(error()),
    };
    Ok(quote!(__offload_fp_contract(#rule)))
}

/// All options, by their names and as a user types them.
const ALL: [(&str, &str); 9] = [
    ("launch_bounds", "`launch_bounds(..)`"),
    ("block_size", "`block_size(..)`"),
    ("specialize", "`specialize(..)`"),
    ("fp_contract", "`fp_contract = ..`"),
    ("fast_math", "`fast_math`"),
    ("max_registers", "`max_registers = ..`"),
    ("restrict", "`unsafe(restrict)`"),
    ("export", "`export = ..`"),
    ("crate", "`crate = PATH`"),
];

/// The error of a word that is no option.
fn unknown_option(place: Span, word: Option<&Ident>) -> Error {
    let (last, others) = ALL.split_last().expect("there are options");
    let others: Vec<_> = others.iter().map(|(_, typed)| *typed).collect();
    let expected = format!("expected {} or {}", others.join(", "), last.1);
    let Some(word) = word else { return Error::new(place, expected) };
    let near = nearest(&word.to_string(), ALL.iter().map(|(name, _)| *name));
    let near = ALL.iter().find(|(name, _)| Some(*name) == near);
    let near = near.map(|(_, typed)| format!("; did you mean {typed}?")).unwrap_or_default();
    Error::new(place, format!("a kernel has no option `{word}`: {expected}{near}"))
}

/// A promise or an option, as a call.
fn call(input: ParseStream<'_>) -> Result<TokenStream> {
    let name: Ident = input.parse().map_err(|_| unknown_option(input.span(), None))?;
    if !ALL.iter().any(|(known, _)| name == known) && name != "__restrict__" {
        return Err(unknown_option(name.span(), Some(&name)));
    }
    if let Some((_, expected)) = OPTIONS.iter().find(|(known, _)| name == known) {
        return option(&name, expected, input);
    }
    if name == "restrict" || name == "__restrict__" {
        return Err(Error::new(name.span(), RESTRICT));
    }
    let expected = match name == "block_size" {
        true => "expected `block_size(X, Y, Z)`",
        false => "expected `launch_bounds(THREADS)` or `launch_bounds(THREADS, BLOCKS)`",
    };
    if !input.peek(Paren) {
        return Err(Error::new(name.span(), expected));
    }
    let numbers;
    let _ = parenthesized!(numbers in input);
    let numbers: Vec<Expr> = Punctuated::<Expr, Token![,]>::parse_terminated(&numbers)?.into_iter().collect();
    match (name == "block_size", &numbers[..]) {
        (true, [x, y, z]) => Ok(quote!(block_size(#x, #y, #z))),
        (false, [threads]) => Ok(quote!(launch_bounds(#threads, 0))),
        (false, [threads, blocks]) => Ok(quote!(launch_bounds(#threads, #blocks))),
        _ => Err(Error::new(name.span(), expected)),
    }
}

/// Refuses signatures that a kernel cannot have.
fn check_signature(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Safety::Unsafe(word) = &signature.safety {
        let text = "a kernel cannot be `unsafe`: a launch cannot check the function's requirements for every thread; \
            put an `unsafe` block inside";
        return Err(Error::new(word.span(), text));
    }
    if let Some(abi) = &signature.abi {
        return Err(Error::new(abi.span(), "a kernel has the Rust calling convention: remove the `extern`"));
    }
    check_form(function)
}

/// Refuses signatures that no kernel has.
fn check_form(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Some(word) = &signature.asyncness {
        return Err(Error::new(
            word.span(),
            "a kernel cannot be `async`: a launch already runs in parallel with the host",
        ));
    }
    if let Some(word) = &signature.constness {
        return Err(Error::new(word.span(), "a kernel cannot be `const`: it runs on a device, in a launch"));
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        return Err(Error::new(ty.span(), "a kernel returns nothing: write results to a `DisjointSlice`"));
    }
    Ok(())
}

/// The largest number of parameters; `arities.rs` of the crate `offload` has an implementation for each.
const MOST_PARAMETERS: usize = 12;

/// The parameters.
fn parameters(function: &ItemFn) -> Result<Vec<&PatType>> {
    let mut parameters = Vec::new();
    for argument in &function.sig.inputs {
        let FnArg::Typed(typed) = argument else {
            return Err(Error::new(argument.span(), "a kernel cannot be a method"));
        };
        check_type(&typed.ty)?;
        parameters.push(typed);
    }
    Ok(parameters)
}

/// Refuses more parameters than a launch has arguments.
fn check_count(function: &ItemFn) -> Result<()> {
    let parameters = function.sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    // A condition may remove a parameter.
    let mut certain = parameters.filter(|parameter| conditions(parameter).next().is_none());
    match certain.nth(MOST_PARAMETERS) {
        Some(first) => Err(Error::new(
            first.span(),
            format!(
                "a kernel has at most {MOST_PARAMETERS} parameters: put numbers into a struct with \
                `#[derive(Clone, Copy, DeviceCopy)]`, and parts of one buffer into one slice"
            ),
        )),
        None => Ok(()),
    }
}

/// Leaves a function that rustc accepts in launches, so that they cause no second error.
fn shorten(function: &mut ItemFn, offload: &Path) {
    let parameters = (0..=MOST_PARAMETERS).map(|_| -> FnArg { parse_quote!(_: #offload::__private::Reported) });
    function.sig.inputs = parameters.collect();
    function.block = parse_quote!({});
}

/// Refuses types that a parameter cannot have, as far as their text shows it.
fn check_type(ty: &Type) -> Result<()> {
    if let Some(lifetime) = static_lifetime(ty) {
        let text = "the memory of a kernel's parameter exists only for its launch: remove the `'static`";
        return Err(Error::new(lifetime.span(), text));
    }
    if matches!(ty, Type::FnPtr(_)) {
        let text = "a function pointer of the host means nothing on a device: write `f: impl Fn(A) -> R`, and pass the \
            function itself or a closure; or take a `DeviceFn<fn(A) -> R>`, which `device_fn!(f)` makes";
        return Err(Error::new(ty.span(), text));
    }
    Ok(())
}

/// Finds the `'static` of `&'static [T]` or `DisjointSlice<'static, T>`. If an alias or a generic parameter hides it,
/// the launch is refused instead.
fn static_lifetime(ty: &Type) -> Option<&Lifetime> {
    fn first(arguments: &PathArguments) -> Option<&Lifetime> {
        let PathArguments::AngleBracketed(arguments) = arguments else { return None };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Lifetime(lifetime) => Some(lifetime),
            _ => None,
        })
    }
    let lifetime = match ty {
        Type::Reference(reference) => reference.lifetime.as_ref(),
        Type::Path(path) => path.path.segments.last().and_then(|segment| first(&segment.arguments)),
        _ => None,
    };
    lifetime.filter(|lifetime| lifetime.ident == "static")
}

/// The `cfg` attributes of a parameter, which decide whether it exists.
pub(crate) fn conditions(parameter: &PatType) -> impl Iterator<Item = &Attribute> {
    parameter.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In tokens, as they are printed: one space between each two.
    fn expanded(promises: TokenStream, item: TokenStream) -> String {
        expand(promises, item).expect("a good kernel").to_string()
    }

    #[test]
    fn the_crate_has_the_name_it_is_given() {
        let kernel = quote!(
            fn k(x: u32) {}
        );
        let with = |promises| expanded(promises, kernel.clone());
        assert!(with(quote!(block_size(1, 2, 3))).contains(":: offload :: __private :: block_size (1 , 2 , 3)"));
        let named = with(quote!(crate = self::gpu, launch_bounds(64)));
        assert!(named.contains("self :: gpu :: __private :: launch_bounds (64 , 0)"), "{named}");
        assert!(named.contains("self :: gpu :: __private :: check_parameter") && !named.contains("offload"), "{named}");
    }

    #[test]
    fn memory_is_not_promised_for_ever() {
        let error = |item| expand(quote!(), item).expect_err("it is refused").to_string();
        for item in [
            quote!(
                fn k(x: &'static [u32]) {}
            ),
            quote!(
                fn k(x: offload::DisjointSlice<'static, u32>) {}
            ),
        ] {
            assert!(error(item).contains("remove the `'static`"));
        }
        let _good = expanded(
            quote!(),
            quote!(
                fn k<'a>(x: &'a [u32], f: DeviceFn<fn(&'static str)>) {}
            ),
        );
    }

    #[test]
    fn a_type_is_checked_once() {
        let checks = |item| expanded(quote!(), item).matches(":: __private :: check_").count();
        let elements = quote!(
            fn k(a: &[P], b: DisjointSlice<[[P; 2]; 3]>, c: &[P], d: DisjointRows<P>, e: u32) {}
        );
        assert_eq!(checks(elements), 2);
        let values = quote!(
            fn k(a: &[P], b: P, c: &[Q], #[cfg(any())] d: P, e: &[P]) {}
        );
        assert_eq!(checks(values), 3);
    }

    #[test]
    fn a_parameter_that_is_not_there_is_not_checked() {
        let kernel = expanded(
            quote!(),
            quote!(
                fn k(#[cfg(any())] x: String, #[allow(unused)] y: u32) {}
            ),
        );
        assert!(kernel.contains("# [cfg (any ())] :: offload :: __private :: check_text :: < String >"), "{kernel}");
    }
}
