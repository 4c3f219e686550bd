//! The position of the thread as two more arguments of a kernel, which a debugger shows in code that is not optimised.

use std::mem::offset_of;

use crate::contract::abi::CpuBlock;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Attribute, Builder, Module, Place};
use crate::spmd::position;

/// `UWTableKind::Async`: how to find a function's caller is known at each of its instructions.
const EVERYWHERE: u64 = 2;

/// Adds the numbers of the block and of the thread to the arguments of each kernel that debug information describes.
/// Backtraces pass through all functions, also through those that do not unwind.
pub(super) fn show_position(module: &Module<'_>, kernels: &KernelSet) {
    let table = Attribute::Enum("uwtable", EVERYWHERE);
    module.definitions().for_each(|function| function.add_attribute(Place::Function, &table));
    for function in kernels.functions(module).filter(|function| function.has_subprogram()) {
        let [block, x, y, z] = position::position(function, 0);
        let builder = Builder::at_start(function.blocks()[0]);
        let field = offset_of!(CpuBlock, block_id);
        let block = [0, 4, 8].map(|at| position::load_block(&builder, block, x.ty(), field + at));
        function.declare_position("block_id", block);
        function.declare_position("thread_id", [x, y, z]);
    }
}
