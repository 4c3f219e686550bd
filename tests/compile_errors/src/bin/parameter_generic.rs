//! Generic kernels and kernels in an `impl` with wrong parameters that are launched. Each parameter is one error,
//! unless its type has a parameter of the `impl`, or one of the function with bounds that the macro does not know.

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
    mine::<f32>.launch(&stream, one, (Mine(1.0), &mut y))?;
    held::<f32, u8>.launch(&stream, one, (Held(&1.0, 2), Box::new(1.0)))?;
    elements::<f32>.launch(&stream, one, (&[Mine(1.0)][..], Some(&mut y)))?;
    pair::<f32>.launch(&stream, one, (Pair(1.0, 2), &[Pair(1.0, 2)][..]))?;
    conditional::<f32>.launch(&stream, one, (Pair(1.0, 2), &mut y))?;
    compared::<f32>.launch(&stream, one, (vec![1.0], "name"))?;
    Ok(())
}

#[derive(Clone, Copy)]
struct Mine<T>(T);

#[derive(Clone, Copy)]
struct Held<'a, T, U>(&'a T, U);

#[derive(Clone, Copy, DeviceCopy)]
struct Pair<T>(T, u32);

#[kernel]
fn mine<T: DeviceCopy + Send>(value: Mine<T>, to: DisjointSlice<T>) {
    let _ = (value.0, to.len());
}

#[kernel]
fn held<'a, T, U: Clone>(values: Held<'a, T, U>, boxed: Box<U>)
where
    T: DeviceCopy,
    U: offload::DeviceCopy,
{
    let _ = (values.0, values.1, boxed);
}

#[kernel]
fn elements<T: DeviceCopy>(values: &[Mine<T>], to: Option<DisjointSlice<T>>) {
    let _ = (values, to);
}

#[kernel]
fn pair<T: DeviceCopy>(pair: Pair<T>, more: &[Pair<T>]) {
    let _ = (pair, more);
}

#[kernel]
fn conditional<T: DeviceCopy>(pair: Pair<T>, to: DisjointSlice<T>)
where
    Pair<T>: DeviceCopy,
{
    let _ = (pair, to);
}

#[kernel]
fn compared<T: DeviceCopy + PartialEq>(values: Vec<T>, name: &str) {
    let _ = (values, name);
}
