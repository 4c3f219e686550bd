//! Machine code that uses the device contract, which only offloadc can define, in modules.

use std::collections::BTreeSet;
use std::path::Path;

use super::files::NativeCode;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::input::sysroot::crate_of;

/// Refuses such machine code. Unit tests may have stand-ins for builtins in the machine code of the crate `offload`.
pub(super) fn refuse<'a>(
    native: impl Iterator<Item = (&'a Path, &'a NativeCode)> + Clone,
    diagnostics: &mut Diagnostics,
) {
    let defined: BTreeSet<&String> = native.clone().flat_map(|(_, code)| &code.defined).collect();
    for (path, code) in native {
        if let Some(name) = code.used.iter().find(|name| !defined.contains(name)) {
            diagnostics.push(native_use(path, code, name));
        }
    }
}

fn native_use(path: &Path, code: &NativeCode, name: &str) -> Diagnostic {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    // rustc's objects of the crate that it links: `app-52a1743dab7eabdf.9tnubsft.rcgu.o`.
    let own = file.strip_suffix(".rcgu.o").and_then(|name| name.split(['-', '.']).next());
    let what = match crate_of(path).filter(|_| code.is_crate).or(own) {
        Some(krate) => format!("the crate `{krate}`"),
        None => format!("`{file}`"),
    };
    let message = format!("{what} uses `{name}` of the device contract, but is machine code and not LLVM bitcode");
    let diagnostic = Diagnostic::coded(Code::NativeUse, message).note(format!("it is in `{}`", path.display()));
    diagnostic
        .help(
            "`cargo offloadc` leaves a crate as bitcode if it depends on the crate `offload`, or if its manifest has \
               `kernels = true` in `[package.metadata.offload]`",
        )
        .help("without `cargo offloadc`, the flag is `-C linker-plugin-lto`")
}
