//! The GPU targets by hand: small neutral modules through flavor, the pipeline, code generation and packaging.

mod harness;

use offloadc::bundle::{Image, ImageKind, Runtime};
use offloadc::kernel::{Form, FoundBy, Kernel, Parameter, ParameterKind};
use offloadc::llvm::{Context, Machine, Module, OptLevel};
use offloadc::targets::{Device, TARGETS, lookup};
use offloadc::tool::Tools;

use ParameterKind::{Block, Pointer, Value};

/// A kernel's parameter table from kinds and sizes; alignment is the size up to 8.
fn kernel(name: &str, rows: &[(ParameterKind, u32)]) -> Kernel {
    let mut parameters: Vec<Parameter> = Vec::new();
    for &(kind, size) in rows {
        let align = if size.is_power_of_two() { size.min(8) } else { 4 };
        let end = parameters.last().map_or(0, |p| p.offset + p.size);
        parameters.push(Parameter { offset: end.next_multiple_of(align), size, align, kind });
    }
    let form = match rows {
        [(Block, size)] => Form::Block { size: *size, align: parameters[0].align },
        _ => Form::Plain,
    };
    let name = name.to_owned();
    Kernel { symbol: name.clone(), display: name.clone(), name, form, parameters, found_by: FoundBy::Section }
}

/// What came out for one arch.
struct Compiled {
    /// The module after flavor.
    flavored: String,
    code: Vec<u8>,
    images: Vec<Image>,
}

impl Compiled {
    /// PTX text, or the object's code as text.
    fn assembly(&self) -> String {
        if self.code.starts_with(b"\x7fELF") {
            return tool("llvm-objdump", &["-d", "--no-show-raw-insn"], &self.code);
        }
        String::from_utf8(self.code.clone()).expect("assembly is text")
    }
}

/// A compilation with nothing set that a test does not set.
struct Setup<'a> {
    text: &'a str,
    kernels: Vec<Kernel>,
    runtime: Runtime,
    level: OptLevel,
}

impl<'a> Setup<'a> {
    fn new(text: &'a str, kernels: Vec<Kernel>) -> Self {
        Setup { text, kernels, runtime: Runtime::Offloadrt, level: OptLevel::O2 }
    }

    fn compile(&self, arch: &str) -> Result<Compiled, String> {
        let arch = lookup(arch).map_err(|e| format!("{e:?}"))?;
        let context = Context::create();
        let module = Module::from_text(&context, self.text.as_bytes(), "test").expect("the test's IR is valid");
        let findings = arch.target.validate(&module, &self.kernels);
        if let Some(first) = findings.first() {
            return Err(first.message.clone());
        }
        let processor = &arch.processor;
        let machine =
            Machine::new(arch.target.triple(), &processor.cpu, &processor.features, self.level.codegen(), true)
                .expect("this LLVM has the back end");
        module.set_machine(&machine);
        let tools = Tools::new(harness::llvm_tool("ld.lld"), harness::ptxas());
        let device = Device {
            arch: &arch,
            kernels: &self.kernels,
            runtime: self.runtime,
            hash: "0123456789abcdef",
            level: self.level,
            tools: &tools,
        };
        arch.target.flavor(&module, &device).map_err(|e| e.to_string())?;
        module.verify().unwrap_or_else(|e| panic!("after flavor: {e}\n{}", module.text()));
        let flavored = module.text();
        module.run_passes(&arch.target.pipeline(self.level), &machine).expect("LLVM knows the pipeline");
        arch.target.finish(&module, &device, &machine).map_err(|e| e.to_string())?;
        let code = arch.target.codegen(&module, &machine).map_err(|e| e.to_string())?;
        let images = arch.target.image(code.clone(), &device).map_err(|e| e.to_string())?.images;
        Ok(Compiled { flavored, code, images })
    }

    #[track_caller]
    fn expect(&self, arch: &str) -> Compiled {
        self.compile(arch).unwrap_or_else(|e| panic!("{arch}: {e}"))
    }
}

fn tool(name: &str, arguments: &[&str], bytes: &[u8]) -> String {
    let folder = harness::scratch();
    let file = folder.path().join("file");
    std::fs::write(&file, bytes).unwrap();
    let output = std::process::Command::new(harness::llvm_tool(name)).args(arguments).arg(&file).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every line of `wanted` in this order, each in a line of `text`.
#[track_caller]
fn in_order(text: &str, wanted: &[&str]) {
    let mut rest = text;
    for each in wanted {
        let at = rest.find(each).unwrap_or_else(|| panic!("no `{each}` where it should be in\n{text}"));
        rest = &rest[at + each.len()..];
    }
}

const NVIDIA: &[&str] = &["sm_70", "sm_80", "sm_90", "sm_100"];
const AMD: &[&str] = &["gfx90a", "gfx1100", "gfx90a:xnack+"];

const SAXPY: &str = "
declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
define void @saxpy(float %a, ptr readonly %x, ptr %y, i32 %n, i1 zeroext %on) {
  %t = call i32 @__offload_thread_id_x()
  %b = call i32 @__offload_block_id_x()
  %d = call i32 @__offload_block_dim_x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %in = icmp ult i32 %i, %n
  %go = and i1 %in, %on
  br i1 %go, label %body, label %end
body:
  %i64 = zext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %i64
  %py = getelementptr float, ptr %y, i64 %i64
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %m = fmul float %a, %vx
  %s = fadd float %m, %vy
  store float %s, ptr %py
  br label %end
end:
  ret void
}
";

fn saxpy() -> Setup<'static> {
    let rows = [(Value, 4), (Pointer, 8), (Pointer, 8), (Value, 4), (Value, 1)];
    Setup::new(SAXPY, vec![kernel("saxpy", &rows)])
}

#[test]
fn saxpy_reads_and_writes_global_memory() {
    for arch in NVIDIA {
        let ptx = saxpy().expect(arch).assembly();
        in_order(&ptx, &[&format!(".target {arch}"), ".visible .entry saxpy(", "%tid.x", "ld.global", "st.global"]);
        assert!(!ptx.contains("ld.b32") && !ptx.contains("__offload"), "{ptx}");
    }
    for arch in AMD {
        let code = saxpy().expect(arch).assembly();
        in_order(&code, &["<saxpy>:", "global_load", "global_store"]);
        assert!(!code.contains("flat_"), "{code}");
    }
}

#[test]
fn every_level_compiles_and_is_packaged() {
    for level in [OptLevel::O0, OptLevel::O1, OptLevel::O3, OptLevel::Os, OptLevel::Oz] {
        for arch in ["sm_70", "gfx90a"] {
            let _compiled = Setup { level, ..saxpy() }.expect(arch);
        }
    }
}

#[test]
fn every_arch_compiles() {
    for target in TARGETS.iter().filter(|t| t.name() != "cpu") {
        for arch in target.archs() {
            // The assembler at hand can be older than the arch.
            match saxpy().compile(arch) {
                Ok(compiled) => assert!(!compiled.images.is_empty()),
                Err(error) => assert!(error.contains("is not defined for option 'gpu-name'"), "{arch}: {error}"),
            }
        }
    }
}

#[test]
fn the_images_are_what_their_runtimes_load() {
    let images = saxpy().expect("sm_80").images;
    let ptx = images.last().unwrap();
    assert_eq!((ptx.kind, ptx.triple.as_str(), ptx.arch.as_str()), (ImageKind::Ptx, "nvptx64-nvidia-cuda", "sm_80"));
    match harness::ptxas() {
        Some(_) => assert_eq!((images[0].kind, &images[0].bytes[..4]), (ImageKind::Cubin, b"\x7fELF".as_slice())),
        None => eprintln!("no ptxas here: machine code for NVIDIA GPUs was not made"),
    }
    let images = saxpy().expect("gfx90a:xnack+:sramecc-").images;
    assert_eq!((images.len(), images[0].arch.as_str()), (1, "gfx90a:sramecc-:xnack+"));
    let notes = tool("llvm-readobj", &["-h", "--notes"], &images[0].bytes);
    in_order(&notes, &["Type: SharedObject", "FEATURE_SRAMECC_OFF", "FEATURE_XNACK_ON", "hidden_block_count_x"]);
    in_order(&notes, &["max_flat_workgroup_size: 1024", ".symbol:         saxpy.kd", "amdhsa.version", "- 1", "- 2"]);
    let symbols = tool("llvm-readelf", &["--dyn-syms"], &images[0].bytes);
    in_order(&symbols, &["FUNC    GLOBAL PROTECTED", "OBJECT  GLOBAL PROTECTED"]);
}
