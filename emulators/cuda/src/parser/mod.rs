//! PTX text to a tree, after the PTX ISA reference. Names stay names: `program` resolves them.

mod body;
mod directives;
mod lexer;
mod operands;
pub(crate) mod tree;

use std::fmt;

use lexer::{Lexer, Token};
pub(crate) use tree::*;

/// A text that is no PTX.
#[derive(Clone, Debug)]
pub(crate) struct SyntaxError {
    /// The line in the PTX text, from 1.
    pub(crate) line: u32,
    /// The token that was found, and the expected one.
    pub(crate) message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

type Parsed<T> = Result<T, SyntaxError>;

/// The module of a PTX text.
pub(crate) fn parse(text: &str) -> Parsed<Module> {
    let mut parser = Parser { tokens: Lexer::new(text).tokens()?, position: 0, text, registers: 0 };
    let mut module = Module::default();
    while !parser.at_end() {
        parser.directive(&mut module)?;
    }
    Ok(module)
}

/// The tokens of a text, and the next one.
struct Parser<'text> {
    tokens: Vec<(Token<'text>, u32, usize)>,
    position: usize,
    text: &'text str,
    /// How many registers have been declared.
    registers: usize,
}

impl<'text> Parser<'text> {
    fn at_end(&self) -> bool {
        self.position >= self.tokens.len()
    }

    fn peek(&self) -> Token<'text> {
        self.peek_after(0)
    }

    fn peek_after(&self, count: usize) -> Token<'text> {
        self.tokens.get(self.position + count).map_or(Token::End, |(token, _, _)| *token)
    }

    fn next(&mut self) -> Token<'text> {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn line(&self) -> u32 {
        let last = self.position.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(last).map_or(1, |(_, line, _)| *line)
    }

    /// Where the next token begins in the text.
    fn offset(&self) -> usize {
        self.tokens.get(self.position).map_or(self.text.len(), |(_, _, offset)| *offset)
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError { line: self.line(), message: message.into() })
    }

    /// Takes a punctuation mark if it is next.
    fn take(&mut self, mark: char) -> bool {
        let is_next = self.peek() == Token::Mark(mark);
        self.position += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.take(mark) { Ok(()) } else { self.error(format!("`{mark}` is missing before {:?}", self.peek())) }
    }

    /// Takes `.word` if it is next.
    fn take_dot(&mut self, word: &str) -> bool {
        let is_next = self.peek() == Token::Dot(word);
        self.position += usize::from(is_next);
        is_next
    }

    fn name(&mut self) -> Parsed<&'text str> {
        match self.next() {
            Token::Name(name) => Ok(name),
            other => {
                self.position -= 1;
                self.error(format!("a name is missing before {other:?}"))
            }
        }
    }

    fn integer(&mut self) -> Parsed<i64> {
        let negative = self.take('-');
        match self.next() {
            Token::Integer(value) => Ok(if negative { (value as i64).wrapping_neg() } else { value as i64 }),
            other => {
                self.position -= 1;
                self.error(format!("an integer is missing before {other:?}"))
            }
        }
    }

    fn skip_to_semicolon(&mut self) {
        while !self.at_end() && !self.take(';') {
            self.position += 1;
        }
    }
}
