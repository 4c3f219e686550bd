//! DPP: a source that is another lane's (RDNA3 ISA, "Data Parallel Processing"; CDNA2 ISA, the same).

use crate::registers::Row;
use crate::text::Text;

/// Where a lane's source comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Control {
    /// A lane of the same four.
    Quad([u8; 4]),
    /// A lane of the same eight.
    Eight([u8; 8]),
    RowShiftLeft(usize),
    RowShiftRight(usize),
    RowRotateRight(usize),
    RowMirror,
    RowHalfMirror,
    /// One lane of the row for the whole row.
    RowShare(usize),
    RowXor(usize),
    /// The last lane of each row for the next row.
    RowBroadcast15,
    /// Lane 31 for the second half.
    RowBroadcast31,
    WaveShiftLeft,
    WaveShiftRight,
    WaveRotateLeft,
    WaveRotateRight,
}

/// The modifiers of DPP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dpp {
    control: Control,
    row_mask: u64,
    bank_mask: u64,
    /// A lane that does not exist gives 0 instead of leaving the result alone.
    bound_control: bool,
    /// Inactive lanes are read too.
    fetches_inactive: bool,
}

impl Dpp {
    /// Reads `quad_perm` and its like; none where the instruction has none.
    pub(crate) fn parse(text: &Text<'_>) -> Option<Dpp> {
        let number = |name| text.number(name).map(|value| value as usize);
        let control = None
            .or_else(|| text.list("quad_perm").and_then(lanes).map(Control::Quad))
            .or_else(|| text.list("dpp8").and_then(lanes).map(Control::Eight))
            .or_else(|| number("row_shl").map(Control::RowShiftLeft))
            .or_else(|| number("row_shr").map(Control::RowShiftRight))
            .or_else(|| number("row_ror").map(Control::RowRotateRight))
            .or_else(|| number("row_share").or_else(|| number("row_newbcast")).map(Control::RowShare))
            .or_else(|| number("row_xmask").map(Control::RowXor))
            .or_else(|| {
                number("row_bcast")
                    .map(|lane| if lane == 15 { Control::RowBroadcast15 } else { Control::RowBroadcast31 })
            })
            .or_else(|| text.modifier("row_mirror").map(|_| Control::RowMirror))
            .or_else(|| text.modifier("row_half_mirror").map(|_| Control::RowHalfMirror))
            .or_else(|| text.modifier("wave_shl").map(|_| Control::WaveShiftLeft))
            .or_else(|| text.modifier("wave_shr").map(|_| Control::WaveShiftRight))
            .or_else(|| text.modifier("wave_rol").map(|_| Control::WaveRotateLeft))
            .or_else(|| text.modifier("wave_ror").map(|_| Control::WaveRotateRight))?;
        let mask = |name| text.number(name).map_or(0xf, |value| value as u64);
        let is_set = |name| text.number(name).is_some_and(|value| value != 0);
        // LLVM prints `bound_ctrl:0` for the set bit of GCN, and `bound_ctrl:1` for that of RDNA.
        let bound_control = text.modifier("bound_ctrl").is_some();
        Some(Dpp {
            control,
            row_mask: mask("row_mask"),
            bank_mask: mask("bank_mask"),
            bound_control,
            fetches_inactive: is_set("fi"),
        })
    }

    /// Whether lanes outside of the permutation give zero.
    fn is_eight(&self) -> bool {
        matches!(self.control, Control::Eight(_))
    }

    /// Moves a source between lanes; gives the lanes whose result is written.
    pub(crate) fn permute(&self, row: &mut Row, exec: u64, lanes: usize) -> u64 {
        let before = row.clone();
        let mut written = exec;
        for lane in 0..lanes {
            let from = self.source(lane, lanes).filter(|from| self.fetches_inactive || exec >> from & 1 != 0);
            match from {
                Some(from) => row.set(lane, before.lane(from)),
                None if self.bound_control || self.is_eight() => row.set(lane, crate::registers::Bits::defined(0)),
                None => written &= !(1 << lane),
            }
            let masked = self.row_mask >> (lane / 16) & 1 == 0 || self.bank_mask >> (lane % 16 / 4) & 1 == 0;
            if masked {
                written &= !(1 << lane);
            }
        }
        written
    }

    fn source(&self, lane: usize, lanes: usize) -> Option<usize> {
        let (row, place) = (lane & !15, lane & 15);
        let inside = |place: usize| (place < 16).then_some(row + place);
        match self.control {
            Control::Quad(lanes) => Some(lane & !3 | usize::from(lanes[lane & 3])),
            Control::Eight(lanes) => Some(lane & !7 | usize::from(lanes[lane & 7])),
            Control::RowShiftLeft(by) => inside(place + by),
            Control::RowShiftRight(by) => place.checked_sub(by).and_then(inside),
            Control::RowRotateRight(by) => inside((place + 16 - by) & 15),
            Control::RowMirror => inside(15 - place),
            Control::RowHalfMirror => inside(place ^ 7),
            Control::RowShare(from) => inside(from),
            Control::RowXor(by) => inside(place ^ by),
            Control::RowBroadcast15 => row.checked_sub(1),
            Control::RowBroadcast31 => (lane >= 32).then_some(31),
            Control::WaveShiftLeft => Some(lane + 1).filter(|lane| *lane < lanes),
            Control::WaveShiftRight => lane.checked_sub(1),
            Control::WaveRotateLeft => Some((lane + 1) % lanes),
            Control::WaveRotateRight => Some((lane + lanes - 1) % lanes),
        }
    }
}

fn lanes<const N: usize>(list: Vec<i64>) -> Option<[u8; N]> {
    let list: Vec<u8> = list.into_iter().map(|lane| (lane as usize % N) as u8).collect();
    list.try_into().ok()
}
