//! Kernels as ordinary functions of the host, and [`run_on_host`], which runs a whole launch for unit tests.
//!
//! The threads of a block are threads of the operating system. Barriers therefore work, and Miri and ThreadSanitizer
//! find data races. It is made for tests and is slow; the `cpu` device runs kernels fast.

use core::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::vec::Vec;

use crate::fallback;
use crate::grid::LaunchConfig;
use crate::position::{Position, set_position};

std::thread_local! {
    static BLOCK: RefCell<Option<Arc<Block>>> = const { RefCell::new(None) };
}

/// A block of a launch on the host.
struct Block {
    barrier: Mutex<Barrier>,
    opened: Condvar,
    /// The launch-sized shared memory, in words of 16 bytes, so that it is aligned to 16.
    shared: SharedMemory,
    shared_bytes: usize,
    /// The word that each thread passes to [`gather`], indexed by the thread's rank in the block.
    gathered: Mutex<Vec<Option<u64>>>,
}

struct SharedMemory(Vec<core::cell::UnsafeCell<u128>>);

// SAFETY: kernels access it only through raw pointers, and are responsible for these accesses.
unsafe impl Sync for SharedMemory {}

/// The state of the barrier.
struct Barrier {
    /// The number of threads that have not ended.
    threads: u32,
    /// The number of threads that wait.
    waiting: u32,
    /// How often the barrier has opened.
    phase: u64,
}

impl Block {
    fn wait(&self) {
        let mut barrier = self.barrier.lock().unwrap_or_else(PoisonError::into_inner);
        barrier.waiting += 1;
        if barrier.waiting == barrier.threads {
            barrier.open(&self.opened);
            return;
        }
        let phase = barrier.phase;
        while barrier.phase == phase {
            barrier = self.opened.wait(barrier).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Removes a thread that has returned or panicked, so that no other thread waits for it.
    fn leave(&self) {
        let mut barrier = self.barrier.lock().unwrap_or_else(PoisonError::into_inner);
        barrier.threads -= 1;
        if barrier.threads != 0 && barrier.waiting == barrier.threads {
            barrier.open(&self.opened);
        }
    }
}

impl Barrier {
    fn open(&mut self, opened: &Condvar) {
        self.waiting = 0;
        self.phase += 1;
        opened.notify_all();
    }
}

/// A barrier on the host. A thread outside of a launch does not wait.
pub(crate) fn wait_for_block() {
    if fallback::is_kernel() {
        return fallback::block::wait_for_block();
    }
    let block = BLOCK.with_borrow(Option::clone);
    if let Some(block) = block {
        block.wait();
    }
}

/// Returns the words of all threads of the block, in the order of their ranks. Every thread must call it. Outside of
/// `run_on_host` there is one thread.
pub(crate) fn gather(rank: usize, word: u64) -> Vec<u64> {
    let Some(block) = BLOCK.with_borrow(Option::clone) else { return std::vec![word] };
    let put = |word| {
        let mut gathered = block.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let len = gathered.len().max(rank + 1);
        gathered.resize(len, None);
        gathered[rank] = word;
    };
    put(Some(word));
    block.wait();
    let all = block.gathered.lock().unwrap_or_else(PoisonError::into_inner).iter().flatten().copied().collect();
    block.wait();
    // Later calls must not see the word of a thread that has ended.
    put(None);
    all
}

/// The launch-sized shared memory of this thread's block, null if the launch has none, and its size in bytes.
pub(crate) fn dynamic_shared() -> (*mut u8, usize) {
    if fallback::is_kernel() {
        return fallback::block::dynamic_shared();
    }
    BLOCK.with_borrow(|block| match block {
        Some(block) if !block.shared.0.is_empty() => (block.shared.0[0].get().cast(), block.shared_bytes),
        _ => (core::ptr::null_mut(), 0),
    })
}

/// Calls `kernel` on the host, once for every thread of a launch. It is made for unit tests, and does not need
/// offloadc. [`Kernel::run_on_host`](crate::Kernel::run_on_host) is shorter if the kernel has arguments like those of a
/// launch.
///
/// Blocks run one after another. The threads of a block are threads of the operating system, so that barriers work.
/// Static shared memory is an ordinary static, which one block after another uses. Two calls in two tests that run at
/// the same time would share it.
///
/// ```
/// use offload::{LaunchConfig, RawSlice, run_on_host, thread};
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// fn count(total: &AtomicU32) {
///     let _ = total.fetch_add(thread::index_1d().get() as u32, Ordering::Relaxed);
/// }
///
/// let total = AtomicU32::new(0);
/// run_on_host(LaunchConfig::for_num_elems(100), || count(&total));
/// assert_eq!(total.into_inner(), (0..256).sum());
/// ```
///
/// # Panics
///
/// If a thread panics, or a count of the grid is 0.
pub fn run_on_host(config: LaunchConfig, kernel: impl Fn() + Sync) {
    let (grid_dim, block_dim): ([u32; 3], [u32; 3]) = (config.grid_dim.into(), config.block_dim.into());
    let has_all = !grid_dim.contains(&0) && !block_dim.contains(&0);
    assert!(has_all, "a launch of {grid_dim:?} blocks of {block_dim:?} threads, where no count may be 0");
    let threads = block_dim.iter().try_fold(1_u32, |all, count| all.checked_mul(*count));
    let threads = threads.expect("more threads in a block than any system has");
    for block_id in places(grid_dim) {
        let shared_bytes = config.shared_mem_bytes as usize;
        let words = shared_bytes.div_ceil(16);
        let block = Arc::new(Block {
            barrier: Mutex::new(Barrier { threads, waiting: 0, phase: 0 }),
            opened: Condvar::new(),
            gathered: Mutex::new(Vec::new()),
            shared: SharedMemory((0..words).map(|_| core::cell::UnsafeCell::new(0)).collect()),
            shared_bytes,
        });
        std::thread::scope(|scope| {
            let threads: Vec<_> = places(block_dim)
                .map(|thread_id| {
                    let (block, kernel) = (Arc::clone(&block), &kernel);
                    let position = Position { thread_id, block_id, block_dim, grid_dim };
                    scope.spawn(move || run_thread(position, &block, kernel))
                })
                .collect();
            for thread in threads {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
    }
}

fn run_thread(position: Position, block: &Arc<Block>, kernel: &impl Fn()) {
    struct Leave<'a>(&'a Block);
    impl Drop for Leave<'_> {
        fn drop(&mut self) {
            self.0.leave();
        }
    }
    set_position(position);
    BLOCK.set(Some(Arc::clone(block)));
    let _leave = Leave(block);
    kernel();
}

/// All positions in a box of these dimensions; x changes fastest.
fn places(dimensions: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [width, height, depth] = dimensions;
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}
