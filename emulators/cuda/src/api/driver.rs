//! The state of the API.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use emulator_core::{Memory, Options, Schedule};

use super::pools::Pools;
use super::{Handle, INVALID_CONTEXT, INVALID_DEVICE, INVALID_HANDLE, NOT_INITIALIZED, Outcome, Status};
use crate::program::{Module, Program};

/// The first handle; small numbers stand for default streams.
const FIRST_HANDLE: Handle = 0x1000;
/// Handles of primary contexts: one for each device.
const CONTEXTS: Handle = 0x100;
/// The stack of a thread until a program asks for more.
const DEFAULT_STACK: usize = 1024;

/// A device and the state that its contexts share: an error and the limits, which belong to the context on a real
/// device.
pub(super) struct Device {
    /// As `sm_80`.
    pub(super) arch: String,
    /// As 80.
    pub(super) capability: u32,
    /// The suffix of the arch: `a` or `f`.
    pub(super) suffix: String,
    /// The error of a kernel, which all later calls give.
    pub(super) error: Status,
    /// `CU_LIMIT_STACK_SIZE`
    pub(super) stack: usize,
    /// Other limits, by number.
    pub(super) limits: HashMap<i32, usize>,
}

/// A module on a device.
pub(super) struct Loaded {
    pub(super) module: Arc<Module>,
    pub(super) device: usize,
    /// Kernels of the module can be launched only while this context is the current one.
    pub(super) context: Handle,
}

/// A kernel of a module.
pub(super) struct Kernel {
    pub(super) program: Arc<Program>,
    pub(super) module: Handle,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
    pub(super) most_dynamic_shared: u32,
}

/// Everything.
pub(super) struct Driver {
    pub(super) devices: Vec<Device>,
    pub(super) schedule: Schedule,
    /// Whether launches say how many instructions they have executed.
    pub(super) counts: bool,
    /// The file for the counts of each line.
    pub(super) profile: Option<String>,
    pub(super) is_initialized: bool,
    pub(super) memory: Memory,
    pub(super) modules: HashMap<Handle, Loaded>,
    pub(super) kernels: HashMap<Handle, Kernel>,
    /// The contexts that a program has created, and their devices.
    pub(super) contexts: HashMap<Handle, usize>,
    /// The streams and their contexts.
    pub(super) streams: HashMap<Handle, Handle>,
    pub(super) events: HashMap<Handle, Option<Instant>>,
    pub(super) pools: Pools,
    pub(super) launches: u64,
    pub(super) modules_made: u32,
    next: Handle,
}

thread_local! {
    /// The contexts of this thread, the current one last. They are never dropped, because libomptarget calls the driver
    /// when the process ends, after the values of this thread have been dropped.
    pub(super) static CURRENT: RefCell<ManuallyDrop<Vec<Handle>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// The one driver of the process.
pub(super) fn driver() -> &'static Mutex<Driver> {
    static DRIVER: OnceLock<Mutex<Driver>> = OnceLock::new();
    DRIVER.get_or_init(|| Mutex::new(Driver::new(&Options::from_environment())))
}

impl Driver {
    fn new(options: &Options) -> Driver {
        let devices = options.archs_with("sm_", "sm_80").iter().filter_map(|arch| device(arch)).collect();
        Driver {
            devices,
            schedule: options.schedule,
            counts: options.counts,
            profile: options.profile.clone(),
            is_initialized: false,
            memory: Memory::new(),
            modules: HashMap::new(),
            kernels: HashMap::new(),
            contexts: HashMap::new(),
            streams: HashMap::new(),
            events: HashMap::new(),
            pools: Pools::default(),
            launches: 0,
            modules_made: 0,
            next: FIRST_HANDLE,
        }
    }

    /// A handle that was never given.
    pub(super) fn handle(&mut self) -> Handle {
        self.next += 16;
        self.next
    }

    /// The device of this thread's context; the context's error if it has one.
    pub(super) fn current(&self) -> Outcome<usize> {
        if !self.is_initialized {
            return Err(NOT_INITIALIZED);
        }
        let device = self.device_of(Self::current_context()?)?;
        match self.devices[device].error {
            0 => Ok(device),
            error => Err(error),
        }
    }

    /// This thread's context.
    pub(super) fn current_context() -> Outcome<Handle> {
        CURRENT.with(|contexts| contexts.borrow().last().copied()).ok_or(INVALID_CONTEXT)
    }

    /// The device by its number.
    pub(super) fn device(&self, number: i32) -> Outcome<usize> {
        let found = usize::try_from(number).ok().filter(|index| *index < self.devices.len());
        if self.is_initialized { found.ok_or(INVALID_DEVICE) } else { Err(NOT_INITIALIZED) }
    }

    /// The primary context of a device.
    pub(super) fn context_of(device: usize) -> Handle {
        CONTEXTS + 16 * device
    }

    /// The device of a context.
    pub(super) fn device_of(&self, context: Handle) -> Outcome<usize> {
        if let Some(device) = self.contexts.get(&context) {
            return Ok(*device);
        }
        let index = context.checked_sub(CONTEXTS).filter(|offset| offset % 16 == 0).map(|offset| offset / 16);
        index.filter(|index| *index < self.devices.len()).ok_or(INVALID_CONTEXT)
    }

    /// Whether a stream exists in the current context: a default one, or one that was made.
    pub(super) fn stream(&self, stream: Handle) -> Outcome<()> {
        let is_here = stream <= 2 || self.streams.get(&stream) == Some(&Self::current_context()?);
        if is_here { Ok(()) } else { Err(INVALID_HANDLE) }
    }
}

/// A device of an arch like `sm_90a`; none, with a message on stderr, if there is no such arch.
fn device(arch: &str) -> Option<Device> {
    let digits = arch.trim_start_matches("sm_");
    let suffix = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let capability: Option<u32> = digits[..digits.len() - suffix.len()].parse().ok().filter(|number| *number >= 70);
    let Some(capability) = capability.filter(|_| matches!(suffix, "" | "a" | "f")) else {
        eprintln!("emulated GPUs: `{arch}` of `OFFLOAD_EMULATED` is no arch from `sm_70` on");
        return None;
    };
    let (arch, suffix) = (format!("sm_{capability}"), suffix.to_owned());
    Some(Device { arch, capability, suffix, error: 0, stack: DEFAULT_STACK, limits: HashMap::new() })
}
