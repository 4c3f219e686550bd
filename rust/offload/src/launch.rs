//! Launches: a kernel, the shape of its grid, and its arguments.

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
    /// Returns a grid of blocks of `block` threads along x. It has as many blocks as `len` threads need, and at least
    /// one.
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

    /// Returns a grid of blocks of 256 threads along x, with as many blocks as `count` threads need.
    ///
    /// ```
    /// use offload::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::for_num_elems(1000), LaunchConfig::for_len(1000, 256));
    /// ```
    pub const fn for_num_elems(count: u32) -> Self {
        Self::for_len(count as usize, 256)
    }

    /// Returns a grid of two-dimensional blocks of `block` threads (x, y), with as many blocks as `columns` times
    /// `rows` threads need.
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

    /// Returns the same shape with this many bytes of launch-sized shared memory for each block.
    ///
    /// ```
    /// assert_eq!(offload::Grid::for_len(1000, 256).with_shared_bytes(1024).shared_mem_bytes, 1024);
    /// ```
    pub const fn with_shared_bytes(self, bytes: u32) -> Self {
        LaunchConfig { shared_mem_bytes: bytes, ..self }
    }

    /// Returns the same shape with a heap of this many bytes, from which the threads allocate.
    ///
    /// ```
    /// assert_eq!(offload::Grid::for_len(1000, 256).with_heap_bytes(1 << 20).heap_bytes, 1 << 20);
    /// ```
    pub const fn with_heap_bytes(self, bytes: u64) -> Self {
        LaunchConfig { heap_bytes: bytes, ..self }
    }
}

/// What the compiler knows about a kernel. Every launch is checked against the same data.
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
    /// The path of the function, as errors and `offloadc inspect` show it.
    pub name: &'static str,
    /// The parameters, in order.
    pub parameters: &'static [ParameterInfo],
    /// The size in bytes of all arguments together, including the captures of a closure.
    pub argument_bytes: u32,
    /// The bytes of static shared memory that a block has on the `cpu` device.
    pub shared_bytes: u32,
    /// The largest number of threads that a block may have, if the kernel declares it with
    /// `#[kernel(launch_bounds(..))]` or `#[kernel(block_size(..))]`. It is the same for every arch.
    pub threads_per_block: Option<u32>,
    symbol: &'static CStr,
}

impl KernelInfo {
    /// The name of the kernel in every image.
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

/// A parameter of a kernel: its position in the bytes of the arguments. The captures of a closure come first.
///
/// The bytes of a slice are its address and its length.
///
/// See the example of [`KernelInfo`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// The offset in bytes from the first argument.
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
    /// The alignment in bytes, a power of two.
    pub align: usize,
    name: fn() -> &'static str,
}

impl ParameterInfo {
    pub(crate) const fn new<P: Param>(offset: usize) -> Self {
        let name = core::any::type_name::<P>;
        ParameterInfo { offset, size: size_of::<P::Bits>(), align: mem::align_of::<P::Bits>(), name }
    }

    /// The type of the parameter as Rust writes it, with its path.
    ///
    /// See the example of [`KernelInfo`].
    pub fn type_name(&self) -> &'static str {
        (self.name)()
    }
}

/// The methods of a kernel: a function or closure whose parameters `P` can be copied to a device.
///
/// The trait is implemented for every [`Callable`]: plain functions, instances of generic functions such as
/// `scale::<f64>`, and closures that capture only values. The captures are copied to the device byte for byte.
///
/// A closure must not capture an address of the host. If it captures a reference (even a `&'static` one) or a function
/// pointer, compiling the launch is an error. This is also an error if the captures have at least the size of an
/// address and one of them cannot be 0, such as `NonZero`: capture the number instead, or take the value as a
/// parameter. The compiler does not find an address in an `Option`, or an address that was converted to a number or a
/// raw pointer. A GPU cannot access such an address. On the CPU, a kernel that calls a function of the host panics.
///
/// A kernel must accept references of any lifetime in its parameters, and cannot require `'static`: the copy of host
/// memory that a launch makes exists only for that launch.
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
    /// Submits the kernel to `stream`. The tuple `arguments` has one argument for each parameter: the value itself,
    /// `&buffer` for a `&[T]`, `&mut buffer` for a `DisjointSlice<T>`. If an argument is host memory (`&x[..]`,
    /// `&mut y[..]`), the launch copies the memory to the device and back, and waits for the kernel before it returns.
    ///
    /// See the example of [`Kernel`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the device does not allow the shape, [`Error::NoImage`] if the program has no code for the
    /// device, [`Error::OtherDevice`] if a buffer belongs to another device. An error of the kernel itself
    /// ([`Error::Panicked`]) is reported by the next call that waits for the stream, or by the launch if the kernel has
    /// ended when it returns.
    fn launch<A: Arguments<P>>(self, stream: &Stream, config: LaunchConfig, arguments: A) -> Result<()>;

    /// Calls the kernel on the host, once for every thread of the launch, with memory of the host: `&x[..]` for a
    /// `&[T]`, `&mut y[..]` for a `DisjointSlice<T>`. It is made for unit tests, and does not need offloadc. The
    /// threads are threads of the operating system, so Miri finds data races. See [`run_on_host`](crate::run_on_host)
    /// for details.
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
    /// If a thread panics.
    fn run_on_host<A: HostArguments<P>>(self, config: LaunchConfig, arguments: A);

    /// Returns what the compiler knows about the kernel. No device is needed. The name and the parameters are constants
    /// that rustc computes. The bytes of shared memory and the number of threads per block are loads of constants that
    /// offloadc writes when it has compiled the device code.
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
            // SAFETY: the bits come from arguments of these types, and each thread uses its copy for one call.
            unsafe { block.function.call(block.bits) }
        });
    }

    #[inline]
    fn info(self) -> KernelInfo {
        // SAFETY: a handle points to the descriptor of its kernel, which is a static. The descriptor's name is a C
        // string.
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

/// The argument block that a launch copies to the device: the captures of the closure, and the bytes of the parameters.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Block<F, B> {
    function: F,
    pub(crate) bits: B,
}

/// An argument block that threads of the host copy, as those of a device do.
struct Shared<F, B>(Block<F, B>);

// SAFETY: the function is `Send` and is copied, and a launch may give the bits to many threads at the same time.
unsafe impl<F: Send + Copy, B: Copy> Sync for Shared<F, B> {}

impl<F: Copy, B: Copy> Shared<F, B> {
    fn block(&self) -> Block<F, B> {
        self.0
    }
}

/// The function that offloadc compiles for the device, one for each kernel and its parameters.
extern "C" fn entry<F: Callable<P>, P: Params>(block: *const Block<F, P::Bits>) {
    // SAFETY: a launch passes a block of this type to every thread.
    unsafe {
        let block = ptr::read(block);
        block.function.call(block.bits);
    }
}

/// The handle of the kernel, which offloadc replaces with a constant.
#[inline(always)]
fn handle<F: Callable<P>, P: Params>() -> *const RawKernel {
    Captures::<F>::check();
    let function: extern "C" fn(*const Block<F, P::Bits>) = entry::<F, P>;
    let (size, align) = (size_of::<Block<F, P::Bits>>(), mem::align_of::<Block<F, P::Bits>>());
    let name: fn() -> &'static str = core::any::type_name::<F>;
    // The function takes one block of that size and alignment.
    contract::__offload_kernel_named(function as *const (), size, align, name as *const ())
}

/// The part of a launch that does not depend on the kernel's type.
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
    // SAFETY: the device is open, the stream belongs to it, the handle is a kernel's, and the argument's bytes are
    // valid.
    Error::check(unsafe { ffi::offloadrt_launch(stream.device().raw(), stream.raw(), kernel, &config, &argument, 1) })
}
