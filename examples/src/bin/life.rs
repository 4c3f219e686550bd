//! Conway's game of life as an animated GIF: `life [FILE]`. A thread for each cell reads its neighbours in one buffer
//! and writes the next generation to another; dead cells fade away.

use std::{env, error::Error, fs::File, io::BufWriter, path::PathBuf};

use gif::{Encoder, Frame, Repeat};
use offload::{Device, DeviceBuffer, DisjointRows, Grid, kernel, prelude::*, thread};

/// A cell is a colour of the palette: this one lives, and the darker the others are the longer ago they died.
const ALIVE: u8 = 255;

#[kernel]
fn generation(cells: &[u8], mut next: DisjointRows<u8>) {
    let at = thread::index_2d();
    let (columns, rows) = (next.columns(), next.rows());
    let Some(cell) = next.get_mut(at) else { return };
    // The world has no edge: beyond the last column comes the first.
    let alive = |dx: usize, dy: usize| {
        let (x, y) = ((at.x() + columns + dx - 1) % columns, (at.y() + rows + dy - 1) % rows);
        u32::from(cells[y * columns + x] == ALIVE)
    };
    let around = (0..3).map(|dy| alive(0, dy) + alive(1, dy) + alive(2, dy)).sum::<u32>() - alive(1, 1);
    let before = cells[at.y() * columns + at.x()];
    *cell = match (before, around) {
        (ALIVE, 2 | 3) | (0..ALIVE, 3) => ALIVE,
        (ALIVE, _) => 160,
        _ => before.saturating_sub(before / 16 + 1),
    };
}

/// An acorn: seven cells that go on for more than five thousand generations.
const ACORN: [&str; 3] = [" o     ", "   o   ", "oo  ooo"];

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).map_or(env::current_exe()?.with_extension("gif"), PathBuf::from);
    let (width, height, generations) = (320, 200, 300);
    let mut start = vec![0; width * height];
    for (corner_x, corner_y) in [(70, 60), (240, 70), (150, 140)] {
        for (y, row) in ACORN.iter().enumerate() {
            for (x, _) in row.match_indices('o') {
                start[(corner_y + y) * width + corner_x + x] = ALIVE;
            }
        }
    }

    let device = Device::new()?;
    let stream = device.default_stream();
    let mut cells = DeviceBuffer::from_host(&stream, &start)?;
    let mut next = DeviceBuffer::<u8>::zeroed(&stream, start.len())?;

    // From black over blue to white.
    let palette: Vec<u8> = (0..=255u16)
        .flat_map(|i| [i * i / 255, (i * i / 255 + i) / 2, (i * 3 / 2).min(255)].map(|part| part as u8))
        .collect();
    let file = BufWriter::new(File::create(&path)?);
    let mut gif = Encoder::new(file, width as u16, height as u16, &palette)?;
    gif.set_repeat(Repeat::Infinite)?;
    for _ in 0..generations {
        let frame = cells.to_host_vec(&stream)?;
        gif.write_frame(&Frame { delay: 4, ..Frame::from_indexed_pixels(width as u16, height as u16, frame, None) })?;
        generation.launch(&stream, Grid::for_rows(width, height, (32, 8)), (&cells, next.rows(width)))?;
        (cells, next) = (next, cells);
    }
    println!("life: {generations} generations, {} on {}", path.display(), device.name());
    Ok(())
}
