//! Stand-ins for the atomics of the contract that this crate calls.
//!
//! For signed integers and floats, there are only the operations whose result depends on the type. The other operations
//! move bits, and use the functions for unsigned integers.

stand_ins! {
    __offload_atomic_load_u8(at: *const u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_store_u8(at: *mut u8, value: u8, ordering: u32, scope: u32);
    __offload_atomic_compare_exchange_u8(at: *mut u8, expected: u8, value: u8, success: u32, failure: u32, scope: u32) -> u8 = 0;
    __offload_atomic_exchange_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_add_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_sub_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_and_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_or_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_xor_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_min_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_max_u8(at: *mut u8, value: u8, ordering: u32, scope: u32) -> u8 = 0;
    __offload_atomic_min_i8(at: *mut i8, value: i8, ordering: u32, scope: u32) -> i8 = 0;
    __offload_atomic_max_i8(at: *mut i8, value: i8, ordering: u32, scope: u32) -> i8 = 0;

    __offload_atomic_load_u16(at: *const u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_store_u16(at: *mut u16, value: u16, ordering: u32, scope: u32);
    __offload_atomic_compare_exchange_u16(at: *mut u16, expected: u16, value: u16, success: u32, failure: u32, scope: u32) -> u16 = 0;
    __offload_atomic_exchange_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_add_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_sub_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_and_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_or_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_xor_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_min_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_max_u16(at: *mut u16, value: u16, ordering: u32, scope: u32) -> u16 = 0;
    __offload_atomic_min_i16(at: *mut i16, value: i16, ordering: u32, scope: u32) -> i16 = 0;
    __offload_atomic_max_i16(at: *mut i16, value: i16, ordering: u32, scope: u32) -> i16 = 0;

    __offload_atomic_load_u32(at: *const u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_store_u32(at: *mut u32, value: u32, ordering: u32, scope: u32);
    __offload_atomic_compare_exchange_u32(at: *mut u32, expected: u32, value: u32, success: u32, failure: u32, scope: u32) -> u32 = 0;
    __offload_atomic_exchange_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_add_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_sub_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_and_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_or_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_xor_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_min_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_max_u32(at: *mut u32, value: u32, ordering: u32, scope: u32) -> u32 = 0;
    __offload_atomic_min_i32(at: *mut i32, value: i32, ordering: u32, scope: u32) -> i32 = 0;
    __offload_atomic_max_i32(at: *mut i32, value: i32, ordering: u32, scope: u32) -> i32 = 0;

    __offload_atomic_load_u64(at: *const u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_store_u64(at: *mut u64, value: u64, ordering: u32, scope: u32);
    __offload_atomic_compare_exchange_u64(at: *mut u64, expected: u64, value: u64, success: u32, failure: u32, scope: u32) -> u64 = 0;
    __offload_atomic_exchange_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_add_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_sub_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_and_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_or_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_xor_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_min_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_max_u64(at: *mut u64, value: u64, ordering: u32, scope: u32) -> u64 = 0;
    __offload_atomic_min_i64(at: *mut i64, value: i64, ordering: u32, scope: u32) -> i64 = 0;
    __offload_atomic_max_i64(at: *mut i64, value: i64, ordering: u32, scope: u32) -> i64 = 0;

    __offload_atomic_add_f32(at: *mut f32, value: f32, ordering: u32, scope: u32) -> f32 = 0.0;
    __offload_atomic_sub_f32(at: *mut f32, value: f32, ordering: u32, scope: u32) -> f32 = 0.0;
    __offload_atomic_min_f32(at: *mut f32, value: f32, ordering: u32, scope: u32) -> f32 = 0.0;
    __offload_atomic_max_f32(at: *mut f32, value: f32, ordering: u32, scope: u32) -> f32 = 0.0;
    __offload_atomic_add_f64(at: *mut f64, value: f64, ordering: u32, scope: u32) -> f64 = 0.0;
    __offload_atomic_sub_f64(at: *mut f64, value: f64, ordering: u32, scope: u32) -> f64 = 0.0;
    __offload_atomic_min_f64(at: *mut f64, value: f64, ordering: u32, scope: u32) -> f64 = 0.0;
    __offload_atomic_max_f64(at: *mut f64, value: f64, ordering: u32, scope: u32) -> f64 = 0.0;

    __offload_atomic_fence(ordering: u32, scope: u32);
}
