//! Launches: a function, a shape and arguments.

use core::ffi::CStr;
use core::{mem, ptr};

use crate::captures::Captures;
use crate::contract::{self, RawKernel};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ffi::{self, RawArgument, RawLaunchConfig};
use crate::host;
use crate::host_arguments::HostArguments;
use crate::mapped::Binding;
use crate::param::{Arguments, Callable, Param, Params};

/// The shape of a launch: blocks in the grid, threads in a block, and launch-sized shared memory.
///
/// ```
/// use offload::Grid;
///
/// let line = Grid::for_len(1000, 256).with_shared_bytes(1024);
/// assert_eq!((line.grid_dim, line.block_dim, line.shared_mem_bytes), ((4, 1, 1), (256, 1, 1), 1024));
/// let image = Grid::for_rows(640, 480, (16, 16));
/// assert_eq!((image.grid_dim, image.block_dim), ((40, 30, 1), (16, 16, 1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// The number of blocks along x, y and z; none may be 0.
    pub grid_dim: (u32, u32, u32),
    /// The number of threads of a block along x, y and z; none may be 0.
    pub block_dim: (u32, u32, u32),
    /// Bytes of [`shared::dynamic`](crate::shared::dynamic) for each block.
    pub shared_mem_bytes: u32,
    /// The size in bytes of the heap from which the threads of the launch allocate (`Box`, `Vec`, `String`). A thread
    /// that finds no room panics. Later launches reuse the memory, unless the kernel could have stored a reference to
    /// it (`Box::leak`) in a static or, on the CPU, through the captures of a closure. Such a heap is never freed.
    pub heap_bytes: u64,
}

/// The short name of [`LaunchConfig`].
///
/// ```
/// use offload::{Grid, LaunchConfig};
///
/// assert_eq!(Grid::for_len(1000, 256), LaunchConfig::for_len(1000, 256));
/// ```
pub type Grid = LaunchConfig;

impl LaunchConfig {
    /// Blocks of `block` threads along x, as many as `len` threads need, and one for 0.
    ///
    /// ```
    /// let grid = offload::Grid::for_len(1000, 256);
    /// assert_eq!((grid.grid_dim, grid.block_dim), ((4, 1, 1), (256, 1, 1)));
    /// ```
    pub const fn for_len(len: usize, block: u32) -> Self {
        let blocks = len.div_ceil(block as usize);
        let blocks = if blocks > u32::MAX as usize { u32::MAX } else { blocks as u32 };
        LaunchConfig {
            grid_dim: (if blocks == 0 { 1 } else { blocks }, 1, 1),
            block_dim: (block, 1, 1),
            shared_mem_bytes: 0,
            heap_bytes: 0,
        }
    }

    /// Blocks of 256 threads along x, as many as `count` threads need.
    ///
    /// ```
    /// use offload::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::for_num_elems(1000), LaunchConfig::for_len(1000, 256));
    /// ```
    pub const fn for_num_elems(count: u32) -> Self {
        Self::for_len(count as usize, 256)
    }

    /// Blocks of `block` threads along x and y, as many as `columns` times `rows` threads need.
    ///
    /// ```
    /// let grid = offload::Grid::for_rows(640, 480, (16, 16));
    /// assert_eq!((grid.grid_dim, grid.block_dim), ((40, 30, 1), (16, 16, 1)));
    /// ```
    pub const fn for_rows(columns: usize, rows: usize, block: (u32, u32)) -> Self {
        let (x, y) = (Self::for_len(columns, block.0), Self::for_len(rows, block.1));
        LaunchConfig {
            grid_dim: (x.grid_dim.0, y.grid_dim.0, 1),
            block_dim: (block.0, block.1, 1),
            shared_mem_bytes: 0,
            heap_bytes: 0,
        }
    }

    /// The same with so many bytes of launch-sized shared memory for each block.
    ///
    /// ```
    /// assert_eq!(offload::Grid::for_len(1000, 256).with_shared_bytes(1024).shared_mem_bytes, 1024);
    /// ```
    pub const fn with_shared_bytes(self, bytes: u32) -> Self {
        LaunchConfig { shared_mem_bytes: bytes, ..self }
    }

    /// The same with so many bytes for what the threads allocate.
    ///
    /// ```
    /// assert_eq!(offload::Grid::for_len(1000, 256).with_heap_bytes(1 << 20).heap_bytes, 1 << 20);
    /// ```
    pub const fn with_heap_bytes(self, bytes: u64) -> Self {
        LaunchConfig { heap_bytes: bytes, ..self }
    }
}

/// What the compiler knows of a kernel; the same bytes that every launch is checked against.
///
/// ```
/// use offload::prelude::*;
///
/// fn nothing(_: u64) {}
///
/// let info = nothing.info();
/// assert_eq!((info.argument_bytes, info.threads_per_block), (8, None));
/// assert_eq!((info.parameters[0].type_name(), info.parameters[0].size), ("u64", 8));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The function's path, as errors and `offloadc inspect` show it.
    pub name: &'static str,
    /// Its parameters, in their order.
    pub parameters: &'static [ParameterInfo],
    /// Bytes of all its arguments together, and of what a closure captures.
    pub argument_bytes: u32,
    /// Bytes of static shared memory that a block has on the `cpu` device.
    pub shared_bytes: u32,
    /// The most threads that a block may have, where the kernel promises it: `#[kernel(launch_bounds(..))]` and
    /// `#[kernel(block_size(..))]`, the same for every arch.
    pub threads_per_block: Option<u32>,
    symbol: &'static CStr,
}

impl KernelInfo {
    /// The kernel's name in every image.
    ///
    /// ```
    /// use offload::prelude::*;
    ///
    /// fn nothing(_: u64) {}
    /// println!("cuobjdump -fun {}", nothing.info().symbol());
    /// ```
    pub fn symbol(&self) -> &'static str {
        self.symbol.to_str().unwrap_or_default()
    }
}

/// A parameter of a kernel: where its bytes stand among the kernel's arguments, which begin with what a closure captures.
///
/// A slice's bytes are an address and a length.
///
/// See the example of [`KernelInfo`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// In bytes, from the first of the arguments.
    pub offset: usize,
    /// In bytes.
    pub size: usize,
    /// In bytes, a power of two.
    pub align: usize,
    name: fn() -> &'static str,
}

impl ParameterInfo {
    pub(crate) const fn new<P: Param>(offset: usize) -> Self {
        let name = core::any::type_name::<P>;
        ParameterInfo { offset, size: size_of::<P::Bits>(), align: mem::align_of::<P::Bits>(), name }
    }

    /// The parameter's type as it is written in Rust, with its path.
    ///
    /// See the example of [`KernelInfo`].
    pub fn type_name(&self) -> &'static str {
        (self.name)()
    }
}

/// What a function or closure can do once its parameters `P` may cross to a device.
///
/// Implemented for every [`Callable`]: plain functions, generic instances such as `scale::<f64>`, and closures that
/// capture nothing but values, which travel as they are. A closure that captures a reference, `&'static` ones too, or a
/// function's address is refused when the launch is compiled. So is one that captures a value which cannot be 0, such as
/// `NonZero`, together with a wide one: capture the number, or take the value as a parameter. Not seen is an address in an
/// `Option`, and one that was made a number or a raw pointer: a GPU cannot follow it, and on the processor a kernel that calls a
/// function of the host's panics.
///
/// References in a kernel's parameters live for any lifetime, not for `'static`: memory of the host that a launch copies to the
/// device is there for that launch only.
///
/// ```
/// use offload::{Device, DisjointSlice, Grid, prelude::*, thread};
///
/// fn count(mut values: DisjointSlice<u32>) {
///     if let Some(value) = values.get_mut(thread::index_1d()) {
///         *value += 1;
///     }
/// }
///
/// let (stream, mut values) = (Device::new()?.default_stream(), [1, 2, 3]);
/// count.launch(&stream, Grid::for_len(3, 256), (&mut values,))?; // on the device
/// count.run_on_host(Grid::for_len(3, 1), (&mut values,)); // here
/// assert_eq!(values, [3, 4, 5]);
/// # Ok::<(), offload::Error>(())
/// ```
#[rustfmt::skip] // it drops the words that rustc shows to whoever captures a slice
pub trait Kernel<P: Params>:
    Callable<P> // a closure captures values: take a slice as a parameter, and give it to the launch
{
    /// Submits the kernel to `stream`, with one argument for each parameter, as a tuple: the value itself, `&buffer` for
    /// a `&[T]`, `&mut buffer` for a `DisjointSlice<T>`. A launch with memory of the host among its arguments
    /// (`&x[..]`, `&mut y[..]`) copies it to the device and back, and has waited for the kernel when it returns.
    ///
    /// See the example of [`Kernel`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a shape that the device does not allow, [`Error::NoImage`] when the program has no code for
    /// the device, [`Error::OtherDevice`] for a buffer of another one. What becomes of the kernel itself is known when
    /// the stream is next waited for, or at once where the driver does not run ahead.
    fn launch<A: Arguments<P>>(self, stream: &Stream, config: LaunchConfig, arguments: A) -> Result<()>;

    /// Calls the kernel here, once for every thread of the launch, with the host's own memory: `&x[..]` for a `&[T]`,
    /// `&mut y[..]` for a `DisjointSlice<T>`. For unit tests, and for Miri: offloadc is not needed, threads are the operating
    /// system's, and a data race is a real one. [`run_on_host`](crate::run_on_host) says more.
    ///
    /// ```
    /// use offload::{DisjointSlice, Grid, kernel, prelude::*, thread};
    ///
    /// #[kernel]
    /// fn scale(factor: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    ///     let i = thread::index_1d();
    ///     if let Some(y) = y.get_mut(i) {
    ///         *y = factor * x[i.get()];
    ///     }
    /// }
    ///
    /// let (x, mut y) = ([1.0, 2.0, 3.0], vec![0.0; 3]);
    /// scale.run_on_host(Grid::for_len(3, 2), (2.0, &x, &mut y));
    /// assert_eq!(y, [2.0, 4.0, 6.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// When a thread does.
    fn run_on_host<A: HostArguments<P>>(self, config: LaunchConfig, arguments: A);

    /// What the compiler knows of the kernel. Its name, parameters and their bytes are constants of the program as rustc compiles
    /// it; shared bytes and the promise of threads are known when offloadc has compiled the device's code, and are loads of
    /// constants that it wrote. Nothing is called, and no device is needed.
    ///
    /// See the example of [`KernelInfo`].
    fn info(self) -> KernelInfo;
}

impl<F: Callable<P>, P: Params> Kernel<P> for F {
    #[inline]
    fn launch<A: Arguments<P>>(self, stream: &Stream, config: LaunchConfig, arguments: A) -> Result<()> {
        let mut binding = Binding::new(stream);
        let block = Block { function: self, bits: arguments.bind(&mut binding)? };
        let may_hide = Captures::<F>::CAN_HOLD_ADDRESS || P::MAY_HIDE_ADDRESS;
        let flags = if may_hide { ffi::KEEP_HEAP } else { 0 };
        let launched = submit(stream, handle::<F, P>(), config, flags, (&raw const block).cast(), size_of_val(&block));
        binding.finish(launched)
    }

    fn run_on_host<A: HostArguments<P>>(self, config: LaunchConfig, arguments: A) {
        let block = Shared(Block { function: self, bits: arguments.bits() });
        host::run_on_host(config, || {
            let block = block.block();
            // SAFETY: bits of arguments of these types, each thread's used for its one call.
            unsafe { block.function.call(block.bits) }
        });
    }

    #[inline]
    fn info(self) -> KernelInfo {
        // SAFETY: a handle points to its kernel's descriptor, whose name is a C string, for the whole program's time.
        let (kernel, symbol) = unsafe {
            let kernel = &*handle::<F, P>();
            (kernel, CStr::from_ptr(kernel.name))
        };
        KernelInfo {
            name: core::any::type_name::<F>(),
            parameters: P::parameters::<F>(),
            argument_bytes: size_of::<Block<F, P::Bits>>() as u32,
            shared_bytes: kernel.shared_bytes,
            threads_per_block: (kernel.threads_per_block != 0).then_some(kernel.threads_per_block),
            symbol,
        }
    }
}

/// What a launch copies to the device: what the closure captures, and the parameters' bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Block<F, B> {
    function: F,
    pub(crate) bits: B,
}

/// A block that the host's threads copy, as a device's do.
struct Shared<F, B>(Block<F, B>);

// SAFETY: the function may be sent to another thread, and bits are what a launch gives to many threads at once.
unsafe impl<F: Send + Copy, B: Copy> Sync for Shared<F, B> {}

impl<F: Copy, B: Copy> Shared<F, B> {
    fn block(&self) -> Block<F, B> {
        self.0
    }
}

/// The kernel that is compiled for the device, one for each function and parameters.
extern "C" fn entry<F: Callable<P>, P: Params>(block: *const Block<F, P::Bits>) {
    // SAFETY: a launch gives every thread a block of this type.
    unsafe {
        let block = ptr::read(block);
        block.function.call(block.bits);
    }
}

/// The handle; a constant once offloadc has seen it.
#[inline(always)]
fn handle<F: Callable<P>, P: Params>() -> *const RawKernel {
    Captures::<F>::check();
    let function: extern "C" fn(*const Block<F, P::Bits>) = entry::<F, P>;
    let (size, align) = (size_of::<Block<F, P::Bits>>(), mem::align_of::<Block<F, P::Bits>>());
    let name: fn() -> &'static str = core::any::type_name::<F>;
    // The function takes one block of that size and alignment.
    contract::__offload_kernel_named(function as *const (), size, align, name as *const ())
}

/// The part of a launch that is the same for all kernels.
fn submit(
    stream: &Stream,
    kernel: *const RawKernel,
    config: LaunchConfig,
    flags: u32,
    block: *const core::ffi::c_void,
    size: usize,
) -> Result<()> {
    let (grid, threads) = (config.grid_dim, config.block_dim);
    let config = RawLaunchConfig {
        size: size_of::<RawLaunchConfig>() as u32,
        version: ffi::LAUNCH_VERSION,
        grid: [grid.0, grid.1, grid.2],
        block: [threads.0, threads.1, threads.2],
        dynamic_shared_bytes: config.shared_mem_bytes,
        flags,
        panic_record: ptr::null_mut(),
        heap_bytes: config.heap_bytes,
    };
    let argument = RawArgument { address: block, size };
    // SAFETY: an open device, a stream of it, a kernel's handle, and one argument whose bytes are there.
    Error::check(unsafe { ffi::offloadrt_launch(stream.device().raw(), stream.raw(), kernel, &config, &argument, 1) })
}
