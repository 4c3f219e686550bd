//! Symbols for kernels that the crate `offload` names: its entry points are instances of one function, and profilers,
//! debuggers and emulators show a kernel by its symbol.

/// The longest part of a symbol. The names of types may have thousands of characters.
const LONGEST: usize = 64;

/// A symbol that demangles to a path, such as that of `type_name`. Characters that not all containers can spell become
/// underscores. The number at its end is that of `unique`, a symbol of the same program.
pub fn mangle(path: &str, unique: &str) -> String {
    let parts: String =
        split(path).iter().map(|part| spelled(part)).map(|part| format!("{}{part}", part.len())).collect();
    format!("_ZN{parts}17h{:016x}E", number_of(unique))
}

/// The parts of a path between `::` outside of all brackets.
fn split(path: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0_usize, 0);
    for (at, character) in path.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' if path[..at].ends_with('-') => {}
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && path[at..].starts_with("::") => {
                parts.push(&path[begin..at]);
                begin = at + 2;
            }
            _ => {}
        }
    }
    parts.push(&path[begin..]);
    parts
}

/// The words of a part, joined by underscores. It begins with no digit, or the digits of its length would be longer.
fn spelled(part: &str) -> String {
    let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let words: Vec<_> = part.split(is_other).filter(|word| !word.is_empty()).collect();
    let text: String = words.join("_").chars().take(LONGEST).collect();
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { text } else { format!("_{text}") }
}

/// The FNV-1a hash of a symbol, which is the same in every build.
fn number_of(symbol: &str) -> u64 {
    symbol.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::mangle;
    use crate::rust_std::demangle::demangle;

    #[test]
    fn symbols_are_plain_and_demangle_to_their_paths() {
        for (path, shown) in [
            ("app::reverse", "app::reverse"),
            ("app::main::{{closure}}", "app::main::closure"),
            ("app::scale<f32>", "app::scale_f32"),
            ("app::map<alloc::vec::Vec<u8>, fn(i32) -> a::B>::run", "app::map_alloc_vec_Vec_u8_fn_i32_a_B::run"),
            ("<app::T as app::Run<4>>::run", "app_T_as_app_Run_4::run"),
            ("crâne::2", "cr_ne::_2"),
            ("", "_"),
        ] {
            let symbol = mangle(path, "entry");
            assert!(symbol.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_'), "{symbol}");
            assert_eq!(demangle(&symbol), shown, "{symbol}");
        }
        assert!(mangle(&"x".repeat(5000), "entry").len() < 100);
        assert_ne!(mangle("app::reverse", "entry"), mangle("app::reverse", "entry.1"));
    }
}
