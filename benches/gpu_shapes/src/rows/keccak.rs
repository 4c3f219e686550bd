//! The permutation Keccak-f[1600]: one thread for each state of 25 words.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*};
use rayon::prelude::*;

use crate::numbers::words;
use crate::row::{Results, Row};

const LEN: usize = 1 << 15;

type State = [u64; 25];

const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

const TURNS: [u32; 25] = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

/// The same function on both sides.
#[inline]
fn permuted(mut state: State) -> State {
    for constant in ROUNDS {
        let mut sums = [0; 5];
        for x in 0..5 {
            sums[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
        }
        let mut turned = [0; 25];
        for y in 0..5 {
            for x in 0..5 {
                let word = state[x + 5 * y] ^ sums[(x + 4) % 5] ^ sums[(x + 1) % 5].rotate_left(1);
                turned[y + 5 * ((2 * x + 3 * y) % 5)] = word.rotate_left(TURNS[x + 5 * y]);
            }
        }
        for y in 0..5 {
            for x in 0..5 {
                state[x + 5 * y] = turned[x + 5 * y] ^ (!turned[(x + 1) % 5 + 5 * y] & turned[(x + 2) % 5 + 5 * y]);
            }
        }
        state[0] ^= constant;
    }
    state
}

#[kernel]
fn keccak(from: &[State], mut to: DisjointSlice<State>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        *to = permuted(from[i.get()]);
    }
}

openmp! {
    fn openmp_keccak(len: usize, from: *const State, to: *mut State);
}

pub(crate) struct Keccak {
    from: Vec<State>,
    device_from: DeviceBuffer<State>,
    to: Results<State>,
}

impl Row for Keccak {
    const NAME: &str = "Keccak-f[1600], 32 Ki states";

    fn new(stream: &Stream) -> Result<Self> {
        // The permutation of zeroes, as any other program computes it.
        assert_eq!(permuted([0; 25])[0], 0xf125_8f79_40e1_dde7);
        let halves = words(32, 50 * LEN);
        let long: Vec<u64> = halves.chunks(2).map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1])).collect();
        let from = long.as_chunks().0.to_vec();
        let device_from = DeviceBuffer::from_host(stream, &from)?;
        Ok(Keccak { from, device_from, to: Results::new(stream, LEN)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        keccak.launch(stream, Grid::for_len(LEN, 128), (&self.device_from, &mut self.to.kernel))
    }

    fn rayon(&mut self) {
        self.to.rayon.par_iter_mut().zip(&self.from).for_each(|(to, from)| *to = permuted(*from));
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_keccak(LEN, self.from.as_ptr(), self.to.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.to.difference(stream)
    }
}
