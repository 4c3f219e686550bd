//! The threads of one block. They run one after the other, on the thread of the system that calls [`Worker::run`].
//!
//! A coroutine runs threads until one of them must wait. It keeps the stack of this thread, and another coroutine
//! continues with the next thread. So a kernel without barriers needs one stack, and never switches it. When no thread
//! can continue, the waiting threads are looked at together: a barrier opens, or an operation of a warp takes place.

use core::cell::{Cell, RefCell};
use core::ptr;
use std::vec::Vec;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::LANES;
use super::failure::{self, Failure, Panic};
use super::launch::Launch;
use super::memory::SharedMemory;
use super::operation::{self, Operation};
use super::path::Path;
use crate::abi::status;
use crate::position::{Position, position, set_position};

/// The bytes of a stack, which is as large as that of a thread of Rust.
const STACK_BYTES: usize = 2 << 20;

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

type Stack = Coroutine<Order, Stop, ()>;

/// What a thread does.
#[derive(Clone, Copy)]
pub(super) enum State {
    Running,
    AtBarrier,
    InOperation(Operation),
    Ended,
}

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

/// The launch-sized shared memory of the block, in a kernel.
pub(crate) fn dynamic_shared() -> *mut u8 {
    with(|block| block.shared.dynamic()).unwrap_or(ptr::null_mut())
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

/// Suspends the calling thread until its block is given up.
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
    pub(super) fn wait(&self, state: State) -> u64 {
        let thread = self.running();
        thread.state.set(state);
        // SAFETY: the coroutine that runs this thread has set it, and exists as long as the thread.
        let _ = unsafe { &*thread.yielder.get() }.suspend(Stop::Waiting);
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
            self.fail_with_panic(self.running.get(), &panic);
        }
    }

    /// Finds threads that can continue when every thread waits or has ended, and returns their ranks.
    fn resolve(&self) -> Vec<usize> {
        let is = |wanted: fn(&State) -> bool| {
            let ranks = 0..self.threads.len();
            ranks.filter(|&rank| wanted(&self.threads[rank].state.get())).collect::<Vec<_>>()
        };
        let operating = is(|state| matches!(state, State::InOperation(_)));
        if operating.is_empty() {
            return is(|state| matches!(state, State::AtBarrier));
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
        CURRENT.set(outer.0);
        set_position(outer.1);
        match block.failure.take() {
            None => Ok(()),
            Some(failure) => {
                self.abandon();
                Err(failure)
            }
        }
    }

    /// Ends the coroutines, and frees their stacks. As on a device, a thread that waits when its block is given up runs
    /// no destructors.
    fn abandon(&mut self) {
        for index in self.idle.drain(..) {
            let _ = self.coroutines[index].resume(Order::End);
        }
        for mut stack in self.coroutines.drain(..) {
            if !stack.done() {
                // SAFETY: nothing reads the stack afterwards: the block and all pointers to its threads are gone.
                unsafe { stack.force_reset() }
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.abandon();
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
    let stack = DefaultStack::new(STACK_BYTES)?;
    Ok(Coroutine::with_stack(stack, move |yielder, mut order| {
        while let Order::Run(block) = order {
            // SAFETY: the order comes from `run`, whose block exists until all of its coroutines are idle or reset.
            unsafe { &*block }.run_threads(index, yielder);
            order = yielder.suspend(Stop::Idle);
        }
    }))
}
