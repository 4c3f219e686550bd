//! Executes loads, stores and atomics.

use super::access::{Access, Action, Extent, Shape};
use super::address::Places;
use super::atomic::{Atomic, Update};
use super::location::Location;
use super::location::Manner;
use super::space::{load, store_now};
use super::store::store;
use crate::environment::Environment;
use crate::instruction::Instruction;
use crate::operand::{Half, Operand, Place};
use crate::registers::{Bits, lanes_of};
use crate::wave::Wave;
use crate::wrong::Wrong;

/// A memory instruction for all active lanes, in the order of the lanes.
pub(crate) fn memory(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    instruction: &Instruction,
    access: &Access,
) -> Result<(), Wrong> {
    let places = Places::of(instruction, access);
    let locations = places.locations(wave, instruction, access.space)?;
    let modifiers = &instruction.modifiers;
    environment.begin_access();
    for lane in lanes_of(wave.exec()) {
        let location = locations[lane];
        match (access.action, access.pair) {
            (Action::Load(shape), Some(unit)) => {
                let words = (shape.bytes / 4) as u16;
                for (part, offset) in [modifiers.offset, modifiers.offset1].into_iter().enumerate() {
                    let at = location.further(offset as u64 * unit as u64);
                    let result = places.data.further(part as u16 * words);
                    load_words(wave, environment, lane, at, shape.bytes, &result)?;
                }
            }
            (Action::Store(shape), Some(unit)) => {
                let second = instruction.operand(2);
                for (data, offset) in [(places.data, modifiers.offset), (second, modifiers.offset1)] {
                    let at = location.further(offset as u64 * unit as u64);
                    store_words(wave, environment, lane, at, shape.bytes, &data)?;
                }
            }
            (Action::Load(shape), None) => {
                let at = shared_offset(location, access, modifiers.offset);
                load_one(wave, environment, lane, at, shape, &places.data)?;
            }
            (Action::Store(shape), None) => {
                let at = shared_offset(location, access, modifiers.offset);
                store_one(wave, environment, lane, at, shape, &places.data)?;
            }
            (Action::Atomic(atomic), _) => {
                let at = shared_offset(location, access, modifiers.offset);
                // A comparison in shared memory has its second operand in separate registers.
                let is_pair = access.space == super::access::Space::Shared && atomic.update == Update::CompareSwap;
                let second = if is_pair { instruction.operand(2 + usize::from(access.returns)) } else { places.data };
                update(wave, environment, lane, at, &atomic, &places, is_pair.then_some(second))?;
            }
        }
    }
    Ok(())
}

/// The lanes that a memory instruction serves, with the location and the size of each access.
pub(crate) fn accesses(
    wave: &Wave,
    instruction: &Instruction,
    access: &Access,
) -> Result<Vec<(usize, Location, usize)>, Wrong> {
    let locations = Places::of(instruction, access).locations(wave, instruction, access.space)?;
    let modifiers = &instruction.modifiers;
    let bytes = match access.action {
        Action::Load(shape) | Action::Store(shape) => shape.bytes,
        Action::Atomic(atomic) => atomic.bytes,
    };
    let offsets = match access.pair {
        Some(unit) => vec![modifiers.offset * unit as i64, modifiers.offset1 * unit as i64],
        None if access.space == super::access::Space::Shared => vec![modifiers.offset],
        None => vec![0],
    };
    let all = offsets
        .iter()
        .flat_map(|offset| lanes_of(wave.exec()).map(|lane| (lane, locations[lane].further(*offset as u64), bytes)));
    Ok(all.collect())
}

/// Other spaces have added the offset already.
fn shared_offset(location: Location, access: &Access, offset: i64) -> Location {
    if access.space == super::access::Space::Shared { location.further(offset as u64) } else { location }
}

fn load_one(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    lane: usize,
    location: Location,
    shape: Shape,
    result: &Operand,
) -> Result<(), Wrong> {
    if shape.bytes >= 4 {
        return load_words(wave, environment, lane, location, shape.bytes, result);
    }
    environment.come(lane, location, shape.bytes, Manner::Read)?;
    let loaded =
        load(Some(wave), &mut environment.global, environment.shared, lane, location, shape.bytes, Manner::Read)?;
    environment.keep(lane, location, shape.bytes, Manner::Read, loaded);
    let bits = extended(loaded, shape);
    let number = register(result)?;
    let before = wave.registers.lane(number, lane)?;
    let (shift, kept) = match (shape.extent, result.place) {
        (Extent::High, _) | (_, Place::Vector(_, Some(Half::High))) => (16, 0xffff),
        (Extent::Low, _) | (_, Place::Vector(_, Some(Half::Low))) => (0, 0xffff_0000),
        (Extent::Whole, _) => (0, 0),
    };
    let mask = if kept == 0 { 0xffff_ffff } else { 0xffff };
    let place = |part: u64, before: u64| (part & mask) << shift | before & kept;
    let unknown = if wave.generation.loads_keep_halves() { before.undefined } else { kept };
    let bits = Bits { value: place(bits.value, before.value), undefined: place(bits.undefined, unknown) };
    wave.registers.set_lane(number, lane, bits)?;
    Ok(())
}

/// Extended to 32 bits by its sign or by zeros.
fn extended(bits: Bits, shape: Shape) -> Bits {
    let width = 8 * shape.bytes as u32;
    let extend = |value: u64| {
        if shape.is_signed { emulator_core::bits::sign_extended(value, width) as u32 as u64 } else { value }
    };
    let mask = emulator_core::bits::ones(width);
    Bits { value: extend(bits.value & mask), undefined: extend(bits.undefined & mask) }
}

fn load_words(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    lane: usize,
    location: Location,
    bytes: usize,
    result: &Operand,
) -> Result<(), Wrong> {
    let number = register(result)?;
    // All bytes are read before a register is written, which may hold the address.
    let mut words = [Bits::default(); 4];
    environment.come(lane, location, bytes, Manner::Read)?;
    for (i, word) in words.iter_mut().take(bytes / 4).enumerate() {
        let at = location.further(4 * i as u64);
        *word = load(Some(wave), &mut environment.global, environment.shared, lane, at, 4, Manner::Read)?;
    }
    environment.keep(lane, location, bytes, Manner::Read, Bits::default());
    for (i, word) in words.iter().take(bytes / 4).enumerate() {
        wave.registers.set_lane(number + i as u16, lane, *word)?;
    }
    Ok(())
}

fn store_one(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    lane: usize,
    location: Location,
    shape: Shape,
    data: &Operand,
) -> Result<(), Wrong> {
    if shape.bytes >= 4 {
        return store_words(wave, environment, lane, location, shape.bytes, data);
    }
    let whole = wave.registers.lane(register(data)?, lane)?;
    let is_high = shape.extent == Extent::High || matches!(data.place, Place::Vector(_, Some(Half::High)));
    let shift = if is_high { 16 } else { 0 };
    let bits = Bits { value: whole.value >> shift, undefined: whole.undefined >> shift };
    store(wave, environment, lane, location, shape.bytes, bits, Manner::Write)
}

fn store_words(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    lane: usize,
    location: Location,
    bytes: usize,
    data: &Operand,
) -> Result<(), Wrong> {
    let number = register(data)?;
    for i in 0..bytes / 4 {
        let word = wave.registers.lane(number + i as u16, lane)?;
        store(wave, environment, lane, location.further(4 * i as u64), 4, word, Manner::Write)?;
    }
    Ok(())
}

/// One or two registers of a lane.
fn value_of(wave: &Wave, lane: usize, number: u16, bytes: usize) -> Result<Bits, Wrong> {
    let low = wave.registers.lane(number, lane)?;
    if bytes == 4 {
        return Ok(low);
    }
    let high = wave.registers.lane(number + 1, lane)?;
    Ok(Bits { value: low.value | high.value << 32, undefined: low.undefined | high.undefined << 32 })
}

fn update(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    lane: usize,
    location: Location,
    atomic: &Atomic,
    places: &Places,
    second: Option<Operand>,
) -> Result<(), Wrong> {
    let (bytes, number) = (atomic.bytes, register(&places.data)?);
    let mut operand = value_of(wave, lane, number, bytes)?;
    let mut compared = match (atomic.update, second) {
        (Update::CompareSwap, Some(second)) => value_of(wave, lane, register(&second)?, bytes)?,
        (Update::CompareSwap, None) => value_of(wave, lane, number + (bytes / 4) as u16, bytes)?,
        _ => Bits::default(),
    };
    if atomic.compares_first {
        std::mem::swap(&mut operand, &mut compared);
    }
    let is_seen = matches!(location, Location::Global(_) | Location::Shared(_));
    if is_seen && places.result.is_none() && atomic.update != Update::CompareSwap {
        environment.late.atomic = Some((*atomic, wave.mode));
        return store(wave, environment, lane, location, bytes, operand, Manner::Update);
    }
    environment.come(lane, location, bytes, Manner::Update)?;
    let old = load(Some(wave), &mut environment.global, environment.shared, lane, location, bytes, Manner::Update)?;
    let new = atomic.apply(&wave.mode, old, operand, compared);
    match location {
        Location::Private(_) => store(wave, environment, lane, location, bytes, new, Manner::Update)?,
        _ => store_now(&mut environment.global, environment.shared, lane, location, bytes, new, Manner::Update)?,
    }
    if let Some(result) = places.result {
        let number = register(&result)?;
        wave.registers.set_lane(number, lane, old)?;
        if bytes == 8 {
            let high = Bits { value: old.value >> 32, undefined: old.undefined >> 32 };
            wave.registers.set_lane(number + 1, lane, high)?;
        }
    }
    Ok(())
}

fn register(operand: &Operand) -> Result<u16, Wrong> {
    operand.vector().ok_or_else(|| Wrong::new("the operand is no vector register"))
}
