//! Bounds the number of a thread by the promised size of its block.
//!
//! ```text
//! %x = call i32 @__offload_thread_id_x()      =>      %x = call range(i32 0, 256) i32 @__offload_thread_id_x()
//! ```
//!
//! The back ends derive such bounds from the attributes of a kernel, too, but too late for `hoist_checks`: NVIDIA's at
//! the start of LLVM's pipeline, and AMD's when it generates code, after loops have been unrolled.
//!
//! Every runtime refuses a launch with more threads in a block than are promised. Whether another shape with as many
//! threads is refused depends on the driver: NVIDIA's compares it, AMD's does not.

use super::launch_bounds::LaunchBounds;
use crate::contract::builtin::{Axis, DeviceBuiltin};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Module, Value};

/// Bounds the results of the kernels' calls. `shape_is_checked` is true if the driver refuses blocks of another shape.
pub fn bound_threads(module: &Module<'_>, kernels: &KernelSet, shape_is_checked: bool) {
    for axis in Axis::ALL {
        let Some(function) = module.function(DeviceBuiltin::ThreadId(axis).symbol()) else { continue };
        for kernel in kernels.functions(module) {
            let bounds = LaunchBounds::of(kernel);
            let has_shape = shape_is_checked && bounds.size != [0; 3];
            let most = if has_shape { bounds.size[axis.number()] } else { bounds.most_threads() };
            let own = |call: &Value<'_>| most != 0 && call.function() == kernel;
            function.calls().into_iter().filter(own).for_each(|call| call.bound_result(u64::from(most)));
        }
    }
}
