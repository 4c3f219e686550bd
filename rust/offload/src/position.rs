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

impl Position {
    /// The index along x, in the first row and layer of the launch.
    #[inline]
    pub(crate) fn index_1d(&self) -> Option<usize> {
        let first_row = (self.thread_id[1] | self.thread_id[2] | self.block_id[1] | self.block_id[2]) == 0;
        first_row.then_some(self.block_id[0] as usize * self.block_dim[0] as usize + self.thread_id[0] as usize)
    }

    /// Whether an index is one of this thread's in a grid-stride loop; the first is [`index_1d`](Self::index_1d).
    pub(crate) fn has_index(&self, index: usize) -> bool {
        let step = self.grid_dim[0] as usize * self.block_dim[0] as usize;
        let is_own = |own| index == own || (index > own && (index - own).is_multiple_of(step));
        self.index_1d().is_some_and(is_own)
    }
}

/// The position of a plain call: one thread in one block.
const ALONE: Position = Position { thread_id: [0; 3], block_id: [0; 3], block_dim: [1; 3], grid_dim: [1; 3] };

std::thread_local! {
    static POSITION: Cell<Position> = const { Cell::new(ALONE) };
}

/// The position of the calling thread.
#[inline]
pub(crate) fn position() -> Position {
    POSITION.get()
}

/// Sets the position that [`position`] returns in this thread of the system.
#[inline]
pub(crate) fn set_position(position: Position) {
    POSITION.set(position);
}
