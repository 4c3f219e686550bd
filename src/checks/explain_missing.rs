//! Explains why no body was found for a function, and suggests remedies.

use crate::diagnostics::Code;
use crate::input::bodies::{MissingBody, OwningLibrary};

/// The explanation of a missing body.
pub struct Explanation {
    /// The cause.
    pub code: Code,
    /// The text after the function's name and a comma.
    pub why: String,
    /// The user's options, in order.
    pub help: Vec<String>,
}

/// Explains a missing body.
pub fn explain_missing(missing: &MissingBody) -> Explanation {
    match missing {
        MissingBody::NoBitcode(owner) => no_bitcode(owner),
        MissingBody::OtherBuild(owner) => other_build(owner),
        MissingBody::NoLibrary(krate) => Explanation {
            code: Code::NoDeviceCode,
            why: "which has no device code".to_owned(),
            help: vec![format!(
                "its body is in crate `{krate}`: name that crate's rlib with `--extern-rlib`, or a folder of rlibs or \
                 cargo's folder of the profile with `-L`, such as `-L target/release`"
            )],
        },
        MissingBody::NoSysroot(why) => Explanation {
            code: Code::NoSysroot,
            why: format!("whose body is in Rust's own library, which was not found: {why}"),
            help: vec!["name the sysroot of the rustc that wrote the input with `--sysroot`".to_owned()],
        },
    }
}

fn no_bitcode(owner: &OwningLibrary) -> Explanation {
    let help = if owner.of_rust {
        vec!["use a toolchain whose standard library contains bitcode, such as rustup's".to_owned()]
    } else {
        vec![
            "Cargo leaves bitcode out unless these two lines in `.cargo/config.toml` ask for it: `[build]` and \
             `rustflags = [\"-C\", \"embed-bitcode=yes\"]`"
                .to_owned(),
            "for one build, `RUSTFLAGS='-C embed-bitcode=yes' cargo build` does the same".to_owned(),
        ]
    };
    Explanation {
        code: Code::NoBitcode,
        why: format!("but crate `{}` was compiled without bitcode: `{}`", owner.krate, owner.library.display()),
        help,
    }
}

fn other_build(owner: &OwningLibrary) -> Explanation {
    let help = if owner.of_rust {
        "name the sysroot of the rustc that wrote the input with `--sysroot`"
    } else {
        "name the rlib that the input was compiled with; a clean build leaves only that one"
    };
    Explanation {
        code: Code::OtherBuild,
        why: format!("which is of another build of crate `{}` than `{}`", owner.krate, owner.library.display()),
        help: vec![help.to_owned()],
    }
}
