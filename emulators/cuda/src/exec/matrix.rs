//! Matrix instructions, which all 32 lanes of a warp execute together.
//!
//! The order and the rounding of the sums within a product are not documented. Here, products of floats of at most 32
//! bits are summed as doubles and rounded once; products of doubles are fused multiply-adds, one after the other.

use emulator_core::bits::ones;

use super::activation::{Group, State};
use super::failure::{Wrong, status};
use super::memory::LaneMemory;
use super::warp::{BlockState, Context, Warp};
use crate::float::{F32, Rounding, round_to};
use crate::lanes::Word;
use crate::parser::Space;
use crate::program::code::{Address, Op, Source};
use crate::program::matrix::{BitProduct, Element, Fragment, Matrix};

/// Bits of elements, and whether any of them is undefined.
struct Values {
    columns: usize,
    elements: Vec<(u64, bool)>,
}

impl Values {
    fn new((rows, columns): (usize, usize)) -> Values {
        Values { columns, elements: vec![(0, false); rows * columns] }
    }

    fn at(&self, row: usize, column: usize) -> (u64, bool) {
        self.elements[row * self.columns + column]
    }
}

/// Performs the operation at which all groups have arrived, and lets them go on.
pub(super) fn perform(
    warp: &mut Warp,
    groups: &[usize],
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<(), Wrong> {
    let Group { activation, pc, lanes: first, .. } = warp.groups[groups[0]];
    let function = warp.activation(activation).function.clone();
    let Op::Matrix { matrix, .. } = &function.code[pc].op else { return Ok(()) };
    let here = groups.iter().fold(0, |all, index| all | warp.groups[*index].lanes);
    let wrong = |lane: u32, message: &str| Wrong::new(status::LAUNCH_FAILED, lane as usize, message);
    if here != u32::MAX {
        return Err(wrong(first.trailing_zeros(), "a lane of the warp does not take part in an operation on matrices"));
    }
    if groups.iter().any(|index| (warp.groups[*index].activation, warp.groups[*index].pc) != (activation, pc)) {
        let message = "the lanes of the warp execute different operations on matrices";
        return Err(wrong(first.trailing_zeros(), message));
    }
    Operation { memory: LaneMemory::new(warp, activation, context, block), activation }.run(matrix)?;
    for index in groups {
        warp.groups[*index].state = State::Ready;
        warp.groups[*index].pc += 1;
    }
    Ok(())
}

struct Operation<'w, 'c, 'a, 'm> {
    memory: LaneMemory<'w, 'c, 'a, 'm>,
    activation: usize,
}

impl Operation<'_, '_, '_, '_> {
    fn run(&mut self, matrix: &Matrix) -> Result<(), Wrong> {
        match matrix {
            Matrix::Multiply { d, a, b, c, saturates, bits } => {
                let factors = (self.read(a), self.read(b));
                let product = product((a, b), &factors, (c, &self.read(c)), d.element, (*saturates, *bits));
                self.write(d, &product);
                Ok(())
            }
            Matrix::Load { d, space, address, stride, by_columns } => {
                self.load(d, *space, *address, (*stride, *by_columns))
            }
            Matrix::Store { a, space, address, stride, by_columns } => {
                self.store(a, *space, *address, (*stride, *by_columns))
            }
            Matrix::LoadRows { d, space, address, transposes } => self.load_rows(d, *space, *address, *transposes),
            Matrix::StoreRows { a, space, address, transposes } => self.store_rows(a, *space, *address, *transposes),
            Matrix::Transpose { d, a } => {
                self.transpose(*d, *a);
                Ok(())
            }
        }
    }

    /// The elements of a matrix in registers.
    fn read(&self, fragment: &Fragment) -> Values {
        let mut values = Values::new((fragment.rows, fragment.columns));
        for lane in 0..32 {
            for index in 0..fragment.per_lane() {
                let (row, column) = fragment.position(lane, index);
                values.elements[row * fragment.columns + column] = self.element(fragment, lane, index);
            }
        }
        values
    }

    /// An element of a lane.
    fn element(&self, fragment: &Fragment, lane: usize, index: usize) -> (u64, bool) {
        let (each, bits) = (fragment.element.per_register(), fragment.element.bits());
        let register = self.memory.get(fragment.registers[index / each]);
        let shift = (index % each) as u32 * bits;
        (register.bits[lane] >> shift & ones(bits), register.mask(lane) >> shift & ones(bits) != 0)
    }

    /// Puts elements into the registers of all lanes.
    fn write(&mut self, fragment: &Fragment, values: &Values) {
        let (each, bits) = (fragment.element.per_register(), fragment.element.bits());
        for (number, register) in fragment.registers.iter().enumerate() {
            for lane in 0..32 {
                let (mut word, mut mask) = (0, 0);
                for within in 0..each {
                    let (row, column) = fragment.position(lane, number * each + within);
                    let (value, is_undefined) = values.at(row, column);
                    word |= value << (within as u32 * bits);
                    mask |= if is_undefined { ones(bits) << (within as u32 * bits) } else { 0 };
                }
                self.memory.register(*register).put_lane(lane, word, mask);
            }
        }
    }

    /// The address of an element, and the bits before it in the first byte.
    fn place_of(&self, (row, column): (usize, usize), base: u64, stride: (u64, bool), bits: u32) -> (u64, u32) {
        let (distance, by_columns) = stride;
        let (line, within) = if by_columns { (column, row) } else { (row, column) };
        let at = (line as u64 * distance + within as u64) * u64::from(bits);
        (base.wrapping_add(at / 8), (at % 8) as u32)
    }

    fn strides(&self, stride: Source) -> Result<Word, Wrong> {
        self.memory.warp.defined(self.activation, stride, u32::MAX, "the distance of a matrix's rows")?;
        Ok(self.memory.get(stride).bits)
    }

    fn load(
        &mut self,
        d: &Fragment,
        space: Space,
        address: Address,
        (stride, by_columns): (Source, bool),
    ) -> Result<(), Wrong> {
        let (addresses, strides) = (self.memory.addresses(u32::MAX, address)?, self.strides(stride)?);
        let bits = d.element.bits();
        let size = (bits as usize).div_ceil(8);
        let mut values = Values::new((d.rows, d.columns));
        for lane in 0..32 {
            for index in 0..d.per_lane() {
                let (row, column) = d.position(lane, index);
                let (at, shift) = self.place_of((row, column), addresses[lane], (strides[lane], by_columns), bits);
                let place = self.memory.place(space, at, lane)?;
                self.memory.check(place, size, lane, "a load")?;
                let (value, mask) = self.memory.read(place, size, lane)?;
                values.elements[row * d.columns + column] =
                    (value >> shift & ones(bits), mask >> shift & ones(bits) != 0);
            }
        }
        self.write(d, &values);
        Ok(())
    }

    fn store(
        &mut self,
        a: &Fragment,
        space: Space,
        address: Address,
        (stride, by_columns): (Source, bool),
    ) -> Result<(), Wrong> {
        let (addresses, strides) = (self.memory.addresses(u32::MAX, address)?, self.strides(stride)?);
        let bits = a.element.bits();
        let size = bits as usize / 8;
        for lane in 0..32 {
            for index in 0..a.per_lane() {
                let stride = (strides[lane], by_columns);
                let (at, _) = self.place_of(a.position(lane, index), addresses[lane], stride, bits);
                let place = self.memory.place(space, at, lane)?;
                self.memory.check(place, size, lane, "a store")?;
                let (value, is_undefined) = self.element(a, lane, index);
                self.memory.write(place, size, lane, value, if is_undefined { ones(bits) } else { 0 })?;
            }
        }
        Ok(())
    }

    /// The addresses of the rows of `count` matrices.
    fn row_addresses(&self, count: usize, address: Address) -> Result<Word, Wrong> {
        self.memory.addresses(ones(8 * count as u32) as u32, address)
    }

    fn load_rows(&mut self, d: &[Source], space: Space, address: Address, transposes: bool) -> Result<(), Wrong> {
        let addresses = self.row_addresses(d.len(), address)?;
        let mut loaded = vec![([0; 32], [0; 32]); d.len()];
        for (number, (words, masks)) in loaded.iter_mut().enumerate() {
            for row in 0..8 {
                let lane = 8 * number + row;
                let place = self.memory.place(space, addresses[lane], lane)?;
                self.memory.check(place, 16, lane, "a load")?;
                for column in 0..8 {
                    let (to, shift) = half_of(row, column, transposes);
                    let place = self.memory.place(space, addresses[lane] + 2 * column as u64, lane)?;
                    let (value, mask) = self.memory.read(place, 2, lane)?;
                    words[to] |= value << shift;
                    masks[to] |= mask << shift;
                }
            }
        }
        for (register, (words, masks)) in d.iter().zip(&loaded) {
            self.memory.register(*register).put_with(u32::MAX, words, masks);
        }
        Ok(())
    }

    fn store_rows(&mut self, a: &[Source], space: Space, address: Address, transposes: bool) -> Result<(), Wrong> {
        let addresses = self.row_addresses(a.len(), address)?;
        for (number, source) in a.iter().enumerate() {
            for row in 0..8 {
                let lane = 8 * number + row;
                let place = self.memory.place(space, addresses[lane], lane)?;
                self.memory.check(place, 16, lane, "a store")?;
                for column in 0..8 {
                    let (from, shift) = half_of(row, column, transposes);
                    let value = self.memory.get(*source);
                    let (bits, mask) = (value.bits[from] >> shift & 0xffff, value.mask(from) >> shift & 0xffff);
                    let place = self.memory.place(space, addresses[lane] + 2 * column as u64, lane)?;
                    self.memory.write(place, 2, lane, bits, mask)?;
                }
            }
        }
        Ok(())
    }

    fn transpose(&mut self, d: Source, a: Source) {
        let a = self.memory.get(a).clone();
        let (mut words, mut masks) = ([0; 32], [0; 32]);
        for row in 0..8 {
            for column in 0..8 {
                let ((from, low), (to, high)) = (half_of(row, column, false), half_of(row, column, true));
                words[to] |= (a.bits[from] >> low & 0xffff) << high;
                masks[to] |= (a.mask(from) >> low & 0xffff) << high;
            }
        }
        self.memory.register(d).put_with(u32::MAX, &words, &masks);
    }
}

/// The lane with an element of an 8x8 matrix of 16-bit elements, and where it is in the lane's register, in bits.
fn half_of(row: usize, column: usize, transposes: bool) -> (usize, u32) {
    let (row, column) = if transposes { (column, row) } else { (row, column) };
    (4 * row + column / 2, 16 * (column % 2) as u32)
}

/// a * b + c
fn product(
    (of_a, of_b): (&Fragment, &Fragment),
    (a, b): &(Values, Values),
    (of_c, c): (&Fragment, &Values),
    of_d: Element,
    (saturates, bits): (bool, Option<BitProduct>),
) -> Values {
    let mut d = Values::new((of_c.rows, of_c.columns));
    for row in 0..of_c.rows {
        for column in 0..of_c.columns {
            let factors: Vec<_> = (0..of_a.columns).map(|k| (a.at(row, k), b.at(k, column))).collect();
            let (added, mut is_undefined) = c.at(row, column);
            is_undefined |= factors.iter().any(|((_, a), (_, b))| *a || *b);
            let factors = factors.iter().map(|((a, _), (b, _))| (*a, *b));
            let value = match of_a.element {
                Element::Double => {
                    let double = |bits| f64::from_bits(bits);
                    factors.fold(double(added), |sum, (a, b)| double(a).mul_add(double(b), sum)).to_bits()
                }
                Element::Float(_) => {
                    let products = factors.map(|(a, b)| float(of_a.element, a) * float(of_b.element, b));
                    rounded(of_d, products.sum::<f64>() + float(of_c.element, added))
                }
                Element::Integer { .. } => {
                    let each = |(x, y)| match bits {
                        Some(BitProduct::Xor) => i64::from(x != y),
                        Some(BitProduct::And) => (x & y) as i64,
                        None => integer(of_a.element, x) * integer(of_b.element, y),
                    };
                    let sum = i64::from(added as i32) + factors.map(each).sum::<i64>();
                    let sum = if saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                    sum as u64 & ones(32)
                }
            };
            d.elements[row * of_c.columns + column] = (value, is_undefined);
        }
    }
    d
}

fn float(element: Element, bits: u64) -> f64 {
    match element {
        Element::Float(F32) => f64::from(f32::from_bits(bits as u32)),
        Element::Float(format) => format.value(bits),
        Element::Double | Element::Integer { .. } => f64::from_bits(bits),
    }
}

fn rounded(element: Element, value: f64) -> u64 {
    match element {
        Element::Float(format) => round_to(format, value, Rounding::Nearest),
        Element::Double | Element::Integer { .. } => value.to_bits(),
    }
}

fn integer(element: Element, value: u64) -> i64 {
    match element {
        Element::Integer { bits, signed: true } => (value << (64 - bits)) as i64 >> (64 - bits),
        _ => value as i64,
    }
}
