//! Cargo's questions to rustc, where the answer is known. Cargo asks a rustc that it does not know for its version
//! twice, and for its facts once for build scripts and once for the target of the program, which `cargo offloadc`
//! always names. Each answer takes rustc 10 to 20 ms.
//!
//! `cargo offloadc` has asked for the version, too, and passes the answer on. The facts of the target are those of the
//! host where both are the same and have the same flags.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use blake3::Hasher;

use super::answers::{FOLDER, SAID, head};

/// The file with the last answer about facts, in the folder of the files that builds keep. It serves the questions of
/// one build, and a target folder is for one build at a time, so one answer is enough.
const FILE: &str = "rustc-facts";

/// A question of cargo to this rustc, whose version is known.
pub(super) struct Question {
    version: String,
    asks_version: bool,
    /// A hash of all that decides the answer, and the file with the last one.
    facts: Option<(String, PathBuf)>,
}

impl Question {
    /// The question in rustc's command line; none if there may be no answer for it.
    pub(super) fn of(rustc: &OsStr, arguments: &[OsString]) -> Option<Self> {
        let said = std::env::var(SAID).ok()?;
        let (_build, said) = said.split_once('\n')?;
        let version = said.strip_prefix(&head(rustc)?)?.to_owned();
        let asks_version = arguments.len() == 1 && arguments[0] == "-vV";
        let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
        let facts = asks_for_facts(arguments).then(|| Some((deciding(rustc, arguments, host), file()?))).flatten();
        (asks_version || facts.is_some()).then_some(Self { version, asks_version, facts })
    }

    /// The answer, if it is known.
    pub(super) fn answer(&self) -> Option<String> {
        if self.asks_version {
            return Some(self.version.clone());
        }
        let (hash, path) = self.facts.as_ref()?;
        let kept = std::fs::read_to_string(path).ok()?;
        let (of, rest) = kept.split_once('\n')?;
        let (checksum, answer) = rest.split_once('\n')?;
        (of == hash && checksum == sum(answer)).then(|| answer.to_owned())
    }

    /// Keeps an answer. A folder that cannot be written keeps none, and the next question is asked.
    pub(super) fn keep(&self, answer: &str) {
        let Some((hash, path)) = &self.facts else { return };
        let Some(folder) = path.parent() else { return };
        let own = path.with_extension(std::process::id().to_string());
        let text = format!("{hash}\n{}\n{answer}", sum(answer));
        let kept = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&own, text));
        if kept.and_then(|()| std::fs::rename(&own, path)).is_err() {
            let _ = std::fs::remove_file(&own);
        }
    }
}

fn file() -> Option<PathBuf> {
    let folder = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty())?;
    Some(Path::new(&folder).join(FILE))
}

fn sum(answer: &str) -> String {
    blake3::hash(answer.as_bytes()).to_hex().to_string()
}

/// Whether this is cargo's question, by the name of its crate, whose source on standard input is empty. The source of
/// another question would count as well.
fn asks_for_facts(arguments: &[OsString]) -> bool {
    let begins = arguments.get(..3).is_some_and(|words| words == ["-", "--crate-name", "___"]);
    begins && arguments.iter().any(|word| word.as_bytes().starts_with(b"--print"))
}

/// A hash of the question and of the environment, which has the number of the build, so that rustc would give the same
/// answer. It is the same for the host and for a target that is the host, and lints that refuse nothing do not count.
fn deciding(rustc: &OsStr, arguments: &[OsString], host: &str) -> String {
    let mut hasher = Hasher::new();
    let mut add = |bytes: &[u8]| {
        let _ = hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    add(rustc.as_bytes());
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        let names_host = word == "--target" && words.peek().is_some_and(|next| *next == host);
        let is_lint = bytes.len() > 2 && (bytes.starts_with(b"-A") || bytes.starts_with(b"-W"));
        if names_host {
            let _host = words.next();
        } else if !is_lint {
            add(bytes);
        }
    }
    let mut variables: Vec<_> = std::env::vars_os().collect();
    variables.sort();
    variables.iter().for_each(|(name, value)| [name, value].into_iter().for_each(|word| add(word.as_bytes())));
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_as_the_target_and_allowed_lints_are_the_same_question() {
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            deciding("rustc".as_ref(), &words, "h")
        };
        let plain = of("- --print=cfg --crate-type bin");
        assert_eq!(of("- --print=cfg -Awarnings --target h --crate-type bin"), plain);
        assert_ne!(of("- --print=cfg --target other --crate-type bin"), plain);
        assert_ne!(of("- --print=cfg -Ctarget-cpu=native --crate-type bin"), plain);
        assert_ne!(of("- --print=cfg -Dwarnings --crate-type bin"), plain);
    }

    #[test]
    fn only_cargos_question_has_an_empty_source() {
        let asks = |line: &str| asks_for_facts(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asks("- --crate-name ___ --print=file-names --crate-type bin --print=cfg"));
        assert!(!asks("- --crate-name probe --print=cfg") && !asks("- --print=cfg") && !asks("- --crate-name ___"));
    }

    #[test]
    fn an_answer_is_that_of_its_question() {
        let folder = tempfile::tempdir().unwrap();
        let question = |hash: &str| Question {
            version: "v".to_owned(),
            asks_version: false,
            facts: Some((hash.to_owned(), folder.path().join("new/facts"))),
        };
        assert_eq!(question("a").answer(), None);
        question("a").keep("one\ntwo\n");
        assert_eq!(question("a").answer().as_deref(), Some("one\ntwo\n"));
        assert_eq!(question("b").answer(), None);
        std::fs::write(folder.path().join("new/facts"), "a\nno\none\n").unwrap();
        assert_eq!(question("a").answer(), None);
        let version = Question { asks_version: true, ..question("a") };
        assert_eq!(version.answer().as_deref(), Some("v"));
        assert_eq!(std::fs::read_dir(folder.path().join("new")).unwrap().count(), 1);
    }
}
