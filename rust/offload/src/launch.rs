//! Launches of kernels, on devices and on the host.

use core::ffi::CStr;
use core::{mem, ptr};
use std::format;
use std::vec::Vec;

use crate::abi::RESTRICTS;
use crate::argument::Arguments;
use crate::binding::Binding;
use crate::captures::Captures;
use crate::contract::{self, RawKernel};
use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::fallback;
use crate::ffi::{self, RawArgument, RawLaunchConfig};
use crate::first_launch::before_launch;
use crate::grid::LaunchConfig;
use crate::host;
use crate::host_arguments::HostArguments;
use crate::overlap::find_overlap;
use crate::param::{Block, Callable, ParameterInfo, Params, ScopedCallable};
use crate::thread::{self, Index};

/// The compiler's data about a kernel. Every launch is checked against the same data.
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
#[doc(alias("cudaFuncAttributes", "cudaFuncGetAttributes"))]
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
    /// `#[kernel(launch_bounds(..))]` or `#[kernel(block_size(..))]`. It is the same for every arch. A program that
    /// offloadc has not compiled does not know it; its launches are checked all the same.
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
#[doc(alias("CudaFunction", "__global__", "CUfunction"))]
#[rustfmt::skip] // it drops the words that rustc shows to whoever captures a slice
pub trait Kernel<P: Params>:
    Callable<P> // a `Vec` or slice is host memory: take `&[T]`, launch with `&buffer`; or `stream.scope`
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
    #[doc(alias("cudaLaunchKernel", "cuLaunchKernel", "launch_builder", "hipLaunchKernelGGL"))]
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

    /// Returns the compiler's data about the kernel. No device is needed. The name and the parameters are constants
    /// that rustc computes. The bytes of shared memory and the number of threads per block are loads of constants that
    /// offloadc writes when it has compiled the device code.
    ///
    /// See the example of [`KernelInfo`].
    fn info(self) -> KernelInfo;
}

impl<F: Callable<P>, P: Params> Kernel<P> for F {
    #[inline]
    fn launch<A: Arguments<P>>(self, stream: &Stream, config: LaunchConfig, arguments: A) -> Result<()> {
        launch_on(self, stream, config, arguments)
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

/// A launch on a device, which gets the constants of `late.rs` before.
#[inline]
pub(crate) fn launch_on<F: ScopedCallable<P>, P: Params, A: Arguments<P>>(
    function: F,
    stream: &Stream,
    config: LaunchConfig,
    arguments: A,
) -> Result<()> {
    before_launch(stream)?;
    launch_now(function, stream, config, arguments)
}

/// A launch on a device that has the constants of `late.rs`.
#[inline]
pub(crate) fn launch_now<F: ScopedCallable<P>, P: Params, A: Arguments<P>>(
    function: F,
    stream: &Stream,
    config: LaunchConfig,
    arguments: A,
) -> Result<()> {
    let mut binding = Binding::new(stream);
    let mut block = Block { function, bits: arguments.bind(&mut binding)? };
    // The block stays where it is from here on, because a move need not copy padding.
    P::clear_padding(&mut block.bits);
    refuse_overlap::<F, P>(&block.bits)?;
    let may_hide = Captures::<F>::CAN_HOLD_ADDRESS || P::MAY_HIDE_ADDRESS;
    let flags = if may_hide { ffi::KEEP_HEAP } else { 0 };
    let launched = within_span!(
        "launch",
        stream,
        [kernel = core::any::type_name::<F>()],
        [grid = config.grid_dim, block = config.block_dim],
        submit(stream, handle::<F, P>(), config, flags, (&raw const block).cast(), size_of_val(&block))
    );
    binding.finish(launched)
}

/// Refuses arguments that overlap, if the kernel says that they never do.
#[inline]
fn refuse_overlap<F: ScopedCallable<P>, P: Params>(bits: &P::Bits) -> Result<()> {
    let find = || {
        let mut all = Vec::new();
        P::memory(bits, &mut |parameter, memory| all.push((parameter, memory)));
        find_overlap(core::any::type_name::<F>(), &all)
    };
    if fallback::is_linked() {
        // There, the kernel makes its promises when it runs.
        fallback::note_overlap(if P::MAY_HOLD_POINTER { find() } else { None });
        return Ok(());
    }
    // SAFETY: a handle points to the descriptor of its kernel, which is a static.
    let may_be_refused = P::MAY_HOLD_POINTER && unsafe { (*handle::<F, P>()).flags } & RESTRICTS != 0;
    if may_be_refused { find().map_or(Ok(()), |text| Err(Error::Invalid(text))) } else { Ok(()) }
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
extern "C" fn entry<F: ScopedCallable<P>, P: Params>(block: *const Block<F, P::Bits>) {
    // SAFETY: a launch passes a block of this type to every thread.
    unsafe {
        let block = ptr::read(block);
        P::describe_scalars::<F>();
        // The buffers of shared slices are borrowed. Only code with a pointer could write them nevertheless.
        if !(Captures::<F>::CAN_HOLD_ADDRESS || P::MAY_HOLD_POINTER) {
            P::promise_read_only(&block.bits);
        } else {
            // The kernel may say `restrict`. Otherwise the compiler ignores these calls.
            P::memory(&block.bits, &mut |_, memory| {
                contract::__offload_parameter_pointer(memory.address, memory.is_shared.into());
            });
        }
        block.function.run(block.bits);
    }
}

/// The function that a launch calls in a program that offloadc has not compiled. It may unwind, unlike [`entry`].
///
/// # Safety
///
/// `block` must be a block of this type.
unsafe fn fallback_entry<F: ScopedCallable<P>, P: Params>(block: *const core::ffi::c_void) {
    // SAFETY: the caller promises it.
    unsafe {
        let block = ptr::read(block.cast::<Block<F, P::Bits>>());
        block.function.run(block.bits);
    }
}

/// The handle of the kernel, which offloadc replaces with a constant.
#[inline(always)]
pub(crate) fn handle<F: ScopedCallable<P>, P: Params>() -> *const RawKernel {
    Captures::<F>::check();
    let function: extern "C" fn(*const Block<F, P::Bits>) = entry::<F, P>;
    let (size, align) = (size_of::<Block<F, P::Bits>>(), mem::align_of::<Block<F, P::Bits>>());
    let name: fn() -> &'static str = core::any::type_name::<F>;
    if fallback::is_linked() {
        return fallback::handle(fallback_entry::<F, P>, size, align, name, P::layout::<F>);
    }
    // The function takes one block of that size and alignment.
    contract::__offload_kernel_named(function as *const (), size, align, name as *const ())
}

/// The handle of a kernel by its function.
pub(crate) fn kernel_of<F: ScopedCallable<P>, P: Params>(_: F) -> *const RawKernel {
    handle::<F, P>()
}

/// Names a kernel that may not be launched, for `cargo offloadc check`.
pub fn checked_kernel<F: Callable<P>, P: Params>(_: F) -> *const () {
    handle::<F, P>().cast()
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
    let launched = Error::check(unsafe {
        ffi::offloadrt_launch(stream.device().raw(), stream.raw(), kernel, &config, &argument, 1)
    });
    match launched {
        Err(Error::Invalid(text)) if config.grid.contains(&0) => Err(Error::Invalid(format!(
            "{text}; `Grid::for_len` and its like make a grid of 0 blocks if more than {} are necessary",
            u32::MAX
        ))),
        launched => launched,
    }
}

impl Device {
    /// Calls `function` for each index below `count`, each in its own thread of the device, and waits for the threads.
    /// The captures of `function` are copied to the device.
    ///
    /// ```
    /// # fn main() -> offload::Result<()> {
    /// use offload::{Device, DeviceBuffer};
    ///
    /// let device = Device::new()?;
    /// let squares = DeviceBuffer::<u64>::zeroed(&device.default_stream(), 1000)?;
    /// let out = squares.as_raw();
    /// // SAFETY: each index writes its own element, and `squares` outlives the call.
    /// device.for_each(1000, move |i| unsafe { out.set(i.get(), (i.get() * i.get()) as u64) })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Kernel::launch`](crate::Kernel::launch), and of the kernel itself ([`Error::Panicked`]).
    pub fn for_each<F>(&self, count: usize, function: F) -> Result<()>
    where
        F: Fn(Index) + Copy + Send + 'static, // a `Vec` or slice is host memory: launch a kernel that takes `&[T]`
    {
        let stream = self.default_stream();
        let config = LaunchConfig::for_len(count, 256);
        if config.grid_dim.0 as usize * 256 < count {
            return Err(Error::Invalid(format!("{count} threads are more than one launch has")));
        }
        // There is no loop here: if each thread has at most one index, the target `cpu` can make a loop of the threads
        // of a block and vectorise it.
        let each = move |count: usize| {
            let index = thread::index_1d();
            if index.get() < count {
                function(index);
            }
        };
        each.launch(&stream, config, (count,))?;
        stream.synchronize()
    }
}
