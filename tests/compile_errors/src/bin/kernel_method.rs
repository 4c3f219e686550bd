//! A method as a kernel.

use offload::kernel;

struct Scale;

impl Scale {
    #[kernel]
    fn by(&self, factor: f32) {
        let _ = factor;
    }
}

fn main() {
    Scale.by(1.0);
}
