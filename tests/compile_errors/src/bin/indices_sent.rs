//! The indices of one thread, given to another thread.

use std::sync::Mutex;

use offload::kernel;
use offload::thread::{Index, indices_1d};

static KEPT: Mutex<Option<Box<dyn Iterator<Item = Index> + Send>>> = Mutex::new(None);

#[kernel]
fn keep() {
    *KEPT.lock().unwrap() = Some(Box::new(indices_1d(64)));
}

fn main() {}
