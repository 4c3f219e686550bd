//! The result type of a kernel with wrong parameters. A kernel returns `()`. The macro writes that as a type which
//! depends on the checks of the parameters, where it can. If a check fails, rustc has reported it at the parameter, and
//! then knows no type of the function. Launches of the function therefore cause no second error.

use std::sync::OnceLock;

use proc_macro2::TokenStream;
use syn::{ItemFn, Path, parse_quote};

use crate::unlaunched::is_alone;

/// Moves the checks from the body into the result type. Returns those that remain for the body.
///
/// A constant in a type knows no parameters of a function or of an `impl` around it, so functions that may have some
/// keep the checks in their bodies. Documentation, editors and clippy see the function as it is written.
pub(crate) fn check_in_result(function: &mut ItemFn, checks: Vec<TokenStream>, offload: &Path) -> Vec<TokenStream> {
    static COMPILES: OnceLock<bool> = OnceLock::new();
    let compiles = COMPILES.get_or_init(|| {
        let program = std::env::args_os().next().map(std::path::PathBuf::from);
        let name = program.as_ref().and_then(|path| path.file_stem()?.to_str());
        name == Some("rustc")
    });
    if checks.is_empty() || !compiles || !function.sig.generics.params.is_empty() || !is_alone(function) {
        return checks;
    }
    function.sig.output = parse_quote! {
        -> <() as #offload::__private::Checked<{ if false { #(#checks)* } true }>>::Result
    };
    Vec::new()
}
