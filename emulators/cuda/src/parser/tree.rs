//! The tree of a PTX module.

use std::collections::HashMap;

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// None is named: the address says which it is.
    Generic,
    /// Memory of the device.
    Global,
    /// Constants.
    Const,
    /// The block's memory.
    Shared,
    /// The thread's stack.
    Local,
    /// Parameters.
    Param,
}

/// The meaning of a value's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    /// Bits without a meaning.
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// An IEEE float; of 16 bits `f16`.
    Float,
    /// `bf16`, `tf32` and other floats that are no IEEE formats.
    Brain,
    /// Two floats of 16 bits.
    FloatPair,
    /// Two `bf16`.
    BrainPair,
    /// One bit.
    Predicate,
}

/// A fundamental or packed type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Type {
    /// The meaning.
    pub(crate) family: Family,
    /// The width in bits.
    pub(crate) width: u32,
}

impl Type {
    /// The type of `.word`.
    pub(crate) fn parse(word: &str) -> Option<Type> {
        let (family, width) = match word {
            "pred" => (Family::Predicate, 1),
            "f16x2" => (Family::FloatPair, 32),
            "bf16" => (Family::Brain, 16),
            "bf16x2" => (Family::BrainPair, 32),
            "tf32" => (Family::Brain, 32),
            "f16" => (Family::Float, 16),
            "f32" => (Family::Float, 32),
            "f64" => (Family::Float, 64),
            _ => {
                let family = match word.as_bytes().first()? {
                    b'b' => Family::Bits,
                    b'u' => Family::Unsigned,
                    b's' => Family::Signed,
                    _ => return None,
                };
                (family, word[1..].parse().ok().filter(|width| [8, 16, 32, 64, 128].contains(width))?)
            }
        };
        Some(Type { family, width })
    }

    /// The size in memory.
    pub(crate) fn bytes(self) -> usize {
        self.width.div_ceil(8) as usize
    }

    /// Whether it is a signed integer.
    pub(crate) fn is_signed(self) -> bool {
        self.family == Family::Signed
    }
}

/// A module.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// `.version`, as 70 for 7.0.
    pub(crate) version: u32,
    /// `.target`'s first word.
    pub(crate) target: String,
    /// Variables of the module's scope.
    pub(crate) variables: Vec<Variable>,
    /// Functions, defined and declared.
    pub(crate) functions: Vec<Function>,
    /// `.file`, by number.
    pub(crate) files: HashMap<u32, String>,
    /// The names in `.debug_str`.
    pub(crate) names: Names,
}

/// The section `.debug_str`: texts that end with a zero, and labels in it.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) bytes: Vec<u8>,
    pub(crate) labels: HashMap<String, usize>,
}

impl Names {
    /// The text at an offset from a label.
    pub(crate) fn get(&self, label: &str, offset: i64) -> Option<String> {
        let begin = i64::try_from(*self.labels.get(label)?).ok()?.checked_add(offset)?;
        let behind = self.bytes.get(usize::try_from(begin).ok()?..)?;
        let text = behind.split(|byte| *byte == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

/// A line directive.
#[derive(Debug)]
pub(crate) struct Location {
    pub(crate) position: Position,
    /// Where the function with the line was inlined, if it was.
    pub(crate) inlined: Option<Inlined>,
}

/// Where a function was inlined.
#[derive(Debug)]
pub(crate) struct Inlined {
    /// Its name: a label in `.debug_str`, and an offset from it.
    pub(crate) name: (String, i64),
    pub(crate) place: Position,
}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// The file's number.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: String,
    /// Where it lies.
    pub(crate) space: Space,
    /// The alignment in bytes.
    pub(crate) alignment: usize,
    /// The type of an element.
    pub(crate) element: Type,
    /// The number of elements; none for an array whose size the launch decides.
    pub(crate) count: Option<usize>,
    /// Whether another module defines it.
    pub(crate) is_extern: bool,
    /// The values of its first elements.
    pub(crate) initial: Vec<Initial>,
}

impl Variable {
    /// The size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.element.bytes() * self.count.unwrap_or(0)
    }
}

/// The first value of an element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Initial {
    /// Bits.
    Bits(u64),
    /// The address of a variable or function, plus bytes; generic if it says so. `mask` picks one of its bytes.
    Address {
        /// Whose address it is.
        name: String,
        /// The bytes that are added to it.
        offset: i64,
        /// Whether it is the generic address.
        is_generic: bool,
        /// The shift of a byte that is picked out, as in `0xFF00(name)`.
        byte: Option<u32>,
    },
}

/// A function or an entry.
#[derive(Debug)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// Whether the host can launch it.
    pub(crate) is_entry: bool,
    /// Its results.
    pub(crate) results: Vec<Variable>,
    /// Its parameters.
    pub(crate) parameters: Vec<Variable>,
    /// Statements; none for a declaration.
    pub(crate) body: Option<Vec<Statement>>,
    /// `.maxntid`: the most threads in a block along each axis.
    pub(crate) most_threads: Option<[u32; 3]>,
    /// `.reqntid`: exactly so many.
    pub(crate) required_threads: Option<[u32; 3]>,
}

/// A piece of a body.
#[derive(Debug)]
pub(crate) enum Statement {
    /// A label.
    Label(String),
    /// A register: its name, its type and, for `%r<10>`, their number.
    Registers(String, Type, Option<u32>),
    /// A variable of the function, or a parameter of a call.
    Variable(Variable),
    /// `{`
    Begin,
    /// `}`
    End,
    /// `.loc`
    Location(Location),
    /// `.branchtargets`, with its label.
    Targets(String, Vec<String>),
    /// `.callprototype`, with its label: results and parameters.
    Prototype(String, Vec<Variable>, Vec<Variable>),
    /// An instruction.
    Instruction(Instruction),
}

/// An instruction.
#[derive(Debug)]
pub(crate) struct Instruction {
    /// The predicate that guards it, and whether it is negated.
    pub(crate) guard: Option<(String, bool)>,
    /// The operation and its modifiers: `ld`, `global`, `b32`.
    pub(crate) words: Vec<String>,
    /// Its operands.
    pub(crate) operands: Vec<Operand>,
    /// The text, for messages.
    pub(crate) text: String,
}

impl Instruction {
    /// The operation (0) or one of its modifiers; empty if it has fewer.
    pub(crate) fn word(&self, index: usize) -> &str {
        self.words.get(index).map_or("", String::as_str)
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A register, variable, function, label or special register.
    Name(String),
    /// `!p`
    Not(String),
    /// `_`
    Sink,
    /// The address of a variable plus bytes.
    Sum(String, i64),
    /// An integer.
    Integer(u64),
    /// The bits of a float of 32 bits.
    Float32(u32),
    /// The bits of a float of 64 bits.
    Float64(u64),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `[base + offset]`
    Address(Box<Operand>, i64),
    /// `(a, b)` of a call.
    List(Vec<Operand>),
    /// `d|p`
    Pair(Box<Operand>, Box<Operand>),
}
