//! The table of diagnostic codes: one number, one name, one title and one explanation for each distinct cause.
//!
//! A number is never given to another cause: 18 is free because nothing has that cause any more. New rows go to the end.
//! `explain.rs` makes what `--explain` prints and `docs/errors.md` out of it.

use super::Severity;
use std::fmt;

/// Makes [`Code`] and its columns from one table, so that no row can lack a column.
macro_rules! codes {
    ($($code:ident = $number:literal, $severity:ident, $name:literal, $title:literal, $text:literal;)*) => {
        /// A distinct cause; printed as `OFC0007`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Code {
            $(#[doc = $title] $code = $number,)*
        }

        impl Code {
            /// Every code, by number.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// How bad it is unless a `-W` option says otherwise.
            pub fn severity(self) -> Severity {
                match self { $(Self::$code => Severity::$severity,)* }
            }

            /// The word that `-W` takes.
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }

            /// What it means, in one line.
            pub fn title(self) -> &'static str {
                match self { $(Self::$code => $title,)* }
            }

            /// What causes it and what to do: paragraphs, and examples behind four blanks.
            pub fn text(self) -> &'static str {
                match self { $(Self::$code => $text,)* }
            }
        }
    };
}

codes! {
    NoKernel = 1, Warning, "no-kernel", "no kernel found",
        "No function of the input is marked as a kernel, so the output holds host code only.\n\n\
        A function becomes a kernel when it is the argument of `__offload_kernel`, when a static in section \
        `.offload.kernels` points to it, or when `--kernel=GLOB` matches its exported name. A mark in a function that \
        the compiler found to be unused is gone before offloadc sees it: make that function `pub`, or call it.";
    NoArch = 2, Note, "default-arch", "no arch given, so `cpu` is taken",
        "Without `--offload-arch` kernels are compiled for the host's processor only, which runs them on every machine.\n\n\
        Name what else the program shall run on, as in `--offload-arch=cpu,sm_80`. `offloadc --print-targets` lists all \
        archs.";
    DuplicateKernel = 3, Error, "duplicate-kernel", "two kernels have the same name",
        "A kernel has one name and one form. Either two functions would get the same name, or one function is marked \
        twice, once to take arguments and once (`__offload_kernel_block`) to take one block of bytes.\n\n\
        Rename one of the functions, or use one mark everywhere.";
    KernelGlob = 4, Error, "kernel-glob", "`--kernel` matches no exported function",
        "A pattern after `--kernel` matches no function that the input defines and exports.\n\n\
        The pattern is compared with symbols: give the function `#[no_mangle]`, or mark it in the source with \
        `__offload_kernel`. `*` and `?` in the pattern match any characters and any one.";
    NotFunction = 5, Error, "not-function", "a kernel section names something that is not a function",
        "A static in section `.offload.kernels` holds something else than the addresses of functions. Every pointer in \
        it is a kernel:\n\n    \
        #[used]\n    #[link_section = \".offload.kernels\"]\n    static KERNEL: extern \"C\" fn(*mut u32) = kernel;";
    MarkerArgument = 6, Error, "marker-argument", "the argument of a marker call is not a constant function",
        "`__offload_kernel(f)`, `__offload_kernel_block(f, size, align)` and `__offload_function(f)` are answered when the \
        program is compiled, so what `f` is must be known then: one function, after constants have been carried through \
        local variables and calls of internal functions.\n\n\
        Call the marker where the function is named. For many functions, make the caller generic over the function's \
        type: each instance then has a constant of its own.";
    NeedsOperatingSystem = 7, Error, "needs-operating-system", "a kernel reaches what needs an operating system",
        "Files, sockets, threads, processes, the environment, clocks and standard output are the host's: a device has no \
        operating system to ask. The chain of calls says how the kernel comes to need one.\n\n\
        Do that part on the host, before or after the launch; or put it behind `if !__offload_is_device()`, which is \
        decided at compile time.";
    NoDeviceCode = 8, Error, "no-device-code", "a kernel reaches a function that has no device code",
        "A function's body is in none of the inputs and libraries, or needs something that the target's code generator \
        does not have.\n\n\
        For a function of another crate, name that crate's rlib with `--extern-rlib`, or a folder of rlibs with `-L`; for \
        one in C, give the bitcode that `clang -emit-llvm` writes as another input.";
    ThreadLocal = 9, Error, "thread-local", "a kernel reaches a thread-local variable",
        "`thread_local!` keeps one value for each of the host's threads. A device starts thousands that end with the \
        kernel, and has no such storage.\n\n\
        Keep the value in a local variable, or pass a pointer to one element for each thread.";
    InlineAsm = 10, Error, "inline-asm", "a kernel reaches inline assembly of the host",
        "`asm!` in the source is assembly of the host's processor, and no other can run it.\n\n\
        Write it in Rust, or keep it on the host behind `if !__offload_is_device()`. An instruction of the device is \
        reached through its intrinsic: docs/intrinsics.md says how.";
    HostIntrinsic = 11, Error, "host-intrinsic", "a kernel reaches an x86 intrinsic",
        "`core::arch::x86_64` is the host's instruction set. Crates use it where they are told at compile time or run time \
        that the processor has AVX or the like.\n\n\
        Write kernels with ordinary arithmetic, which is compiled for each device; in other crates, switch off the feature \
        that chooses such code (often called `simd`), and compile without `-C target-cpu=native`.";
    DivergentBarrier = 12, Error, "divergent-barrier", "a barrier stands under control flow that differs between threads",
        "All threads of a block must reach the same `__offload_sync_threads()`. Here some may take another way: because \
        the source has the barrier under a condition on the thread's position, or because the compiler that made the input \
        moved or copied it. It is the same with shuffles, ballots and votes, which the lanes of a warp must reach together, \
        where one may be the copy of another.\n\n\
        Move the barrier out of the condition, as in `if mine { store() } sync(); if mine { load() }`. If the source is \
        right, compile it with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0`.";
    KernelSignature = 13, Error, "kernel-signature", "a kernel's parameters cannot be passed to a device",
        "A kernel is an `extern \"C\"` function of integers, floats, raw pointers and structs of these. The Rust calling \
        convention, references to closures and values that the host's convention passes by a hidden pointer cannot be \
        copied to a device.\n\n\
        Declare the function `extern \"C\"`, or take one `*const Arguments` and mark the kernel with \
        `__offload_kernel_block(f, size_of::<Arguments>(), align_of::<Arguments>())`, which passes any value.";
    KernelReturns = 14, Error, "kernel-returns", "a kernel returns a value",
        "Every thread would return one, and nobody takes them. Write results through a pointer argument.";
    RecursiveBarrier = 15, Error, "recursive-barrier", "a recursive function reaches a barrier",
        "Whether all threads of a block reach a barrier is seen in the kernel's own body, into which every function with a \
        barrier is inlined; one that calls itself cannot be. Turn the recursion into a loop, or synchronise outside of it. On the processor it is \
        the same with what the lanes of a warp do together, unless `--cpu-warp-size=1` makes each thread a warp of its own.";
    IndirectCall = 16, Error, "indirect-call", "an indirect call that the device cannot make",
        "A call through a function pointer or of a `dyn` method is still one after optimisation. SPIR-V has no addresses of \
        functions, so offloadc makes such calls choose by number among the functions that they may lead to; here it knows \
        none. Or the callee holds a barrier, or on the processor an operation between lanes, and is called by \
        nobody directly.\n\n\
        Use generics instead of `dyn`, call by name in a `match`, or leave that arch out of `--offload-arch`.";
    DeviceStaticCopy = 17, Warning, "device-static-copy", "a static is copied to the device and no longer shared with the host",
        "A static that kernels read and the program may change is two: the host's own, and one on each device, which starts \
        with the value in the source. Neither sees the other change.\n\n\
        Pass a pointer to device memory instead. If a copy is meant, `-Wno-device-static-copy` hides the warning.";
    Varargs = 19, Error, "varargs", "a kernel reaches a function with variable arguments",
        "C's `...` is a convention of the host's processor. Pass a slice or a struct instead.";
    UnsupportedType = 20, Error, "unsupported-type", "a kernel uses a type that the device does not have",
        "The target's code generator has no arithmetic for a type of the kernel, such as `f128`, or an integer of more than \
        128 bits. Use another type in kernels, or leave the arch out of `--offload-arch`.";
    NewerLlvm = 21, Error, "newer-llvm", "the input was written by a newer LLVM, and cannot be converted",
        "Bitcode can be read by the LLVM that wrote it and by later ones. `rustc -vV` and `offloadc -V --verbose` say which \
        each of them has. What a newer LLVM wrote is converted with the libLLVM of its rustc, which is in that rustc's \
        sysroot: offloadc asks `rustc`, or `RUSTC`, where that is, or is told by `--sysroot` or `--rustc-llvm`. \
        `cargo offloadc doctor` shows what it finds.\n\n\
        Either the library was not found or did not read the module, or the module holds what offloadc's own LLVM has no \
        words for, which the message names. Compile with a rustc whose LLVM is not newer.";
    InvalidInput = 22, Error, "invalid-input", "the input is not what was expected",
        "offloadc reads LLVM bitcode, LLVM IR as text, and objects that hold bitcode, and knows each by its first bytes. \
        This file is none of them, is damaged, or holds IR that LLVM's parser does not take.\n\n\
        `rustc --emit=llvm-bc` writes what is expected.";
    InvalidModule = 23, Error, "invalid-module", "LLVM's verifier refuses the module",
        "The input can be read, but breaks a rule of LLVM IR, which no compiler's output does. A tool that rewrote the IR \
        after the compiler is the usual cause; LLVM's `opt -passes=verify` says the same of it.";
    SharedAddress = 24, Error, "shared-address", "a static is initialised with the address of shared memory",
        "Statics in section `.offload.shared` exist once for each block, so there is no one address that a static could be \
        initialised with. Take the address inside the kernel.";
    StaticValue = 25, Error, "static-value", "a static has an initial value that a device cannot load",
        "A device's loader can fill in less than a host's: on some targets the address of a static only where it is aligned \
        and comes before the static that holds it, on some no address of a function, and nowhere arithmetic on addresses. \
        SPIR-V takes 16,777,216 elements that are not zero.\n\n\
        Fill the table in on the host and pass a pointer to it, or write it as a `match`.";
    MemoryLimit = 26, Error, "memory-limit", "a kernel needs more memory of one kind than a device has",
        "Static shared memory, or constant memory, is larger than the arch has for one block or one program, or a \
        kernel's arguments are: NVIDIA's GPUs take 4,352 bytes, from `sm_70` with PTX 8.1 (driver 530) 32,764; SPIR-V's take 253 arguments.\n\n\
        What need not be static can be `__offload_dynamic_shared()`, whose size each launch chooses and some devices have \
        more of; large tables lie in global memory unless section `.offload.constant` asks for constant memory.";
    BuiltinType = 27, Error, "builtin-type", "a builtin is declared with another type than its own, or defined",
        "The functions of the device contract, `__offload_thread_id_x` and the like, are declared in the source and defined \
        by offloadc, with the types that docs/contract.md lists. Correct the declaration; in Rust, `u32` stands \
        for `i32` in the message.";
    Intrinsic = 28, Error, "intrinsic", "a kernel names an intrinsic that the target does not have, or with another type",
        "`#[link_name = \"__offload_intrinsic.llvm.…\"]` names an intrinsic of LLVM. It must exist, be declared with a type \
        that stands for LLVM's, get constants where LLVM wants them, and belong to every arch that reaches it.\n\n\
        docs/intrinsics.md says which types stand for which. Where only some archs have it, call it behind \
        `if __offload_arch() >> 24 == …`, which is decided at compile time.";
    LaunchBounds = 29, Error, "launch-bounds", "what a kernel promises of its launches is not constant or cannot be",
        "`__offload_launch_bounds(threads, blocks)` and `__offload_block_size(x, y, z)` are promises that registers are \
        fitted to. They are called in the kernel itself, with constants, once, and no block is larger than 1024 threads.";
    NoBitcode = 30, Error, "no-bitcode", "a kernel reaches a function of a library that was compiled without bitcode",
        "The library has the function as machine code of the host only. Cargo leaves bitcode out of rlibs unless \
        `.cargo/config.toml` says\n\n    \
        [build]\n    rustflags = [\"-C\", \"embed-bitcode=yes\"]\n\n\
        Build again with these lines; nothing else changes.";
    OtherBuild = 31, Error, "other-build", "a kernel reaches a function of another build of a library than the one at hand",
        "A Rust symbol says which build of a crate it belongs to. A library of that name was found, but it is of another \
        version, another toolchain or other features than the one that the input was compiled with.\n\n\
        Name the rlib of the same build, or the sysroot of the same toolchain with `--sysroot`.";
    NoSysroot = 32, Error, "no-sysroot", "a kernel reaches a function of Rust's own library, and that is not found",
        "The bodies of `core` and `alloc` are taken out of the libraries that come with rustc, and the folder with them was \
        not found: `rustc` is not in `PATH`, or is not the one that compiled the input. Name its sysroot with `--sysroot`; \
        `rustc --print sysroot` says where it is.";
    NoHeap = 33, Error, "no-heap", "a kernel allocates memory with C's functions",
        "`malloc`, `free` and their like need C's heap, which devices do not have.\n\n\
        Use `Box`, `Vec` or `String`, which take memory that the launch gives (`heap_bytes`), allocate on the host and \
        pass the memory to the kernel, or use arrays of a fixed size.";
    ExternalStatic = 34, Error, "external-static", "a kernel reaches a static that is defined elsewhere",
        "A static is declared in the input and defined in none of the inputs and libraries, so the device has no value \
        for it. Give offloadc the bitcode of the crate that defines it as well, or its rlib with `--extern-rlib`.";
    UnsupportedAtomic = 35, Error, "unsupported-atomic", "a kernel uses an atomic access that the device does not have",
        "The device cannot make an access of that size, or of that kind, in one step or for everybody who is to see it, and \
        offloadc never replaces it with a weaker one.\n\n\
        Use atomics of 4 or 8 bytes in kernels, which every target has, and where the threads of a device are enough, those \
        of docs/atomics.md, which say so.";
    Recursion = 36, Note, "recursion", "a kernel calls a function that calls itself, on a stack of a fixed size",
        "How deep recursion goes is only known when it runs, so that no compiler can reserve the stack that it takes. Each \
        thread gets 16 KiB, or what `--device-stack=BYTES` says. CUDA is told of it when the kernel is loaded, and one that \
        needs more overwrites other memory or ends with an error; on AMD's GPUs, where nothing notices, and on SPIR-V, which \
        has no stack, the compiler makes one, and running out of it is a panic. A GPU reserves that for every thread that \
        can run at once: 16 KiB are \
        gigabytes on a large one.\n\n\
        Turn the recursion into a loop, or say with `-Wno-recursion` that it is known. Calls through pointers may recurse as \
        well; they are counted, but not noted.";
    PrintDropped = 37, Warning, "print-dropped", "kernels print, and printing on devices is not asked for",
        "A kernel calls `__offload_print`, which writes to standard output on the host. On devices printing costs registers \
        and stack, so such calls are left out unless `--device-print` is given.";
    CrateVersion = 38, Error, "crate-version", "the `offload` crate is of another version than offloadc",
        "The `offload` crate and offloadc agree on things that are no interface for others, so they go together: before 1.0 \
        the first two numbers of their versions must be the same.\n\n\
        Change the dependency's version in `Cargo.toml`, or install the offloadc that belongs to it.";
    UnregisteredImage = 39, Warning, "unregistered-image", "the runtime cannot load an image",
        "LLVM's libomptarget loads machine code alone. It is not told of PTX or SPIR-V, so with `--runtime=omptarget` such \
        an image is in the program and never used.\n\n\
        For NVIDIA's GPUs name their assembler with `--ptxas`, which makes machine code. Leave the other archs out, or let \
        offloadc's own runtime run the kernels.";
}

impl Code {
    /// The names that `-W` takes: those of warnings and notes.
    pub fn warning_names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().filter(|c| c.severity() != Severity::Error).map(|c| c.name())
    }
}

impl Code {
    /// The code that `word` names: `OFC0007`, its number, or its name.
    pub fn from_word(word: &str) -> Option<Self> {
        let number = word.strip_prefix("OFC").unwrap_or(word).parse::<u16>().ok();
        Self::ALL.iter().copied().find(|code| Some(*code as u16) == number || code.name() == word)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OFC{:04}", *self as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_names_unique() {
        assert!(Code::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        let mut names: Vec<_> = Code::ALL.iter().map(|c| c.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        assert_eq!(Code::NeedsOperatingSystem.to_string(), "OFC0007");
        for word in ["OFC0007", "7", "needs-operating-system"] {
            assert_eq!(Code::from_word(word), Some(Code::NeedsOperatingSystem));
        }
        assert_eq!(Code::from_word("OFC9999"), None);
    }

    #[test]
    fn no_name_reads_as_another_option() {
        // `-Wno-<name>` must not be the `-W<name>` of another row.
        let names: Vec<_> = Code::ALL.iter().map(|c| c.name()).collect();
        for name in &names {
            assert!(!names.contains(&format!("no-{name}").as_str()));
        }
    }
}
