//! The tables of a profile.

use std::collections::HashMap;
use std::path::Path;

use super::profile_counts::{Counted, Line, Profile, Times};

/// The contents of the tables.
pub(super) struct Shown {
    /// The lines of each kernel.
    pub(super) top: usize,
    /// Whether GPUs are emulated. Their times mean nothing.
    pub(super) is_emulated: bool,
    /// Whether lines were counted.
    pub(super) has_lines: bool,
}

/// The text of all tables.
pub(super) fn render(profile: &Profile, shown: &Shown) -> String {
    let mut tables = vec![kernels(profile, shown), copies(profile, shown)];
    let mut counted: Vec<_> = profile.counted.iter().collect();
    counted.sort_by_key(|((device, _), all)| (device, std::cmp::Reverse(all.total().instructions)));
    let mut sources = Sources::default();
    tables.extend(counted.iter().map(|((device, _), all)| lines(device, all, shown, &mut sources)));
    let text: Vec<_> = tables.into_iter().filter(|table| !table.is_empty()).collect();
    match text.is_empty() {
        true => "the program has launched no kernel\n".to_owned(),
        false => text.join("\n"),
    }
}

/// The spans of devices whose times mean something, the longest ones first.
fn timed<'p>(all: &'p std::collections::BTreeMap<(String, String), Times>, shown: &Shown) -> Vec<(&'p str, &'p Times)> {
    let is_measured = |device: &str| !shown.is_emulated || !is_gpu(device);
    let measured = all.iter().filter(|((device, _), _)| is_measured(device));
    let mut spans: Vec<_> = measured.map(|((device, _), times)| (&device[..], times)).collect();
    spans.sort_by(|(_, one), (_, other)| other.total.total_cmp(&one.total));
    spans
}

/// Whether a device may be an emulated one.
fn is_gpu(device: &str) -> bool {
    device != "cpu" && !device.starts_with("opencl")
}

fn kernels(profile: &Profile, shown: &Shown) -> String {
    let spans = timed(&profile.kernels, shown);
    let all: f64 = spans.iter().map(|(_, times)| times.total).sum();
    let mut table =
        Table::new(&[">share", ">total", ">launches", ">mean", ">shortest", ">longest", "device", "kernel"]);
    for (device, times) in &spans {
        let mean = times.total / times.count as f64;
        let own = [times.total, mean, times.shortest, times.longest].map(time);
        let [total, mean, shortest, longest] = own;
        let count = times.count.to_string();
        table.add(vec![
            percent(times.total, all),
            total,
            count,
            mean,
            shortest,
            longest,
            (*device).into(),
            times.name.clone(),
        ]);
    }
    let mut text = table.text();
    if shown.has_lines && spans.iter().any(|(device, _)| *device == "cpu") {
        text += "times on the cpu are those of code that counts its lines; `--no-lines` measures it without\n";
    }
    text
}

fn copies(profile: &Profile, shown: &Shown) -> String {
    let mut table = Table::new(&[">bytes", ">total", ">count", ">rate", "device", "copy"]);
    for (device, times) in timed(&profile.copies, shown) {
        let rate = if times.total > 0.0 { size(times.bytes as f64 / times.total * 1e6) + "/s" } else { String::new() };
        let count = times.count.to_string();
        table.add(vec![size(times.bytes as f64), time(times.total), count, rate, device.into(), times.name.clone()]);
    }
    table.text()
}

/// The lines of a kernel that execute the most instructions.
fn lines(device: &str, counted: &Counted, shown: &Shown, sources: &mut Sources) -> String {
    let total = counted.total();
    let is_gpu = counted.warps != 0;
    let has_conflicts = total.conflicts != 0;
    let mut names = vec![">share", ">instructions"];
    names.extend(if is_gpu {
        &[">lanes", ">bytes", ">transactions", ">per access"][..]
    } else {
        &[">accesses", ">bytes"]
    });
    names.extend(has_conflicts.then_some(">conflicts"));
    names.extend(["line", "source"]);
    let mut table = Table::new(&names);
    let mut hottest: Vec<_> = counted.lines.iter().collect();
    hottest.sort_by_key(|(place, line)| (std::cmp::Reverse(line.instructions), *place));
    for ((file, number), line) in hottest.iter().take(shown.top) {
        let Line { instructions, lanes, accesses, bytes, transactions, conflicts } = line;
        let mut row = vec![percent(*instructions as f64, total.instructions as f64), instructions.to_string()];
        if is_gpu {
            row.extend([ratio(*lanes, *instructions), bytes.to_string(), transactions.to_string()]);
            row.push(ratio(*transactions, *accesses));
        } else {
            row.extend([accesses.to_string(), bytes.to_string()]);
        }
        row.extend(has_conflicts.then(|| conflicts.to_string()));
        match file.is_empty() {
            true => row.extend(["-".to_owned(), "(code without a line)".to_owned()]),
            false => row.extend([format!("{}:{number}", near(file)), sources.line(file, *number)]),
        }
        table.add(row);
    }
    let kind = if counted.is_kernel { "kernel" } else { "function" };
    let warps = match is_gpu {
        true => format!(", {} of {}", plural(counted.warps, "warp"), plural(counted.launches, "launch")),
        false => String::new(),
    };
    let count = plural(total.instructions, "instruction");
    let left = hottest.len().saturating_sub(shown.top);
    let more = if left == 0 {
        String::new()
    } else {
        format!("and {}; `--top` shows more\n", plural(left as u64, "other line"))
    };
    format!("{kind} `{}` on {device}: {count}{warps}\n{}{more}", counted.name, table.text())
}

fn plural(count: u64, word: &str) -> String {
    match (count, word.ends_with('h')) {
        (1, _) => format!("1 {word}"),
        (_, true) => format!("{count} {word}es"),
        (_, false) => format!("{count} {word}s"),
    }
}

/// A path relative to the current folder, if it is in there.
fn near(file: &str) -> String {
    let folder = std::env::current_dir().unwrap_or_default();
    Path::new(file).strip_prefix(&folder).map_or(file.to_owned(), |path| path.display().to_string())
}

/// The lines of source files, as far as they can be read.
#[derive(Default)]
struct Sources(HashMap<String, Vec<String>>);

impl Sources {
    fn line(&mut self, file: &str, number: u64) -> String {
        let read =
            || std::fs::read_to_string(file).unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect();
        let lines = self.0.entry(file.to_owned()).or_insert_with(read);
        let at = usize::try_from(number).unwrap_or(0).checked_sub(1);
        at.and_then(|at| lines.get(at)).cloned().unwrap_or_default()
    }
}

fn percent(part: f64, all: f64) -> String {
    if all > 0.0 { format!("{:.1}%", 100.0 * part / all) } else { String::new() }
}

/// A quotient, or nothing where there is nothing to divide by.
fn ratio(part: u64, of: u64) -> String {
    if of == 0 { "-".to_owned() } else { format!("{:.1}", part as f64 / of as f64) }
}

/// A time of microseconds.
fn time(us: f64) -> String {
    match us {
        us if us < 1e3 => format!("{us:.1} us"),
        us if us < 1e6 => format!("{:.2} ms", us / 1e3),
        us => format!("{:.2} s", us / 1e6),
    }
}

fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e3 => format!("{bytes:.0} B"),
        bytes if bytes < 1e6 => format!("{:.1} kB", bytes / 1e3),
        bytes if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.2} GB", bytes / 1e9),
    }
}

/// A table whose columns are as wide as they must be. `>` before the name of a column aligns it at the right.
struct Table<'n> {
    names: &'n [&'n str],
    rows: Vec<Vec<String>>,
}

impl<'n> Table<'n> {
    fn new(names: &'n [&'n str]) -> Self {
        Self { names, rows: Vec::new() }
    }

    fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Nothing, if there are no rows.
    fn text(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let head = self.names.iter().map(|name| name.trim_start_matches('>').to_owned()).collect();
        let rows: Vec<&Vec<String>> = std::iter::once(&head).chain(&self.rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.names.len()).map(width).collect();
        let line = |row: &&Vec<String>| {
            let cells =
                row.iter().zip(self.names).zip(&widths).map(|((cell, name), width)| match name.starts_with('>') {
                    true => format!("{cell:>width$}"),
                    false => format!("{cell:<width$}"),
                });
            format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile_counts::tests::{COUNTS, TRACE};
    use super::*;

    fn text(top: usize, is_emulated: bool) -> String {
        let mut profile = Profile::default();
        profile.add_trace(TRACE);
        profile.add_counts(COUNTS).unwrap();
        render(&profile, &Shown { top, is_emulated, has_lines: true })
    }

    #[test]
    fn tables_have_kernels_copies_and_lines() {
        let expected = " share    total  launches      mean  shortest  longest  device  kernel
100.0%  1.50 ms         2  750.2 us  500.0 us  1.00 ms  cpu     saxpy
times on the cpu are those of code that counts its lines; `--no-lines` measures it without

 bytes   total  count       rate  device  copy
4.0 kB  2.0 us      1  2.00 GB/s  cpu     copy to device

kernel `app::saxpy` on cpu: 120 instructions
share  instructions  accesses  bytes  line             source
75.0%            90        20     80  /none/main.rs:8
25.0%            30         5     40  -                (code without a line)

function `app::part` on cpu: 7 instructions
 share  instructions  accesses  bytes  line             source
100.0%             7         0      0  /none/main.rs:3

kernel `app::saxpy` on cuda:0: 8 instructions, 4 warps of 2 launches
 share  instructions  lanes  bytes  transactions  per access  conflicts  line             source
100.0%             8   30.0    512            16         4.0          3  /none/main.rs:8
";
        assert_eq!(text(10, true), expected);
        assert!(text(1, true).contains("cpu: 120 instructions\nshare"));
        assert!(text(1, true).contains("\nand 1 other line; `--top` shows more\n"));
    }

    #[test]
    fn times_of_emulated_gpus_are_not_shown() {
        let mut profile = Profile::default();
        profile.add_trace(&TRACE.replace("\"cpu\"", "\"cuda:0\""));
        let shown = |is_emulated| render(&profile, &Shown { top: 1, is_emulated, has_lines: true });
        assert!(shown(false).starts_with(" share "));
        assert_eq!(shown(true), "the program has launched no kernel\n");
    }
}
