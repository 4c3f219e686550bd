//! Statements of a function's body.

use super::lexer::Token;
use super::{Inlined, Location, Parsed, Parser, Position, Space, Statement, Type};

/// How many registers a module may declare: more than compilers write.
const MOST_REGISTERS: usize = 1 << 22;

impl Parser<'_> {
    /// The statements between the braces of a function, with the closing brace.
    pub(super) fn body(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut depth = 0;
        loop {
            if self.at_end() {
                return self.error("a function does not end");
            }
            if self.take('{') {
                depth += 1;
                statements.push(Statement::Begin);
            } else if self.take('}') {
                if depth == 0 {
                    return Ok(statements);
                }
                depth -= 1;
                statements.push(Statement::End);
            } else {
                self.statement(&mut statements)?;
            }
        }
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        match (self.peek(), self.peek_after(1)) {
            (Token::Mark(';'), _) => self.position += 1,
            (Token::Name(name), Token::Mark(':')) => {
                self.position += 2;
                let statement = self.labelled(name)?;
                statements.push(statement);
            }
            (Token::Dot(word), _) => self.local_directive(word, statements)?,
            _ => statements.push(Statement::Instruction(self.instruction()?)),
        }
        Ok(())
    }

    /// A label, and the table of targets that it may belong to.
    fn labelled(&mut self, name: &str) -> Parsed<Statement> {
        let name = name.to_owned();
        if self.take_dot("branchtargets") || self.take_dot("calltargets") {
            let mut targets = vec![self.name()?.to_owned()];
            while self.take(',') {
                targets.push(self.name()?.to_owned());
            }
            self.expect(';')?;
            return Ok(Statement::Targets(name, targets));
        }
        if self.take_dot("callprototype") {
            let results = self.parameter_list()?;
            // The name of a prototype is of no importance, and usually `_`.
            let _ignored = self.name()?;
            let parameters = self.parameter_list()?;
            self.skip_to_semicolon();
            return Ok(Statement::Prototype(name, results, parameters));
        }
        Ok(Statement::Label(name))
    }

    fn local_directive(&mut self, word: &str, statements: &mut Vec<Statement>) -> Parsed<()> {
        match word {
            "reg" => self.registers(statements),
            "loc" => {
                statements.push(self.location()?);
                Ok(())
            }
            "pragma" => {
                self.skip_to_semicolon();
                Ok(())
            }
            "local" | "param" | "shared" | "global" | "const" => {
                let variables = self.variables(false)?;
                statements.extend(variables.into_iter().map(Statement::Variable));
                Ok(())
            }
            _ => self.error(format!("`.{word}` is not expected in a function")),
        }
    }

    fn registers(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        self.position += 1;
        let vector = [("v2", &["x", "y"][..]), ("v4", &["x", "y", "z", "w"])];
        let components = vector.iter().find(|(word, _)| self.take_dot(word)).map(|(_, names)| *names);
        let Token::Dot(word) = self.next() else { return self.error("a register has no type") };
        let Some(element) = Type::parse(word) else { return self.error(format!("`.{word}` is no type")) };
        loop {
            let name = self.name()?.to_owned();
            let count = if self.take('<') {
                let count = self.integer()?;
                self.expect('>')?;
                Some(u32::try_from(count).unwrap_or(u32::MAX))
            } else {
                None
            };
            self.registers = self.registers.saturating_add(count.unwrap_or(4) as usize);
            if self.registers > MOST_REGISTERS {
                return self.error("there are too many registers");
            }
            match components {
                None => statements.push(Statement::Registers(name, element, count)),
                Some(names) => statements
                    .extend(names.iter().map(|part| Statement::Registers(format!("{name}.{part}"), element, None))),
            }
            if !self.take(',') {
                break;
            }
        }
        self.expect(';')
    }

    /// `.loc 1 20 5`, also with the name of the function that the line is of, and where that one was inlined.
    fn location(&mut self) -> Parsed<Statement> {
        self.position += 1;
        let position = self.place()?;
        let (mut name, mut outer) = (None, None);
        while self.take(',') {
            if self.name()? == "inlined_at" {
                outer = Some(self.place()?);
            } else {
                let label = self.name()?.to_owned();
                let offset = if self.take('+') { self.integer()? } else { 0 };
                name = Some((label, offset));
            }
        }
        let inlined = outer.map(|place| Inlined { name: name.unwrap_or_default(), place });
        Ok(Statement::Location(Location { position, inlined }))
    }

    fn place(&mut self) -> Parsed<Position> {
        let [file, line, column] = [self.integer()? as u32, self.integer()? as u32, self.integer()? as u32];
        Ok(Position { file, line, column })
    }
}

/// The state space of `.word`.
pub(super) fn space(word: &str) -> Option<Space> {
    Some(match word {
        "global" => Space::Global,
        "const" => Space::Const,
        "local" => Space::Local,
        "shared" | "shared::cta" => Space::Shared,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}
