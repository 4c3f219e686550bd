//! The host jobs: they compile each host module into host code.

use super::cached::{Form, cached};
use crate::bundle::{HostObject, name_handles};
use crate::cache::{Key, Subject};
use crate::contract::builtin::MARK_HOST_FUNCTION;
use crate::contract::kernel::ANY_HASH;
use crate::contract::platform::Platform;
use crate::error::{Error, Failure, Result};
use crate::input::file::{Input, InputKind};
use crate::input::newer_llvm::Reader;
use crate::job::Job;
use crate::llvm::{Context, FileKind, Module, OptLevel, Value, crash};
use crate::passes::expand::hide_low_bytes::hide_low_bytes;
use crate::passes::expand::narrow_word_products::narrow_word_products;
use crate::passes::host::define_host_builtins::define_host_builtins;
use crate::passes::host::drop_stand_ins::drop_stand_ins;
use crate::passes::host::marks::{CallSite, HostConstant, Marked, Marks};
use crate::passes::pass::{Passes, pass};
use crate::stage::Stage;
use crate::stages::kernels::{FoundKernels, marker_error};
use crate::stages::machine::{complete_layout, host_machine, platform_of};
use crate::stages::read::{Program, checked, parse};
use crate::stages::split::finish_host;
use crate::stages::work::Lanes;
use crate::targets::kernel_conventions;

/// The information about the device that host modules need.
#[derive(Debug, Default)]
pub struct HostInput<'a> {
    /// For each module, the constants of its marker calls in their order. None is a call that is kept.
    constants: Vec<Vec<Option<HostConstant>>>,
    /// The hash in the symbols of handles.
    hash: &'a str,
}

impl<'a> HostInput<'a> {
    /// The information for modules with these marker calls, in a program in which this was found. `hash` is that of the
    /// object.
    pub fn new(marks: &Marks, sites: &[Vec<CallSite>], found: &FoundKernels<'_>, hash: &'a str) -> Self {
        let (kernels, numbers) = (&found.kernels, found.numbers);
        let constant = |marked| match marked {
            // Host code that names the object's hash would change with every module of the program.
            Marked::Kernel(at) => HostConstant::Handle(kernels[at].handle_symbol(ANY_HASH)),
            Marked::Function(at) => HostConstant::Number(numbers.of(at)),
            Marked::HostFunction(at) => HostConstant::HostFunction(found.host_functions.number_of(at)),
        };
        let of_module = |(number, sites): (usize, &Vec<CallSite>)| {
            marks.of(sites, number).into_iter().map(|marked| marked.map(constant)).collect()
        };
        Self { constants: sites.iter().enumerate().map(of_module).collect(), hash }
    }
}

/// Compiles the host code of every module, in parallel.
pub fn host_jobs(lanes: &Lanes<'_>, program: &Program, side: &HostInput<'_>) -> Result<Vec<Vec<u8>>> {
    let job = lanes.job;
    let modules: Vec<_> = program.modules().collect();
    let linked = program.inputs.iter().flat_map(Input::modules).count();
    let alone = modules.len() == 1;
    let compile = |(number, &(input, bytes)): (usize, &(&Input, &[u8]))| {
        let lane = if alone { "host".to_owned() } else { format!("host {number}") };
        let work = lanes.host(number, &lane);
        let constants = side.constants.get(number).map_or(&[][..], Vec::as_slice);
        let host = HostJob {
            input,
            bytes,
            is_verified: number < linked,
            constants,
            level: job.host_level,
            passes: work.passes(),
            reader: job.rustc_compiles_host.then_some(&*job.reader),
        };
        work.stage(Stage::Host, || name_handles(host.run_cached(job)?, side.hash))
    };
    let code = job.tokens.side_by_side(modules.iter().enumerate(), &compile).into_iter().collect::<Result<Vec<_>>>()?;
    if job.wants(Stage::Host) {
        let all = HostObject { host: &code, registration: None, cpu: &[] };
        lanes.host(modules.len(), "host").emit(Stage::Host, &all.merge(&job.tools)?)?;
    }
    Ok(code)
}

/// The input and the settings for the code of a host module.
struct HostJob<'a> {
    input: &'a Input,
    /// The module.
    bytes: &'a [u8],
    /// Whether the module is known to be valid.
    is_verified: bool,
    /// The constants of its marker calls.
    constants: &'a [Option<HostConstant>],
    level: OptLevel,
    passes: &'a Passes,
    /// It provides the LLVM of rustc; none if that LLVM compiles no host code.
    reader: Option<&'a Reader>,
}

/// The size of a module in bytes from which the LLVM of rustc compiles it. A smaller one takes less time than to load
/// that LLVM, which is 7 ms of processor time; our LLVM takes 1 ms longer for each KiB.
const LARGE: usize = 24 << 10;

/// The start of the name that rustc gives itself in a module. A text of a module is uncompressed in bitcode.
const RUSTC: &[u8] = b"rustc version ";

impl HostJob<'_> {
    /// The object from the cache, or a new one.
    fn run_cached(&self, job: &Job) -> Result<Vec<u8>> {
        let cache = job.cache.as_deref().filter(|_| !job.shows_passes());
        let name = self.input.display();
        let subject = Subject::Object(&name);
        let by_rustc = self.compiler().and_then(|reader| Some((reader, reader.compiler()?)));
        let object = by_rustc.and_then(|(reader, identity)| {
            cached(cache, subject, || self.key(Some(&identity)), &OBJECT, || self.run(Some(reader))).ok()
        });
        // After any failure, our LLVM explains the cause. Its object has a separate key: the LLVM of rustc may have
        // failed in this run only, for example if there was not enough memory.
        object.map_or_else(|| cached(cache, subject, || self.key(None), &OBJECT, || self.run(None)), Ok)
    }

    /// The key of the object of this LLVM of rustc, or of ours.
    fn key(&self, compiler: Option<&str>) -> Result<Key> {
        // `passes` prints and verifies, and an invalid module has no object.
        let Self { input, bytes, is_verified: _, constants, level, passes: _, reader: _ } = self;
        // The object has the name of its source, which is in bitcode. Text may lack it; then it is the file's.
        let name = input.path.file_name().filter(|_| input.kind == InputKind::Text);
        let options = format!("{:?} {name:?} {level:?} {compiler:?}", input.kind);
        Key::of_object(&[
            ("host code", bytes),
            ("kernels", format!("{constants:?}").as_bytes()),
            ("options", options.as_bytes()),
        ])
    }

    /// Compiles the host code of one module, by the LLVM of rustc if there is a `reader`. The LLVM context exists only
    /// in this function and on this thread.
    fn run(&self, reader: Option<&Reader>) -> Result<Vec<u8>> {
        let unchanged = || crash::activity_on_input(format_args!("compiling {}", self.input.display()));
        let context = Context::create();
        let reading = unchanged();
        let module = if self.is_verified {
            parse(&context, self.input, self.bytes)?
        } else {
            checked(&context, self.input, self.bytes).map_err(|failure| match failure {
                Failure::Reason(diagnostic) => Error::new(diagnostic.in_one_line()),
                Failure::Operation(error) => error,
            })?
        };
        let _ = platform_of(&module.triple(), &self.input.display())?;
        drop(reading);
        complete_layout(&module)?;
        pass!(self.passes, drop_stand_ins(&module))?;
        if let Some(wrong) = pass!(self.passes, finish_host(&module, self.constants, &kernel_conventions()))? {
            return Err(Error::new(marker_error(wrong, MARK_HOST_FUNCTION).in_one_line()));
        }
        pass!(self.passes, define_host_builtins(&module)?)?;
        let _activity = unchanged();
        match reader.filter(|_| !has_constructors(&module) && !has_large_tables(&module)) {
            Some(reader) => host_code_by_rustc(module, self.level, reader),
            None => host_code(&module, self.level, self.passes),
        }
    }

    /// The LLVM of rustc, if it may compile the module. The code of another compiler must not depend on a rustc that
    /// happens to be there.
    fn compiler(&self) -> Option<&Reader> {
        let is_worth_it = self.bytes.len() >= LARGE && self.level != OptLevel::O0;
        let may = is_worth_it && self.input.kind != InputKind::Text;
        self.reader.filter(|_| may && memchr::memmem::find(self.bytes, RUSTC).is_some())
    }
}

/// The contents of an entry are the object itself.
const OBJECT: Form<Vec<u8>> = Form { write: |object| object.clone(), read: Some };

/// A relocatable object of a host module: position-independent, with one section for each function and with
/// constructors in `.init_array`.
fn host_code(module: &Module<'_>, level: OptLevel, passes: &Passes) -> Result<Vec<u8>> {
    let machine = host_machine(module, level)?;
    module.run_passes(&pipeline(level), &machine)?;
    if Platform::of(&module.triple()) == Some(Platform::X86_64) {
        pass!(passes, narrow_word_products(module))?;
        pass!(passes, hide_low_bytes(module))?;
    }
    machine.emit(module, FileKind::Object)
}

/// Kernels are dead once the marker calls are constants. LLVM's pipeline would work on them before it removes them.
///
/// Like rustc, it merges equal functions before their code is generated: instances of generic functions often differ
/// in types only.
fn pipeline(level: OptLevel) -> String {
    match level {
        OptLevel::O0 => level.pipeline().to_owned(),
        OptLevel::O1 => format!("globaldce,{}", level.pipeline()),
        OptLevel::O2 | OptLevel::O3 | OptLevel::Os | OptLevel::Oz => {
            format!("globaldce,{},mergefunc", level.pipeline())
        }
    }
}

/// Whether a module has constructors. The LLVM of rustc would place them in `.ctors`.
fn has_constructors(module: &Module<'_>) -> bool {
    let named = |name: &str| ["llvm.global_ctors", "llvm.global_dtors"].contains(&name);
    module.variables().iter().any(|variable| named(&variable.name()))
}

/// The size in bytes from which the initial values of a module decide its cost. LLVM needs eight times their size to
/// write bitcode, and again to read it, and cannot optimise them.
const LARGE_TABLES: u64 = 8 << 20;

/// Whether the module has so many initial values that the transfer to the LLVM of rustc is not worth its cost.
fn has_large_tables(module: &Module<'_>) -> bool {
    let written = |variable: &Value<'_>| variable.initializer().is_some_and(|value| !value.is_null());
    let sizes = module.variables().into_iter().filter(written).map(|variable| variable.value_type().store_size(module));
    sizes.fold(0, u64::saturating_add) >= LARGE_TABLES
}

/// The same object by the LLVM of rustc, which needs two thirds of the time: it is optimised for its own work.
fn host_code_by_rustc(module: Module<'_>, level: OptLevel, reader: &Reader) -> Result<Vec<u8>> {
    let triple = module.triple();
    let processor = Platform::of(&triple).map_or("", Platform::baseline);
    let bitcode = module.bitcode();
    drop(module);
    reader.object(&bitcode, &pipeline(level), processor, level).map_err(Error::new)
}
