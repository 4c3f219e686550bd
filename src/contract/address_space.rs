//! Address spaces by what they are for: targets say which number LLVM gives each.

/// What memory is for, as far as targets tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Any pointer.
    Generic,
    /// Device memory.
    Global,
    /// Workgroup memory.
    Shared,
    /// Read-only device memory.
    Constant,
    /// A thread's own memory.
    Private,
    /// Where an `alloca` stands.
    Alloca,
    /// A kernel's arguments.
    KernelArgument,
}

/// The number LLVM gives each role on one target.
#[derive(Clone, Copy, Debug)]
pub struct AddressSpaceMap {
    /// See [`Role::Generic`].
    pub generic: u32,
    /// See [`Role::Global`].
    pub global: u32,
    /// See [`Role::Shared`].
    pub shared: u32,
    /// See [`Role::Constant`].
    pub constant: u32,
    /// See [`Role::Private`].
    pub private: u32,
    /// See [`Role::Alloca`].
    pub alloca: u32,
    /// See [`Role::KernelArgument`].
    pub kernel_argument: u32,
    /// The address spaces whose addresses are the generic ones, null among them.
    pub flat: &'static [u32],
}

impl AddressSpaceMap {
    /// Whether a pointer keeps its number, null included, on the way between this address space and the generic one.
    pub fn is_flat(&self, space: u32) -> bool {
        self.flat.contains(&space)
    }

    /// The number of a role.
    pub fn of(&self, role: Role) -> u32 {
        match role {
            Role::Generic => self.generic,
            Role::Global => self.global,
            Role::Shared => self.shared,
            Role::Constant => self.constant,
            Role::Private => self.private,
            Role::Alloca => self.alloca,
            Role::KernelArgument => self.kernel_argument,
        }
    }
}
