//! Address spaces by their role. A target assigns LLVM's numbers.

/// The roles of memory that targets distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Generic pointers, which can lead to any memory.
    Generic,
    /// Device memory.
    Global,
    /// Workgroup memory.
    Shared,
    /// Read-only device memory.
    Constant,
    /// Memory of a single thread.
    Private,
    /// The result of an `alloca`.
    Alloca,
    /// A kernel's arguments.
    KernelArgument,
}

/// LLVM's number for each role on one target.
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
    /// The address spaces whose addresses equal the generic ones, including null.
    pub flat: &'static [u32],
}

impl AddressSpaceMap {
    /// Whether a cast between this address space and the generic one preserves the pointer's value, including null.
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
