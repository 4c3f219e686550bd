//! The places where programs run: a registration runtime, archs, and a device.

use std::process::Command;

use harness::emulators::{self, Emulated};
use harness::program::{FlagSet, RECOMMENDED};
use harness::{gpu, opencl, turns};

use crate::Program;

/// The devices that run kernels.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Device {
    Cpu,
    OpenCl,
    Cuda,
    Emulated(Emulated),
}

/// Where kernels run: a registration runtime, archs, and a device.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) runtime: &'static str,
    pub(crate) arch: &'static str,
    pub(crate) device: Device,
}

pub(crate) const fn emulated(name: &'static str, device: &'static str, arch: &'static str) -> Place {
    Place { name, runtime: "offloadrt", arch, device: Device::Emulated(Emulated { device, arch }) }
}

pub(crate) const PLACES: [Place; 10] = [
    Place { name: "offloadrt", runtime: "offloadrt", arch: "cpu", device: Device::Cpu },
    Place { name: "omptarget", runtime: "omptarget", arch: "cpu", device: Device::Cpu },
    Place { name: "opencl", runtime: "offloadrt", arch: "spirv64", device: Device::OpenCl },
    Place { name: "cuda-ptx", runtime: "offloadrt", arch: "sm_70-virtual", device: Device::Cuda },
    Place { name: "cuda-cubin", runtime: "offloadrt", arch: MACHINE_CODE, device: Device::Cuda },
    emulated("cuda-sm_80", "cuda:0", "sm_80"),
    emulated("hip-gfx1100", "hip:0", "gfx1100"),
    emulated("hip-gfx90a", "hip:0", "gfx90a"),
    emulated("cuda-sm_70", "cuda:0", "sm_70"),
    emulated("cuda-sm_90", "cuda:0", "sm_90"),
];

/// The places whose programs run only for `make test-all`, with the recommended flags.
const FURTHER: [&str; 2] = ["cuda-sm_70", "cuda-sm_90"];

/// With other flags than the recommended ones, a program has two of these devices, in turn. OpenCL takes most of its
/// time to compile a program, and gfx90a has no program that is for warps of 32 lanes.
const IN_TURN: [[&str; 2]; 3] =
    [["opencl", "hip-gfx1100"], ["cuda-sm_80", "hip-gfx90a"], ["cuda-sm_80", "hip-gfx1100"]];

/// A number that depends on the name of a program.
fn number_of(program: &str) -> u64 {
    program.bytes().fold(0, |number, byte| (31 * number + u64::from(byte)) % 1_000_000)
}

/// Whether emulated GPUs run all that they can: all archs, and more schedules.
fn all_emulated() -> bool {
    std::env::var_os("OFFLOADC_ALL_EMULATED").is_some()
}

/// One arch of each generation in current products.
const MACHINE_CODE: &str = "sm_75-real,sm_80-real,sm_90-real,sm_100-real,sm_120-real";

/// Whether a program is also compiled for libomptarget in this run: in every other one, and where the table of devices
/// is written. The other places share one executable.
fn is_turn_of_omptarget(program: &Program) -> bool {
    std::env::var_os("OFFLOADC_BLESS").is_some() || turns::is_turn_of(program.source, 2)
}

impl Place {
    /// Whether the tests are ignored: there is no device, and no request to build only the programs.
    pub(crate) fn is_ignored(self, has_gpu: bool) -> bool {
        match self.device {
            Device::Cpu => false,
            Device::OpenCl => opencl::folder().is_none(),
            Device::Cuda => !has_gpu || (self.arch == MACHINE_CODE && harness::ptxas().is_none()),
            Device::Emulated(_) if FURTHER.contains(&self.name) && !all_emulated() => true,
            Device::Emulated(emulated) => emulators::folder(emulated.device).is_none(),
        }
    }

    /// The orders of execution in which a program with these flags runs, as a variable of the emulators names them;
    /// other devices have only one. No correct program depends on the order. Each program has a different number, so
    /// that all of them together try many.
    pub(crate) fn schedules(self, set: FlagSet, program: &str) -> Vec<String> {
        let first = number_of(program);
        let count = match self.device {
            Device::Emulated(_) if all_emulated() => 4,
            Device::Emulated(_) if set.name == RECOMMENDED.name => 1,
            _ => 0,
        };
        std::iter::once("lockstep".to_owned()).chain((first..first + count).map(|seed| seed.to_string())).collect()
    }

    /// The orders of execution of a program of random kernels.
    pub(crate) fn schedules_of_random(self, seed: u64) -> Vec<String> {
        let first = 50 * seed;
        let count = match self.device {
            Device::Emulated(_) if all_emulated() => 50,
            Device::Emulated(_) => 1,
            _ => 0,
        };
        std::iter::once("lockstep".to_owned()).chain((first..first + count).map(|seed| seed.to_string())).collect()
    }

    /// Makes a program that `command` starts open that device by default.
    pub(crate) fn choose(self, command: &mut Command) -> &mut Command {
        match self.device {
            Device::Cpu => command,
            Device::OpenCl => opencl::choose(command),
            Device::Cuda => gpu::choose(command),
            Device::Emulated(emulated) => emulators::choose(command, emulated),
        }
    }

    /// Whether a program can run there at all.
    pub(crate) fn has_lanes_for(self, program: &Program) -> bool {
        match self.device {
            Device::OpenCl => !program.for_32_lanes,
            Device::Emulated(Emulated { arch: "gfx90a", .. }) => !program.for_32_lanes,
            Device::Emulated(Emulated { device: "hip:0", .. }) => !program.lanes_wait,
            _ => true,
        }
    }

    /// Whether its programs also run on another device, which the environment selects.
    pub(crate) fn shares_programs(self) -> bool {
        self.runtime == "offloadrt" && self.device != Device::Cuda && !self.is_ignored(false)
    }

    /// Whether a program with these flags is tested there.
    pub(crate) fn takes(self, program: &Program, set: FlagSet) -> bool {
        // Machine code is assembled from the same PTX, so one set is sufficient.
        let recommended = set.name == RECOMMENDED.name;
        match self.name {
            "omptarget" if crate::sets::all_flags() => true,
            "omptarget" => (recommended && is_turn_of_omptarget(program)) || (set.name == "O0-g" && program.everywhere),
            "cuda-cubin" => recommended,
            name if FURTHER.contains(&name) => recommended,
            name if IN_TURN.as_flattened().contains(&name) => {
                recommended || crate::sets::all_flags() || turns::of(program.source, &IN_TURN).contains(&name)
            }
            _ => true,
        }
    }

    /// The arguments after those that a program has everywhere.
    pub(crate) fn further(self, program: &Program) -> &'static [&'static str] {
        match self.device {
            Device::OpenCl if crate::sets::all_flags() => program.on_opencl[1],
            Device::OpenCl => program.on_opencl[0],
            _ => &[],
        }
    }

    /// The options for offloadc.
    pub(crate) fn options(self) -> Vec<String> {
        let mut options = vec![format!("--runtime={}", self.runtime), format!("--offload-arch={}", self.arch)];
        if self.arch == MACHINE_CODE {
            options.extend(harness::ptxas().map(|path| format!("--ptxas={}", path.display())));
        }
        options
    }
}
