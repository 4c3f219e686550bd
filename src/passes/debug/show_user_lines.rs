//! Gives each instruction the line of the user's source that it belongs to, for the counts of a profile.
//!
//! The location of an inlined instruction is a list: the line in a library, and the lines of the calls that led to it.
//! Line tables of PTX have the first one only, which is in `core` or in the crate `offload` for most instructions of a
//! kernel. This pass removes the locations in libraries from the front of each list. Code that no line of the user
//! leads to, such as the reading of a kernel's arguments, gets the line 0, which LLVM has for code without a line.

use crate::analysis::location::user_frame;
use crate::contract::profile::mark_profiled;
use crate::llvm::Module;

/// Changes the locations of all instructions.
pub fn show_user_lines(module: &Module<'_>) {
    for instruction in module.definitions().flat_map(|function| function.instructions()) {
        let frames = instruction.frames();
        let Some(outermost) = frames.last() else { continue };
        match user_frame(&frames) {
            Some(user) => instruction.keep_outer_location(frames.iter().position(|frame| std::ptr::eq(frame, user))),
            None if outermost.line != 0 => instruction.keep_outer_location(None),
            None => {}
        }
    }
    mark_profiled(module);
}
