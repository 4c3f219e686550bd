//! From the tree of a module to code that can be executed: each function once, when it is first called.

mod builder;
pub(crate) mod code;
mod compile;
mod decode;
pub(crate) use decode::BUILTINS;
mod flow;
mod frames;
mod liveness;
pub(crate) mod matrix;
mod operand;
mod scope;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

pub(crate) use code::Function;

use crate::parser::{self, Initial, Operand, Space, Statement, Variable};

/// Where the addresses of functions begin: no memory is there.
pub(crate) const FUNCTIONS: u64 = 1 << 50;

/// A module whose variables have addresses.
pub(crate) struct Module {
    /// The tree.
    pub(crate) tree: parser::Module,
    /// The addresses of its variables in global and constant memory.
    pub(crate) addresses: HashMap<String, u64>,
    /// A number that no other module has.
    pub(crate) number: u32,
    functions: HashMap<String, usize>,
    taken: HashSet<usize>,
}

impl Module {
    /// A module without addresses; `place` gives each variable one.
    pub(crate) fn new(
        tree: parser::Module,
        number: u32,
        mut place: impl FnMut(&Variable) -> Option<u64>,
    ) -> Option<Module> {
        let mut addresses = HashMap::new();
        for variable in tree.variables.iter().filter(|v| matches!(v.space, Space::Global | Space::Const)) {
            if !addresses.contains_key(&variable.name) || !variable.is_extern {
                addresses.insert(variable.name.clone(), place(variable)?);
            }
        }
        let mut functions = HashMap::new();
        for (i, function) in tree.functions.iter().enumerate() {
            if function.body.is_some() || !functions.contains_key(&function.name) {
                functions.insert(function.name.clone(), i);
            }
        }
        let mut module = Module { tree, addresses, number, functions, taken: HashSet::new() };
        module.taken = module.taken_functions();
        Some(module)
    }

    /// The index of a function by its name.
    pub(crate) fn function(&self, name: &str) -> Option<usize> {
        self.functions.get(name).copied()
    }

    /// The address of a function, as a register holds it.
    pub(crate) fn function_address(&self, index: usize) -> u64 {
        FUNCTIONS + (u64::from(self.number) << 24) + 16 * (index as u64 + 1)
    }

    /// The function at an address.
    pub(crate) fn function_at(&self, address: u64) -> Option<usize> {
        let offset = address.checked_sub(FUNCTIONS + (u64::from(self.number) << 24))?;
        let index = usize::try_from(offset / 16).ok()?.checked_sub(1)?;
        (offset % 16 == 0 && index < self.tree.functions.len()).then_some(index)
    }

    /// The address that a name stands for in an initialiser.
    pub(crate) fn address(&self, name: &str) -> Option<u64> {
        let variable = self.addresses.get(name).copied();
        variable.or_else(|| self.function(name).map(|index| self.function_address(index)))
    }

    /// The bytes that a variable begins with; the rest is zero.
    pub(crate) fn initial_bytes(&self, variable: &Variable) -> Vec<u8> {
        let size = variable.element.bytes();
        let mut bytes = vec![0; variable.size()];
        for (value, place) in variable.initial.iter().zip(bytes.chunks_mut(size.max(1))) {
            let bits = match value {
                Initial::Bits(bits) => *bits,
                Initial::Address { name, offset, byte, .. } => {
                    let address = self.address(name).unwrap_or(0).wrapping_add_signed(*offset);
                    byte.map_or(address, |shift| address >> shift & 0xff)
                }
            };
            place.copy_from_slice(&u128::from(bits).to_le_bytes()[..size]);
        }
        bytes
    }

    /// Functions whose addresses are in variables or registers: an indirect call may reach them.
    fn taken_functions(&self) -> HashSet<usize> {
        let initial = self.tree.variables.iter().flat_map(|variable| &variable.initial);
        let named = initial.filter_map(|value| match value {
            Initial::Address { name, .. } => self.function(name),
            Initial::Bits(_) => None,
        });
        let mut taken: HashSet<usize> = named.collect();
        for function in &self.tree.functions {
            for instruction in instructions(function).filter(|one| one.words[0] == "mov") {
                taken.extend(names(&instruction.operands).filter_map(|name| self.function(name)));
            }
        }
        taken
    }

    /// The functions that a function names, and all that its indirect calls may reach.
    fn callees(&self, index: usize) -> HashSet<usize> {
        let mut found = HashSet::new();
        for instruction in instructions(&self.tree.functions[index]).filter(|one| one.words[0] == "call") {
            let direct: Vec<usize> = names(&instruction.operands).filter_map(|name| self.function(name)).collect();
            if direct.is_empty() {
                found.extend(&self.taken);
            }
            found.extend(direct);
        }
        found
    }

    /// The functions that an entry may execute.
    pub(crate) fn reachable(&self, entry: usize) -> Vec<usize> {
        let mut reached = HashSet::from([entry]);
        let mut open = vec![entry];
        while let Some(next) = open.pop() {
            for callee in self.callees(next) {
                if reached.insert(callee) {
                    open.push(callee);
                }
            }
        }
        let mut reached: Vec<usize> = reached.into_iter().collect();
        reached.sort_unstable();
        reached
    }

    /// The stack that a thread needs for calls that never come back to a function; none where they may.
    pub(crate) fn stack(&self, entry: usize) -> (usize, bool) {
        let mut depths = HashMap::new();
        let mut recurses = false;
        let need = self.depth(entry, &mut depths, &mut Vec::new(), &mut recurses);
        (need, recurses)
    }

    fn depth(
        &self,
        index: usize,
        known: &mut HashMap<usize, usize>,
        open: &mut Vec<usize>,
        recurses: &mut bool,
    ) -> usize {
        if let Some(depth) = known.get(&index) {
            return *depth;
        }
        if open.contains(&index) {
            *recurses = true;
            return 0;
        }
        open.push(index);
        let mut callees: Vec<usize> = self.callees(index).into_iter().collect();
        callees.sort_unstable();
        let deepest = callees.into_iter().map(|callee| self.depth(callee, known, open, recurses)).max().unwrap_or(0);
        open.pop();
        let depth = deepest + compile::frame_bound(&self.tree.functions[index]);
        known.insert(index, depth);
        depth
    }
}

/// Parses a PTX text and translates all functions that its entries reach; whether it is PTX. Nothing is executed.
pub(crate) fn translate(text: &str) -> bool {
    let Ok(tree) = parser::parse(text) else { return false };
    let Some(module) = Module::new(tree, 1, |_| Some(1 << 20)) else { return false };
    let module = Arc::new(module);
    for (index, function) in module.tree.functions.iter().enumerate().filter(|(_, one)| one.is_entry) {
        let program = Program::new(Arc::clone(&module), index, 0);
        for reached in module.reachable(index).into_iter().filter(|_| function.body.is_some()) {
            let _code = program.function(reached);
        }
    }
    for variable in module.tree.variables.iter().filter(|variable| variable.size() <= 1 << 16) {
        let _bytes = module.initial_bytes(variable);
    }
    true
}

fn instructions(function: &parser::Function) -> impl Iterator<Item = &parser::Instruction> {
    function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    })
}

/// All names in operands.
fn names(operands: &[Operand]) -> Box<dyn Iterator<Item = &str> + '_> {
    Box::new(operands.iter().flat_map(|operand| -> Box<dyn Iterator<Item = &str>> {
        match operand {
            Operand::Name(name) | Operand::Not(name) | Operand::Sum(name, _) => {
                Box::new(std::iter::once(name.as_str()))
            }
            Operand::Vector(inner) | Operand::List(inner) => names(inner),
            Operand::Address(inner, _) => names(std::slice::from_ref(inner)),
            Operand::Pair(a, b) => Box::new(names(std::slice::from_ref(a)).chain(names(std::slice::from_ref(b)))),
            _ => Box::new(std::iter::empty()),
        }
    }))
}

/// The program of one entry: its functions, and the addresses of shared variables.
pub(crate) struct Program {
    /// The module.
    pub(crate) module: Arc<Module>,
    /// The entry's index.
    pub(crate) entry: usize,
    /// Addresses of shared variables in the block's memory.
    pub(crate) shared: HashMap<String, u64>,
    /// The bytes of a block's memory that every launch needs, with the device's reserved bytes before them.
    pub(crate) shared_end: u64,
    /// Where memory begins whose size the launch decides.
    pub(crate) dynamic_begin: u64,
    /// The stack a thread needs without recursion, and whether there is any.
    pub(crate) stack: (usize, bool),
    functions: Vec<OnceLock<Arc<Function>>>,
}

impl Program {
    /// The program of an entry; shared memory begins at `shared_begin`.
    pub(crate) fn new(module: Arc<Module>, entry: usize, shared_begin: u64) -> Program {
        let mut shared = HashMap::new();
        let mut end = shared_begin;
        let reachable = module.reachable(entry);
        let mut dynamic: Vec<&Variable> = Vec::new();
        for variable in shared_variables(&module, &reachable) {
            if variable.count.is_none() {
                dynamic.push(variable);
                continue;
            }
            end = end.next_multiple_of(variable.alignment as u64);
            shared.insert(variable.name.clone(), end);
            end += variable.size() as u64;
        }
        let alignment = dynamic.iter().map(|variable| variable.alignment as u64).max().unwrap_or(1).max(16);
        let dynamic_begin = end.next_multiple_of(alignment);
        shared.extend(dynamic.iter().map(|variable| (variable.name.clone(), dynamic_begin)));
        let stack = module.stack(entry);
        let functions = module.tree.functions.iter().map(|_| OnceLock::new()).collect();
        Program { module, entry, shared, shared_end: end, dynamic_begin, stack, functions }
    }

    /// A function's code.
    pub(crate) fn function(&self, index: usize) -> &Arc<Function> {
        self.functions[index].get_or_init(|| Arc::new(compile::compile(self, index)))
    }
}

/// The shared variables that functions name, in the order of the text.
fn shared_variables<'m>(module: &'m Module, functions: &[usize]) -> Vec<&'m Variable> {
    let bodies = functions.iter().map(|index| &module.tree.functions[*index]);
    let mut named: HashSet<&str> = HashSet::new();
    let mut own = Vec::new();
    for function in bodies {
        named.extend(instructions(function).flat_map(|instruction| names(&instruction.operands)));
        own.extend(function.body.iter().flatten().filter_map(|statement| match statement {
            Statement::Variable(variable) if variable.space == Space::Shared => Some(variable),
            _ => None,
        }));
    }
    let of_module =
        module.tree.variables.iter().filter(|v| v.space == Space::Shared && named.contains(v.name.as_str()));
    of_module.chain(own).collect()
}
