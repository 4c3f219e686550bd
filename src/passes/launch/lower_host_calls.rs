//! Implements `__offload_call_host`: calls of the host from kernels, through a mailbox in memory that both sides see.
//!
//! `mailbox.ll` is the device's side of the protocol of docs/runtime.md, and `runtime-c/launch/host_calls.c` the
//! host's. The CPU's code calls the host without a mailbox: `targets/cpu/abi/host_calls.rs` replaces the function.

use crate::analysis::callees::AddressTaken;
use crate::analysis::reach::Reach;
use crate::contract::abi::{self, HostCallStatus};
use crate::contract::builtin::{CALL_HOST, LAUNCH_STATE};
use crate::contract::kernel::KernelSet;
use crate::contract::symbols::HOST_MAILBOX;
use crate::error::Result;
use crate::llvm::{Attribute, Builder, Linkage, Module, Place};

/// See `mailbox.ll`.
const MAILBOX: &str = include_str!("mailbox.ll");
const _: () = assert!(size_of::<abi::HostCall>() == 1024, "mailbox.ll multiplies by the size of a slot");
const _: () = assert!(abi::MAILBOX_SLOTS == 128, "mailbox.ll masks with 127");
const _: () = assert!(abi::HOST_CALL_BYTES == 896, "mailbox.ll compares with it");
const _: () = assert!(
    HostCallStatus::Done as u32 == 0 && HostCallStatus::NoHost as u32 == 2 && HostCallStatus::TooLarge as u32 == 3,
    "mailbox.ll returns them"
);

/// Defines `__offload_call_host` if the module calls it. Returns whether each kernel does, in the order of the kernels.
pub fn lower_host_calls(module: &Module<'_>, kernels: &KernelSet) -> Result<Vec<bool>> {
    let declared = module.function(CALL_HOST).filter(|f| f.is_declaration() && f.is_used());
    let Some(function) = declared else { return Ok(vec![false; kernels.len()]) };
    let addressed = AddressTaken::of(module);
    let reaches = |name: &str| {
        module.function(name).is_some_and(|f| Reach::of_execution(f, &addressed).order.contains(&function))
    };
    let calls = kernels.iter().map(|kernel| reaches(&kernel.name)).collect();
    let pointer = module.types().ptr(0);
    let state = module.declare(LAUNCH_STATE, pointer.function(&[]));
    ["nounwind", "willreturn"].into_iter().for_each(|name| state.mark(name));
    // memory(none): the address is the same during the whole launch.
    state.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
    let ty = function.function_type();
    let mailbox = module.declare(HOST_MAILBOX, ty.result().function(&[&[pointer], &ty.parameters()[..]].concat()));
    let builder = Builder::at_end(function.append_block("entry"));
    let state = builder.call(state, &[], "");
    builder.ret(builder.call(mailbox, &[&[state], &function.parameters()[..]].concat(), ""));
    function.remove_attribute(Place::Function, "memory");
    function.make_inlined();
    module.link_text(&abi::fill_in_offsets(MAILBOX), "the mailbox")?;
    if let Some(mailbox) = module.function(HOST_MAILBOX) {
        mailbox.set_linkage(Linkage::Internal);
    }
    Ok(calls)
}
