//! Values that go from lane to lane, and between vector and scalar registers.

use super::Kind;
use crate::environment::{Environment, Next};
use crate::instruction::Instruction;
use crate::memory::address::known;
use crate::operand::{Operand, Place};
use crate::registers::{Bits, Row, lanes_of};
use crate::wave::Wave;
use crate::wrong::Wrong;

type Outcome = Result<Next, Wrong>;

/// The rows of this file.
pub(crate) static OPS: &[(&str, crate::instruction::Special)] = &[
    ("v_readfirstlane_b32", read_first),
    ("v_readlane_b32", read_lane),
    ("v_writelane_b32", write_lane),
    ("ds_bpermute_b32", pull),
    ("ds_permute_b32", push),
    ("ds_swizzle_b32", swizzle),
    ("v_permlane16_b32", |w, i, _| permute_rows(w, i, false)),
    ("v_permlanex16_b32", |w, i, _| permute_rows(w, i, true)),
    ("v_permlane64_b32", permute_halves),
    ("v_swap_b32", |w, i, _| swap(w, i, Kind::B32)),
    ("v_swap_b16", |w, i, _| swap(w, i, Kind::B16)),
    ("v_swaprel_b32", |_, _, _| Err(Wrong::new("relative registers are not emulated"))),
];

fn to_scalar(wave: &mut Wave, operand: Operand, bits: Bits) -> Outcome {
    let Some(number) = operand.scalar() else { return Err(Wrong::new("the result is no scalar register")) };
    wave.set_scalar(number, bits, 32)?;
    Ok(Next::Go)
}

fn source(wave: &Wave, instruction: &Instruction, index: usize) -> Result<Row, Wrong> {
    let mut row = Row::new();
    wave.source(&instruction.operand(index), Kind::B32, &mut row)?;
    Ok(row)
}

/// The first active lane, or lane 0 where none is active.
fn read_first(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let row = source(wave, instruction, 1)?;
    let exec = wave.exec();
    let lane = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
    to_scalar(wave, instruction.operand(0), row.lane(lane))
}

fn lane_number(wave: &Wave, operand: Operand) -> Result<usize, Wrong> {
    let lane = known(wave.scalar(operand, Kind::B32)?, "the number of a lane")?;
    Ok(lane as usize & (wave.lanes - 1))
}

fn read_lane(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let row = source(wave, instruction, 1)?;
    let lane = lane_number(wave, instruction.operand(2))?;
    to_scalar(wave, instruction.operand(0), row.lane(lane))
}

/// Writes a lane whether it is active or not.
fn write_lane(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let value = wave.scalar(instruction.operand(1), Kind::B32)?;
    let lane = lane_number(wave, instruction.operand(2))?;
    let Some(number) = instruction.operand(0).vector() else {
        return Err(Wrong::new("the result is no vector register"));
    };
    wave.registers.set_lane(number, lane, value)?;
    Ok(Next::Go)
}

fn write(wave: &mut Wave, instruction: &Instruction, mut row: Row) -> Outcome {
    let exec = wave.exec();
    wave.result(&instruction.operand(0), Kind::B32, exec, &mut row, true)?;
    Ok(Next::Go)
}

/// Each lane's address has the number of the lane that it reads from bit 2 on; inactive lanes give 0.
fn pull(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let (addresses, data) = (source(wave, instruction, 1)?, source(wave, instruction, 2)?);
    let mut row = Row::new();
    let exec = wave.exec();
    for lane in lanes_of(exec) {
        let from = permuted(wave, instruction, &addresses, lane)?;
        let is_active = exec >> from & 1 != 0;
        row.set(lane, if is_active { data.lane(from) } else { Bits::default() });
    }
    write(wave, instruction, row)
}

/// Each lane's address has the number of the lane that it writes; lanes that nobody writes get 0.
fn push(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let (addresses, data) = (source(wave, instruction, 1)?, source(wave, instruction, 2)?);
    let mut row = Row::new();
    for lane in lanes_of(wave.exec()) {
        let to = permuted(wave, instruction, &addresses, lane)?;
        row.set(to, data.lane(lane));
    }
    write(wave, instruction, row)
}

fn permuted(wave: &Wave, instruction: &Instruction, addresses: &Row, lane: usize) -> Result<usize, Wrong> {
    if addresses.undefined[lane] != 0 {
        return Err(Wrong::undefined_in(lane, "the number of a lane"));
    }
    let address = addresses.value[lane].wrapping_add_signed(instruction.modifiers.offset);
    Ok((address >> 2) as usize & (wave.lanes - 1))
}

/// The meaning of DS_SWIZZLE's `offset`: a bit mask within 32 lanes, a permutation of four, or the lane so many further
/// on within 32, in the bits outside `mask`.
enum Swizzle {
    Mask { and: usize, or: usize, xor: usize },
    Quad([usize; 4]),
    Rotate { by: usize, mask: usize },
}

impl Swizzle {
    /// To the left, a lane gets the value of a later one.
    fn rotate(to_right: usize, amount: usize, mask: usize) -> Swizzle {
        Swizzle::Rotate { by: if to_right == 0 { amount } else { 32 - amount }, mask }
    }
}

fn swizzle_of(text: &str) -> Option<Swizzle> {
    if let Some(offset) = text.split_once("swizzle(").map(|(_, rest)| rest) {
        return named_swizzle(offset.split_once(')')?.0);
    }
    let offset = crate::text::number(text.split_once("offset:")?.1.split_whitespace().next()?)? as usize;
    Some(match offset >> 13 & 7 {
        // The permutation of a Fourier transform.
        7 => return None,
        6 => Swizzle::rotate(offset >> 10 & 1, offset >> 5 & 31, offset & 31),
        4 | 5 => Swizzle::Quad(std::array::from_fn(|i| offset >> (2 * i) & 3)),
        _ => Swizzle::Mask { and: offset & 31, or: offset >> 5 & 31, xor: offset >> 10 & 31 },
    })
}

/// The forms that LLVM prints (AMDGPUUsage, "Syntax of gfx9 instructions: swizzle pattern").
fn named_swizzle(inside: &str) -> Option<Swizzle> {
    let mut parts = inside.split(',').map(str::trim);
    let name = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let number = |i: usize| rest.get(i).and_then(|part| part.parse::<usize>().ok());
    Some(match name {
        "QUAD_PERM" => Swizzle::Quad([number(0)?, number(1)?, number(2)?, number(3)?]),
        "SWAP" => Swizzle::Mask { and: 31, or: 0, xor: number(0)? },
        "REVERSE" => Swizzle::Mask { and: 31, or: 0, xor: number(0)? - 1 },
        "BROADCAST" => Swizzle::Mask { and: 32 - number(0)?, or: number(1)?, xor: 0 },
        "ROTATE" => Swizzle::rotate(number(0)?, number(1)?, 0),
        "BITMASK_PERM" => bit_mask(rest.first()?.trim_matches('"'))?,
        _ => return None,
    })
}

/// `"01pi0"`: the change of each bit, the highest first.
fn bit_mask(text: &str) -> Option<Swizzle> {
    let (mut and, mut or, mut xor) = (0, 0, 0);
    for c in text.chars() {
        (and, or, xor) = (and << 1, or << 1, xor << 1);
        match c {
            '0' => {}
            '1' => or |= 1,
            'p' => and |= 1,
            'i' => (and, xor) = (and | 1, xor | 1),
            _ => return None,
        }
    }
    Some(Swizzle::Mask { and, or, xor })
}

fn swizzle(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let Some(how) = swizzle_of(&instruction.text) else { return Err(Wrong::new("the swizzle is not understood")) };
    let data = source(wave, instruction, 1)?;
    let exec = wave.exec();
    let mut row = Row::new();
    for lane in lanes_of(exec) {
        let from = match how {
            Swizzle::Mask { and, or, xor } => lane & !31 | (((lane & 31) & and | or) ^ xor),
            Swizzle::Quad(lanes) => lane & !3 | lanes[lane & 3],
            Swizzle::Rotate { by, mask } => lane & !31 | lane & mask | (lane + by) & !mask & 31,
        };
        let is_active = exec >> from & 1 != 0;
        row.set(lane, if is_active { data.lane(from) } else { Bits::default() });
    }
    write(wave, instruction, row)
}

/// V_PERMLANE16_B32: 4 bits for each of 16 lanes in two scalar sources; the other row of 32 lanes with `x`. `op_sel`
/// decides about inactive lanes: bit 0 reads them, bit 1 gives 0 for them (RDNA3 ISA).
fn permute_rows(wave: &mut Wave, instruction: &Instruction, other: bool) -> Outcome {
    let data = source(wave, instruction, 1)?;
    let low = known(wave.scalar(instruction.operand(2), Kind::B32)?, "the number of a lane")?;
    let high = known(wave.scalar(instruction.operand(3), Kind::B32)?, "the number of a lane")?;
    let choices = low | high << 32;
    let select = instruction.modifiers.op_sel;
    let (fetches, bounds) = (select & 1 != 0, select & 2 != 0);
    let exec = wave.exec();
    let mut row = Row::new();
    let mut written = 0u64;
    for lane in lanes_of(exec) {
        let place = choices >> (4 * (lane & 15)) & 15;
        let first = if other { lane & !15 ^ 16 } else { lane & !15 };
        let from = first + place as usize;
        if fetches || exec >> from & 1 != 0 {
            row.set(lane, data.lane(from));
            written |= 1 << lane;
        } else if bounds {
            written |= 1 << lane;
        }
    }
    wave.result(&instruction.operand(0), Kind::B32, written, &mut row, true)?;
    Ok(Next::Go)
}

/// The halves of 64 lanes; nothing for 32.
fn permute_halves(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let data = source(wave, instruction, 1)?;
    let mut row = Row::new();
    for lane in lanes_of(wave.exec()) {
        let from = if wave.lanes == 64 { lane ^ 32 } else { lane };
        row.set(lane, data.lane(from));
    }
    write(wave, instruction, row)
}

fn swap(wave: &mut Wave, instruction: &Instruction, kind: Kind) -> Outcome {
    let (a, b) = (instruction.operand(0), instruction.operand(1));
    if !matches!((a.place, b.place), (Place::Vector(..), Place::Vector(..))) {
        return Err(Wrong::new("the operands are no vector registers"));
    }
    let (mut first, mut second) = (Row::new(), Row::new());
    wave.source(&a, kind, &mut first)?;
    wave.source(&b, kind, &mut second)?;
    let exec = wave.exec();
    wave.result(&a, kind, exec, &mut second, true)?;
    wave.result(&b, kind, exec, &mut first, true)?;
    Ok(Next::Go)
}
