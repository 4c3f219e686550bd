//! Interprets the kernel of a device module, with pointers that contain their object, to find casts to wrong address
//! spaces. It supports only the output of `generate.rs`.

use std::collections::{BTreeMap, HashMap};

use offloadc::contract::address_space::AddressSpaceMap;
use offloadc::llvm::{Block, Function, Module, Opcode, Type, TypeKind, Value};

/// The number of steps after which a run ends.
const MOST_STEPS: usize = 20_000;

#[derive(Clone, Debug, PartialEq)]
enum Val<'c> {
    Undef,
    Null,
    Int(i64),
    /// An object and an offset in it.
    Pointer(usize, i64),
    Function(Function<'c>),
    Struct(Vec<Val<'c>>),
}

/// Why a run has ended early.
pub(crate) enum Stop {
    /// The program has undefined behaviour, or takes too long.
    Undefined,
    /// A cast to a wrong address space.
    Wrong(String),
}

type Run<T> = Result<T, Stop>;

/// The state: memory consists of cells of 8 bytes, and each object has an address space.
pub(crate) struct Interpreter<'a, 'c> {
    module: &'a Module<'c>,
    spaces: &'a AddressSpaceMap,
    objects: Vec<u32>,
    cells: BTreeMap<(usize, i64), Val<'c>>,
    statics: HashMap<Value<'c>, usize>,
    host: usize,
    steps: usize,
    /// The number of correct casts to a specific address space.
    pub(crate) casts: usize,
}

impl<'a, 'c> Interpreter<'a, 'c> {
    pub(crate) fn new(module: &'a Module<'c>, spaces: &'a AddressSpaceMap) -> Self {
        let (cells, statics) = (BTreeMap::new(), HashMap::new());
        let mut new =
            Interpreter { module, spaces, objects: vec![spaces.global], cells, statics, host: 0, steps: 0, casts: 0 };
        for variable in module.variables() {
            let object = new.object(variable.ty().address_space());
            let _new = new.statics.insert(variable, object);
        }
        for variable in module.variables() {
            if let Some(initializer) = variable.initializer() {
                new.initialize(new.statics[&variable], 0, initializer);
            }
        }
        new
    }

    /// Runs kernel `k` with a number.
    pub(crate) fn run(&mut self, number: i64) -> Run<()> {
        let kernel = self.module.function("k").expect("every random module has it");
        let arguments = kernel.parameters().iter().map(|p| self.argument(p.ty(), number)).collect();
        self.call(kernel, arguments).map(|_| ())
    }

    /// A parameter of a kernel is a number, host memory, or memory that contains two words of the host's.
    fn argument(&mut self, ty: Type<'c>, number: i64) -> Val<'c> {
        if !ty.is_pointer() {
            return Val::Int(number);
        }
        let object = self.object(ty.address_space());
        if ty.address_space() != self.spaces.global {
            let _old = self.cells.insert((object, 0), Val::Pointer(self.host, 512));
            let _old = self.cells.insert((object, 8), Val::Int(3));
        }
        Val::Pointer(object, 0)
    }

    fn object(&mut self, space: u32) -> usize {
        self.objects.push(space);
        self.objects.len() - 1
    }

    fn initialize(&mut self, object: usize, at: i64, value: Value<'c>) {
        let ty = value.ty();
        if value.is_undef() {
        } else if matches!(ty.kind(), TypeKind::Struct | TypeKind::Array) {
            // The size of every element is a multiple of 8 bytes, and fields have 8 bytes.
            let size = if ty.kind() == TypeKind::Struct { 8 } else { ty.parts()[0].alloc_size(self.module) };
            for (i, part) in value.operands().into_iter().enumerate() {
                self.initialize(object, at + (i as u64 * size) as i64, part);
            }
        } else {
            let value = self.constant(value);
            let _old = self.cells.insert((object, at), value);
        }
    }

    fn constant(&mut self, value: Value<'c>) -> Val<'c> {
        if value.is_undef() {
            return Val::Undef;
        }
        if let Some(number) = value.as_u64() {
            return Val::Int(number as i64);
        }
        if let Some(object) = self.statics.get(&value) {
            return Val::Pointer(*object, 0);
        }
        if let Some(function) = value.as_function() {
            return Val::Function(function);
        }
        match value.constant_opcode() {
            Some(Opcode::AddrSpaceCast | Opcode::PtrToInt | Opcode::IntToPtr) => self.constant(value.operand(0)),
            Some(opcode @ (Opcode::GetElementPtr | Opcode::Add)) if value.operand_count() == 2 => {
                let gep = opcode == Opcode::GetElementPtr;
                let step = if gep { value.gep_source_type().alloc_size(self.module) as i64 } else { 1 };
                match [0, 1].map(|i| self.constant(value.operand(i))) {
                    [Val::Pointer(object, at), Val::Int(by)] => Val::Pointer(object, at + by * step),
                    _ => Val::Undef,
                }
            }
            Some(other) => panic!("an expression with {other:?}: {value:?}"),
            None if value.is_null() && value.ty().is_pointer() => Val::Null,
            None if value.is_null() => {
                let zero = |ty: &Type<'c>| if ty.is_pointer() { Val::Null } else { Val::Int(0) };
                Val::Struct(value.ty().parts().iter().map(zero).collect())
            }
            None => Val::Struct(value.operands().into_iter().map(|part| self.constant(part)).collect()),
        }
    }

    fn call(&mut self, function: Function<'c>, arguments: Vec<Val<'c>>) -> Run<Val<'c>> {
        let mut frame: HashMap<Value<'c>, Val<'c>> = function.parameters().into_iter().zip(arguments).collect();
        let mut block = function.blocks()[0];
        let mut from: Option<Block<'c>> = None;
        'blocks: loop {
            for i in block.instructions() {
                self.steps += 1;
                if self.steps > MOST_STEPS {
                    return Err(Stop::Undefined);
                }
                match i.opcode() {
                    Opcode::Br => {
                        let ways = i.successors();
                        let taken = match i.condition() {
                            Some(condition) => usize::from(self.get(&frame, condition) == Val::Int(0)),
                            None => 0,
                        };
                        from = Some(block);
                        block = ways[taken];
                        continue 'blocks;
                    }
                    Opcode::Switch => {
                        let (ways, number) = (i.successors(), self.get(&frame, i.operand(0)));
                        let is =
                            |way: &usize| Val::Int(i.case_value(*way as u32).as_u64().unwrap_or(0) as i64) == number;
                        from = Some(block);
                        block = ways[(1..ways.len()).find(is).unwrap_or(0)];
                        continue 'blocks;
                    }
                    Opcode::Ret => {
                        return Ok(i.operands().first().map_or(Val::Undef, |value| self.get(&frame, *value)));
                    }
                    Opcode::Phi => {
                        let incoming = i.incoming().into_iter().find(|(_, b)| Some(*b) == from);
                        let value = self.get(&frame, incoming.expect("the way here is one of the phi's").0);
                        let _old = frame.insert(i, value);
                    }
                    _ => {
                        let value = self.step(&frame, i)?;
                        let _old = frame.insert(i, value);
                    }
                }
            }
            unreachable!("a block ends with a branch or a return");
        }
    }

    fn get(&mut self, frame: &HashMap<Value<'c>, Val<'c>>, value: Value<'c>) -> Val<'c> {
        match frame.get(&value) {
            Some(known) => known.clone(),
            None => self.constant(value),
        }
    }

    fn step(&mut self, frame: &HashMap<Value<'c>, Val<'c>>, i: Value<'c>) -> Run<Val<'c>> {
        if i.is(Opcode::Call) {
            return self.step_call(frame, i);
        }
        let operands: Vec<Val<'c>> = i.operands().into_iter().map(|o| self.get(frame, o)).collect();
        Ok(match (i.opcode(), &operands[..]) {
            (Opcode::Alloca, _) => Val::Pointer(self.object(self.spaces.private), 0),
            (Opcode::AddrSpaceCast, [value]) => self.cast(i, value.clone())?,
            (Opcode::GetElementPtr, [Val::Pointer(object, at), Val::Int(by)]) => Val::Pointer(*object, at + by),
            (Opcode::Load, [Val::Pointer(object, at)]) => self.load(*object, *at, i.ty()),
            (Opcode::Store, [value, Val::Pointer(object, at)]) => {
                let _old = self.cells.insert((*object, *at), value.clone());
                Val::Undef
            }
            (Opcode::AtomicRMW, [Val::Pointer(object, at), value]) => {
                let old = self.load(*object, *at, i.ty());
                let _old = self.cells.insert((*object, *at), value.clone());
                old
            }
            (Opcode::Load | Opcode::Store | Opcode::AtomicRMW, _) => return Err(Stop::Undefined),
            (Opcode::Select, [condition, a, b]) => if *condition == Val::Int(0) { b } else { a }.clone(),
            (Opcode::ExtractValue, [Val::Struct(parts)]) => parts[i.aggregate_indices()[0] as usize].clone(),
            (Opcode::InsertValue, [aggregate, part]) => {
                let mut parts = match aggregate {
                    Val::Struct(parts) => parts.clone(),
                    _ => vec![Val::Undef; i.ty().parts().len()],
                };
                parts[i.aggregate_indices()[0] as usize] = part.clone();
                Val::Struct(parts)
            }
            (Opcode::PtrToInt | Opcode::IntToPtr, [value]) => value.clone(),
            (Opcode::Add, [Val::Pointer(object, at), Val::Int(by)]) => Val::Pointer(*object, at + by),
            (Opcode::Add, [Val::Int(a), Val::Int(b)]) => Val::Int(a.wrapping_add(*b)),
            (Opcode::Sub, [Val::Int(a), Val::Int(b)]) => Val::Int(a - b),
            (Opcode::And, [Val::Int(a), Val::Int(b)]) => Val::Int(a & b),
            (Opcode::LShr, [Val::Int(a), Val::Int(b)]) => Val::Int(a >> b),
            (Opcode::ICmp, [Val::Int(a), Val::Int(b)]) if i.text().contains(" sgt ") => Val::Int((a > b).into()),
            (Opcode::ICmp, [Val::Int(a), Val::Int(b)]) if i.text().contains(" ule ") => Val::Int((a <= b).into()),
            (Opcode::ICmp, [Val::Int(a), Val::Int(b)]) if i.text().contains(" eq ") => Val::Int((a == b).into()),
            (Opcode::ICmp, [Val::Int(a), Val::Int(b)]) => Val::Int((a != b).into()),
            _ => Val::Undef,
        })
    }

    /// A cast to a specific address space must be of a pointer into it.
    fn cast(&mut self, i: Value<'c>, value: Val<'c>) -> Run<Val<'c>> {
        let to = i.ty().address_space();
        if to == self.spaces.generic {
            return Ok(value);
        }
        let right = match &value {
            Val::Pointer(object, _) => self.objects[*object] == to,
            Val::Null => to == self.spaces.global || to == self.spaces.constant,
            _ => true,
        };
        if !right {
            return Err(Stop::Wrong(format!("{i:?} casts {value:?} to address space {to}")));
        }
        self.casts += 1;
        Ok(value)
    }

    fn load(&self, object: usize, at: i64, ty: Type<'c>) -> Val<'c> {
        if ty.kind() == TypeKind::Struct {
            let part = |(i, ty): (usize, &Type<'c>)| self.load(object, at + 8 * i as i64, *ty);
            return Val::Struct(ty.parts().iter().enumerate().map(part).collect());
        }
        let anything = if self.objects[object] == self.spaces.global && ty.is_pointer() {
            Val::Pointer(self.host, 256)
        } else {
            Val::Undef
        };
        self.cells.get(&(object, at)).cloned().unwrap_or(anything)
    }

    fn step_call(&mut self, frame: &HashMap<Value<'c>, Val<'c>>, i: Value<'c>) -> Run<Val<'c>> {
        let arguments: Vec<Val<'c>> = i.arguments().into_iter().map(|a| self.get(frame, a)).collect();
        let Val::Function(callee) = self.get(frame, i.callee()) else { return Err(Stop::Undefined) };
        if !callee.is_declaration() {
            return self.call(callee, arguments);
        }
        if callee.name().starts_with("llvm.lifetime.") {
            return Ok(Val::Undef);
        }
        if callee.name() == "llvm.trap" {
            return Err(Stop::Undefined);
        }
        assert!(callee.name().starts_with("llvm.memcpy"), "a call of {}", callee.name());
        let [Val::Pointer(to, to_at), Val::Pointer(from, from_at), ..] = arguments[..] else {
            return Err(Stop::Undefined);
        };
        let words: Vec<_> = (0..2).map(|word| self.load(from, from_at + 8 * word, i.arguments()[0].ty())).collect();
        for (word, value) in words.into_iter().enumerate() {
            let _old = self.cells.insert((to, to_at + 8 * word as i64), value);
        }
        Ok(Val::Undef)
    }
}
