//! LLVM's machines, which generate code, and the platforms of host modules.

use crate::contract::platform::Platform;
use crate::error::{Error, Result};
use crate::llvm::workarounds::CODEGEN_LEVEL;
use crate::llvm::{Machine, Module, OptLevel};
use crate::targets::{Arch, Processor};

/// The machine of an arch with these features.
pub fn machine_of(arch: &Arch, level: OptLevel, features: &str) -> Result<Machine> {
    let target = arch.target;
    let Processor { triple, cpu, features: _ } = &arch.processor;
    let without = arch.options.without();
    let level = if without.lacks(CODEGEN_LEVEL) { level.codegen() } else { target.codegen_level(level) };
    let machine = Machine::new(triple, cpu, features, level, true)?.without_workarounds(without);
    Ok(machine.in_separate_process(target.facts().separate_process))
}

/// The platform of a module from the file `name`, if host objects can be made for it.
pub fn platform_of(triple: &str, name: &str) -> Result<Platform> {
    let platforms = Platform::ALL.map(Platform::name).join(" and ");
    let refused = || format!("{name} was compiled for `{triple}`, and host objects can be made for {platforms} only");
    Platform::of(triple).ok_or_else(|| Error::new(refused()))
}

/// A machine for host code. Its processor is the one of functions that name none: rustc's default.
pub fn host_machine(module: &Module<'_>, level: OptLevel) -> Result<Machine> {
    let triple = module.triple();
    let processor = Platform::of(&triple).map_or("", Platform::baseline);
    Machine::new(&triple, processor, "", level.codegen(), true)
}

/// Sets the platform's data layout in a module that has none. IR written by hand often has none, and kernel arguments
/// have other offsets in LLVM's default layout.
pub fn complete_layout(module: &Module<'_>) -> Result<()> {
    if module.data_layout().is_empty() {
        module.set_machine(&host_machine(module, OptLevel::O0)?);
    }
    Ok(())
}
