//! Stand-ins for the intrinsics that this crate calls. offloadc calls LLVM's intrinsic of the name after the prefix.

macro_rules! intrinsics {
    ($($symbol:literal $name:ident($($parameter:ident: $ty:ty),*) $(-> $result:ty = $value:expr)?;)*) => { $(
        #[unsafe(export_name = concat!("__offload_intrinsic.", $symbol))]
        #[unsafe(link_section = concat!(".text.offload.stand_in.", $symbol))]
        #[inline(never)]
        pub(crate) extern "C" fn $name($($parameter: $ty),*) $(-> $result)? {
            assert!(!cfg!(miri), "the device contract is not called on the host");
            core::hint::black_box(($($parameter,)*));
            $(core::hint::black_box::<$result>($value))?
        }
    )* };
}

intrinsics! {
    "llvm.readcyclecounter" cycle_counter() -> u64 = 0;
    "llvm.readsteadycounter" steady_counter() -> u64 = 0;
    // The bits of a float of 16 bits, as a number.
    "llvm.convert.from.fp16.f32" single_of_half(bits: u16) -> f32 = 0.0;
    "llvm.convert.to.fp16.f32" half_of_single(value: f32) -> u16 = 0;
    "llvm.nvvm.nanosleep" nvidia_nanosleep(nanoseconds: u32);
    // In units of 64 cycles, and a constant.
    "llvm.amdgcn.s.sleep" amd_sleep(units: u32);
}
