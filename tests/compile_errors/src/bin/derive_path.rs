//! `DeviceCopy` by a path to something else.

use offload::DeviceCopy;

mod own {
    pub use offload::DeviceCopy;
    pub mod __private {
        pub fn check_device_copy<T>() {}
    }
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(crate = own)]
struct Name {
    text: &'static str,
}

fn main() {
    let _ = Name { text: "name" };
}
