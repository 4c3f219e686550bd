//! Tests of a target without the driver: compiles a device module for one arch, without files.

use offloadc::bundle::{Image, Runtime};
use offloadc::contract::kernel::{Form, FoundBy, Kernel, KernelSet, Parameter, ParameterKind};
use offloadc::contract::panic_table::PanicCounts;
use offloadc::llvm::{self, Context, Machine, Module, OptLevel};
use offloadc::passes::atomics::lower_atomics::name_scopes;
use offloadc::passes::pass::Passes;
use offloadc::system::tool::Tools;
use offloadc::targets::{DeviceJob, Share, lookup};

use ParameterKind::Block;

/// The parameter table of a kernel with these kinds and sizes; the alignment is the size, at most 8.
pub(crate) fn kernel(name: &str, rows: &[(ParameterKind, u32)]) -> Kernel {
    let mut parameters: Vec<Parameter> = Vec::new();
    for &(kind, size) in rows {
        let align = if size.is_power_of_two() { size.min(8) } else { 4 };
        let end = parameters.last().map_or(0, |p| p.offset + p.size);
        parameters.push(Parameter { offset: end.next_multiple_of(align), size, align, kind, extent: None });
    }
    let form = match rows {
        [(Block, size)] => Form::Block { size: *size, align: parameters[0].align },
        _ => Form::Plain,
    };
    let name = name.to_owned();
    Kernel { symbol: name.clone(), display: name.clone(), name, form, parameters, found_by: FoundBy::Section }
}

/// The output for one arch.
pub(crate) struct Compiled {
    /// The module after flavor.
    pub(crate) flavored: String,
    pub(crate) code: Vec<u8>,
    pub(crate) images: Vec<Image>,
}

impl Compiled {
    /// PTX text, or the disassembled object.
    pub(crate) fn assembly(&self) -> String {
        if self.code.starts_with(b"\x7fELF") {
            return tool("llvm-objdump", &["-d", "--no-show-raw-insn"], &self.code);
        }
        String::from_utf8(self.code.clone()).expect("assembly is text")
    }
}

/// The last step.
#[derive(PartialEq)]
enum Until {
    Flavor,
    Codegen,
    Image,
}

/// The options of a compilation, with defaults.
pub(crate) struct Setup<'a> {
    pub(crate) text: &'a str,
    pub(crate) kernels: KernelSet,
    pub(crate) runtime: Runtime,
    pub(crate) level: OptLevel,
}

impl<'a> Setup<'a> {
    pub(crate) fn new(text: &'a str, kernels: Vec<Kernel>) -> Self {
        // This should run while no other test is inside LLVM; every test starts here.
        llvm::prepare();
        Setup { text, kernels: kernels.into(), runtime: Runtime::Offloadrt, level: OptLevel::O2 }
    }

    /// Runs all steps including the image; or returns the error.
    pub(crate) fn compile(&self, arch: &str) -> Result<Compiled, String> {
        self.steps(arch, Until::Image)
    }

    /// Runs all steps except the image.
    pub(crate) fn generate(&self, arch: &str) -> Result<Compiled, String> {
        self.steps(arch, Until::Codegen)
    }

    /// The verified module after flavor.
    pub(crate) fn flavor(&self, arch: &str) -> Result<String, String> {
        self.steps(arch, Until::Flavor).map(|compiled| compiled.flavored)
    }

    fn steps(&self, arch: &str, until: Until) -> Result<Compiled, String> {
        let arch = lookup(arch).map_err(|e| format!("{e:?}"))?;
        let context = Context::create();
        let module = Module::from_text(&context, self.text.as_bytes(), "test");
        let module = module.unwrap_or_else(|e| panic!("{e}\n{}", self.text));
        let findings = arch.target.validate(&module, &self.kernels, &arch.limits(), Runtime::Offloadrt);
        if let Some(first) = findings.first() {
            return Err(first.message.clone());
        }
        let processor = &arch.processor;
        let new_machine = |features: &str| {
            let level = arch.target.codegen_level(self.level);
            let machine = Machine::new(arch.target.triple(), &processor.cpu, features, level, true);
            let machine = machine.expect("this LLVM has the back end");
            machine.in_separate_process(arch.target.facts().separate_process)
        };
        let machine = new_machine(&processor.features);
        module.set_machine(&machine);
        let tools = Tools::new(harness::llvm_tool("ld.lld"), harness::ptxas());
        let device = DeviceJob {
            arch: &arch,
            kernels: &self.kernels,
            before: PanicCounts::default(),
            runtime: self.runtime,
            hash: "0123456789abcdef",
            level: self.level,
            share: Share::Whole,
            standalone: false,
            libraries: &[],
            plugins: &[],
            tools: &tools,
            passes: &Passes::default(),
        };
        name_scopes(&module, &|scope| arch.target.scope(scope));
        arch.target.flavor(&module, &device).map_err(|e| e.to_string())?;
        module.verify().unwrap_or_else(|e| panic!("after flavor: {e}\n{}", module.text()));
        let flavored = module.text();
        if until == Until::Flavor {
            return Ok(Compiled { flavored, code: Vec::new(), images: Vec::new() });
        }
        module.run_passes(&arch.target.pipeline(self.level), &machine).map_err(|e| e.to_string())?;
        arch.target.finish(&module, &device, &machine).map_err(|e| e.to_string())?;
        let late = arch.target.late_features(&module, &arch).map_err(|e| e.to_string())?;
        let machine = late.map_or(machine, |features| new_machine(&features));
        let code = arch.target.codegen(&module, &machine).map_err(|e| e.to_string())?;
        let product = || arch.target.image(code.clone(), &device).map_err(|e| e.to_string());
        let images = if until == Until::Image { product()?.images } else { Vec::new() };
        Ok(Compiled { flavored, code, images })
    }

    #[track_caller]
    pub(crate) fn expect(&self, arch: &str) -> Compiled {
        self.compile(arch).unwrap_or_else(|e| panic!("{arch}: {e}"))
    }
}

pub(crate) fn tool(name: &str, arguments: &[&str], bytes: &[u8]) -> String {
    let folder = harness::scratch();
    let file = folder.path().join("file");
    std::fs::write(&file, bytes).unwrap();
    let output = std::process::Command::new(harness::llvm_tool(name)).args(arguments).arg(&file).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts that every line of `wanted` is part of a line of `text`, in this order.
#[track_caller]
pub(crate) fn in_order(text: &str, wanted: &[&str]) {
    let mut rest = text;
    for each in wanted {
        let at = rest.find(each).unwrap_or_else(|| panic!("no `{each}` where it should be in\n{text}"));
        rest = &rest[at + each.len()..];
    }
}
