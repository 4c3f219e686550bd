//! Queries of the device contract: functions whose results are constants of an arch. They are folded on a copy of the
//! device module for each arch before code that the arch cannot run is reported, and in each image. Code under a
//! condition on a query may therefore contain anything.

use super::builtin::ARCH;
use crate::llvm::{Module, Type};

/// The lanes of a warp; 0 if they are not known before the launch.
pub const WARP_SIZE: &str = "__offload_warp_size";
/// Whether the code is not for one arch yet.
pub const IS_GENERIC: &str = "__offload_is_generic";
/// Whether every device that runs the code has the feature that a text names: its address, and its length in bytes.
pub const HAS_FEATURE: &str = "__offload_has_feature";

/// The device's address of a function of another object, by its number. It is no query of a program: code that may be
/// linked with functions of other objects calls it for numbers that are not its own. Where no such functions are
/// linked, the answer is null for every arch.
pub const LINKED_FUNCTION: &str = "__offload_linked_function";

/// All queries of the arch.
pub const QUERIES: [&str; 4] = [ARCH, WARP_SIZE, IS_GENERIC, HAS_FEATURE];

/// Whether a symbol is that of a query.
pub fn is_query(symbol: &str) -> bool {
    QUERIES.contains(&symbol)
}

/// Whether the module declares a query, or [`LINKED_FUNCTION`], which is folded with the queries.
pub fn asks_arch(module: &Module<'_>) -> bool {
    QUERIES.iter().chain([&LINKED_FUNCTION]).any(|query| module.function(query).is_some())
}

/// The function type of a query in a module's context.
pub fn query_type<'c>(query: &str, module: &Module<'c>) -> Type<'c> {
    let types = module.types();
    match query {
        ARCH | WARP_SIZE => types.i32().function(&[]),
        IS_GENERIC => types.i1().function(&[]),
        _ => types.i1().function(&[types.ptr(0), types.i64()]),
    }
}

/// The result of a query on the host, where no code is device code: the number of no arch, one lane, and no feature.
pub fn host_result(query: &str) -> u64 {
    u64::from(query == WARP_SIZE)
}
