//! The shape of a launch.

/// The shape of a launch: blocks in the grid, threads in a block, and launch-sized shared memory.
///
/// ```
/// use offload::Grid;
///
/// let line = Grid::for_len(1000, 256).with_shared_bytes(1024);
/// assert_eq!((line.grid_dim, line.block_dim, line.shared_mem_bytes), ((4, 1, 1), (256, 1, 1), 1024));
/// let image = Grid::for_rows(640, 480, (16, 16));
/// assert_eq!((image.grid_dim, image.block_dim), ((40, 30, 1), (16, 16, 1)));
/// ```
#[doc(alias("dim3", "gridDim", "blockDim"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// The number of blocks along x, y and z; none may be 0.
    pub grid_dim: (u32, u32, u32),
    /// The number of threads of a block along x, y and z; none may be 0.
    pub block_dim: (u32, u32, u32),
    /// Bytes of [`shared::dynamic`](crate::shared::dynamic) for each block.
    pub shared_mem_bytes: u32,
    /// The size in bytes of the heap from which the threads of the launch allocate (`Box`, `Vec`, `String`). A thread
    /// that finds no room panics. Later launches reuse the memory, unless the kernel could have stored a reference to
    /// it (`Box::leak`) in a static or, on the CPU, through the captures of a closure. Such a heap is never freed.
    pub heap_bytes: u64,
}

/// The short name of [`LaunchConfig`].
///
/// ```
/// use offload::{Grid, LaunchConfig};
///
/// assert_eq!(Grid::for_len(1000, 256), LaunchConfig::for_len(1000, 256));
/// ```
pub type Grid = LaunchConfig;

impl LaunchConfig {
    /// Returns a grid of as many blocks and threads of a block along x, y and z: CUDA's `<<<grid, block>>>`.
    ///
    /// ```
    /// use offload::Grid;
    ///
    /// assert_eq!(Grid::new((4, 1, 1), (256, 1, 1)), Grid::for_len(1000, 256));
    /// ```
    #[doc(alias("<<<", "dim3"))]
    pub const fn new(grid_dim: (u32, u32, u32), block_dim: (u32, u32, u32)) -> Self {
        LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0, heap_bytes: 0 }
    }

    /// Returns a grid of blocks of `block` threads along x. It has as many blocks as `len` threads need, and at least
    /// one. If these are more blocks than a `u32` counts, the grid has 0 blocks, and each launch with it fails; so does
    /// a launch with blocks of 0 threads.
    ///
    /// ```
    /// let grid = offload::Grid::for_len(1000, 256);
    /// assert_eq!((grid.grid_dim, grid.block_dim), ((4, 1, 1), (256, 1, 1)));
    /// ```
    pub const fn for_len(len: usize, block: u32) -> Self {
        Self::new((blocks_for(len, block), 1, 1), (block, 1, 1))
    }

    /// Returns a grid of blocks of 256 threads along x, with as many blocks as `count` threads need.
    ///
    /// ```
    /// use offload::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::for_num_elems(1000), LaunchConfig::for_len(1000, 256));
    /// ```
    pub const fn for_num_elems(count: u32) -> Self {
        Self::for_len(count as usize, 256)
    }

    /// Returns a grid of two-dimensional blocks of `block` threads (x, y), with as many blocks as `columns` times
    /// `rows` threads need.
    ///
    /// ```
    /// let grid = offload::Grid::for_rows(640, 480, (16, 16));
    /// assert_eq!((grid.grid_dim, grid.block_dim), ((40, 30, 1), (16, 16, 1)));
    /// ```
    pub const fn for_rows(columns: usize, rows: usize, block: (u32, u32)) -> Self {
        Self::new((blocks_for(columns, block.0), blocks_for(rows, block.1), 1), (block.0, block.1, 1))
    }

    /// Returns a grid of three-dimensional blocks of `block` threads (x, y, z), with as many blocks as `columns` times
    /// `rows` times `layers` threads need.
    ///
    /// ```
    /// let grid = offload::Grid::for_layers(64, 64, 30, (8, 8, 4));
    /// assert_eq!((grid.grid_dim, grid.block_dim), ((8, 8, 8), (8, 8, 4)));
    /// ```
    pub const fn for_layers(columns: usize, rows: usize, layers: usize, block: (u32, u32, u32)) -> Self {
        let plane = Self::for_rows(columns, rows, (block.0, block.1)).grid_dim;
        Self::new((plane.0, plane.1, blocks_for(layers, block.2)), block)
    }

    /// Returns the same shape with this many bytes of launch-sized shared memory for each block.
    ///
    /// ```
    /// assert_eq!(offload::Grid::for_len(1000, 256).with_shared_bytes(1024).shared_mem_bytes, 1024);
    /// ```
    #[doc(alias = "shared_mem_bytes")]
    pub const fn with_shared_bytes(self, bytes: u32) -> Self {
        LaunchConfig { shared_mem_bytes: bytes, ..self }
    }

    /// Returns the same shape with a heap of this many bytes, from which all threads together allocate. A launch of a
    /// kernel that allocates, without a heap, is an error that proposes a number.
    ///
    /// ```
    /// assert_eq!(offload::Grid::for_len(1000, 256).with_heap_bytes(1 << 20).heap_bytes, 1 << 20);
    /// ```
    #[doc(alias = "cudaLimitMallocHeapSize")]
    pub const fn with_heap_bytes(self, bytes: usize) -> Self {
        LaunchConfig { heap_bytes: bytes as u64, ..self }
    }
}

/// The number of blocks of `block` threads that `len` threads need, at least 1; 0, which no launch has, if it is no
/// `u32`. A smaller number would leave elements without a thread.
const fn blocks_for(len: usize, block: u32) -> u32 {
    if block == 0 {
        return 1;
    }
    match len.div_ceil(block as usize) {
        0 => 1,
        blocks if blocks > u32::MAX as usize => 0,
        blocks => blocks as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_blocks_than_a_number_counts_are_none() {
        let most = u32::MAX as usize;
        for (len, block, blocks) in [
            (0, 1, 1),
            (most, 1, u32::MAX),
            (most + 1, 1, 0),
            (256 * most, 256, u32::MAX),
            (256 * most + 1, 256, 0),
            (usize::MAX, 1024, 0),
            (usize::MAX, u32::MAX, 0),
            (5, 0, 1),
        ] {
            assert_eq!(Grid::for_len(len, block).grid_dim, (blocks, 1, 1), "{len} by {block}");
            assert_eq!(Grid::for_rows(len, 1, (block, 1)).grid_dim, (blocks, 1, 1), "{len} by {block}");
            assert_eq!(Grid::for_rows(1, len, (1, block)).grid_dim, (1, blocks, 1), "{len} by {block}");
            assert_eq!(Grid::for_layers(1, 1, len, (1, 1, block)).grid_dim, (1, 1, blocks), "{len} by {block}");
        }
    }
}
