//! What a launch gives a kernel: its arguments, its state, its promised size of a block.

pub mod launch_bounds;
pub mod launch_state;
pub mod lower_kernel_abi;
