//! Functions of `std` whose results, errors and texts are those of the host. The host calls them too, in another
//! folder.

use std::fmt::{Debug, Display, Write as _};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use offload::{Device, DisjointChunks, Grid, kernel, prelude::*, thread};

/// The most bytes of a report.
const REPORT: usize = 8192;

fn note<T: Debug, E: Display>(report: &mut String, name: &str, result: Result<T, E>) {
    let _ = match result {
        Ok(value) => writeln!(report, "{name}: {value:?}"),
        Err(error) => writeln!(report, "{name}: error: {error}"),
    };
}

fn note_error(report: &mut String, name: &str, result: io::Result<()>) {
    let kind = result.as_ref().err().map(io::Error::kind);
    note(report, name, result);
    let _ = writeln!(report, "{name}: {}", kind == Some(io::ErrorKind::NotFound));
}

fn folders(folder: &str, report: &mut String) {
    note(report, "create", fs::create_dir(format!("{folder}/a")));
    note_error(report, "again", fs::create_dir(format!("{folder}/a")));
    note_error(report, "too deep", fs::create_dir(format!("{folder}/b/c")));
    note(report, "all", fs::create_dir_all(format!("{folder}/b/c")));
    note(report, "rename", fs::rename(format!("{folder}/b/c"), format!("{folder}/c")));
    note_error(report, "rename none", fs::rename(format!("{folder}/none"), format!("{folder}/c")));
    let there = [Path::new(&format!("{folder}/b")).is_dir(), Path::new(&format!("{folder}/b/c")).exists()];
    note(report, "there", fs::exists(format!("{folder}/c")).map(|c| (there, c)));
    note(
        report,
        "not empty",
        fs::write(format!("{folder}/a/f"), "f").and_then(|()| fs::remove_dir(format!("{folder}/a"))),
    );
    note(report, "remove", fs::remove_dir(format!("{folder}/c")));
    note(report, "remove all", fs::remove_dir_all(format!("{folder}/b")));
    note_error(report, "remove none", fs::remove_file(format!("{folder}/none")));
    note_error(report, "zero", fs::remove_file("a\0b"));
    note(report, "long", fs::rename("x".repeat(500), "y".repeat(500)));
    note(report, "copy", fs::copy(format!("{folder}/a/f"), format!("{folder}/g")));
    note(report, "copy of a folder", fs::copy(format!("{folder}/a"), format!("{folder}/h")));
    let plain = fs::canonicalize(format!("{folder}/a/../g")).map(|path| path.ends_with("g"));
    note(report, "canonicalize", plain);
    note(report, "remove file", fs::remove_file(format!("{folder}/a/f")));
}

fn files(folder: &str, report: &mut String) -> io::Result<()> {
    let path = format!("{folder}/file");
    let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
    file.write_all(b"0123456789")?;
    note(report, "end", file.seek(SeekFrom::End(-3)));
    note(report, "before", file.seek(SeekFrom::Current(-100)));
    let mut two = [0; 2];
    file.read_exact(&mut two)?;
    note(report, "position", file.stream_position().map(|at| (at, two)));
    file.set_len(4)?;
    file.rewind()?;
    file.sync_all()?;
    file.sync_data()?;
    let mut clone = file.try_clone()?;
    let mut text = String::new();
    clone.read_to_string(&mut text)?;
    let there = file.metadata()?;
    note(report, "text", Ok::<_, io::Error>((text, there.len(), there.is_file(), there.is_dir())));
    let named = fs::metadata(&path)?;
    let same =
        named.modified()? == there.modified()? && named.permissions().readonly() == there.permissions().readonly();
    note(report, "same", Ok::<_, io::Error>((same, fs::symlink_metadata(&path)?.file_type().is_symlink())));
    note(report, "metadata", fs::metadata(format!("{folder}/none")).map(|there| there.len()));
    note(report, "exact", file.read_exact(&mut two));
    note(report, "options", File::options().open(&path).map(drop));
    fs::write(&path, [b'a', 0xff])?;
    note(report, "UTF-8", fs::read_to_string(&path));
    let mut buffered = BufWriter::new(File::create(&path)?);
    for i in 0..200 {
        write!(buffered, "{i},")?;
    }
    buffered.flush()?;
    note(report, "buffered", fs::read_to_string(&path));
    Ok(())
}

/// Calls the functions in a separate folder, and writes the values that they return.
fn report(folder: &str) -> String {
    let mut report = String::new();
    folders(folder, &mut report);
    let done = files(folder, &mut report);
    note(&mut report, "files", done);
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    note(&mut report, "arguments", Ok::<_, io::Error>(arguments));
    let folders = (std::env::current_dir().ok(), std::env::temp_dir(), std::env::current_exe().ok());
    note(&mut report, "process", Ok::<_, io::Error>((std::process::id(), folders)));
    report
}

fn read_input() -> io::Result<bool> {
    let (mut line, mut long) = (String::new(), String::new());
    let counts = (io::stdin().read_line(&mut line)?, io::stdin().read_line(&mut long)?);
    let mut two = [0; 2];
    let some = io::stdin().read(&mut two)?;
    let rest = io::read_to_string(io::stdin())?;
    let is_long = long.len() == 1301 && long.bytes().all(|byte| byte == b'l' || byte == b'\n');
    let is_right = line == "a line\n" && counts == (7, 1301) && &two[..some] == b"re" && rest == "st\nwithout an end";
    Ok(is_right && is_long && io::stdin().read_line(&mut line)? == 0)
}

/// Writes to the streams, reads the input, and writes a report.
#[kernel]
fn use_more_of_the_host(mut bytes: DisjointChunks<u8, REPORT>) {
    let Some(bytes) = bytes.get_mut(thread::index_1d()) else { return };
    let folder = std::env::var("DEVICE_STD_FOLDER").unwrap_or_default() + "/device";
    let mut text = report(&folder);
    note(&mut text, "input", read_input());
    let written = writeln!(io::stdout(), "stdout has {}", 1).and_then(|()| io::stdout().write_all(b"and bytes\n"));
    note(&mut text, "stdout", written.and_then(|()| io::stdout().flush()));
    note(&mut text, "stderr", writeln!(io::stderr(), "stderr has {}", 2));
    for (to, from) in bytes.iter_mut().zip(text.bytes()) {
        *to = from;
    }
}

/// The report of a kernel must be that of the host.
pub fn check(device: &Device) -> offload::Result<()> {
    let folder = std::env::var("DEVICE_STD_FOLDER").expect("the test names a folder");
    for side in ["device", "host"] {
        fs::create_dir(format!("{folder}/{side}")).expect("the folder is empty");
    }
    let mut bytes = vec![0; REPORT];
    let grid = Grid::for_len(1, 32).with_heap_bytes(1 << 21);
    use_more_of_the_host.launch(&device.default_stream(), grid, (&mut bytes[..],))?;
    let of_device = String::from_utf8_lossy(&bytes);
    let expected = report(&format!("{folder}/host"));
    let rest = "input: true\nstdout: ()\nstderr: ()\n";
    assert_eq!(of_device.trim_end_matches('\0'), expected + rest);
    Ok(())
}
