//! Every math function with 10,000 inputs, including special cases, and on emulated GPUs, in turn on two of three, with
//! some of these: each device must return the same bits as the `libm` crate on the host. `docs/math.md`, which `make
//! bless` writes, has the distance from the correct result.

#[macro_use]
#[path = "../math/functions.rs"]
mod functions;
mod inputs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::emulators::Emulated;
use harness::program::{self, RECOMMENDED};
use harness::{emulators, opencl, run, turns};
use inputs::{COUNT, inputs, some};
use offloadc::contract::math::{FUNCTIONS, Native, Width};
use offloadc::targets;

/// The file of a program's inputs, which is no function's name.
const INPUTS: &str = "the-inputs";

/// Both widths and integers, as they are stored in files.
trait Number: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

impl Number for f64 {
    fn of(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    /// The bits, with one pattern for all NaNs.
    fn bits(self) -> u64 {
        if self.is_nan() { f64::NAN.to_bits() } else { self.to_bits() }
    }
}

impl Number for f32 {
    fn of(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        u64::from(if self.is_nan() { f32::NAN.to_bits() } else { self.to_bits() })
    }
}

impl Number for i32 {
    fn of(bits: u64) -> i32 {
        bits as i32
    }
    fn bits(self) -> u64 {
        self as u64
    }
}

impl Number for i64 {
    fn of(bits: u64) -> i64 {
        bits as i64
    }
    fn bits(self) -> u64 {
        self as u64
    }
}

/// The type of a width's results, for comparisons.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Double,
    Single,
    Integer,
    Nothing,
}

impl Kind {
    fn canonical(self, bits: u64) -> u64 {
        match self {
            Kind::Double => f64::of(bits).bits(),
            Kind::Single => f32::of(bits).bits(),
            Kind::Integer | Kind::Nothing => bits,
        }
    }
}

type Reference = Box<dyn Fn([u64; 3]) -> [u64; 2]>;

/// The results of a function on the host, and their type.
struct Function {
    kinds: [Kind; 2],
    reference: Reference,
}

/// Functions in both widths, by their names in `kernels.rs`.
#[derive(Default)]
struct Functions(BTreeMap<String, Function>);

impl Functions {
    fn add(&mut self, name: &str, kinds: [Kind; 2], reference: impl Fn([u64; 3]) -> [u64; 2] + 'static) {
        let _none = self.0.insert(name.to_owned(), Function { kinds, reference: Box::new(reference) });
    }
}

/// An entry for one width: `Double` and `f64`, or the other one.
macro_rules! entry {
    ($all:ident, $kind:ident $ty:ident, $name:expr, |$x:ident, $y:ident, $n:ident| $value:expr) => {
        entry!($all, $kind Nothing $ty, $name, |$x, $y, $n| ($value, 0i32));
    };
    ($all:ident, $kind:ident $second:ident $ty:ident, $name:expr, |$x:ident, $y:ident, $n:ident| $value:expr) => {
        #[allow(unused_variables, reason = "most functions have fewer than three arguments")]
        $all.add($name, [Kind::$kind, Kind::$second], |[x, y, n]| {
            let ($x, $y, $n) = ($ty::of(x), $ty::of(y), i32::of(n));
            let (first, second) = $value;
            [first.bits(), second.bits()]
        });
    };
}

macro_rules! references {
    ($($form:ident { $($rest:tt)* })*) => {
        fn references() -> Functions {
            let mut all = Functions::default();
            $(references!(@$form all $($rest)*);)*
            all
        }
    };
    (@unary $all:ident $($wide:ident $narrow:ident,)*) => {$(
        entry!($all, Double f64, stringify!($wide), |x, y, n| libm::$wide(x));
        entry!($all, Single f32, stringify!($narrow), |x, y, n| libm::$narrow(x));
    )*};
    (@binary $all:ident $($wide:ident $narrow:ident,)*) => {$(
        entry!($all, Double f64, stringify!($wide), |x, y, n| libm::$wide(x, y));
        entry!($all, Single f32, stringify!($narrow), |x, y, n| libm::$narrow(x, y));
    )*};
    (@three $all:ident $($wide:ident $narrow:ident,)*) => {$(
        entry!($all, Double f64, stringify!($wide), |x, y, n| libm::$wide(x, y, x));
        entry!($all, Single f32, stringify!($narrow), |x, y, n| libm::$narrow(x, y, x));
    )*};
    (@power $all:ident $($wide:ident $narrow:ident $int:ident,)*) => {$(
        entry!($all, Double f64, stringify!($wide), |x, y, n| libm::scalbn(x, n));
        entry!($all, Single f32, stringify!($narrow), |x, y, n| libm::scalbnf(x, n));
    )*};
    (@order $all:ident $($wide:ident $narrow:ident,)*) => {$(
        entry!($all, Double f64, stringify!($wide), |x, y, n| libm::$wide(n % 32, x));
        entry!($all, Single f32, stringify!($narrow), |x, y, n| libm::$narrow(n % 32, x));
    )*};
    (@exponent $all:ident $($wide:ident $narrow:ident,)*) => {$(
        entry!($all, Double Integer f64, stringify!($wide), |x, y, n| libm::$wide(x));
        entry!($all, Single Integer f32, stringify!($narrow), |x, y, n| libm::$narrow(x));
    )*};
    (@whole $all:ident $($wide:ident $narrow:ident,)*) => {$(
        entry!($all, Double Double f64, stringify!($wide), |x, y, n| libm::$wide(x));
        entry!($all, Single Single f32, stringify!($narrow), |x, y, n| libm::$narrow(x));
    )*};
    (@quotient $all:ident $($wide:ident $narrow:ident,)*) => {$(
        entry!($all, Double Integer f64, stringify!($wide), |x, y, n| libm::$wide(x, y));
        entry!($all, Single Integer f32, stringify!($narrow), |x, y, n| libm::$narrow(x, y));
    )*};
    (@both $all:ident $($rest:tt)*) => { references!(@whole $all $($rest)*); };
    // Functions without a counterpart for `f32`.
    (@$form:ident $all:ident $($rest:tt)*) => {};
}

functions!(references);

/// The functions whose reference is not the `libm` crate's function with the same name.
fn others(all: &mut Functions) {
    macro_rules! width {
        ($kind:ident $ty:ident $suffix:literal $($of:ident = $function:ident,)*) => {
            $(entry!(all, $kind $ty, concat!(stringify!($of), ".", stringify!($ty)), |x, y, n| libm::$function(x));)*
        };
    }
    width! { Double f64 "" sin = sin, cos = cos, tan = tan, exp = exp, exp2 = exp2, ln = log, log2 = log2,
    log10 = log10, exp_m1 = expm1, ln_1p = log1p, sqrt = sqrt, cbrt = cbrt, floor = floor, ceil = ceil,
    round = round, trunc = trunc, round_ties_even = rint, abs = fabs, }
    width! { Single f32 "f" sin = sinf, cos = cosf, tan = tanf, exp = expf, exp2 = exp2f, ln = logf, log2 = log2f,
    log10 = log10f, exp_m1 = expm1f, ln_1p = log1pf, sqrt = sqrtf, cbrt = cbrtf, floor = floorf, ceil = ceilf,
    round = roundf, trunc = truncf, round_ties_even = rintf, abs = fabsf, }
    macro_rules! two {
        ($kind:ident $ty:ident, $($name:expr => |$x:ident, $y:ident| $value:expr,)*) => {
            $(entry!(all, $kind $ty, $name, |$x, $y, n| $value);)*
        };
    }
    two! { Double f64,
        "powf.f64" => |x, y| libm::pow(x, y),
        "hypot.f64" => |x, y| libm::hypot(x, y),
        "atan2.f64" => |x, y| libm::atan2(x, y),
        "copysign.f64" => |x, y| libm::copysign(x, y),
        "rem_euclid.f64" => |x, y| euclid(libm::fmod(x, y), y),
        "min.f64" => |x, y| libm::fminimum_num(x, y),
        "max.f64" => |x, y| libm::fmaximum_num(x, y),
        "fmin" => |x, y| libm::fminimum_num(x, y),
        "fmax" => |x, y| libm::fmaximum_num(x, y),
        "nearbyint" => |x, y| libm::rint(x),
        "acosh" => |x, y| if x < 1.0 { f64::NAN } else { libm::acosh(x) },
        "logb" => |x, y| exponent(libm::ilogb(x), x),
    }
    two! { Single f32,
        "powf.f32" => |x, y| libm::powf(x, y),
        "hypot.f32" => |x, y| libm::hypotf(x, y),
        "atan2.f32" => |x, y| libm::atan2f(x, y),
        "copysign.f32" => |x, y| libm::copysignf(x, y),
        "rem_euclid.f32" => |x, y| if libm::fmodf(x, y) < 0.0 { libm::fmodf(x, y) + y.abs() } else { libm::fmodf(x, y) },
        "min.f32" => |x, y| libm::fminimum_numf(x, y),
        "max.f32" => |x, y| libm::fmaximum_numf(x, y),
        "fminf" => |x, y| libm::fminimum_numf(x, y),
        "fmaxf" => |x, y| libm::fmaximum_numf(x, y),
        "nearbyintf" => |x, y| libm::rintf(x),
        "acoshf" => |x, y| if x < 1.0 { f32::NAN } else { libm::acoshf(x) },
        "logbf" => |x, y| exponent(libm::ilogbf(x), x.into()) as f32,
    }
    two! { Integer f64,
        "ilogb" => |x, y| libm::ilogb(x),
        "lrint" => |x, y| libm::rint(x) as i64,
        "llrint" => |x, y| libm::rint(x) as i64,
        "lround" => |x, y| libm::round(x) as i64,
        "llround" => |x, y| libm::round(x) as i64,
    }
    two! { Integer f32,
        "ilogbf" => |x, y| libm::ilogbf(x),
        "lrintf" => |x, y| libm::rintf(x) as i64,
        "llrintf" => |x, y| libm::rintf(x) as i64,
        "lroundf" => |x, y| libm::roundf(x) as i64,
        "llroundf" => |x, y| libm::roundf(x) as i64,
    }
}

fn euclid(rest: f64, divisor: f64) -> f64 {
    if rest < 0.0 { rest + divisor.abs() } else { rest }
}

/// `logb` of a number with a known `ilogb`.
fn exponent(exponent: i32, x: f64) -> f64 {
    match x {
        x if x.is_nan() => x,
        x if x.is_infinite() => f64::INFINITY,
        0.0 => -f64::INFINITY,
        _ => exponent.into(),
    }
}

fn words(path: &Path) -> Vec<u64> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
}

/// The emulated GPUs but one, in turn.
fn emulated() -> impl Iterator<Item = Emulated> {
    let left_out = turns::next(3);
    (0..).zip(emulators::all()).filter(move |(number, _)| turns::all() || *number != left_out).map(|(_, one)| one)
}

/// The program with kernels for every device that runs it.
fn compile(folder: &Path) -> PathBuf {
    let bitcode = program::bitcode("tests/math/kernels.rs", RECOMMENDED, folder);
    let (object, program) = (folder.join("math.o"), folder.join("math"));
    let spirv = opencl::folder().map(|_| "spirv64");
    let archs: Vec<&str> = ["cpu"].into_iter().chain(spirv).chain(emulated().map(|one| one.arch)).collect();
    program::compile(&bitcode, &object, &[&format!("--offload-arch={}", archs.join(","))]).success();
    program::link_rust(&object, "offloadrt", &program);
    program
}

/// The results of a program, in the folder of this name, for these inputs. `choose` makes it open a device.
fn run_on(name: &str, program: &Path, inputs: &[u64], choose: impl FnOnce(&mut Command) -> &mut Command) -> PathBuf {
    let folder = program.with_file_name(name);
    std::fs::create_dir(&folder).expect("the scratch folder can be written");
    let bytes: Vec<u8> = inputs.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join(INPUTS), bytes).expect("the scratch folder can be written");
    let mut command = Command::new(program);
    run(choose(&mut command).arg(folder.join(INPUTS)).arg(&folder)).success();
    folder
}

/// The differences in a folder of results, at most one line for each function.
fn differences(functions: &Functions, inputs: &[u64], results: &Path) -> Vec<String> {
    let (mut wrong, each) = (Vec::new(), inputs.len() / 6);
    for (name, function) in &functions.0 {
        let there = words(&results.join(name));
        let single = function.kinds[0] == Kind::Single || (function.kinds[0] == Kind::Integer && name.ends_with('f'));
        let of_width = if single { &inputs[3 * each..] } else { inputs };
        let mut count = 0;
        let mut first = String::new();
        for i in 0..each {
            let input = [of_width[i], of_width[each + i], of_width[2 * each + i]];
            let wanted = (function.reference)(input);
            for (second, (kind, wanted)) in function.kinds.iter().zip(wanted).enumerate() {
                let found = kind.canonical(there[second * each + i]);
                if *kind != Kind::Nothing && found != wanted {
                    if count == 0 {
                        first = format!("{input:x?} gives {found:x} and not {wanted:x}");
                    }
                    count += 1;
                }
            }
        }
        if count > 0 {
            wrong.push(format!("{name}: {count} differ; {first}"));
        }
    }
    wrong
}

/// The distance between the results that are compared with the correct ones.
const SAMPLE: usize = 10;

/// The largest error of each function by its name in C, as text in units in the last place.
fn errors(folder: &Path, inputs: &Path, results: &Path) -> BTreeMap<String, String> {
    let program = folder.join("errors");
    let mut command = Command::new("cc");
    let source = harness::root().join("tests/math/errors.c");
    run(command.args(["-O1", "-Wall", "-Werror"]).arg(source).arg("-o").arg(&program).args(["-lmpfr", "-lm"]))
        .success();
    let mut command = Command::new(&program);
    let text = run(command.arg(inputs).arg(results).arg(COUNT.to_string()).arg(SAMPLE.to_string())).success().stdout();
    let pair = |line: &str| line.split_once(' ').map(|(name, error)| (name.to_owned(), error.to_owned()));
    text.lines().filter_map(pair).collect()
}

const INTRODUCTION: &str = "\
# Math

This page lists the math functions that kernels can call. C's name, Rust's method and LLVM's intrinsic are the same
function. If the hardware or LLVM computes an operation exactly, kernels use it. All other functions come from the
portable library, which is the `libm` crate compiled for devices. In both cases each target returns the same bits,
except for the signs and payloads of NaNs, unless `--math=vendor`, `--fast-math` or `--fp-contract=fast` is given.
`fmin` and `fmax` order zeros: -0 is less than +0. `nexttoward` takes a `long double` and is not supported.

An error is the largest difference from the correctly rounded result, in units in the last place, over special values
and random numbers of all magnitudes, which are the same in each run. 0.50 is a correctly rounded result. The errors of
Bessel's functions and of `lgamma` grow without bound near their zeros. The last column names the targets where the
function itself is the hardware's or LLVM's. A `cpu` rounds in this way from `cpu:x86-64-v2` on, and fuses from
`cpu:x86-64-v3` on; a `cpu` of aarch64 does both.

| function | error, `f64` | error, `f32` | without a library on |
|---|---|---|---|
";

/// Functions without rounding, whose errors are not measured.
const EXACT: [&str; 9] = ["frexp", "ilogb", "logb", "lrint", "lround", "modf", "nan", "nextafter", "remquo"];

/// One arch for each target.
const ARCHS: [&str; 4] = ["cpu:x86-64-v3", "sm_80", "gfx90a", "spirv64"];

fn document(errors: &BTreeMap<String, String>) -> String {
    let archs = ARCHS.map(|arch| targets::lookup(arch).unwrap_or_else(|_| panic!("{arch} is an arch")));
    let mut text = INTRODUCTION.to_owned();
    for function in FUNCTIONS {
        let nothing = match function.name {
            "sincos" => "as `sin`, `cos`",
            "lgamma_r" => "as `lgamma`",
            "ldexp" | "scalbln" | "scalbn" => "exact, or rounded to a subnormal number",
            "powi" => "of each multiplication 0.50",
            name if EXACT.contains(&name) || function.native != Native::Nowhere => "exact",
            _ => "",
        };
        let [wide, narrow] = [Width::Double, Width::Single]
            .map(|width| errors.get(&function.c_name(width)).map_or(nothing, String::as_str));
        let has = archs.iter().filter(|arch| arch.target.has_math(function.native, &arch.processor));
        let targets: Vec<_> = has.map(|arch| arch.target.name()).collect();
        text += &format!("| `{}` | {wide} | {narrow} | {} |\n", function.name, targets.join(", "));
    }
    text
}

/// Writes the document if `make bless` requests it. Otherwise returns how the existing one differs.
fn outdated(errors: &BTreeMap<String, String>) -> Option<String> {
    let (file, text) = (harness::root().join("docs/math.md"), document(errors));
    if std::env::var_os("OFFLOADC_BLESS").is_some() {
        std::fs::write(file, text).expect("the document can be written");
        return None;
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let difference = text.lines().zip(written.lines()).find(|(a, b)| a != b);
    (text != written)
        .then(|| format!("docs/math.md is out of date (found, written): {difference:?}; `make bless` writes it"))
}

#[test]
fn every_device_gives_the_bits_of_the_portable_library() {
    let mut functions = references();
    others(&mut functions);
    let (folder, inputs) = (harness::scratch(), inputs());
    let program = compile(folder.path());
    let mut wrong = Vec::new();
    let mut check = |name: &str, inputs: &[u64], results: &Path| {
        wrong.extend(differences(&functions, inputs, results).into_iter().map(|line| format!("{name}: {line}")));
    };
    let on_cpu = run_on("cpu", &program, &inputs, |command| command);
    check("cpu", &inputs, &on_cpu);
    if opencl::folder().is_some() {
        check("opencl", &inputs, &run_on("opencl", &program, &inputs, opencl::choose));
    }
    let some = some(&inputs);
    for emulated in emulated() {
        let results = run_on(emulated.arch, &program, &some, |command| emulators::choose(command, emulated));
        check(emulated.arch, &some, &results);
    }
    wrong.extend(outdated(&errors(folder.path(), &on_cpu.join(INPUTS), &on_cpu)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every function of the vendors' libraries that stands for one of C's is there, and can be compiled.
#[test]
fn vendors_have_what_is_taken_from_them() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("tests/math/kernels.rs", RECOMMENDED, folder.path());
    let cuda = harness::ptxas().and_then(|path| Some(path.parent()?.parent()?.to_path_buf()));
    let rocm = Path::new("/usr/lib/x86_64-linux-gnu");
    let mut archs = vec!["spirv64"];
    archs.extend(cuda.is_some().then_some("sm_80"));
    archs.extend(rocm.join("amdgcn/bitcode/ocml.bc").is_file().then_some("gfx90a"));
    let archs = format!("--offload-arch={}", archs.join(","));
    let cuda = cuda.map(|path| format!("--cuda-path={}", path.display()));
    let rocm = format!("--rocm-path={}", rocm.display());
    let options: Vec<_> = cuda.iter().map(String::as_str).chain([archs.as_str(), &rocm, "--math=vendor"]).collect();
    program::compile(&bitcode, &folder.path().join("vendor.o"), &options).success();
    let refused = program::compile(
        &bitcode,
        &folder.path().join("none.o"),
        &["--offload-arch=sm_80", "--math=vendor", "--cuda-path=/none"],
    );
    assert_eq!(refused.code(), 2);
    assert!(
        refused.stderr().contains("need libdevice; name the folder of CUDA with `--cuda-path`"),
        "{}",
        refused.report()
    );
}
