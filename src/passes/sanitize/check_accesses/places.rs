//! The places of accesses, as constants that the checker's reports are made from.
//!
//! ```c
//! struct offloadrt_place { const char *file, *function; uint32_t line, column; const struct offloadrt_place *inner; };
//! ```
//!
//! Equal places are one constant, so that a pair of places is a pair of addresses.

use std::collections::HashMap;

use crate::analysis::location::user_frame;
use crate::contract::checker::CONSTANTS;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Frame, Linkage, Module, Value};
use crate::rust_std::demangle::demangle;

/// The contents of a place: file, function, line, column, and the place inside of a library.
type Key = (String, String, u32, u32, Option<(String, String, u32, u32)>);

/// The constants of one module.
pub(in crate::passes::sanitize) struct Places<'m, 'c> {
    module: &'m Module<'c>,
    kernels: &'m KernelSet,
    texts: HashMap<String, Value<'c>>,
    places: HashMap<Key, Value<'c>>,
}

impl<'m, 'c> Places<'m, 'c> {
    pub(in crate::passes::sanitize) fn new(module: &'m Module<'c>, kernels: &'m KernelSet) -> Self {
        Self { module, kernels, texts: HashMap::new(), places: HashMap::new() }
    }

    /// The place of an instruction: the innermost one in the user's own functions, and that of the instruction itself,
    /// if it is in a library. Without debug information, the place is only a function.
    pub(in crate::passes::sanitize) fn of(&mut self, instruction: Value<'c>) -> Value<'c> {
        let frames = instruction.frames();
        let Some(own) = user_frame(&frames) else {
            let function = self.name_of(&instruction.function().name());
            let inner = frames.first().filter(|inner| inner.line != 0).map(parts);
            return self.place((String::new(), function, 0, 0, inner));
        };
        let inner =
            frames.first().filter(|inner| (inner.line, &inner.file) != (own.line, &own.file) && inner.line != 0);
        let (file, function, line, column) = parts(own);
        self.place((file, function, line, column, inner.map(parts)))
    }

    /// The name of a function. A kernel's is that of the user's function, which may not be the entry point's.
    fn name_of(&self, symbol: &str) -> String {
        let kernel = self.kernels.iter().find(|kernel| kernel.name == symbol);
        kernel.map_or_else(|| demangle(symbol), |kernel| kernel.display.clone())
    }

    fn place(&mut self, key: Key) -> Value<'c> {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let (file, function, line, column, inner) = key.clone();
        let inner = match inner {
            Some((file, function, line, column)) => self.place((file, function, line, column, None)),
            None => self.module.types().ptr(0).zero(),
        };
        let i32 = self.module.types().i32();
        let [line, column] = [line, column].map(|number| i32.constant(number.into()));
        let fields = [self.text(&file), self.text(&function), line, column, inner];
        let ty = self.module.types().structure(&fields.map(Value::ty));
        let place = self.constant("place", ty.structure_constant(&fields));
        self.places.insert(key, place);
        place
    }

    fn text(&mut self, text: &str) -> Value<'c> {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let bytes = [text.as_bytes(), &[0]].concat();
        let constant = self.module.add_bytes(&format!("{CONSTANTS}text"), &bytes);
        self.texts.insert(text.to_owned(), constant);
        constant
    }

    fn constant(&self, name: &str, value: Value<'c>) -> Value<'c> {
        let variable = self.module.add_variable(&format!("{CONSTANTS}{name}"), value.ty(), 0);
        variable.set_initializer(Some(value));
        variable.set_constant_global(true);
        variable.set_linkage(Linkage::Private);
        variable
    }
}

fn parts(frame: &Frame) -> (String, String, u32, u32) {
    (frame.file.clone(), demangle(&frame.function), frame.line, frame.column)
}
