//! Directives of a module's scope: variables, functions, files.

use super::body::space;
use super::lexer::Token;
use super::{Function, Initial, Module, Parsed, Parser, Space, Type, Variable};

/// How deep an initialiser may stand in others.
const DEPTH: u32 = 64;

/// The largest alignment.
const MOST_ALIGNED: i64 = 1 << 20;

/// How many bytes a variable may have: more than on any device, and little enough to be allocated.
fn most_bytes(space: Space) -> usize {
    match space {
        Space::Param => 1 << 20,
        Space::Local | Space::Shared => 16 << 20,
        _ => 1 << 30,
    }
}

/// The most threads of a block, and their exact number, along each axis.
type Tuning = (Option<[u32; 3]>, Option<[u32; 3]>);

impl Parser<'_> {
    /// One directive of the module's scope.
    pub(super) fn directive(&mut self, module: &mut Module) -> Parsed<()> {
        let mut is_extern = false;
        while let Token::Dot(word @ ("visible" | "extern" | "weak" | "common")) = self.peek() {
            is_extern |= word == "extern";
            self.position += 1;
        }
        let Token::Dot(word) = self.peek() else {
            return self.error(format!("a directive is missing before {:?}", self.peek()));
        };
        match word {
            "version" => self.version(module),
            "target" => self.target(module),
            "address_size" => {
                self.position += 1;
                if self.integer()? == 64 { Ok(()) } else { self.error("addresses have 64 bits here") }
            }
            "file" => self.file(module),
            "section" => self.section(module),
            "pragma" | "alias" => {
                self.skip_to_semicolon();
                Ok(())
            }
            "entry" | "func" => {
                let function = self.function()?;
                module.functions.push(function);
                Ok(())
            }
            _ if space(word).is_some() => {
                let variables = self.variables(is_extern)?;
                module.variables.extend(variables);
                Ok(())
            }
            _ => self.error(format!("`.{word}` is not known")),
        }
    }

    fn version(&mut self, module: &mut Module) -> Parsed<()> {
        self.position += 1;
        match self.next() {
            Token::Float64(bits) => {
                module.version = (f64::from_bits(bits) * 10.0).round() as u32;
                Ok(())
            }
            _ => self.error("`.version` has a major and a minor number"),
        }
    }

    fn target(&mut self, module: &mut Module) -> Parsed<()> {
        self.position += 1;
        module.target = self.name()?.to_owned();
        while self.take(',') {
            let _platform_option = self.name()?;
        }
        Ok(())
    }

    fn file(&mut self, module: &mut Module) -> Parsed<()> {
        self.position += 1;
        let number = self.integer()? as u32;
        let Token::Text(path) = self.next() else { return self.error("`.file` has no path") };
        module.files.insert(number, path.to_owned());
        while self.take(',') {
            let _time_or_size = self.integer()?;
        }
        Ok(())
    }

    /// Of debug information, only the names of inlined functions are needed here.
    fn section(&mut self, module: &mut Module) -> Parsed<()> {
        self.position += 1;
        let has_names = self.peek() == Token::Dot("debug_str");
        while !self.at_end() && !self.take('{') {
            self.position += 1;
        }
        while !self.at_end() && !self.take('}') {
            match (self.next(), self.peek()) {
                (Token::Name(label), Token::Mark(':')) if has_names => {
                    let _first = module.names.labels.entry(label.to_owned()).or_insert(module.names.bytes.len());
                }
                (Token::Integer(byte), _) if has_names => module.names.bytes.push(byte as u8),
                _ => {}
            }
        }
        Ok(())
    }

    fn function(&mut self) -> Parsed<Function> {
        let is_entry = self.next() == Token::Dot("entry");
        self.attributes();
        let results = if is_entry { Vec::new() } else { self.parameter_list()? };
        let name = self.name()?.to_owned();
        let parameters = self.parameter_list()?;
        // ptxas refuses them only for entries.
        if is_entry && parameters.iter().any(|parameter| matches!(parameter.count, None | Some(0))) {
            return self.error("a parameter of an entry function is an incomplete array".to_owned());
        }
        let (most_threads, required_threads) = self.tuning()?;
        let body = if self.take(';') {
            None
        } else {
            self.expect('{')?;
            Some(self.body()?)
        };
        Ok(Function { name, is_entry, results, parameters, body, most_threads, required_threads })
    }

    /// `.attribute(.unified(1, 2))` and other attributes.
    fn attributes(&mut self) {
        if self.take_dot("attribute") {
            while !self.at_end() && self.peek() != Token::Mark(')') {
                self.position += 1;
            }
            while self.take(')') {}
        }
    }

    /// The performance-tuning directives between a function's parameters and its body.
    fn tuning(&mut self) -> Parsed<Tuning> {
        let (mut most, mut required) = (None, None);
        while let Token::Dot(word) = self.peek() {
            self.position += 1;
            match word {
                "maxntid" => most = Some(self.extents()?),
                "reqntid" => required = Some(self.extents()?),
                "pragma" => self.skip_to_semicolon(),
                _ => {
                    let _numbers = self.extents()?;
                }
            }
        }
        Ok((most, required))
    }

    fn extents(&mut self) -> Parsed<[u32; 3]> {
        let mut extents = [1; 3];
        let mut count = 0;
        while let Token::Integer(value) = self.peek() {
            self.position += 1;
            if count < 3 {
                extents[count] = value as u32;
            }
            count += 1;
            if !self.take(',') {
                break;
            }
        }
        Ok(extents)
    }

    /// `( .param .b64 a, .param .align 8 .b8 b[16] )`; nothing where there is no parenthesis.
    pub(super) fn parameter_list(&mut self) -> Parsed<Vec<Variable>> {
        let mut parameters = Vec::new();
        if !self.take('(') {
            return Ok(parameters);
        }
        while !self.take(')') {
            let mut variable = self.variable_type(false)?;
            self.declarator(&mut variable)?;
            parameters.push(variable);
            if !self.take(',') && self.peek() != Token::Mark(')') {
                return self.error(format!("`)` is missing before {:?}", self.peek()));
            }
        }
        Ok(parameters)
    }

    /// A declaration of variables, with its semicolon.
    pub(super) fn variables(&mut self, is_extern: bool) -> Parsed<Vec<Variable>> {
        let common = self.variable_type(is_extern)?;
        let mut variables = Vec::new();
        loop {
            let mut variable = common.clone();
            self.declarator(&mut variable)?;
            variables.push(variable);
            if !self.take(',') {
                break;
            }
        }
        self.expect(';')?;
        Ok(variables)
    }

    /// `.global .align 4 .v2 .b32`, `.param .u64 .ptr .global .align 1`, `.reg .b32`.
    fn variable_type(&mut self, is_extern: bool) -> Parsed<Variable> {
        let (mut place, mut alignment, mut element, mut lanes) = (Space::Param, None, None, 1);
        let mut is_pointer = false;
        while let Token::Dot(word) = self.peek() {
            self.position += 1;
            match word {
                "align" => {
                    let bytes = self.integer()?;
                    if !(1..=MOST_ALIGNED).contains(&bytes) || bytes & (bytes - 1) != 0 {
                        return self.error(format!("{bytes} is no alignment"));
                    }
                    alignment = alignment.or((!is_pointer).then_some(bytes as usize));
                }
                "ptr" => is_pointer = true,
                "v2" => lanes = 2,
                "v4" => lanes = 4,
                "attribute" => {
                    self.position -= 1;
                    self.attributes();
                }
                _ if Type::parse(word).is_some() => element = Type::parse(word),
                _ => place = if is_pointer { place } else { space(word).unwrap_or(place) },
            }
        }
        let Some(element) = element else { return self.error("a variable has no type") };
        let alignment = alignment.unwrap_or(element.bytes() * lanes).max(1);
        let count = Some(lanes);
        Ok(Variable { name: String::new(), space: place, alignment, element, count, is_extern, initial: Vec::new() })
    }

    /// The name, the extents and the initialiser.
    fn declarator(&mut self, variable: &mut Variable) -> Parsed<()> {
        variable.name = if self.peek() == Token::Mark('[') { String::new() } else { self.name()?.to_owned() };
        while self.take('[') {
            if self.take(']') {
                variable.count = None;
                continue;
            }
            let extent = self.integer()? as usize;
            variable.count = variable.count.map(|count| count.saturating_mul(extent));
            self.expect(']')?;
        }
        if self.take('=') {
            self.initialiser(&mut variable.initial, 0)?;
            if variable.count.is_none() {
                variable.count = Some(variable.initial.len());
            }
        }
        let bytes = variable.count.unwrap_or(0).checked_mul(variable.element.bytes());
        match bytes.filter(|bytes| *bytes <= most_bytes(variable.space)) {
            Some(_) => Ok(()),
            None => self.error(format!("`{}` is too large", variable.name)),
        }
    }

    fn initialiser(&mut self, values: &mut Vec<Initial>, depth: u32) -> Parsed<()> {
        if depth > DEPTH {
            return self.error("an initialiser is nested too deep");
        }
        if !self.take('{') {
            let value = self.initial()?;
            values.push(value);
            return Ok(());
        }
        while !self.take('}') {
            self.initialiser(values, depth + 1)?;
            if !self.take(',') && self.peek() != Token::Mark('}') {
                return self.error(format!("`}}` is missing before {:?}", self.peek()));
            }
        }
        Ok(())
    }

    fn initial(&mut self) -> Parsed<Initial> {
        match self.peek() {
            Token::Float32(bits) => {
                self.position += 1;
                return Ok(Initial::Bits(bits.into()));
            }
            Token::Float64(bits) => {
                self.position += 1;
                return Ok(Initial::Bits(bits));
            }
            Token::Integer(mask) if self.peek_after(1) == Token::Mark('(') => {
                self.position += 2;
                let address = self.initial_address(Some(mask.trailing_zeros()))?;
                self.expect(')')?;
                return Ok(address);
            }
            Token::Integer(_) | Token::Mark('-') => return Ok(Initial::Bits(self.integer()? as u64)),
            _ => {}
        }
        self.initial_address(None)
    }

    fn initial_address(&mut self, byte: Option<u32>) -> Parsed<Initial> {
        let mut name = self.name()?.to_owned();
        let is_generic = name == "generic" && self.take('(');
        if is_generic {
            name = self.name()?.to_owned();
            self.expect(')')?;
        }
        let sign = if self.take('-') { -1 } else { 1 };
        let has_offset = sign < 0 || self.take('+');
        let offset = if has_offset { self.integer()?.wrapping_mul(sign) } else { 0 };
        Ok(Initial::Address { name, offset, is_generic, byte })
    }
}
