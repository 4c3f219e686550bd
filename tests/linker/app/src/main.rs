//! Uses the kernels of both libraries.

use gpu::offload::Device;

fn main() {
    let device = Device::open();
    let numbers: Vec<u64> = (0..1000).collect();
    let scaled = scale::scale(&device, &numbers, 3);
    assert!(scaled.iter().zip(&numbers).all(|(scaled, number)| *scaled == number * 3));
    println!("{:?} {}", scale::scale(&device, &[1.5f32, 2.5], 2.0), sum::sum(&device, &scaled));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_run_in_tests() {
        assert_eq!(scale::scale(&Device::open(), &[7u32], 6), [42]);
    }
}
