//! The rows, in the order of the table.

mod black_scholes;
mod dot;
mod fft;
mod histogram;
mod matmul_naive;
mod matmul_tiled;
mod spmv;
mod stencil;
mod stencil_tiled;
mod stream;

use offload::Result;

use crate::measure::Table;

pub(crate) fn measure_all(table: &mut Table) -> Result<()> {
    table.row::<stream::Copy>()?;
    table.row::<stream::Add>()?;
    table.row::<stream::Triad>()?;
    table.row::<spmv::Spmv>()?;
    table.row::<matmul_naive::Naive>()?;
    table.row::<stencil::Stencil<16, 16>>()?;
    table.row::<stencil::Stencil<256, 1>>()?;
    table.row::<stencil_tiled::Tiled>()?;
    table.row::<fft::Fft>()?;
    table.row::<black_scholes::Single>()?;
    table.row::<black_scholes::Double>()?;
    table.row::<matmul_tiled::Tiled<false>>()?;
    table.row::<matmul_tiled::Tiled<true>>()?;
    table.row::<dot::Dot>()?;
    table.row::<histogram::Histogram>()
}
