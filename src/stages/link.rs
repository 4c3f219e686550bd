//! Links functions of other objects with the kernels of a generic image.

use super::parts::{end_linking, linkable};
use super::split::functions_entry;
use crate::contract::abi;
use crate::contract::builtin::LAUNCH_STATE;
use crate::contract::panic_table::PanicCounts;
use crate::contract::queries::LINKED_FUNCTION;
use crate::contract::specialization::SpecializeOptions;
use crate::diagnostics::{Code, Diagnostic};
use crate::distribution::{GenericImage, LinkableFunctions, Slice, SliceModule};
use crate::error::{Failure, Result};
use crate::llvm::Context;
use crate::passes::host::link_functions::{LinkedFunctions, link_functions};
use crate::passes::launch::launch_state::takes_launch_state;
use crate::passes::pass::{Passes, pass};

/// The numbers of panics of linked functions are above this number, which no object's own reach. The object of the kernel
/// has no text for them: `OFFLOAD_LINKED_PANICS` of the runtime.
const LINKED_PANICS: PanicCounts = PanicCounts { messages: abi::LINKED_PANICS, places: abi::LINKED_PANICS };

/// The functions of the other image as an image of its own, for the checks of archs.
pub fn as_image(image: &GenericImage, functions: &LinkableFunctions) -> GenericImage {
    let before = PanicCounts::default();
    let module = SliceModule { kernels: vec![0], before, bitcode: functions.bitcode.clone() };
    let slice = Slice { modules: vec![module], kernels: vec![functions_entry()].into(), ..image.slice.clone() };
    GenericImage { slice, refusals: functions.refusals.clone(), functions: None }
}

/// The functions of an image that kernels of others can call, or why there are none.
pub fn functions(image: &GenericImage) -> Result<&LinkableFunctions, Vec<Diagnostic>> {
    match &image.functions {
        None => Err(vec![
            Diagnostic::coded(Code::NotLinkable, "a linked image has no functions that are passed as values")
                .help("name the object that passes the function"),
        ]),
        Some(functions) if !functions.faults.is_empty() => Err(functions.faults.clone()),
        Some(functions) => Ok(functions),
    }
}

/// The slice of `image` with the functions of the other images.
pub fn link_slice(
    passes: &Passes,
    image: &GenericImage,
    linked: &[GenericImage],
    options: &SpecializeOptions,
) -> Result<Slice, Failure<Diagnostic>> {
    let slice = &image.slice;
    if linked.is_empty() {
        return Ok(slice.clone());
    }
    if let Some(other) = linked.iter().find(|other| other.slice.platform != slice.platform) {
        let (own, other) = (slice.platform.name(), other.slice.platform.name());
        return Err(refused(format!("the image is for {own}, and a linked image for {other}")));
    }
    let mut with: Vec<&LinkableFunctions> = linked.iter().filter_map(|image| image.functions.as_ref()).collect();
    // A function of another object may be given one of this object.
    with.extend(image.functions.as_ref().filter(|own| own.faults.is_empty()));
    let (mut modules, mut is_any) = (Vec::new(), false);
    for own in &slice.modules {
        let context = Context::create();
        let module = linkable(&context, own, &slice.kernels)?;
        if module.function(LINKED_FUNCTION).is_none() {
            modules.push(own.clone());
            continue;
        }
        is_any = true;
        let others = others(&context, &with, slice)?;
        let needs_state = others.iter().any(|other| other.module.function(LAUNCH_STATE).is_some_and(|f| f.is_used()));
        let names = own.kernels.iter().map(|kernel| &slice.kernels[*kernel]);
        let kept = names.filter(|kernel| options.keeps(&kernel.name));
        let lacks = |name: &str| module.function(name).is_some_and(|kernel| !takes_launch_state(kernel));
        if let Some(kernel) = kept.filter(|_| needs_state).find(|kernel| lacks(&kernel.name)) {
            let name = &kernel.display;
            return Err(refused(format!("the linked functions report panics, and kernel `{name}` does not")));
        }
        pass!(passes, link_functions(&module, others)?)?;
        end_linking(&module);
        modules.push(SliceModule { bitcode: module.bitcode(), ..own.clone() });
    }
    if !is_any {
        return Err(refused("no kernel of the image calls functions by their numbers".to_owned()));
    }
    Ok(Slice { modules, recurses: true, ..slice.clone() })
}

/// The modules of the functions, whose names do not clash with those of others.
fn others<'c>(context: &'c Context, with: &[&LinkableFunctions], slice: &Slice) -> Result<Vec<LinkedFunctions<'c>>> {
    let one = |functions: &&LinkableFunctions| {
        let before = LINKED_PANICS;
        let module = SliceModule { kernels: Vec::new(), before, bitcode: functions.bitcode.clone() };
        let module = linkable(context, &module, &slice.kernels)?;
        Ok(LinkedFunctions { module, first: functions.first, count: functions.count })
    };
    with.iter().map(one).collect()
}

fn refused(message: String) -> Failure<Diagnostic> {
    Failure::Reason(Diagnostic::coded(Code::NotLinkable, message))
}
