//! Words, numbers and marks of a PTX text.

use super::{Parsed, SyntaxError};

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'text> {
    /// A name, with its `%` if it has one.
    Name(&'text str),
    /// `.word`, without the period.
    Dot(&'text str),
    /// An integer, as the 64 bits of its value.
    Integer(u64),
    /// `0f3F800000`: the bits of a float of 32 bits.
    Float32(u32),
    /// `0d3FF0000000000000` or a decimal float: the bits of a float of 64 bits.
    Float64(u64),
    /// A text in quotation marks.
    Text(&'text str),
    /// A punctuation mark.
    Mark(char),
    /// After the last token.
    End,
}

pub(super) struct Lexer<'text> {
    text: &'text str,
    position: usize,
    line: u32,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl<'text> Lexer<'text> {
    pub(super) fn new(text: &'text str) -> Lexer<'text> {
        Lexer { text, position: 0, line: 1 }
    }

    /// All tokens with their lines and where they begin.
    pub(super) fn tokens(mut self) -> Parsed<Vec<(Token<'text>, u32, usize)>> {
        let mut tokens = Vec::with_capacity(self.text.len() / 5);
        loop {
            self.skip_space()?;
            let begin = self.position;
            match self.token()? {
                Token::End => return Ok(tokens),
                token => tokens.push((token, self.line, begin)),
            }
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.position + ahead).copied().unwrap_or(0)
    }

    fn error<T>(&self, message: &str) -> Parsed<T> {
        Err(SyntaxError { line: self.line, message: message.to_owned() })
    }

    fn skip_space(&mut self) -> Parsed<()> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.position += 1;
                }
                (b' ' | b'\t' | b'\r', _) => self.position += 1,
                (b'/', b'/') => self.position += self.text[self.position..].find('\n').unwrap_or(self.rest().len()),
                (b'/', b'*') => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Parsed<()> {
        let Some(length) = self.rest().find("*/") else { return self.error("a comment does not end") };
        self.line += self.rest()[..length].matches('\n').count() as u32;
        self.position += length + 2;
        Ok(())
    }

    fn rest(&self) -> &'text str {
        &self.text[self.position..]
    }

    /// The longest run of bytes that `is_part` accepts after the first `begin` bytes, with these.
    fn run(&mut self, begin: usize, is_part: impl Fn(u8) -> bool) -> &'text str {
        let rest = self.rest();
        let length = rest.as_bytes().iter().skip(begin).take_while(|byte| is_part(**byte)).count() + begin;
        self.position += length;
        &rest[begin..length]
    }

    fn token(&mut self) -> Parsed<Token<'text>> {
        match self.byte(0) {
            0 => Ok(Token::End),
            b'0'..=b'9' => self.number(),
            b'"' => self.quoted(),
            b'.' if is_word(self.byte(1)) => Ok(Token::Dot(self.run(1, |byte| is_word(byte) || byte == b':'))),
            b'%' => {
                let rest = self.rest();
                let name = self.run(1, is_word);
                Ok(Token::Name(&rest[..name.len() + 1]))
            }
            byte if is_word(byte) => Ok(Token::Name(self.run(0, is_word))),
            byte if byte.is_ascii_graphic() => {
                self.position += 1;
                Ok(Token::Mark(byte as char))
            }
            _ => self.error("a byte that no PTX has"),
        }
    }

    fn quoted(&mut self) -> Parsed<Token<'text>> {
        let text = self.run(1, |byte| byte != b'"' && byte != b'\n');
        if self.byte(0) != b'"' {
            return self.error("a text does not end");
        }
        self.position += 1;
        Ok(Token::Text(text))
    }

    fn number(&mut self) -> Parsed<Token<'text>> {
        let word = self.run(0, is_word);
        let bits = |digits: &str| u64::from_str_radix(digits, 16).ok();
        let lower = word.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("0f").filter(|digits| digits.len() == 8).and_then(bits) {
            return Ok(Token::Float32(value as u32));
        }
        if let Some(value) = lower.strip_prefix("0d").filter(|digits| digits.len() == 16).and_then(bits) {
            return Ok(Token::Float64(value));
        }
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            return self.decimal_float(word);
        }
        match integer(&lower) {
            Some(value) => Ok(Token::Integer(value)),
            None => self.error(&format!("`{word}` is no number")),
        }
    }

    fn decimal_float(&mut self, whole: &str) -> Parsed<Token<'text>> {
        let fraction = self.run(1, |byte| byte.is_ascii_alphanumeric());
        match format!("{whole}.{fraction}").parse::<f64>() {
            Ok(value) => Ok(Token::Float64(value.to_bits())),
            Err(_) => self.error("a number that is no float"),
        }
    }
}

/// Decimal, hexadecimal, octal and binary, with `U` for unsigned ones.
fn integer(word: &str) -> Option<u64> {
    let word = word.strip_suffix('u').unwrap_or(word);
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = word.strip_prefix("0b") {
        return u64::from_str_radix(digits, 2).ok();
    }
    if word.len() > 1 && word.starts_with('0') {
        return u64::from_str_radix(&word[1..], 8).ok();
    }
    word.parse().ok()
}
