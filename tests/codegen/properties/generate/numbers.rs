//! Statements about integers and floats.

use super::types::{FLOATS, INTEGERS, ODD, Ty, WIDE};
use super::{Feature, Generator};

const PREDICATES: [&str; 10] = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];

impl Generator {
    /// An integer type of the features.
    fn integer_ty(&mut self) -> Ty {
        let mut all = Vec::new();
        for (feature, types) in [(Feature::Integers, &INTEGERS[..]), (Feature::Odd, &ODD), (Feature::Wide, &WIDE)] {
            if self.has(feature) {
                all.extend_from_slice(types);
            }
        }
        if all.is_empty() { INTEGERS[self.below(4)] } else { self.one_of(&all) }
    }

    pub(super) fn integer(&mut self, types: &[Ty]) {
        let ty = self.one_of(types);
        let (a, b) = (self.pick(&ty), self.pick(&ty));
        let width = ty.width();
        match self.below(16) {
            0..=6 => {
                let opcode = ["add", "sub", "mul", "and", "or", "xor", "add"][self.below(7)];
                self.value(&ty, &format!("{opcode} {ty} {a}, {b}"));
            }
            7 | 8 => {
                let (opcode, amount) = (["shl", "lshr", "ashr"][self.below(3)], self.amount(&ty, &b));
                self.value(&ty, &format!("{opcode} {ty} {a}, {amount}"));
            }
            9 => {
                let divisor = self.set(&format!("or {ty} {b}, 1"));
                let opcode = ["udiv", "urem"][self.below(2)];
                self.value(&ty, &format!("{opcode} {ty} {a}, {divisor}"));
            }
            10 => {
                // Positive, so that no quotient overflows.
                let half = self.set(&format!("lshr {ty} {b}, 1"));
                let divisor = self.set(&format!("or {ty} {half}, 1"));
                let opcode = ["sdiv", "srem"][self.below(2)];
                self.value(&ty, &format!("{opcode} {ty} {a}, {divisor}"));
            }
            11 | 12 => {
                let predicate = self.one_of(&PREDICATES);
                let bit = self.set(&format!("icmp {predicate} {ty} {a}, {b}"));
                let (c, d) = (self.pick(&ty), self.pick(&ty));
                self.value(&ty, &format!("select i1 {bit}, {ty} {c}, {ty} {d}"));
            }
            13 if width <= 64 => {
                let sum = self.value(&ty, &format!("add {ty} {a}, {b}"));
                let carry = self.set(&format!("icmp ult {ty} {sum}, {a}"));
                self.observe(&Ty::Int(1), &carry);
            }
            13 => {
                self.value(&ty, &format!("freeze {ty} {a}"));
            }
            _ => {
                let to = self.integer_ty();
                if to.width() > width {
                    let opcode = ["zext", "sext"][self.below(2)];
                    self.value(&to, &format!("{opcode} {ty} {a} to {to}"));
                } else if to.width() < width {
                    self.value(&to, &format!("trunc {ty} {a} to {to}"));
                }
            }
        }
    }

    /// An amount to shift by: a constant, or a value below the width.
    fn amount(&mut self, ty: &Ty, value: &str) -> String {
        let width = ty.width();
        if self.below(2) == 0 {
            return self.below(width as usize).to_string();
        }
        if width.is_power_of_two() {
            return self.set(&format!("and {ty} {value}, {}", width - 1));
        }
        let most = 1_u64 << (u32::BITS - 1 - width.leading_zeros());
        self.set(&format!("and {ty} {value}, {}", most - 1))
    }

    pub(super) fn bit(&mut self) {
        let bit = Ty::Int(1);
        let (a, b) = (self.condition(), self.pick(&bit));
        match self.below(4) {
            0 => {
                let opcode = ["and", "or", "xor", "add", "sub", "mul"][self.below(6)];
                self.value(&bit, &format!("{opcode} i1 {a}, {b}"));
            }
            1 => {
                let predicate = self.one_of(&PREDICATES);
                self.value(&bit, &format!("icmp {predicate} i1 {a}, {b}"));
            }
            2 => {
                // A division by 0 is undefined; 1 is the only divisor.
                let opcode = ["udiv", "urem"][self.below(2)];
                self.value(&bit, &format!("{opcode} i1 {a}, true"));
            }
            _ => {
                let opcode = ["shl", "lshr", "ashr"][self.below(3)];
                self.value(&bit, &format!("{opcode} i1 {a}, false"));
            }
        }
    }

    /// An intrinsic that becomes plain instructions.
    pub(super) fn arithmetic(&mut self) {
        let ty = self.integer_ty();
        let (a, b) = (self.pick(&ty), self.pick(&ty));
        match self.below(7) {
            0 | 1 => {
                // The host has no checked product of more than 128 bits.
                let names = ["uadd", "usub", "sadd", "ssub", "umul", "smul"];
                let name = names[self.below(if ty.width() > 128 { 4 } else { 6 })];
                let both =
                    self.set(&format!("call {{ {ty}, i1 }} @llvm.{name}.with.overflow.{ty}({ty} {a}, {ty} {b})"));
                let over = self.set(&format!("extractvalue {{ {ty}, i1 }} {both}, 1"));
                self.observe(&Ty::Int(1), &over);
                self.value(&ty, &format!("extractvalue {{ {ty}, i1 }} {both}, 0"));
            }
            2 => {
                let name = ["uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"][self.below(4)];
                self.value(&ty, &format!("call {ty} @llvm.{name}.{ty}({ty} {a}, {ty} {b})"));
            }
            3 => {
                if ty.width() > 128 {
                    // The host has no remainder by a width of more than 128 bits.
                    return;
                }
                let (name, c) = (["fshl", "fshr"][self.below(2)], self.pick(&ty));
                self.value(&ty, &format!("call {ty} @llvm.{name}.{ty}({ty} {a}, {ty} {b}, {ty} {c})"));
            }
            4 => {
                let name = ["smin", "smax", "umin", "umax"][self.below(4)];
                self.value(&ty, &format!("call {ty} @llvm.{name}.{ty}({ty} {a}, {ty} {b})"));
            }
            5 => {
                let name = ["scmp", "ucmp"][self.below(2)];
                self.value(&Ty::Int(8), &format!("call i8 @llvm.{name}.i8.{ty}({ty} {a}, {ty} {b})"));
            }
            _ => {
                let swaps = ty.width().is_multiple_of(16);
                let call = match self.below(if swaps { 3 } else { 2 }) {
                    0 => format!("call {ty} @llvm.abs.{ty}({ty} {a}, i1 false)"),
                    1 => format!("call {ty} @llvm.bitreverse.{ty}({ty} {a})"),
                    _ => format!("call {ty} @llvm.bswap.{ty}({ty} {a})"),
                };
                self.value(&ty, &call);
            }
        }
    }

    pub(super) fn count(&mut self) {
        let ty = self.integer_ty();
        let a = self.pick(&ty);
        let call = match self.below(3) {
            0 => format!("call {ty} @llvm.ctpop.{ty}({ty} {a})"),
            1 => format!("call {ty} @llvm.ctlz.{ty}({ty} {a}, i1 false)"),
            _ => format!("call {ty} @llvm.cttz.{ty}({ty} {a}, i1 false)"),
        };
        self.value(&ty, &call);
    }

    pub(super) fn float(&mut self) {
        let ty = self.one_of(&FLOATS);
        let (a, b) = (self.pick(&ty), self.pick(&ty));
        match self.below(6) {
            0..=2 => {
                let opcode = ["fadd", "fsub", "fmul", "fdiv"][self.below(4)];
                self.value(&ty, &format!("{opcode} {ty} {a}, {b}"));
            }
            3 => {
                self.value(&ty, &format!("fneg {ty} {a}"));
            }
            4 => {
                let predicate = ["oeq", "olt", "ole", "ogt", "une", "ult", "uno", "ord"][self.below(8)];
                let bit = self.set(&format!("fcmp {predicate} {ty} {a}, {b}"));
                let (c, d) = (self.pick(&ty), self.pick(&ty));
                self.value(&ty, &format!("select i1 {bit}, {ty} {c}, {ty} {d}"));
            }
            _ if ty == Ty::Float => {
                self.value(&Ty::Double, &format!("fpext float {a} to double"));
            }
            _ => {
                self.value(&Ty::Float, &format!("fptrunc double {a} to float"));
            }
        }
    }

    pub(super) fn conversion(&mut self) {
        let mut widths: Vec<Ty> = INTEGERS.to_vec();
        widths.extend([Ty::Int(128), Ty::Int(128), Ty::Int(128), Ty::Int(96), Ty::Int(65)]);
        let (ty, float) = (self.one_of(&widths), self.one_of(&FLOATS));
        match self.below(5) {
            4 => {
                let [a, b] = [0; 2].map(|_| self.pick(&Ty::Int(32)));
                let less = self.set(&format!("icmp ult i32 {a}, {b}"));
                self.value(&float, &format!("sitofp i1 {less} to {float}"));
            }
            0 => {
                let (a, opcode) = (self.halfway(&float), ["sitofp", "uitofp"][self.below(2)]);
                self.value(&float, &format!("{opcode} i128 {a} to {float}"));
            }
            1 => {
                let (a, opcode) = (self.pick(&ty), ["sitofp", "uitofp"][self.below(2)]);
                self.value(&float, &format!("{opcode} {ty} {a} to {float}"));
            }
            2 => {
                let scaled = self.scaled(&float);
                let name = ["fptosi", "fptoui"][self.below(2)];
                let mangled = float.mangled();
                self.value(&ty, &format!("call {ty} @llvm.{name}.sat.{ty}.{mangled}({float} {scaled})"));
            }
            _ => {
                // The value is in the range of the integer.
                let number = self.make(&Ty::Int(32));
                let from = self.set(&format!("uitofp i32 {number} to double"));
                let factor =
                    ["1.0", "1048576.0", "0x43F0000000000000"][if ty.width() >= 128 { self.below(3) } else { 0 }];
                let large = self.set(&format!("fmul double {from}, {factor}"));
                if ty.width() > 32 {
                    let opcode = ["fptosi", "fptoui"][self.below(2)];
                    self.value(&ty, &format!("{opcode} double {large} to {ty}"));
                }
            }
        }
    }

    /// An integer between two neighbours of the float type: half of the way, or 1 more.
    fn halfway(&mut self, float: &Ty) -> String {
        let (digits, word) = (if *float == Ty::Float { 24 } else { 53 }, self.input_word());
        let low = self.set(&format!("and i64 {word}, {}", (1_u64 << digits) - 1));
        let mantissa = self.set(&format!("or i64 {low}, {}", 1_u64 << (digits - 1)));
        let wide = self.set(&format!("zext i64 {mantissa} to i128"));
        let placed = self.set(&format!("shl i128 {wide}, 60"));
        let half = self.set(&format!("or i128 {placed}, {}", 1_u64 << 59));
        let more = self.below(2);
        self.set(&format!("or i128 {half}, {more}"))
    }

    /// A float whose exponent varies.
    fn scaled(&mut self, ty: &Ty) -> String {
        let a = self.pick(ty);
        let by = ["1.0", "4294967296.0", "0x4530000000000000", "0x47D0000000000000", "-65536.0"][self.below(5)];
        self.set(&format!("fmul {ty} {a}, {by}"))
    }

    /// A half of a product of 256 bits.
    pub(super) fn product(&mut self) {
        let ty = Ty::Int(128);
        let (a, b) = (self.pick(&ty), self.pick(&ty));
        let x = self.set(&format!("zext i128 {a} to i256"));
        let y = self.set(&format!("zext i128 {b} to i256"));
        let product = self.set(&format!("mul i256 {x}, {y}"));
        let beyond = self.below(3) * 21;
        let high = self.set(&format!("lshr i256 {product}, {}", 128 + beyond));
        self.value(&ty, &format!("trunc i256 {high} to i128"));
        if self.below(2) == 0 {
            self.value(&ty, &format!("trunc i256 {product} to i128"));
        }
    }

    /// A division of numbers of some bits in a wider type, or of a pair of them.
    pub(super) fn narrow_division(&mut self) {
        let ty = self.one_of(&[Ty::Int(16), Ty::Int(32), Ty::Int(32), Ty::Int(64), Ty::Int(64), Ty::Int(48)]);
        let most = ty.width() as usize - 1;
        let bits = [7, 8, 16, 22, 23, 24, 31, 32][self.below(8)].min(most);
        let is_signed = self.below(2) == 0;
        let opcode = ["udiv", "urem", "sdiv", "srem"][usize::from(is_signed) * 2 + self.below(2)];
        let (a, b) = (self.narrow(&ty, bits, is_signed, false), self.narrow(&ty, bits, is_signed, true));
        if self.below(4) != 0 {
            self.value(&ty, &format!("{opcode} {ty} {a}, {b}"));
            return;
        }
        let vector = format!("<2 x {ty}>");
        let pair = |g: &mut Self, one: &str, other: &str| {
            let half = g.set(&format!("insertelement {vector} poison, {ty} {one}, i32 0"));
            g.set(&format!("insertelement {vector} {half}, {ty} {other}, i32 1"))
        };
        let (dividends, divisors) = (pair(self, &a, &b), pair(self, &b, &b));
        let both = self.set(&format!("{opcode} {vector} {dividends}, {divisors}"));
        self.value(&ty, &format!("extractelement {vector} {both}, i32 0"));
        self.value(&ty, &format!("extractelement {vector} {both}, i32 1"));
    }

    pub(super) fn narrow_product(&mut self) {
        let ty = self.one_of(&[Ty::Int(32), Ty::Int(64), Ty::Int(64), Ty::Int(48)]);
        let [a, b] = [0; 2].map(|_| {
            let (bits, is_signed) = ([8, 8, 16, 23, 24, 25][self.below(6)], self.below(4) == 0);
            self.narrow(&ty, bits, is_signed, false)
        });
        let factor = [b, "1193047".to_owned()][self.below(2)].clone();
        let product = self.set(&format!("mul {ty} {a}, {factor}"));
        let other = self.pick(&ty);
        let operation = ["add", "and", "sub"][self.below(3)];
        let changed = self.set(&format!("{operation} {ty} {product}, {other}"));
        self.value(&ty, &format!("add {ty} {product}, {changed}"));
    }

    pub(super) fn merged(&mut self) {
        let (bits, wide) = ([8, 16][self.below(2)], self.pick(&Ty::Int(64)));
        let word = self.set(&format!("trunc i64 {wide} to i32"));
        let upper = self.set(&format!("and i32 {word}, {}", -(1_i64 << bits)));
        let part = self.pick(&Ty::Int(bits));
        let low = self.set(&format!("zext i{bits} {part} to i32"));
        let all = self.set(&format!("or i32 {upper}, {low}"));
        self.value(&Ty::Int(64), &format!("zext i32 {all} to i64"));
    }

    pub(super) fn sign_byte(&mut self) {
        let ty = self.one_of(&[Ty::Int(16), Ty::Int(32), Ty::Int(32), Ty::Int(64)]);
        let [value, other] = [0; 2].map(|_| self.pick(&ty));
        let shifted = self.set(&format!("ashr {ty} {value}, 8"));
        let [mask, by] = [255 << (8 * self.below(2)), 8 * self.below(2)];
        let byte = self.set(&format!("and {ty} {shifted}, {mask}"));
        let moved = self.set(&format!("shl {ty} {byte}, {by}"));
        let rest = self.set(&format!("and {ty} {other}, {}", 255 << 8));
        self.value(&ty, &format!("or {ty} {moved}, {rest}"));
        self.value(&ty, &format!("add {ty} {shifted}, {other}"));
    }

    /// A number of some bits in a type, which is sometimes the smallest one, or -1.
    fn narrow(&mut self, ty: &Ty, bits: usize, is_signed: bool, is_divisor: bool) -> String {
        let (value, excess) = (self.pick(ty), ty.width() as usize - bits);
        let high = self.set(&format!("shl {ty} {value}, {excess}"));
        let shift = if is_signed { "ashr" } else { "lshr" };
        let any = self.set(&format!("{shift} {ty} {high}, {excess}"));
        let extreme = match (is_signed, is_divisor) {
            (true, false) => -(1_i64 << (bits - 1)),
            (true, true) => -1,
            (false, _) => (1_i64 << bits) - 1,
        };
        let chooses = self.condition();
        let number = self.set(&format!("select i1 {chooses}, {ty} {extreme}, {ty} {any}"));
        if !is_divisor {
            return number;
        }
        let is_zero = self.set(&format!("icmp eq {ty} {number}, 0"));
        self.set(&format!("select i1 {is_zero}, {ty} 1, {ty} {number}"))
    }

    /// A number that is truncated and widened again, to more or to less than before.
    pub(super) fn truncation(&mut self) {
        let from = self.one_of(&[Ty::Int(64), Ty::Int(32), Ty::Int(16)]);
        let cut = self.one_of(&[Ty::Int(1), Ty::Int(8), Ty::Int(8), Ty::Int(13)]);
        let to = self.one_of(&[Ty::Int(16), Ty::Int(32), Ty::Int(64), Ty::Int(128)]);
        let value = self.pick(&from);
        let low = self.set(&format!("trunc {from} {value} to {cut}"));
        let extend = ["zext", "zext", "sext"][self.below(3)];
        self.value(&to, &format!("{extend} {cut} {low} to {to}"));
    }

    /// Words of 32 bits with a carry, or a borrow, of the word before.
    pub(super) fn carry(&mut self) {
        let word = Ty::Int(32);
        let [a, b, c, d] = [0; 4].map(|_| self.pick(&word));
        let operation = ["add", "sub"][self.below(2)];
        let overflow =
            |operands: String| format!("call {{ i32, i1 }} @llvm.u{operation}.with.overflow.i32({operands})");
        let first = self.set(&overflow(format!("i32 {a}, i32 {b}")));
        let carry = self.set(&format!("extractvalue {{ i32, i1 }} {first}, 1"));
        let number = self.set(&format!("zext i1 {carry} to i32"));
        let sum = self.set(&format!("{operation} i32 {c}, {d}"));
        if self.below(2) == 0 {
            let next = self.set(&format!("{operation} i32 {sum}, {number}"));
            self.value(&Ty::Int(1), &format!("icmp ult i32 {next}, {sum}"));
            self.value(&word, &format!("xor i32 {next}, {sum}"));
            return;
        }
        let second = self.set(&overflow(format!("i32 {sum}, i32 {number}")));
        self.value(&Ty::Int(1), &format!("extractvalue {{ i32, i1 }} {second}, 1"));
        self.value(&word, &format!("extractvalue {{ i32, i1 }} {second}, 0"));
    }

    /// Hints for an optimiser.
    pub(super) fn hint(&mut self) {
        let a = self.pick(&Ty::Int(64));
        match self.below(4) {
            0 => {
                self.value(&Ty::Int(64), &format!("call i64 @llvm.expect.i64(i64 {a}, i64 3)"));
            }
            1 => {
                let known = self.set(&format!("call i1 @llvm.is.constant.i64(i64 {a})"));
                let none = self.set(&format!("and i1 {known}, false"));
                self.observe(&Ty::Int(1), &none);
            }
            2 => {
                let low = self.set(&format!("and i64 {a}, 7"));
                let small = self.set(&format!("icmp ult i64 {low}, 8"));
                self.line(&format!("call void @llvm.assume(i1 {small})"));
            }
            _ => self.line("call void @llvm.donothing()"),
        }
    }
}
