//! Where things stand in the user's own source.

use crate::diagnostics::Location;
use crate::llvm::{Frame, Value};
use crate::rust_std::demangle::demangle;

/// The innermost place of an instruction that lies in the user's own source rather than in Rust's libraries.
pub fn user_location(instruction: Value<'_>) -> Option<Location> {
    let all = instruction.frames();
    let user = all.iter().find(|frame| !is_library_source(&frame.file)).or(all.first())?;
    Some(place(user))
}

/// The place of one frame, when it is the user's.
pub fn location_of(frame: &Frame) -> Option<Location> {
    (frame.line != 0 && !is_library_source(&frame.file)).then(|| place(frame))
}

fn place(frame: &Frame) -> Location {
    Location { file: frame.file.clone(), line: frame.line, column: frame.column }
}

/// The innermost place of an instruction in the user's own functions: neither in Rust's libraries nor in the crate that
/// kernels are written with.
pub fn own_location(instruction: Value<'_>) -> Option<Location> {
    instruction.frames().iter().find(|frame| is_own(frame)).map(place)
}

/// The place in the kernel's own source of the call that leads to an instruction, where that is another place.
pub fn call_location(instruction: Value<'_>) -> Option<Location> {
    let outermost = instruction.frames().iter().rfind(|frame| is_own(frame)).map(place);
    outermost.filter(|outermost| Some(outermost) != own_location(instruction).as_ref())
}

fn is_own(frame: &Frame) -> bool {
    frame.line != 0 && !is_library_source(&frame.file) && !is_of_the_crate(&frame.function)
}

/// Whether a function, by its symbol, is one of the crate's `offload`, and none of a user's for one of its traits.
fn is_of_the_crate(symbol: &str) -> bool {
    let path = demangle(symbol);
    let path = path.trim_start_matches(['<', '&']);
    let of_a_parameter = || path.split_once(" as offload::").is_some_and(|(ty, _)| !ty.contains("::"));
    path.starts_with("offload::") || of_a_parameter()
}

/// The first place inside a function: the best there is for the function itself.
pub fn function_location(function: Value<'_>) -> Option<Location> {
    if function.is_declaration() {
        return None;
    }
    function.instructions().find_map(user_location)
}

/// Whether a place lies in Rust's own libraries.
pub fn is_library_source(file: &str) -> bool {
    // With the sources remapped, as in rustc's own builds, the paths are relative.
    let folders = ["library/core/", "library/std/", "library/alloc/"];
    let inside = |folder: &str| file.starts_with(folder) || file.contains(&format!("/{folder}"));
    file.starts_with("/rustc/") || folders.into_iter().any(inside)
}
