//! Expands values and operations that a device lacks into ones that it has.

pub mod divide_exactly;
pub mod drop_shift_flags;
pub mod expand_arithmetic;
pub mod expand_bitcasts;
pub mod expand_conversions;
pub mod expand_vectors;
pub mod freeze_guarded_shifts;
pub mod freeze_narrow_indices;
pub mod hide_byte_products;
pub mod hide_low_bytes;
pub mod hide_sign_bytes;
pub mod keep_carries;
pub mod keep_product_masks;
pub mod keep_zero_signs;
pub mod mask_truncations;
pub mod narrow_word_products;
pub mod split_aggregates;
pub mod split_conditions;
pub mod split_copies;
pub mod split_integers;
pub mod split_products;
pub mod widen_signs;
