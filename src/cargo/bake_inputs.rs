//! The inputs of rustc for the kernels of a library, other than the library's source: from the list that rustc writes
//! for cargo (`--emit=dep-info`). The file of baked kernels names them, and a program compares them.

use std::path::{Path, PathBuf};

/// The lines for the file: `env` or `file`, the name, and a hash of the value, with tabs between them. `folder` is that
/// of the package, and `working` the one in which rustc ran.
pub(super) fn lines(list: &str, folder: &Path, working: &Path) -> Vec<String> {
    let out = variables(list).find(|(name, _)| *name == "OUT_DIR").and_then(|(_, value)| value);
    let files = files(list).filter_map(|file| {
        let path = working.join(file).canonicalize().ok()?;
        let name = file_name(&path, folder, out.as_deref().map(Path::new))?;
        Some(format!("file\t{name}\t{}", hash(&std::fs::read(&path).ok()?)))
    });
    let variables = variables(list).filter(|(name, _)| !is_of_cargo(name));
    let variables = variables.map(|(name, value)| {
        let value = value.map_or_else(|| "none".to_owned(), |value| hash(value.as_bytes()));
        format!("env\t{name}\t{value}")
    });
    let mut lines: Vec<_> = files.chain(variables).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// The manifest decides cargo's variables, and they name folders of this machine.
fn is_of_cargo(name: &str) -> bool {
    name.starts_with("CARGO") || name.starts_with("OFFLOADC_") || name == "OUT_DIR"
}

/// The name by which the macro finds a file again. None if it is part of the source, which has a separate hash, or the
/// manifest, which cargo rewrites for a registry.
fn file_name(path: &Path, folder: &Path, out: Option<&Path>) -> Option<String> {
    let is_source = path.starts_with(folder.join("src")) && path.extension().is_some_and(|extension| extension == "rs");
    if is_source || path == folder.join("Cargo.toml") {
        return None;
    }
    let made = out.and_then(|out| path.strip_prefix(out.canonicalize().ok()?).ok());
    if let Some(made) = made {
        return Some(format!("OUT_DIR/{}", made.display()));
    }
    let shared = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(shared).map(|_| "..".as_ref());
    let relative: PathBuf = up.chain(path.components().skip(shared).map(|part| part.as_os_str())).collect();
    Some(relative.display().to_string())
}

/// The files of the first rule. A space in a name has a backslash before it.
fn files(list: &str) -> impl Iterator<Item = String> {
    let rule = list.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, files)| files);
    let marked = rule.replace("\\ ", "\0");
    marked
        .split(' ')
        .filter(|name| !name.is_empty())
        .map(|name| name.replace('\0', " "))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The variables that rustc has read, with their values; none is a variable that was not set.
fn variables(list: &str) -> impl Iterator<Item = (&str, Option<String>)> {
    list.lines().filter_map(|line| line.strip_prefix("# env-dep:")).map(|line| match line.split_once('=') {
        Some((name, value)) => (name, Some(unescaped(value))),
        None => (line, None),
    })
}

fn unescaped(text: &str) -> String {
    let mut rest = text.chars();
    let mut plain = String::new();
    while let Some(character) = rest.next() {
        plain.push(match (character, rest.clone().next()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('r')) => '\r',
            ('\\', Some('\\')) => '\\',
            _ => {
                plain.push(character);
                continue;
            }
        });
        let _ = rest.next();
    }
    plain
}

/// The 64-bit FNV-1a hash, as the macro computes it.
fn hash(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_the_code_is_listed_once_and_by_relative_names() {
        let place = tempfile::tempdir().unwrap();
        let working = place.path().canonicalize().unwrap();
        let folder = working.join("kernels");
        for name in ["kernels/src", "kernels/data", "out", "shared dir"] {
            std::fs::create_dir_all(working.join(name)).unwrap();
        }
        let names =
            ["kernels/src/lib.rs", "kernels/Cargo.toml", "kernels/data/t.txt", "out/made.rs", "shared dir/x.rs"];
        names.iter().for_each(|name| std::fs::write(working.join(name), "a").unwrap());
        let list = format!(
            "x.d: {}\n\nx: y\n\n# env-dep:OUT_DIR={}\n# env-dep:BK_N\n# env-dep:SET=a\n# env-dep:CARGO_PKG_NAME=k\n",
            names.map(|name| name.replace(' ', "\\ ")).join(" "),
            working.join("out").display(),
        );
        let a = hash(b"a");
        assert_eq!(a, "af63dc4c8601ec8c");
        let wanted = [
            "env\tBK_N\tnone".to_owned(),
            format!("env\tSET\t{a}"),
            format!("file\t../shared dir/x.rs\t{a}"),
            format!("file\tOUT_DIR/made.rs\t{a}"),
            format!("file\tdata/t.txt\t{a}"),
        ];
        assert_eq!(lines(&list, &folder, &working), wanted);
        assert_eq!(unescaped("a\\nb\\\\n\\x"), "a\nb\\n\\x");
    }
}
