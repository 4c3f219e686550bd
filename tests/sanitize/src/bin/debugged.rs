//! Kernels in which a debugger stops: `tests/projects/debug.rs` starts gdb with this program, and the argument names
//! the kernel. A comment `// stop: NAME` is at the line of each breakpoint.

use offload::{Device, DeviceBuffer, DeviceCopy, DisjointSlice, Grid, kernel, prelude::*, shared, thread, warp};

#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Scale {
    by: f32,
    plus: f32,
}

fn scaled(scale: &Scale, x: f32) -> f32 {
    let product = scale.by * x;
    product + scale.plus // stop: scaled
}

#[kernel]
fn scale_all(scale: Scale, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let at = i.get();
    let is_first = at == 0;
    if let Some(y) = y.get_mut(i) {
        let before = *y;
        let more = scaled(&scale, x[at]);
        *y = if is_first { more } else { before + more }; // stop: scale_all
    }
}

/// Values of a thread that it needs no more, and those that it needs after the barrier.
#[kernel]
fn reverse(x: &[u32], mut y: DisjointSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let t = thread::id::x() as usize;
    let i = thread::index_1d();
    let mine = x[i.get()];
    let twice = mine * 2; // stop: before the barrier
    unsafe { TILE.set(t, twice) };
    thread::sync_threads();
    let other = unsafe { TILE.get(63 - t) };
    let pair = (other, mine);
    if let Some(y) = y.get_mut(i) {
        *y = pair.0 + pair.1; // stop: after the barrier
    }
}

#[kernel]
fn exchange(x: &[u32], mut y: DisjointSlice<u32>) {
    let i = thread::index_2d();
    let at = (i.y() * 8 + i.x()) % x.len();
    let mine = x[at];
    let other = warp::shuffle_xor(mine, 1);
    let both = other * 1000 + mine;
    let doubled = both * 2; // stop: exchange
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = doubled;
    }
}

#[kernel]
fn sums(x: &[u32], mut y: DisjointSlice<u32>) {
    let mut sum = 0;
    for (number, value) in x.iter().take(3).enumerate() {
        sum += value * (number as u32 + 1); // stop: sums
    }
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = sum;
    }
}

#[kernel]
fn past_the_end(x: &[u32], mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    let wrong = i.get() + 1;
    if let Some(y) = y.get_mut(i) {
        *y = x[wrong]; // stop: past_the_end
    }
}

fn main() -> offload::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let stream = Device::new()?.default_stream();
    let numbers: Vec<u32> = (10..138).collect();
    let x = DeviceBuffer::from_host(&stream, &numbers)?;
    let mut y = DeviceBuffer::<u32>::zeroed(&stream, 128)?;
    let grid = Grid::new((2, 1, 1), (64, 1, 1));
    match name.as_str() {
        "scale_all" => {
            let x = DeviceBuffer::from_host(&stream, &[1.5; 128])?;
            let mut y = DeviceBuffer::from_host(&stream, &[2.0; 128])?;
            scale_all.launch(&stream, grid, (Scale { by: 3.0, plus: 0.5 }, &x, &mut y))?;
            println!("{:?}", &y.to_host_vec(&stream)?[..2]);
        }
        "reverse" => reverse.launch(&stream, grid, (&x, &mut y))?,
        "exchange" => exchange.launch(&stream, Grid::new((1, 2, 1), (8, 4, 1)), (&x, &mut y))?,
        "sums" => sums.launch(&stream, grid, (&x, &mut y))?,
        "past_the_end" => past_the_end.launch(&stream, grid, (&x, &mut y))?,
        other => panic!("there is no kernel `{other}`"),
    }
    println!("{:?}", &y.to_host_vec(&stream)?[..3]);
    Ok(())
}
