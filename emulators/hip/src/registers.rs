//! The registers of one wave, each bit with its definedness.

use emulator_core::bits;

use crate::operand::{ACCUMULATORS, scalar};

/// A value, and the mask of its bits that nobody wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    pub(crate) value: u64,
    pub(crate) undefined: u64,
}

impl Bits {
    /// A value whose bits are all written.
    pub(crate) fn defined(value: u64) -> Bits {
        Bits { value, undefined: 0 }
    }
}

/// The most lanes that a wave can have.
pub(crate) const LANES: usize = 64;

/// The lanes whose bit is set.
pub(crate) fn lanes_of(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(lane)
    })
}

/// A value for each lane.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) value: [u64; LANES],
    pub(crate) undefined: [u64; LANES],
    /// Whether any bit of any lane may be undefined; a shortcut.
    pub(crate) partial: bool,
}

impl Row {
    /// Zeros.
    pub(crate) fn new() -> Row {
        Row { value: [0; LANES], undefined: [0; LANES], partial: false }
    }

    /// Makes all lanes the same.
    pub(crate) fn fill(&mut self, bits: Bits) {
        self.value.fill(bits.value);
        self.undefined.fill(bits.undefined);
        self.partial = bits.undefined != 0;
    }

    /// One lane's value.
    pub(crate) fn lane(&self, lane: usize) -> Bits {
        Bits { value: self.value[lane], undefined: self.undefined[lane] }
    }

    /// Sets one lane's value.
    pub(crate) fn set(&mut self, lane: usize, bits: Bits) {
        self.value[lane] = bits.value;
        self.undefined[lane] = bits.undefined;
        self.partial |= bits.undefined != 0;
    }
}

/// A vector register.
#[derive(Clone)]
struct Vector {
    value: [u32; LANES],
    undefined: [u32; LANES],
    /// Whether any bit may be undefined.
    partial: bool,
}

/// A register that the kernel's descriptor does not ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beyond {
    pub(crate) is_vector: bool,
    pub(crate) number: u16,
    pub(crate) count: u16,
}

/// The registers of one wave.
pub(crate) struct Registers {
    /// The lanes of the wave: elements beyond them in rows and registers mean nothing.
    lanes: usize,
    scalars: [u32; scalar::COUNT],
    undefined: [u32; scalar::COUNT],
    /// How many numbered scalar registers the kernel has.
    scalar_count: u16,
    vectors: Vec<Vector>,
    /// The first vector register that is an accumulator.
    accumulators: u16,
    /// The scalar condition code.
    pub(crate) scc: Bits,
}

impl Registers {
    /// Registers that nobody has written.
    pub(crate) fn new(lanes: usize, scalar_count: u16, vector_count: u16, accumulators: u16) -> Registers {
        let mut vector = Vector { value: [0xcbcb_cbcb; LANES], undefined: [0; LANES], partial: true };
        vector.undefined[..lanes].fill(u32::MAX);
        let mut undefined = [u32::MAX; scalar::COUNT];
        undefined[usize::from(scalar::NULL)] = 0;
        let mut scalars = [0xcbcb_cbcb; scalar::COUNT];
        scalars[usize::from(scalar::NULL)] = 0;
        let vectors = vec![vector; usize::from(vector_count)];
        Registers {
            lanes,
            scalars,
            undefined,
            scalar_count,
            vectors,
            accumulators,
            scc: Bits { value: 0, undefined: 1 },
        }
    }

    /// The mask of active lanes.
    pub(crate) fn exec(&self) -> u64 {
        let exec = usize::from(scalar::EXEC);
        u64::from(self.scalars[exec]) | u64::from(self.scalars[exec + 1]) << 32
    }

    /// A scalar register.
    pub(crate) fn scalar(&self, number: u16) -> Result<Bits, Beyond> {
        self.check_scalar(number)?;
        let number = usize::from(number);
        Ok(Bits { value: self.scalars[number].into(), undefined: self.undefined[number].into() })
    }

    /// Two scalar registers; of the null register, two times itself.
    pub(crate) fn scalar_pair(&self, number: u16) -> Result<Bits, Beyond> {
        let low = self.scalar(number)?;
        let high = if number == scalar::NULL { low } else { self.scalar(number + 1)? };
        Ok(Bits { value: low.value | high.value << 32, undefined: low.undefined | high.undefined << 32 })
    }

    /// Writes a scalar register.
    pub(crate) fn set_scalar(&mut self, number: u16, bits: Bits) -> Result<(), Beyond> {
        if number == scalar::NULL {
            return Ok(());
        }
        self.check_scalar(number)?;
        self.scalars[usize::from(number)] = bits.value as u32;
        self.undefined[usize::from(number)] = bits.undefined as u32;
        Ok(())
    }

    /// Writes two scalar registers.
    pub(crate) fn set_scalar_pair(&mut self, number: u16, bits: Bits) -> Result<(), Beyond> {
        if number == scalar::NULL {
            return Ok(());
        }
        self.set_scalar(number, bits)?;
        self.set_scalar(number + 1, Bits { value: bits.value >> 32, undefined: bits.undefined >> 32 })
    }

    fn check_scalar(&self, number: u16) -> Result<(), Beyond> {
        let is_numbered = number < scalar::FLAT_SCRATCH.max(self.scalar_count);
        if is_numbered && number >= self.scalar_count {
            return Err(Beyond { is_vector: false, number, count: self.scalar_count });
        }
        Ok(())
    }

    fn vector_index(&self, number: u16) -> Result<usize, Beyond> {
        let plain = if number >= ACCUMULATORS { number - ACCUMULATORS + self.accumulators } else { number };
        let count = self.vectors.len() as u16;
        if plain < count {
            return Ok(plain.into());
        }
        Err(Beyond { is_vector: true, number: plain, count })
    }

    /// A vector register, one row of 32-bit values.
    pub(crate) fn vector(&self, number: u16, row: &mut Row) -> Result<(), Beyond> {
        let vector = &self.vectors[self.vector_index(number)?];
        let (values, undefined) = (&mut row.value[..self.lanes], &mut row.undefined[..self.lanes]);
        values.iter_mut().zip(&vector.value).for_each(|(to, from)| *to = u64::from(*from));
        row.partial = vector.partial;
        if vector.partial {
            undefined.iter_mut().zip(&vector.undefined).for_each(|(to, from)| *to = u64::from(*from));
        } else {
            undefined.fill(0);
        }
        Ok(())
    }

    /// Two vector registers, one row of 64-bit values.
    pub(crate) fn vector_pair(&self, number: u16, row: &mut Row) -> Result<(), Beyond> {
        self.vector(number, row)?;
        let high = &self.vectors[self.vector_index(number + 1)?];
        let (values, undefined) = (&mut row.value[..self.lanes], &mut row.undefined[..self.lanes]);
        values.iter_mut().zip(&high.value).for_each(|(to, from)| *to |= u64::from(*from) << 32);
        row.partial |= high.partial;
        if high.partial {
            undefined.iter_mut().zip(&high.undefined).for_each(|(to, from)| *to |= u64::from(*from) << 32);
        }
        Ok(())
    }

    /// One lane of a vector register.
    pub(crate) fn lane(&self, number: u16, lane: usize) -> Result<Bits, Beyond> {
        let vector = &self.vectors[self.vector_index(number)?];
        Ok(Bits { value: vector.value[lane].into(), undefined: vector.undefined[lane].into() })
    }

    /// Writes one lane of a vector register.
    pub(crate) fn set_lane(&mut self, number: u16, lane: usize, bits: Bits) -> Result<(), Beyond> {
        let index = self.vector_index(number)?;
        let vector = &mut self.vectors[index];
        vector.value[lane] = bits.value as u32;
        vector.undefined[lane] = bits.undefined as u32;
        vector.partial |= bits.undefined as u32 != 0;
        Ok(())
    }

    /// Writes 32 bits of each lane in `lanes`, from bit `shift` of the row on.
    pub(crate) fn set_vector(&mut self, number: u16, lanes: u64, row: &Row, shift: u32) -> Result<(), Beyond> {
        let (index, count) = (self.vector_index(number)?, self.lanes);
        let vector = &mut self.vectors[index];
        let is_whole = lanes & bits::ones(count as u32) == bits::ones(count as u32);
        let put = |to: &mut [u32], from: &[u64]| match is_whole {
            true => to.iter_mut().zip(from).for_each(|(to, from)| *to = (from >> shift) as u32),
            false => lanes_of(lanes).take_while(|lane| *lane < count).for_each(|lane| {
                to[lane] = (from[lane] >> shift) as u32;
            }),
        };
        put(&mut vector.value[..count], &row.value[..count]);
        if vector.partial || row.partial {
            put(&mut vector.undefined[..count], &row.undefined[..count]);
            vector.partial = vector.undefined[..count].iter().fold(0, |all, one| all | one) != 0;
        }
        Ok(())
    }
}
