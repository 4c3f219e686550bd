//! Questions about the device, with the answers of each.

use offload::target::{self, Vendor};
use offload::{Device, DisjointSlice, Grid, Result, kernel, prelude::*, thread, warp};

#[kernel]
fn asked(mut answers: DisjointSlice<[u32; 4]>) {
    if target::vendor() == Vendor::Host || target::is_generic() {
        // No device can do it.
        println!("on the host");
    }
    if let Some(answer) = answers.get_mut(thread::index_1d()) {
        let vendor = match target::vendor() {
            Vendor::Cpu => 1,
            Vendor::Nvidia => 2,
            Vendor::Amd => 3,
            Vendor::Spirv => 4,
            _ => 0,
        };
        let names = [
            target::has_feature("f64"),
            target::has_feature("sm_70"),
            target::has_feature("sm_90"),
            target::has_feature("gfx90a"),
            target::has_feature("wavefrontsize64"),
            target::has_feature("avx512f"),
        ];
        let features = names.iter().enumerate().map(|(bit, has)| u32::from(*has) << bit).sum();
        *answer = [vendor, features, target::warp_size().unwrap_or(0), warp::lane_count()];
    }
}

pub fn check(device: &Device) -> Result<()> {
    let mut answers = [[0; 4]; 40];
    asked.launch(&device.default_stream(), Grid::for_len(40, 64), (&mut answers,))?;
    let [vendor, features, lanes, counted] = answers[39];
    let name = device.name();
    // Without offloadc, the processor reports its features.
    let avx512 = features & 32;
    let expected = match device.arch() {
        _ if name == "cpu" || name.starts_with("omptarget:") => (1, 1 | avx512, 32),
        // The code can be for an older arch than the device's.
        arch if arch.starts_with("sm_") => (2, 3 | if arch >= "sm_90" { features & 4 } else { 0 }, 32),
        arch if arch.starts_with("gfx90a") => (3, 1 | 8 | 16, 64),
        _ if name.starts_with("hip:") => (3, 1, 32),
        _ => (4, 0, 0),
    };
    assert_eq!((vendor, features, lanes), expected, "{name}");
    assert!(lanes == 0 || lanes == counted, "{lanes} {counted}");
    assert!(avx512 == 0 || std::env::var_os("API_WITHOUT_OFFLOADC").is_some());

    assert_eq!((target::vendor(), target::warp_size(), target::is_generic()), (Vendor::Host, Some(1), false));
    assert!(!target::has_feature("f64"));
    Ok(())
}
