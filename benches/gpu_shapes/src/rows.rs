//! The rows, in the order of the table.

mod attention;
mod bitonic;
mod black_scholes;
mod compaction;
mod convolution;
mod dot;
mod fft;
mod fft_own;
mod histogram;
mod k_means;
mod keccak;
mod lattice;
mod layer_norm;
mod matmul_naive;
mod matmul_tiled;
mod radix_sort;
mod scan;
mod sha_256;
mod smith_waterman;
mod softmax;
mod spmv;
mod stencil;
mod stencil_tiled;
mod stream;
mod warp_sum;

use offload::Result;

use crate::measure::Rows;

pub(crate) fn each(table: &mut impl Rows) -> Result<()> {
    table.row::<stream::Copy>()?;
    table.row::<stream::Add>()?;
    table.row::<stream::Triad>()?;
    table.row::<spmv::Spmv>()?;
    table.row::<matmul_naive::Naive>()?;
    table.row::<stencil::Stencil<16, 16>>()?;
    table.row::<stencil::Stencil<256, 1>>()?;
    table.row::<stencil_tiled::Tiled>()?;
    table.row::<fft::Fft>()?;
    table.row::<fft_own::Own<8>>()?;
    table.row::<fft_own::Own<16>>()?;
    table.row::<fft_own::Own<64>>()?;
    table.row::<black_scholes::Single>()?;
    table.row::<black_scholes::Double>()?;
    table.row::<matmul_tiled::Tiled<false>>()?;
    table.row::<matmul_tiled::Tiled<true>>()?;
    table.row::<dot::Dot>()?;
    table.row::<histogram::Histogram>()?;
    table.row::<convolution::Convolution>()?;
    table.row::<softmax::Softmax<false>>()?;
    table.row::<softmax::Softmax<true>>()?;
    table.row::<layer_norm::LayerNorm>()?;
    table.row::<attention::Attention>()?;
    table.row::<scan::Scan>()?;
    table.row::<warp_sum::WarpSum>()?;
    table.row::<compaction::Compaction>()?;
    table.row::<radix_sort::RadixSort>()?;
    table.row::<bitonic::Bitonic>()?;
    table.row::<k_means::KMeans>()?;
    table.row::<lattice::Lattice>()?;
    table.row::<sha_256::Sha256>()?;
    table.row::<keccak::Keccak>()?;
    table.row::<smith_waterman::SmithWaterman>()
}
