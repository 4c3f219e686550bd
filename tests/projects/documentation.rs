//! The documentation of `rust/offload`: every public item has an example, its own or one that it links to. These
//! examples and those of the manual run with plain cargo, and in turn on the `cpu` device. The test reads rustdoc's
//! pages, so items that macros write are included.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use harness::{Outcome, cargo, run_within, turns};

/// Runs cargo in `rust/`. Later runs reuse its target folder.
fn cargo(words: &[&str]) -> Outcome {
    let mut command = cargo::cargo(&harness::root().join("rust"));
    let target = if words[0] == "offloadc" { cargo::offloadc_target() } else { cargo::target() };
    command.args(words).arg("--locked").arg("--target-dir").arg(target);
    run_within(&mut command, Duration::from_secs(900)).success()
}

/// The packages with examples, and the beginning of the name of some of them. A module of `manual` contains the pages
/// with examples. `tidy` checks that it has all of them.
const PACKAGES: [(&str, &[&str]); 2] = [
    ("offload-kernels", &["block::reduce"]),
    ("manual", &["readme", "kernels", "cuda", "rayon", "shared_memory", "raw_slices", "contract"]),
];

/// Checks that the examples of packages have run.
fn check(ran: &Outcome, packages: &[(&str, &[&str])]) {
    let text = ran.stdout();
    assert!(!text.contains(" - compile ... "), "{}", ran.report());
    for name in packages.iter().flat_map(|(_, names)| *names) {
        assert!(text.contains(&format!(" - {name} (line ")), "{name} is not tested:\n{}", ran.report());
    }
}

#[test]
fn the_examples_run() {
    check(&cargo(&["test", "--workspace"]), &PACKAGES);
    // In turn, because most of the time of such a run is offloadc's.
    let device = PACKAGES[turns::next(PACKAGES.len())];
    check(&cargo(&["offloadc", "test", "--package", device.0]), &[device]);
}

/// The example of an item on a page.
#[derive(Debug, PartialEq)]
enum Example {
    Own,
    /// A link to the page and the item that has the example.
    Of(String),
    None,
}

/// Finds the example in a part of a page. Links in it are relative to `page`.
fn example(page: &str, text: &str) -> Example {
    if text.contains("class=\"rust rust-example-rendered\"") {
        return Example::Own;
    }
    let link = text.split_once("he example of <a href=\"").and_then(|(_, rest)| rest.split_once('"'));
    link.map_or(Example::None, |(link, _)| Example::Of(resolved(page, link)))
}

/// Returns a link of a page relative to the folder of the crate, such as `struct.Device.html` or
/// `struct.Device.html#method.open`.
fn resolved(page: &str, link: &str) -> String {
    let (file, item) = link.split_once('#').map_or((link, None), |(file, item)| (file, Some(item)));
    let mut parts: Vec<&str> = page.split('/').collect();
    if !file.is_empty() {
        let _ = parts.pop();
    }
    for part in file.split('/').filter(|part| !part.is_empty()) {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    item.map_or(path.clone(), |item| format!("{path}#{item}"))
}

/// Finds the items of a page: the page itself, and its own methods and constants.
fn items(page: &str, text: &str, found: &mut BTreeMap<String, Example>) {
    let text = text.split_once("<section id=\"main-content\"").expect("a page of rustdoc's has a main part").1;
    // Items of traits and of other types have their documentation there.
    let foreign =
        ["trait-implementations", "implementors", "foreign-impls", "synthetic-implementations", "deref-methods"];
    let end = foreign.iter().filter_map(|id| text.find(&format!(" id=\"{id}"))).min();
    let mut parts = text[..end.unwrap_or(text.len())].split("<section id=\"");
    // The text before the lists of a module and the headings of a type.
    let own = parts.next().unwrap_or_default().split("<h2 id=\"").next().unwrap_or_default();
    let _ = found.insert(page.to_owned(), example(page, own));
    for part in parts {
        let id = part.split('"').next().unwrap_or_default();
        let kind = id.split('.').next().unwrap_or_default();
        if ["method", "tymethod", "associatedconstant", "associatedtype"].contains(&kind) {
            let _ = found.insert(format!("{page}#{id}"), example(page, part));
        }
    }
}

fn read(root: &Path, folder: &Path, found: &mut BTreeMap<String, Example>) {
    for entry in std::fs::read_dir(folder).expect("rustdoc has written it") {
        let path = entry.expect("the folder can be listed").path();
        let page = path.strip_prefix(root).expect("it is below").to_str().expect("names of items").to_owned();
        if path.is_dir() {
            read(root, &path, found);
        } else if page.ends_with(".html") && page != "all.html" {
            let text = std::fs::read_to_string(&path).expect("a page is text");
            // Such a page only redirects to a macro.
            if !text.contains("http-equiv=\"refresh\"") {
                items(&page, &text, found);
            }
        }
    }
}

#[test]
fn every_public_item_has_an_example() {
    let _ = std::fs::remove_dir_all(cargo::target().join("doc"));
    let _ = cargo(&["doc", "--no-deps", "--package=offload-kernels"]);
    let (root, mut found) = (cargo::target().join("doc/offload"), BTreeMap::new());
    read(&root, &root, &mut found);
    // A page of the manual: each of its sections has an example.
    assert!(found.remove("cuda/index.html").is_some());
    assert!(found.len() > 250 && found.contains_key("struct.DeviceBuffer.html#method.from_host"), "{}", found.len());
    let lacks = |example: &Example| match example {
        Example::Own => false,
        Example::Of(other) => found.get(other) != Some(&Example::Own),
        Example::None => true,
    };
    let faults: Vec<_> = found.iter().filter(|(_, example)| lacks(example)).collect();
    assert!(faults.is_empty(), "give these an example, or the words `See the example of [`…`].`:\n{faults:#?}");
}
