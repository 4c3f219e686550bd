//! The functions around an instruction: the one that it is written in, those that this one was inlined into, and those
//! that called them. A report begins with the user's line, whatever library its code is from.

/// The number of functions that are shown.
const MOST: usize = 5;
/// Where the crate with the kernels' types has its functions, and the traits that types of the user implement.
const CRATE: &str = "offload::";

/// A line of the program's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the debug information names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A function, and the line in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function's name in the image; empty if it is unknown.
    pub function: String,
    /// The line of the instruction, or of the call of the function before this one. None without line tables.
    pub place: Option<Place>,
}

/// The name of a symbol in the Rust program, without its hash; the symbol itself if it is not one of rustc's.
pub(crate) fn demangled(symbol: &str) -> String {
    rustc_demangle::try_demangle(symbol).map_or_else(|_| symbol.to_owned(), |name| format!("{name:#}"))
}

/// Who has written the code of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// The user, in a package of the workspace.
    User,
    /// The author of a package that cargo has downloaded.
    Package,
    /// Rust's own libraries, or the crate with the kernels' types.
    Library,
}

/// The frames of an instruction, the innermost first. The outermost one is the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames(pub Vec<Frame>);

impl Frames {
    /// The innermost line that the user has written; without one, that of another package, and at last that of the
    /// instruction itself.
    pub fn place(&self) -> Option<&Place> {
        let owners = self.owners();
        let of = |owner: Owner| {
            let mut all = self.0.iter().zip(&owners).filter(|(_, is)| **is == owner);
            all.find_map(|(frame, _)| frame.place.as_ref())
        };
        of(Owner::User).or_else(|| of(Owner::Package)).or_else(|| of(Owner::Library))
    }

    /// The lines of a report that name the functions from the error to the kernel. Without a call there are none. If
    /// functions of libraries call each other, only the one that the user's code calls is shown.
    pub fn lines(&self) -> Vec<String> {
        let owners = self.owners();
        // The callers of the user's outermost function are the code around every kernel.
        let end = owners.iter().rposition(|owner| *owner != Owner::Library).map_or(self.0.len(), |last| last + 1);
        let is_shown = |i: &usize| owners[*i] != Owner::Library || i + 1 == end || owners[i + 1] != Owner::Library;
        let mut shown: Vec<&Frame> = (0..end).filter(is_shown).map(|i| &self.0[i]).collect();
        // The report names the kernel anyway.
        let _kernel = shown.pop_if(|kernel| kernel.place.is_none());
        if shown.len() == 1 && (self.0.len() == 1 || end < self.0.len()) && shown[0].place.as_ref() == self.place() {
            return Vec::new();
        }
        let all = shown.len();
        let mut lines: Vec<_> = shown.into_iter().map(line).collect();
        if all > MOST {
            let (first, last) = (MOST / 2, MOST - MOST / 2 - 1);
            let _between = lines.splice(first..all - last, ["…".to_owned()]);
        }
        lines
    }

    fn owners(&self) -> Vec<Owner> {
        // The function at the end may have the user's name, which the crate gives the kernel around the user's
        // function. Its file is one of the crate's.
        let folders: Vec<_> =
            self.0.iter().filter(|frame| is_of_the_crate(&frame.function)).filter_map(folder).collect();
        self.0.iter().map(|frame| owner(frame, &folders)).collect()
    }
}

fn line(Frame { function, place }: &Frame) -> String {
    let name =
        if function.is_empty() { "an unknown function".to_owned() } else { format!("`{}`", demangled(function)) };
    match place {
        Some(Place { file, line }) => format!("in {name} ({}:{line})", in_short(file)),
        None => format!("in {name}"),
    }
}

fn owner(frame: &Frame, folders: &[&str]) -> Owner {
    let Some(Place { file, .. }) = &frame.place else { return Owner::User };
    let is_rusts = file.starts_with("/rustc/") || behind_library(file).is_some();
    match () {
        () if is_rusts || is_of_the_crate(&frame.function) => Owner::Library,
        () if folders.iter().any(|folder| file.starts_with(folder)) => Owner::Library,
        () if behind_package(file).is_some() => Owner::Package,
        () => Owner::User,
    }
}

/// The folder with the sources of a frame's crate.
fn folder(frame: &Frame) -> Option<&str> {
    let file = &frame.place.as_ref()?.file;
    file.rfind("/src/").filter(|_| behind_library(file).is_none()).map(|at| &file[..at + "/src/".len()])
}

/// Whether a function, by its name in the image, belongs to the crate with the kernels' types. A user's implementation
/// of one of its traits does not.
fn is_of_the_crate(symbol: &str) -> bool {
    let path = demangled(symbol);
    let path = path.trim_start_matches(['<', '&']);
    let of_a_parameter = || path.split_once(" as offload::").is_some_and(|(ty, _)| !ty.contains("::"));
    path.starts_with(CRATE) || of_a_parameter()
}

/// A path in Rust's own libraries, from its folder `library`.
fn behind_library(file: &str) -> Option<&str> {
    let folders = ["library/core/", "library/std/", "library/alloc/"];
    let start = |folder: &str| match file.starts_with(folder) {
        true => Some(0),
        false => file.find(&format!("/{folder}")).map(|at| at + 1),
    };
    folders.into_iter().find_map(start).map(|at| &file[at..])
}

/// A path in a package that cargo has downloaded, from the package's folder. Cargo keeps those of a registry in
/// `registry/src/NAME/`, and those of git in `git/checkouts/`.
fn behind_package(file: &str) -> Option<&str> {
    let of_registry = || file.split_once("/registry/src/")?.1.split_once('/').map(|(_, inside)| inside);
    of_registry().or_else(|| file.split_once("/git/checkouts/").map(|(_, inside)| inside))
}

/// The path of a file as a report shows it.
fn in_short(file: &str) -> &str {
    behind_library(file).or_else(|| behind_package(file)).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::{Frame, Frames, Place};

    const APP: &str = "/me/app/src/main.rs";
    const CRATE: &str = "/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/offload-kernels-0.1.0/src";
    const CORE: &str = "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src";

    fn frames(all: &[(&str, &str, u32)]) -> Frames {
        let place = |file: &str, line| (line != 0).then(|| Place { file: file.to_owned(), line });
        let frame = |(function, file, line): &(&str, &str, u32)| Frame {
            function: (*function).to_owned(),
            place: place(file, *line),
        };
        Frames(all.iter().map(frame).collect())
    }

    #[track_caller]
    fn check(all: &[(&str, &str, u32)], at: Option<(&str, u32)>, lines: &[&str]) {
        let frames = frames(all);
        let place = frames.place().map(|Place { file, line }| (file.as_str(), *line));
        assert_eq!((place, frames.lines()), (at, lines.iter().map(|line| (*line).to_owned()).collect()));
    }

    /// The code of the crate around the function of a kernel; the last one has the kernel's name.
    fn with_glue<'a>(inside: &[(&'a str, &'a str, u32)], files: &'a [String; 3]) -> Vec<(&'a str, &'a str, u32)> {
        let glue = [
            ("core::ops::function::Fn::call", files[0].as_str(), 79),
            ("<F as offload::param::ScopedCallable<(A,)>>::run", files[1].as_str(), 494),
            ("app::k", files[2].as_str(), 268),
        ];
        [inside, &glue[..]].concat()
    }

    #[test]
    fn the_users_line_is_first() {
        let (read, get) = (format!("{CORE}/ptr/mod.rs"), format!("{CRATE}/slice.rs"));
        let files = [format!("{CORE}/ops/function.rs"), format!("{CRATE}/param.rs"), format!("{CRATE}/launch.rs")];
        // A function of a library that calls another one, in a function that the kernel calls.
        check(
            &with_glue(
                &[
                    ("core::ptr::read", &read, 1717),
                    ("core::ptr::const_ptr::read", &read, 9),
                    ("app::right", APP, 30),
                    ("app::k", APP, 19),
                ],
                &files,
            ),
            Some((APP, 30)),
            &[
                "in `core::ptr::const_ptr::read` (library/core/src/ptr/mod.rs:9)",
                "in `app::right` (/me/app/src/main.rs:30)",
                "in `app::k` (/me/app/src/main.rs:19)",
            ],
        );
        // The crate calls a closure of the user.
        check(
            &with_glue(
                &[("app::k::{closure#0}", APP, 8), ("offload::block::reduce", &get, 5), ("app::k", APP, 7)],
                &files,
            ),
            Some((APP, 8)),
            &[
                "in `app::k::{closure#0}` (/me/app/src/main.rs:8)",
                "in `offload::block::reduce` (offload-kernels-0.1.0/src/slice.rs:5)",
                "in `app::k` (/me/app/src/main.rs:7)",
            ],
        );
        // The kernel itself, and the code around it, which no line of the user leads to.
        check(&with_glue(&[("app::k", APP, 19)], &files), Some((APP, 19)), &[]);
        let glue = with_glue(&[], &files);
        check(&glue, Some((&files[0], 79)), &["in `app::k` (offload-kernels-0.1.0/src/launch.rs:268)"]);
        check(&glue[2..], Some((&files[2], 268)), &[]);
    }

    #[test]
    fn another_package_comes_before_rusts_libraries() {
        let other = "/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/glam-0.30.9/src/vec3.rs";
        let git = "/me/.cargo/git/checkouts/glam-0123/abcd/src/vec3.rs";
        let core = "/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/ops/index.rs";
        let own = "/me/library/src/core/lib.rs";
        let lines = |file: &str, end: &str| {
            let shown = ["core::ops::index::Index::index", "glam::Vec3::dot", "app::k"];
            let files = ["library/core/src/ops/index.rs:3", file, end];
            std::iter::zip(shown, files).map(|(name, file)| format!("in `{name}` ({file})")).collect::<Vec<_>>()
        };
        let index = ("core::ops::index::Index::index", core, 3);
        for (file, short) in [(other, "glam-0.30.9/src/vec3.rs:4"), (git, "glam-0123/abcd/src/vec3.rs:4")] {
            let all = [index, ("glam::Vec3::dot", file, 4), ("app::k", own, 5)];
            let lines = lines(short, "/me/library/src/core/lib.rs:5");
            check(&all, Some((own, 5)), &lines.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(frames(&all[..2]).place().map(|place| place.line), Some(4));
        }
    }

    #[test]
    fn a_type_of_the_user_is_not_the_crates() {
        let all = [("<app::Sum as offload::Combine>::combine", APP, 4), ("app::k", APP, 5)];
        check(
            &all,
            Some((APP, 4)),
            &[
                "in `<app::Sum as offload::Combine>::combine` (/me/app/src/main.rs:4)",
                "in `app::k` (/me/app/src/main.rs:5)",
            ],
        );
    }

    #[test]
    fn without_line_tables_there_are_names() {
        check(&[("app::k", "", 0)], None, &[]);
        check(&[("app::f", "", 0), ("", "", 0), ("app::k", "", 0)], None, &["in `app::f`", "in an unknown function"]);
        check(&[], None, &[]);
    }

    #[test]
    fn a_long_chain_is_short() {
        let names: Vec<_> = (0..9).map(|number| format!("app::f{number}")).collect();
        let all: Vec<_> = names.iter().map(|name| (name.as_str(), APP, 7)).collect();
        let lines = frames(&all).lines();
        assert_eq!(lines.len(), 5);
        assert!(lines[1].contains("`app::f1`") && lines[3].contains("`app::f7`"), "{lines:?}");
        assert_eq!(lines[2], "…");
        assert_eq!(frames(&all[..5]).lines().len(), 5);
        assert!(frames(&all[..5]).lines().iter().all(|line| line.contains("app::f")));
    }
}
