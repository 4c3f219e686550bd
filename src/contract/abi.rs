//! The binary interface between the compiler, the runtime and the crate: the offset of each field, and the bit of each
//! flag, for all Rust code.
//!
//! `runtime-c/offloadrt.h` and docs/format.md define the same structures in C. `rust/offload/src/abi.rs` has those that
//! the crate needs. `tests/compiler/abi.rs` compares them with a C compiler. A change of a structure raises its
//! version: the runtime and `inspect` refuse other versions.

/// A structure's name in C, its size, and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Structure {
    /// Its name in C, after `struct`.
    pub name: &'static str,
    /// In bytes.
    pub size: usize,
    /// Its fields in order.
    pub fields: &'static [Field],
}

/// A field of a structure; offset and size are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in C.
    pub name: &'static str,
    /// Its offset in the structure.
    pub offset: usize,
    /// Its size.
    pub size: usize,
}

/// An enumeration's name in C, and its values.
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    /// Its name in C, after `enum`.
    pub name: &'static str,
    /// The values' names in C, and their numbers.
    pub rows: &'static [(&'static str, u32)],
}

/// An address in the registered program. Its pointers have 64 bits, on any machine that offloadc runs on.
pub type Address = u64;

macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident = $c:literal { $($field:ident: $ty:ty),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            #[repr(C)]
            pub struct $name {
                $(
                    #[doc = concat!("`", stringify!($field), "` of `struct ", $c, "`.")]
                    pub $field: $ty,
                )*
            }
        )*

        /// All structures.
        pub const STRUCTURES: &[Structure] = &[$(
            Structure {
                name: $c,
                size: size_of::<$name>(),
                fields: &[$(
                    Field {
                        name: stringify!($field),
                        offset: std::mem::offset_of!($name, $field),
                        size: size_of::<$ty>(),
                    },
                )*],
            },
        )*];
    };
}

macro_rules! enumerations {
    ($($(#[$doc:meta])* $name:ident = $c:literal { $($(#[$row_doc:meta])* $row:ident = $number:literal $c_row:literal),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[repr(u32)]
            pub enum $name {
                $($(#[$row_doc])* $row = $number,)*
            }
        )*

        /// All enumerations.
        pub const ENUMERATIONS: &[Enumeration] = &[$(
            Enumeration { name: $c, rows: &[$(($c_row, $name::$row as u32)),*] },
        )*];
    };
}

structures! {
    /// One parameter of a kernel.
    Parameter = "offload_parameter" { offset: u32, size: u32, align: u32, kind: u32 }

    /// The memory that a parameter refers to; `directions` are bits of [`MapFlag`].
    Extent = "offload_extent" { bytes: u64, directions: u32, reserved: u32 }

    /// A scalar among the bytes of the arguments; `flags` are bits of [`ScalarFlag`].
    Scalar = "offload_scalar" { offset: u32, size: u32, flags: u32, reserved: u32 }

    /// The record that the first panicking thread stores, at the start of the launch state.
    Panic = "offload_panic" {
        claimed: u32,
        message: u32,
        place: u32,
        reserved: u32,
        operands: [u64; 3],
        block: [u32; 3],
        thread: [u32; 3],
    }

    /// The launch state.
    LaunchState = "offload_launch_state" {
        panic: Panic,
        heap: Address,
        heap_units: u32,
        heap_used: u32,
        mailbox: Address,
        object: u64,
        claims: [u32; 4],
        tickets: u32,
        reserved: u32,
        call_host: Address,
    }

    /// A slot of a mailbox, in memory that the host and the device access at the same time. The device writes the
    /// fields before `answer`, the host `answer` and `status`, and both write `bytes`.
    HostCall = "offload_host_call" {
        request: u32,
        argument_bytes: u32,
        number: u64,
        object: u64,
        result_bytes: u32,
        reserved: [u32; 9],
        answer: u32,
        status: u32,
        padding: [u32; 14],
        bytes: [u8; 896],
    }

    /// A kernel's handle; `flags` are bits of [`KernelFlag`].
    Kernel = "offload_kernel" {
        size: u32,
        version: u32,
        name: Address,
        parameters: Address,
        parameter_count: u32,
        argument_bytes: u32,
        argument_align: u32,
        shared_bytes: u32,
        cpu_entry: Address,
        descriptor: Address,
        flags: u32,
        threads_per_block: u32,
    }

    /// A kernel's handle in an object with CPU code for several levels.
    KernelLevels = "offload_kernel_levels" { kernel: Kernel, entries: [Address; 3] }

    /// The constructor of an object passes this to the runtime.
    Descriptor = "offload_descriptor" {
        size: u32,
        version: u32,
        kernels: Address,
        kernel_count: u64,
        images_begin: Address,
        images_end: Address,
        next: Address,
        serial: u64,
        panics: Address,
        host_functions: Address,
        host_function_count: u64,
        first_function: u64,
        function_count: u64,
    }

    /// The head of the texts of an object's panics. [`PanicPlace`]s, messages, names of kernels and strings follow.
    PanicTexts = "offload_panic_texts" { size: u32, place_count: u32, message_count: u32, kernel_count: u32 }

    /// A source location where kernels panic.
    PanicPlace = "offload_panic_place" { file: u32, line: u32, column: u32 }

    /// A CPU entry's view of the launch.
    CpuBlock = "offload_cpu_block" {
        grid_dim: [u32; 3],
        block_dim: [u32; 3],
        block_id: [u32; 3],
        dynamic_shared_bytes: u32,
        shared: Address,
        dynamic_shared: Address,
        frames: Address,
        state: Address,
        scheduler: Address,
        leave: Address,
        check: Address,
    }

    /// The head of a kernel table. [`TableKernel`]s, parameters and strings follow.
    Table = "offload_table" {
        magic: [u8; 8],
        version: u32,
        size: u32,
        runtime: u32,
        kernel_count: u32,
        hash: u32,
        reserved: u32,
    }

    /// A kernel's row in the kernel table; `flags` are bits of [`KernelFlag`].
    TableKernel = "offload_table_kernel" {
        name: u32,
        display: u32,
        parameters: u32,
        parameter_count: u32,
        argument_bytes: u32,
        argument_align: u32,
        shared_bytes: u32,
        flags: u32,
    }
}

enumerations! {
    /// How the bytes of a parameter are interpreted.
    ParameterKind = "offload_parameter_kind" {
        /// Bytes by value.
        Value = 0 "OFFLOAD_PARAMETER_VALUE",
        /// A device pointer.
        Pointer = 1 "OFFLOAD_PARAMETER_POINTER",
        /// The whole argument struct of a block kernel, by value.
        Block = 2 "OFFLOAD_PARAMETER_BLOCK",
        /// Bytes by value in whole words: the argument may end before the last word does.
        Words = 3 "OFFLOAD_PARAMETER_WORDS",
    }

    /// The properties of a kernel, one bit each, in its handle and in its row of the kernel table.
    KernelFlag = "offload_kernel_flag" {
        /// It takes the launch state, in every image.
        TakesState = 1 "OFFLOAD_KERNEL_TAKES_STATE",
        /// It allocates memory: its launches need a heap.
        NeedsHeap = 2 "OFFLOAD_KERNEL_NEEDS_HEAP",
        /// Its parameters are followed by the same number of extents.
        HasExtents = 4 "OFFLOAD_KERNEL_HAS_EXTENTS",
        /// It allocates memory and reaches a static that may store its address: launches never share a heap.
        KeepsHeap = 8 "OFFLOAD_KERNEL_KEEPS_HEAP",
        /// The object contains code of it for the CPU.
        HasCpuCode = 16 "OFFLOAD_KERNEL_HAS_CPU_CODE",
        /// The handle is an `offload_kernel_levels`.
        HasLevels = 32 "OFFLOAD_KERNEL_HAS_LEVELS",
        /// Its parameters and extents are followed by its scalars, of which the last has size 0.
        HasScalars = 64 "OFFLOAD_KERNEL_HAS_SCALARS",
        /// Code of it for the size of the block is wanted.
        SpecializesBlockDim = 128 "OFFLOAD_KERNEL_SPECIALIZES_BLOCK_DIM",
        /// It calls functions of the host.
        CallsHost = 256 "OFFLOAD_KERNEL_CALLS_HOST",
        /// It calls functions that are passed as values, by their numbers.
        CallsFunctions = 512 "OFFLOAD_KERNEL_CALLS_FUNCTIONS",
        /// A function that it may call through a pointer allocates memory: its launches may have a heap.
        MayAllocate = 1024 "OFFLOAD_KERNEL_MAY_ALLOCATE",
        /// It promises that its arguments do not overlap: launches refuse those that do.
        Restricts = 2048 "OFFLOAD_KERNEL_RESTRICTS",
        /// Its image for libomptarget's host device takes its slots in both forms.
        TakesSlotArray = 4096 "OFFLOAD_KERNEL_TAKES_SLOT_ARRAY",
    }

    /// The properties of a scalar, one bit each.
    ScalarFlag = "offload_scalar_flag" {
        /// Code for its value is wanted once that is known.
        Specialized = 1 "OFFLOAD_SCALAR_SPECIALIZED",
    }

    /// The copies that a mapping makes, one bit each. An extent has those of the first two that the kernel's accesses
    /// need.
    MapFlag = "offloadrt_map_flag" {
        /// To the device.
        To = 1 "OFFLOADRT_MAP_TO",
        /// From the device.
        From = 2 "OFFLOADRT_MAP_FROM",
        /// Also if the memory is mapped already.
        Always = 4 "OFFLOADRT_MAP_ALWAYS",
    }

    /// Characters of a panic's message that the runtime replaces by text.
    PanicText = "offload_panic_text" {
        /// The first operand of the panic, in decimal. The next two characters are the other operands.
        Operand = 1 "OFFLOAD_PANIC_OPERAND",
        /// The last operand of the panic.
        LastOperand = 3 "OFFLOAD_PANIC_LAST_OPERAND",
        /// `: ` and the message whose number is the first operand; no text if that number is 0.
        More = 4 "OFFLOAD_PANIC_MORE",
        /// A whole message: the fault of a slice's range. The operands are its start, its end and the slice's length.
        SliceRange = 5 "OFFLOAD_PANIC_SLICE_RANGE",
        /// `: ` and the message of the panic of the host's function.
        HostPanic = 6 "OFFLOAD_PANIC_HOST_PANIC",
    }

    /// The result of `__offload_call_host`.
    HostCallStatus = "offload_host_call_status" {
        /// The function has returned.
        Done = 0 "OFFLOAD_HOST_CALL_DONE",
        /// It has panicked.
        Panicked = 1 "OFFLOAD_HOST_CALL_PANICKED",
        /// The launch has no host that can be called, or the number is that of no function.
        NoHost = 2 "OFFLOAD_HOST_CALL_NO_HOST",
        /// The arguments or the result do not fit in a slot of the mailbox.
        TooLarge = 3 "OFFLOAD_HOST_CALL_TOO_LARGE",
    }
}

/// The prefix of the names of the runtime's functions.
pub const RUNTIME_PREFIX: &str = "offloadrt_";
/// The function of the runtime that every program with kernels calls.
pub const REGISTER: &str = "offloadrt_register";

/// The version of the interface between objects and the runtime.
pub const INTERFACE_VERSION: u32 = 3;
/// The version of [`Kernel`]: `OFFLOAD_KERNEL_VERSION`.
pub const KERNEL_VERSION: u32 = INTERFACE_VERSION;
/// The version of [`Descriptor`]: `OFFLOAD_DESCRIPTOR_VERSION`.
pub const DESCRIPTOR_VERSION: u32 = INTERFACE_VERSION;
/// How the symbol of the static runtime libraries begins whose name ends in their version of the interface.
pub const INTERFACE_SYMBOL: &str = "offloadrt_interface_version_";
/// The version of [`Table`]: `OFFLOAD_TABLE_VERSION`.
pub const TABLE_VERSION: u32 = 2;
/// The size in bytes of the unit in which the heap of a launch is counted: `OFFLOAD_HEAP_UNIT`.
pub const HEAP_UNIT: u32 = 16;
/// The number of slots of a mailbox: `OFFLOAD_MAILBOX_SLOTS`.
pub const MAILBOX_SLOTS: u32 = 128;
/// The most bytes of the arguments, and of the result, of a call of the host: `OFFLOAD_HOST_CALL_BYTES`.
pub const HOST_CALL_BYTES: u32 = 896;

/// The numbers of messages and places above this one are those of functions of other objects, whose texts are not in
/// the kernel's object: `OFFLOAD_LINKED_PANICS`.
pub const LINKED_PANICS: u32 = 1 << 24;

/// Replaces the names of fields in LLVM IR by their offsets: `{offload_launch_state.heap}` becomes `64`.
pub fn fill_in_offsets(text: &str) -> String {
    let fields = STRUCTURES.iter().flat_map(|s| s.fields.iter().map(move |f| (s.name, f)));
    fields.fold(text.to_owned(), |text, (structure, field)| {
        text.replace(&format!("{{{structure}.{}}}", field.name), &field.offset.to_string())
    })
}

/// The bytes of a structure: 4-byte numbers at the given offsets, little-endian, and zeros elsewhere.
pub fn structure<const SIZE: usize>(fields: &[(usize, u32)]) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    for (at, number) in fields {
        bytes[*at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}
