//! Opens a plugin, and passes its functions to kernels: as arguments, in a struct, in the captures of a closure, and as
//! a value for which code is compiled.
#![allow(improper_ctypes_definitions, reason = "both sides are Rust of one version")]

use std::error::Error;
use std::ffi::{CString, c_char, c_int, c_void};

use offload::{
    Closure, Device, DeviceBuffer, DeviceCopy, DeviceFn, DisjointSlice, Grid, Specialized, Stream, device_fn,
    device_static, kernel, prelude::*, thread,
};

// Nothing writes it, so the image of a kernel with functions of another object can have a copy.
device_static! { static SHIFTS: [f32; 2] = [0.25, -0.25]; }

type Function = DeviceFn<fn(f32) -> f32>;
type Caller = DeviceFn<fn(Function, f32) -> f32>;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

#[derive(Clone, Copy, DeviceCopy)]
struct Step {
    scale: f32,
    function: Function,
}

#[kernel]
fn map(f: Function, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = f.call(*y);
    }
}

#[kernel]
fn step(s: Step, more: f32, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = s.scale * s.function.call(*y) + more + SHIFTS.get(0) + SHIFTS.get(1);
    }
}

#[kernel]
fn captured<F: Fn(f32) -> f32 + Copy + 'static>(f: Closure<F>, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = f(*y);
    }
}

#[kernel]
fn known(f: Specialized<Function>, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = f.call(*y);
    }
}

/// The functions in memory of the device are known if an argument is of the same object.
#[kernel]
fn from_memory(call: Caller, functions: &[Function], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y = call.call(functions[i.get() % functions.len()], *y);
    }
}

/// The result of the plugin's function.
fn half(x: f32) -> f32 {
    0.5 * x + [1.0, 10.0, 100.0, 1000.0][x as usize % 4]
}

fn launches(stream: &Stream, f: Function, caller: Caller) -> offload::Result<()> {
    let grid = Grid::for_len(4, 4);
    let mut expected = [1.0, 2.0, 3.0, 4.0];
    let mut y = DeviceBuffer::from_host(stream, &expected)?;
    let mut check = |y: &DeviceBuffer<f32>, change: fn(usize, f32) -> f32| {
        expected.iter_mut().enumerate().for_each(|(i, x)| *x = change(i, *x));
        y.to_host_vec(stream).map(|y| assert_eq!(y, expected))
    };
    map.launch(stream, grid, (device_fn!(|x: f32| x + 1.0), &mut y))?;
    check(&y, |_, x| x + 1.0)?;
    map.launch(stream, grid, (f, &mut y))?;
    check(&y, |_, x| half(x))?;
    step.launch(stream, grid, (Step { scale: 2.0, function: f }, 0.5, &mut y))?;
    check(&y, |_, x| 2.0 * half(x) + 0.5)?;
    assert_eq!(SHIFTS.to_host(stream)?, [0.25, -0.25]);
    captured.launch(stream, grid, (Closure::new(move |x| f.call(x) - 1.0), &mut y))?;
    check(&y, |_, x| half(x) - 1.0)?;
    known.launch(stream, grid, (f, &mut y))?;
    check(&y, |_, x| half(x))?;
    let functions = DeviceBuffer::from_host(stream, &[f, device_fn!(|x: f32| 3.0 - x)])?;
    from_memory.launch(stream, grid, (caller, &functions, &mut y))?;
    check(&y, |i, x| if i % 2 == 0 { half(half(x)) } else { 3.0 - (3.0 - x) })
}

/// A kernel of a library calls the library's functions, those of the program, and those of the copy in the plugin.
fn library_launches(stream: &Stream, of_plugin: Function) -> offload::Result<()> {
    let own = library::table();
    for (middle, added) in [(own[1], 0.5), (of_plugin, 0.5), (device_fn!(|x: f32| x + 8.0), 8.0)] {
        let mut y = [1.0, 2.0, 3.0, 4.0, 5.0];
        library::run(stream, [own[0], middle, own[2]], &mut y)?;
        assert_eq!(y, [1.25, 2.0 + added, 3.75, 4.25, 5.0 + added]);
    }
    let mut y = [1.0; 4];
    map.launch(stream, Grid::for_len(4, 4), (own[2], &mut y))?;
    assert_eq!(y, [1.75; 4]);
    Ok(())
}

/// The message of a panic in a function of the plugin.
fn panic_of(stream: &Stream, f: Function) -> String {
    let mut y = [-1.0, 2.0];
    let launched = map.launch(stream, Grid::for_len(2, 2), (f, &mut y)).and_then(|()| stream.synchronize());
    launched.expect_err("a number is negative").to_string()
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = CString::new(std::env::args().nth(1).ok_or("no plugin is named")?)?;
    // SAFETY: the plugin exports these functions with these types, and is closed when they are no longer called.
    let (library, [function, caller, run, of_library]) = unsafe {
        let library = dlopen(name.as_ptr(), 2);
        (library, [c"function", c"caller", c"run", c"of_library"].map(|name| dlsym(library, name.as_ptr())))
    };
    assert!(!library.is_null() && ![function, caller, run, of_library].iter().any(|symbol| symbol.is_null()));
    // SAFETY: as above.
    let (function, caller, run, of_library) = unsafe {
        (
            std::mem::transmute::<*mut c_void, extern "C" fn() -> Function>(function),
            std::mem::transmute::<*mut c_void, extern "C" fn() -> Caller>(caller),
            std::mem::transmute::<*mut c_void, extern "C" fn(Function, f32) -> f32>(run),
            std::mem::transmute::<*mut c_void, extern "C" fn() -> Function>(of_library),
        )
    };
    let f = function();
    let stream = Device::new()?.default_stream();
    launches(&stream, f, caller())?;
    library_launches(&stream, of_library())?;
    println!("{}", panic_of(&stream, f));
    assert_eq!(run(device_fn!(|x: f32| 3.0 * x), 2.0), 6.0);
    // SAFETY: nothing of the plugin is called from here on.
    assert_eq!(unsafe { dlclose(library) }, 0);
    println!("{}", panic_of(&stream, f));
    Ok(())
}
