//! Links functions of other objects with the kernels of a generic image.

use super::parts::{end_linking, linkable};
use super::split::functions_entry;
use crate::analysis::reach::Reach;
use crate::contract::abi;
use crate::contract::builtin::LAUNCH_STATE;
use crate::contract::panic_table::{PanicCounts, PanicTable};
use crate::contract::queries::LINKED_FUNCTION;
use crate::contract::specialization::SpecializeOptions;
use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::distribution::{GenericImage, LinkableFunctions, Slice, SliceModule};
use crate::error::{Failure, Result};
use crate::llvm::{Context, Function, Module};
use crate::passes::host::link_functions::{LinkedFunctions, link_functions};
use crate::passes::launch::launch_state::takes_launch_state;
use crate::passes::pass::{Passes, pass};

/// The numbers of panics of linked functions are above this number, which no object's own reach.
const LINKED_PANICS: u32 = abi::LINKED_PANICS;

/// A slice with the functions of other objects.
pub struct LinkedSlice {
    /// The slice.
    pub slice: Slice,
    /// The meaning of the numbers of the functions' panics, from [`LINKED_PANICS`] on.
    pub panics: PanicTable,
}

/// The functions of the other image as a separate image, for the checks of archs.
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
        Some(functions) if functions.faults.len() == functions.count => {
            Err(functions.faults.iter().flat_map(|fault| fault.found.clone()).collect())
        }
        Some(functions) => Ok(functions),
    }
}

/// The functions that are left out of linked code.
pub fn left_out(functions: &LinkableFunctions) -> impl Iterator<Item = Diagnostic> {
    const WHY: &str = "it is left out, and a kernel that is given it does not find it";
    let found = functions.faults.iter().flat_map(|fault| &fault.found);
    found.map(|found| Diagnostic { severity: Severity::Warning, ..found.clone() }.note(WHY))
}

/// Whether functions of these images call functions by their numbers.
fn calls_functions(linked: &[GenericImage]) -> Result<bool> {
    for functions in linked.iter().filter_map(|image| image.functions.as_ref()).filter(|own| !own.bitcode.is_empty()) {
        let context = Context::create();
        if Module::from_bitcode(&context, &functions.bitcode, "functions")?.function(LINKED_FUNCTION).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The functions of `image` that functions of the other images may be given: all, if one of these calls functions by
/// their numbers.
fn own_functions<'a>(image: &'a GenericImage, linked: &[GenericImage]) -> Result<Option<&'a LinkableFunctions>> {
    let own = image.functions.as_ref().filter(|own| own.faults.len() < own.count);
    Ok(if calls_functions(linked)? { own } else { None })
}

/// The functions of `image` that are left out where functions of the other images call functions that are passed to
/// them.
pub fn own_left_out(image: &GenericImage, linked: &[GenericImage]) -> Result<Vec<Diagnostic>> {
    const WHY: &str = "it is in the object of the kernel; a linked function that is given it does not find it";
    let own = if calls_functions(linked)? { image.functions.as_ref() } else { None };
    let found = own.iter().flat_map(|own| &own.faults).flat_map(|fault| &fault.found);
    Ok(found.map(|found| Diagnostic { severity: Severity::Warning, ..found.clone() }.note(WHY)).collect())
}

/// The slice of `image` with the functions of the other images.
pub fn link_slice(
    passes: &Passes,
    image: &GenericImage,
    linked: &[GenericImage],
    options: &SpecializeOptions,
) -> Result<LinkedSlice, Failure<Diagnostic>> {
    let slice = &image.slice;
    let mut panics = PanicTable::default();
    if linked.is_empty() {
        return Ok(LinkedSlice { slice: slice.clone(), panics });
    }
    if let Some(other) = linked.iter().find(|other| other.slice.platform != slice.platform) {
        let (own, other) = (slice.platform.name(), other.slice.platform.name());
        return Err(refused(format!("the image is for {own}, and a linked image for {other}")));
    }
    let mut with: Vec<&LinkableFunctions> = linked.iter().filter_map(|image| image.functions.as_ref()).collect();
    with.extend(own_functions(image, linked)?);
    let (mut modules, mut is_any) = (Vec::new(), false);
    for own in &slice.modules {
        let context = Context::create();
        let module = linkable(&context, own, &slice.kernels)?;
        let Some(question) = module.function(LINKED_FUNCTION) else {
            modules.push(own.clone());
            continue;
        };
        is_any = true;
        let others = others(&context, &with, slice)?;
        let needs_state = others.iter().any(|other| other.module.function(LAUNCH_STATE).is_some_and(|f| f.is_used()));
        let names = own.kernels.iter().map(|kernel| &slice.kernels[*kernel]);
        let kept = names.filter(|kernel| options.keeps(&kernel.name));
        // Other kernels of the module call no functions of other objects.
        let calls = |kernel: Function<'_>| Reach::new(&[kernel]).order.contains(&*question);
        let lacks = |kernel: Function<'_>| !takes_launch_state(kernel) && calls(kernel);
        let lacks = |name: &str| module.function(name).is_some_and(lacks);
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
    with.iter().for_each(|functions| panics.append(functions.panics.clone()));
    Ok(LinkedSlice { slice: Slice { modules, ..slice.clone() }, panics })
}

/// The modules of the functions, whose names do not clash with those of others.
fn others<'c>(context: &'c Context, with: &[&LinkableFunctions], slice: &Slice) -> Result<Vec<LinkedFunctions<'c>>> {
    let mut before = PanicCounts { messages: LINKED_PANICS, places: LINKED_PANICS };
    let one = |functions: &&LinkableFunctions| {
        let PanicCounts { messages, places } = functions.panics.counts();
        let next = PanicCounts { messages: before.messages + messages, places: before.places + places };
        let before = std::mem::replace(&mut before, next);
        let module = SliceModule { kernels: Vec::new(), before, bitcode: functions.bitcode.clone() };
        let module = linkable(context, &module, &slice.kernels)?;
        Ok(LinkedFunctions { module, first: functions.first, count: functions.count })
    };
    with.iter().map(one).collect()
}

fn refused(message: String) -> Failure<Diagnostic> {
    Failure::Reason(Diagnostic::coded(Code::NotLinkable, message))
}

/// The meaning of the numbers as a text for the runtime: how many messages there are, then the messages and the places,
/// each with its length. `2:5:first,6:second,12:src/a.rs:7:5,`
pub fn panic_text(panics: &PanicTable) -> String {
    let messages = panics.messages().iter().map(|message| message.replace('\0', ""));
    let places = panics.places().iter().map(|place| format!("{}:{}:{}", place.file, place.line, place.column));
    let texts: String = messages.chain(places).map(|text| format!("{}:{text},", text.len())).collect();
    format!("{}:{texts}", panics.messages().len())
}
