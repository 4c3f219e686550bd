//! Copy, add and triad: one thread for each element. Memory bandwidth limits them.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const LEN: usize = 1 << 24;
const S: f32 = 0.5;

#[kernel]
fn copy(a: &[f32], mut c: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(c) = c.get_mut(i) {
        *c = a[i.get()];
    }
}

#[kernel]
fn add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(c) = c.get_mut(i) {
        *c = a[i.get()] + b[i.get()];
    }
}

#[kernel]
fn triad(s: f32, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(c) = c.get_mut(i) {
        *c = a[i.get()] + s * b[i.get()];
    }
}

openmp! {
    fn openmp_copy(len: usize, a: *const f32, c: *mut f32);
    fn openmp_add(len: usize, a: *const f32, b: *const f32, c: *mut f32);
    fn openmp_triad(len: usize, s: f32, a: *const f32, b: *const f32, c: *mut f32);
}

struct Arrays {
    a: Vec<f32>,
    b: Vec<f32>,
    device_a: DeviceBuffer<f32>,
    device_b: DeviceBuffer<f32>,
    c: Results<f32>,
}

impl Arrays {
    fn new(stream: &Stream) -> Result<Self> {
        let (a, b) = (floats(1, LEN), floats(2, LEN));
        let (device_a, device_b) = (DeviceBuffer::from_host(stream, &a)?, DeviceBuffer::from_host(stream, &b)?);
        Ok(Arrays { a, b, device_a, device_b, c: Results::new(stream, LEN)? })
    }
}

pub(crate) struct Copy(Arrays);
pub(crate) struct Add(Arrays);
pub(crate) struct Triad(Arrays);

impl Row for Copy {
    const NAME: &str = "copy, 16 Mi f32";

    fn new(stream: &Stream) -> Result<Self> {
        Arrays::new(stream).map(Copy)
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        copy.launch(stream, Grid::for_len(LEN, 256), (&self.0.device_a, &mut self.0.c.kernel))
    }

    fn rayon(&mut self) {
        self.0.c.rayon.par_iter_mut().zip(&self.0.a).for_each(|(c, a)| *c = *a);
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_copy(LEN, self.0.a.as_ptr(), self.0.c.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.0.c.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let own = &self.0;
        let arguments = vec![Argument::value(&LEN), Argument::input(&own.a), Argument::output::<f32>(LEN)];
        Some(Twin::linear("copy", LEN, arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.0.c.twin_difference(twin)
    }
}

impl Row for Add {
    const NAME: &str = "add, 16 Mi f32";

    fn new(stream: &Stream) -> Result<Self> {
        Arrays::new(stream).map(Add)
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let own = &mut self.0;
        add.launch(stream, Grid::for_len(LEN, 256), (&own.device_a, &own.device_b, &mut own.c.kernel))
    }

    fn rayon(&mut self) {
        let own = &mut self.0;
        own.c.rayon.par_iter_mut().zip(&own.a).zip(&own.b).for_each(|((c, a), b)| *c = a + b);
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_add(LEN, self.0.a.as_ptr(), self.0.b.as_ptr(), self.0.c.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.0.c.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let own = &self.0;
        let arguments =
            vec![Argument::value(&LEN), Argument::input(&own.a), Argument::input(&own.b), Argument::output::<f32>(LEN)];
        Some(Twin::linear("add", LEN, arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.0.c.twin_difference(twin)
    }
}

impl Row for Triad {
    const NAME: &str = "triad, 16 Mi f32";

    fn new(stream: &Stream) -> Result<Self> {
        Arrays::new(stream).map(Triad)
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let own = &mut self.0;
        triad.launch(stream, Grid::for_len(LEN, 256), (S, &own.device_a, &own.device_b, &mut own.c.kernel))
    }

    fn rayon(&mut self) {
        let own = &mut self.0;
        own.c.rayon.par_iter_mut().zip(&own.a).zip(&own.b).for_each(|((c, a), b)| *c = a + S * b);
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_triad(LEN, S, self.0.a.as_ptr(), self.0.b.as_ptr(), self.0.c.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.0.c.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let own = &self.0;
        let arguments = vec![
            Argument::value(&LEN),
            Argument::value(&S),
            Argument::input(&own.a),
            Argument::input(&own.b),
            Argument::output::<f32>(LEN),
        ];
        Some(Twin::linear("triad", LEN, arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.0.c.twin_difference(twin)
    }
}
