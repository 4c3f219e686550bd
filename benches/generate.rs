//! The benchmark's input: one Rust program with as many kernels as asked for, the same text each time.
//!
//! Four kinds of kernel take turns: n-body forces, a Mandelbrot image, rounds of SHA-256, and a stencil. Kernels of a
//! kind differ in their constants and in a part of their shape, so that no two of them are equal. They are exported
//! functions named `bench_*`, which offloadc finds by name and LLVM's own tools can keep by name.

use std::fmt::Write as _;

/// A kernel, and the facts that a wrapper in LLVM's language needs to call it.
pub(crate) struct Kernel {
    /// The exported symbol.
    pub(crate) name: String,
    /// LLVM's types of the parameters.
    pub(crate) parameters: &'static [&'static str],
    source: String,
}

const START: &str = include_str!("start.rs");
/// The start of an exported function.
const EXPORTED: &str = "#[no_mangle]\npub ";

/// The names of the kinds, in their order.
pub(crate) const KINDS: [&str; 4] = ["nbody", "mandelbrot", "sha256", "stencil"];
const MAKE: [fn(usize, &mut Numbers) -> Kernel; 4] = [nbody, mandelbrot, sha256, stencil];

/// The kernels, in the program's order.
pub(crate) fn kernels(count: usize) -> Vec<Kernel> {
    (0..count).map(|number| MAKE[number % MAKE.len()](number, &mut Numbers::new(number))).collect()
}

/// Kernels of the kind with this number.
pub(crate) fn of_kind(kind: usize, count: usize) -> Vec<Kernel> {
    (0..count).map(|number| MAKE[kind](number, &mut Numbers::new(number))).collect()
}

/// The first kernel with other constants.
pub(crate) fn other_first(seed: usize) -> Kernel {
    nbody(0, &mut Numbers::new(seed))
}

/// LLVM IR that a build by hand links with the kernels for one target: the builtins that they call, and for each
/// kernel an entry point, `entry_*`, whose pointers are global ones.
pub(crate) fn prelude(kernels: &[Kernel], entry: &Entry) -> String {
    let mut text = entry.builtins.to_owned();
    for kernel in kernels {
        let types = kernel.parameters;
        let name = &kernel.name;
        let pointers = || (0..types.len()).filter(|i| types[*i] == "ptr");
        let taken = join(types, |i, ty| format!("{} %{i}", if ty == "ptr" { "ptr addrspace(1)" } else { ty }));
        let passed = join(types, |i, ty| format!("{ty} %{}{i}", if ty == "ptr" { "generic" } else { "" }));
        text += &format!("declare void @{name}({})\n", types.join(", "));
        text += &format!("define {} void @entry_{name}({taken}) {} {{\n", entry.convention, entry.attributes);
        for i in pointers() {
            text += &format!("  %generic{i} = addrspacecast ptr addrspace(1) %{i} to ptr\n");
        }
        text += &format!("  call void @{name}({passed}) alwaysinline\n  ret void\n}}\n");
    }
    text
}

fn join(types: &[&str], one: impl Fn(usize, &str) -> String) -> String {
    types.iter().enumerate().map(|(i, ty)| one(i, ty)).collect::<Vec<_>>().join(", ")
}

/// How entry points look on one target.
pub(crate) struct Entry {
    /// Definitions of the builtins.
    pub(crate) builtins: &'static str,
    /// The calling convention.
    pub(crate) convention: &'static str,
    /// Attributes of the function.
    pub(crate) attributes: &'static str,
}

/// Entry points of AMD's code objects.
pub(crate) const AMDGPU: Entry = Entry {
    builtins: include_str!("amdgpu.ll"),
    convention: "protected amdgpu_kernel",
    attributes: "nounwind \"amdgpu-flat-work-group-size\"=\"1,1024\" \"uniform-work-group-size\"=\"true\"",
};

/// Entry points of PTX.
pub(crate) const NVPTX: Entry =
    Entry { builtins: include_str!("nvptx.ll"), convention: "ptx_kernel", attributes: "nounwind" };

/// The program's source.
pub(crate) fn source(kernels: &[Kernel]) -> String {
    let bodies: Vec<&str> = kernels.iter().map(|kernel| kernel.source.as_str()).collect();
    format!("{START}\n{}", bodies.join("\n"))
}

/// The program's source as users write it, with code of the host above the kernels. Marker calls name the kernels,
/// which are not exported, so the host has no code for them.
pub(crate) fn source_with_launches(kernels: &[Kernel], host: &str) -> String {
    let bodies: Vec<&str> = kernels.iter().map(|kernel| kernel.source.trim_start_matches(EXPORTED)).collect();
    let handles = kernels.iter().map(|kernel| format!("__offload_kernel({} as *const ()), ", kernel.name));
    let (count, handles) = (kernels.len(), handles.collect::<String>());
    format!(
        "{START}\n{host}{}\n#[cfg(not(plain))]\nextern \"C\" {{\n    \
         fn __offload_kernel(kernel: *const ()) -> *const ();\n}}\n\n\
         #[cfg(plain)]\n#[no_mangle]\n#[inline(never)]\nunsafe extern \"C\" fn __offload_kernel(kernel: *const ()) \
         -> *const () {{\n    kernel\n}}\n\n\
         #[no_mangle]\npub unsafe extern \"C\" fn handles(to: *mut [*const (); {count}]) {{\n    *to = [{handles}];\n}}\n",
        bodies.join("\n")
    )
}

/// The same numbers for the same kernel: a multiplicative congruential generator (Lehmer, modulus 2^31 - 1).
struct Numbers {
    state: u64,
}

impl Numbers {
    fn new(seed: usize) -> Numbers {
        let mut numbers = Numbers { state: seed as u64 + 1 };
        let _far_from_the_seed = numbers.below(1);
        let _far_from_the_seed = numbers.below(1);
        numbers
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state * 48_271 % 0x7fff_ffff;
        self.state % limit
    }

    /// Between 0 and 1, with three digits: the same text on every machine.
    fn fraction(&mut self) -> String {
        format!("0.{:03}", self.below(1000))
    }
}

/// Text whose lines are produced by a function of the line's number.
fn lines(count: u64, mut line: impl FnMut(u64) -> String) -> String {
    (0..count).fold(String::new(), |text, number| text + &line(number) + "\n")
}

fn kernel(name: String, parameters: &'static [&'static str], declared: &str, body: &str) -> Kernel {
    let source = format!("{EXPORTED}unsafe extern \"C\" fn {name}({declared}) {{\n{body}}}\n");
    Kernel { name, parameters, source }
}

fn nbody(number: usize, numbers: &mut Numbers) -> Kernel {
    let force = ["gravity", "plummer", "spring", "repulsion"][numbers.below(4) as usize];
    let (softening, drag) = (numbers.fraction(), numbers.fraction());
    let body = format!(
        "    let index = global_id_x();
    if index >= count {{
        return;
    }}
    let own = *bodies.add(index as usize);
    let mut total = Vector::ZERO;
    for other in 0..count {{
        total = total + {force}(own, *bodies.add(other as usize), {softening});
    }}
    *moved.add(index as usize) = own.after(total + own.velocity * -{drag}, step);
"
    );
    let declared = "bodies: *const Body, moved: *mut Body, count: u32, step: f32";
    kernel(format!("bench_nbody_{number}"), &["ptr", "ptr", "i32", "float"], declared, &body)
}

fn mandelbrot(number: usize, numbers: &mut Numbers) -> Kernel {
    let power = numbers.below(3);
    let (left, top, limit) = (numbers.fraction(), numbers.fraction(), 64 + numbers.below(1000));
    let next = ["z * z", "z * z * z", "(z * z) * (z * z)"][power as usize];
    let body = format!(
        "    let (x, y) = (global_id_x(), global_id_y());
    if x >= width || y >= height {{
        return;
    }}
    let c = Complex::new(x as f32 * scale - {left}, y as f32 * scale - {top});
    let mut z = Complex::new(0.0, 0.0);
    let mut steps = 0;
    while steps < {limit} && z.norm() < 4.0 {{
        z = {next} + c;
        steps += 1;
    }}
    *image.add((y * width + x) as usize) = shade(steps, {limit}, z);
"
    );
    let declared = "image: *mut u32, width: u32, height: u32, scale: f32";
    kernel(format!("bench_mandelbrot_{number}"), &["ptr", "i32", "i32", "float"], declared, &body)
}

fn sha256(number: usize, numbers: &mut Numbers) -> Kernel {
    let rounds = 4 + numbers.below(3);
    let state = lines(8, |i| format!("    let mut s{i} = 0x{:08x}_u32;", numbers.below(0x7fff_ffff)));
    let mut work = lines(8, |i| format!("        let mut w{i} = u32::from_be(*block.add({i}));"));
    for round in 0..rounds {
        let word = |back: u64| format!("w{}", (round + 8 - back) % 8);
        let _infallible =
            writeln!(work, "        {} = scheduled({0}, {}, {}, {});", word(8), word(7), word(3), word(1));
        // The eight names turn instead of the eight values.
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|i| (i + 64 - round as usize % 8) % 8);
        let (constant, w) = (numbers.below(0x7fff_ffff), round % 8);
        let _infallible = writeln!(
            work,
            "        (s{d}, s{h}) = round([s{a}, s{b}, s{c}, s{d}], [s{e}, s{f}, s{g}, s{h}], 0x{constant:08x}, w{w});"
        );
    }
    let results = lines(8, |i| format!("    *state.add({i}) = (*state.add({i})).wrapping_add(s{i});"));
    let body = format!(
        "    let index = global_id_x();
    if index >= count {{
        return;
    }}
    let state = states.add(8 * index as usize);
{state}    for number in 0..length {{
        let block = blocks.add(8 * (number * count + index) as usize);
{work}    }}
{results}"
    );
    let declared = "blocks: *const u32, states: *mut u32, count: u32, length: u32";
    kernel(format!("bench_sha256_{number}"), &["ptr", "ptr", "i32", "i32"], declared, &body)
}

fn stencil(number: usize, numbers: &mut Numbers) -> Kernel {
    let radius = 1 + numbers.below(3);
    let centre = numbers.fraction();
    let ring = |distance: u64, weight: String| {
        format!("        sum += plane.ring({distance}) * {weight} + plane.above({distance}) * {weight};")
    };
    let rings = lines(radius, |i| ring(i + 1, numbers.fraction()));
    let body = format!(
        "    let (x, y) = (global_id_x(), global_id_y());
    if x < {radius} || y < {radius} || x + {radius} >= width || y + {radius} >= height {{
        return;
    }}
    for z in {radius}..depth - {radius} {{
        let plane = Point::new(from, width, height, x, y, z);
        let mut sum = plane.at(0, 0, 0) * {centre};
{rings}        *to.add(plane.index(0, 0, 0)) = sum;
    }}
"
    );
    let declared = "from: *const f32, to: *mut f32, width: u32, height: u32, depth: u32";
    kernel(format!("bench_stencil_{number}"), &["ptr", "ptr", "i32", "i32", "i32"], declared, &body)
}
