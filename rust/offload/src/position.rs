//! The position of a thread that runs a kernel as code of the host.

use core::cell::Cell;

/// The position of a thread in its launch, with the launch's dimensions.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) thread_id: [u32; 3],
    pub(crate) block_id: [u32; 3],
    pub(crate) block_dim: [u32; 3],
    pub(crate) grid_dim: [u32; 3],
}

/// The position of a plain call: one thread in one block.
const ALONE: Position = Position { thread_id: [0; 3], block_id: [0; 3], block_dim: [1; 3], grid_dim: [1; 3] };

std::thread_local! {
    static POSITION: Cell<Position> = const { Cell::new(ALONE) };
}

/// The position of the calling thread.
pub(crate) fn position() -> Position {
    POSITION.get()
}

/// Sets what [`position`] returns in this thread of the system.
pub(crate) fn set_position(position: Position) {
    POSITION.set(position);
}
