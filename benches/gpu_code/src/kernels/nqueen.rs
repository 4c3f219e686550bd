//! Queens on a board: each thread counts the solutions that begin with its rows. A row is a set of columns as bits.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

use crate::numbers::unequal;
use crate::run::Run;
use crate::twins::Argument;

const MOST: usize = 16;

#[kernel]
fn nqueen(size: u32, left_rows: u32, columns: &[u32], ups: &[u32], downs: &[u32], mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    let Some(out) = out.get_mut(i) else { return };
    let all = (1 << size) - 1;
    let (mut column, mut up, mut down, mut free) = ([0u32; MOST], [0u32; MOST], [0u32; MOST], [0u32; MOST]);
    (column[0], up[0], down[0]) = (columns[i.get()], ups[i.get()], downs[i.get()]);
    free[0] = all & !(column[0] | up[0] | down[0]);
    let (mut row, mut solutions) = (0i32, 0);
    while row >= 0 {
        let here = row as usize % MOST;
        let places = free[here];
        if places == 0 {
            row -= 1;
            continue;
        }
        let place = places & places.wrapping_neg();
        free[here] = places ^ place;
        if row + 1 == left_rows as i32 {
            solutions += 1;
            continue;
        }
        row += 1;
        let next = row as usize % MOST;
        column[next] = column[here] | place;
        up[next] = (up[here] | place) << 1;
        down[next] = (down[here] | place) >> 1;
        free[next] = all & !(column[next] | up[next] | down[next]);
    }
    *out = solutions;
}

/// The solutions of the rest of a board.
fn solutions(all: u32, rows: u32, column: u32, up: u32, down: u32) -> u32 {
    if rows == 0 {
        return 1;
    }
    let free = (0..32).map(|bit| 1 << bit).filter(|place| all & !(column | up | down) & place != 0);
    free.map(|place| solutions(all, rows - 1, column | place, (up | place) << 1, (down | place) >> 1)).sum()
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let (size, copies) = run.size((9, 1), (11, 1024));
    let columns = (0..size).map(|column| 1 << column).collect::<Vec<u32>>().repeat(copies);
    let [ups, downs] =
        [1, -1].map(|by| columns.iter().map(|c| if by > 0 { c << 1 } else { c >> 1 }).collect::<Vec<_>>());
    let [c, u, d] = [&columns, &ups, &downs].map(|rows| DeviceBuffer::from_host(run.stream(), rows));
    let mut out = DeviceBuffer::<u32>::zeroed(run.stream(), columns.len())?;
    let (c, u, d) = (c?, u?, d?);
    let grid = Grid::for_len(columns.len(), 32);
    let arguments = &[size.bits(), (size - 1).bits(), columns.len().bits(), c.bits(), u.bits(), d.bits(), out.bits()];
    if !run.launch(grid, arguments, || nqueen.launch(run.stream(), grid, (size, size - 1, &c, &u, &d, &mut out)))? {
        return Ok((0.0, 0.0));
    }
    let of = |i: usize| solutions((1 << size) - 1, size - 1, columns[i], ups[i], downs[i]);
    let wanted: Vec<u32> = (0..columns.len()).map(of).collect();
    Ok((unequal(&out.to_host_vec(run.stream())?, &wanted), 0.0))
}
