//! Counts accesses to memory in a device's assembly, and how many of them are flat: through generic pointers, whose
//! address space the hardware finds out each time.

use std::ops::AddAssign;

/// How many accesses some code has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accesses {
    pub(crate) flat: usize,
    pub(crate) all: usize,
}

impl AddAssign for Accesses {
    fn add_assign(&mut self, other: Accesses) {
        self.flat += other.flat;
        self.all += other.all;
    }
}

impl std::fmt::Display for Accesses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} / {}", self.flat, self.all)
    }
}

/// Counts the accesses of PTX or of an AMD GPU's assembly. Accesses to arguments are left out.
pub(crate) fn count(assembly: &str) -> Accesses {
    let of_line = if assembly.contains(".address_size") { ptx } else { amdgpu };
    let flats = assembly.lines().filter_map(of_line);
    flats.fold(Accesses::default(), |sum, flat| Accesses { flat: sum.flat + usize::from(flat), all: sum.all + 1 })
}

/// Whether the access of a line is flat; none when the line is no access. `@%p1 ld.volatile.global.b32 …`
fn ptx(line: &str) -> Option<bool> {
    let instruction = line.split_whitespace().find(|word| !word.starts_with('@'))?;
    let mut parts = instruction.split('.').map(|part| part.split("::").next().unwrap_or(part));
    let accesses = ["ld", "ldu", "st", "atom", "red"].contains(&parts.next()?);
    let parts: Vec<&str> = parts.collect();
    if !accesses || parts.contains(&"param") {
        return None;
    }
    Some(!parts.iter().any(|part| ["global", "shared", "local", "const"].contains(part)))
}

/// The same for AMD GPUs. Scalar loads are left out: they read arguments and constants.
fn amdgpu(line: &str) -> Option<bool> {
    let (family, what) = line.split_whitespace().next()?.split_once('_')?;
    let accesses = match family {
        "flat" | "global" | "buffer" | "scratch" => {
            ["load", "store", "atomic"].iter().any(|verb| what.starts_with(verb))
        }
        "ds" => !["permute", "bpermute", "swizzle", "nop"].iter().any(|lanes| what.starts_with(lanes)),
        _ => false,
    };
    accesses.then_some(family == "flat")
}
