//! SHA-256 of messages of 32 bytes: one thread for each, whole numbers and rotations.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*};
use rayon::prelude::*;

use crate::numbers::words;
use crate::row::{Results, Row};

const LEN: usize = 1 << 16;

const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

const ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The hash of a message of eight words; the same function on both sides.
#[inline]
fn hash(message: [u32; 8]) -> [u32; 8] {
    // After the message come a bit and the length in bits.
    let mut words = [0; 16];
    words[..8].copy_from_slice(&message);
    (words[8], words[15]) = (1 << 31, 256);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = START;
    for round in 0..64 {
        if round >= 16 {
            let (w15, w2) = (words[(round + 1) % 16], words[(round + 14) % 16]);
            let small0 = w15.rotate_right(7) ^ w15.rotate_right(18) ^ (w15 >> 3);
            let small1 = w2.rotate_right(17) ^ w2.rotate_right(19) ^ (w2 >> 10);
            let sum = words[round % 16].wrapping_add(words[(round + 9) % 16]);
            words[round % 16] = sum.wrapping_add(small0).wrapping_add(small1);
        }
        let big1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(big1).wrapping_add(choice);
        let first = first.wrapping_add(ROUNDS[round]).wrapping_add(words[round % 16]);
        let big0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = big0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    let end = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|i| START[i].wrapping_add(end[i]))
}

#[kernel]
fn sha_256(messages: &[[u32; 8]], mut hashes: DisjointSlice<[u32; 8]>) {
    if let Some((place, i)) = hashes.get_mut_indexed() {
        *place = hash(messages[i.get()]);
    }
}

openmp! {
    fn openmp_sha_256(len: usize, messages: *const [u32; 8], hashes: *mut [u32; 8]);
}

pub(crate) struct Sha256 {
    messages: Vec<[u32; 8]>,
    device_messages: DeviceBuffer<[u32; 8]>,
    hashes: Results<[u32; 8]>,
}

impl Row for Sha256 {
    const NAME: &str = "SHA-256, 64 Ki messages";

    fn new(stream: &Stream) -> Result<Self> {
        // The hash of zeroes, as any other program computes it.
        assert_eq!(hash([0; 8])[..2], [0x6668_7aad, 0xf862_bd77]);
        let messages = words(31, 8 * LEN).as_chunks().0.to_vec();
        let device_messages = DeviceBuffer::from_host(stream, &messages)?;
        Ok(Sha256 { messages, device_messages, hashes: Results::new(stream, LEN)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        sha_256.launch(stream, Grid::for_len(LEN, 256), (&self.device_messages, &mut self.hashes.kernel))
    }

    fn rayon(&mut self) {
        let pairs = self.hashes.rayon.par_iter_mut().zip(&self.messages);
        pairs.for_each(|(place, message)| *place = hash(*message));
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_sha_256(LEN, self.messages.as_ptr(), self.hashes.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.hashes.difference(stream)
    }
}
