//! The numbers of threads in their block and of blocks in the grid, and the leader of a block. The module `block`
//! exports them; `warp` and `slice` use them too.

use core::marker::PhantomData;

use crate::thread::{NOWHERE, block_dim, block_id, grid_dim, id, is_compiled};

/// The number of this thread in its block, from 0.
///
/// ```
/// use offload::{Grid, block, run_on_host, thread};
///
/// let grid = Grid::for_rows(2, 3, (2, 3));
/// run_on_host(grid, || assert_eq!(block::thread_rank(), thread::id::x() + 2 * thread::id::y()));
/// ```
#[doc(alias = "thread_block")]
#[inline(always)]
pub fn thread_rank() -> u32 {
    if !is_compiled() {
        let row = id::y().wrapping_add(block_dim::y().wrapping_mul(id::z()));
        return id::x().wrapping_add(block_dim::x().wrapping_mul(row));
    }
    // SAFETY: the number of threads of a block fits in a `u32`, or no device runs it, and this thread is one of them.
    unsafe {
        let row = id::y().unchecked_add(block_dim::y().unchecked_mul(id::z()));
        id::x().unchecked_add(block_dim::x().unchecked_mul(row))
    }
}

/// The number of threads in a block, along x, y and z together.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_rows(2, 3, (2, 3)), || assert_eq!(block::num_threads(), 6));
/// ```
#[doc(alias = "group_size")]
#[inline(always)]
pub fn num_threads() -> u32 {
    block_dim::x().wrapping_mul(block_dim::y()).wrapping_mul(block_dim::z())
}

/// The permission of one thread of each block to access the block's element of a
/// [`DisjointBlocks`](crate::DisjointBlocks). Only [`leader`] makes one, and it cannot be sent to another thread.
///
/// ```
/// use offload::{Grid, block, run_on_host, thread};
///
/// run_on_host(Grid::for_len(6, 3), || {
///     assert_eq!(block::leader().is_some(), thread::id::x() == 0);
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leader {
    block: usize,
    own: PhantomData<*const ()>,
}

impl Leader {
    /// The number of its block in the grid, from 0: x first, then y, then z.
    ///
    /// ```
    /// use offload::{Grid, block, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(6, 3), || {
    ///     if let Some(leader) = block::leader() {
    ///         assert_eq!(leader.block(), thread::block_id::x() as usize);
    ///     }
    /// });
    /// ```
    #[inline(always)]
    pub fn block(self) -> usize {
        self.block
    }

    /// The number, for an access, as [`Index::own`](crate::thread::Index).
    #[inline(always)]
    #[track_caller]
    pub(crate) fn own(self) -> usize {
        if !is_compiled() {
            assert!(leader() == Some(self), "this thread is not the leader of the block");
        }
        self.block
    }
}

/// Returns the block's [`Leader`] in the first thread of the block, and `None` in the others.
///
/// ```
/// use offload::{DisjointBlocks, block, thread};
///
/// fn count(mut threads: DisjointBlocks<u32>) {
///     if let Some(threads) = block::leader().and_then(|leader| threads.get_mut(leader)) {
///         *threads = block::num_threads();
///     }
/// }
///
/// let mut threads = [0];
/// count(DisjointBlocks::from(&mut threads[..]));
/// assert_eq!(threads, [1]); // called as a function, there is one thread
/// ```
#[inline(always)]
pub fn leader() -> Option<Leader> {
    let first = (id::x() | id::y() | id::z()) == 0;
    first.then(|| Leader { block: number(), own: PhantomData })
}

/// The index of the block. If the row does not fit in 32 bits, the index could overflow. Such a block gets an index
/// that is larger than any slice, so that no two blocks get the same element.
#[inline(always)]
fn number() -> usize {
    let row = block_id::y() as usize + grid_dim::y() as usize * block_id::z() as usize;
    if row > u32::MAX as usize { NOWHERE } else { block_id::x() as usize + grid_dim::x() as usize * row }
}
