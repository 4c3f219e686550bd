//! The options of the vectoriser, which describe a kernel and the processor.

/// When threads are vectorised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Where it is faster, as far as can be known beforehand.
    Auto,
    /// Wherever it is possible, which tests the vectoriser.
    Always,
    /// Nowhere, because this option says so.
    Never(&'static str),
}

/// The options of the vectoriser.
#[derive(Clone, Copy)]
pub(crate) struct VectorOptions {
    /// Whether code is executed in vectors.
    pub(crate) when: When,
    /// The option with which warps have versions for groups.
    pub(crate) large_warps: &'static str,
    /// Whether vectors have 256 bits or more.
    pub(crate) long_vectors: bool,
    /// Whether loops may become longer code.
    pub(crate) unrolls: bool,
    /// Whether there are stores of a vector's elements to different places, under a mask.
    pub(crate) scatters: bool,
    /// The x dimension of blocks that the kernel promises, or 0.
    pub(crate) promised: u32,
    /// Whether they are lanes of a warp, whose first thread has a number that is a multiple of that of the lanes.
    pub(crate) of_warp: bool,
}
