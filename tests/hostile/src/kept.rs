//! Memory that a kernel leaks and a later launch accesses: through a static, and through a reference to host memory.

use lock::Lock;
use offload::{Closure, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};

static KEPT: Lock<Option<&'static [u32]>> = Lock::new(None);
static BOXED: Lock<Option<Box<u32>>> = Lock::new(None);

#[kernel]
fn keep(value: u32) {
    if thread::index_1d().get() == 0 {
        KEPT.with(|kept| *kept = Some(Box::leak(vec![value; 100].into_boxed_slice())));
        BOXED.with(|boxed| *boxed = Some(Box::new(value)));
    }
}

/// Overwrites the given memory.
#[kernel]
fn overwrite(mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    let waste = vec![0xdead_beef_u32; 1000];
    if let Some(out) = out.get_mut(i) {
        *out = waste[i.get()];
    }
}

#[kernel]
fn find(mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = KEPT.with(|kept| kept.map_or(0, |values| values[i.get()]));
        *out += BOXED.with(|boxed| boxed.take()).map_or(0, |boxed| *boxed);
    }
}

static ON_HOST: Lock<Option<&'static [u32]>> = Lock::new(None);

#[kernel]
fn call<F: Fn() + Copy + 'static>(f: Closure<F>) {
    f();
}

fn on_host() -> Vec<u32> {
    ON_HOST.with(|kept| kept.map_or(Vec::new(), <[u32]>::to_vec))
}

/// Launches all of it.
pub fn check(stream: &Stream) -> Result<()> {
    let (one, mut out) = (Grid::for_len(1, 1).with_heap_bytes(1 << 14), [0; 2]);
    keep.launch(stream, one, (7,))?;
    for _ in 0..3 {
        overwrite.launch(stream, one, (&mut out[..1],))?;
    }
    find.launch(stream, Grid::for_len(2, 2), (&mut out,))?;
    assert_eq!(out, [14, 7]);

    // The kernel's own copy of the static is separate from the host's, to which a hidden reference refers.
    let hidden: Option<&'static Lock<Option<&'static [u32]>>> = Some(&ON_HOST);
    let leak = move || hidden.unwrap().with(|kept| *kept = Some(Box::leak(vec![5; 100].into_boxed_slice())));
    leak.launch(stream, one, ())?;
    overwrite.launch(stream, one, (&mut out[..1],))?;
    assert_eq!(on_host(), [5; 100]);
    call.launch(
        stream,
        one,
        (Closure::new(move || hidden.unwrap().with(|kept| *kept = Some(Box::leak(Box::new([6; 9]))))),),
    )?;
    overwrite.launch(stream, one, (&mut out[..1],))?;
    assert_eq!(on_host(), [6; 9]);
    Ok(())
}
