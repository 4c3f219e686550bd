//! Modules: reading, writing, linking, verifying, running LLVM's passes, and finding or adding globals.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::memory_buffer::MemoryBuffer;
use std::ffi::CStr;

use super::crash::activity;
use super::diagnose::collecting;
use super::give_back::give_back;
use super::instruction::frames_of;
use super::pass_plugin::{Arguments, PassPlugin};
use super::value::{borrowed, c_name, take_message};
use super::without::Without;
use super::workarounds::PIPELINE_WORKAROUNDS;
use super::{Bisect, Block, Context, Frame, Function, Linkage, Machine, OptLevel, Type, Types, Value, shim};
use crate::error::{Error, Result};

/// The beginning of a line with the order of a value's uses.
const ORDER: &[u8] = b"uselistorder";

/// An LLVM module in a context.
pub struct Module<'c> {
    inner: inkwell::module::Module<'c>,
}

impl<'c> Module<'c> {
    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.inner.as_mut_ptr()
    }

    /// An empty module.
    pub fn empty(context: &'c Context, name: &str) -> Self {
        Module { inner: context.create_module(name) }
    }

    /// Parses bitcode. The identification block must have been checked before, because LLVM's reader does not validate
    /// its input well.
    pub fn from_bitcode(context: &'c Context, bytes: &[u8], name: &str) -> Result<Self> {
        let c_name = c_name(name);
        // SAFETY: bytes and name outlive the buffer, which nothing changes and of which inkwell disposes. The module is
        // read completely, so it does not refer to the buffer.
        let buffer = unsafe {
            let start = bytes.as_ptr().cast();
            MemoryBuffer::new(LLVMCreateMemoryBufferWithMemoryRange(start, bytes.len(), c_name.as_ptr(), 0))
        };
        let inner = inkwell::module::Module::parse_bitcode_from_buffer(&buffer, context)
            .map_err(|e| Error::new(format!("{name} is not readable as LLVM bitcode: {}", one_line(&e.to_string()))))?;
        give_back(bytes.len());
        Ok(Module { inner })
    }

    /// Parses the declarations, variables and types of bitcode. Functions have no instructions, and there is no
    /// metadata. The identification block must have been checked before, as for [`Module::from_bitcode`].
    pub fn without_bodies(context: &'c Context, bytes: &'c [u8], name: &str) -> Result<Self> {
        let (title, mut message) = (c_name(name), std::ptr::null_mut());
        // SAFETY: bytes and context outlive the module, and the name the call. The message is taken once, and the
        // module is a new one, which inkwell destroys.
        unsafe {
            let (start, length) = (bytes.as_ptr().cast(), bytes.len());
            let raw = shim::ofc_without_bodies(context.raw(), start, length, title.as_ptr(), &mut message);
            if raw.is_null() {
                return Err(Error::new(take_message(message)));
            }
            Ok(Module { inner: inkwell::module::Module::new(raw) })
        }
    }

    /// Parses IR text; LLVM's own message names line and column. If the text was edited, the orders of uses in it may
    /// not fit, and are left out.
    pub fn from_text(context: &'c Context, bytes: &[u8], name: &str) -> Result<Self> {
        let parsed = Self::from_whole_text(context, bytes, name);
        let has_orders = || bytes.windows(ORDER.len()).any(|window| window == ORDER);
        if parsed.is_ok() || !has_orders() {
            return parsed;
        }
        let is_order = |line: &[u8]| line.trim_ascii_start().starts_with(ORDER);
        // An empty line in its place, so that the numbers of the others remain.
        let lines: Vec<&[u8]> =
            bytes.split(|byte| *byte == b'\n').map(|line| if is_order(line) { &[] } else { line }).collect();
        Self::from_whole_text(context, &lines.join(&b'\n'), name)
    }

    fn from_whole_text(context: &'c Context, bytes: &[u8], name: &str) -> Result<Self> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, name);
        let inner = context
            .create_module_from_ir(buffer)
            .map_err(|e| Error::new(format!("{name} is not valid LLVM IR: {}", e.to_string().trim_end())))?;
        // Text without a `source_filename` would get the name of its buffer, and the host object must not contain a
        // folder.
        if inner.get_source_file_name().to_bytes() == name.as_bytes() {
            let file = name.trim_matches('`');
            inner.set_source_file_name(file.rsplit('/').next().unwrap_or(file));
        }
        Ok(Module { inner })
    }

    /// The module as bitcode.
    pub fn bitcode(&self) -> Vec<u8> {
        let bytes = self.inner.write_bitcode_to_memory().as_slice().to_vec();
        give_back(bytes.len());
        bytes
    }

    /// The module as bitcode without parts that have no meaning: the names of values in functions, and the table of
    /// symbols for linkers.
    pub fn into_small_bitcode(self) -> Vec<u8> {
        // SAFETY: the module is live, and nothing else uses it. The buffer is a new one, of which inkwell disposes.
        let bytes = unsafe { MemoryBuffer::new(shim::ofc_small_bitcode(self.raw())).as_slice().to_vec() };
        drop(self);
        give_back(bytes.len());
        bytes
    }

    /// Sorts the uses of each value by the places of their users. Passes leave them in an order that does not follow
    /// from the contents of the module, and on which other passes depend.
    pub fn sort_uses(&self) {
        // SAFETY: the module is live, and the order of uses has no meaning.
        unsafe { shim::ofc_sort_uses(self.raw()) }
    }

    /// The module as text.
    pub fn text(&self) -> String {
        self.inner.print_to_string().to_string()
    }

    /// The module as text with the order in which the uses of each value are listed. Passes may depend on this order.
    pub fn text_with_orders(&self) -> String {
        // SAFETY: the module is live, and the text is a message of LLVM's.
        unsafe { take_message(shim::ofc_text_with_orders(self.raw())) }
    }

    /// Runs the verifier. The error contains its findings.
    pub fn verify(&self) -> Result<()> {
        self.inner.verify().map_err(|e| Error::new(e.to_string().trim_end().to_owned()))
    }

    /// Gives up the module, which LLVM then destroys.
    pub(super) fn into_raw(self) -> LLVMModuleRef {
        let raw = self.raw();
        std::mem::forget(self.inner);
        raw
    }

    /// Runs a pipeline in the new pass manager's syntax, such as `default<O2>`.
    pub fn run_passes(&self, pipeline: &str, machine: &Machine) -> Result<()> {
        self.run_extended_passes(pipeline, Some(machine), OptLevel::O2, &[], None)
    }

    /// Runs a pipeline without a target machine, and therefore without a target's cost model and without a vectoriser.
    pub fn run_neutral_passes(&self, pipeline: &str) -> Result<()> {
        self.run_extended_passes(pipeline, None, OptLevel::O2, &[], None)
    }

    /// Runs a pipeline of a level with the passes that plugins add to it. The level matters for plugins only. With
    /// `bisect`, some passes may be skipped.
    pub fn run_extended_passes(
        &self,
        pipeline: &str,
        machine: Option<&Machine>,
        level: OptLevel,
        plugins: &[PassPlugin],
        bisect: Option<&Bisect>,
    ) -> Result<()> {
        let names: Vec<_> = plugins.iter().map(|plugin| &plugin.name[..]).collect();
        let names = names.join(", ");
        let _activity = (!plugins.is_empty()).then(|| activity(format_args!("running passes of {names}")));
        let text = c_name(pipeline);
        let without = machine.map_or(Without::default(), Machine::without);
        let workarounds = without.bits_on(&PIPELINE_WORKAROUNDS);
        let machine = machine.map_or(std::ptr::null_mut(), |machine| machine.inner().as_mut_ptr());
        let Arguments { plugins, named, .. } = &Arguments::new(plugins);
        let (bisect, runs) = Bisect::callback(bisect);
        let (count, letter) = (plugins.len(), level.c_letter());
        collecting(self, || {
            // SAFETY: module, machine and texts are live, and a null machine is allowed; plugins are loaded for ever;
            // the message is disposed of once; `bisect` is borrowed until this returns.
            let said = unsafe {
                let (plugins, named) = (plugins.as_ptr(), named.as_ptr());
                let (module, text) = (self.raw(), text.as_ptr());
                let why = shim::ofc_run_passes(
                    module,
                    text,
                    machine,
                    letter,
                    workarounds,
                    plugins,
                    named,
                    count,
                    bisect,
                    runs,
                );
                if why.is_null() {
                    return Ok(());
                }
                take_message(why)
            };
            Err(match count {
                0 => Error::internal(format!("LLVM refused the pipeline `{pipeline}`: {said}")),
                _ => Error::new(format!("the module is wrong after the passes of {names}: {}", said.trim_end())),
            })
        })
    }

    /// A copy of the module with only the bodies and initialisers of `keep`.
    pub fn clone_definitions(&self, keep: &[Value<'c>]) -> Module<'c> {
        let mut raw: Vec<_> = keep.iter().map(|v| v.raw).collect();
        // SAFETY: `raw` holds globals of this module; the clone lives in the same context, which `'c` borrows.
        let inner = unsafe {
            inkwell::module::Module::new(shim::ofc_clone_definitions(self.raw(), raw.as_mut_ptr(), raw.len()))
        };
        Module { inner }
    }

    /// A copy in the same context.
    pub fn duplicate(&self) -> Module<'c> {
        Module { inner: self.inner.clone() }
    }

    /// The target triple.
    pub fn triple(&self) -> String {
        // SAFETY: LLVM owns the C string.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.raw())).to_string_lossy().into_owned() }
    }

    /// Sets the target triple.
    pub fn set_triple(&self, triple: &str) {
        // SAFETY: LLVM copies the C string.
        unsafe { LLVMSetTarget(self.raw(), super::value::c_name(triple).as_ptr()) }
    }

    /// The text of the data layout.
    pub fn data_layout(&self) -> String {
        // SAFETY: LLVM owns the C string.
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.raw())).to_string_lossy().into_owned() }
    }

    /// Sets triple and data layout to those of a target machine. This must be done before anything is built for the
    /// target.
    pub fn set_machine(&self, machine: &Machine) {
        let (triple, layout) = (c_name(&machine.triple()), c_name(&machine.data_layout()));
        // SAFETY: both strings outlive the calls, which copy them.
        unsafe {
            LLVMSetTarget(self.raw(), triple.as_ptr());
            LLVMSetDataLayout(self.raw(), layout.as_ptr());
        }
    }

    /// Sets the module's name and source file name.
    pub fn set_name(&self, name: &str) {
        // SAFETY: pointer and length describe `name`.
        unsafe {
            LLVMSetModuleIdentifier(self.raw(), name.as_ptr().cast(), name.len());
            LLVMSetSourceFileName(self.raw(), name.as_ptr().cast(), name.len());
        }
    }

    /// The module-level assembly.
    pub fn inline_asm(&self) -> String {
        let mut length = 0;
        // SAFETY: LLVM owns the text of `length` bytes, and LLVM 23 has no address of an empty one.
        unsafe {
            let raw = LLVMGetModuleInlineAsm(self.raw(), &mut length);
            borrowed(raw, length)
        }
    }

    /// Removes the module-level assembly.
    pub fn clear_inline_asm(&self) {
        // SAFETY: an empty string of length 0.
        unsafe { LLVMSetModuleInlineAsm2(self.raw(), c"".as_ptr(), 0) }
    }

    /// Adds named metadata without operands.
    pub fn add_named_metadata(&self, name: &str) {
        // SAFETY: pointer and length describe `name`.
        unsafe { LLVMGetOrInsertNamedMetadata(self.raw(), name.as_ptr().cast(), name.len()) };
    }

    /// The text that is the only operand of named metadata.
    pub fn named_text(&self, name: &str) -> Option<String> {
        let name = c_name(name);
        // SAFETY: the arrays have room for as many operands as there are, one, and the values are the live module's.
        unsafe {
            let mut node = std::ptr::null_mut();
            if LLVMGetNamedMetadataNumOperands(self.raw(), name.as_ptr()) != 1 {
                return None;
            }
            LLVMGetNamedMetadataOperands(self.raw(), name.as_ptr(), &raw mut node);
            if node.is_null() || LLVMGetMDNodeNumOperands(node) != 1 {
                return None;
            }
            let mut text = std::ptr::null_mut();
            LLVMGetMDNodeOperands(node, &raw mut text);
            if text.is_null() {
                return None;
            }
            let mut length = 0;
            let bytes = LLVMGetMDString(text, &raw mut length);
            if bytes.is_null() {
                return None; // another operand than a text
            }
            let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
            String::from_utf8(bytes.to_vec()).ok()
        }
    }

    /// Removes all named metadata, which includes the module flags, except `kept`.
    pub fn erase_named_metadata_except(&self, kept: &str) {
        // SAFETY: the name outlives the call.
        unsafe { shim::ofc_erase_named_metadata_except(self.raw(), c_name(kept).as_ptr()) }
    }

    /// Removes named metadata with this name, if there is any.
    pub fn erase_named_metadata(&self, name: &str) {
        // SAFETY: the name outlives the call.
        unsafe { shim::ofc_erase_named_metadata(self.raw(), c_name(name).as_ptr()) }
    }

    /// The value of an integer module flag.
    pub fn flag(&self, name: &str) -> Option<u64> {
        // SAFETY: pointer and length describe `name`; the metadata found is the live module's.
        unsafe {
            let raw = LLVMGetModuleFlag(self.raw(), name.as_ptr().cast(), name.len());
            if raw.is_null() {
                return None;
            }
            Value::new(LLVMMetadataAsValue(LLVMGetModuleContext(self.raw()), raw)).metadata_constant()
        }
    }

    /// Adds an integer module flag of 32 bits. Linked modules must have the same value.
    pub fn set_flag(&self, name: &str, value: u64) {
        let behavior = inkwell::llvm_sys::LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorWarning;
        // SAFETY: pointer and length describe `name`; the constant is of the module's context.
        unsafe {
            let metadata = LLVMValueAsMetadata(self.types().i32().constant(value).raw);
            LLVMAddModuleFlag(self.raw(), behavior, name.as_ptr().cast(), name.len(), metadata);
        }
    }

    /// Reduces debug information to the part that line directives need, so that there are no debug sections.
    pub fn keep_line_directives(&self) {
        // SAFETY: the module is live.
        unsafe { shim::ofc_keep_line_directives(self.raw()) }
    }

    /// Gives the location of each instruction a number in place of its column, from 1, and returns the frames of each
    /// location in the order of the numbers. Locations beyond the largest column have the column 0. With an LLVM that
    /// writes inlined places itself there are none.
    pub fn number_places(&self) -> Vec<Vec<Frame>> {
        let mut places = vec![std::ptr::null_mut(); usize::from(u16::MAX)];
        // SAFETY: the module is live, and the array has room for as many locations as are asked for.
        let count = unsafe { shim::ofc_number_places(self.raw(), places.as_mut_ptr(), places.len()) };
        // SAFETY: each is a location of the live module.
        places.into_iter().take(count).map(|place| unsafe { frames_of(place) }).collect()
    }

    /// Replaces every pointer type of one address space by that of another. The address space of functions does not
    /// change, so functions must only be called. There must be no aliases.
    pub fn retype_pointers(&self, from: u32, to: u32) {
        // SAFETY: the module is live, and no value of it is kept across the call by its only caller.
        unsafe { shim::ofc_retype_pointers(self.raw(), from, to) }
    }

    /// Whether the module has debug information.
    pub fn has_debug_information(&self) -> bool {
        // SAFETY: the module is live, and LLVM copies the C string.
        unsafe { inkwell::llvm_sys::core::LLVMGetNamedMetadataNumOperands(self.raw(), c"llvm.dbg.cu".as_ptr()) != 0 }
    }

    /// Removes all debug information.
    pub fn strip_debug(&self) {
        // SAFETY: the module is live.
        unsafe { inkwell::llvm_sys::debuginfo::LLVMStripModuleDebugInfo(self.raw()) };
    }

    /// The functions in order.
    pub fn functions(&self) -> Vec<Function<'c>> {
        // SAFETY: walks the live module's own list.
        let all = unsafe { list(LLVMGetFirstFunction(self.raw()), |v| LLVMGetNextFunction(v)) };
        all.into_iter().filter_map(Value::as_function).collect()
    }

    /// The functions that have a body, in order.
    pub fn definitions(&self) -> impl Iterator<Item = Function<'c>> + use<'c> {
        self.functions().into_iter().filter(|function| !function.is_declaration())
    }

    /// The global variables in order.
    pub fn variables(&self) -> Vec<Value<'c>> {
        // SAFETY: walks the live module's own list.
        unsafe { list(LLVMGetFirstGlobal(self.raw()), |v| LLVMGetNextGlobal(v)) }
    }

    /// The aliases in order.
    pub fn aliases(&self) -> Vec<Value<'c>> {
        // SAFETY: walks the live module's own list.
        unsafe { list(LLVMGetFirstGlobalAlias(self.raw()), |v| LLVMGetNextGlobalAlias(v)) }
    }

    /// The ifuncs in order.
    pub fn ifuncs(&self) -> Vec<Value<'c>> {
        // SAFETY: walks the live module's own list.
        unsafe { list(LLVMGetFirstGlobalIFunc(self.raw()), |v| LLVMGetNextGlobalIFunc(v)) }
    }

    /// All globals: functions, variables, aliases and ifuncs, in that order.
    pub fn globals(&self) -> Vec<Value<'c>> {
        let functions = self.functions().into_iter().map(Value::from).collect();
        [functions, self.variables(), self.aliases(), self.ifuncs()].concat()
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<Function<'c>> {
        // SAFETY: pointer and length describe `name`.
        Function::maybe(unsafe { LLVMGetNamedFunctionWithLength(self.raw(), name.as_ptr().cast(), name.len()) })
    }

    /// The variable with this name.
    pub fn variable(&self, name: &str) -> Option<Value<'c>> {
        // SAFETY: pointer and length describe `name`.
        Value::maybe(unsafe { LLVMGetNamedGlobalWithLength(self.raw(), name.as_ptr().cast(), name.len()) })
    }

    /// Adds a function without a body. LLVM appends a number if the name is in use.
    pub fn add_function(&self, name: &str, ty: Type<'c>) -> Function<'c> {
        // SAFETY: the type is a function type of the same context.
        Function::new(unsafe { LLVMAddFunction(self.raw(), c_name(name).as_ptr(), ty.raw) })
    }

    /// The function with this name and type. It is declared if it does not exist.
    pub fn declare(&self, name: &str, ty: Type<'c>) -> Function<'c> {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    /// The declaration of an intrinsic by its base name, such as `llvm.memcpy`, and the types that it is overloaded on.
    pub fn intrinsic(&self, name: &str, types: &[Type<'c>]) -> Function<'c> {
        let mut raw: Vec<_> = types.iter().map(|t| t.raw).collect();
        // SAFETY: pointer and length describe `name`; the types are of the module's context.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert!(id != 0, "LLVM knows no intrinsic {name}");
            Function::new(LLVMGetIntrinsicDeclaration(self.raw(), id, raw.as_mut_ptr(), raw.len()))
        }
    }

    /// Adds a global variable without an initialiser to an address space.
    pub fn add_variable(&self, name: &str, ty: Type<'c>, address_space: u32) -> Value<'c> {
        // SAFETY: the type is of the module's context.
        Value::new(unsafe { LLVMAddGlobalInAddressSpace(self.raw(), ty.raw, c_name(name).as_ptr(), address_space) })
    }

    /// A private constant with these bytes.
    pub fn add_bytes(&self, name: &str, bytes: &[u8]) -> Value<'c> {
        let i8 = self.types().i8();
        let elements: Vec<_> = bytes.iter().map(|b| i8.constant((*b).into())).collect();
        let variable = self.add_variable(name, i8.array(bytes.len() as u64), 0);
        variable.set_initializer(Some(i8.constant_array(&elements)));
        variable.set_constant_global(true);
        variable.set_linkage(Linkage::Private);
        variable
    }

    /// The types of the module's context.
    pub fn types(&self) -> Types<'c> {
        // SAFETY: the context outlives the module.
        Types::new(unsafe { LLVMGetModuleContext(self.raw()) })
    }

    /// Defines a function with a single block, which `fill` builds.
    pub fn define(
        &self,
        name: &str,
        ty: Type<'c>,
        linkage: Linkage,
        fill: impl FnOnce(Function<'c>, Block<'c>),
    ) -> Function<'c> {
        let function = self.declare(name, ty);
        function.set_linkage(linkage);
        let block = function.append_block("entry");
        fill(function, block);
        function
    }

    pub(super) fn inner(&self) -> &inkwell::module::Module<'c> {
        &self.inner
    }
}

unsafe fn list<'c>(
    first: inkwell::llvm_sys::prelude::LLVMValueRef,
    next: impl Fn(inkwell::llvm_sys::prelude::LLVMValueRef) -> inkwell::llvm_sys::prelude::LLVMValueRef,
) -> Vec<Value<'c>> {
    let mut all = Vec::new();
    let mut each = first;
    while !each.is_null() {
        all.push(Value::new(each));
        each = next(each);
    }
    all
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
