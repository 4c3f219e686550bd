//! A step of k-means: the nearest centre of each point, and sums of each centre's points with atomics in shared memory.

use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicF32, DeviceAtomicU32};
use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::Numbers;
use crate::row::{Results, Row};

const LEN: usize = 1 << 19;
const CENTRES: usize = 16;
const BLOCKS: usize = 128;

type Point = [f32; 4];

/// The same function on both sides.
#[inline]
fn nearest(point: Point, centres: impl Iterator<Item = Point>) -> usize {
    let (mut best, mut smallest) = (0, f32::INFINITY);
    for (i, centre) in centres.enumerate() {
        let mut distance = 0.0;
        for axis in 0..4 {
            distance += (point[axis] - centre[axis]) * (point[axis] - centre[axis]);
        }
        if distance < smallest {
            (best, smallest) = (i, distance);
        }
    }
    best
}

#[kernel(block_size(256, 1, 1))]
fn k_means(
    points: &[Point],
    centres: &[Point],
    mut labels: DisjointSlice<u32>,
    sums: &[DeviceAtomicF32],
    counts: &[DeviceAtomicU32],
) {
    shared! {
        static SHARED: [Point; CENTRES];
        static SUMS: [f32; CENTRES * 4];
        static COUNTS: [u32; CENTRES];
    }
    let thread = thread::id::x() as usize;
    // SAFETY: each thread sets its own elements; from the first barrier on, all use atomics or only read.
    unsafe {
        if thread < CENTRES {
            SHARED.set(thread, centres[thread]);
            COUNTS.set(thread, 0);
        }
        if thread < CENTRES * 4 {
            SUMS.set(thread, 0.0);
        }
        thread::sync_threads();
        for i in thread::indices_1d(points.len()) {
            let point = points[i.get()];
            let label = nearest(point, (0..CENTRES).map(|centre| SHARED.get(centre)));
            for (axis, x) in point.into_iter().enumerate() {
                SUMS.atomic(label * 4 + axis).fetch_add(x, Relaxed);
            }
            COUNTS.atomic(label).fetch_add(1, Relaxed);
            if let Some(place) = labels.get_mut(i) {
                *place = label as u32;
            }
        }
        thread::sync_threads();
        if thread < CENTRES * 4 {
            sums[thread].fetch_add(SUMS.get(thread), Relaxed);
        }
        if thread < CENTRES {
            counts[thread].fetch_add(COUNTS.get(thread), Relaxed);
        }
    }
}

openmp! {
    fn openmp_k_means(
        len: usize,
        points: *const Point,
        centres: *const Point,
        labels: *mut u32,
        sums: *mut f32,
        counts: *mut u32,
    );
}

pub(crate) struct KMeans {
    points: Vec<Point>,
    centres: Vec<Point>,
    device_points: DeviceBuffer<Point>,
    device_centres: DeviceBuffer<Point>,
    labels: Results<u32>,
    sums: Results<f32>,
    counts: Results<u32>,
}

impl Row for KMeans {
    const NAME: &str = "k-means step, 512 Ki points, 16 centres";

    fn new(stream: &Stream) -> Result<Self> {
        // Small whole numbers: all sums are exact, so their order does not matter.
        let mut numbers = Numbers::new(29);
        let mut point = || std::array::from_fn(|_| numbers.below(16) as f32);
        let points: Vec<Point> = (0..LEN).map(|_| point()).collect();
        let centres: Vec<Point> = (0..CENTRES).map(|_| point()).collect();
        Ok(KMeans {
            device_points: DeviceBuffer::from_host(stream, &points)?,
            device_centres: DeviceBuffer::from_host(stream, &centres)?,
            labels: Results::new(stream, LEN)?,
            sums: Results::new(stream, CENTRES * 4)?,
            counts: Results::new(stream, CENTRES)?,
            points,
            centres,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        self.sums.kernel.set_zero(stream)?;
        self.counts.kernel.set_zero(stream)?;
        let results = (&mut self.labels.kernel, &mut self.sums.kernel, &mut self.counts.kernel);
        let arguments = (&self.device_points, &self.device_centres, results.0, results.1, results.2);
        k_means.launch(stream, Grid::for_len(BLOCKS * 256, 256), arguments)
    }

    fn rayon(&mut self) {
        const CHUNK: usize = 1 << 14;
        let centres: [Point; CENTRES] = self.centres.as_slice().try_into().expect("16 centres");
        type Sums = ([[f32; 4]; CENTRES], [u32; CENTRES]);
        let none: fn() -> Sums = || ([[0.0; 4]; CENTRES], [0; CENTRES]);
        let parts = self.labels.rayon.par_chunks_mut(CHUNK).zip(self.points.par_chunks(CHUNK));
        let sums = parts.map(|(labels, points)| {
            let mut own = none();
            for (label, point) in labels.iter_mut().zip(points) {
                let centre = nearest(*point, centres.iter().copied());
                *label = centre as u32;
                own.0[centre].iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
                own.1[centre] += 1;
            }
            own
        });
        let (sums, counts) = sums.reduce(none, |mut a, b| {
            for centre in 0..CENTRES {
                a.0[centre].iter_mut().zip(b.0[centre]).for_each(|(a, b)| *a += b);
                a.1[centre] += b.1[centre];
            }
            a
        });
        self.sums.rayon = sums.as_flattened().to_vec();
        self.counts.rayon = counts.to_vec();
    }

    fn openmp(&mut self) {
        let (labels, sums) = (self.labels.openmp.as_mut_ptr(), self.sums.openmp.as_mut_ptr());
        let counts = self.counts.openmp.as_mut_ptr();
        // SAFETY: the arrays have the lengths of so many points and 16 centres.
        unsafe { openmp_k_means(LEN, self.points.as_ptr(), self.centres.as_ptr(), labels, sums, counts) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        let labels = self.labels.difference(stream)?;
        Ok(labels.max(self.sums.difference(stream)?).max(self.counts.difference(stream)?))
    }
}
