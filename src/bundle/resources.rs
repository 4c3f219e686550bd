//! The resources that a kernel needs on a device, and their representation in an image's strings.
//!
//! The key is `kernel:NAME`, and the value is `registers=10 scalar=0 spill=0 shared=2048 stack=0`, in any order;
//! missing numbers are 0.

use super::offload_binary::ImageView;

/// The resources of one kernel in one image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The kernel's name.
    pub kernel: String,
    /// The number of 32-bit registers of a thread.
    pub registers: u32,
    /// The number of registers that the threads of a wave share; 0 if there are none.
    pub scalar_registers: u32,
    /// The size of spilled registers of a thread in bytes.
    pub spill_bytes: u32,
    /// The size of workgroup memory, without its launch-sized part.
    pub shared_bytes: u32,
    /// The size of a thread's private memory.
    pub stack_bytes: u32,
}

/// The bytes of one kernel's code in one image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeSize {
    /// The kernel's name.
    pub kernel: String,
    /// The size.
    pub bytes: usize,
}

/// The prefix of the key.
const KEY: &str = "kernel:";

impl Resources {
    /// The key and value in an image's strings.
    pub fn to_string_pair(&self) -> (String, String) {
        let numbers = self.fields().map(|(name, number)| format!("{name}={number}"));
        (format!("{KEY}{}", self.kernel), numbers.join(" "))
    }

    /// The numbers with their names.
    pub fn fields(&self) -> [(&'static str, u32); 5] {
        [
            ("registers", self.registers),
            ("scalar", self.scalar_registers),
            ("spill", self.spill_bytes),
            ("shared", self.shared_bytes),
            ("stack", self.stack_bytes),
        ]
    }

    /// The resources in an image's strings.
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
        let image =
            ImageView { kind: None, triple: "", arch: "".into(), strings, bytes: Vec::new().into(), compressed: None };
        assert_eq!(Resources::recorded(&image), [resources]);
    }
}
