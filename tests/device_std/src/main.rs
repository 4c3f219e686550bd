//! Kernels that print, ask for the time and for variables of the environment, and use files.

#[cfg(feature = "paths")]
mod paths;
#[cfg(feature = "refused")]
mod refused;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::time::{Instant, SystemTime};

use offload::{Device, DisjointSlice, Error, Grid, kernel, prelude::*, thread};

/// The findings of a thread.
const TIME_GOES_ON: u32 = 1;
const VARIABLES_ARE_THERE: u32 = 2;
const FILES_ARE_RIGHT: u32 = 4;
const ERRORS_ARE_RIGHT: u32 = 8;
const ALL: u32 = 15;

fn time_goes_on() -> bool {
    let begin = Instant::now();
    let (elapsed, later) = (begin.elapsed(), Instant::now());
    let years = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs() / 31_556_952);
    let same = begin + (later - begin) == later && later.duration_since(begin) >= elapsed;
    later >= begin && same && (50..200).contains(&years)
}

/// The second one is longer than one piece of the data that a kernel gets from the host at once.
fn variables_are_there() -> bool {
    let long = std::env::var("DEVICE_STD_LONG").unwrap_or_default();
    let is_right = long.len() == 1100 && long.bytes().enumerate().all(|(i, byte)| byte == b'a' + (i % 26) as u8);
    is_right && std::env::var("DEVICE_STD_NONE").is_err() && std::env::var_os("DEVICE_STD_FOLDER").is_some()
}

/// Writes a file, continues it, and reads it in three ways.
fn files_are_right(number: usize) -> io::Result<bool> {
    let folder = std::env::var("DEVICE_STD_FOLDER").unwrap_or_default();
    let path = format!("{folder}/{number}.txt");
    let mut expected = "a line of the file\n".repeat(100);
    std::fs::write(&path, &expected)?;
    let mut file = OpenOptions::new().append(true).open(&path)?;
    writeln!(file, "more of {number}")?;
    drop(file);
    expected.push_str(&format!("more of {number}\n"));
    let mut text = String::new();
    let count = File::open(&path)?.read_to_string(&mut text)?;
    let mut first = [0; 6];
    let some = File::open(&path)?.read(&mut first)?;
    let same = text == expected && std::fs::read_to_string(&path)? == expected;
    Ok(same && std::fs::read(&path)? == expected.as_bytes() && count == expected.len() && &first[..some] == b"a line")
}

/// The numbers of Linux for a file that is not there, and for a folder.
fn errors_are_right() -> bool {
    let missing = std::fs::read("/no folder/has this").err().and_then(|error| error.raw_os_error());
    let folder = File::create("/").err().and_then(|error| error.raw_os_error());
    missing == Some(2) && folder == Some(21)
}

#[kernel]
fn use_the_host(mut found: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(found) = found.get_mut(i) {
        let number = i.get();
        println!("thread {number:>2} of {:?}, {}", Some("a kernel"), "~".repeat(600));
        if number == 1 {
            eprintln!("an error of thread {number}");
        }
        *found |= if time_goes_on() { TIME_GOES_ON } else { 0 };
        *found |= if variables_are_there() { VARIABLES_ARE_THERE } else { 0 };
        *found |= if files_are_right(number).unwrap_or(false) { FILES_ARE_RIGHT } else { 0 };
        *found |= if errors_are_right() { ERRORS_ARE_RIGHT } else { 0 };
    }
}

/// A value that cannot be printed.
struct Mute;

impl std::fmt::Display for Mute {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Err(std::fmt::Error)
    }
}

#[kernel]
fn print_nothing() {
    println!("{Mute}");
}

fn main() -> offload::Result<()> {
    let device = Device::new()?;
    let stream = device.default_stream();
    let mute = print_nothing.launch(&stream, Grid::for_len(1, 1), ()).and_then(|()| stream.synchronize());
    let Err(Error::Panicked(text)) = mute else { panic!("{mute:?}") };
    assert!(text.contains("a formatting trait implementation returned an error"), "{text}");
    let mut found = [0; 3];
    let grid = Grid::for_len(3, 32).with_heap_bytes(1 << 21);
    use_the_host.launch(&device.default_stream(), grid, (&mut found[..],))?;
    assert_eq!(found, [ALL; 3]);
    #[cfg(feature = "paths")]
    paths::check(&device)?;
    #[cfg(feature = "refused")]
    refused::launch(&device)?;
    println!("all threads of {} have used the host", device.name());
    Ok(())
}
