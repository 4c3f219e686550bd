//! Values of options whose types belong to rooms that know no command line: their names and help.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::bundle::{BundleFormat, Runtime};
use crate::contract::panic_table::DevicePanic;

impl ValueEnum for Runtime {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Offloadrt, Self::Omptarget, Self::Cuda, Self::Hip, Self::Liboffload, Self::Mgpu, Self::None]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Offloadrt => "liboffloadrt, this project's own",
            Self::Omptarget => "LLVM's libomptarget",
            Self::Cuda => "NVIDIA's libcudart: `cudaLaunchKernel` launches the handles of kernels",
            Self::Hip => "AMD's HIP: `hipLaunchKernel` launches the handles of kernels",
            Self::Liboffload => "LLVM's liboffload, through a liboffloadrt that calls it",
            Self::Mgpu => "The functions that MLIR's code calls: `mgpuModuleLoad` and others",
            Self::None => "No registration: only the images and handles",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for BundleFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Offload => "LLVM's containers of all images (`OffloadBinary`)",
            Self::Fatbin => "A CUDA fat binary of PTX and cubins",
            Self::Hip => "A bundle of code objects for HIP, as of `clang-offload-bundler`",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for DevicePanic {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Report, Self::Trap, Self::Unreachable]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Report => PossibleValue::new("report").help(
                "The first panicking thread is recorded, every panicking thread leaves the kernel, and the launch returns \
                 an error",
            ),
            Self::Trap => {
                PossibleValue::new("trap").help("The thread traps, which ends the kernel and may end the program")
            }
            Self::Unreachable => {
                PossibleValue::new("unreachable").help("The checks are removed, and a panic is undefined behaviour")
            }
        })
    }
}
