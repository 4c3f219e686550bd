//! Results of instructions whose error the ISA documents: one of the two ends of the allowed range, so that a program
//! which needs a smaller error fails. The seed and the operands choose the end: an instruction is a function of its
//! operands, as on a GPU.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Schedule;

/// The seed of the process. Like the other options, it is the environment's.
static SEED: AtomicU64 = AtomicU64::new(0);

/// Takes the seed of a schedule; lockstep has seed 0.
pub fn set_seed(schedule: Schedule) {
    let seed = match schedule {
        Schedule::Lockstep => 0,
        Schedule::Seeded(seed) => seed,
    };
    SEED.store(seed, Ordering::Relaxed);
}

/// Whether an instruction with these operands gives the upper end.
pub fn is_upper(operands: u64) -> bool {
    chooses_upper(SEED.load(Ordering::Relaxed), operands)
}

fn chooses_upper(seed: u64, operands: u64) -> bool {
    let mut mixed =
        operands.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) & 1 != 0
}

/// The unit in the last place of the numbers of 32 bits around a value.
pub fn unit(value: f64) -> f64 {
    const BIAS: i32 = 1023;
    let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - BIAS;
    2f64.powi(exponent.clamp(-126, 127) - 23)
}

/// The number of 32 bits that is as far above or below a value as an absolute error allows. An infinity or a NaN is
/// returned unchanged.
pub fn end(exact: f64, error: f64, upper: bool) -> f32 {
    if !exact.is_finite() || (exact as f32).is_infinite() {
        return exact as f32;
    }
    let limit = if upper { exact + error } else { exact - error };
    let nearest = limit as f32;
    let is_beyond = if upper { f64::from(nearest) > limit } else { f64::from(nearest) < limit };
    match (is_beyond, upper) {
        (false, _) => nearest,
        (true, true) => nearest.next_down(),
        (true, false) => nearest.next_up(),
    }
}

#[cfg(test)]
mod tests {
    use super::{chooses_upper, end, unit};

    #[test]
    fn ends_are_as_far_as_the_error_allows() {
        let third = 1.0 / 3.0;
        let (low, high) = (end(third, unit(third), false), end(third, unit(third), true));
        assert_eq!(low.next_up(), high);
        assert!(f64::from(low) < third && third < f64::from(high));
        assert_eq!((end(1.0, 2f64.powi(-23), true), end(1.0, 0.0, false)), (1.0 + f32::EPSILON, 1.0));
        assert_eq!(end(f64::INFINITY, 1.0, false), f32::INFINITY);
        assert_eq!(end(f64::from(f32::MAX), unit(f64::from(f32::MAX)), true), f32::MAX);
    }

    #[test]
    fn each_seed_chooses_both() {
        let chosen = |seed| (0..64).fold(0, |all, operand| all | u64::from(chooses_upper(seed, operand)) << operand);
        let all: Vec<u64> = (0..50).map(chosen).collect();
        assert!(all.iter().all(|chosen| (16..48).contains(&chosen.count_ones())), "{all:x?}");
        assert!((1..50).all(|seed| all[seed] != all[0]));
        // Each operand has both ends among a few seeds.
        let (any, every) = all[..12].iter().fold((0, u64::MAX), |(any, every), one| (any | one, every & one));
        assert_eq!((any, every), (u64::MAX, 0));
    }
}
