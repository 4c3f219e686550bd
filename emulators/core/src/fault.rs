//! Accesses that no device would carry out, or that it would carry out in memory of another allocation.

use std::fmt;

/// The kind of an allocation's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory of the device.
    Device,
    /// Managed memory, which the host writes as well: everything in it counts as written.
    Managed,
    /// Pinned memory of the host.
    Host,
    /// A variable of an image.
    Variable,
    /// A constant of an image, or arguments of a kernel: read-only.
    Constant,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Device => "device memory",
            Kind::Managed => "managed memory",
            Kind::Host => "pinned host memory",
            Kind::Variable => "a variable",
            Kind::Constant => "constant memory",
        })
    }
}

/// An access that memory refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The address of the access, in the address space that the message names.
    pub address: u64,
    /// The size of the access in bytes.
    pub size: usize,
    /// Why it is refused.
    pub kind: FaultKind,
}

/// The reason of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No allocation contains the bytes. The message names the nearest one, with the distance from its nearer end.
    Outside {
        /// The nearest allocation, if there is any.
        nearest: Option<Neighbour>,
    },
    /// The allocation was freed.
    Freed {
        /// The allocation that was there.
        allocation: Neighbour,
    },
    /// The address is no multiple of the alignment that the access needs.
    Misaligned {
        /// That alignment.
        alignment: usize,
    },
    /// A write to memory that kernels may only read.
    ReadOnly {
        /// The allocation that is there.
        allocation: Neighbour,
    },
}

/// An allocation as messages describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its first address.
    pub base: u64,
    /// Its size in bytes.
    pub size: usize,
    /// The kind of memory.
    pub kind: Kind,
    /// The name of the variable, for those of images.
    pub name: String,
}

impl Neighbour {
    /// How far an access is from the allocation: bytes before its begin or after its end.
    pub fn distance(&self, address: u64, size: usize) -> u64 {
        let (end, access_end) = (self.base + self.size as u64, address.saturating_add(size as u64));
        if address < self.base { self.base - address } else { access_end.saturating_sub(end) }
    }
}

impl fmt::Display for Neighbour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes at {:#x}", self.kind, self.size, self.base)?;
        if self.name.is_empty() { Ok(()) } else { write!(f, " (`{}`)", self.name) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { address, size, kind } = self;
        match kind {
            FaultKind::Outside { nearest: None } => write!(f, "{size} bytes at {address:#x} are in no allocation"),
            FaultKind::Outside { nearest: Some(near) } => {
                write!(f, "{size} bytes at {address:#x} are in no allocation; ")?;
                let distance = near.distance(*address, *size);
                if *address < near.base {
                    write!(f, "they begin {distance} bytes before {near}")
                } else {
                    write!(f, "they end {distance} bytes after {near}")
                }
            }
            FaultKind::Freed { allocation } => write!(f, "{size} bytes at {address:#x} were freed: {allocation}"),
            FaultKind::Misaligned { alignment } => {
                write!(f, "{size} bytes at {address:#x} are not aligned to {alignment}")
            }
            FaultKind::ReadOnly { allocation } => {
                write!(f, "{size} bytes at {address:#x} cannot be written: {allocation}")
            }
        }
    }
}
