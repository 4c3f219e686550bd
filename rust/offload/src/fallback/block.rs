//! The threads of one block. They run one after the other, on the thread of the system that calls [`Worker::run`].
//!
//! A coroutine runs threads until one of them must wait. It keeps the stack of this thread, and another coroutine
//! continues with the next thread. So a kernel without barriers needs one stack, and never switches it. When no thread
//! can continue, the waiting threads are looked at together: a barrier opens, or an operation of a warp takes place.
//!
//! A block that fails ends its waiting threads as a panic does: their stacks are unwound, because a stack that has lent
//! its memory (`std::thread::scope`) must not be given back before that ends.

use core::any::TypeId;
use core::cell::{Cell, RefCell};
use core::{mem, ptr};
use std::boxed::Box;
use std::format;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::vec::Vec;

use corosensei::stack::{DefaultStack, Stack as _};
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::LANES;
use super::failure::{self, Failure, Panic};
use super::launch::Launch;
use super::memory::SharedMemory;
use super::operation::{self, Operation};
use super::overflow;
use super::path::Path;
use crate::abi::status;
use crate::position::{Position, position, set_position};

/// The bytes of a stack, which is as large as that of a thread of Rust: `RUST_MIN_STACK`, or 2 MiB.
fn stack_bytes() -> usize {
    const MOST: usize = 1 << 40;
    static BYTES: OnceLock<usize> = OnceLock::new();
    let wanted = || std::env::var("RUST_MIN_STACK").ok().and_then(|text| text.parse().ok());
    *BYTES.get_or_init(|| wanted().unwrap_or(2 << 20).min(MOST))
}

/// What a coroutine does next.
#[derive(Clone, Copy)]
enum Order {
    /// Begin with threads of this block.
    Run(*const Block<'static>),
    /// Continue the thread that waited.
    Continue,
    End,
}

/// Why a coroutine stopped.
enum Stop {
    /// The block has no other thread to begin with.
    Idle,
    /// Its thread waits.
    Waiting,
}

struct Stack {
    coroutine: Coroutine<Order, Stop, ()>,
    /// The lowest address.
    limit: usize,
}

impl Stack {
    fn resume(&mut self, order: Order) -> CoroutineResult<Stop, ()> {
        let outer = overflow::watch(self.limit);
        let stop = self.coroutine.resume(order);
        let _ = overflow::watch(outer);
        stop
    }
}

/// What a thread does.
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
    coroutine: Cell<usize>,
    yielder: Cell<*const Yielder<Order, Stop>>,
    pub(super) path: RefCell<Path>,
}

pub(super) struct Block<'a> {
    pub(super) launch: &'a Launch<'a>,
    id: [u32; 3],
    pub(super) threads: &'a [Thread],
    shared: &'a SharedMemory,
    /// The first thread that has not begun.
    next: Cell<usize>,
    /// Threads that can continue, in reverse.
    ready: RefCell<Vec<usize>>,
    running: Cell<usize>,
    failure: RefCell<Option<Failure>>,
}

std::thread_local! {
    static CURRENT: Cell<*const Block<'static>> = const { Cell::new(ptr::null()) };
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
    fn thread_id(&self, rank: usize) -> [u32; 3] {
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

    fn set_running(&self, rank: usize) {
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

    /// Runs threads that have not begun, on the coroutine `index`.
    fn run_threads(&self, index: usize, yielder: &Yielder<Order, Stop>) {
        let all = || {
            while self.next.get() < self.threads.len() && !self.has_failed() {
                let rank = self.next.replace(self.next.get() + 1);
                let thread = &self.threads[rank];
                thread.coroutine.set(index);
                thread.yielder.set(yielder);
                thread.path.borrow_mut().reset();
                self.set_running(rank);
                self.launch.call();
                thread.state.set(State::Ended);
            }
        };
        if let Err(panic) = failure::catch(all) {
            let rank = self.running.get();
            self.threads[rank].state.set(State::Ended);
            self.fail_with_panic(rank, &panic);
        }
    }

    /// A thread that has begun and waits, if there is one.
    fn find_waiting(&self) -> Option<usize> {
        let begun = &self.threads[..self.next.get()];
        begun.iter().position(|thread| !matches!(thread.state.get(), State::Ended))
    }

    /// Finds threads that can continue when every thread waits or has ended, and returns their ranks.
    fn resolve(&self) -> Vec<usize> {
        let is = |wanted: fn(&State) -> bool| {
            let ranks = 0..self.threads.len();
            ranks.filter(|&rank| wanted(&self.threads[rank].state.get())).collect::<Vec<_>>()
        };
        let operating = is(|state| matches!(state, State::InOperation(_)));
        if operating.is_empty() {
            let at_barrier = is(|state| matches!(state, State::AtBarrier | State::AtMeeting(_)));
            return if self.is_complete(&at_barrier) { at_barrier } else { Vec::new() };
        }
        let mut ready = Vec::new();
        for first in (0..self.threads.len()).step_by(LANES as usize) {
            operation::resolve(self, first, &mut ready);
        }
        if ready.is_empty() && !self.has_failed() {
            operation::fail(self, &operating);
        }
        ready
    }
}

impl Block<'_> {
    /// Whether all threads of the block are at the same meeting, if one of those that wait is at one. Otherwise the
    /// block fails.
    fn is_complete(&self, waiting: &[usize]) -> bool {
        let meeting = |rank: usize| match self.threads[rank].state.get() {
            State::AtMeeting(meeting) => Some(meeting),
            _ => None,
        };
        let Some((rank, wanted)) = waiting.iter().find_map(|&rank| Some((rank, meeting(rank)?))) else { return true };
        let Some(absent) = (0..self.threads.len()).find(|&rank| meeting(rank) != Some(wanted)) else { return true };
        let why = match self.threads[absent].state.get() {
            State::Ended => "has returned",
            _ => "waits elsewhere",
        };
        let name = self.launch.name;
        let [there, absent] = [rank, absent].map(|rank| failure::position("thread", self.thread_id(rank)));
        let text = format!(
            "kernel `{name}` calls a function of all threads of the block in a part of it: {there} has called it, and \
             {absent} {why} ({}); help: call it where no condition differs between the threads",
            failure::position("block", self.id)
        );
        self.fail(Failure::new(status::PANICKED, text));
        false
    }
}

/// The coroutines and the memory of one thread of the system, which runs blocks.
pub(super) struct Worker {
    /// The threads of the block that runs.
    threads: Vec<Thread>,
    coroutines: Vec<Stack>,
    idle: Vec<usize>,
    shared: SharedMemory,
}

impl Worker {
    /// None if there is no memory.
    pub(super) fn new(launch: &Launch<'_>) -> Option<Self> {
        let shared = SharedMemory::default();
        let thread = |_| Thread {
            state: Cell::new(State::Ended),
            result: Cell::new(0),
            coroutine: Cell::new(0),
            yielder: Cell::new(ptr::null()),
            path: RefCell::default(),
        };
        shared.allocate_dynamic(launch.dynamic_shared).then(|| Worker {
            threads: (0..launch.threads()).map(thread).collect(),
            coroutines: Vec::new(),
            idle: Vec::new(),
            shared,
        })
    }

    /// Runs one block.
    pub(super) fn run(&mut self, launch: &Launch<'_>, id: [u32; 3]) -> Result<(), Failure> {
        let (coroutines, idle) = (&mut self.coroutines, &mut self.idle);
        let block = Block {
            launch,
            id,
            threads: &self.threads,
            shared: &self.shared,
            next: Cell::new(0),
            ready: RefCell::default(),
            running: Cell::new(0),
            failure: RefCell::new(None),
        };
        // The pointer loses the lifetime of the launch; it is reset before the block ends.
        let current = (&raw const block).cast::<Block<'static>>();
        let outer = (CURRENT.replace(current), position());
        while let Some((index, order)) = next_order(&block, coroutines, idle, current) {
            match coroutines[index].resume(order) {
                CoroutineResult::Yield(Stop::Idle) => idle.push(index),
                CoroutineResult::Yield(Stop::Waiting) | CoroutineResult::Return(()) => {}
            }
        }
        if block.has_failed() {
            end_waiting(&block, coroutines, idle);
        }
        CURRENT.set(outer.0);
        set_position(outer.1);
        block.failure.take().map_or(Ok(()), Err)
    }
}

/// Unwinds the stacks of the threads that wait in a block that has failed. Without unwinding, these stacks are kept for
/// the rest of the program, which may have borrowed their memory; a panic would have ended the program there.
fn end_waiting(block: &Block<'_>, coroutines: &mut Vec<Stack>, idle: &mut Vec<usize>) {
    if cfg!(panic = "unwind") {
        while let Some(rank) = block.find_waiting() {
            let index = block.threads[rank].coroutine.get();
            block.set_running(rank);
            if let CoroutineResult::Yield(Stop::Idle) = coroutines[index].resume(Order::Continue) {
                idle.push(index);
            }
        }
        return;
    }
    end_idle(coroutines, idle);
    coroutines.drain(..).filter(|stack| !stack.coroutine.done()).for_each(mem::forget);
}

/// Ends the coroutines that have no thread.
fn end_idle(coroutines: &mut [Stack], idle: &mut Vec<usize>) {
    for index in idle.drain(..) {
        let _ = coroutines[index].resume(Order::End);
    }
}

impl Drop for Worker {
    /// All coroutines are idle: a block ends when all of its threads have.
    fn drop(&mut self) {
        end_idle(&mut self.coroutines, &mut self.idle);
    }
}

/// The coroutine that runs next, and what it does; none when the block is over.
fn next_order(
    block: &Block<'_>,
    coroutines: &mut Vec<Stack>,
    idle: &mut Vec<usize>,
    current: *const Block<'static>,
) -> Option<(usize, Order)> {
    let none_ready = block.ready.borrow().is_empty();
    if none_ready && block.next.get() == block.threads.len() {
        let mut ready = block.resolve();
        ready.reverse();
        *block.ready.borrow_mut() = ready;
    }
    if block.has_failed() {
        return None;
    }
    let ready = block.ready.borrow_mut().pop();
    if let Some(rank) = ready {
        block.set_running(rank);
        return Some((block.threads[rank].coroutine.get(), Order::Continue));
    }
    if block.next.get() == block.threads.len() {
        return None;
    }
    if let Some(index) = idle.pop() {
        return Some((index, Order::Run(current)));
    }
    let index = coroutines.len();
    match new_coroutine(index) {
        Ok(stack) => coroutines.push(stack),
        Err(_) => {
            let text = std::format!(
                "out of memory for the stacks of kernel `{}`, of which each thread that waits needs one",
                block.launch.name
            );
            block.fail(Failure::new(status::NO_MEMORY, text));
            return None;
        }
    }
    Some((index, Order::Run(current)))
}

fn new_coroutine(index: usize) -> std::io::Result<Stack> {
    overflow::install();
    let stack = DefaultStack::new(stack_bytes())?;
    let limit = stack.limit().get();
    let coroutine = Coroutine::with_stack(stack, move |yielder, mut order| {
        while let Order::Run(block) = order {
            // SAFETY: the order comes from `run`, whose block exists until all of its coroutines are idle or reset.
            unsafe { &*block }.run_threads(index, yielder);
            order = yielder.suspend(Stop::Idle);
        }
    });
    Ok(Stack { coroutine, limit })
}
