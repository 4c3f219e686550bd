//! Functions and closures as parameters of a kernel: parameters of a type `F: Fn(A) -> R` or `impl Fn(A) -> R`, whose
//! captures a launch copies.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Error, FnArg, GenericParam, Generics, Ident, ItemFn, Pat, Path, PathArguments, Result, Type, TypeParamBound,
    WherePredicate, parse_quote, parse_quote_spanned,
};

use crate::kernel::conditions;

/// Gives each `impl Trait` in the types of the parameters a name, which the checks of the parameters and the launch
/// need.
pub(crate) fn name_types(function: &mut ItemFn) -> Result<()> {
    let mut taken: BTreeSet<String> = function.sig.generics.params.iter().map(name_of).collect();
    let mut all = Vec::new();
    for (number, argument) in function.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(parameter) = argument else { continue };
        let is_conditional = conditions(parameter).next().is_some();
        let pattern = match &*parameter.pat {
            Pat::Ident(pattern) => pattern.ident.unraw().to_string(),
            _ => number.to_string(),
        };
        let mut names = Names { base: format!("TypeOf_{pattern}"), taken: &mut taken, named: Vec::new() };
        names.visit_type_mut(&mut parameter.ty);
        if let Some((span, ..)) = names.named.first().filter(|_| is_conditional) {
            let text = "the type of a parameter under `#[cfg]` must have a name: use a generic parameter, \
                `F: Fn(A) -> R` for a closure";
            return Err(Error::new(*span, text));
        }
        all.append(&mut names.named);
    }
    if !all.is_empty() {
        // The names begin with the parameter's, which is in snake case.
        function.attrs.push(parse_quote!(#[allow(non_camel_case_types)]));
    }
    function.sig.generics.params.extend(all.into_iter().map(|(_, parameter)| parameter));
    Ok(())
}

fn name_of(parameter: &GenericParam) -> String {
    match parameter {
        GenericParam::Type(parameter) => parameter.ident.to_string(),
        GenericParam::Const(parameter) => parameter.ident.to_string(),
        GenericParam::Lifetime(parameter) => parameter.lifetime.ident.to_string(),
    }
}

/// Replaces each `impl Trait` in a type by the name of a new generic parameter.
struct Names<'a> {
    base: String,
    /// The names of generic parameters, with those that were made.
    taken: &'a mut BTreeSet<String>,
    named: Vec<(Span, GenericParam)>,
}

impl VisitMut for Names<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let Type::ImplTrait(of) = ty else { return visit_mut::visit_type_mut(self, ty) };
        let (span, bounds) = (of.span(), &of.bounds);
        let mut name = match self.named.len() {
            0 => format_ident!("{}", self.base, span = span),
            more => format_ident!("{}_{}", self.base, more, span = span),
        };
        while self.taken.contains(&name.to_string()) {
            name = format_ident!("{}_", name, span = span);
        }
        self.taken.insert(name.to_string());
        self.named.push((span, parse_quote_spanned!(span=> #name: #bounds)));
        *ty = parse_quote_spanned!(span=> #name);
    }
}

/// Gives each parameter of a type `F: Fn(A) -> R` the type of a function that a launch has checked, and adds the bounds
/// that a launch requires. Returns the statements with which the function has its parameters as they were written.
pub(crate) fn wrap_closures(function: &mut ItemFn, offload: &Path) -> Vec<TokenStream> {
    let (mut statements, mut wrapped) = (Vec::new(), Vec::new());
    for argument in &mut function.sig.inputs {
        let FnArg::Typed(parameter) = argument else { continue };
        let Some(name) = function_parameter(&parameter.ty, &function.sig.generics).cloned() else { continue };
        let conditions: Vec<_> = conditions(parameter).cloned().collect();
        *parameter.ty = parse_quote_spanned!(name.span()=> #offload::__private::ClosureParameter<#name>);
        if let Pat::Ident(pattern) = &mut *parameter.pat {
            let (ident, mutability) = (pattern.ident.clone(), pattern.mutability.take());
            statements.push(quote!(#(#conditions)* let #mutability #ident = #ident.function();));
        }
        wrapped.push(name);
    }
    if !wrapped.is_empty() {
        // The user's bounds may be where the parameter is declared, and these are not.
        function.attrs.push(parse_quote!(#[allow(clippy::multiple_bound_locations)]));
    }
    for name in wrapped {
        function
            .sig
            .generics
            .make_where_clause()
            .predicates
            .push(parse_quote!(#name: #offload::__private::KernelFunction));
    }
    statements
}

/// The name of a type that is a generic parameter and must be a function: `F: Fn(A) -> R`.
fn function_parameter<'a>(ty: &'a Type, generics: &Generics) -> Option<&'a Ident> {
    let name = type_name(ty)?;
    let of_parameter = generics.type_params().filter(|parameter| parameter.ident == *name).flat_map(|p| &p.bounds);
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let of_clauses = clauses.filter_map(|clause| match clause {
        WherePredicate::Type(clause) => (type_name(&clause.bounded_ty) == Some(name)).then_some(&clause.bounds),
        _ => None,
    });
    let takes_arguments = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|segment| matches!(segment.arguments, PathArguments::Parenthesized(_)))
        }
        _ => false,
    };
    of_parameter.chain(of_clauses.flatten()).any(takes_arguments).then_some(name)
}

/// A type that is one name. A type that a macro passes is in a group.
fn type_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Group(group) => type_name(&group.elem),
        Type::Paren(paren) => type_name(&paren.elem),
        Type::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generic parameters, the parameters and the first statements, in tokens: one space between each two.
    fn wrapped(mut function: ItemFn) -> String {
        name_types(&mut function).expect("a good kernel");
        let statements = wrap_closures(&mut function, &parse_quote!(::offload));
        function.block.stmts.insert(0, parse_quote!({ #(#statements)* }));
        quote!(#function).to_string()
    }

    #[test]
    fn closures_are_wrapped() {
        let kernel = wrapped(parse_quote!(
            fn k<F: Fn(u32), G>(mut f: F, #[cfg(a)] g: G, _: F)
            where
                G: FnMut(u32) -> u32,
            {
            }
        ));
        for text in [
            "f : :: offload :: __private :: ClosureParameter < F >",
            "G : :: offload :: __private :: KernelFunction",
            "{ let mut f = f . function () ; # [cfg (a)] let g = g . function () ; }",
        ] {
            assert!(kernel.contains(text), "`{text}` is missing in {kernel}");
        }
    }

    #[test]
    fn types_without_a_name_receive_one() {
        let kernel = wrapped(parse_quote!(
            fn k<T, TypeOf_g>(f: impl Fn(T) -> T + Copy, g: &[(impl DeviceCopy, impl DeviceCopy)], r#type: impl Copy) {}
        ));
        for text in [
            "< T , TypeOf_g , TypeOf_f : Fn (T) -> T + Copy , TypeOf_g_ : DeviceCopy , TypeOf_g_1 : DeviceCopy , \
                TypeOf_type : Copy >",
            "f : :: offload :: __private :: ClosureParameter < TypeOf_f >",
            "g : & [(TypeOf_g_ , TypeOf_g_1)] , r#type : TypeOf_type",
        ] {
            assert!(kernel.contains(text), "`{text}` is missing in {kernel}");
        }
        let conditional = name_types(&mut parse_quote!(
            fn k(#[cfg(a)] f: impl Fn()) {}
        ));
        assert!(conditional.expect_err("it is refused").to_string().contains("must have a name"));
    }
}
