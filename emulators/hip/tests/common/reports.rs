//! Runs each kernel in a separate process, and looks at its report.

use std::process::Command;

use super::{Kernel, Processor, SOURCE};

/// How a Rust program writes the name of the kernels.
pub(crate) const RUST_NAME: &str = "kernels::one";

/// hipErrorLaunchFailure.
const LAUNCH_FAILURE: i32 = 719;
/// Set in the process whose stderr is read.
pub(crate) const INSIDE: &str = "EMULATOR_TEST_INSIDE";

/// The head of every report: the device, the kernel as the Rust program calls it, and the line of its instruction.
#[track_caller]
fn check_head(kernel: &Kernel<'_>, said: &str) {
    let Processor { name, number, .. } = kernel.processor;
    let head = format!("emulated hip:{number} ({name}): kernel `{RUST_NAME}`: ");
    assert!(said.contains(&head), "`{head}` is missing:\n{said}");
    let behind = |text: &str| said.split_once(text).and_then(|(_, rest)| rest.lines().next());
    let line = behind(&format!("/{SOURCE}:")).and_then(|line| line.parse::<usize>().ok());
    let instruction = behind("\n  instruction: ").unwrap_or_else(|| panic!("no instruction:\n{said}"));
    let text = kernel.source();
    let written = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_else(|| panic!("no line:\n{said}"));
    // LLVM adds the encoding to the mnemonic.
    let mnemonic = written.split_whitespace().next().unwrap_or("nothing");
    assert!(instruction.starts_with(mnemonic), "line {line:?} is `{written}`:\n{said}");
}

/// Runs a kernel in a separate process, and looks for texts in its report.
#[track_caller]
pub(crate) fn reports(test: &str, kernel: &Kernel<'_>, inputs: fn(usize) -> [u32; 4], wanted: &[&str]) {
    let number = format!("{} {} {}", kernel.processor.name, wanted.join("|"), kernel.body);
    match std::env::var(INSIDE) {
        Ok(inside) if inside == number => {
            assert_eq!(kernel.try_run(inputs), Err(LAUNCH_FAILURE));
        }
        Ok(_) => {}
        Err(_) => {
            let mut command = Command::new(std::env::current_exe().expect("this is a program"));
            let output = command.args(["--exact", test, "--nocapture"]).env(INSIDE, &number).output();
            let output = output.expect("it can be started again");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{said}");
            check_head(kernel, &said);
            for text in wanted {
                assert!(said.contains(text), "`{text}` is missing:\n{said}");
            }
        }
    }
}
