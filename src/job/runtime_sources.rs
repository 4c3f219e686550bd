//! The files of the runtime that `offloadc` carries, for `carried_runtime.rs`. They are a part of the program and not
//! of the library, so that a change of the runtime compiles neither the library nor tests again.

use offloadc::job::carried_runtime::Source;

macro_rules! sources {
    ($($name:literal)*) => { &[$(($name, include_bytes!(concat!("../../runtime-c/", $name)))),*] };
}

/// The names, relative to `runtime-c`, and contents.
pub(crate) const SOURCES: &[Source] = sources! {
    "arguments.c" "check/access.c" "check/check.h" "check/clocks.c" "check/launches.c" "check/report.c"
    "check/run.c" "check/shadow.c" "check/start.c" "check/values.c" "checker.h" "choice.c" "containers.c"
    "content.c" "copies.c" "copies.h" "device.c" "device.h" "driver.h" "drivers/cpu.c" "drivers/cpu.h"
    "drivers/cpu_chunks.c" "drivers/cpu_chunks.h" "drivers/cpu_image.c" "drivers/cpu_image.h" "drivers/cpu_level.c"
    "drivers/cpu_level.h" "drivers/cpu_scheduler.c" "drivers/cpu_scheduler.h" "drivers/cpu_stack.c"
    "drivers/cpu_stack.h" "drivers/cuda.c" "drivers/cuda.h" "drivers/cuda_fit.c" "drivers/fit.h" "drivers/gpu.c"
    "drivers/gpu.h" "drivers/gpu_events.c" "drivers/gpu_memory.c" "drivers/hip.c" "drivers/hip.h"
    "drivers/hip_fit.c" "drivers/list.c" "drivers/opencl.c" "drivers/opencl.h" "drivers/opencl_api.h"
    "drivers/opencl_events.c" "drivers/opencl_launch.c" "drivers/opencl_memory.c" "drivers/opencl_platform.c"
    "drivers/opencl_programs.c"
    "error.c" "error.h" "events.c" "finish.h" "finish/compiler.c" "finish/finish.h" "finish/jobs.c" "finish/kept.c"
    "finish/lock.c" "finish/own.c" "finish/own.h" "forward.c" "host_calls.c" "host_calls.h" "images.c"
    "invariants.c" "invariants.h" "json.c" "json.h" "late.c" "late.h" "launch_state.c" "library.c" "library.h"
    "limits.c" "linked.c" "loaded.c" "mapped_launch.c" "mapping.c" "memory.c" "modules.c" "offloadrt.c"
    "offloadrt.h" "own.h" "panics.c" "profile.c" "ranges.c" "ranges.h" "registration.c" "streams.c" "table.c"
    "tools/info.c" "trace.c" "trace.h" "variants.c" "work.c" "work.h" "zstd.c"
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
        for part in ["", "check/", "drivers/", "finish/", "tools/"] {
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
