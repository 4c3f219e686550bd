//! One kernel for each math function and width, with the inputs in file 1. The results of each are written to a file
//! with its name in folder 2. Numbers have eight bytes; an `f32` is in the lower four.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;
#[macro_use]
#[path = "functions.rs"]
mod functions;

use offload::{argument, Device, Shape};

/// Both widths, as in the files.
trait Number: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! numbers {
    ($($ty:ident: $bits:expr, $of:expr;)*) => {$(impl Number for $ty {
        fn of(bits: u64) -> Self {
            $of(bits)
        }
        fn bits(self) -> u64 {
            $bits(self)
        }
    })*};
}

numbers! {
    f32: |x: f32| u64::from(x.to_bits()), |bits| f32::from_bits(bits as u32);
    f64: f64::to_bits, f64::from_bits;
    i32: |x: i32| x as u64, |bits| bits as i32;
    i64: |x: i64| x as u64, |bits| bits as i64;
}

/// The arguments of a kernel: three inputs for each thread, and room for two results.
struct Thread {
    inputs: *const u64,
    out: *mut u64,
    i: usize,
    count: usize,
}

impl Thread {
    fn input<T: Number>(&self, index: usize) -> T {
        T::of(unsafe { *self.inputs.add(index * self.count + self.i) })
    }

    fn result<T: Number>(&self, index: usize, value: T) {
        unsafe { *self.out.add(index * self.count + self.i) = value.bits() }
    }
}

macro_rules! mark {
    ($function:expr) => {
        unsafe { offload::__offload_kernel($function as *const ()) }
    };
}

macro_rules! kernels {
    ($($form:ident { $($rest:tt)* })*) => {
        $(kernels!(@declare $form $($rest)*);)*
        mod kernel { $(kernels!(@$form $($rest)*);)* }
        fn all() -> Vec<(&'static str, usize, *const offload::Kernel)> {
            let mut all = Vec::new();
            $(kernels!(@list $form all $($rest)*);)*
            all
        }
    };
    (@declare methods $($rest:tt)*) => {};
    (@declare methods2 $($rest:tt)*) => {};
    (@declare unary $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(x: f64) -> f64; fn $narrow(x: f32) -> f32;)* }
    };
    (@declare one $($rest:tt)*) => { kernels!(@declare unary $($rest)*); };
    (@declare binary $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(x: f64, y: f64) -> f64; fn $narrow(x: f32, y: f32) -> f32;)* }
    };
    (@declare two $($rest:tt)*) => { kernels!(@declare binary $($rest)*); };
    (@declare three $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(x: f64, y: f64, z: f64) -> f64; fn $narrow(x: f32, y: f32, z: f32) -> f32;)* }
    };
    (@declare power $($wide:ident $narrow:ident $n:ident,)*) => {
        extern "C" { $(fn $wide(x: f64, n: $n) -> f64; fn $narrow(x: f32, n: $n) -> f32;)* }
    };
    (@declare order $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(n: i32, x: f64) -> f64; fn $narrow(n: i32, x: f32) -> f32;)* }
    };
    (@declare integer $($wide:ident $narrow:ident $int:ident,)*) => {
        extern "C" { $(fn $wide(x: f64) -> $int; fn $narrow(x: f32) -> $int;)* }
    };
    (@declare exponent $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(x: f64, e: *mut i32) -> f64; fn $narrow(x: f32, e: *mut i32) -> f32;)* }
    };
    (@declare whole $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(x: f64, w: *mut f64) -> f64; fn $narrow(x: f32, w: *mut f32) -> f32;)* }
    };
    (@declare quotient $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(x: f64, y: f64, q: *mut i32) -> f64; fn $narrow(x: f32, y: f32, q: *mut i32) -> f32;)* }
    };
    (@declare both $($wide:ident $narrow:ident,)*) => {
        extern "C" { $(fn $wide(x: f64, s: *mut f64, c: *mut f64); fn $narrow(x: f32, s: *mut f32, c: *mut f32);)* }
    };
    (@list methods $all:ident $($name:ident,)*) => {$(
        $all.push((concat!(stringify!($name), ".f64"), 8, mark!(kernel::methods::wide::$name)));
        $all.push((concat!(stringify!($name), ".f32"), 4, mark!(kernel::methods::narrow::$name)));
    )*};
    (@list methods2 $all:ident $($name:ident,)*) => {$(
        $all.push((concat!(stringify!($name), ".f64"), 8, mark!(kernel::methods2::wide::$name)));
        $all.push((concat!(stringify!($name), ".f32"), 4, mark!(kernel::methods2::narrow::$name)));
    )*};
    (@list $form:ident $all:ident $($wide:ident $narrow:ident $($int:ident)?,)*) => {$(
        $all.push((stringify!($wide), 8, mark!(kernel::$wide)));
        $all.push((stringify!($narrow), 4, mark!(kernel::$narrow)));
    )*};
    (@methods $($name:ident,)*) => { pub mod methods {
        pub mod wide { $(kernels!(@body $name(t) { t.result(0, t.input::<f64>(0).$name()); });)* }
        pub mod narrow { $(kernels!(@body $name(t) { t.result(0, t.input::<f32>(0).$name()); });)* }
    } };
    (@methods2 $($name:ident,)*) => { pub mod methods2 {
        pub mod wide { $(kernels!(@body $name(t) { t.result(0, t.input::<f64>(0).$name(t.input(1))); });)* }
        pub mod narrow { $(kernels!(@body $name(t) { t.result(0, t.input::<f32>(0).$name(t.input(1))); });)* }
    } };
    (@body $name:ident($thread:ident) $body:block) => {
        pub extern "C" fn $name(inputs: *const u64, out: *mut u64, count: u64) {
            #[allow(unused_imports)]
            use crate::Number;
            let i = crate::offload::global_id_x() as usize;
            let $thread = crate::Thread { inputs, out, i, count: count as usize };
            $body
        }
    };
    (@unary $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) { t.result(0, unsafe { crate::$name(t.input(0)) }); });
        kernels!(@body $narrow(t) { t.result(0, unsafe { crate::$narrow(t.input(0)) }); });
    )*};
    (@one $($rest:tt)*) => { kernels!(@unary $($rest)*); };
    (@integer $($name:ident $narrow:ident $int:ident,)*) => { kernels!(@unary $($name $narrow,)*); };
    (@binary $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) { t.result(0, unsafe { crate::$name(t.input(0), t.input(1)) }); });
        kernels!(@body $narrow(t) { t.result(0, unsafe { crate::$narrow(t.input(0), t.input(1)) }); });
    )*};
    (@two $($rest:tt)*) => { kernels!(@binary $($rest)*); };
    (@three $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) { t.result(0, unsafe { crate::$name(t.input(0), t.input(1), t.input(0)) }); });
        kernels!(@body $narrow(t) { t.result(0, unsafe { crate::$narrow(t.input(0), t.input(1), t.input(0)) }); });
    )*};
    (@power $($name:ident $narrow:ident $int:ident,)*) => {$(
        kernels!(@body $name(t) { t.result(0, unsafe { crate::$name(t.input(0), t.input(2)) }); });
        kernels!(@body $narrow(t) { t.result(0, unsafe { crate::$narrow(t.input(0), t.input(2)) }); });
    )*};
    (@order $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) { t.result(0, unsafe { crate::$name(t.input::<i32>(2) % 32, t.input(0)) }); });
        kernels!(@body $narrow(t) { t.result(0, unsafe { crate::$narrow(t.input::<i32>(2) % 32, t.input(0)) }); });
    )*};
    (@exponent $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) { let mut e = 0; t.result(0, unsafe { crate::$name(t.input(0), &mut e) }); t.result(1, e); });
        kernels!(@body $narrow(t) { let mut e = 0; t.result(0, unsafe { crate::$narrow(t.input(0), &mut e) }); t.result(1, e); });
    )*};
    (@whole $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) { let mut w = 0.0; t.result(0, unsafe { crate::$name(t.input(0), &mut w) }); t.result(1, w); });
        kernels!(@body $narrow(t) { let mut w = 0.0; t.result(0, unsafe { crate::$narrow(t.input(0), &mut w) }); t.result(1, w); });
    )*};
    (@quotient $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) {
            let mut q = 0;
            t.result(0, unsafe { crate::$name(t.input(0), t.input(1), &mut q) });
            t.result(1, q);
        });
        kernels!(@body $narrow(t) {
            let mut q = 0;
            t.result(0, unsafe { crate::$narrow(t.input(0), t.input(1), &mut q) });
            t.result(1, q);
        });
    )*};
    (@both $($name:ident $narrow:ident,)*) => {$(
        kernels!(@body $name(t) {
            let (mut s, mut c) = (0.0, 0.0);
            unsafe { crate::$name(t.input(0), &mut s, &mut c) };
            t.result(0, s);
            t.result(1, c);
        });
        kernels!(@body $narrow(t) {
            let (mut s, mut c) = (0.0, 0.0);
            unsafe { crate::$narrow(t.input(0), &mut s, &mut c) };
            t.result(0, s);
            t.result(1, c);
        });
    )*};
}

functions!(kernels);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&arguments[1]).expect("the inputs are there");
    let inputs: Vec<u64> = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
    // Three inputs of each width, `f64` first.
    let count = inputs.len() / 6;
    let device = Device::open();
    let (wide, narrow) = (device.upload(&inputs[..3 * count]), device.upload(&inputs[3 * count..]));
    for (name, size, kernel) in all() {
        let out = device.upload(&vec![0u64; 2 * count]);
        let given = if size == 8 { wide.as_ptr() } else { narrow.as_ptr() };
        let (room, number) = (out.as_mut_ptr(), count as u64);
        device.launch(kernel, Shape::linear(count as u32, 64), &[argument(&given), argument(&room), argument(&number)]);
        let bytes: Vec<u8> = out.read().iter().flat_map(|v| v.to_le_bytes()).collect();
        std::fs::write(format!("{}/{name}", arguments[2]), bytes).expect("the folder can be written");
    }
}
