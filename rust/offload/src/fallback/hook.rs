//! The panics of kernels, and the hook that reads their places.

use core::cell::RefCell;
use core::panic::Location;
use std::boxed::Box;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::string::ToString as _;
use std::sync::Once;

use super::block::is_running;
use super::failure::{Panic, drop_payload, text_of};

std::thread_local! {
    /// The panic that `catch` will return, from the hook.
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Calls `run` and returns its panic. The text of a panic in a kernel belongs to the error of the launch, so that the
/// hook prints nothing.
pub(super) fn catch(run: impl FnOnce()) -> Result<(), Panic> {
    LAST.set(None);
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let message = || text_of(&*payload).unwrap_or("with a value that is not a text").into();
        // If the program has replaced the hook, the place is unknown.
        let panic = LAST.take().unwrap_or_else(|| Panic { place: None, message: message() });
        drop_payload(payload);
        panic
    })
}

/// Adds the hook that reads the places of panics in kernels. All other panics, and those that end the program, reach
/// the program's own hook.
pub(super) fn install_hook() {
    static INSTALLED: Once = Once::new();
    // The hook of a thread that panics cannot be replaced.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let other = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_caught = cfg!(panic = "unwind") && is_running();
            if is_caught { note(info) } else { other(info) }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    let message = text_of(info.payload()).unwrap_or("with a value that is not a text").into();
    LAST.set(Some(Panic { place: info.location().map(Location::to_string), message }));
}
