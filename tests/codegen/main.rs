//! Tests of the targets without the driver: each target's code, constructs on which its back end would abort, and
//! random modules.

mod check_costs;
mod cpu_barriers;
mod cpu_blocks;
mod cpu_by_hand;
mod cpu_guards;
mod cpu_images;
mod cpu_passes;
mod cpu_steps;
mod cpu_target;
mod cpu_warps;
mod debug_records;
mod gpu;
mod gpu_arguments;
mod gpu_probes;
mod gpu_targets;
mod mailbox;
mod properties;
mod random_modules;
mod spirv;
mod spirv_probes;
