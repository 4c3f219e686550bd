//! The manual pages and the completions of shells that `make install` copies, in the programs that read them.

use std::path::PathBuf;
use std::process::Command;

use harness::run;

use crate::install::installed;

const SHELLS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/offloadc"),
    ("zsh", "zsh/site-functions/_offloadc"),
    ("fish", "fish/vendor_completions.d/offloadc.fish"),
];

fn share(file: &str) -> PathBuf {
    installed().join("share").join(file)
}

/// The long options in a help text: the words with a dash at the beginning of a line.
fn options_of(help: &str) -> Vec<&str> {
    let is_option = |line: &&str| line.starts_with("  ") && line.trim_start().starts_with('-');
    let words = help.lines().filter(is_option).flat_map(|line| line.split([' ', ',', '=', '[', '<']));
    words
        .filter(|word| word.len() > 2 && (word.starts_with("--") || ["-MD", "-MF", "-MT", "-MP"].contains(word)))
        .collect()
}

/// The page as people see it, without breaks of lines.
fn page(name: &str) -> String {
    let mut man = Command::new("man");
    let _ = man.args(["--warnings", "-l"]).arg(share("man/man1").join(name)).env("MANWIDTH", "500").env("LC_ALL", "C");
    let page = run(&mut man).success();
    assert_eq!(page.stderr(), "", "{name}");
    page.stdout()
}

#[test]
fn pages_have_every_option_and_no_warnings() {
    for program in ["offloadc", "cargo-offloadc"] {
        let help = run(Command::new(installed().join("bin").join(program)).arg("--help")).success().stdout();
        let (page, options) = (page(&format!("{program}.1")), options_of(&help));
        assert!(options.contains(&"--offload-arch") && options.len() > 10, "{options:?}");
        let missing: Vec<_> = options.iter().filter(|option| !page.contains(**option)).collect();
        assert!(missing.is_empty(), "{program}(1) lacks {missing:?}:\n{page}");
        assert!(!page.contains("--MD"), "it is typed with one dash");
    }
    let names = std::fs::read_dir(share("man/man1")).expect("the pages are installed");
    let names: Vec<String> = names.map(|file| file.expect("it is listed").file_name().into_string().unwrap()).collect();
    for name in &names {
        let _ = page(name);
        let mut groff = Command::new("groff");
        let warnings =
            run(groff.args(["-man", "-ww", "-Tascii", "-z"]).arg(share("man/man1").join(name))).success().stderr();
        assert!(!warnings.contains(".1:"), "{warnings}");
    }
    for name in ["offloadc-inspect.1", "offloadc-job.1", "offloadc-ld.1", "offloadc-cache-clear.1"] {
        assert!(names.iter().any(|own| own == name), "{name}: {names:?}");
    }
}

/// The commands that `cargo offloadc` lists: the rows of its groups.
fn listed(text: &str) -> Vec<&str> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("  "));
    rows.filter(|row| !row.starts_with([' ', '-'])).filter_map(|row| row.split(' ').next()).collect()
}

#[test]
fn each_command_has_its_help_its_page_and_its_completions() {
    let program = installed().join("bin/cargo-offloadc");
    let shown = run(Command::new(&program).arg("offloadc"));
    assert_eq!(shown.code(), 2);
    let list = shown.stdout();
    let commands = listed(&list);
    assert!(commands.len() > 8 && commands.len() <= 12, "{list}");
    let help = run(Command::new(&program).args(["offloadc", "--help"])).success().stdout();
    assert!(help.starts_with(&list), "{help}");
    let completions = SHELLS.map(|(_, file)| {
        std::fs::read_to_string(share(&file.replace("offloadc", "cargo-offloadc"))).expect("it is installed")
    });
    let pages = std::fs::read_dir(share("man/man1")).expect("the pages are installed");
    let pages = pages.filter_map(|file| file.expect("it is listed").file_name().into_string().ok());
    let mut pages: Vec<String> =
        pages.filter_map(|name| Some(name.strip_prefix("cargo-offloadc-")?.strip_suffix(".1")?.to_owned())).collect();
    pages.sort();
    let mut sorted = commands.clone();
    sorted.sort_unstable();
    assert_eq!(pages, sorted, "the pages are those of the commands");
    for name in commands {
        let help = run(Command::new(&program).args(["offloadc", name, "--help"])).success().stdout();
        let (_, example) = help.split_once("\nExample:\n  ").unwrap_or_else(|| panic!("no example:\n{help}"));
        assert!(example.starts_with(&format!("cargo offloadc {name}")), "{help}");
        let page = page(&format!("cargo-offloadc-{name}.1"));
        assert!(page.contains(example.trim_end()), "{page}");
        let missing: Vec<_> = options_of(&help).into_iter().filter(|option| !page.contains(option)).collect();
        assert!(missing.is_empty(), "cargo-offloadc-{name}(1) lacks {missing:?}");
        let does = help.lines().next().unwrap_or_default();
        let bash = format!("cargo__subcmd__offloadc__subcmd__{name}");
        for (known, text) in [(bash.as_str(), &completions[0]), (does, &completions[1]), (does, &completions[2])] {
            // Without the escapes of the shells.
            let text = text.replace('\\', "").replace("'''", "'");
            assert!(text.contains(known), "{name}: {known}\n{text}");
        }
    }
}

#[test]
fn shells_parse_their_completions() {
    for (shell, file) in SHELLS {
        for file in [share(file), share(&file.replace("offloadc", "cargo-offloadc"))] {
            let parsed = run(Command::new(shell).arg("-n").arg(&file)).success();
            assert_eq!(parsed.stderr(), "", "{shell}");
        }
    }
}

/// The words that bash offers for the last of `words`.
fn offered_by_bash(words: &[&str]) -> String {
    let script = r#"source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        complete -p offloadc | grep -q -- '-F _offloadc' && _offloadc offloadc "${@: -1}" "${@: -2:1}" &&
        echo "${COMPREPLY[*]}""#;
    let mut bash = Command::new("bash");
    let _ = bash.args(["--norc", "-c", script, "bash"]).arg(share(SHELLS[0].1)).args(words);
    run(&mut bash).success().stdout()
}

#[test]
fn bash_completes_options_and_values() {
    assert_eq!(offered_by_bash(&["offloadc", "a.bc", "--skip-ref"]), "--skip-refused-archs\n");
    assert_eq!(offered_by_bash(&["offloadc", "-MD"]), "-MD\n");
    assert_eq!(
        offered_by_bash(&["offloadc", "--offload-arch", "sm_12"]),
        "sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f\n"
    );
    assert_eq!(offered_by_bash(&["offloadc", "--emit", "simpl"]), "simplify\n");
    assert_eq!(offered_by_bash(&["offloadc", "inspect", "--js"]), "--json\n");
}

#[test]
fn fish_completes_options_and_values() {
    let offered = |line: &str| {
        let mut fish = Command::new("fish");
        let script = "source $argv[1]; complete -C $argv[2]";
        let _ = fish.args(["--no-config", "-c", script]).arg(share(SHELLS[2].1)).arg(line);
        let outcome = run(fish.env("HOME", harness::temporary())).success();
        assert_eq!(outcome.stderr(), "");
        outcome.stdout()
    };
    for line in ["offloadc --skip-ref", "offloadc -MD a.bc --skip-ref"] {
        assert!(offered(line).starts_with("--skip-refused-archs\tLeave out archs"), "{line}: {}", offered(line));
    }
    assert!(offered("offloadc inspect --js").starts_with("--json\tPrint JSON"), "{}", offered("offloadc inspect --js"));
    assert!(offered("offloadc -M").contains("-MD\t"), "{}", offered("offloadc -M"));
    assert!(offered("offloadc -##").contains("-###\t"), "{}", offered("offloadc -##"));
    assert!(offered("offloadc --offload-arch gfx90").contains("gfx90a"));
}

#[test]
fn zsh_finds_its_completion() {
    let script = r#"fpath=("$1" $fpath); autoload -Uz compinit && compinit -u -D && print $_comps[offloadc] &&
        autoload +X _offloadc && print found"#;
    let mut zsh = Command::new("zsh");
    let _ = zsh.args(["-f", "-c", script, "zsh"]).arg(share("zsh/site-functions"));
    assert_eq!(run(&mut zsh).success().stdout(), "_offloadc\nfound\n");
}
