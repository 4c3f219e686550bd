//! The differences between two files with images: added and removed images and kernels, and changed numbers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Contents;

/// A subject that a file has or has not, with its numbers by name.
type Subjects<'a> = BTreeMap<String, Subject>;

/// The numbers of an image or of a kernel.
#[derive(Debug, Default, PartialEq, Eq)]
struct Subject {
    numbers: Vec<(&'static str, u64)>,
    /// A hash of an image's bytes, because other code may have the same size.
    bytes: Option<blake3::Hash>,
}

/// One difference.
#[derive(Debug)]
struct Change {
    subject: String,
    old: Option<Subject>,
    new: Option<Subject>,
}

/// All differences, in the order of their subjects.
#[derive(Debug)]
pub struct Differences {
    changes: Vec<Change>,
}

impl Contents<'_> {
    /// The differences from this older file to a newer one.
    pub fn differences(&self, newer: &Contents<'_>) -> Differences {
        let (mut old, mut new) = (self.subjects(), newer.subjects());
        let names: Vec<String> =
            old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))).cloned().collect();
        let change = |subject: String| Change { old: old.remove(&subject), new: new.remove(&subject), subject };
        let mut changes: Vec<_> = names.into_iter().map(change).filter(|change| change.old != change.new).collect();
        changes.sort_by(|a, b| a.subject.cmp(&b.subject));
        Differences { changes }
    }

    fn subjects(&self) -> Subjects<'_> {
        let mut subjects = Subjects::new();
        for part in &self.parts {
            let member = part.member.as_ref().map_or(String::new(), |member| format!("{member}: "));
            for (index, image) in part.images.iter().enumerate() {
                let place = format!("{} {}", image.arch, image.kind.map_or("unknown", super::ImageKind::name));
                let numbers = [("bytes", Some(image.bytes.len())), ("compressed", image.compressed)];
                let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, number? as u64))).collect();
                let image_subject = Subject { numbers, bytes: Some(blake3::hash(&image.bytes)) };
                let _ = subjects.insert(unique(&subjects, format!("{member}image {place}")), image_subject);
                for code in part.code.get(index).into_iter().flatten() {
                    let kernel = subjects.entry(format!("{member}kernel {} on {place}", code.kernel)).or_default();
                    kernel.numbers.push(("code bytes", code.bytes as u64));
                }
                for resources in part.resources.get(index).into_iter().flatten() {
                    let kernel = subjects.entry(format!("{member}kernel {} on {place}", resources.kernel)).or_default();
                    kernel.numbers.extend(resources.fields().map(|(name, number)| (name, number.into())));
                }
            }
            for kernel in part.tables.iter().flat_map(|table| &table.kernels) {
                let parameters = kernel.parameters.len() as u64;
                let numbers = [("argument bytes", kernel.argument_bytes.into()), ("parameters", parameters)].to_vec();
                let subject = Subject { numbers, bytes: None };
                let _ = subjects.insert(unique(&subjects, format!("{member}kernel {}", kernel.name)), subject);
            }
        }
        subjects
    }
}

/// The name, followed by a number if there is such a subject already: several objects of a program may have images for
/// the same arch.
fn unique(subjects: &Subjects<'_>, name: String) -> String {
    let numbered = (2..).map(|number| format!("{name} #{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !subjects.contains_key(name)).unwrap_or(name)
}

impl Differences {
    /// Whether the files have the same images and kernels.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// One line for each difference; ends with a newline, unless there are none.
    pub fn to_text(&self) -> String {
        self.changes.iter().map(|change| format!("{}: {}\n", change.subject, change.text())).collect()
    }

    /// The same as JSON; ends with a newline.
    pub fn to_json(&self, old: &str, new: &str) -> String {
        let changes: Vec<Value> = self.changes.iter().map(Change::json).collect();
        format!("{:#}\n", json!({ "old": old, "new": new, "changes": changes }))
    }
}

impl Change {
    fn text(&self) -> String {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => {
                let numbers = changed(old, new).into_iter().map(|(name, old, new)| match (old, new) {
                    (Some(old), Some(new)) => {
                        format!("{old} -> {new} {name} ({:+})", i128::from(new) - i128::from(old))
                    }
                    (old, new) => format!("{} -> {} {name}", known(old), known(new)),
                });
                let numbers: Vec<_> = numbers.collect();
                if numbers.is_empty() { "other code of the same size".to_owned() } else { numbers.join(", ") }
            }
            (None, new) => format!("added{}", numbers_of(new.as_ref())),
            (old, None) => format!("removed{}", numbers_of(old.as_ref())),
        }
    }

    fn json(&self) -> Value {
        let numbers = |subject: &Option<Subject>| {
            subject.as_ref().map(|subject| {
                let numbers = subject.numbers.iter().map(|(name, number)| ((*name).to_owned(), json!(number)));
                Value::Object(numbers.collect())
            })
        };
        json!({ "subject": self.subject, "old": numbers(&self.old), "new": numbers(&self.new) })
    }
}

fn known(number: Option<u64>) -> String {
    number.map_or("unknown".to_owned(), |number| number.to_string())
}

fn numbers_of(subject: Option<&Subject>) -> String {
    let numbers = subject.iter().flat_map(|subject| &subject.numbers).filter(|(_, number)| *number > 0);
    numbers.map(|(name, number)| format!(", {number} {name}")).collect()
}

/// The numbers that differ.
fn changed(old: &Subject, new: &Subject) -> Vec<(&'static str, Option<u64>, Option<u64>)> {
    let of = |subject: &Subject, wanted| subject.numbers.iter().find(|(name, _)| *name == wanted).map(|(_, n)| *n);
    let names = old.numbers.iter().chain(new.numbers.iter().filter(|(name, _)| of(old, *name).is_none()));
    names.map(|(name, _)| (*name, of(old, name), of(new, name))).filter(|(_, old, new)| old != new).collect()
}
