// A field of a type of another crate is promised to have no address. Debug information shows the addresses in such
// types, also inside of other types; numbers, arrays and enums have none.
// RUN: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C debuginfo=2 %s -o in.bc; \
//   offloadc in.bc --kernel=kernel --offload-arch=cpu -o out.o
// RUN[lines]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C debuginfo=line-tables-only %s -o in.bc; \
//   offloadc in.bc --kernel=kernel --offload-arch=cpu -o out.o

#![allow(dead_code)]

use std::marker::PhantomData;

pub struct ForeignField<T>(PhantomData<fn() -> T>);

macro_rules! promise {
    ($ty:ty) => {
        const _: () = {
            #[used]
            static __OFFLOAD_FOREIGN: ForeignField<$ty> = ForeignField(PhantomData);
        };
    };
}

pub struct Named {
    name: &'static str,
}

pub enum Shape {
    Circle(f32),
    Of([Named; 2]),
}

pub struct Numbers {
    all: [(u32, Option<f64>); 4],
    of: PhantomData<Named>,
}

/// A generic struct: one field has an address in one instance, and the other one, which has no promise, in all.
pub struct Several<T> {
    of: std::ops::Range<T>,
    number: *const T,
}

macro_rules! promise_of_instances {
    ($names:literal) => {
        const _: () = {
            #[used]
            static __OFFLOAD_FOREIGN_OF_INSTANCES: &str = $names;
        };
    };
}

promise_of_instances!("Several of");
promise_of_instances!("Sever of");

pub mod other {
    promise_of_instances!("Several number");
    /// The promise beside it is about this one.
    pub struct Several<T> {
        pub number: T,
    }
}

/// A generic enum: one field of each variant is promised, and has an address in one instance each.
pub enum Choice<T, U> {
    Pair(u32, std::ops::Range<T>),
    Named { of: std::ops::Range<U>, number: *const T },
    Nothing,
}

/// It has a single variant.
pub enum Only<T> {
    One(T),
}

promise_of_instances!("Choice Pair __1");
promise_of_instances!("Choice Named of");
promise_of_instances!("Choice Name number");
promise_of_instances!("Only One __0");

#[no_mangle]
pub fn instances(_: &Several<f32>, _: &Several<&'static u8>, _: &other::Several<u8>) {}

#[no_mangle]
pub fn enums(_: &Choice<u8, &'static u16>, _: &Choice<&'static u32, u8>, _: &Choice<u8, u8>, _: &Only<&'static f32>) {}

promise!(Named);
promise!(Shape);
promise!(Numbers);
promise!(*const f32);
promise!(fn());

#[no_mangle]
pub extern "C" fn kernel(out: *mut u32) {
    unsafe { *out = 1 };
}
//// stderr
// warning[OFC0062]: `Shape` has an address in `Of.__0.name.data_ptr`, and the program promises that it has none
//   --> %s:18
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
// warning[OFC0062]: `*const f32` is an address, and the program promises that it has none
//   --> %s:18
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
// warning[OFC0062]: `Named` has an address in `name.data_ptr`, and the program promises that it has none
//   --> %s:18
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
// warning[OFC0062]: `fn()` is an address, and the program promises that it has none
//   --> %s:18
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
// warning[OFC0062]: `Range<&u16>` has an address in `start`, and the program promises that it has none
//   --> %s:47
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
// warning[OFC0062]: `Range<&u8>` has an address in `start`, and the program promises that it has none
//   --> %s:47
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
// warning[OFC0062]: `Range<&u32>` has an address in `start`, and the program promises that it has none
//   --> %s:47
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
// warning[OFC0062]: `&f32` is an address, and the program promises that it has none
//   --> %s:47
//   = help: copy the numbers that the kernel needs into fields, and pass memory as a slice
