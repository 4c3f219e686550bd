//! The names that cuda-oxide uses for the types: the scope, `Atomic`, and the element.

use super::{Atomic, scope};
use crate::num::{Bf16, F16};

macro_rules! names {
    ($($name:ident = $ty:ty, $scope:ident;)*) => { $(
        #[doc = concat!("A `", stringify!($ty), "` for the scope [`", stringify!($scope), "`](scope::", stringify!($scope), ").")]
        ///
        /// ```
        #[doc = concat!("use offload::atomic::{AtomicOrdering::Relaxed, ", stringify!($name), "};")]
        ///
        #[doc = concat!("let sum = ", stringify!($name), "::new(1_u8.into());")]
        /// assert_eq!(sum.fetch_add(2_u8.into(), Relaxed), 1_u8.into());
        /// ```
        pub type $name = Atomic<$ty, scope::$scope>;
    )* };
}

names! {
    DeviceAtomicU32 = u32, Device;
    DeviceAtomicI32 = i32, Device;
    DeviceAtomicU64 = u64, Device;
    DeviceAtomicI64 = i64, Device;
    DeviceAtomicF32 = f32, Device;
    DeviceAtomicF64 = f64, Device;
    DeviceAtomicF16 = F16, Device;
    DeviceAtomicBf16 = Bf16, Device;
    BlockAtomicU32 = u32, Block;
    BlockAtomicI32 = i32, Block;
    BlockAtomicU64 = u64, Block;
    BlockAtomicI64 = i64, Block;
    BlockAtomicF32 = f32, Block;
    BlockAtomicF64 = f64, Block;
    BlockAtomicF16 = F16, Block;
    BlockAtomicBf16 = Bf16, Block;
    SystemAtomicU32 = u32, System;
    SystemAtomicI32 = i32, System;
    SystemAtomicU64 = u64, System;
    SystemAtomicI64 = i64, System;
    SystemAtomicF32 = f32, System;
    SystemAtomicF64 = f64, System;
    SystemAtomicF16 = F16, System;
    SystemAtomicBf16 = Bf16, System;
}
