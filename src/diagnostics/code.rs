//! The table of diagnostic codes: one number, one name, one title and one explanation for each distinct cause.
//!
//! A number is never reused: 18 is free because its cause no longer exists. New rows are added at the end. `explain.rs`
//! writes the output of `--explain` and `docs/errors.md` from this table.

use super::Severity;
use std::fmt;

/// Defines [`Code`] and its columns from one table, so that every row has all columns.
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

            /// The severity without `-W` options.
            pub fn severity(self) -> Severity {
                match self { $(Self::$code => Severity::$severity,)* }
            }

            /// The name for `-W`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }

            /// The meaning in one line.
            pub fn title(self) -> &'static str {
                match self { $(Self::$code => $title,)* }
            }

            /// The causes and remedies: paragraphs, and examples with an indentation of four spaces.
            pub fn text(self) -> &'static str {
                match self { $(Self::$code => $text,)* }
            }
        }
    };
}

codes! {
    NoKernel = 1, Warning, "no-kernel", "no kernel found",
        "No function of the input is marked as a kernel, so the output contains host code only.\n\n\
        A function becomes a kernel if it is the argument of `__offload_kernel`, if a static in section \
        `.offload.kernels` points to it, or if `--kernel=GLOB` matches its exported name. The compiler removes \
        unused functions, with the marks in them, before offloadc sees them: make such a function `pub`, or call it.";
    NoArch = 2, Note, "default-arch", "no arch given, so `cpu` is taken",
        "Without `--offload-arch`, kernels are compiled only for the CPU of the host, which can run them on every \
        machine.\n\n\
        Name the other devices that the program must run on, as in `--offload-arch=cpu,sm_80`. `offloadc \
        --print-targets` lists all archs.";
    DuplicateKernel = 3, Error, "duplicate-kernel", "two kernels have the same name",
        "A kernel has one name and one form. Either two functions have the same name, or one function is marked \
        twice: once as a kernel with arguments, and once (`__offload_kernel_block`) as a kernel with one block of \
        bytes.\n\n\
        Rename one of the functions, or use the same mark everywhere.";
    KernelGlob = 4, Error, "kernel-glob", "`--kernel` matches no exported function",
        "A pattern after `--kernel` matches no function that the input defines and exports.\n\n\
        The pattern is compared with symbols. Add `#[no_mangle]` to the function, or mark it in the source with \
        `__offload_kernel`. In the pattern, `*` matches any number of characters, and `?` matches one character.";
    NotFunction = 5, Error, "not-function", "a kernel section names something that is not a function",
        "A static in section `.offload.kernels` contains something other than the addresses of functions. Every \
        pointer in it is a kernel:\n\n    \
        #[used]\n    #[link_section = \".offload.kernels\"]\n    static KERNEL: extern \"C\" fn(*mut u32) = kernel;";
    MarkerArgument = 6, Error, "marker-argument", "the argument of a marker call is not a constant function",
        "`__offload_kernel(f)`, `__offload_kernel_block(f, size, align)` and `__offload_function(f)` are evaluated \
        when the program is compiled. `f` must therefore be one known function, after constants have been propagated \
        through local variables and calls of internal functions.\n\n\
        Call the marker where the function is named. For many functions, make the caller generic over the type of \
        the function: each instance then has its own constant.";
    NeedsOperatingSystem = 7, Error, "needs-operating-system", "a kernel reaches a function that needs an operating system",
        "Files, sockets, threads, processes, the environment, clocks and standard output belong to the host. A device \
        has no operating system. The call chain shows how the kernel reaches the function.\n\n\
        Do this work on the host, before or after the launch, or put it behind `if !__offload_is_device()`, which is \
        decided at compile time. A kernel prints with `offload::device_println!` instead of `println!`.\n\n\
        A kernel that uses the `offload` crate can also let the host do it while the kernel runs: \
        `offload::host_call!` runs a closure on the host and returns its result, and with `--device-std` the host runs \
        what `println!`, `std::fs`, `std::env` and `std::time` need.";
    NoDeviceCode = 8, Error, "no-device-code", "a kernel reaches a function that has no device code",
        "None of the inputs and libraries contains the body of a function, or the body needs something that the code \
        generator of the target lacks.\n\n\
        For a function of another crate, name the rlib of that crate with `--extern-rlib`, or a folder of rlibs or \
        cargo's folder of the profile (`target/release`) with `-L`. For a function in C, add the bitcode that `clang -emit-llvm` writes as another input, or with \
        `--device-bitcode` if it is compiled for one arch.";
    ThreadLocal = 9, Error, "thread-local", "a kernel reaches a thread-local variable",
        "`thread_local!` stores one value for each thread of the host. A device starts thousands of threads, which \
        end with the kernel, and has no such storage. The keys of `std`'s hash maps are an exception: they are fixed on \
        devices.\n\n\
        Keep the value in a local variable, or pass a pointer to one element for each thread.";
    InlineAsm = 10, Error, "inline-asm", "a kernel reaches inline assembly of the host",
        "`asm!` in the source is assembly of the host's CPU, which no other processor can run.\n\n\
        Write the code in Rust, or keep it on the host behind `if !__offload_is_device()`. A kernel reaches an \
        instruction of the device through its intrinsic, as docs/intrinsics.md describes.";
    HostIntrinsic = 11, Error, "host-intrinsic", "a kernel reaches an intrinsic of the host's processor",
        "`core::arch::x86_64` and `core::arch::aarch64` are instruction sets of hosts. Crates use them if they find out, \
        at compile time or at run time, that the CPU has AVX or a similar extension, or Neon.\n\n\
        Write kernels with ordinary arithmetic, which is compiled for each device. In other crates, turn off the \
        feature that selects such code (often called `simd`), and compile without `-C target-cpu=native`.";
    DivergentBarrier = 12, Error, "divergent-barrier", "a barrier is under control flow that differs between threads",
        "All threads of a block must reach the same `__offload_sync_threads()`. Here, some threads may take another \
        path: either the barrier in the source depends on the position of the thread, or the compiler that wrote the \
        input moved or duplicated the barrier. The same holds for shuffles, ballots and votes, which the lanes of a \
        warp must reach together, if one may be a duplicate of another. Operations with a mask may be anywhere.\n\n\
        What the host, the machine or another thread decides may differ between threads, too: results of host calls, \
        clocks, addresses of locals, and values of atomics, also those that an atomic load returns. Let one thread of \
        the block ask, and pass the answer to the others through shared memory, or by `block::reduce`. A bound of the \
        thread's position in front of a return, such as `if i >= n { return; }`, is no error: if threads of one block \
        disagree about it, the launch panics.\n\n\
        Move the barrier out of the condition, as in `if mine { store() } sync(); if mine { load() }`. If the source \
        is correct, compile it with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0`.\n\n\
        With plain `-O`, LLVM has optimised the kernel for a host before offloadc reads it. offloadc proves that the \
        copies of a barrier are one and makes them one again, but under one percent of correct kernels remain for \
        which it finds no proof, for instance where LLVM has replaced the steps of a loop, in one copy only, by a \
        formula for all of them. The flags above prevent this. The help of the message names them unless the input \
        shows that they were set: its locals are in memory.";
    KernelSignature = 13, Error, "kernel-signature", "a kernel's parameters cannot be passed to a device",
        "A kernel is an `extern \"C\"` function of integers, floats, raw pointers and structs of these. Values in the \
        Rust calling convention, references to closures, and values that the host's convention passes by a hidden \
        pointer cannot be copied to a device.\n\n\
        Declare the function `extern \"C\"`, or take one `*const Arguments` and mark the kernel with \
        `__offload_kernel_block(f, size_of::<Arguments>(), align_of::<Arguments>())`, which passes any value.";
    KernelReturns = 14, Error, "kernel-returns", "a kernel returns a value",
        "Every thread would return a value, and nothing receives these values. Write results through a pointer \
        argument.";
    RecursiveBarrier = 15, Error, "recursive-barrier", "a recursive function reaches a barrier",
        "offloadc checks in the body of the kernel whether all threads of a block reach a barrier. It inlines every \
        function with a barrier into that body, and a recursive function cannot be inlined. Turn the recursion into \
        a loop, or synchronise outside of it. On the CPU, the same holds for operations between the lanes of a warp, \
        unless `--cpu-warp-size=1` makes each thread a warp.";
    IndirectCall = 16, Error, "indirect-call", "an indirect call that the device cannot make",
        "After optimisation, the kernel still contains a call through a function pointer or of a `dyn` method. SPIR-V \
        has no addresses of functions, so offloadc turns such a call into a choice between its possible callees; for \
        this call it knows none. Or the callee contains a barrier (on the CPU also an operation between lanes) and \
        is never called directly.\n\n\
        Use generics instead of `dyn`, call the functions by name in a `match`, or leave that arch out of \
        `--offload-arch`.";
    DeviceStaticCopy = 17, Warning, "device-static-copy", "a static is copied to the device and no longer shared with the host",
        "If kernels read a static that the program may change, there are several copies: one on the host, and one on \
        each device, which starts with the value in the source. A change to one copy is not visible in the others.\n\n\
        Pass a pointer to device memory instead, with the crate `offload` a parameter `&[Atomic<T>]`, for which a launch has \
        `&mut buffer`. Or declare the static with `device_static!`: the host writes it by `NAME.copy_from_host(&stream, value)` \
        and reads it by `NAME.to_host(&stream)`. If a copy is intended, `-Wno-device-static-copy` hides the warning.";
    Varargs = 19, Error, "varargs", "a kernel reaches a function with variable arguments",
        "C's `...` is a convention of the host's CPU. Pass a slice or a struct instead.";
    UnsupportedType = 20, Error, "unsupported-type", "a kernel uses a type that the device does not have",
        "The code generator of the target has no arithmetic for a type of the kernel, such as `f128`, or an integer \
        of more than 128 bits. Use another type in kernels, or leave the arch out of `--offload-arch`.\n\n\
        A pointer with an address space, which clang writes for `__attribute__((address_space(4)))`, is such a type \
        for all targets, because each of them gives the number another meaning.";
    NewerLlvm = 21, Error, "newer-llvm", "the input was written by a newer LLVM, and cannot be converted",
        "LLVM reads the bitcode of its own version and of older ones. `rustc -vV` and `offloadc -V --verbose` show \
        the two versions. offloadc converts the bitcode of a newer LLVM with the libLLVM of the rustc that wrote it, \
        which is in the sysroot of that rustc. It asks `rustc`, or `RUSTC`, for the sysroot; `--sysroot` or \
        `--rustc-llvm` overrides this. `cargo offloadc doctor` shows the result.\n\n\
        Either the library was not found or did not read the module, or the module contains something that \
        offloadc's own LLVM cannot express, which the message names. Compile with a rustc whose LLVM is not newer.";
    InvalidInput = 22, Error, "invalid-input", "the input is not what was expected",
        "offloadc reads LLVM bitcode, LLVM IR as text, and objects that contain bitcode, and recognises each by its \
        first bytes. This file is none of them, is damaged, or contains IR that LLVM's parser rejects.\n\n\
        `rustc --emit=llvm-bc` writes suitable files.";
    InvalidModule = 23, Error, "invalid-module", "LLVM's verifier refuses the module",
        "The input can be read, but breaks a rule of LLVM IR. The usual cause is a tool that has changed the IR after \
        the compiler; LLVM's `opt -passes=verify` reports the same error.";
    SharedAddress = 24, Error, "shared-address", "a static is initialised with the address of shared memory",
        "Each block has its own copy of the statics in section `.offload.shared`, so such a static has no single \
        address that could initialise another static. Take the address inside the kernel.";
    StaticValue = 25, Error, "static-value", "a static has an initial value that a device cannot load",
        "The loader of a device supports fewer initial values than the loader of a host. Some targets accept the \
        address of a static only if it is aligned and precedes the static that contains it, some accept no address \
        of a function, and none accepts arithmetic on addresses. SPIR-V accepts 16,777,216 elements that are not \
        zero.\n\n\
        Fill the table on the host and pass a pointer to it, or write it as a `match`.";
    MemoryLimit = 26, Error, "memory-limit", "a kernel needs more memory of one kind than a device has",
        "Static shared memory is larger than the arch has for one block, constant memory is larger than the arch has \
        for one program, or the arguments of a kernel are too large: NVIDIA GPUs accept 4,352 bytes, from `sm_70` \
        with PTX 8.1 (driver 530) 32,764 bytes; SPIR-V accepts 253 arguments. Or the local variables of a kernel, with those \
        of the functions that it calls, are larger than the memory that a thread has for them: 512 KiB on NVIDIA GPUs; on AMD \
        GPUs 128 KiB in waves of 64 lanes, 256 KiB in waves of 32 lanes, and 2 MiB from `gfx1200`. Or a kernel recurses, and \
        the stack of `--device-stack` fills that memory.\n\n\
        A large array is better in a buffer, of which each thread has a part, as with `DisjointChunks`. \
        Shared memory that need not be static can be `__offload_dynamic_shared()`. Each launch chooses its size, and \
        some devices have more of it. Large tables are in global memory unless section `.offload.constant` requests \
        constant memory.";
    BuiltinType = 27, Error, "builtin-type", "a function is declared with another type than its own, or a builtin is defined",
        "The source declares the functions of the device contract, such as `__offload_thread_id_x`, and offloadc \
        defines them, with the types that docs/contract.md lists. It also defines the functions behind Rust's allocator, \
        such as `__rust_alloc`, with rustc's types. A function that one crate defines and another one declares, as in \
        `extern \"C\" { fn sum(a: u32) -> u32; }`, must have the same type in both. Correct the declaration. In Rust, \
        `u32` corresponds to `i32` in the message.";
    Intrinsic = 28, Error, "intrinsic", "a kernel names an intrinsic that the target does not have, or with another type",
        "`#[link_name = \"__offload_intrinsic.llvm.…\"]` names an intrinsic of LLVM. The intrinsic must exist, the \
        declaration must have a type that corresponds to LLVM's, operands that LLVM requires to be constant must be \
        constants, and every arch that reaches the call must have the intrinsic.\n\n\
        docs/intrinsics.md lists the corresponding types. If only some archs have the intrinsic, call it behind `if \
        __offload_arch() >> 24 == …`, which is decided at compile time.";
    LaunchBounds = 29, Error, "launch-bounds", "a promise or an option of a kernel is not constant, or cannot hold",
        "`__offload_launch_bounds(threads, blocks)` and `__offload_block_size(x, y, z)` are promises. The compiler \
        assigns registers according to them. Call them in the kernel itself, with constants, once; no block has more \
        than 1024 threads. `__offload_max_registers(count)`, with 24 to 255 registers, is an option of the kernel that \
        calls it.\n\n\
        `__offload_fp_contract(0)`, `__offload_fp_contract(1)` and `__offload_fast_math()` set the rules of the function \
        that calls them, and of all functions that it calls. Call one of them, with a constant. \
        `__offload_unroll(count)` is for the loop around it, and `count` is 1 to 1024, or 0 for all iterations.";
    NoBitcode = 30, Error, "no-bitcode", "a kernel reaches a function of a library that was compiled without bitcode",
        "The library contains the function only as machine code of the host. Cargo leaves bitcode out of rlibs unless \
        `.cargo/config.toml` contains\n\n    \
        [build]\n    rustflags = [\"-C\", \"embed-bitcode=yes\"]\n\n\
        Build again with these lines. Nothing else changes.";
    OtherBuild = 31, Error, "other-build", "a kernel reaches a function of another build of a library than the one at hand",
        "A Rust symbol identifies the build of a crate that it belongs to. A library of that name was found, but it \
        has another version, comes from another toolchain, or has other features than the crate that the input was \
        compiled with.\n\n\
        Name the rlib of the same build, or the sysroot of the same toolchain with `--sysroot`.";
    NoSysroot = 32, Error, "no-sysroot", "a kernel reaches a function of Rust's own library, and that library is not found",
        "offloadc takes the bodies of `core` and `alloc` from the libraries of rustc, and did not find their folder: \
        `rustc` is not in `PATH`, or is not the one that compiled the input. Name its sysroot with `--sysroot`; \
        `rustc --print sysroot` prints it.";
    NoHeap = 33, Error, "no-heap", "a kernel allocates memory with C's functions",
        "`malloc`, `free` and similar functions need C's heap, which devices do not have.\n\n\
        Use `Box`, `Vec` or `String`, which allocate from the heap of the launch (`heap_bytes`), allocate on the \
        host and pass the memory to the kernel, or use arrays of a fixed size.";
    ExternalStatic = 34, Error, "external-static", "a kernel reaches a static that is defined elsewhere",
        "The input declares a static that none of the inputs and libraries defines, so the device has no value for \
        it. Also pass the bitcode of the crate that defines it to offloadc, or its rlib with `--extern-rlib`.";
    UnsupportedAtomic = 35, Error, "unsupported-atomic", "a kernel uses an atomic access that the device does not have",
        "The device cannot make an access of that size or kind in one step, or cannot make it visible to every thread \
        that must see it. offloadc never replaces an atomic access with a weaker one.\n\n\
        Use atomics of 4 or 8 bytes in kernels, which every target has. If only the threads of one device take part, \
        use the atomics of docs/atomics.md with the scope of a device.";
    Recursion = 36, Note, "recursion", "a kernel calls a function that calls itself, on a stack of a fixed size",
        "The depth of a recursion is known only at run time, so no compiler can reserve the stack for it. Each thread \
        has 12 KiB of stack, or the size that `--device-stack=BYTES` sets. CUDA reserves this size when the kernel \
        is loaded; a kernel that needs more overwrites other memory or ends with an error. On AMD GPUs, which do not \
        detect an overflow, and on SPIR-V, which has no stack, the compiler makes a stack, and an overflow is a \
        panic. A GPU reserves the stack for every thread that can run at once: on a large GPU, 12 KiB per thread are \
        gigabytes.\n\n\
        Turn the recursion into a loop, or hide the note with `-Wno-recursion`. Calls through pointers may recurse \
        as well; the stack allows for them, but there is no note.";
    PrintDropped = 37, Warning, "print-dropped", "kernels print, and printing on devices is not enabled",
        "A kernel calls `__offload_print`, which writes to standard output on the host. On devices, printing costs \
        registers and stack, so offloadc removes such calls unless `--device-print` is given.";
    CrateVersion = 38, Error, "crate-version", "the `offload` crate is of another version than offloadc",
        "The interface between the `offload` crate and offloadc is private to both, so their versions must match: \
        before 1.0, the first two numbers of the versions must be the same.\n\n\
        Change the version of the dependency in `Cargo.toml`, or install the matching version of offloadc.";
    UnregisteredImage = 39, Warning, "unregistered-image", "the runtime cannot load an image",
        "A runtime loads the images of its devices. An image that it does not load is not registered with it, so the \
        program contains the image but never uses it. libcudart loads images for NVIDIA GPUs, and HIP loads images for \
        AMD GPUs; neither runs kernels on the host. LLVM's liboffload does not load SPIR-V. LLVM's libomptarget loads \
        machine code only, and neither PTX nor SPIR-V.\n\n\
        `--ptxas` names NVIDIA's assembler, which generates machine code for its GPUs. Leave the other archs out, or \
        run the kernels with offloadc's own runtime.\n\n\
        A file of `--emit=bundle` in the form of one vendor (`--bundle-format`) has the images for this vendor's GPUs \
        only.";
    SkippedArch = 40, Warning, "skipped-arch", "an arch is left out, because its code is refused",
        "An arch of `--offload-arch-optional`, or any arch with `--skip-refused-archs`, does not end the build if the \
        code of a kernel is refused for it, or cannot be compiled for it. The output has no code for that arch, and \
        the errors of its kernels are warnings. A launch on such a device is an error of the runtime: the kernel has \
        no code for it.\n\n\
        Each arch is built or left out as a whole. A kernel that must not exclude a device can do other work there, behind \
        `if __offload_arch() >> 24 == …`. `-Werror=skipped-arch` makes the warning an error, for the one build that must \
        contain all archs.";
    NoJobServer = 41, Warning, "job-server", "make's job server cannot be used",
        "make and cargo limit the number of busy threads of all programs that they start. `MAKEFLAGS` names the pipe \
        through which they do it, but the pipe cannot be used. offloadc then uses one thread, unless `-j` names a \
        number.\n\n\
        make opens the pipe only for commands that begin with `+` in the makefile, or that contain `$(MAKE)`:\n\n    \
        app.o: app.bc\n\t    +offloadc app.bc -o app.o";
    CacheUnusable = 42, Warning, "cache", "the cache cannot be used",
        "offloadc keeps images in a folder, and uses them again if nothing that decides their bytes has changed. The folder \
        cannot be read or written, one of its files is damaged, or others could have written it: the folder, a folder above \
        it or the file belongs to another user, or everybody or a group with other members may write it. The output is \
        right, but it took longer than necessary.\n\n\
        Damaged files are removed. Name another folder with `--cache-dir` or `OFFLOADC_CACHE_DIR`, or use `--no-cache`.";
    RemoteCacheUnusable = 43, Warning, "remote-cache", "the cache on a server cannot be used",
        "offloadc asks a server for images and host objects that its own folder lacks (`--cache-remote`). The server cannot be \
        reached, is too slow, or answers with something else. It is not asked again in this run. The output is right, but it \
        took longer than necessary.\n\n\
        `OFFLOADC_CACHE_TIMEOUT` is the longest time of a request in seconds. `SSL_CERT_FILE` names a PEM file with the root \
        certificates of a server with `https://`, if Mozilla's are not those.";
    NoSlice = 45, Error, "no-slice", "a file is not a slice of this offloadc",
        "`offloadc job` and `--from=slice` continue with a file that `--emit=slice` or a distributed build wrote. The file is \
        of another kind, it is damaged, or another version of offloadc or LLVM wrote it. A slice has no meaning for other \
        versions, so the programs that read it must have the same bytes as those that wrote it.\n\n\
        A slice is for the archs of `--offload-arch` where it was written, because code that one of them cannot run is found \
        before. Name all archs there. A slice also contains the options of its build, such as `--cpu-vectorize`, and refuses \
        other values of them.";
    DistributorFailed = 46, Error, "distributor-failed", "the program of `--distributor` failed",
        "`--distributor` names a program that has the images compiled. The program could not be run, or it ended with a \
        status other than 0. If a job has failed, its own message names the arch and the kernels.\n\n\
        Images that were compiled are in the cache, so a second build compiles only the others. Without `--distributor`, \
        all images are compiled on this machine.";
    UnusableImage = 47, Error, "unusable-image", "an image that a distributor returned cannot be used",
        "The program of `--distributor` has succeeded, but the output of a job is absent or damaged, or the job was done \
        with another offloadc, LLVM, linker, assembler or math library than those of this build. The image of such a job \
        could differ from the image that this build would compile.\n\n\
        A distributor must wait for all jobs, copy each output to its place, and fail if a job has failed.";
    NativeUse = 48, Error, "native-use", "machine code uses the device contract",
        "offloadc finds kernels and launches in LLVM bitcode. A crate or object of the link names a symbol of the device \
        contract, such as `__offload_kernel`, but rustc has already compiled it to machine code, so offloadc cannot see \
        what it marks or launches.\n\n\
        `cargo offloadc` leaves a crate as bitcode if the crate `offload` is anywhere among its dependencies. Another \
        crate that uses the contract says so in its manifest:\n\n    \
        [package.metadata.offload]\n    kernels = true\n\n\
        Without `cargo offloadc`, compile the crate with `-C linker-plugin-lto`.";
    LaunchState = 49, Error, "launch-state", "a kernel needs more of a launch than the runtime gives",
        "A kernel that reports panics, allocates memory or calls the host takes the address of its launch's state, in \
        addition to its arguments. The state contains the record of a panic, the heap and the mailbox. offloadc's own \
        runtime, also on libomptarget and liboffload, passes it. `cudaLaunchKernel`, `hipLaunchKernel` and `mgpuLaunchKernel` pass arguments only, and so do the launchers of exported kernels, which cannot set a `late_const!` either.\n\n\
        With these runtimes, a panic ends the kernel by a trap if `--device-panic` is not given. Allocate outside of the \
        kernel, or pass a buffer to it.";
    DeviceBitcode = 50, Error, "device-bitcode", "a file of `--device-bitcode` does not fit",
        "The bodies in such a file become part of the device code of an arch. The file is compiled for another \
        architecture, it defines a function with another type than the program declares, or with the name of a kernel, \
        or it calls a builtin that offloadc must see before it checks kernels: a barrier, an operation between lanes, \
        or any other builtin that does not return the position of the thread.\n\n\
        Compile the file for the arch, and name the arch where a program has several:\n\n    \
        clang --target=nvptx64-nvidia-cuda -O2 -emit-llvm -c scale.c -o scale.bc\n    \
        offloadc app.bc --offload-arch=cpu,sm_80 --device-bitcode=sm_80=scale.bc --device-bitcode=cpu=host.bc\n\n\
        If a function that a kernel calls still has no body, the error is OFC0008.";
    PassPlugin = 51, Error, "pass-plugin", "a plugin of `--load-pass-plugin` cannot be used",
        "A plugin of LLVM's pass manager is code for one version of LLVM, and offloadc runs it in its own process. The file is \
        no such plugin, it needs another LLVM than the one of offloadc, or it has no pass of the name that is given.\n\n\
        Build the plugin with the headers of the LLVM that `offloadc --version` names:\n\n    \
        c++ -shared -fPIC -fno-rtti $(llvm-config-22 --cxxflags) plugin.cpp -o plugin.so\n    \
        offloadc app.bc --load-pass-plugin=plugin.so@simplify";
    IdlePassPlugin = 52, Warning, "idle-pass-plugin", "a plugin of `--load-pass-plugin` adds no pass",
        "A plugin adds passes to places in LLVM's pipelines, or it has passes that run where they are named. The plugin adds \
        nothing to the pipeline of the stage at this level of optimisation, so it has no effect.\n\n\
        Name its passes, as for `opt -passes`: `--load-pass-plugin=plugin.so@simplify:my-pass`.";
    UnknownFeature = 57, Error, "unknown-feature", "a program asks for a feature that no target has",
        "`has_feature` has a constant answer for each arch, so the compiler must know the name. The name is misspelt, or it is \
        not a literal in the call. A wrong name is an error, because the answer `false` would silently leave out the \
        code for that feature.\n\n\
        The names are `f16`, `f64` and `subgroups`, the names of archs (`sm_80`, `gfx90a`, `x86-64-v3`), and LLVM's names of \
        features, such as `avx2` and `wavefrontsize64`. docs/targets.md describes them.";
    Specialization = 58, Error, "specialization", "a kernel cannot be compiled for a value",
        "`--specialize` gives a parameter of a kernel, or the size of the block, a value that all launches have. The slice, or \
        the generic image, has no such kernel or parameter, the value has another size than the parameter, two values are for the same bytes, or the \
        parameter is an address, which differs between launches.\n\n\
        Give all bytes of the parameter, the lowest first: `--specialize=smooth:0=00040000` is 1024 in a `u32`. With a size of \
        the block, `--specialized-only` is needed in a slice with other kernels, because kernels share functions.";
    NotLinkable = 60, Error, "not-linkable", "a function cannot be linked with a kernel of another object",
        "A kernel is given a function of another object, such as a plugin. Both generic images are linked for the launch, or \
        by `offloadc finish --link`. The function does something for which the kernel was not compiled: it uses a \
        static that can change, of which each image has its own copy; it calls the host, allocates memory, or uses \
        workgroup memory or other threads of the block. The images cannot be linked either if no kernel of the first \
        one calls functions that are passed as values, or if the other one has no such functions. If the object has \
        other functions that can be linked, this is a warning, and the image contains those.\n\n\
        Pass such memory as an argument of the function, and do the rest in the kernel. Within one object, the function can \
        be called as it is.";
    LargeLocals = 61, Warning, "large-locals", "local variables of a kernel may not fit the stack of a thread",
        "On the CPU, the threads of a block run on a thread of the host, and their local variables are on its stack. It \
        usually has 8 MiB: `ulimit -s` says how much, and threads that the program makes itself have what it asks for. A \
        kernel that needs more ends with an error.\n\n\
        Keep large arrays in a buffer, of which each thread has a part, as with `DisjointChunks`. GPUs have much smaller \
        limits (OFC0026).";
    ForeignPointer = 62, Warning, "foreign-pointer", "a type that is promised to have no address has one",
        "`#[device_copy(unsafe(foreign))]` promises that values of a type of another crate have no address of the host. Debug \
        information of the program shows a pointer, a reference or a function pointer in the type. A kernel that follows it \
        reads memory that the device does not have.\n\n\
        Copy the numbers that the kernel needs into fields, and pass the memory as a slice. If kernels never follow the \
        address, `-Wno-foreign-pointer` leaves the warning out. Without debug information, as in a release build, there is \
        no warning. `cargo offloadc check` has it for crates with this promise in their files.";
    ExportName = 63, Error, "export-name", "a kernel cannot be exported under a name",
        "`#[kernel(export = \"NAME\")]` gives a kernel the name by which CUDA, HIP, OpenCL and other launchers find it in \
        an image. The name must be an identifier in C, no two kernels of an image have the same name, and a function \
        has one name.\n\n\
        Export instances of a generic kernel under different names:\n\n    \
        #[kernel(export(f32 = \"scale_f32\", f64 = \"scale_f64\"))]";
}

impl Code {
    /// The names for `-W`: those of warnings and notes.
    pub fn warning_names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().filter(|c| c.severity() != Severity::Error).map(|c| c.name())
    }
}

impl Code {
    /// The code with this number (`OFC0007` or `7`) or name.
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
        // The `-Wno-<name>` of one row must not be the `-W<name>` of another one.
        let names: Vec<_> = Code::ALL.iter().map(|c| c.name()).collect();
        for name in &names {
            assert!(!names.contains(&format!("no-{name}").as_str()));
        }
    }
}
