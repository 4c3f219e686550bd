//! Kernels on the `cpu` device against the same loops by hand with rayon, over the same data; prints a table of
//! medians.
//!
//! Every pair is one run of each in one process, in turn, so that a machine that drifts does so for both. The result of
//! each pair must be the same bits.

mod mandelbrot;
mod n_body;
mod saxpy;

use std::time::{Duration, Instant};

use offload::{Device, Result, Stream};

/// One thing done in two ways.
trait Loop {
    /// The row's name.
    const NAME: &str;

    /// The data, on both sides.
    fn new(stream: &Stream) -> Result<Self>
    where
        Self: Sized;

    /// As a kernel; returns when it is done.
    fn offload(&mut self, stream: &Stream) -> Result<()>;

    /// By hand.
    fn rayon(&mut self);

    /// Whether both have the same results.
    fn same(&self, stream: &Stream) -> Result<bool>;
}

fn main() -> Result<()> {
    let pairs = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(25);
    let stream = Device::open("cpu")?.default_stream();
    println!("| {} threads, {pairs} pairs | rayon, ms | kernel, ms | ratio | to reach |", rayon::current_num_threads());
    println!("|---|---:|---:|---:|---:|");
    measure::<saxpy::Saxpy>(&stream, pairs)?;
    measure::<n_body::Bodies>(&stream, pairs)?;
    measure::<mandelbrot::Mandelbrot>(&stream, pairs)
}

fn measure<L: Loop>(stream: &Stream, pairs: usize) -> Result<()> {
    let mut own = L::new(stream)?;
    let mut times = Vec::new();
    // The first pair starts the threads and touches the memory.
    for _ in 0..=pairs {
        let start = rested();
        own.rayon();
        let by_hand = start.elapsed();
        let start = rested();
        own.offload(stream)?;
        times.push((by_hand, start.elapsed()));
    }
    assert!(own.same(stream)?, "{}: the kernel and the loop differ", L::NAME);
    times.remove(0);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "| {} | {:.2} | {:.2} | {:.2} | ≤ 1.05 |",
        L::NAME,
        median(times.iter().map(|(rayon, _)| ms(*rayon))),
        median(times.iter().map(|(_, kernel)| ms(*kernel))),
        median(times.iter().map(|(rayon, kernel)| ms(*kernel) / ms(*rayon))),
    );
    Ok(())
}

/// The time, once the threads of the previous run have gone to sleep.
fn rested() -> Instant {
    std::thread::sleep(Duration::from_millis(2));
    Instant::now()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
