//! A kernel that the host finds by its name (`--kernel=saxpy`).

mod position;

/// y = a * x + y. The length is the number of elements that each pointer refers to.
///
/// # Safety
///
/// Both pointers refer to `length` elements.
#[no_mangle]
pub unsafe extern "C" fn saxpy(length: u32, a: f32, x: *const f32, y: *mut f32) {
    let index = position::global_id_x();
    if index < length {
        let index = index as usize;
        *y.add(index) += a * *x.add(index);
    }
}
