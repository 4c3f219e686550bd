//! Promises about types of other crates that are not written as such, or that are none.

#![deny(unsafe_code)]

use offload::{DeviceCopy, ForeignValue};

mod other {
    #[derive(Clone, Copy)]
    pub struct Number(pub u8);

    #[derive(Clone)]
    pub struct Text(pub String);
}

#[derive(Clone, Copy, DeviceCopy)]
struct Safe {
    #[device_copy(foreign)]
    number: other::Number,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(unsafe(foreign))]
struct Whole {
    number: u8,
}

#[derive(Clone, Copy, DeviceCopy)]
struct Promised {
    #[device_copy(unsafe(foreign))]
    number: other::Number,
}

#[derive(Clone, DeviceCopy)]
struct Moved {
    #[device_copy(unsafe(foreign))]
    text: other::Text,
}

offload::foreign_value! {
    struct Unpromised(other::Number);
}

offload::foreign_value! {
    // SAFETY: none.
    unsafe struct Dropped(other::Text);
}

fn main() {
    let _ = Dropped::new(other::Text(String::new()));
    let _ = ForeignValue::new(other::Number(1));
}
