//! Matrices whose elements are in registers of all lanes of a warp.
//!
//! The layouts of `mma`, `ldmatrix` and `movmatrix` are those of the PTX ISA, "Matrix Fragments for mma". The layout of
//! `wmma` is not documented, so it is our own.

use super::operand::{Address, Source};
use crate::float::Format;
use crate::parser::Space;

/// The type of a matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Element {
    /// A float of at most 32 bits.
    Float(Format),
    /// A double.
    Double,
    /// An integer.
    Integer {
        /// Its bits.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
}

impl Element {
    /// The size in bits.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Element::Float(format) => 1 + format.exponent + format.fraction + format.unused,
            Element::Double => 64,
            Element::Integer { bits, .. } => bits,
        }
    }

    /// The number of elements in a register.
    pub(crate) fn per_register(self) -> usize {
        if self == Element::Double { 1 } else { (32 / self.bits()) as usize }
    }
}

/// Which element of a matrix is where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Of the first factor.
    A,
    /// Of the second factor, which has eight columns.
    B,
    /// Of the sum, which has eight columns.
    C,
    /// Of `wmma`: elements are in the order of the rows. If lanes have more elements than the matrix, they begin again.
    Rows,
}

/// A matrix in registers.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    /// The number of rows.
    pub(crate) rows: usize,
    /// The number of columns.
    pub(crate) columns: usize,
    /// The type of its elements.
    pub(crate) element: Element,
    /// Where its elements are.
    pub(crate) layout: Layout,
    /// The registers of a lane.
    pub(crate) registers: Vec<Source>,
}

impl Fragment {
    /// Whether the registers can have all elements.
    pub(crate) fn is_complete(&self) -> bool {
        let (elements, all) = (32 * self.per_lane(), self.rows * self.columns);
        if self.layout == Layout::Rows { elements >= all && elements.is_multiple_of(all) } else { elements == all }
    }

    /// The number of elements of a lane.
    pub(crate) fn per_lane(&self) -> usize {
        self.registers.len() * self.element.per_register()
    }

    /// The row and column of an element of a lane.
    pub(crate) fn position(&self, lane: usize, index: usize) -> (usize, usize) {
        let each = self.element.per_register();
        let (register, within) = (index / each, index % each);
        // "groupID" and "threadID_in_group".
        let (group, thread) = (lane / 4, lane % 4);
        match self.layout {
            Layout::A => {
                let tiles = self.rows / 8;
                (group + 8 * (register % tiles), thread * each + within + 4 * each * (register / tiles))
            }
            Layout::B => (thread * each + within + 4 * each * register, group),
            Layout::C => (group + 8 * (index / 2), 2 * thread + index % 2),
            Layout::Rows => {
                let at = (lane * self.per_lane() + index) % (self.rows * self.columns);
                (at / self.columns, at % self.columns)
            }
        }
    }
}

/// How two single bits are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitProduct {
    /// `xor`
    Xor,
    /// `and`
    And,
}

/// An operation on matrices, which all lanes of a warp execute together.
#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    /// d = a * b + c
    Multiply { d: Fragment, a: Fragment, b: Fragment, c: Fragment, saturates: bool, bits: Option<BitProduct> },
    /// `wmma.load`. Each lane has the address; the distance of rows, or of columns, is in elements.
    Load { d: Fragment, space: Space, address: Address, stride: Source, by_columns: bool },
    /// `wmma.store`
    Store { a: Fragment, space: Space, address: Address, stride: Source, by_columns: bool },
    /// `ldmatrix`: matrices of 8 rows with 16 bytes each. Lanes 0 to 7 have the addresses of the rows of the first one.
    LoadRows { d: Vec<Source>, space: Space, address: Address, transposes: bool },
    /// `stmatrix`
    StoreRows { a: Vec<Source>, space: Space, address: Address, transposes: bool },
    /// `movmatrix`
    Transpose { d: Source, a: Source },
}

impl Matrix {
    /// The registers that are read.
    pub(crate) fn reads(&self) -> Vec<Source> {
        match self {
            Matrix::Multiply { a, b, c, .. } => [&a.registers[..], &b.registers, &c.registers].concat(),
            Matrix::Load { address, stride, .. } => vec![address.base, *stride],
            Matrix::Store { a, address, stride, .. } => [&a.registers[..], &[address.base, *stride]].concat(),
            Matrix::LoadRows { address, .. } => vec![address.base],
            Matrix::StoreRows { a, address, .. } => [&a[..], &[address.base]].concat(),
            Matrix::Transpose { a, .. } => vec![*a],
        }
    }

    /// The registers that are written.
    pub(crate) fn writes(&self) -> &[Source] {
        match self {
            Matrix::Multiply { d, .. } | Matrix::Load { d, .. } => &d.registers,
            Matrix::LoadRows { d, .. } => d,
            Matrix::Transpose { d, .. } => std::slice::from_ref(d),
            Matrix::Store { .. } | Matrix::StoreRows { .. } => &[],
        }
    }
}
