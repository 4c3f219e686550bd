//! The cost of an empty launch of one block through the crate on `cpu`, and of an empty target region on libomptarget's
//! host device, by turns in one run: `launch EMPTY_TARGET.so`, which is `runtime-c/tests/empty_target.c`. Prints
//! nanoseconds and their ratio, of the fastest round of each: a round is shorter than a scheduler's slice, so that it
//! contains no other work of the machine.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::time::Instant;

use offload::{Device, Grid, Stream, kernel, prelude::*};

const ROUNDS: u32 = 300;
const LAUNCHES: u32 = 1000;

#[kernel]
fn nothing() {}

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// `run_empty_targets` of the shared object.
fn empty_targets(path: &str) -> extern "C" fn(c_uint) -> c_int {
    const RTLD_NOW: c_int = 2;
    let path = CString::new(path).expect("a path");
    // SAFETY: the function has the type in empty_target.c.
    unsafe {
        let library = dlopen(path.as_ptr(), RTLD_NOW);
        assert!(!library.is_null(), "{path:?} cannot be opened");
        let address = dlsym(library, c"run_empty_targets".as_ptr());
        assert!(!address.is_null(), "{path:?} has no `run_empty_targets`");
        std::mem::transmute::<*mut c_void, extern "C" fn(c_uint) -> c_int>(address)
    }
}

fn launch_all(stream: &Stream) {
    for _ in 0..LAUNCHES {
        nothing.launch(stream, Grid::for_len(1, 1), ()).expect("an empty launch");
    }
}

fn nanoseconds_each(run: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    run();
    begin.elapsed().as_nanos() as f64 / f64::from(LAUNCHES)
}

fn main() -> offload::Result<()> {
    let path = std::env::args().nth(1).expect("the path of empty_target.so");
    let targets = empty_targets(&path);
    let stream = Device::open("cpu")?.default_stream();
    let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        ours = ours.min(nanoseconds_each(|| launch_all(&stream)));
        theirs = theirs.min(nanoseconds_each(|| assert_eq!(targets(LAUNCHES), 0)));
    }
    println!(
        "empty launch: {ours:.0} ns through the crate on cpu, {theirs:.0} ns on libomptarget's host device, ratio {:.2}",
        ours / theirs
    );
    Ok(())
}
