//! Instructions and their operands.

use super::lexer::Token;
use super::{Instruction, Operand, Parsed, Parser};

/// How deep lists and vectors may stand in each other.
const DEPTH: u32 = 16;

impl Parser<'_> {
    /// An instruction up to and with its semicolon.
    pub(super) fn instruction(&mut self) -> Parsed<Instruction> {
        let begin = self.offset();
        let guard = if self.take('@') {
            let is_negated = self.take('!');
            Some((self.name()?.to_owned(), is_negated))
        } else {
            None
        };
        let mut words = vec![self.name()?.to_owned()];
        while let Token::Dot(word) = self.peek() {
            words.push(word.to_owned());
            self.position += 1;
        }
        let mut operands = Vec::new();
        while self.peek() != Token::Mark(';') {
            operands.push(self.operand(0)?);
            if !self.take(',') && self.peek() != Token::Mark(';') {
                return self.error(format!("`;` is missing before {:?}", self.peek()));
            }
        }
        let text = self.text[begin..self.offset()].split_whitespace().collect::<Vec<_>>().join(" ");
        self.expect(';')?;
        Ok(Instruction { guard, words, operands, text })
    }

    fn operand(&mut self, depth: u32) -> Parsed<Operand> {
        if depth > DEPTH {
            return self.error("an operand is nested too deep");
        }
        let first = self.simple_operand(depth)?;
        if self.take('|') {
            return Ok(Operand::Pair(Box::new(first), Box::new(self.simple_operand(depth)?)));
        }
        Ok(first)
    }

    fn simple_operand(&mut self, depth: u32) -> Parsed<Operand> {
        if self.take('{') {
            return Ok(Operand::Vector(self.operands_until('}', depth)?));
        }
        if self.take('(') {
            return Ok(Operand::List(self.operands_until(')', depth)?));
        }
        if self.take('[') {
            return self.address();
        }
        if self.take('!') {
            return Ok(Operand::Not(self.name()?.to_owned()));
        }
        self.scalar()
    }

    fn operands_until(&mut self, end: char, depth: u32) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::new();
        while !self.take(end) {
            operands.push(self.operand(depth + 1)?);
            if !self.take(',') && self.peek() != Token::Mark(end) {
                return self.error(format!("`{end}` is missing before {:?}", self.peek()));
            }
        }
        Ok(operands)
    }

    /// A name with its component and its offset, or a number.
    fn scalar(&mut self) -> Parsed<Operand> {
        if let Token::Name(_) = self.peek() {
            let mut name = self.name()?.to_owned();
            if let Token::Dot(component) = self.peek() {
                name = format!("{name}.{component}");
                self.position += 1;
            }
            return Ok(match (name.as_str(), self.offset_after_name()?) {
                ("_", None) => Operand::Sink,
                (_, None) => Operand::Name(name),
                (_, Some(offset)) => Operand::Sum(name, offset),
            });
        }
        let is_negative = self.take('-');
        let sign = |value: u64| if is_negative { value.wrapping_neg() } else { value };
        match self.next() {
            Token::Integer(value) => Ok(Operand::Integer(sign(value))),
            Token::Float32(bits) => Ok(Operand::Float32(bits ^ (u32::from(is_negative) << 31))),
            Token::Float64(bits) => Ok(Operand::Float64(bits ^ (u64::from(is_negative) << 63))),
            other => {
                self.position -= 1;
                self.error(format!("an operand is missing before {other:?}"))
            }
        }
    }

    /// `+8` or `-8`, where a number follows the sign.
    fn offset_after_name(&mut self) -> Parsed<Option<i64>> {
        let sign = match self.peek() {
            Token::Mark('+') => 1,
            Token::Mark('-') => -1,
            _ => return Ok(None),
        };
        self.position += 1;
        Ok(Some(self.integer()?.wrapping_mul(sign)))
    }

    fn address(&mut self) -> Parsed<Operand> {
        let (base, offset) = match self.scalar()? {
            Operand::Sum(name, offset) => (Operand::Name(name), offset),
            other => {
                let offset = self.offset_after_name()?.unwrap_or(0);
                (other, offset)
            }
        };
        if self.peek() == Token::Mark(',') {
            // Coordinates and the like, of instructions that are not modelled.
            while !self.at_end() && self.peek() != Token::Mark(']') {
                self.position += 1;
            }
            self.expect(']')?;
            return Ok(Operand::List(Vec::new()));
        }
        self.expect(']')?;
        Ok(Operand::Address(Box::new(base), offset))
    }
}
