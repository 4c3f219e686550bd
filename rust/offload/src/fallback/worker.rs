//! Runs blocks, on one thread of the system.
//!
//! A coroutine runs threads of a block until one of them must wait. It keeps the stack of this thread, and another
//! coroutine continues with the next thread. So a kernel without barriers needs one stack, and never switches it. When
//! no thread can continue, the waiting threads are looked at together: a barrier opens, or an operation of a warp takes
//! place.
//!
//! A block that fails ends its waiting threads as a panic does: their stacks are unwound, because a stack that has lent
//! its memory (`std::thread::scope`) must not be given back before that ends.

use core::cell::{Cell, RefCell};
use core::{mem, ptr};
use std::format;
use std::sync::OnceLock;
use std::vec::Vec;

use corosensei::stack::{DefaultStack, Stack as _};
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::block::{Block, CURRENT, Order, State, Stop, Thread};
use super::failure::{self, Failure};
use super::launch::Launch;
use super::memory::SharedMemory;
use super::{LANES, hook, overflow, warp};
use crate::abi::status;
use crate::position::{position, set_position};

/// The bytes of a stack, which is as large as that of a thread of Rust: `RUST_MIN_STACK`, or 2 MiB.
fn stack_bytes() -> usize {
    const MOST: usize = 1 << 40;
    static BYTES: OnceLock<usize> = OnceLock::new();
    let wanted = || std::env::var("RUST_MIN_STACK").ok().and_then(|text| text.parse().ok());
    *BYTES.get_or_init(|| wanted().unwrap_or(2 << 20).min(MOST))
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

impl Block<'_> {
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
        if let Err(panic) = hook::catch(all) {
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
            warp::resolve(self, first, &mut ready);
        }
        if ready.is_empty() && !self.has_failed() {
            warp::fail(self, &operating);
        }
        ready
    }

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

/// The coroutine that runs next, and its action; none when the block is over.
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
            let text = format!(
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
