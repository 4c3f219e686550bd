//! `rand` and `rand_pcg`: seeds, ranges, distributions, shuffling.

use corpus::mixed;
use rand::seq::SliceRandom;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use rand_pcg::{Pcg32, Pcg64};

fn drawn<R: Rng>(mut rng: R) -> u64 {
    let numbers = [rng.random::<u64>(), rng.random_range(3..1000), rng.random::<f64>().to_bits()];
    let wide: u128 = rng.random_range(7..1 << 100);
    let chances = [rng.random_bool(0.3).into(), rng.random_range(0.5f32..2.0).to_bits(), wide as u32];
    let mut cards: [u8; 20] = core::array::from_fn(|card| card as u8);
    cards.shuffle(&mut rng);
    mixed(numbers) ^ mixed(chances) ^ mixed(cards) ^ (wide >> 64) as u64
}

fn small(i: u32) -> u64 {
    drawn(SmallRng::seed_from_u64(i.into()))
}

fn permuted(i: u32) -> u64 {
    drawn(Pcg32::seed_from_u64(i.into())) ^ drawn(Pcg64::new(i.into(), 77))
}

corpus::parts![small, permuted];
