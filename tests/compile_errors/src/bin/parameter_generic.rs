//! Generic kernels and kernels in an `impl` with wrong parameters that are launched. Each parameter is one error,
//! unless its type has a parameter of the function or of the `impl`, and is no collection.

use std::marker::PhantomData;

use offload::{Device, DeviceCopy, DisjointSlice, Grid, Result, kernel, prelude::*};

#[kernel]
fn fill<T: DeviceCopy>(name: &str, value: T, to: DisjointSlice<T>) {
    let _ = (name, value, to.len());
}

#[kernel]
fn sum<'a, const N: usize>(names: &'a [String], text: &'a String, to: &'a [[f32; N]]) {
    let _ = (names, text, to);
}

#[kernel]
fn list<T>(_of: PhantomData<T>, values: Vec<u32>)
where
    T: DeviceCopy,
{
    let _ = values;
}

#[derive(Clone, Copy)]
struct Own;

impl Own {
    #[kernel]
    fn take(own: Self, to: &mut [f32]) {
        let _ = (own, to);
    }
}

#[kernel]
fn lists<T: DeviceCopy>(values: Vec<T>, more: &std::collections::HashMap<u32, T>, mut to: DisjointSlice<T>) {
    if values.is_empty() {
        return;
    }
    if let (Some(to), Some(value)) = (to.get_mut(offload::thread::index_1d()), more.get(&1)) {
        *to = *value;
    }
}

#[kernel]
fn exclusive<T: DeviceCopy>(names: Vec<u8>, to: &mut [T]) {
    let _ = (names, to);
}

struct Of<T>(PhantomData<T>);

impl<T: DeviceCopy> Of<T> {
    #[kernel]
    fn store(value: T, names: Vec<u8>) {
        let _ = (value, names);
    }

    #[kernel]
    fn good(value: T) {
        let _ = value;
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let (one, mut y) = (Grid::for_len(1, 1), [1.0; 3]);
    fill::<f32>.launch(&stream, one, ("name", 1.0, &mut y))?;
    sum::<2>.launch(&stream, one, (&[String::new()][..], &String::new(), &[[1.0; 2]][..]))?;
    list::<u8>.launch(&stream, one, (PhantomData, vec![1]))?;
    Own::take.launch(&stream, one, (Own, &mut y))?;
    Of::<f32>::store.launch(&stream, one, (1.0, vec![1]))?;
    lists::<f32>.launch(&stream, one, (vec![1.0], &Default::default(), &mut y))?;
    exclusive::<f32>.launch(&stream, one, (vec![1], &mut y))?;
    Of::<f32>::good.launch(&stream, one, (1.0,))?;
    Ok(())
}
