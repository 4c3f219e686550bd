//! Where things stand in the user's own source.

use crate::diagnostics::Location;
use crate::llvm::Value;

/// The innermost place of an instruction that lies in the user's own source rather than in Rust's libraries.
pub fn user_location(instruction: Value<'_>) -> Option<Location> {
    let all = instruction.locations();
    let user = all.iter().find(|(file, ..)| !is_library_source(file)).or(all.first())?;
    Some(Location { file: user.0.clone(), line: user.1, column: user.2 })
}

/// Where the function that an instruction now stands in is at it: the line of the call when its own code was inlined.
pub fn outer_location(instruction: Value<'_>) -> Option<Location> {
    let (file, line, column) = instruction.locations().pop()?;
    Some(Location { file, line, column })
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
