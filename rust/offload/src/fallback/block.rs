//! One block and its threads, and how a thread waits for others. `worker.rs` runs them.

use core::any::TypeId;
use core::cell::{Cell, RefCell};
use core::ptr;
use std::boxed::Box;
use std::panic::resume_unwind;
use std::vec::Vec;

use corosensei::Yielder;

use super::LANES;
use super::failure::{Failure, Panic};
use super::launch::Launch;
use super::memory::SharedMemory;
use super::operation::Operation;
use super::path::{Path, Text};
use crate::abi::status;
use crate::position::{Position, set_position};

/// The next action of a coroutine.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// Begin with threads of this block.
    Run(*const Block<'static>),
    /// Continue the thread that waited.
    Continue,
    End,
}

/// Why a coroutine stopped.
pub(super) enum Stop {
    /// The block has no other thread to begin with.
    Idle,
    /// Its thread waits.
    Waiting,
}

/// The state of a thread.
#[derive(Clone, Copy)]
pub(super) enum State {
    Running,
    AtBarrier,
    AtMeeting(Meeting),
    InOperation(Operation),
    Ended,
}

/// A barrier of an operation that gives values of a type to all threads of the block. It opens when all of them are
/// there: the place of a thread that is elsewhere has no value, or a value of another type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// The type of the values.
    pub(crate) of: TypeId,
    /// The line of the barrier, in `block.rs` of the crate.
    pub(crate) line: u32,
}

/// The payload that ends a thread whose block has failed.
struct GivenUp;

pub(super) struct Thread {
    pub(super) state: Cell<State>,
    /// The result of the operation that it waited for.
    pub(super) result: Cell<u64>,
    /// The coroutine that has its stack.
    pub(super) coroutine: Cell<usize>,
    pub(super) yielder: Cell<*const Yielder<Order, Stop>>,
    pub(super) path: RefCell<Path>,
}

pub(super) struct Block<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) id: [u32; 3],
    pub(super) threads: &'a [Thread],
    pub(super) shared: &'a SharedMemory,
    /// The first thread that has not begun.
    pub(super) next: Cell<usize>,
    /// Threads that can continue, in reverse.
    pub(super) ready: RefCell<Vec<usize>>,
    pub(super) running: Cell<usize>,
    pub(super) failure: RefCell<Option<Failure>>,
}

std::thread_local! {
    /// The block that the calling thread runs.
    pub(super) static CURRENT: Cell<*const Block<'static>> = const { Cell::new(ptr::null()) };
}

/// Whether the caller is a thread of a block.
pub(crate) fn is_running() -> bool {
    !CURRENT.get().is_null()
}

/// Calls `f` with the block that the calling thread belongs to, if there is one.
pub(super) fn with<R>(f: impl FnOnce(&Block<'_>) -> R) -> Option<R> {
    // SAFETY: `Worker::run` sets the pointer for the time in which the block exists.
    unsafe { CURRENT.get().as_ref() }.map(f)
}

/// A barrier, in a kernel.
pub(crate) fn wait_for_block() {
    with(|block| block.wait(State::AtBarrier));
}

/// A barrier that only opens for all threads of the block together, in a kernel.
pub(crate) fn meet(meeting: Meeting) {
    with(|block| block.wait(State::AtMeeting(meeting)));
}

/// A kernel with this text begins, in the thread that calls this.
pub(crate) fn enter(text: &'static Text) {
    with(|block| block.running().path.borrow_mut().enter(text));
}

/// An iteration of a loop begins; see [`Path::iterate`].
pub(crate) fn iteration(index: usize, end: usize) {
    with(|block| block.running().path.borrow_mut().iterate(index, end));
}

/// The launch-sized shared memory of the block and its size in bytes, in a kernel.
pub(crate) fn dynamic_shared() -> (*mut u8, usize) {
    with(|block| block.shared.dynamic()).unwrap_or((ptr::null_mut(), 0))
}

/// The block's copy of a shared array, in a kernel.
pub(crate) fn shared_array<T>(array: *mut T) -> *mut T {
    with(|block| block.shared.array(array.addr(), size_of::<T>(), align_of::<T>()).cast()).unwrap_or(array)
}

/// The index of this thread in its warp, in a kernel.
pub(crate) fn lane() -> u32 {
    with(|block| block.running.get() as u32 % LANES).unwrap_or(0)
}

/// Refuses blocks of more than `threads` threads, in a kernel.
pub(crate) fn launch_bounds(threads: u32) {
    check(|launch| launch.exceeds(threads));
}

/// Refuses parameters that overlap, in a kernel that promises that none do.
pub(crate) fn restrict() {
    check(|launch| launch.overlap.clone().map(|text| Failure::new(status::INVALID, text)));
}

/// Ends a launch that has a failure.
fn check(failure: impl FnOnce(&Launch<'_>) -> Option<Failure>) {
    let failed = with(|block| {
        let failure = failure(block.launch);
        let failed = failure.is_some();
        if failed {
            *block.failure.borrow_mut() = failure;
        }
        failed
    });
    if failed == Some(true) {
        give_up();
    }
}

/// Ends the calling thread, whose block has failed.
pub(super) fn give_up() -> ! {
    loop {
        wait_for_block();
    }
}

impl Block<'_> {
    pub(super) fn thread_id(&self, rank: usize) -> [u32; 3] {
        let ([width, height, _], rank) = (self.launch.block, rank as u32);
        if rank < width { [rank, 0, 0] } else { [rank % width, rank / width % height, rank / width / height] }
    }

    pub(super) fn running(&self) -> &Thread {
        &self.threads[self.running.get()]
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Ends the launch with an error.
    pub(super) fn fail(&self, failure: Failure) {
        self.failure.borrow_mut().get_or_insert(failure);
    }

    /// Ends the block with the panic of a thread.
    pub(super) fn fail_with_panic(&self, rank: usize, panic: &Panic) {
        self.fail(Failure::panicked(self.launch.name, panic, self.id, self.thread_id(rank)));
    }

    pub(super) fn set_running(&self, rank: usize) {
        self.running.set(rank);
        self.threads[rank].state.set(State::Running);
        let Launch { block: block_dim, grid: grid_dim, .. } = *self.launch;
        set_position(Position { thread_id: self.thread_id(rank), block_id: self.id, block_dim, grid_dim });
    }

    /// Suspends the running thread until `resolve` lets it continue, and returns the result of its operation.
    ///
    /// # Panics
    ///
    /// If the block has failed, with a payload that no hook sees. In a destructor that a panic runs, it ends the
    /// program, as each panic in such a destructor does.
    pub(super) fn wait(&self, state: State) -> u64 {
        let thread = self.running();
        thread.state.set(state);
        // Without unwinding, the thread stays where it is.
        if !(cfg!(panic = "unwind") && self.has_failed()) {
            // SAFETY: the coroutine that runs this thread has set it, and exists as long as the thread.
            let _ = unsafe { &*thread.yielder.get() }.suspend(Stop::Waiting);
        }
        if cfg!(panic = "unwind") && self.has_failed() {
            thread.state.set(State::Running);
            resume_unwind(Box::new(GivenUp));
        }
        thread.result.get()
    }
}
