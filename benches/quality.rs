//! The quality of device code, without running it: machine instructions, registers and spills of all kernels.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Sums over all kernels of one image.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quality {
    /// Machine instructions, without padding.
    pub(crate) instructions: u64,
    /// Registers: of vectors and scalars on AMD, as the assembler counts them on NVIDIA.
    pub(crate) registers: u64,
    /// Registers spilled on AMD, bytes stored and loaded for spills on NVIDIA.
    pub(crate) spills: u64,
}

/// Standard output and error of a program that must succeed.
pub(crate) fn output(command: &mut Command) -> io::Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(text) } else { Err(io::Error::other(format!("{command:?}: {text}"))) }
}

/// Of a code object for AMD GPUs.
pub(crate) fn amdgpu(llvm: &Path, image: &Path) -> io::Result<Quality> {
    let code = output(Command::new(llvm.join("llvm-objdump")).args(["-d", "--no-show-raw-insn"]).arg(image))?;
    let notes = output(Command::new(llvm.join("llvm-readobj")).arg("--notes").arg(image))?;
    let sum = |names: &[&str]| -> u64 {
        let values = notes.lines().filter_map(|line| line.trim().trim_start_matches("- ").split_once(':'));
        values.filter(|(name, _)| names.contains(name)).filter_map(|(_, v)| v.trim().parse::<u64>().ok()).sum()
    };
    Ok(Quality {
        instructions: amdgpu_instructions(&code),
        registers: sum(&[".vgpr_count", ".sgpr_count"]),
        spills: sum(&[".vgpr_spill_count", ".sgpr_spill_count"]),
    })
}

/// Instructions in a disassembly; those after a function's last one are padding.
fn amdgpu_instructions(code: &str) -> u64 {
    let (mut count, mut padding) = (0, 0);
    for line in code.lines() {
        if line.ends_with(">:") {
            padding = 0;
        } else if let Some(instruction) = line.strip_prefix('\t') {
            padding += 1;
            if !instruction.starts_with("s_code_end") && !instruction.starts_with("s_nop") {
                count += padding;
                padding = 0;
            }
        }
    }
    count
}

/// Of PTX: the quality of the code that NVIDIA's assembler makes.
pub(crate) fn nvptx(llvm: &Path, ptxas: &Path, arch: &str, image: &Path) -> io::Result<Quality> {
    let cubin = image.with_extension("cubin");
    let said =
        output(Command::new(ptxas).args(["-v", "-O3", "-arch", arch, "-o"]).arg(&cubin).arg(image))?.replace(',', "");
    // The number before each of these words.
    let sum = |unit: &str| -> u64 {
        let before = |at: usize| said[..at].split_whitespace().last().and_then(|word| word.parse::<u64>().ok());
        said.match_indices(unit).filter_map(|(at, _)| before(at)).sum()
    };
    let sections = output(Command::new(llvm.join("llvm-size")).arg("-A").arg(&cubin))?;
    let text = sections.lines().filter(|line| line.starts_with(".text."));
    let bytes: u64 = text.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum();
    Ok(Quality {
        // 16 bytes each since sm_70; the assembler fills up to 128.
        instructions: bytes / 16,
        registers: sum(" registers"),
        spills: sum(" bytes spill stores") + sum(" bytes spill loads"),
    })
}
