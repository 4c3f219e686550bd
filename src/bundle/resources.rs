//! What a kernel takes of a device's resources, and how that is written into an image's strings.
//!
//! The key is `kernel:NAME`, the value `registers=10 scalar=0 spill=0 shared=2048 stack=0`, whatever the order; what is
//! not named is 0.

use super::offload_binary::ImageView;

/// The resources of one kernel in one image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The kernel's name.
    pub kernel: String,
    /// Registers of a thread, of 32 bits.
    pub registers: u32,
    /// Registers that the threads of a wave share; 0 where there are none.
    pub scalar_registers: u32,
    /// Bytes of registers that a thread writes to memory for want of room.
    pub spill_bytes: u32,
    /// Workgroup memory, without its launch-sized part.
    pub shared_bytes: u32,
    /// A thread's own memory.
    pub stack_bytes: u32,
}

/// What the key begins with.
const KEY: &str = "kernel:";

impl Resources {
    /// As one of an image's strings.
    pub fn to_string_pair(&self) -> (String, String) {
        let numbers = self.fields().map(|(name, number)| format!("{name}={number}"));
        (format!("{KEY}{}", self.kernel), numbers.join(" "))
    }

    /// Each number with its name.
    pub fn fields(&self) -> [(&'static str, u32); 5] {
        [
            ("registers", self.registers),
            ("scalar", self.scalar_registers),
            ("spill", self.spill_bytes),
            ("shared", self.shared_bytes),
            ("stack", self.stack_bytes),
        ]
    }

    /// Those that are written in an image's strings.
    pub fn recorded(image: &ImageView<'_>) -> Vec<Self> {
        let read = |(key, value): &(&str, &str)| Some(Self::parse(key.strip_prefix(KEY)?, value));
        image.strings.iter().filter_map(read).collect()
    }

    fn parse(kernel: &str, value: &str) -> Self {
        let mut resources = Self { kernel: kernel.to_owned(), ..Self::default() };
        for (name, number) in value.split(' ').filter_map(|field| field.split_once('=')) {
            let number = number.parse().unwrap_or(0);
            match name {
                "registers" => resources.registers = number,
                "scalar" => resources.scalar_registers = number,
                "spill" => resources.spill_bytes = number,
                "shared" => resources.shared_bytes = number,
                "stack" => resources.stack_bytes = number,
                _ => {}
            }
        }
        resources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let resources = Resources {
            kernel: "a=b c".to_owned(),
            registers: 1,
            scalar_registers: 2,
            spill_bytes: 3,
            shared_bytes: 4,
            stack_bytes: 5,
        };
        let (key, value) = resources.to_string_pair();
        let strings = vec![("driver", "1.2"), (key.as_str(), value.as_str())];
        let image = ImageView { kind: None, triple: "", arch: "", strings, bytes: b"" };
        assert_eq!(Resources::recorded(&image), [resources]);
    }
}
