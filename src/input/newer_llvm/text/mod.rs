//! Rewrites IR text of a newer LLVM for our version.
//!
//! Most of the syntax is the same in both versions; each rule rewrites one construct that differs. A rule is exact, or
//! it weakens the promise of an attribute. If no rule rewrites a construct and our LLVM does not know it, our parser
//! refuses it.
//!
//! | LLVM 23 | LLVM 22 | rule |
//! |---|---|---|
//! | `memory(read, target_mem: none)` | `memory(read)` | `memory_effects.rs` |
//! | `module asm(target_cpu: "x86-64")`, then lines `"…"` | `module asm "…"` for each line | `module_assembly.rs` |
//! | `float 1.000000e-01`, `half f0x3C00`, `double +inf` | `float 0x3FB99999A0000000`, … | `floats.rs` |
//!
//! This folder needs neither LLVM nor the rest of the compiler, so that `build.rs` can use it too.

mod floats;
mod memory_effects;
mod module_assembly;

use floats::Format;

/// A construct that no rule can express in our version of LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inexpressible {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The construct, and why it cannot be rewritten.
    pub(crate) what: String,
}

/// Rewrites a module for our LLVM. Line numbers do not change.
///
/// `newer`: the text is known to be of a newer LLVM. Otherwise only constructs that no older LLVM writes are rewritten.
pub(crate) fn rewrite(text: &str, newer: bool) -> Result<String, Inexpressible> {
    let target_memory = newer || text.contains("target_mem");
    let output = String::with_capacity(text.len());
    let mut rewriter = Rewriter { text, target_memory, position: 0, copied: 0, output };
    let rewritten = rewriter.run();
    let position = rewriter.position;
    let line = || 1 + text[..position].matches('\n').count();
    rewritten.map_err(|what| Inexpressible { line: line(), what })?;
    rewriter.output.push_str(&text[rewriter.copied..]);
    Ok(rewriter.output)
}

/// A pass over the text, token by token. Tokens that no rule matches are copied.
struct Rewriter<'a> {
    text: &'a str,
    /// Whether target memory is distinguished, as in newer versions of LLVM.
    target_memory: bool,
    /// The start of the next token.
    position: usize,
    /// The end of the text that has been copied to `output`.
    copied: usize,
    output: String,
}

/// The floating-point type in force at each depth of brackets. The type of a literal is written before it, at the same
/// depth or outside.
///
/// ```llvm
/// %3 = phi half [ +inf, %1 ], [ %2, %0 ]
/// call void @f(float 1.0e-01, <2 x double> <double +inf, double 1.0>)
/// ```
struct Types(Vec<Option<Format>>);

impl Types {
    fn current(&mut self) -> &mut Option<Format> {
        if self.0.is_empty() {
            self.0.push(None);
        }
        self.0.last_mut().expect("there is always one")
    }

    fn open(&mut self) {
        let inherited = *self.current();
        self.0.push(inherited);
    }

    fn close(&mut self) {
        let _ = self.0.pop();
    }

    /// A statement ends at the end of its line, unless brackets are open.
    fn end_line(&mut self) {
        if self.0.len() <= 1 {
            self.0.clear();
        }
    }
}

impl<'a> Rewriter<'a> {
    fn run(&mut self) -> Result<(), String> {
        let mut types = Types(Vec::new());
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.skip_string(),
                b';' => self.skip_while(|byte| byte != b'\n'),
                b'%' | b'@' | b'!' | b'#' | b'$' | b'^' => self.skip_name(),
                b'(' | b'[' | b'{' | b'<' => self.step(|()| types.open()),
                b')' | b']' | b'}' | b'>' => self.step(|()| types.close()),
                b'\n' => self.step(|()| types.end_line()),
                byte if is_word(byte) => self.word(&mut types)?,
                _ => self.step(|()| ()),
            }
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn step(&mut self, then: impl FnOnce(())) {
        self.position += 1;
        then(());
    }

    fn skip_while(&mut self, holds: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.position..];
        self.position += rest.iter().position(|byte| !holds(*byte)).unwrap_or(rest.len());
    }

    /// In a string, a quote is written as `\22`, so the next quote is the end.
    fn skip_string(&mut self) {
        self.position += 1;
        self.skip_while(|byte| byte != b'"');
        self.position = self.text.len().min(self.position + 1);
    }

    /// A sigil and the name after it. A quoted name is the next token.
    fn skip_name(&mut self) {
        self.position += 1;
        self.skip_while(|byte| is_word(byte) || byte == b'\\');
    }

    fn word(&mut self, types: &mut Types) -> Result<(), String> {
        let start = self.position;
        self.skip_while(is_word);
        let word = &self.text[start..self.position];
        if let Some(format) = Format::named(word) {
            *types.current() = Some(format);
        } else if floats::is_literal(word) {
            let literal = self.literal(start);
            let format = types.current().ok_or_else(|| format!("`{literal}` without a floating-point type"))?;
            self.replace(start, floats::respell(format, literal)?);
        } else if word == "memory" && self.target_memory && self.peek() == Some(b'(') {
            let list = self.parenthesized(self.position);
            self.position += list.len();
            self.replace(start, format!("memory({})", memory_effects::without_target_memory(inside(list))?));
        } else if word == "asm" && self.text[..start].ends_with(module_assembly::BEFORE) {
            let begin = start - module_assembly::BEFORE.len();
            let (length, new) = module_assembly::each_line_by_itself(&self.text[self.position..])?;
            self.position += length;
            self.replace(begin, new);
        }
        Ok(())
    }

    /// A floating-point literal with its payload: `+nan(0x1)`.
    fn literal(&mut self, start: usize) -> &'a str {
        if floats::has_payload(&self.text[start..self.position]) && self.peek() == Some(b'(') {
            self.position += self.parenthesized(self.position).len();
        }
        &self.text[start..self.position]
    }

    /// The text from one parenthesis to the next closing one, inclusive; or to the end of the line.
    fn parenthesized(&self, start: usize) -> &'a str {
        let rest = self.text[start..].split('\n').next().unwrap_or_default();
        rest.split_inclusive(')').next().unwrap_or_default()
    }

    /// Replaces the text from `start` to the current position.
    fn replace(&mut self, start: usize, new: String) {
        if new != self.text[start..self.position] {
            self.output.push_str(&self.text[self.copied..start]);
            self.output.push_str(&new);
            self.copied = self.position;
        }
    }
}

/// The text without its parentheses.
fn inside(list: &str) -> &str {
    list.trim_start_matches('(').trim_end_matches(')')
}

/// Whether a byte can be part of a keyword, number or name.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_' | b'$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_alike_stays_to_the_letter() {
        let text = "; memory(target_mem: none) half +inf\n\
            @\"float +inf\" = constant [9 x i8] c\"half +inf\"\n\
            define double @f(double %f0x1, float %+inf) memory(argmem: read, inaccessiblemem: read) {\n  \
            %1.0 = fadd double %f0x1, 1.000000e-01\n  ret double %1.0\n}\n";
        assert_eq!(rewrite(text, true).unwrap(), text);
    }

    #[test]
    fn a_literal_has_the_type_before_it_at_its_depth() {
        let half_in_double =
            "%3 = fadd double bitcast (<4 x half> <half 1.0, half 1.0, half 1.0, half 1.0> to double), +inf";
        assert_eq!(
            rewrite(half_in_double, true).unwrap(),
            "%3 = fadd double bitcast (<4 x half> <half 0xH3C00, half 0xH3C00, half 0xH3C00, half 0xH3C00> to double), \
             0x7FF0000000000000"
        );
        let phi = "%3 = phi half [ +inf, %1 ], [ -inf, %0 ]\n";
        assert_eq!(rewrite(phi, true).unwrap(), "%3 = phi half [ 0xH7C00, %1 ], [ 0xHFC00, %0 ]\n");
    }

    #[test]
    fn a_literal_without_a_type_is_refused_with_its_line() {
        let refused = rewrite("; one\n%x = fadd float 1.0, 1.0\nret +inf\n", true).unwrap_err();
        assert_eq!((refused.line, &*refused.what), (3, "`+inf` without a floating-point type"));
    }

    #[test]
    fn module_assembly_loses_its_properties() {
        let text = "module asm(target_cpu: \"x86-64\", target_features: \"+sse3,(\")\n    \"a(b):\"\n    \"ret\"\n\n@x = \
                    global i8 0\nmodule asm \"c\"\nmodule asm\n  \"d\"";
        let wanted = "\n    module asm \"a(b):\"\n    module asm \"ret\"\n\n@x = global i8 0\nmodule asm \"c\"\n\n  \
                      module asm \"d\"";
        assert_eq!(rewrite(text, true).unwrap(), wanted);
        let refused = rewrite("module asm(dialect: \"intel\") \"ret\"\n", true).unwrap_err();
        assert_eq!(refused.what, "`module asm` with `dialect`");
    }

    #[test]
    fn no_input_makes_it_run_over() {
        for text in [
            "module asm(",
            "module asm(target_cpu: \"",
            "module asm(é",
            "\"",
            "memory(",
            "half +nan(",
            ")))>>",
            "%",
            "half 1.0",
            "half f0x",
            "é+inf",
        ] {
            let _ = rewrite(text, true);
        }
    }
}
