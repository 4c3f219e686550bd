//! A parsed golden file: directives, then the expected output.

use std::path::{Path, PathBuf};

/// A command and its expected exit status.
#[derive(Debug)]
pub(crate) struct GoldenCommand {
    /// The name in brackets; empty if there is none.
    pub(crate) name: String,
    /// The expected exit status.
    pub(crate) status: i32,
    /// The command, before %s and %t are replaced.
    pub(crate) text: String,
}

impl GoldenCommand {
    /// Whether it names several archs or parts, which are compiled side by side.
    pub(crate) fn is_parallel(&self) -> bool {
        const SEVERAL: [&str; 2] = ["portable", "cpu:all"];
        let words = || self.text.split_whitespace();
        let archs = words().filter_map(|word| word.split_once("--offload-arch=")).flat_map(|(_, list)| list.split(','));
        let archs: Vec<&str> = archs.collect();
        archs.len() > 1
            || archs.iter().any(|arch| SEVERAL.contains(arch))
            || words().any(|word| word.contains("--parts"))
    }
}

/// A line that stdout must contain, or must not contain.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) negative: bool,
    pub(crate) pattern: String,
}

/// The expected output: `stream` of the command `name`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) stream: &'static str,
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A parsed golden file.
#[derive(Debug)]
pub(crate) struct GoldenFile {
    pub(crate) path: PathBuf,
    pub(crate) commands: Vec<GoldenCommand>,
    pub(crate) checks: Vec<Check>,
    pub(crate) requires: Vec<String>,
    pub(crate) blocks: Vec<Block>,
    /// The part that is written by hand.
    upper: String,
    /// The major version of LLVM whose commands and checks are read.
    llvm: String,
    /// The names of the commands for other versions of LLVM.
    other_commands: Vec<String>,
}

impl GoldenFile {
    /// Parses `text` for a major version of LLVM. The error contains the line and the reason.
    pub(crate) fn parse(path: &Path, text: &str, llvm: &str) -> Result<GoldenFile, String> {
        let (comment, marker) = syntax(path);
        let lower_at = lines_with_offsets(text).find(|(_, line)| line.starts_with(marker)).map_or(text.len(), |l| l.0);
        let (upper, lower) = text.split_at(lower_at);
        let mut file = GoldenFile {
            path: path.to_path_buf(),
            commands: Vec::new(),
            checks: Vec::new(),
            requires: Vec::new(),
            blocks: parse_blocks(lower, comment, marker)?,
            upper: upper.to_owned(),
            llvm: llvm.to_owned(),
            other_commands: Vec::new(),
        };
        file.parse_directives(comment)?;
        file.check_names()?;
        Ok(file)
    }

    /// The sentence on the first line that gives the reason for the test.
    fn parse_directives(&mut self, comment: &str) -> Result<(), String> {
        let upper = self.upper.clone();
        let mut lines = upper.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let Some(body) = line.strip_prefix(comment) else {
                continue;
            };
            let Some((word, rest)) = directive(body) else {
                continue;
            };
            let mut rest = rest.trim().to_owned();
            while rest.ends_with('\\') {
                rest.pop();
                let next = lines.next().and_then(|(_, line)| line.strip_prefix(comment));
                let next = next.ok_or(format!("line {}: nothing follows the backslash", index + 1))?;
                rest = format!("{} {}", rest.trim_end(), next.trim());
            }
            self.add_directive(word, rest).map_err(|error| format!("line {}: {error}", index + 1))?;
        }
        Ok(())
    }

    fn add_directive(&mut self, word: &str, rest: String) -> Result<(), String> {
        let (kind, name) = match word.split_once('[') {
            Some((kind, name)) => (kind, name.strip_suffix(']').ok_or("a bracket is not closed")?),
            None => (word, ""),
        };
        let (kind, version) = match kind.split_once('@') {
            Some((kind, version)) => (kind, Some(version)),
            None => (kind, None),
        };
        let (kind, status) = match kind.split_once('=') {
            Some((kind, status)) => (kind, Some(status.parse().map_err(|_| "the status is no number")?)),
            None => (kind, None),
        };
        let is_other = match version {
            Some(version) => version.parse::<u32>().map_err(|_| "the version is no number")?.to_string() != self.llvm,
            None => false,
        };
        let name = name.to_owned();
        match (kind, status) {
            ("RUN", None) | ("FAIL", _) if is_other => self.other_commands.push(name),
            ("CHECK" | "CHECK-NOT", None) if is_other => {}
            ("RUN", None) => self.commands.push(GoldenCommand { name, status: 0, text: rest }),
            ("FAIL", status) => self.commands.push(GoldenCommand { name, status: status.unwrap_or(1), text: rest }),
            ("CHECK", None) => self.checks.push(Check { name, negative: false, pattern: rest }),
            ("CHECK-NOT", None) => self.checks.push(Check { name, negative: true, pattern: rest }),
            _ if version.is_some() => return Err("only commands and checks can be for one version of LLVM".to_owned()),
            ("REQUIRES", None) => {
                self.requires.extend(rest.split([',', ' ']).filter(|w| !w.is_empty()).map(str::to_owned))
            }
            _ => {
                return Err(format!("`{word}` is not a directive; tests/golden/README.ll lists them"));
            }
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), String> {
        if self.commands.is_empty() && self.other_commands.is_empty() {
            return Err("there is no RUN or FAIL line".to_owned());
        }
        let known = |name: &str| self.is_ours(name) || self.other_commands.iter().any(|other| other == name);
        for (index, command) in self.commands.iter().enumerate() {
            if self.commands[..index].iter().any(|other| other.name == command.name) {
                return Err(format!("two commands have the name `{}`", command.name));
            }
        }
        let names = self.checks.iter().map(|check| &check.name).chain(self.blocks.iter().map(|block| &block.name));
        match names.into_iter().find(|name| !known(name)) {
            Some(name) => Err(format!("no command has the name `{name}`")),
            None => Ok(()),
        }
    }

    /// Whether a command of this name is for our version of LLVM.
    fn is_ours(&self, name: &str) -> bool {
        self.commands.iter().any(|command| command.name == name)
    }

    /// The expected text of a stream; empty if there is no block for it.
    pub(crate) fn expected(&self, stream: &str, name: &str) -> &str {
        self.blocks.iter().find(|b| b.stream == stream && b.name == name).map_or("", |block| &block.text)
    }

    /// The checks of one command, in order.
    pub(crate) fn checks_of(&self, name: &str) -> Vec<&Check> {
        self.checks.iter().filter(|check| check.name == name).collect()
    }

    /// The text of the file with other blocks for the commands of our version of LLVM.
    pub(crate) fn with_blocks(&self, blocks: &[Block]) -> String {
        let (comment, marker) = syntax(&self.path);
        let mut text = format!("{}\n", self.upper.trim_end());
        let kept = self.blocks.iter().filter(|block| !self.is_ours(&block.name));
        for block in blocks.iter().filter(|block| !block.text.is_empty()).chain(kept) {
            let name = if block.name.is_empty() { String::new() } else { format!("[{}]", block.name) };
            text += &format!("{marker} {}{name}\n", block.stream);
            for line in block.text.lines() {
                text += format!("{comment} {line}").trim_end();
                text.push('\n');
            }
        }
        text
    }
}

/// The comment prefix, and the prefix of a block of expected output.
fn syntax(path: &Path) -> (&'static str, &'static str) {
    if path.extension().is_some_and(|extension| extension == "rs") { ("//", "////") } else { (";", ";;;") }
}

/// `WORD` and the rest, if the text of a comment is a directive.
fn directive(body: &str) -> Option<(&str, &str)> {
    let (word, rest) = body.strip_prefix(' ')?.split_once(':')?;
    let kind = word.split(['[', '=', '@']).next().unwrap_or_default();
    let capitals = kind.len() > 1 && kind.chars().all(|c| c.is_ascii_uppercase() || c == '-');
    capitals.then_some((word, rest))
}

fn parse_blocks(lower: &str, comment: &str, marker: &str) -> Result<Vec<Block>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in lower.lines() {
        if let Some(head) = line.strip_prefix(marker) {
            let head = head.trim();
            let (stream, name) = head.strip_suffix(']').and_then(|h| h.split_once('[')).unwrap_or((head, ""));
            let stream = ["stdout", "stderr"].into_iter().find(|known| *known == stream);
            let stream = stream.ok_or(format!("`{line}` names neither stdout nor stderr"))?;
            blocks.push(Block { stream, name: name.to_owned(), text: String::new() });
        } else if let (Some(block), Some(body)) = (blocks.last_mut(), line.strip_prefix(comment)) {
            block.text += body.strip_prefix(' ').unwrap_or(body);
            block.text.push('\n');
        } else {
            return Err(format!("`{line}` stands below the first block; `make bless` owns that part"));
        }
    }
    Ok(blocks)
}

fn lines_with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        (start, line)
    })
}
