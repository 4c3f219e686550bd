//! The limit on busy threads: under make or cargo, a thread works only while it holds a token of their job server.
//!
//! The process has one token from the start, make's own for the process that it started. A thread takes a token before
//! it begins a piece of work, and returns it at the end. While it waits for the work of other threads it holds none.
//! Otherwise they could wait for this token, and it for them. The functions here are therefore the only ones that give
//! work to other threads; `tests/tidy` checks it.
//!
//! A thread that waits for a token asks for one every few milliseconds, because a thread that is blocked in a read of
//! make's pipe could not be called back when another thread of this process returns a token.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::llvm::job_server::{self, Token};

/// How long a thread waits before it asks again.
const PAUSE: Duration = Duration::from_millis(5);

/// Gives work to threads. Copies share their tokens.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// None if the number of threads is the only limit.
    limit: Option<Arc<Limit>>,
}

/// The tokens of this process that no thread holds.
#[derive(Debug)]
struct Limit {
    free: Mutex<Free>,
    returned: Condvar,
}

#[derive(Debug)]
struct Free {
    /// Whether no thread holds the token that the process was started with.
    own: bool,
    /// Tokens that a thread has returned while others were waiting.
    taken: Vec<Token>,
    /// The number of threads that wait.
    waiting: usize,
}

/// The permit that a thread holds while it works.
enum Permit {
    Own,
    Taken(Token),
}

thread_local! {
    static HELD: RefCell<Option<Permit>> = const { RefCell::new(None) };
}

impl Tokens {
    /// Connects to the job server of the environment. The error says why the one that is named there cannot be used.
    pub fn from_environment() -> Result<Self, String> {
        let found = job_server::connect()?;
        Ok(Self { limit: found.then(|| Arc::new(Limit::new())) })
    }

    /// Whether there is a job server.
    pub fn are_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Does a piece of work with a token.
    pub fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(limit) = &self.limit else { return work() };
        let permit = limit.take();
        HELD.set(Some(permit));
        let result = work();
        limit.put(HELD.take());
        result
    }

    /// Waits without the token that this thread holds.
    pub fn wait<T>(&self, wait: impl FnOnce() -> T) -> T {
        let held = HELD.take();
        let (Some(limit), Some(_)) = (&self.limit, &held) else { return wait() };
        limit.put(held);
        let result = wait();
        HELD.set(Some(limit.take()));
        result
    }

    /// Returns the result for each item. Items are taken one at a time from a queue. If rayon divided the list into
    /// halves, a worker could be idle while another one has two items left.
    pub fn side_by_side<I: Send, T: Send>(
        &self,
        items: impl IntoIterator<Item = I>,
        compute: &(impl Fn(I) -> T + Sync),
    ) -> Vec<T> {
        let mut slots: Vec<(Option<I>, Option<T>)> = items.into_iter().map(|item| (Some(item), None)).collect();
        let run = |(item, result): &mut (Option<I>, Option<T>)| {
            *result = item.take().map(|item| self.work(|| compute(item)));
        };
        let run = &run;
        self.wait(|| {
            rayon::scope_fifo(|scope| slots.iter_mut().for_each(|slot| scope.spawn_fifo(move |_| run(slot))));
        });
        slots.into_iter().filter_map(|(_, result)| result).collect()
    }

    /// Like [`Self::side_by_side`], but the largest items are begun first, so that no worker begins one at the end
    /// while the others are idle. The results have the order of the items.
    pub fn largest_first<I: Send, T: Send>(
        &self,
        items: Vec<I>,
        size: impl Fn(&I) -> usize,
        compute: &(impl Fn(I) -> T + Sync),
    ) -> Vec<T> {
        let mut items: Vec<_> = items.into_iter().enumerate().collect();
        items.sort_by_key(|(number, item)| (Reverse(size(item)), *number));
        let mut results = self.side_by_side(items, &|(number, item)| (number, compute(item)));
        results.sort_by_key(|(number, _)| *number);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// Does `aside` in another thread, if one is idle, and `here` in this one.
    pub fn both<A: Send, B>(&self, aside: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
        let mut result = None;
        let of_here = self.wait(|| {
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| result = Some(self.work(aside)));
                self.work(here)
            })
        });
        (result.expect("the scope has waited for it"), of_here)
    }
}

impl Limit {
    fn new() -> Self {
        Self { free: Mutex::new(Free { own: true, taken: Vec::new(), waiting: 0 }), returned: Condvar::new() }
    }

    /// A panic in another thread ends the process.
    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Permit {
        let mut free = self.free();
        free.waiting += 1;
        loop {
            // A server that is gone has no token, and the process still has its own.
            if let Some(permit) = free.permit().or_else(|| job_server::try_take().ok().flatten().map(Permit::Taken)) {
                free.waiting -= 1;
                return permit;
            }
            free = self.returned.wait_timeout(free, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A token that no thread waits for goes back to the server at once.
    fn put(&self, permit: Option<Permit>) {
        let mut free = self.free();
        match permit {
            Some(Permit::Own) => free.own = true,
            Some(Permit::Taken(token)) if free.waiting > 0 => free.taken.push(token),
            Some(Permit::Taken(token)) => drop(token),
            None => {}
        }
        self.returned.notify_one();
    }
}

impl Free {
    fn permit(&mut self) -> Option<Permit> {
        if std::mem::take(&mut self.own) { Some(Permit::Own) } else { self.taken.pop().map(Permit::Taken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// As under `make -j1`: no token but its own.
    fn alone() -> Tokens {
        Tokens { limit: Some(Arc::new(Limit::new())) }
    }

    /// The largest number of pieces of work at a time, when each piece waits for further pieces.
    fn busiest(tokens: &Tokens) -> usize {
        let (busy, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let piece = |_: usize| {
            most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(2));
            busy.fetch_sub(1, Ordering::SeqCst);
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        pool.install(|| {
            tokens.work(|| {
                let nested = |_: usize| tokens.side_by_side(0..4, &piece).len();
                let (aside, here) = tokens.both(|| tokens.side_by_side(0..6, &nested), || nested(0));
                assert_eq!((aside, here), (vec![4; 6], 4));
            });
        });
        most.into_inner()
    }

    #[test]
    fn without_tokens_one_thread_works_and_nothing_is_stuck() {
        assert_eq!(busiest(&alone()), 1);
        assert!(busiest(&Tokens::default()) > 1);
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        assert_eq!(alone().side_by_side([3, 1, 2], &|n| n * 2), [6, 2, 4]);
    }
}
