//! The kernels. Each has a twin in `cuda/`, with the same algorithm and the same order of accesses.

pub(crate) mod aobench;
pub(crate) mod attention;
pub(crate) mod chacha20;
pub(crate) mod heat2d;
pub(crate) mod jacobi;
pub(crate) mod layernorm;
pub(crate) mod lud;
pub(crate) mod mandelbrot;
pub(crate) mod murmurhash3;
pub(crate) mod nbody;
pub(crate) mod nqueen;
pub(crate) mod softmax;
