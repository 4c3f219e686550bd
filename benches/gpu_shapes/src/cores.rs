//! Binds threads to cores.
//!
//! Linux often starts or wakes two threads of one program on the same core, and moves one of them some milliseconds
//! later, so that the time of a loop depends on chance. The threads of rayon and OpenMP are therefore bound. The
//! runtime of the kernels starts its threads on different cores itself.

use std::mem::size_of;
use std::sync::OnceLock;

use libc::{CPU_ISSET, CPU_SET, CPU_SETSIZE, CPU_ZERO, cpu_set_t};

/// The cores that the program may use, when it starts.
static ALL: OnceLock<cpu_set_t> = OnceLock::new();

/// Reads the set of all cores, from a thread that is not bound.
fn all() -> &'static cpu_set_t {
    ALL.get_or_init(|| {
        // SAFETY: a set of no cores is a valid value, and the call writes a set of this size.
        unsafe {
            let mut cores: cpu_set_t = std::mem::zeroed();
            assert_eq!(libc::sched_getaffinity(0, size_of::<cpu_set_t>(), &mut cores), 0, "the cores are unknown");
            cores
        }
    })
}

fn set(cores: &cpu_set_t) {
    // SAFETY: the call reads a set of this size.
    let result = unsafe { libc::sched_setaffinity(0, size_of::<cpu_set_t>(), cores) };
    assert_eq!(result, 0, "the thread cannot be bound");
}

/// Binds this thread to one core. There are as many threads as cores.
pub(crate) extern "C" fn bind(number: usize) {
    // SAFETY: all cores below the size can be asked for.
    let mut cores = (0..CPU_SETSIZE as usize).filter(|&core| unsafe { CPU_ISSET(core, all()) });
    let core = cores.nth(number).expect("there are as many cores as threads");
    // SAFETY: a set of no cores is a valid value, and the core is below the size.
    let only = unsafe {
        let mut only: cpu_set_t = std::mem::zeroed();
        CPU_ZERO(&mut only);
        CPU_SET(core, &mut only);
        only
    };
    set(&only);
}

/// Lets this thread use all cores again.
pub(crate) fn release() {
    set(all());
}

/// Binds the threads of rayon.
pub(crate) fn bind_rayon() {
    all();
    rayon::ThreadPoolBuilder::new().start_handler(|number| bind(number)).build_global().expect("rayon has not started");
}
