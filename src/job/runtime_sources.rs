//! The files of the runtime that `offloadc` carries, for `carried_runtime.rs`. They are a part of the program and not
//! of the library, so that a change of the runtime compiles neither the library nor tests again.

use offloadc::job::carried_runtime::Source;

macro_rules! sources {
    ($($name:literal)*) => { &[$(($name, include_bytes!(concat!("../../runtime-c/", $name)))),*] };
}

/// The names, relative to `runtime-c`, and contents.
pub(crate) const SOURCES: &[Source] = sources! {
    "check/access.c" "check/check.h" "check/clocks.c" "check/launches.c" "check/report.c" "check/run.c"
    "check/shadow.c" "check/start.c" "check/values.c" "checker.h" "copies.c" "copies.h" "device.c" "device.h"
    "driver.h" "drivers/cpu.c" "drivers/cpu.h" "drivers/cpu_chunks.c" "drivers/cpu_chunks.h" "drivers/cpu_image.c"
    "drivers/cpu_image.h" "drivers/cpu_level.c" "drivers/cpu_level.h" "drivers/cpu_scheduler.c"
    "drivers/cpu_scheduler.h" "drivers/cpu_stack.c" "drivers/cpu_stack.h" "drivers/cuda.c" "drivers/cuda.h"
    "drivers/cuda_fit.c" "drivers/fit.h" "drivers/gpu.c" "drivers/gpu.h" "drivers/gpu_events.c" "drivers/gpu_memory.c"
    "drivers/hip.c" "drivers/hip.h" "drivers/hip_fit.c" "drivers/list.c" "drivers/opencl.c" "drivers/opencl.h"
    "drivers/opencl_api.h" "drivers/opencl_events.c" "drivers/opencl_launch.c" "drivers/opencl_memory.c"
    "drivers/opencl_platform.c" "drivers/opencl_programs.c" "error.c" "error.h" "events.c" "finish.h"
    "finish/compiler.c" "finish/finish.h" "finish/jobs.c" "finish/kept.c" "finish/lock.c" "finish/own.c"
    "finish/own.h" "forward.c" "launch/arguments.c" "launch/host_calls.c" "launch/host_calls.h" "launch/invariants.c"
    "launch/invariants.h" "launch/launch_state.c" "launch/limits.c" "launch/mapped_launch.c" "launch/panics.c"
    "library.c" "library.h" "mapping.c" "memory.c" "objects/choice.c" "objects/containers.c" "objects/content.c"
    "objects/images.c" "objects/late.c" "objects/late.h" "objects/linked.c" "objects/loaded.c" "objects/modules.c"
    "objects/registration.c" "objects/variants.c" "objects/zstd.c" "offloadrt.c" "offloadrt.h" "own.h" "streams.c"
    "table.c" "tools/info.c" "trace/json.c" "trace/json.h" "trace/profile.c" "trace/ranges.c" "trace/ranges.h"
    "trace/trace.c" "trace/trace.h" "trace/work.c" "trace/work.h"
};

#[cfg(test)]
mod tests {
    use super::SOURCES;
    use std::path::Path;

    #[test]
    fn all_files_of_the_runtime_for_programs_are_carried() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime-c");
        let others = ["drivers/liboffload.c", "drivers/omptarget.c"];
        let mut names = Vec::new();
        for part in ["", "check/", "drivers/", "finish/", "launch/", "objects/", "tools/", "trace/"] {
            let entries = std::fs::read_dir(folder.join(part)).unwrap();
            let all = entries.map(|entry| part.to_owned() + entry.unwrap().file_name().to_str().unwrap());
            names.extend(all.filter(|name| name.ends_with(".c") || name.ends_with(".h")));
        }
        names.retain(|name| !others.contains(&name.as_str()));
        names.sort();
        let mut carried: Vec<_> = SOURCES.iter().map(|(name, _)| *name).collect();
        carried.sort_unstable();
        assert_eq!(carried, names);
    }
}
