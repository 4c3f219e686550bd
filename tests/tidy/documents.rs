//! Rules for links and examples in the documents.

use std::path::Path;

use crate::source::{none, sources};

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

/// The last column of README's comparison names a test for each row.
#[test]
fn the_comparison_names_tests() {
    let readme = std::fs::read_to_string(harness::root().join("README.md")).expect("README.md is here");
    let section = readme.split("\n## Beside other systems").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = section.unwrap_or_default().lines().filter(|line| line.starts_with("| ")).skip(1);
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
    none(faults, "these rows of README.md name no test:");
}

#[test]
fn the_manual_links_to_its_own_pages_alone() {
    // The book must not contain other files.
    let mut faults = Vec::new();
    for source in sources().iter().filter(|s| s.name.starts_with("docs/") && s.has_extension(&["md"])) {
        let links = source.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let outside = links.filter(|link| link.starts_with("../") || link.starts_with('/'));
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
