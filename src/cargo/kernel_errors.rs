//! rustc's errors about types that kernels cannot have. A struct that lacks `DeviceCopy` is an error at the kernel, and
//! again at each launch, and rustc does not know that the cause is the same.

use serde_json::Value;

/// The ends of the messages of the crate `offload`, after the type.
const ENDS: [&str; 6] = [
    "` cannot be a parameter of a kernel",
    "` is memory of the host, and cannot be a parameter of a kernel",
    "` cannot be copied to a device",
    "` cannot be launched as a kernel",
    "` cannot be launched in a scope",
    "` cannot be the parameters of a kernel",
];
/// The start of one with the type at its end.
const OF_SLICE: &str = "a kernel cannot take a slice of `";

/// The types that errors have been about.
#[derive(Debug, Default)]
pub(super) struct KernelErrors {
    types: Vec<String>,
    /// Whole types of parameters.
    parameters: Vec<String>,
    /// The names of types with parameters, such as `Mine` of `Mine<T>`.
    generic: Vec<String>,
}

impl KernelErrors {
    /// Whether a diagnostic is a consequence of an earlier one, about a type with the same struct in it, or one of the
    /// item with which the macro names a kernel in a check.
    pub(super) fn is_echo(&mut self, diagnostic: &Value) -> bool {
        let message = diagnostic["message"].as_str().unwrap_or_default();
        let Some(ty) = subject(message) else { return false };
        if diagnostic["level"] != "error" {
            return false;
        }
        let spans = diagnostic["spans"].as_array().into_iter().flatten();
        let of_macro = spans.into_iter().any(|span| span["expansion"]["macro_decl_name"] == "#[kernel]");
        let is_function = ty.starts_with("for<") || ty.starts_with("fn(");
        let is_of_parameter = message.ends_with("cannot be a parameter of a kernel");
        let is_repeated = !is_of_parameter && self.parameters.iter().any(|known| known == ty);
        let has_name = |known: &String| names(ty).any(|name| name == known);
        // The type of a parameter of a generic kernel is another one at each launch.
        let is_launch = is_function && self.generic.iter().any(has_name);
        if (of_macro && is_function) || is_repeated || is_launch || self.types.iter().any(has_name) {
            return true;
        }
        if !is_function && let Some((name, _)) = ty.trim_start_matches(['&', '[']).split_once('<') {
            self.generic.push(name.to_owned());
        }
        self.parameters.extend(is_of_parameter.then(|| ty.to_owned()));
        // Of a type that is made of others, any may be the cause.
        self.types.extend(names(ty).next().filter(|name| *name == ty).map(str::to_owned));
        false
    }
}

/// The type that a message is about.
fn subject(message: &str) -> Option<&str> {
    let whole = ENDS.iter().find_map(|end| message.strip_suffix(end)?.strip_prefix('`'));
    whole.or_else(|| message.strip_prefix(OF_SLICE)?.strip_suffix('`'))
}

/// The paths in a type.
fn names(ty: &str) -> impl Iterator<Item = &str> {
    ty.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(message: &str, of_macro: bool) -> Value {
        let expansion = if of_macro { json!({"macro_decl_name": "#[kernel]"}) } else { Value::Null };
        json!({"level": "error", "message": message, "spans": [{"expansion": expansion}]})
    }

    #[test]
    fn a_missing_derive_is_one_error() {
        let mut errors = KernelErrors::default();
        let mut echo = |message: &str| errors.is_echo(&error(message, false));
        assert!(!echo("`Point` cannot be a parameter of a kernel"));
        assert!(echo("`DisjointSlice<'_, Point>` cannot be a parameter of a kernel"));
        assert!(echo("`Point` cannot be copied to a device") && echo("a kernel cannot take a slice of `Point`"));
        assert!(
            !echo("`Points` cannot be copied to a device") && !echo("`&mut [f32]` cannot be a parameter of a kernel")
        );
        assert!(!echo("`&mut [f32]` cannot be a parameter of a kernel") && !echo("mismatched types"));
    }

    #[test]
    fn a_launch_repeats_no_error_of_a_parameter() {
        let mut errors = KernelErrors::default();
        let mut echo = |message: &str| errors.is_echo(&error(message, false));
        assert!(!echo("`Vec<f32>` cannot be copied to a device") && !echo("`Vec<f32>` cannot be copied to a device"));
        assert!(!echo("`Vec<f32>` is memory of the host, and cannot be a parameter of a kernel"));
        assert!(echo("`Vec<f32>` cannot be copied to a device") && !echo("`Vec<u8>` cannot be copied to a device"));
        assert!(!echo("`Vec<f32>` is memory of the host, and cannot be a parameter of a kernel"));
    }

    #[test]
    fn a_launch_repeats_no_error_of_a_generic_parameter() {
        let mut errors = KernelErrors::default();
        let mut echo = |message: &str| errors.is_echo(&error(message, false));
        let launch = |ty: &str| {
            format!("`for<'a> fn({ty}, DisjointSlice<'a, f32>) {{k::<f32>}}` cannot be launched as a kernel")
        };
        assert!(!echo(&launch("Mine<f32>")) && !echo("`Mine<T>` cannot be a parameter of a kernel"));
        assert!(echo(&launch("Mine<f32>")) && !echo(&launch("Mined<f32>")) && !echo(&launch("Box<f32>")));
        assert!(
            !echo("`Box<T>` is memory of the host, and cannot be a parameter of a kernel") && echo(&launch("Box<f32>"))
        );
        assert!(!echo("a kernel cannot take a slice of `own::Pair<T>`") && echo(&launch("&'a [own::Pair<f32>]")));
        assert!(!echo("`Mine<u8>` cannot be a parameter of a kernel"));
    }

    #[test]
    fn the_item_of_the_macro_adds_no_error() {
        let mut errors = KernelErrors::default();
        let message = "`for<'a> fn(&'a mut [f32]) {k}` cannot be launched as a kernel";
        assert!(errors.is_echo(&error(message, true)) && !errors.is_echo(&error(message, false)));
    }
}
