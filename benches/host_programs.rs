//! Programs that are mostly host code, the same text each time: so many copies of one kind of code, each with its own
//! types and constants, and a few kernels. The programs are not run; the benchmark measures how long they take to
//! compile.

use crate::generate::{self, source_with_launches};

/// A kind of host code, and how many copies of it take `rustc -O` more than three seconds.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) copies: usize,
    /// The code of a copy. `@` is its number, and `run_@` its function.
    code: &'static str,
}

/// The kernels of each program.
const KERNELS: usize = 4;

pub(crate) const KINDS: [Kind; 5] = [
    Kind { name: "parsers", copies: 40, code: PARSER },
    Kind { name: "collections", copies: 30, code: COLLECTIONS },
    Kind { name: "matrices", copies: 25, code: MATRICES },
    Kind { name: "reports", copies: 25, code: REPORTS },
    Kind { name: "pipelines", copies: 25, code: PIPELINES },
];

/// The source of a program with so many copies.
pub(crate) fn source(kind: &Kind, copies: usize) -> String {
    let each = (0..copies).map(|number| kind.code.replace('@', &number.to_string()));
    let calls: String =
        (0..copies).map(|number| format!("    sum = sum.wrapping_add(run_{number}(text));\n")).collect();
    let host = format!(
        "{}#[no_mangle]\npub extern \"C\" fn host(count: usize) -> u64 {{\n    let text: &str = &\"1 + 2 * (3 - x7) \
         \".repeat(count);\n    let mut sum = 0_u64;\n{calls}    sum\n}}\n",
        each.collect::<String>()
    );
    source_with_launches(&generate::kernels(KERNELS), &host)
}

const PARSER: &str = r#"
#[derive(Debug, Clone, PartialEq)]
enum Node@ { Number(i64), Name(String), Sum(Vec<Node@>), Product(Box<Node@>, Box<Node@>), Error(usize) }
struct Parser@<'a> { text: &'a [u8], at: usize }
impl<'a> Parser@<'a> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) { self.at += 1; }
        self.text.get(self.at).copied()
    }
    fn sum(&mut self) -> Node@ {
        let mut parts = vec![self.product()];
        while let Some(b'+' | b'-') = self.peek() { self.at += 1; parts.push(self.product()); }
        if parts.len() == 1 { parts.remove(0) } else { Node@::Sum(parts) }
    }
    fn product(&mut self) -> Node@ {
        let first = self.atom();
        if self.peek() != Some(b'*') { return first; }
        self.at += 1;
        Node@::Product(Box::new(first), Box::new(self.product()))
    }
    fn atom(&mut self) -> Node@ {
        let Some(first) = self.peek() else { return Node@::Error(self.at) };
        self.at += 1;
        let start = self.at - 1;
        while self.text.get(self.at).is_some_and(u8::is_ascii_alphanumeric) { self.at += 1; }
        let word = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        match first {
            b'0'..=b'9' => word.parse().map_or(Node@::Error(start), Node@::Number),
            b'(' => {
                self.at = start + 1;
                let inner = self.sum();
                if self.peek() == Some(b')') { self.at += 1; }
                inner
            }
            _ => Node@::Name(word),
        }
    }
}
fn value_@(node: &Node@) -> i64 {
    match node {
        Node@::Number(n) => n.wrapping_mul(@ + 3),
        Node@::Name(name) => name.bytes().fold(@, |sum, b| sum.wrapping_mul(31).wrapping_add(b.into())),
        Node@::Sum(parts) => parts.iter().map(value_@).fold(0, i64::wrapping_add),
        Node@::Product(a, b) => value_@(a).wrapping_mul(value_@(b)),
        Node@::Error(at) => *at as i64,
    }
}
fn run_@(text: &str) -> u64 {
    let node = Parser@ { text: text.as_bytes(), at: 0 }.sum();
    value_@(&node) as u64 + (node.clone() == node) as u64
}
"#;

const COLLECTIONS: &str = r#"
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
struct Key@ { name: String, size: u32, tags: [u8; 3] }
fn run_@(text: &str) -> u64 {
    use std::collections::{BTreeMap, HashMap, HashSet};
    let mut ordered: BTreeMap<Key@, Vec<u32>> = BTreeMap::new();
    let mut counts: HashMap<Key@, u64> = HashMap::new();
    for (at, word) in text.split_whitespace().enumerate() {
        let key = Key@ { name: word.to_owned(), size: at as u32 % (@ + 5), tags: [at as u8, @ as u8, 3] };
        *counts.entry(key.clone()).or_insert(0) += @ + 1;
        ordered.entry(key).or_default().push(at as u32);
    }
    let names = ordered.keys().map(|key| key.name.as_str()).collect::<HashSet<_>>().len();
    ordered.retain(|key, places| key.size != 2 && !places.is_empty());
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let first = ordered.range(sorted[0].0.clone()..).next().map_or(0, |(_, places)| places.len());
    names as u64 + first as u64 + sorted.iter().map(|(_, count)| count).sum::<u64>()
}
"#;

const MATRICES: &str = r#"
#[derive(Clone, Copy)]
struct Matrix@<const N: usize>([[f64; N]; N]);
impl<const N: usize> Matrix@<N> {
    fn times(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| std::array::from_fn(|j| (0..N).map(|k| self.0[i][k] * other.0[k][j]).sum())))
    }
    fn solved(mut self, mut right: [f64; N]) -> Option<[f64; N]> {
        for column in 0..N {
            let pivot = (column..N).max_by(|a, b| self.0[*a][column].abs().total_cmp(&self.0[*b][column].abs()))?;
            if self.0[pivot][column].abs() < 1e-12 { return None; }
            self.0.swap(column, pivot);
            right.swap(column, pivot);
            for row in column + 1..N {
                let factor = self.0[row][column] / self.0[column][column];
                for k in column..N { self.0[row][k] -= factor * self.0[column][k]; }
                right[row] -= factor * right[column];
            }
        }
        for row in (0..N).rev() {
            let rest: f64 = (row + 1..N).map(|k| self.0[row][k] * right[k]).sum();
            right[row] = (right[row] - rest) / self.0[row][row];
        }
        Some(right)
    }
}
fn of_size_@<const N: usize>(seed: f64) -> f64 {
    let one = Matrix@::<N>(std::array::from_fn(|i| std::array::from_fn(|j| (seed + i as f64 * 1.5).sin() + j as f64)));
    one.times(&one).solved([seed + @.5; N]).map_or(-1.0, |x| x.iter().sum())
}
fn run_@(text: &str) -> u64 {
    let seed = text.len() as f64;
    (of_size_@::<3>(seed) + of_size_@::<4>(seed) + of_size_@::<7>(seed)) as u64
}
"#;

const REPORTS: &str = r#"
#[derive(Clone, Debug, Default)]
struct Row@ { name: String, amount: f64, count: u32, notes: Option<Vec<String>> }
impl std::fmt::Display for Row@ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>12} {:08.3} {:<6}", self.name, self.amount, self.count)?;
        for (at, note) in self.notes.iter().flatten().enumerate() {
            write!(f, "{}{note:?}", if at > 0 { ", " } else { " " })?;
        }
        Ok(())
    }
}
impl std::str::FromStr for Row@ {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once('=').ok_or_else(|| format!("no name in {text:?}, row @"))?;
        let amount = rest.trim().parse::<f64>().map_err(|error| format!("{name}: {error}"))?;
        Ok(Row@ { name: name.trim().to_owned(), amount, count: @, notes: Some(vec![rest.to_uppercase()]) })
    }
}
fn run_@(text: &str) -> u64 {
    let parsed: Result<Vec<Row@>, String> = text.split('+').map(|part| format!("n@={part}").parse()).collect();
    let mut rows = parsed.unwrap_or_else(|error| vec![Row@ { name: error, ..Row@::default() }]);
    rows.sort_by(|a, b| a.amount.total_cmp(&b.amount).then_with(|| a.name.cmp(&b.name)));
    let lines: Vec<String> = rows.iter().map(|row| format!("{row}|{:?}", row.notes)).collect();
    lines.join("\n").len() as u64
}
"#;

const PIPELINES: &str = r#"
fn run_@(text: &str) -> u64 {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let lengths = words.iter().map(|word| word.len() as u64 + @).collect::<Vec<_>>();
    let pairs = lengths.windows(2).map(|pair| pair[0] * pair[1]).filter(|product| product % (@ + 2) != 1);
    let longest = words.iter().copied().max_by_key(|word| (word.len(), *word)).unwrap_or("none");
    let (even, odd): (Vec<u64>, Vec<u64>) = pairs.clone().partition(|product| product % 2 == 0);
    let mut merged: Vec<u64> = even.iter().zip(odd.iter().rev()).map(|(a, b)| a ^ b).chain(pairs.take(@ + 9)).collect();
    merged.sort_unstable();
    merged.dedup_by_key(|value| *value / 3);
    let grouped = merged.chunk_by(|a, b| a / 16 == b / 16).map(|group| group.iter().sum::<u64>());
    let text: String = longest.chars().rev().flat_map(char::to_uppercase).filter(|c| c.is_ascii()).collect();
    grouped.fold(text.len() as u64, |sum, value| sum.rotate_left(@ % 13) ^ value)
}
"#;
