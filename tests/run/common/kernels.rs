//! Kernels whose threads each write the result of a function of their index. The host calls the same function and
//! compares.

/// Defines the kernels `name: function`. `handles()` returns their handles and `FUNCTIONS` has their functions, in the
/// same order.
macro_rules! kernels {
    ($($name:ident: $function:path,)*) => {
        $(extern "C" fn $name(out: *mut u64) {
            let i = offload::global_id_x();
            unsafe { *out.add(i as usize) = $function(i) };
        })*

        fn handles() -> Vec<*const offload::Kernel> {
            vec![$(kernel!($name)),*]
        }

        const FUNCTIONS: &[fn(u32) -> u64] = &[$($function),*];
    };
}

/// A number that depends on both numbers and on their order.
pub fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}
