//! A sparse matrix (CSR) times a vector: one thread for each row.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::{Numbers, floats};
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const ROWS: usize = 1 << 18;

#[kernel]
fn spmv(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], mut y: DisjointSlice<f32>) {
    let row = thread::index_1d();
    if let Some(y) = y.get_mut(row) {
        let mut sum = 0.0;
        for i in starts[row.get()] as usize..starts[row.get() + 1] as usize {
            sum += values[i] * x[columns[i] as usize];
        }
        *y = sum;
    }
}

openmp! {
    fn openmp_spmv(
        rows: usize,
        starts: *const u32,
        columns: *const u32,
        values: *const f32,
        x: *const f32,
        y: *mut f32,
    );
}

pub(crate) struct Spmv {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
    x: Vec<f32>,
    device_starts: DeviceBuffer<u32>,
    device_columns: DeviceBuffer<u32>,
    device_values: DeviceBuffer<f32>,
    device_x: DeviceBuffer<f32>,
    y: Results<f32>,
}

impl Row for Spmv {
    const NAME: &str = "SpMV, 256 Ki rows of 8 to 23";

    fn new(stream: &Stream) -> Result<Self> {
        let mut numbers = Numbers::new(3);
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in 0..ROWS {
            // Most of the columns are near the diagonal, and some are anywhere.
            for i in 0..8 + numbers.below(16) {
                let near = (row as u32 + numbers.below(1024)) % ROWS as u32;
                columns.push(if i % 4 == 0 { numbers.below(ROWS as u32) } else { near });
            }
            starts.push(columns.len() as u32);
        }
        let (values, x) = (floats(4, columns.len()), floats(5, ROWS));
        Ok(Spmv {
            device_starts: DeviceBuffer::from_host(stream, &starts)?,
            device_columns: DeviceBuffer::from_host(stream, &columns)?,
            device_values: DeviceBuffer::from_host(stream, &values)?,
            device_x: DeviceBuffer::from_host(stream, &x)?,
            y: Results::new(stream, ROWS)?,
            starts,
            columns,
            values,
            x,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let matrix = (&self.device_starts, &self.device_columns, &self.device_values);
        let arguments = (matrix.0, matrix.1, matrix.2, &self.device_x, &mut self.y.kernel);
        spmv.launch(stream, Grid::for_len(ROWS, 256), arguments)
    }

    fn rayon(&mut self) {
        let (columns, values, x) = (&self.columns[..], &self.values[..], &self.x[..]);
        self.y.rayon.par_iter_mut().zip(self.starts.par_windows(2)).for_each(|(y, ends)| {
            let range = ends[0] as usize..ends[1] as usize;
            let row = values[range.clone()].iter().zip(&columns[range]);
            *y = row.fold(0.0, |sum, (value, column)| sum + value * x[*column as usize]);
        });
    }

    fn openmp(&mut self) {
        let (starts, columns) = (self.starts.as_ptr(), self.columns.as_ptr());
        let (values, x, y) = (self.values.as_ptr(), self.x.as_ptr(), self.y.openmp.as_mut_ptr());
        // SAFETY: the arrays belong to a matrix of this many rows.
        unsafe { openmp_spmv(ROWS, starts, columns, values, x, y) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.y.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let arguments = vec![
            Argument::value(&ROWS),
            Argument::input(&self.starts),
            Argument::input(&self.columns),
            Argument::input(&self.values),
            Argument::input(&self.x),
            Argument::output::<f32>(ROWS),
        ];
        Some(Twin::linear("spmv", ROWS, arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.y.twin_difference(twin)
    }
}
