//! A kernel with a barrier that only half of the threads reach.

#[path = "../../../examples/contract/common/offload.rs"]
mod offload;

extern "C" fn diverges(out: *mut u32) {
    let thread = offload::thread_id_x();
    if thread % 2 == 0 {
        unsafe { *out.add(thread as usize) = thread }
        offload::sync_threads();
    }
}

fn main() {
    println!("{:?}", kernel!(diverges));
}
