//! Source locations in the user's own code.

use crate::diagnostics::Location;
use crate::llvm::{Frame, Function, Value};
use crate::rust_std::demangle::demangle;
use crate::rust_std::owner::is_of;

/// The innermost location of an instruction in the user's own source, and not in Rust's libraries.
pub fn user_location(instruction: Value<'_>) -> Option<Location> {
    let all = instruction.frames();
    let user = all.iter().find(|frame| !is_library_source(&frame.file)).or(all.first())?;
    Some(place(user))
}

/// The location of a frame, if it is in the user's source.
pub fn location_of(frame: &Frame) -> Option<Location> {
    (frame.line != 0 && !is_library_source(&frame.file)).then(|| place(frame))
}

fn place(frame: &Frame) -> Location {
    let Frame { file, folder, line, column, function: _ } = frame;
    Location { file: file.clone(), folder: folder.clone(), line: *line, column: *column }
}

/// The innermost location of an instruction in the user's own functions: neither in Rust's libraries nor in the
/// `offload` crate.
pub fn own_location(instruction: Value<'_>) -> Option<Location> {
    instruction.frames().iter().find(|frame| is_own(frame)).map(place)
}

/// The innermost frame in the user's own functions, of the frames of an instruction.
pub fn user_frame(frames: &[Frame]) -> Option<&Frame> {
    frames.iter().find(|frame| is_own(frame))
}

/// Whether a function, by its symbol, belongs to one of Rust's own libraries or to the crate `offload`.
pub fn is_of_a_library(symbol: &str) -> bool {
    is_of(symbol, &["core", "alloc", "std"]) || is_of_the_crate(symbol)
}

/// The location, in the kernel's own source, of the call that leads to an instruction, if it differs from the
/// instruction's.
pub fn call_location(instruction: Value<'_>) -> Option<Location> {
    let outermost = instruction.frames().iter().rfind(|frame| is_own(frame)).map(place);
    outermost.filter(|outermost| Some(outermost) != own_location(instruction).as_ref())
}

fn is_own(frame: &Frame) -> bool {
    frame.line != 0 && !is_library_source(&frame.file) && !is_of_the_crate(&frame.function)
}

/// Whether a function, by its symbol, belongs to the crate `offload`. A user's implementation of one of its traits does
/// not.
fn is_of_the_crate(symbol: &str) -> bool {
    let path = demangle(symbol);
    let path = path.trim_start_matches(['<', '&']);
    let of_a_parameter = || path.split_once(" as offload::").is_some_and(|(ty, _)| !ty.contains("::"));
    path.starts_with("offload::") || of_a_parameter()
}

/// The first location in a function, as the location of the function.
pub fn function_location(function: Function<'_>) -> Option<Location> {
    if function.is_declaration() {
        return None;
    }
    function.instructions().find_map(user_location)
}

/// Whether a file belongs to Rust's own libraries.
pub fn is_library_source(file: &str) -> bool {
    // In rustc's own builds, source paths are remapped and therefore relative.
    let folders = ["library/core/", "library/std/", "library/alloc/"];
    let inside = |folder: &str| file.starts_with(folder) || file.contains(&format!("/{folder}"));
    file.starts_with("/rustc/") || folders.into_iter().any(inside)
}
