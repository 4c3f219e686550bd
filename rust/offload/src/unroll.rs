//! Unrolled loops.

/// Asks for copies of the body of the loop around it, with fewer branches: `unroll!(COUNT)` for `COUNT` copies, which
/// is a constant from 1 to 1024, and `unroll!()` for one copy for each iteration, if their number is known. 1 leaves
/// the loop as it is.
///
/// Write it into the body of the loop. The innermost loop around it counts, also if the loop is in a function that is
/// inlined there. It is a hint: the results are the same, and a loop whose iterations cannot be counted remains as it
/// is. Outside of a loop, and on the host, it does nothing.
///
/// ```
/// use offload::{DisjointSlice, kernel, thread, unroll};
///
/// #[kernel]
/// fn sums(values: &[f32], n: usize, mut sums: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     let mut sum = 0.0;
///     for k in 0..n {
///         unroll!(8);
///         sum += values[k * n + i.get()];
///     }
///     if let Some(place) = sums.get_mut(i) {
///         *place = sum;
///     }
/// }
/// ```
#[doc(alias = "pragma unroll")]
#[macro_export]
macro_rules! unroll {
    () => {
        $crate::__private::unroll(0)
    };
    ($count:expr) => {
        $crate::__private::unroll($count)
    };
    ($($other:tt)*) => {
        ::core::compile_error!("expected `unroll!()`, or `unroll!(COUNT)` with 1 to 1024 copies")
    };
}
