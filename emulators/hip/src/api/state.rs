//! The state of the library: devices, memory, modules. One lock guards it all, and a launch is complete before it
//! returns.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use emulator_core::{Memory, Options};

use super::error::{Error, SUCCESS, UNKNOWN};
use crate::object::code::Code;
use crate::object::image::Image;

/// The arch of the device where the environment names none.
const DEFAULT_ARCH: &str = "gfx1100";
/// The private memory of a thread whose kernel does not name the size that it needs, until a program sets it.
const STACK: usize = 1024;

/// A device.
pub(crate) struct Device {
    pub(crate) arch: String,
    pub(crate) stack: usize,
}

/// A loaded image and its decoded instructions.
pub(crate) struct Module {
    pub(crate) image: Image,
    pub(crate) code: Code,
    pub(crate) device: usize,
}

/// A kernel that a program has asked for.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) module: usize,
    pub(crate) name: String,
}

/// Everything.
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) devices: Vec<Device>,
    pub(crate) memory: Memory,
    pub(crate) modules: BTreeMap<usize, Module>,
    pub(crate) functions: BTreeMap<usize, Function>,
    pub(crate) streams: BTreeMap<usize, usize>,
    pub(crate) events: BTreeMap<usize, Option<Instant>>,
    /// The error of a launch, which every later call gives.
    pub(crate) failed: Error,
    pub(crate) launches: u64,
    next_handle: usize,
}

impl State {
    fn new() -> State {
        let options = Options::from_environment();
        let archs = options.archs_with("gfx", DEFAULT_ARCH);
        let devices = archs.into_iter().map(|arch| Device { arch, stack: STACK }).collect();
        State {
            options,
            devices,
            memory: Memory::new(),
            modules: BTreeMap::new(),
            functions: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            failed: SUCCESS,
            launches: 0,
            next_handle: 1,
        }
    }

    /// Forgets everything that programs have made, but gives no handle twice.
    pub(crate) fn reset(&mut self) {
        let next_handle = self.next_handle;
        *self = State { next_handle, ..State::new() };
    }

    /// A handle that nothing else has.
    pub(crate) fn handle(&mut self) -> usize {
        self.next_handle += 1;
        // Handles are addresses to programs, and no address of theirs is that small.
        self.next_handle << 4
    }

    /// The calling thread's device.
    pub(crate) fn device(&mut self) -> Option<&mut Device> {
        self.devices.get_mut(current_device())
    }
}

thread_local! {
    static DEVICE: Cell<usize> = const { Cell::new(0) };
    static LAST_ERROR: Cell<Error> = const { Cell::new(SUCCESS) };
}

/// The number of the calling thread's device.
pub(crate) fn current_device() -> usize {
    DEVICE.get()
}

/// Changes the calling thread's device.
pub(crate) fn set_current_device(device: usize) {
    DEVICE.set(device);
}

/// The last error of the calling thread.
pub(crate) fn take_last_error(forgets: bool) -> Error {
    if forgets { LAST_ERROR.replace(SUCCESS) } else { LAST_ERROR.get() }
}

fn lock() -> MutexGuard<'static, State> {
    static STATE: OnceLock<Mutex<State>> = OnceLock::new();
    STATE.get_or_init(|| Mutex::new(State::new())).lock().unwrap_or_else(PoisonError::into_inner)
}

fn remembered(error: Error) -> Error {
    if error != SUCCESS {
        LAST_ERROR.set(error);
    }
    error
}

/// Runs the body of a function of the interface: a panic becomes an error and does not leave the library.
pub(crate) fn call(body: impl FnOnce(&mut State) -> Result<(), Error>) -> Error {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&mut lock())));
    remembered(match outcome {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(error)) => error,
        Err(_) => UNKNOWN,
    })
}

/// The same for functions that give the error of an earlier launch.
pub(crate) fn call_in_order(body: impl FnOnce(&mut State) -> Result<(), Error>) -> Error {
    call(|state| if state.failed == SUCCESS { body(state) } else { Err(state.failed) })
}
