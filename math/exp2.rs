//! `exp2` of `f64` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`. The table has the values of the crate's, which are part of its results.

use super::math;

/// 2^(i/256 + e) for i from -128 to 127, and the upper half of e; the lower half is 0.
#[rustfmt::skip]
static POWERS: [(u64, u32); 256] = [
    (0x3fe6_a09e_667f_3d5d, 0x3d39_8800), (0x3fe6_b052_fa75_1744, 0x3cd8_0000), (0x3fe6_c012_750b_d9fe, 0xbd28_7800),
    (0x3fe6_cfdc_ddd4_76bf, 0x3d1e_c000), (0x3fe6_dfb2_3c65_1a29, 0xbcd8_0000), (0x3fe6_ef92_9859_3ae3, 0xbcbc_0000),
    (0x3fe6_ff7d_f951_9386, 0xbd2f_d800), (0x3fe7_0f74_66f4_2da3, 0xbd2c_8800), (0x3fe7_1f75_e8ec_5fc3, 0x3d13_c000),
    (0x3fe7_2f82_86ea_cf05, 0xbd38_3000), (0x3fe7_3f9a_48a5_8152, 0xbd00_c000), (0x3fe7_4fbd_35d7_ccfc, 0x3d2f_8800),
    (0x3fe7_5feb_5642_67f1, 0x3d03_e000), (0x3fe7_7024_b1ab_6d48, 0xbd27_d000), (0x3fe7_8069_4fde_5d38, 0xbcdd_0000),
    (0x3fe7_90b9_38ac_1d00, 0x3ce3_0000), (0x3fe7_a114_73eb_0178, 0xbced_0000), (0x3fe7_b17b_0976_d060, 0x3d20_4000),
    (0x3fe7_c1ed_0130_c133, 0x3ca0_0000), (0x3fe7_d26a_62ff_8636, 0xbd26_9000), (0x3fe7_e2f3_36cf_4e3b, 0xbd02_e000),
    (0x3fe7_f387_8491_c3e8, 0xbd24_5800), (0x3fe8_0427_543e_1b4e, 0x3d33_0000), (0x3fe8_14d2_add1_071a, 0x3d0f_0000),
    (0x3fe8_2589_994c_cd7e, 0xbd21_c000), (0x3fe8_364c_1eb9_42d0, 0x3d29_d000), (0x3fe8_471a_4623_cab5, 0x3d47_1000),
    (0x3fe8_57f4_179f_5bbc, 0x3d22_6000), (0x3fe8_68d9_9b44_91af, 0xbd32_c400), (0x3fe8_79ca_d931_a395, 0xbd23_0000),
    (0x3fe8_8ac7_d98a_65b8, 0xbd2a_8000), (0x3fe8_9bd0_a478_5800, 0xbced_0000), (0x3fe8_ace5_422a_a223, 0x3d33_2800),
    (0x3fe8_be05_bad6_19fa, 0x3d42_b400), (0x3fe8_cf32_16b5_4383, 0xbd2e_d000), (0x3fe8_e06a_5e08_664c, 0xbd20_5000),
    (0x3fe8_f1ae_9915_7807, 0x3d28_2800), (0x3fe9_02fe_d028_2c0e, 0xbd1c_b000), (0x3fe9_145b_0b91_ff96, 0xbd05_e000),
    (0x3fe9_25c3_53aa_2ff9, 0x3cf5_4000), (0x3fe9_3737_b0cd_c64a, 0x3d17_2000), (0x3fe9_48b8_2b5f_98ae, 0xbd09_0000),
    (0x3fe9_5a44_cbc8_52cb, 0x3d25_6800), (0x3fe9_6bdd_9a76_6f21, 0xbd36_d000), (0x3fe9_7d82_9fde_4e2a, 0xbd01_0000),
    (0x3fe9_8f33_e47a_23a3, 0x3d2d_0000), (0x3fe9_a0f1_70ca_0604, 0xbd38_a400), (0x3fe9_b2bb_4d53_ff89, 0x3d35_5c00),
    (0x3fe9_c491_82a3_f15b, 0x3d26_b800), (0x3fe9_d674_194b_b8c5, 0xbcec_0000), (0x3fe9_e863_19e3_238e, 0x3d17_d000),
    (0x3fe9_fa5e_8d07_f302, 0x3d16_4000), (0x3fea_0c66_7b5d_e54d, 0xbcf5_0000), (0x3fea_1e7a_ed8e_b8f6, 0x3d09_e000),
    (0x3fea_309b_ec4a_2e27, 0x3d2a_d800), (0x3fea_42c9_8046_0a5d, 0xbd1a_f000), (0x3fea_5503_b23e_259b, 0x3d0b_6000),
    (0x3fea_674a_8af4_6213, 0x3d38_8800), (0x3fea_799e_1330_b3a7, 0x3d11_2000), (0x3fea_8bfe_53c1_2e8d, 0x3d06_c000),
    (0x3fea_9e6b_5579_fcd2, 0xbd29_b800), (0x3fea_b0e5_2135_6fb8, 0x3d2b_7000), (0x3fea_c36b_bfd3_f381, 0x3cd9_0000),
    (0x3fea_d5ff_3a3c_2780, 0x3ce4_0000), (0x3fea_e89f_995a_d2a3, 0xbd2c_9000), (0x3fea_fb4c_e622_f367, 0x3d16_5000),
    (0x3feb_0e07_298d_b790, 0x3d2f_d400), (0x3feb_20ce_6c9a_89a9, 0x3d12_7000), (0x3feb_33a2_b84f_1a4b, 0x3d4d_4700),
    (0x3feb_4684_15b7_47e7, 0xbd38_3800), (0x3feb_5972_8de5_593a, 0x3c98_0000), (0x3feb_6c6e_29f1_c56a, 0x3d0a_d000),
    (0x3feb_7f76_f2fb_5e50, 0x3cde_8000), (0x3feb_928c_f227_49b2, 0xbd04_c000), (0x3feb_a5b0_30a1_0603, 0xbd0d_7000),
    (0x3feb_b8e0_b79a_6f66, 0x3d0d_9000), (0x3feb_cc1e_904b_c1ff, 0x3d02_a000), (0x3feb_df69_c3f3_a16f, 0xbd1f_7800),
    (0x3feb_f2c2_5bd7_1db8, 0xbd10_a000), (0x3fec_0628_6141_b2e9, 0xbd11_4000), (0x3fec_199b_dd85_52e0, 0x3d0b_e000),
    (0x3fec_2d1c_d9fa_64ee, 0xbd09_4000), (0x3fec_40ab_5fff_d02f, 0xbd0e_d000), (0x3fec_5447_78fa_fd15, 0x3d39_6600),
    (0x3fec_67f1_2e57_d0cb, 0xbd1a_1000), (0x3fec_7ba8_8988_c1b6, 0xbd58_4580), (0x3fec_8f6d_9406_e733, 0xbd1a_4800),
    (0x3fec_a340_5751_c4df, 0x3ccb_0000), (0x3fec_b720_dcef_9094, 0x3d01_4000), (0x3fec_cb0f_2e6d_1689, 0x3cf0_2000),
    (0x3fec_df0b_555d_c412, 0x3cf3_6000), (0x3fec_f315_5b5b_ab3b, 0xbd06_9000), (0x3fed_072d_4a07_89bc, 0x3d09_a000),
    (0x3fed_1b53_2b08_c8fa, 0xbd15_e000), (0x3fed_2f87_080d_8a85, 0x3d1d_2800), (0x3fed_43c8_eaca_a203, 0x3d01_a000),
    (0x3fed_5818_dcfb_a491, 0x3cdf_0000), (0x3fed_6c76_e862_e6a1, 0xbd03_a000), (0x3fed_80e3_16c9_834e, 0xbd0c_d800),
    (0x3fed_955d_71ff_6090, 0x3cf4_c000), (0x3fed_a9e6_03db_32ae, 0x3cff_9000), (0x3fed_be7c_d63a_8325, 0x3ce9_8000),
    (0x3fed_d321_f301_b445, 0xbcf5_2000), (0x3fed_e7d5_641c_05bf, 0xbd1d_7000), (0x3fed_fc97_337b_9aec, 0xbd16_1400),
    (0x3fee_1167_6b19_7d5e, 0x3d0b_4800), (0x3fee_2646_14f5_a3e7, 0x3d40_ce00), (0x3fee_3b33_3b16_ee5c, 0x3d0c_6800),
    (0x3fee_502e_e78b_3fb4, 0xbd09_3000), (0x3fee_6539_2467_6d68, 0xbce5_0000), (0x3fee_7a51_fbc7_4c44, 0xbd07_f800),
    (0x3fee_8f79_77cd_b726, 0xbcf3_7000), (0x3fee_a4af_a2a4_90e8, 0x3ce5_d000), (0x3fee_b9f4_867c_cae4, 0x3d16_1a00),
    (0x3fee_cf48_2d8e_680d, 0x3cf5_5000), (0x3fee_e4aa_a218_8514, 0x3cc6_4000), (0x3fee_fa1b_ee61_5a13, 0xbcee_8000),
    (0x3fef_0f9c_1cb6_4106, 0xbcfa_8800), (0x3fef_252b_376b_b963, 0xbd2c_9000), (0x3fef_3ac9_48dd_7275, 0x3caa_0000),
    (0x3fef_5076_5b6e_4524, 0xbcf4_f000), (0x3fef_6632_7988_44fd, 0x3cca_8000), (0x3fef_7bfd_ad9c_be38, 0x3cfa_bc00),
    (0x3fef_91d8_0224_3c82, 0xbcd4_6000), (0x3fef_a7c1_819e_908e, 0xbd0b_0c00), (0x3fef_bdba_3692_d511, 0xbcc0_e000),
    (0x3fef_d3c2_2b8f_7194, 0xbd10_de80), (0x3fef_e9d9_6b2a_23ee, 0x3cee_4300), (0x3ff0_0000_0000_0000, 0x0000_0000),
    (0x3ff0_0b1a_fa5a_bcbe, 0xbcb3_4000), (0x3ff0_163d_a9fb_3303, 0xbd12_1700), (0x3ff0_2168_143b_0282, 0x3cba_4000),
    (0x3ff0_2c9a_3e77_806c, 0x3cef_9800), (0x3ff0_37d4_2e11_bbca, 0xbcc7_4000), (0x3ff0_4315_e86e_7f89, 0x3cd8_3000),
    (0x3ff0_4e5f_72f6_5467, 0xbd1a_3f00), (0x3ff0_59b0_d315_855a, 0xbd02_8400), (0x3ff0_650a_0e3c_1f95, 0x3cf1_6000),
    (0x3ff0_706b_29dd_f71a, 0x3d15_2400), (0x3ff0_7bd4_2b72_a82d, 0xbce9_a000), (0x3ff0_8745_1875_9bd0, 0x3ce6_4000),
    (0x3ff0_92bd_f666_07c8, 0xbd00_7800), (0x3ff0_9e3e_cac6_f383, 0xbc98_0000), (0x3ff0_a9c7_9b1f_3930, 0x3cff_a000),
    (0x3ff0_b558_6cf9_88fc, 0xbcfa_c800), (0x3ff0_c0f1_45e4_6c8a, 0x3cd9_c000), (0x3ff0_cc92_2b72_4816, 0x3d05_2000),
    (0x3ff0_d83b_2339_5dd8, 0xbcfa_d000), (0x3ff0_e3ec_32d3_d1f3, 0x3d1b_ac00), (0x3ff0_efa5_5fdf_a9a6, 0xbd04_e800),
    (0x3ff0_fb66_affe_d2f0, 0xbd0d_3000), (0x3ff1_0730_28d7_234b, 0x3cf1_5000), (0x3ff1_1301_d012_5b5b, 0x3cec_0000),
    (0x3ff1_1edb_ab5e_2af9, 0x3d16_bc00), (0x3ff1_2abd_c06c_31d5, 0x3ce8_4000), (0x3ff1_36a8_14f2_047d, 0xbd0e_d000),
    (0x3ff1_429a_aea9_2de9, 0x3ce8_e000), (0x3ff1_4e95_934f_3138, 0x3ceb_4000), (0x3ff1_5a98_c8a5_8e71, 0x3d05_3000),
    (0x3ff1_66a4_5471_c3df, 0x3d03_3800), (0x3ff1_72b8_3c7d_5211, 0x3d28_d400), (0x3ff1_7ed4_8695_bb9f, 0xbd05_d000),
    (0x3ff1_8af9_388c_8d93, 0xbd1c_8800), (0x3ff1_9726_5837_5d66, 0x3d11_f000), (0x3ff1_a35b_eb6f_cba7, 0x3d10_4800),
    (0x3ff1_af99_f813_87e3, 0xbd47_3900), (0x3ff1_bbe0_8404_5d54, 0x3d24_e400), (0x3ff1_c82f_9528_1c43, 0xbd0a_2000),
    (0x3ff1_d487_3168_b9b2, 0x3ce3_8000), (0x3ff1_e0e7_5eb4_4031, 0x3cea_c000), (0x3ff1_ed50_22fc_d938, 0x3d01_9000),
    (0x3ff1_f9c1_8438_cdf7, 0xbd1b_7800), (0x3ff2_063b_8862_8d8f, 0x3d2d_9400), (0x3ff2_12be_3578_a81e, 0x3cd8_0000),
    (0x3ff2_1f49_917d_dd41, 0x3d2b_3400), (0x3ff2_2bdd_a279_1323, 0x3d19_f800), (0x3ff2_387a_6e75_61e7, 0xbd19_c800),
    (0x3ff2_451f_fb82_1427, 0x3d02_3000), (0x3ff2_51ce_4fb2_a602, 0xbd13_4800), (0x3ff2_5e85_711e_ceb0, 0x3d12_7000),
    (0x3ff2_6b45_65e2_7d16, 0x3d11_d000), (0x3ff2_780e_341d_e00f, 0x3d31_ee00), (0x3ff2_84df_e1f5_633e, 0xbd14_c000),
    (0x3ff2_91ba_7591_bb30, 0xbd13_d800), (0x3ff2_9e9d_f51f_df09, 0x3d08_b000), (0x3ff2_ab8a_66d1_0e9b, 0xbd22_7c00),
    (0x3ff2_b87f_d0da_da3a, 0x3d2a_3400), (0x3ff2_c57e_3977_1af9, 0xbd10_8000), (0x3ff2_d285_a6e4_02d9, 0xbd0e_d000),
    (0x3ff2_df96_1f64_1579, 0xbcf4_2000), (0x3ff2_ecaf_a93e_2ecf, 0xbd24_9800), (0x3ff2_f9d2_4abd_8822, 0xbd16_3000),
    (0x3ff3_06fe_0a31_b625, 0xbd32_3600), (0x3ff3_1432_edee_a50b, 0xbd70_df80), (0x3ff3_2170_fc4c_d7b8, 0xbd22_4800),
    (0x3ff3_2eb8_3ba8_e9a2, 0xbd25_9800), (0x3ff3_3c08_b264_1766, 0x3d1e_d000), (0x3ff3_4962_66e3_fa27, 0xbcdc_0000),
    (0x3ff3_56c5_5f92_9f0f, 0xbd30_d800), (0x3ff3_6431_a2de_88b9, 0x3d22_c800), (0x3ff3_71a7_373a_aa39, 0x3d20_6000),
    (0x3ff3_7f26_231e_74fe, 0xbd16_6000), (0x3ff3_8cae_6d05_d838, 0xbd0a_e000), (0x3ff3_9a40_1b71_3ec3, 0xbd44_7200),
    (0x3ff3_a7db_34e5_a020, 0x3d08_2000), (0x3ff3_b57f_bfec_6e95, 0x3d3e_8000), (0x3ff3_c32d_c313_a8f2, 0x3cef_8000),
    (0x3ff3_d0e5_44ed_e122, 0xbd17_a000), (0x3ff3_dea6_4c12_34bb, 0x3d26_3000), (0x3ff3_ec70_df1c_4ecc, 0xbd48_a600),
    (0x3ff3_fa45_04ac_7e8c, 0xbd3c_dc00), (0x3ff4_0822_c367_a0bb, 0x3d25_b800), (0x3ff4_160a_21f7_2e95, 0x3d1e_c000),
    (0x3ff4_23fb_2709_4646, 0xbd13_6000), (0x3ff4_31f5_d950_a920, 0x3d23_9800), (0x3ff4_3ffa_3f84_b9eb, 0x3cfa_0000),
    (0x3ff4_4e08_6061_8919, 0xbcf6_c000), (0x3ff4_5c20_42a7_d201, 0xbd0b_c000), (0x3ff4_6a41_ed1d_0016, 0xbd12_8000),
    (0x3ff4_786d_668b_3326, 0x3d30_e000), (0x3ff4_86a2_b5c1_3c00, 0xbd2d_4000), (0x3ff4_94e1_e192_af04, 0x3d0c_2000),
    (0x3ff4_a32a_f0d7_d372, 0xbd1e_5000), (0x3ff4_b17d_ea6d_b801, 0x3d07_8000), (0x3ff4_bfda_d536_29e1, 0xbd13_8000),
    (0x3ff4_ce41_b817_c132, 0x3d00_8000), (0x3ff4_dcb2_99fd_dddb, 0x3d2c_7000), (0x3ff4_eb2d_81d8_ab96, 0xbd1c_e000),
    (0x3ff4_f9b2_769d_2d02, 0x3d19_2000), (0x3ff5_0841_7f45_31c1, 0xbd08_c000), (0x3ff5_16da_a2cf_662a, 0xbcfa_0000),
    (0x3ff5_257d_e83f_51ea, 0x3d4a_0800), (0x3ff5_342b_569d_4eda, 0xbd26_d800), (0x3ff5_42e2_f4f6_ac1a, 0xbd32_4400),
    (0x3ff5_51a4_ca5d_94db, 0x3d48_3c00), (0x3ff5_6070_dde9_116b, 0x3d24_b000), (0x3ff5_6f47_36b5_29de, 0x3d41_5a00),
    (0x3ff5_7e27_dbe2_c40e, 0xbd29_e000), (0x3ff5_8d12_d497_c76f, 0xbd23_0800), (0x3ff5_9c08_27ff_0b4c, 0x3d4d_ec00),
    (0x3ff5_ab07_dd48_5427, 0xbcc4_0000), (0x3ff5_ba11_fba8_7af4, 0x3d30_0800), (0x3ff5_c926_8a59_460b, 0xbd26_c800),
    (0x3ff5_d845_9099_8e3f, 0x3d46_9a00), (0x3ff5_e76f_15ad_20e1, 0xbd1b_4000), (0x3ff5_f6a3_20dc_ebca, 0x3d17_7000),
    (0x3ff6_05e1_b976_dcb8, 0x3d26_f800), (0x3ff6_152a_e6cd_f715, 0x3d01_0000), (0x3ff6_247e_b03a_5531, 0xbd15_d000),
    (0x3ff6_33dd_1d19_29b5, 0xbd12_d000), (0x3ff6_4346_34cc_c313, 0xbcea_8000), (0x3ff6_52b9_febc_8efa, 0xbd28_6000),
    (0x3ff6_6238_8255_3397, 0x3d71_fe00), (0x3ff6_71c1_c708_328e, 0xbd37_2000), (0x3ff6_8155_d44c_a97e, 0x3ce6_8000),
    (0x3ff6_90f4_b19e_9471, 0xbd29_7800),
];

/// From this |x| on, the result may be subnormal or infinite.
const LIMIT: f64 = 1022.0;

/// 2^x.
pub(crate) fn exp2(x: f64) -> f64 {
    /// Adding and subtracting it rounds to a multiple of 1/256.
    const ROUND: f64 = f64::from_bits(0x4338_0000_0000_0000) / 256.0;
    const P: [f64; 5] = [
        f64::from_bits(0x3fe6_2e42_fefa_39ef),
        f64::from_bits(0x3fce_bfbd_ff82_c575),
        f64::from_bits(0x3fac_6b08_d704_a0a6),
        f64::from_bits(0x3f83_b2ab_88f7_0400),
        f64::from_bits(0x3f55_d880_0387_5c74),
    ];
    if !(x.abs() < LIMIT) {
        return rare_exp2(x);
    }
    let sum = x + ROUND;
    // For the smallest arguments, the sum gives the crate's 1 + x, too.
    let bits = (sum.to_bits() as u32).wrapping_add(128);
    let (power, error) = POWERS[(bits % 256) as usize];
    let t = f64::from_bits(power);
    let z = (x - (sum - ROUND)) - f64::from_bits(u64::from(error) << 32);
    let r = t + t * z * (P[0] + z * (P[1] + z * (P[2] + z * (P[3] + z * P[4]))));
    let exponent = (bits as i32 >> 8) + 0x3ff;
    r * f64::from_bits((exponent as u64) << 52)
}

/// The crate's function, for arguments that are rare.
#[cold]
#[inline(never)]
fn rare_exp2(x: f64) -> f64 {
    math::exp2(x)
}
