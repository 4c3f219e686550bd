//! `std::time`.

use core::panic::Location;
use std::time::{Duration, Instant, SystemTime, SystemTimeError};

use crate::host_call::call_host;

/// `Instant::now`.
#[unsafe(no_mangle)]
fn __offload_std_instant_now() -> Instant {
    call_host((), |()| Instant::now())
}

/// `Instant::elapsed`.
#[unsafe(no_mangle)]
fn __offload_std_instant_elapsed(since: &Instant) -> Duration {
    call_host(*since, |since| since.elapsed())
}

/// `Instant::duration_since`.
#[unsafe(no_mangle)]
fn __offload_std_instant_duration_since(to: &Instant, from: Instant) -> Duration {
    call_host((*to, from), |(to, from)| to.duration_since(from))
}

/// `later - earlier`.
#[unsafe(no_mangle)]
fn __offload_std_instant_sub(to: Instant, from: Instant) -> Duration {
    call_host((to, from), |(to, from)| to - from)
}

/// `instant + duration`.
#[unsafe(no_mangle)]
fn __offload_std_instant_add(from: Instant, time: Duration) -> Instant {
    call_host((from, time), |(from, time)| from + time)
}

/// The same, as later versions of `std` have it.
#[unsafe(no_mangle)]
fn __offload_std_instant_add_for(from: Instant, time: Duration, _caller: &Location<'_>) -> Instant {
    __offload_std_instant_add(from, time)
}

/// `SystemTime::now`.
#[unsafe(no_mangle)]
fn __offload_std_system_time_now() -> SystemTime {
    call_host((), |()| SystemTime::now())
}

/// `SystemTime::duration_since`.
#[unsafe(no_mangle)]
fn __offload_std_system_time_duration_since(to: &SystemTime, from: SystemTime) -> Result<Duration, SystemTimeError> {
    call_host((*to, from), |(to, from)| to.duration_since(from))
}
