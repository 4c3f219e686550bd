//! The contents of a registration object, and the parts of it that the registrations with all runtimes use.

use std::ops::Range;

use super::calls::Call;
use super::symbol::Symbol;
use super::{Bundle, Compression, Runtime};
use crate::contract::abi::KernelFlag;
use crate::contract::kernel::{CpuLevels, Kernel, Scalar};
use crate::contract::panic_table::PanicTable;
use crate::contract::platform::Platform;
use crate::contract::variable::DeviceVariable;

/// A kernel and the properties of its code.
#[derive(Clone, Copy, Debug)]
pub struct KernelRow<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The levels for which the CPU's objects define [`Kernel::cpu_symbol`]; the same for all kernels.
    pub cpu_levels: CpuLevels,
    /// The size of the static shared memory of a block on the CPU, in bytes.
    pub shared_bytes: u32,
    /// Whether it takes the launch state after its arguments.
    pub takes_state: bool,
    /// Whether it allocates memory, so that a launch must provide a heap.
    pub needs_heap: bool,
    /// Whether a function allocates that it may call through a pointer, so that a launch can provide a heap.
    pub may_allocate: bool,
    /// Whether a later launch may access its allocations, so that heaps are never reused.
    pub keeps_heap: bool,
    /// Whether it calls functions of the host.
    pub calls_host: bool,
    /// Whether it calls functions that are passed as values.
    pub calls_functions: bool,
    /// The largest number of threads in a block that it promises for all archs; 0 without a promise.
    pub threads_per_block: u32,
    /// The scalars among the bytes of its arguments, in order.
    pub scalars: &'a [Scalar],
    /// Whether code of it for the size of the block is wanted.
    pub specializes_block_dim: bool,
    /// Whether launches with arguments that overlap are refused.
    pub restricts: bool,
}

impl KernelRow<'_> {
    /// Its [`KernelFlag`]s, in its handle and in the kernel table of an object for a runtime.
    pub(super) fn flags(&self, runtime: Runtime) -> u32 {
        let flags = [
            (self.takes_state, KernelFlag::TakesState),
            (self.needs_heap, KernelFlag::NeedsHeap),
            (self.may_allocate, KernelFlag::MayAllocate),
            (self.kernel.has_extents(), KernelFlag::HasExtents),
            (self.keeps_heap, KernelFlag::KeepsHeap),
            (self.calls_host, KernelFlag::CallsHost),
            (self.calls_functions, KernelFlag::CallsFunctions),
            (!self.cpu_levels.is_empty(), KernelFlag::HasCpuCode),
            (self.cpu_levels.has_higher(), KernelFlag::HasLevels),
            (!self.scalars.is_empty(), KernelFlag::HasScalars),
            (self.specializes_block_dim, KernelFlag::SpecializesBlockDim),
            (self.restricts, KernelFlag::Restricts),
            (runtime == Runtime::Omptarget, KernelFlag::TakesSlotArray),
        ];
        flags.iter().filter(|(is, _)| *is).map(|(_, flag)| *flag as u32).sum()
    }
}

/// The input of the registration object.
#[derive(Clone, Copy, Debug)]
pub struct Registration<'a> {
    /// The platform of the object.
    pub platform: Platform,
    /// The runtime that it registers with.
    pub runtime: Runtime,
    /// 16 hex digits that make the object's symbols unique within a program.
    pub hash: &'a str,
    /// The kernels in order; none in an object that only has functions for kernels of others.
    pub kernels: &'a [KernelRow<'a>],
    /// The number of functions of the host that kernels call: host code defines [`host_function_symbol`] of each.
    pub host_functions: usize,
    /// The functions that are passed as values: the number of the first one, and how many there are.
    pub functions: (u64, usize),
    /// The statics that CUDA and HIP find by their symbols.
    pub variables: &'a [DeviceVariable],
    /// The images.
    pub images: &'a Bundle,
    /// Whether they are compressed. Only offloadrt decompresses them.
    pub compression: Compression,
    /// The meaning of the numbers in panic records.
    pub panics: &'a PanicTable,
}

/// The bytes of a kernel table, and the offsets that handles point to.
pub(super) struct WrittenTable {
    pub(super) bytes: Vec<u8>,
    /// The offset of each kernel's name.
    pub(super) names: Vec<usize>,
    /// The offset of each kernel's parameters.
    pub(super) parameters: Vec<usize>,
}

/// Symbols and ranges that the registrations with all runtimes use.
pub(super) struct RuntimeInputs {
    /// The kernel table.
    pub(super) table: Symbol,
    /// The offsets in it that handles point to.
    pub(super) written: WrittenTable,
    /// The containers; none without images.
    pub(super) containers: Option<Symbol>,
    /// Their size in bytes.
    pub(super) containers_size: usize,
    /// The range of each of their images.
    pub(super) images: Vec<Range<usize>>,
    /// The kernels' handles.
    pub(super) handles: Vec<Symbol>,
    /// The table of panics, if there is one.
    pub(super) panics: Option<Symbol>,
    /// The table of functions of the host, if there are some.
    pub(super) host_functions: Option<Symbol>,
}

/// The calls of a runtime when the object is loaded and unloaded. Several runtimes are unloaded in reverse order.
pub(super) struct RuntimeHooks {
    pub(super) at_load: Vec<Call>,
    pub(super) at_unload: Vec<Call>,
}

/// A registration that several tests use.
#[cfg(test)]
pub(super) mod example {
    use super::*;
    use std::sync::OnceLock;

    use crate::contract::kernel::{Extent, Form, FoundBy, Parameter, ParameterKind};

    pub(crate) const HASH: &str = "0123456789abcdef";

    pub(crate) fn kernels() -> Vec<Kernel> {
        let kernel = |name: &str, form, parameters| Kernel {
            name: name.into(),
            symbol: name.into(),
            display: format!("app::{name}"),
            form,
            parameters,
            found_by: FoundBy::Marker,
        };
        let parameter = |offset, size, align, kind| Parameter { offset, size, align, kind, extent: None };
        let plain = vec![parameter(0, 4, 4, ParameterKind::Value), parameter(8, 8, 8, ParameterKind::Pointer)];
        let extent = Some(Extent { bytes: 4096, read: true, written: false });
        let known = vec![plain[0], Parameter { extent, ..plain[1] }];
        let block = vec![parameter(0, 48, 16, ParameterKind::Block)];
        vec![
            kernel("saxpy", Form::Plain, plain.clone()),
            kernel("closure$1", Form::Block { size: 48, align: 16 }, block),
            kernel("saxpy_twin", Form::Plain, known),
            kernel("nothing", Form::Plain, Vec::new()),
        ]
    }

    static SCALARS: [Scalar; 1] = [Scalar { offset: 0, size: 4, is_specialized: true }];

    pub(crate) fn rows(kernels: &[Kernel]) -> Vec<KernelRow<'_>> {
        kernels
            .iter()
            .map(|kernel| KernelRow {
                kernel,
                cpu_levels: CpuLevels::default(),
                shared_bytes: 256,
                takes_state: false,
                needs_heap: false,
                may_allocate: false,
                keeps_heap: false,
                calls_host: false,
                calls_functions: false,
                threads_per_block: 0,
                scalars: if kernel.name == "saxpy_twin" { &SCALARS } else { &[] },
                specializes_block_dim: false,
                restricts: false,
            })
            .collect()
    }

    pub(crate) fn registration<'a>(runtime: Runtime, kernels: &'a [KernelRow<'a>]) -> Registration<'a> {
        static NO_IMAGES: Bundle = Bundle { images: Vec::new() };
        static NO_PANICS: OnceLock<PanicTable> = OnceLock::new();
        let panics = NO_PANICS.get_or_init(PanicTable::default);
        let (platform, compression) = (Platform::X86_64, Compression::None);
        Registration {
            platform,
            runtime,
            hash: HASH,
            kernels,
            host_functions: 0,
            functions: (0, 0),
            variables: &[],
            images: &NO_IMAGES,
            compression,
            panics,
        }
    }
}
