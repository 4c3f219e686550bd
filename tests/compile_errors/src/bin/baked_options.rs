//! Kernels that are baked: without features, which is right, and with words that there are not.

use offload::kernel;

#[kernel]
fn nothing() {}

offload::baked! { file: "src/bin/baked_options.rs", kernels: [nothing] }
offload::baked! { file: "src/bin/baked_options.rs", feature: ["fast"], kernels: [nothing] }

fn main() {}
