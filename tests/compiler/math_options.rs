//! The effects of `--math` and `--fp-contract` on the code of a kernel.

use harness::program;

/// The code of a kernel with one command line: words that it has, and words that it has not.
struct Rule {
    arch: &'static str,
    options: &'static [&'static str],
    has: &'static [&'static str],
    lacks: &'static [&'static str],
}

const KERNEL: &str = "\
target triple = \"x86_64-unknown-linux-gnu\"
declare float @llvm.fmuladd.f32(float, float, float)
declare float @llvm.sin.f32(float)
declare double @cbrt(double)
define void @k(ptr %p, ptr %q) {
  %a = load float, ptr %q
  %b = load float, ptr %p
  %m = fmul float %a, %b
  %s = fadd float %m, %b
  %f = call float @llvm.fmuladd.f32(float %s, float %a, float %b)
  %i = call float @llvm.sin.f32(float %f)
  %w = fpext float %i to double
  %c = call double @cbrt(double %w)
  store float %f, ptr %p
  store double %c, ptr %q
  ret void
}
@list = constant ptr @k, section \".offload.kernels\"
";

const RULES: &[Rule] = &[
    Rule { arch: "sm_80", options: &[], has: &["add.rn.f32"], lacks: &["fma.rn.f32", ".ftz", "sin.approx"] },
    Rule { arch: "sm_80", options: &["--fp-contract=on"], has: &["fma.rn.f32", "add.rn.f32"], lacks: &[] },
    Rule { arch: "sm_80", options: &["--fp-contract=fast"], has: &["fma.rn.f32"], lacks: &[".approx"] },
    Rule { arch: "sm_80", options: &["--ftz"], has: &["add.rn.ftz.f32"], lacks: &["fma.rn.f32", "add.rn.f32"] },
    Rule { arch: "sm_80", options: &["--fast-math"], has: &["sin.approx.f32", "fma.rn.f32"], lacks: &["add.rn.f32"] },
    Rule { arch: "gfx90a", options: &[], has: &["v_mul_f32", "v_add_f32"], lacks: &["v_fmac_f32", "v_sin_f32"] },
    Rule { arch: "gfx90a", options: &["--fp-contract=fast"], has: &["v_f"], lacks: &["v_sin_f32"] },
    Rule { arch: "gfx90a", options: &["--ftz"], has: &[".amdhsa_float_denorm_mode_32 0"], lacks: &[] },
    Rule { arch: "gfx90a", options: &["--fast-math"], has: &["v_sin_f32"], lacks: &[] },
    Rule { arch: "spirv64", options: &[], has: &["ContractionOff"], lacks: &[] },
    Rule { arch: "spirv64", options: &["--fp-contract=fast"], has: &[], lacks: &["ContractionOff"] },
    Rule { arch: "spirv64", options: &["--math=vendor"], has: &[" sin ", " cbrt "], lacks: &[] },
    Rule { arch: "cpu:x86-64-v3", options: &[], has: &["vmulss", "vaddss"], lacks: &[] },
    Rule { arch: "cpu:x86-64-v3", options: &["--fp-contract=fast"], has: &["vfmadd"], lacks: &[] },
];

#[test]
fn what_is_said_of_floats_is_obeyed() {
    let folder = harness::scratch();
    let (input, output) = (folder.path().join("kernel.ll"), folder.path().join("code"));
    std::fs::write(&input, KERNEL).expect("the scratch folder can be written");
    let mut wrong = Vec::new();
    for rule in RULES {
        let arch = format!("--offload-arch={}", rule.arch);
        let arguments = [&[arch.as_str(), "--emit=codegen"], rule.options].concat();
        program::compile(&input, &output, &arguments).success();
        let code = std::fs::read_to_string(&output).expect("it was just written");
        let absent = rule.has.iter().filter(|word| !code.contains(**word)).map(|word| format!("no `{word}`"));
        let present = rule.lacks.iter().filter(|word| code.contains(**word)).map(|word| format!("`{word}`"));
        wrong.extend(absent.chain(present).map(|what| format!("{} {:?}: {what}", rule.arch, rule.options)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
