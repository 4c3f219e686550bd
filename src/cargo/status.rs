//! Whether and how links print lines like cargo's own, by cargo's options and configuration.

use std::ffi::OsString;
use std::process::Command;

use toml::Value;

use super::bake::value_of;
use super::configuration::Configuration;
use super::options::belongs_to_program;
use crate::diagnostics::ColorChoice;
use crate::system::status_line;

/// cargo's options of one letter with a value, which may follow without a space.
const WITH_VALUE: [char; 5] = ['F', 'p', 'j', 'Z', 'C'];

/// Tells links the place and the colours of their lines, unless cargo is to be quiet. This process becomes cargo, or
/// has cargo's standard error.
pub(super) fn set_status(command: &mut Command, words: &[OsString], configuration: &Configuration) {
    if is_quiet(words) || configuration.term("quiet").is_some_and(|value| value == Value::Boolean(true)) {
        let _ = command.env_remove(status_line::VARIABLE);
        return;
    }
    let said = value_of(words, &["--color"]).map(Value::from).or_else(|| configuration.term("color"));
    let color = match said.as_ref().and_then(Value::as_str) {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    };
    let _ = command.env(status_line::VARIABLE, status_line::value(color.on_stderr()));
}

/// Whether cargo's `-q` is among its words.
fn is_quiet(words: &[OsString]) -> bool {
    let says = |(number, word): (usize, &OsString)| {
        let text = word.to_string_lossy();
        let short = text.strip_prefix('-').filter(|text| !text.starts_with('-')).unwrap_or_default();
        let has_letter = short.chars().take_while(|letter| !WITH_VALUE.contains(letter)).any(|letter| letter == 'q');
        (text == "--quiet" || has_letter) && !belongs_to_program(&words[..number])
    };
    words.iter().enumerate().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::command_lines::words;

    #[test]
    fn cargo_may_be_quiet() {
        for line in ["build -q", "run --quiet", "test -rq", "build -qj2", "run --bin app -q"] {
            assert!(is_quiet(&words(line)), "{line}");
        }
        for line in ["build", "build -Fquick", "build -pq", "run file -q", "build --quick", "run -r"] {
            assert!(!is_quiet(&words(line)), "{line}");
        }
    }

    #[test]
    fn options_and_the_configuration_say_what_is_printed() {
        let set = |line: &str, text: &str| {
            let mut command = Command::new("cargo");
            let configuration = Configuration::of_text(text, "t", Vec::new());
            set_status(&mut command, &words(line), &configuration);
            let value =
                command.get_envs().find(|(name, _)| *name == status_line::VARIABLE).and_then(|(_, value)| value);
            value.map(|value| value.to_string_lossy().into_owned())
        };
        let own = |has_color| Some(status_line::value(has_color));
        assert_eq!(set("build --color=never", "term.color = 'always'"), own(false));
        assert_eq!(set("build --color=always", "term.color = 'never'"), own(true));
        assert_eq!(set("build", "term.color = 'always'"), own(true));
        assert_eq!(set("build -q", ""), None);
        assert_eq!(set("build", "term.quiet = true"), None);
    }
}
