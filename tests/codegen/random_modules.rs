//! Random modules and the transformations of each target: the output is valid, and casts only state true address spaces
//! of pointers.

mod generate;
mod interpret;

use crate::gpu::{Setup, kernel};
use interpret::{Interpreter, Stop};
use offloadc::contract::kernel::ParameterKind::{Pointer, Value};
use offloadc::llvm::{Context, Module, OptLevel};
use offloadc::targets::{TARGETS, Target};
use std::process::Command;

const SEEDS: u64 = 100;
const STRESS_SEEDS: u64 = 40;

/// One arch of each target.
fn archs() -> impl Iterator<Item = (&'static dyn Target, &'static str)> {
    let usual = |archs: &[&'static str]| archs.iter().copied().find(|a| ["sm_80", "gfx90a"].contains(a));
    TARGETS.iter().map(move |target| (*target, usual(target.archs()).unwrap_or(target.archs()[0])))
}

fn setup(text: &str) -> Setup<'_> {
    Setup::new(text, vec![kernel("k", &[(Pointer, 8), (Pointer, 8), (Value, 8), (Value, 16)])])
}

#[test]
fn casts_tell_the_truth_about_random_pointers() {
    for (target, arch) in archs().filter(|(target, _)| target.name() != "cpu") {
        let (mut compiled, mut casts, mut runs) = (0, 0, 0);
        for seed in 0..SEEDS {
            // Not every device supports recursion and calls through pointers.
            let text = generate::module(seed, target.name() != "spirv");
            let flavored = setup(&text).flavor(arch).unwrap_or_else(|e| panic!("{arch}, seed {seed}: {e}\n{text}"));
            compiled += 1;
            let context = Context::create();
            let module =
                Module::from_text(&context, flavored.as_bytes(), "flavored").expect("LLVM reads what it writes");
            for number in [0, 3, 5, 6, 9, 15] {
                let mut interpreter = Interpreter::new(&module, target.address_spaces());
                match interpreter.run(number) {
                    Err(Stop::Wrong(what)) => panic!("{arch}, seed {seed}, number {number}: {what}\n{flavored}"),
                    Err(Stop::Undefined) => {}
                    Ok(()) => runs += 1,
                }
                casts += interpreter.casts;
            }
        }
        println!("{arch}: {compiled} modules of pointers, {runs} runs to the end, {casts} casts looked at");
        assert!(runs > SEEDS && casts > 10 * SEEDS as usize, "the random modules test too little");
    }
}

/// LLVM's own generator writes few pointers, but many unusual types. Modules with these are refused with a diagnostic.
#[test]
fn what_llvm_stress_writes_is_rewritten_or_refused() {
    let texts: Vec<String> = (0..STRESS_SEEDS).map(stress).collect();
    let rows = [(Pointer, 8), (Pointer, 8), (Pointer, 8), (Value, 4), (Value, 8), (Value, 1)];
    for (_, arch) in archs() {
        let (mut rewritten, mut refused) = (0, 0);
        for text in &texts {
            match Setup::new(text, vec![kernel("k", &rows)]).flavor(arch) {
                Ok(_) => rewritten += 1,
                Err(_) => refused += 1,
            }
        }
        println!("{arch}: {rewritten} modules of llvm-stress rewritten, {refused} refused");
        assert!(rewritten > refused, "{arch} refuses most");
    }
}

/// LLVM's verifier cannot check SPIR-V: Khronos' validator accepts the code of random modules, or they are refused with
/// a diagnostic.
#[test]
fn code_of_random_modules_is_valid() {
    let folder = harness::scratch();
    let rows = [(Pointer, 8), (Pointer, 8), (Pointer, 8), (Value, 4), (Value, 8), (Value, 1)];
    let (mut valid, mut refused) = (0, 0);
    for seed in 0..STRESS_SEEDS {
        let (pointers, odd) = (generate::module(seed, seed % 2 == 0), stress(seed));
        let setups = [setup(&pointers), Setup::new(&odd, vec![kernel("k", &rows)])];
        for (setup, level) in setups.into_iter().zip([OptLevel::O2, OptLevel::O0]) {
            let setup = Setup { level, ..setup };
            match setup.generate("spirv64") {
                Ok(compiled) => {
                    let file = folder.path().join("module.spv");
                    std::fs::write(&file, &compiled.code).expect("the folder can be written");
                    let outcome = harness::run(Command::new("spirv-val").args(["--target-env", "spv1.3"]).arg(&file));
                    assert!(outcome.code() == 0, "seed {seed}: {}\n{}", outcome.report(), setup.text);
                    valid += 1;
                }
                Err(error) => {
                    assert!(!error.contains("internal error"), "seed {seed}: {error}\n{}", setup.text);
                    refused += 1;
                }
            }
        }
    }
    println!("{valid} random modules are valid SPIR-V, {refused} refused");
    assert!(valid > refused, "most are refused");
}

fn stress(seed: u64) -> String {
    let size = 40 + seed * 7 % 200;
    let mut command = Command::new(harness::llvm_tool("llvm-stress"));
    let said =
        harness::run(command.arg(format!("-seed={seed}")).arg(format!("-size={size}")).args(["-o", "-"])).success();
    said.stdout().replace(&format!("@autogen_SD{seed}"), "@k")
}
