//! The types of values, values from the input, and how a value of each type counts in the result.

use std::fmt::{Display, Formatter};

use super::Generator;

/// A type of LLVM's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Ty {
    Int(u32),
    Float,
    Double,
    Vector(u32, &'static Ty),
    Struct(&'static [Ty]),
    Array(u32, &'static Ty),
}

use Ty::{Array, Double, Float, Int, Struct, Vector};

pub(super) const INTEGERS: [Ty; 4] = [Int(64), Int(32), Int(16), Int(8)];
pub(super) const NARROW: [Ty; 2] = [Int(32), Int(16)];
pub(super) const ODD: [Ty; 5] = [Int(7), Int(24), Int(33), Int(48), Int(63)];
pub(super) const WIDE: [Ty; 6] = [Int(128), Int(65), Int(96), Int(129), Int(192), Int(256)];
pub(super) const FLOATS: [Ty; 2] = [Float, Double];
pub(super) const VECTORS: [Ty; 5] =
    [Vector(4, &Int(32)), Vector(2, &Int(64)), Vector(8, &Int(16)), Vector(4, &Float), Vector(16, &Int(8))];
pub(super) const ODD_VECTORS: [Ty; 4] =
    [Vector(7, &Int(32)), Vector(5, &Int(16)), Vector(6, &Float), Vector(32, &Int(8))];
pub(super) const STRUCTS: [Ty; 4] = [
    Struct(&[Int(32), Int(64)]),
    Struct(&[Int(8), Array(2, &Int(32)), Double]),
    Struct(&[Struct(&[Int(16), Int(8)]), Int(64), Array(3, &Int(16))]),
    Struct(&[Int(64), Int(64), Int(64), Int(64), Int(32)]),
];
pub(super) const ARRAYS: [Ty; 2] = [Array(3, &Int(32)), Array(2, &Struct(&[Int(8), Int(16)]))];

/// The types of a kernel's further parameters, one list of several.
pub(super) fn parameters(choice: usize) -> Vec<Ty> {
    let all: [&[Ty]; 6] = [
        &[Int(1), STRUCTS[0]],
        &[Int(8), Int(16), STRUCTS[1], Int(32)],
        &[Float, Int(64), STRUCTS[2], STRUCTS[3]],
        &[STRUCTS[3], Int(1), Double],
        &[Int(32), STRUCTS[0], Int(1), STRUCTS[2]],
        &[Int(1), Int(1), Int(8), Float],
    ];
    all[choice].to_vec()
}

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Int(width) => write!(f, "i{width}"),
            Float => write!(f, "float"),
            Double => write!(f, "double"),
            Vector(length, element) => write!(f, "<{length} x {element}>"),
            Array(length, element) => write!(f, "[{length} x {element}]"),
            Struct(fields) => {
                let fields: Vec<_> = fields.iter().map(ToString::to_string).collect();
                write!(f, "{{ {} }}", fields.join(", "))
            }
        }
    }
}

impl Ty {
    pub(super) fn is_integer(&self) -> bool {
        matches!(self, Int(_))
    }

    pub(super) fn is_float(&self) -> bool {
        matches!(self, Float | Double)
    }

    pub(super) fn width(&self) -> u32 {
        match self {
            Int(width) => *width,
            Float => 32,
            Double => 64,
            Vector(length, element) => length * element.width(),
            Struct(_) | Array(..) => panic!("{self} has no width"),
        }
    }

    /// As intrinsics' names have it.
    pub(super) fn mangled(&self) -> String {
        match self {
            Float => "f32".to_owned(),
            Double => "f64".to_owned(),
            Vector(length, element) => format!("v{length}{}", element.mangled()),
            _ => self.to_string(),
        }
    }

    pub(super) fn element(&self) -> Ty {
        match self {
            Vector(_, element) | Array(_, element) => **element,
            _ => panic!("{self} has no elements"),
        }
    }

    pub(super) fn length(&self) -> usize {
        match self {
            Vector(length, _) | Array(length, _) => *length as usize,
            Struct(fields) => fields.len(),
            _ => 1,
        }
    }

    /// The type of a field of a struct or an array.
    pub(super) fn field(&self, index: usize) -> Ty {
        if let Struct(fields) = self { fields[index] } else { self.element() }
    }

    pub(in super::super) fn is_struct(&self) -> bool {
        matches!(self, Struct(_))
    }

    /// The type of a kernel's parameter, with its attributes.
    pub(in super::super) fn as_parameter(&self) -> String {
        match self {
            Struct(_) => format!("ptr byval({self}) align 8"),
            Int(width) if *width < 32 => format!("{self} zeroext"),
            _ => self.to_string(),
        }
    }

    /// The type with single bits as its elements.
    pub(super) fn bits(&self) -> String {
        match self {
            Vector(length, _) => format!("<{length} x i1>"),
            _ => "i1".to_owned(),
        }
    }
}

impl Generator {
    pub(super) fn constant(&mut self, ty: &Ty) -> String {
        let small = self.below(200) as i64 - 100;
        let edge = ["0", "-1", "1"][self.below(3)].to_owned();
        match (ty, self.below(3)) {
            (Int(1), _) => ["true", "false"][self.below(2)].to_owned(),
            (Int(width), 0) if *width > 64 => {
                format!("{}{:016}", 1 + self.below(90), self.below(1 << 50))
            }
            (Int(_), 1) => edge,
            (Int(width), _) if *width >= 8 => small.to_string(),
            _ => (small % 4).to_string(),
        }
    }

    /// A new value of a type, from the input.
    pub(super) fn make(&mut self, ty: &Ty) -> String {
        match ty {
            Int(width) => self.make_integer(*width),
            Float => {
                let number = self.make(&Int(16));
                let whole = self.set(&format!("sitofp i16 {number} to float"));
                self.set(&format!("fdiv float {whole}, 16.0"))
            }
            Double => {
                let number = self.make(&Int(32));
                let whole = self.set(&format!("sitofp i32 {number} to double"));
                self.set(&format!("fdiv double {whole}, 256.0"))
            }
            Vector(length, element) => (0..*length).fold("poison".to_owned(), |all, index| {
                let part = self.make(element);
                self.set(&format!("insertelement {ty} {all}, {element} {part}, i32 {index}"))
            }),
            Struct(_) | Array(..) => (0..ty.length()).fold("poison".to_owned(), |all, index| {
                let (field, part) = (ty.field(index), self.make(&ty.field(index)));
                self.set(&format!("insertvalue {ty} {all}, {field} {part}, {index}"))
            }),
        }
    }

    fn make_integer(&mut self, width: u32) -> String {
        let ty = Int(width);
        let word = self.input_word();
        if width == 64 {
            return word;
        }
        if width < 64 {
            return self.set(&format!("trunc i64 {word} to {ty}"));
        }
        let opcode = ["zext", "sext"][self.below(2)];
        let mut wide = self.set(&format!("{opcode} i64 {word} to {ty}"));
        for _ in 0..(width - 1) / 64 {
            let next = self.input_word();
            let shifted = self.set(&format!("shl {ty} {wide}, {}", (width - 64).min(61)));
            let low = self.set(&format!("zext i64 {next} to {ty}"));
            wide = self.set(&format!("xor {ty} {shifted}, {low}"));
        }
        wide
    }

    /// 64 bits of the input; seldom `%n`.
    pub(super) fn input_word(&mut self) -> String {
        if self.below(6) == 0 {
            return "%n".to_owned();
        }
        let offset = self.below(24) * 8;
        let at = self.set(&format!("getelementptr i8, ptr %in, i64 {offset}"));
        self.set(&format!("load i64, ptr {at}"))
    }

    /// Mixes a value into the result.
    pub(super) fn observe(&mut self, ty: &Ty, value: &str) {
        match ty {
            Int(64) => self.line(&format!("call void @mix(ptr %out, i64 {value})")),
            Int(width) if *width < 64 => {
                let word = self.set(&format!("zext {ty} {value} to i64"));
                self.observe(&Int(64), &word);
            }
            Int(width) => {
                for shift in (0..*width).step_by(64) {
                    let shifted = self.set(&format!("lshr {ty} {value}, {shift}"));
                    let word = self.set(&format!("trunc {ty} {shifted} to i64"));
                    self.observe(&Int(64), &word);
                }
            }
            Float | Double => {
                let integer = Int(ty.width());
                // The bits of a result that is not a number are not determined.
                let none = self.set(&format!("fcmp uno {ty} {value}, {value}"));
                let known = self.set(&format!("select i1 {none}, {ty} 0.0, {ty} {value}"));
                let bits = self.set(&format!("bitcast {ty} {known} to {integer}"));
                self.observe(&integer, &bits);
            }
            Vector(length, element) => {
                for index in 0..*length {
                    let part = self.set(&format!("extractelement {ty} {value}, i32 {index}"));
                    self.observe(element, &part);
                }
            }
            Struct(_) | Array(..) => {
                for index in 0..ty.length() {
                    let part = self.set(&format!("extractvalue {ty} {value}, {index}"));
                    self.observe(&ty.field(index), &part);
                }
            }
        }
    }

    /// Loads the fields of a struct in memory, with an access for each.
    pub(super) fn take_struct(&mut self, ty: &Ty, at: &str) {
        for index in 0..ty.length() {
            let field = ty.field(index);
            let address = self.set(&format!("getelementptr {ty}, ptr {at}, i64 0, i32 {index}"));
            let loaded = self.set(&format!("load {field}, ptr {address}"));
            self.observe(&field, &loaded);
            self.values.push((field, loaded));
        }
    }

    /// Loads the fields of a struct, and writes its first one.
    pub(super) fn change_struct(&mut self, ty: &Ty, at: &str) {
        self.take_struct(ty, at);
        if let Int(_) = ty.field(0) {
            let (field, value) = (ty.field(0), self.make(&ty.field(0)));
            // Nothing reads it afterwards, so an optimiser would drop a store that is not volatile.
            self.line(&format!("store volatile {field} {value}, ptr {at}"));
        }
    }

    /// Mixes in a kernel's parameter.
    pub(super) fn observe_parameter(&mut self, ty: &Ty, name: &str) {
        if ty.is_struct() {
            self.change_struct(ty, name);
        } else {
            self.values.push((*ty, name.to_owned()));
            self.observe(ty, name);
        }
    }
}
