//! Statements about vectors.

use super::Generator;
use super::types::{Ty, VECTORS};

const FULL: Ty = Ty::Vector(4, &Ty::Int(32));

impl Generator {
    pub(super) fn vector(&mut self, types: &[Ty]) {
        let ty = self.one_of(types);
        let (a, b, element, length) = (self.pick(&ty), self.pick(&ty), ty.element(), ty.length());
        match self.below(6) {
            0 | 1 => {
                let opcode = if element.is_float() {
                    ["fadd", "fsub", "fmul"][self.below(3)]
                } else {
                    ["add", "sub", "mul", "and", "xor", "or"][self.below(6)]
                };
                self.value(&ty, &format!("{opcode} {ty} {a}, {b}"));
            }
            2 => {
                let (part, index) = (self.make(&element), self.index(length));
                self.value(&ty, &format!("insertelement {ty} {a}, {element} {part}, {index}"));
            }
            3 => {
                let index = self.index(length);
                let part = self.set(&format!("extractelement {ty} {a}, {index}"));
                self.observe(&element, &part);
            }
            4 => {
                let lanes: Vec<_> = (0..length).map(|_| format!("i32 {}", self.below(2 * length))).collect();
                let lanes = lanes.join(", ");
                self.value(&ty, &format!("shufflevector {ty} {a}, {ty} {b}, <{length} x i32> <{lanes}>"));
            }
            _ => {
                let (bits, opcode) = (ty.bits(), if element.is_float() { "fcmp olt" } else { "icmp slt" });
                let less = self.set(&format!("{opcode} {ty} {a}, {b}"));
                let c = self.pick(&ty);
                self.value(&ty, &format!("select {bits} {less}, {ty} {c}, {ty} {a}"));
            }
        }
    }

    /// An index below `length`: a constant, or a value.
    fn index(&mut self, length: usize) -> String {
        if self.below(2) == 0 {
            return format!("i32 {}", self.below(length));
        }
        let number = self.make(&Ty::Int(32));
        format!("i32 {}", self.set(&format!("urem i32 {number}, {length}")))
    }

    pub(super) fn reduction(&mut self) {
        let ty = self.one_of(&VECTORS);
        let (a, element, mangled) = (self.pick(&ty), ty.element(), ty.mangled());
        if element.is_float() {
            let (name, start) = [("fadd", "0.0"), ("fmul", "1.0")][self.below(2)];
            self.value(
                &element,
                &format!("call {element} @llvm.vector.reduce.{name}.{mangled}({element} {start}, {ty} {a})"),
            );
        } else {
            let name = ["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"][self.below(9)];
            self.value(&element, &format!("call {element} @llvm.vector.reduce.{name}.{mangled}({ty} {a})"));
        }
    }

    /// A sum of parts of a vector.
    pub(super) fn partial_sum(&mut self) {
        let (few, bytes) = (FULL, self.pick(&VECTORS[4]));
        let (a, many) = (self.pick(&few), self.set(&format!("zext <16 x i8> {bytes} to <16 x i32>")));
        let sum =
            self.set(&format!("call {few} @llvm.vector.partial.reduce.add.v4i32.v16i32({few} {a}, <16 x i32> {many})"));
        // Which parts meet in which element is open; their sum is not.
        let parts: Vec<_> = (0..4).map(|i| self.set(&format!("extractelement {few} {sum}, i32 {i}"))).collect();
        let [low, high] = [0, 2].map(|i| self.set(&format!("add i32 {}, {}", parts[i], parts[i + 1])));
        self.value(&Ty::Int(32), &format!("add i32 {low}, {high}"));
    }

    /// A vector of words that are cut from shifted products of words.
    pub(super) fn word_product(&mut self) {
        let words = Ty::Vector(8, &Ty::Int(16));
        let width = [32, 33, 48, 64, 64, 64][self.below(6)];
        let wide = format!("<8 x i{width}>");
        let extend = ["sext", "zext"][self.below(2)];
        let [a, b] = [0; 2].map(|_| {
            let word = self.pick(&words);
            self.set(&format!("{extend} {words} {word} to {wide}"))
        });
        let factor = [b, format!("splat (i{width} 12345)")][self.below(2)].clone();
        let product = self.set(&format!("mul {wide} {a}, {factor}"));
        let (opcode, amount) = (["ashr", "lshr"][self.below(2)], 14 + self.below(width - 14));
        let shifted = self.set(&format!("{opcode} {wide} {product}, splat (i{width} {amount})"));
        let bits = [16, 16, 8][self.below(3)];
        let cut = self.set(&format!("trunc {wide} {shifted} to <8 x i{bits}>"));
        let word = if bits == 16 { cut } else { self.set(&format!("zext <8 x i{bits}> {cut} to {words}")) };
        self.observe(&words, &word);
        self.values.push((words, word));
    }

    pub(super) fn bitcast(&mut self) {
        let ty = self.one_of(&VECTORS);
        let a = self.pick(&ty);
        match self.below(5) {
            0 => {
                let element = ty.element();
                let test = if element.is_float() { "fcmp olt" } else { "icmp ult" };
                let (b, bits, length) = (self.pick(&ty), ty.bits(), ty.length());
                let less = self.set(&format!("{test} {ty} {a}, {b}"));
                let number = self.set(&format!("bitcast {bits} {less} to i{length}"));
                self.observe(&Ty::Int(length as u32), &number);
            }
            1 => {
                let number = self.make(&Ty::Int(8));
                let bits = self.set(&format!("bitcast i8 {number} to <8 x i1>"));
                let wide = self.set(&format!("zext <8 x i1> {bits} to <8 x i16>"));
                self.observe(&Ty::Vector(8, &Ty::Int(16)), &wide);
                self.values.push((Ty::Vector(8, &Ty::Int(16)), wide));
            }
            2 => {
                let known = self.known_bits(&ty, &a);
                let number = self.set(&format!("bitcast {ty} {known} to i128"));
                self.observe(&Ty::Int(128), &number);
            }
            3 => {
                let number = self.make(&Ty::Int(128));
                let to = [VECTORS[0], VECTORS[1], VECTORS[2], VECTORS[4]][self.below(4)];
                self.value(&to, &format!("bitcast i128 {number} to {to}"));
            }
            _ => {
                let to = [VECTORS[0], VECTORS[1], VECTORS[2], VECTORS[4]][self.below(4)];
                let known = self.known_bits(&ty, &a);
                self.value(&to, &format!("bitcast {ty} {known} to {to}"));
            }
        }
    }

    /// A vector without an element whose bits are not determined.
    fn known_bits(&mut self, ty: &Ty, value: &str) -> String {
        if !ty.element().is_float() {
            return value.to_owned();
        }
        let none = self.set(&format!("fcmp uno {ty} {value}, {value}"));
        self.set(&format!("select {} {none}, {ty} zeroinitializer, {ty} {value}", ty.bits()))
    }

    /// A masked load or store of a local.
    pub(super) fn masked(&mut self) {
        let (at, mask) = (self.one_of(&self.locals.clone()), self.make(&Ty::Int(8)));
        let nibble = self.set(&format!("trunc i8 {mask} to i4"));
        let mut bits = "poison".to_owned();
        for lane in 0..4 {
            let shifted = self.set(&format!("lshr i4 {nibble}, {lane}"));
            let bit = self.set(&format!("trunc i4 {shifted} to i1"));
            bits = self.set(&format!("insertelement <4 x i1> {bits}, i1 {bit}, i32 {lane}"));
        }
        let a = self.pick(&FULL);
        if self.below(2) == 0 {
            self.value(
                &FULL,
                &format!("call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 {at}, <4 x i1> {bits}, <4 x i32> {a})"),
            );
        } else {
            self.line(&format!(
                "call void @llvm.masked.store.v4i32.p0(<4 x i32> {a}, ptr align 4 {at}, <4 x i1> {bits})"
            ));
            self.value(&FULL, &format!("load <4 x i32>, ptr {at}, align 4"));
        }
    }
}
