//! In which order lanes, warps and blocks run.

/// The order of execution. No correct program depends on it, so it can be varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Warp after warp, block after block; the lanes of a warp run together wherever they can.
    Lockstep,
    /// Warps of several blocks take turns, in an order that this number determines.
    Seeded(u64),
}

impl Schedule {
    /// `lockstep`, or a seed.
    pub fn parse(text: &str) -> Option<Schedule> {
        if text == "lockstep" { Some(Schedule::Lockstep) } else { text.parse().ok().map(Schedule::Seeded) }
    }

    /// The random numbers of one launch; `launch` counts launches, so that two of them differ.
    pub fn random(self, launch: u64) -> Option<Random> {
        match self {
            Schedule::Lockstep => None,
            Schedule::Seeded(seed) => Some(Random(seed ^ launch.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
        }
    }
}

/// SplitMix64: a generator whose whole state is one word.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    #[test]
    fn a_seed_gives_one_order() {
        let order = |launch| {
            let mut random = Schedule::Seeded(7).random(launch).expect("a seed has random numbers");
            (0..8).map(|_| random.below(100)).collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert!(Schedule::parse("later").is_none());
        assert_eq!(Schedule::parse("lockstep"), Some(Schedule::Lockstep));
    }
}
