//! The wall around LLVM: all unsafe calls of the compiler are in this folder.
//!
//! `inkwell` owns contexts, modules and target machines. It has one Rust type for each kind of value, which is suitable
//! for building code, but not for rewriting operands of any kind. [`Value`], [`Type`], [`Block`] and [`Builder`] are
//! therefore thin copies of LLVM's own references. They are as safe as inkwell's: using one after it was erased is a
//! bug.

/// Calls a function of LLVM's C API, or of the C++ files of this folder.
macro_rules! llvm {
    ($call:expr) => {
        // SAFETY: the arguments are live objects of one context: every `Value`, `Type`, `Block` and `Builder` borrows
        // it, and erased objects are not used (see the head of this file). If LLVM would access memory of the wrong
        // kind of object, the caller has checked the kind. A pointer and a length are those of a Rust slice or string
        // that outlives the call. A call that needs another reason is an unsafe block with a comment.
        unsafe { $call }
    };
}

mod allocator;
mod archive;
mod assemble;
mod atomic;
mod attribute;
mod bisect;
mod block;
mod builder;
mod child_process;
mod clone;
pub mod crash;
mod diagnose;
mod dominators;
mod enums;
mod features;
mod function;
mod give_back;
mod global;
mod instruction;
mod intrinsic;
pub mod job_server;
mod known_bits;
mod link;
mod machine;
mod module;
mod nodes;
mod pass_plugin;
mod reader;
pub mod reproducer;
mod reshape;
mod rewrite;
mod shim;
mod symbols;
pub mod temporaries;
mod trip_counts;
mod ty;
pub mod users;
mod validate;
mod value;
mod vector;
mod without;
pub mod workarounds;

pub use archive::write_archive;
pub use attribute::{Attribute, Place};
pub use bisect::Bisect;
pub use block::Block;
pub use builder::Builder;
pub use child_process::finish;
pub use clone::Copies;
pub use dominators::Dominators;
pub use enums::{AtomicOperation, IntPredicate, Linkage, Opcode, Ordering, RealPredicate, TypeKind, ValueKind};
pub use features::features;
pub use function::Function;
pub use global::PointerInType;
pub use inkwell::context::Context;
pub use instruction::Frame;
pub use intrinsic::NoIntrinsic;
pub use known_bits::KnownBits;
pub use link::{Definition, Linker, ModuleLinker, definitions};
pub use machine::{
    FileKind, Machine, NO_WRAP_CHECKS, OptLevel, RIGHT_WRAP_CHECKS, SCHEDULER_WINDOW, initialize, prepare,
};
pub use module::Module;
pub use nodes::Node;
pub use pass_plugin::PassPlugin;
pub use reader::{Limit, ReadingLimits, limit, limit_reading, reading_limit, reading_memory};
pub use rewrite::FastMath;
pub use symbols::{Symbol, Visibility, symbols};
pub use ty::{Type, Types};
pub use validate::{InvalidWords, WordRules, validate_words};
pub use value::Value;
pub use without::Without;
