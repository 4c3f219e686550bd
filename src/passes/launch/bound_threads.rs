//! Bounds the number of a thread by the promised size of its block.
//!
//! ```text
//! %x = call i32 @__offload_thread_id_x()      =>      %x = call range(i32 0, 256) i32 @__offload_thread_id_x()
//! ```
//!
//! The back ends derive such bounds from the attributes of a kernel, too, but too late for `hoist_checks`: NVIDIA's at
//! the start of LLVM's pipeline, and AMD's when it generates code, after loops have been unrolled.

use super::launch_bounds::LaunchBounds;
use crate::contract::builtin::{Axis, DeviceBuiltin};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Module, Value};

/// Bounds the results of the kernels' calls.
pub fn bound_threads(module: &Module<'_>, kernels: &KernelSet) {
    for axis in Axis::ALL {
        let Some(function) = module.function(DeviceBuiltin::ThreadId(axis).symbol()) else { continue };
        for kernel in kernels.functions(module) {
            let bounds = LaunchBounds::of(kernel);
            let most = if bounds.size == [0; 3] { bounds.most_threads() } else { bounds.size[axis.number()] };
            let own = |call: &Value<'_>| most != 0 && call.function() == kernel;
            function.calls().into_iter().filter(own).for_each(|call| call.bound_result(u64::from(most)));
        }
    }
}
