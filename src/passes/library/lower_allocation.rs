//! Implements the functions that allocate for `Box`, `Vec` and `String`, with the heap of the launch.
//!
//! Before, they are declarations with the attributes of an allocator, so that the optimiser can remove allocations.
//! Their bodies are in `heap.ll`.

use crate::analysis::callees::AddressTaken;
use crate::analysis::reach::Reach;
use crate::contract::abi;
use crate::contract::builtin::LAUNCH_STATE;
use crate::contract::kernel::KernelSet;
use crate::error::Result;
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Place};
use crate::rust_std::allocator::{FUNCTIONS, VERSION, allocator_name, is_allocator};

/// See `heap.ll`.
const HEAP: &str = include_str!("heap.ll");
const _: () = assert!(abi::HEAP_UNIT == 16, "heap.ll shifts by 4 and rounds with 15");

/// How a kernel uses the heap of its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapUse {
    /// Nothing that it may call allocates.
    None,
    /// A function allocates that it may call through a pointer.
    Possible,
    /// It names a function that allocates.
    Needed,
}

/// Defines the functions of the allocator that `module` declares. Returns how each kernel uses the heap, in the order
/// of the kernels.
pub fn lower_allocation(module: &Module<'_>, kernels: &KernelSet) -> Result<Vec<HeapUse>> {
    let declared = |f: &Function<'_>| f.is_declaration() && is_allocator(&f.name());
    let functions: Vec<_> = module.functions().into_iter().filter(declared).collect();
    let takes = |f: &Function<'_>| !f.function_type().result().is_void();
    let taking: Vec<_> = functions.iter().copied().filter(takes).map(|f| *f).collect();
    let addressed = AddressTaken::of(module);
    let has_taking = |reach: Reach<'_>| reach.order.iter().any(|global| taking.contains(global));
    let heap_use = |kernel: Function<'_>| match () {
        () if has_taking(Reach::new(&[kernel])) => HeapUse::Needed,
        () if has_taking(Reach::of_execution(kernel, &addressed)) => HeapUse::Possible,
        () => HeapUse::None,
    };
    let kernels = kernels.iter().map(|k| module.function(&k.name).map_or(HeapUse::None, heap_use)).collect();
    functions.iter().for_each(|function| define(module, *function));
    if functions.iter().any(|f| allocator_name(&f.name()).is_some_and(|name| !name.starts_with(VERSION))) {
        module.link_text(&abi::fill_in_offsets(HEAP), "the heap")?;
    }
    for (_, name) in FUNCTIONS {
        match module.function(name) {
            Some(function) if function.is_used() => function.set_linkage(Linkage::Internal),
            Some(function) => function.erase_global(),
            None => {}
        }
    }
    Ok(kernels)
}

/// `return __offload_heap_alloc(__offload_launch_state(), ...);`
fn define<'c>(module: &Module<'c>, function: Function<'c>) {
    let name = allocator_name(&function.name());
    let builder = Builder::at_end(function.append_block("entry"));
    let heap = FUNCTIONS.iter().find(|(own, _)| Some(*own) == name).map(|(_, heap)| *heap);
    let Some(heap) = heap else {
        builder.ret_void();
        return make_inlined(function);
    };
    let (pointer, ty) = (module.types().ptr(0), function.function_type());
    let state = module.declare(LAUNCH_STATE, pointer.function(&[]));
    ["nounwind", "willreturn"].into_iter().for_each(|name| state.mark(name));
    // memory(none): the address is the same during the whole launch.
    state.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
    let heap = module.declare(heap, ty.result().function(&[&[pointer], &ty.parameters()[..]].concat()));
    let result = builder.call(heap, &[&[builder.call(state, &[], "")], &function.parameters()[..]].concat(), "");
    builder.ret_result(Some(result));
    make_inlined(function)
}

fn make_inlined(function: Function<'_>) {
    for name in ["memory", "allockind", "allocsize"] {
        function.remove_attribute(Place::Function, name);
    }
    function.make_inlined();
}
