//! Matrix instructions: `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use super::cross::key;
use super::memory::{elements, space_of};
use super::{Decoded, done, has};
use crate::float::{BF16, F16, F32, TF32};
use crate::parser::{Family, Instruction, Operand, Type};
use crate::program::builder::Builder;
use crate::program::code::{Op, Source};
use crate::program::matrix::{BitProduct, Element, Fragment, Layout, Matrix};

const WORD: Type = Type { family: Family::Bits, width: 32 };
const DOUBLE: Type = Type { family: Family::Float, width: 64 };

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let matrix = match instruction.words[0].as_str() {
        "mma" => multiply(builder, instruction, false)?,
        "wmma" if has(instruction, "mma") => multiply(builder, instruction, true)?,
        "wmma" if has(instruction, "load") => load(builder, instruction)?,
        "wmma" if has(instruction, "store") => store(builder, instruction)?,
        "ldmatrix" | "stmatrix" => rows(builder, instruction)?,
        "movmatrix" => transpose(builder, instruction)?,
        _ => None,
    };
    match matrix {
        Some(matrix) => done(builder, Op::Matrix { key: key(instruction), matrix: Box::new(matrix) }),
        None => Ok(false),
    }
}

/// The numbers in `m16n8k8`: the rows of the result, its columns, and the products of each sum.
fn shape(instruction: &Instruction) -> Option<[usize; 3]> {
    instruction.words.iter().find_map(|word| {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
    })
}

/// The types of elements among the modifiers, in order.
fn types(instruction: &Instruction) -> Vec<Element> {
    let integer = |bits, signed| Some(Element::Integer { bits, signed });
    let element = |word: &String| match word.as_str() {
        "f16" => Some(Element::Float(F16)),
        "bf16" => Some(Element::Float(BF16)),
        "tf32" => Some(Element::Float(TF32)),
        "f32" => Some(Element::Float(F32)),
        "f64" => Some(Element::Double),
        "s8" => integer(8, true),
        "u8" => integer(8, false),
        "s4" => integer(4, true),
        "u4" => integer(4, false),
        "b1" => integer(1, false),
        "s32" => integer(32, true),
        _ => None,
    };
    instruction.words.iter().skip(1).filter_map(element).collect()
}

/// A matrix in the registers of an operand.
fn fragment(
    builder: &mut Builder<'_>,
    operand: &Operand,
    (rows, columns): (usize, usize),
    element: Element,
    layout: Layout,
    is_written: bool,
) -> Result<Fragment, String> {
    let width = if element == Element::Double { DOUBLE } else { WORD };
    let register = |one: &Operand| match is_written {
        true => builder.destination(one).map(|(register, _)| register),
        false => builder.source(one, width),
    };
    let registers = elements(operand).iter().map(register).collect::<Result<_, _>>()?;
    let fragment = Fragment { rows, columns, element, layout, registers };
    let complete = || format!("{} registers are not those of a {rows}x{columns} matrix", fragment.registers.len());
    if fragment.is_complete() { Ok(fragment) } else { Err(complete()) }
}

fn multiply(builder: &mut Builder<'_>, instruction: &Instruction, is_wmma: bool) -> Result<Option<Matrix>, String> {
    let half = Element::Float(F16);
    let [of_d, of_a, of_b, of_c] = match types(instruction)[..] {
        [d, a, b, c] => [d, a, b, c],
        [d, c] if is_wmma => [d, half, half, c],
        _ => return Ok(None),
    };
    let (Some([m, n, k]), [d, a, b, c]) = (shape(instruction), &instruction.operands[..]) else { return Ok(None) };
    // The oldest `mma`, m8n8k4 of halves, multiplies four matrices at once. Sparse ones have a further operand.
    if !is_wmma && ([m, n, k] == [8, 8, 4] && of_a == half || n != 8) {
        return Ok(None);
    }
    let layouts = if is_wmma { [Layout::Rows; 3] } else { [Layout::A, Layout::B, Layout::C] };
    let bits = match of_a {
        Element::Integer { bits: 1, .. } if has(instruction, "xor") => Some(BitProduct::Xor),
        Element::Integer { bits: 1, .. } if has(instruction, "and") => Some(BitProduct::And),
        Element::Integer { bits: 1, .. } => return Ok(None),
        _ => None,
    };
    Ok(Some(Matrix::Multiply {
        a: fragment(builder, a, (m, k), of_a, layouts[0], false)?,
        b: fragment(builder, b, (k, n), of_b, layouts[1], false)?,
        c: fragment(builder, c, (m, n), of_c, layouts[2], false)?,
        d: fragment(builder, d, (m, n), of_d, layouts[2], true)?,
        saturates: has(instruction, "satfinite"),
        bits,
    }))
}

/// The rows and columns of the matrix that `wmma.load.a` or its kin name.
fn size(instruction: &Instruction) -> Option<(usize, usize)> {
    let [m, n, k] = shape(instruction)?;
    match instruction.words.get(2)?.as_str() {
        "a" => Some((m, k)),
        "b" => Some((k, n)),
        _ => Some((m, n)),
    }
}

/// The distance of rows, or of columns, in elements.
fn stride(
    builder: &mut Builder<'_>,
    operand: Option<&Operand>,
    (rows, columns): (usize, usize),
    by_columns: bool,
) -> Result<Source, String> {
    match operand {
        Some(stride) => builder.source(stride, WORD),
        None => Ok(builder.constant(if by_columns { rows } else { columns } as u64)),
    }
}

fn load(builder: &mut Builder<'_>, instruction: &Instruction) -> Result<Option<Matrix>, String> {
    let (Some(size), [element]) = (size(instruction), &types(instruction)[..]) else { return Ok(None) };
    let [d, address, rest @ ..] = &instruction.operands[..] else { return Ok(None) };
    let by_columns = has(instruction, "col");
    Ok(Some(Matrix::Load {
        d: fragment(builder, d, size, *element, Layout::Rows, true)?,
        space: space_of(instruction),
        address: builder.address(address)?,
        stride: stride(builder, rest.first(), size, by_columns)?,
        by_columns,
    }))
}

fn store(builder: &mut Builder<'_>, instruction: &Instruction) -> Result<Option<Matrix>, String> {
    let (Some(size), [element]) = (size(instruction), &types(instruction)[..]) else { return Ok(None) };
    let [address, a, rest @ ..] = &instruction.operands[..] else { return Ok(None) };
    let by_columns = has(instruction, "col");
    Ok(Some(Matrix::Store {
        a: fragment(builder, a, size, *element, Layout::Rows, false)?,
        space: space_of(instruction),
        address: builder.address(address)?,
        stride: stride(builder, rest.first(), size, by_columns)?,
        by_columns,
    }))
}

fn rows(builder: &mut Builder<'_>, instruction: &Instruction) -> Result<Option<Matrix>, String> {
    if !has(instruction, "m8n8") || !has(instruction, "b16") {
        return Ok(None);
    }
    let (space, transposes) = (space_of(instruction), has(instruction, "trans"));
    let [first, second] = super::operands::<2>(instruction)?;
    if instruction.words[0] == "stmatrix" {
        let address = builder.address(first)?;
        let a = elements(second).iter().map(|one| builder.source(one, WORD)).collect::<Result<_, _>>()?;
        return Ok(Some(Matrix::StoreRows { a, space, address, transposes }));
    }
    let address = builder.address(second)?;
    let register = |one: &Operand| builder.destination(one).map(|(register, _)| register);
    let d = elements(first).iter().map(register).collect::<Result<_, _>>()?;
    Ok(Some(Matrix::LoadRows { d, space, address, transposes }))
}

fn transpose(builder: &mut Builder<'_>, instruction: &Instruction) -> Result<Option<Matrix>, String> {
    let [d, a] = super::operands::<2>(instruction)?;
    let a = builder.source(a, WORD)?;
    Ok(Some(Matrix::Transpose { d: builder.destination(d)?.0, a }))
}
