//! Bitcode with numbers from which LLVM's reader computes sizes before it compares them with the file. Each file has
//! some 40 bytes, and LLVM asks for gigabytes.

use std::process::Command;

use harness::run;

/// The blocks of LLVM's bitcode that the tests write, and their records (llvm/Bitcode/LLVMBitCodes.h).
const MODULE: u64 = 8;
const ATTRIBUTE_GROUPS: u64 = 10;
const TYPES: u64 = 17;
const MODULE_VERSION: &[u64] = &[1, 2];
const GROUP: u64 = 3;
const NUMBER_OF_TYPES: u64 = 1;
/// The kind of an attribute without a value, and one of these.
const FLAG: u64 = 0;
const NO_INLINE: u64 = 14;

/// A bitstream, the least significant bit first.
struct Bits(Vec<bool>);

impl Bits {
    fn fixed(&mut self, value: u64, width: u32) {
        self.0.extend((0..width).map(|bit| value >> bit & 1 == 1));
    }

    /// Groups of `width` bits, whose highest bit is set if another one follows.
    fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(32), false);
    }

    /// A block with abbreviation numbers of two bits, in one of the same.
    fn block(&mut self, id: u64, content: impl FnOnce(&mut Self)) {
        self.fixed(1, 2);
        self.vbr(id, 8);
        self.vbr(2, 4);
        self.align();
        let length = self.0.len();
        self.fixed(0, 32);
        content(self);
        self.fixed(0, 2);
        self.align();
        let words = (self.0.len() - length) / 32 - 1;
        (0..32).for_each(|bit| self.0[length + bit] = words >> bit & 1 == 1);
    }

    /// A record without an abbreviation: its code, and its operands.
    fn record(&mut self, record: &[u64]) {
        self.fixed(3, 2);
        self.vbr(record[0], 6);
        self.vbr(record.len() as u64 - 1, 6);
        record[1..].iter().for_each(|operand| self.vbr(*operand, 6));
    }
}

/// A module with one record in one block.
fn module(block: u64, record: &[u64]) -> Vec<u8> {
    let mut bits = Bits(Vec::new());
    bits.fixed(0xdec0_4342, 32);
    bits.block(MODULE, |module| {
        module.record(MODULE_VERSION);
        module.block(block, |inner| inner.record(record));
    });
    bits.0.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | u8::from(*bit))).collect()
}

/// The exit status for a file, and offloadc's messages.
fn compile(bytes: &[u8]) -> (i32, String) {
    let folder = harness::scratch();
    std::fs::write(folder.path().join("x.bc"), bytes).expect("the folder can be written");
    let mut command = Command::new(harness::offloadc());
    let outcome = run(command.args(["x.bc", "-o", "x.o"]).current_dir(folder.path()).env("NO_COLOR", "1"));
    (outcome.code(), outcome.stderr().trim_end().to_owned())
}

#[test]
fn sizes_that_no_file_can_need_are_refused() {
    let group = |parameter| module(ATTRIBUTE_GROUPS, &[GROUP, 1, parameter, FLAG, NO_INLINE]);
    let types = |count| module(TYPES, &[NUMBER_OF_TYPES, count]);
    let words = "error: LLVM cannot process the input: LLVM ran out of memory while reading the input, reading `x.bc`";
    for bytes in [group(u64::from(u32::MAX) - 7), types(u64::from(u32::MAX))] {
        assert_eq!(compile(&bytes), (1, words.to_owned()));
    }
    for bytes in [group(3), types(0)] {
        let (code, said) = compile(&bytes);
        assert!(code == 0 && said.contains("no kernel found"), "{code}: {said}");
    }
}
