//! Runs every example and looks at its output: `cargo offloadc build --workspace && cargo offloadc test --test run`.
//! On the device that `OFFLOADRT_DEVICE` names; each program checks its numbers itself, and the pictures are read here.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

/// Runs a program that lies beside the others; returns its output after its name.
fn run(name: &str, words: &[&Path]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_saxpy")).with_file_name(name);
    let ran = Command::new(&program).args(words).output().unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{name}: {}\n{said}{}", ran.status, String::from_utf8_lossy(&ran.stderr));
    let rest = said.strip_prefix(&format!("{name}: ")).unwrap_or_else(|| panic!("{name} said {said}"));
    let device = std::env::var("OFFLOADRT_DEVICE").unwrap_or("cpu".into());
    let driver = device.split(':').next().unwrap_or_default();
    assert!(rest.lines().next().is_some_and(|line| line.contains(&format!(" on {driver}"))), "{name}: {rest}");
    rest.to_owned()
}

/// Where a picture goes: into the folder that `PICTURES` names, or cargo's for tests.
fn picture(name: &str) -> PathBuf {
    let folder = std::env::var_os("PICTURES").unwrap_or(env!("CARGO_TARGET_TMPDIR").into());
    Path::new(&folder).join(name)
}

fn read_png(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    (frame.width, frame.height, bytes.as_chunks().0.to_vec())
}

#[test]
fn numbers_are_right() {
    for name in ["saxpy", "matmul", "reduction", "histogram", "deck"] {
        run(name, &[]);
    }
}

#[test]
fn what_the_search_finds_begins_with_zeros() {
    let said = run("search", &[]);
    let number = said.split(' ').find_map(|word| word.parse::<u64>().ok()).unwrap() - 1;
    let digest = Sha256::digest([&b"ordinary Rust, a"[..], &number.to_le_bytes()].concat());
    assert_eq!((digest[0], digest[1], digest[2] >> 4), (0, 0, 0), "{said}");
}

#[test]
fn mandelbrot_has_many_colours_and_a_black_inside() {
    let path = picture("mandelbrot.png");
    run("mandelbrot", &[&path]);
    let (width, height, pixels) = read_png(&path);
    assert_eq!((width, height, pixels.len()), (1200, 800, 1200 * 800));
    assert!(pixels.iter().collect::<HashSet<_>>().len() > 20_000);
    let black = pixels.iter().filter(|pixel| **pixel == [0; 3]).count();
    assert!((1000..50_000).contains(&black), "{black}");
}

#[test]
fn nbody_shows_both_galaxies_on_black() {
    let path = picture("nbody.png");
    run("nbody", &[&path]);
    let (width, height, pixels) = read_png(&path);
    assert_eq!((width, height, pixels.len()), (1200, 800, 1200 * 800));
    let of = |is: fn(&[u8; 3]) -> bool| pixels.iter().filter(|pixel| is(pixel)).count();
    let (warm, cold, black) = (of(|[r, _, b]| r > b), of(|[r, _, b]| b > r), of(|p| *p == [0; 3]));
    assert!(warm > 10_000 && cold > 10_000 && black > 200_000, "{warm} {cold} {black}");
}

/// Frames of the animation follow from the one before by Conway's rule; every tenth is looked at.
#[test]
fn life_follows_its_rule() {
    let path = picture("life.gif");
    run("life", &[&path]);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(std::io::BufReader::new(std::fs::File::open(&path).unwrap())).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut frames: Vec<Vec<bool>> = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames.push(frame.buffer.iter().map(|cell| *cell == 255).collect());
    }
    assert_eq!(frames.len(), 300);
    assert_eq!(frames[0].iter().filter(|alive| **alive).count(), 21, "three acorns of seven cells");
    for (turn, pair) in frames.windows(2).enumerate().step_by(10) {
        for (place, now) in pair[1].iter().enumerate() {
            let (x, y) = (place % width + width, place / width + height);
            let rows = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| y % height * width + x % width));
            let around = rows.filter(|other| *other != place && pair[0][*other]).count();
            let rule = around == 3 || (around == 2 && pair[0][place]);
            assert_eq!(*now, rule, "frame {turn} at {} {}", x - width, y - height);
        }
    }
}
