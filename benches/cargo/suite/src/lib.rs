//! The code that the test programs in `tests/` test.

/// Adds `b` to each element of `a`.
#[cfg(feature = "kernels")]
pub fn add(a: &mut [f32], b: f32) {
    use offload::{Device, DisjointSlice, Grid, kernel, prelude::*, thread};

    #[kernel]
    fn add_kernel(b: f32, mut a: DisjointSlice<f32>) {
        if let Some(a) = a.get_mut(thread::index_1d()) {
            *a += b;
        }
    }
    let stream = Device::new().expect("there is a device").default_stream();
    add_kernel.launch(&stream, Grid::for_len(a.len(), 64), (b, a)).expect("the kernel runs");
}

/// Adds `b` to each element of `a`.
#[cfg(not(feature = "kernels"))]
pub fn add(a: &mut [f32], b: f32) {
    a.iter_mut().for_each(|a| *a += b);
}

/// The numbers in a text, as a JSON list.
pub fn numbers(text: &str) -> serde_json::Value {
    let number = regex::Regex::new(r"\d+").expect("the expression is right");
    number.find_iter(text).filter_map(|found| found.as_str().parse::<u64>().ok()).collect()
}
