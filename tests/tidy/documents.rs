//! Rules for links and examples in the documents.

use std::path::Path;

use crate::source::{Source, none, sources};

#[test]
fn links_in_the_documents_lead_somewhere() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["md"])) {
        let folder = harness::root().join(&source.name).parent().expect("a file has a folder").to_path_buf();
        for link in source.text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if !link.is_empty() && !link.contains("://") && !folder.join(link).exists() {
                faults.push(format!("{}: {link}", source.name));
            }
        }
    }
    none(faults, "these files do not exist; mend the links:");
}

/// The anchors of the headings in a Markdown file.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let plain = |heading: &str| {
        let title = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        title.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(plain).collect()
}

#[test]
fn links_lead_to_headings() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["md"])) {
        let folder = harness::root().join(&source.name).parent().expect("a file has a folder").to_path_buf();
        let links = source.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for (file, anchor) in links.filter(|link| !link.contains("://")).filter_map(|link| link.split_once('#')) {
            let own = Path::new(&source.name).file_name().expect("it is a file");
            let file = folder.join(if file.is_empty() { Path::new(own) } else { Path::new(file) });
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if !anchors(&text).iter().any(|heading| heading == anchor) {
                faults.push(format!("{}: {anchor}", source.name));
            }
        }
    }
    none(faults, "these files have no heading of that name; mend the links:");
}

/// The last column of docs/comparison.md names a test for each row.
#[test]
fn the_comparison_names_tests() {
    let page = harness::root().join("docs/comparison.md");
    let page = std::fs::read_to_string(page).expect("the page is here");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut faults = Vec::new();
    let mut count = 0;
    for row in rows {
        count += 1;
        let name = row.trim_end_matches(" |").rsplit("| ").next().unwrap_or_default().trim_matches('`');
        let tests = harness::root().join("tests");
        let (program, module) = name.split_once(' ').unwrap_or((name, ""));
        let places = match program {
            "toolchains" => vec![tests.join("toolchains.rs")],
            "golden" => vec![tests.join("golden").join(module)],
            _ => vec![tests.join(program).join(format!("{module}.rs"))],
        };
        if !places.iter().all(|place| place.exists()) {
            faults.push(format!("{name}: {row}"));
        }
    }
    assert!(count > 20, "{count} rows");
    none(faults, "these rows of docs/comparison.md name no test:");
}

/// Texts of messages as they are in the sources: lines of a literal that continue are one.
fn messages() -> String {
    let is_one = |source: &&Source| {
        let folders = ["src/", "rust/", "runtime-c/"];
        folders.iter().any(|folder| source.name.starts_with(folder)) && source.has_extension(&["rs", "c"])
    };
    let all: Vec<String> = sources().iter().filter(is_one).map(|source| source.text.replace("\\\n", "\n")).collect();
    let lines: Vec<String> = all.iter().flat_map(|text| text.lines()).map(|line| line.trim().to_owned()).collect();
    // The end of one literal of C, and the beginning of the next one.
    lines.join(" ").replace("\" \"", "").replace("\\\"", "\"").replace("  ", " ")
}

/// docs/troubleshooting.md is searched for the texts of messages, so they must be those of the program.
#[test]
fn messages_of_troubleshooting_exist() {
    let page = harness::root().join("docs/troubleshooting.md");
    let page = std::fs::read_to_string(page).expect("the page is here");
    let (all, mut count, mut faults) = (messages(), 0, Vec::new());
    for heading in page.lines().filter_map(|line| line.strip_prefix("### ")) {
        // Text in two backquotes contains one.
        let quoted: Vec<&str> = match heading.split_once("`` ") {
            Some((_, rest)) => vec![rest.trim_end_matches(" ``")],
            None => heading.split('`').skip(1).step_by(2).collect(),
        };
        for message in quoted {
            count += 1;
            if !message.split('…').all(|part| all.contains(part.trim())) {
                faults.push(message.to_owned());
            }
        }
    }
    assert!(count > 20, "{count} messages");
    none(faults, "no message of this text is in the sources; give the headings of docs/troubleshooting.md its words:");
}

/// A row that does not follow the head of a table is shown as text.
#[test]
fn rows_belong_to_tables() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["md"])) {
        let blocks = source.text.split("```").step_by(2).flat_map(|text| text.split("\n\n"));
        for block in blocks.filter(|block| block.starts_with("| ")) {
            let second = block.lines().nth(1).unwrap_or_default();
            if !second.starts_with("|-") && !second.starts_with("| -") {
                faults.push(format!("{}: {}", source.name, block.lines().next().unwrap_or_default()));
            }
        }
    }
    none(faults, "these rows belong to no table:");
}

/// The cells of each row of the tables of a page.
fn rows(page: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(harness::root().join(page)).expect("the page is here");
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.contains(|c: char| c.is_ascii_digit()));
    rows.map(|row| row.trim_matches('|').split(" |").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// docs/benchmarks.md has a part of the rows, and of their columns, that docs/measurements.md has.
#[test]
fn results_are_those_of_the_measurements() {
    let all = rows("docs/measurements.md");
    let is_of = |row: &Vec<String>, whole: &Vec<String>| {
        let mut cells = whole.iter();
        row.iter().all(|cell| cells.any(|own| own == cell))
    };
    let results = rows("docs/benchmarks.md");
    let others: Vec<String> = results
        .iter()
        .filter(|row| row.len() > 2 && !all.iter().any(|whole| is_of(row, whole)))
        .map(|row| row.join(" | "))
        .collect();
    assert!(results.len() > 40, "{} rows", results.len());
    none(others, "docs/measurements.md has no such rows:");
}

/// The documents name commands of `cargo offloadc` that exist: its own, and those of cargo.
#[test]
fn versions_are_those_of_the_interfaces() {
    let read = |path: &str| std::fs::read_to_string(harness::root().join(path)).expect("the file is there");
    let sources = [read("runtime-c/offloadrt.h"), read("docs/format.md")].concat();
    let rows = rows("docs/versions.md");
    for (constant, interface) in [
        ("OFFLOAD_KERNEL_VERSION", "handles and descriptors"),
        ("OFFLOAD_DESCRIPTOR_VERSION", "handles and descriptors"),
        ("OFFLOAD_DESCRIPTOR_VERSION", "copies of the runtime"),
        ("OFFLOADRT_LAUNCH_VERSION", "`offloadrt_launch_config`"),
        ("OFFLOADRT_LIMITS_VERSION", "`offloadrt_limits`"),
        ("OFFLOAD_TABLE_VERSION", "kernel table"),
    ] {
        let number = sources.split(&format!("#define {constant} ")).nth(1).and_then(|rest| rest.lines().next());
        let row = rows.iter().find(|row| row[0].contains(interface)).expect("the page has a row for each interface");
        let written = row[1].split([',', ' ']).next();
        assert_eq!(written, number, "docs/versions.md: {interface}");
    }
}

#[test]
fn documents_name_commands_that_exist() {
    let all = sources();
    let own = all.iter().filter(|source| source.name.starts_with("src/cargo/"));
    let names =
        own.flat_map(|source| source.text.split("    name: \"").skip(1).filter_map(|rest| rest.split('"').next()));
    let names: Vec<&str> = names.chain(["clippy", "help"]).collect();
    let mut faults = Vec::new();
    for source in all.iter().filter(|source| source.has_extension(&["md"])) {
        let words: Vec<&str> = source.text.split_whitespace().collect();
        for three in words.windows(3).filter(|three| three[0].ends_with("cargo") && three[1] == "offloadc") {
            let word = three[2].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let is_in_code = three[0].contains('`') || three[0] == "cargo";
            if is_in_code && word.starts_with(|c: char| c.is_lowercase()) && !names.contains(&word) {
                faults.push(format!("{}: {}", source.name, three.join(" ")));
            }
        }
    }
    assert!(names.len() > 10, "{names:?}");
    none(faults, "`cargo offloadc` has no such command:");
}

#[test]
fn the_manual_links_to_its_own_pages_alone() {
    // The book must not contain other files.
    let mut faults = Vec::new();
    for source in sources().iter().filter(|s| s.name.starts_with("docs/") && s.has_extension(&["md"])) {
        let links = source.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        // A page of a folder in docs/ may link to the pages around that folder.
        let depth = source.name.matches('/').count() - 1;
        let outside = links.filter(|link| link.matches("../").count() > depth || link.starts_with('/'));
        faults.extend(outside.map(|link| format!("{}: {link}", source.name)));
    }
    none(faults, "name these files in backquotes instead of linking to them:");
}

#[test]
fn examples_of_the_documents_are_tested() {
    let library = std::fs::read_to_string(harness::root().join("rust/manual/src/lib.rs")).expect("the crate exists");
    let pages = sources().into_iter().filter(|s| s.has_extension(&["md"]) && s.text.contains("```rust"));
    let untested = pages.filter(|page| !library.contains(&format!("include_str!(\"../../../{}\")", page.name)));
    none(untested.map(|page| page.name).collect(), "add these pages to rust/manual/src/lib.rs:");
}
