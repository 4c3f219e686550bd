//! The methods of functions that are no kernels because of the type of a parameter. Without them, rustc would say that
//! the method does not exist, and would not name the type.

use crate::device::Stream;
use crate::error::Result;
use crate::grid::LaunchConfig;
use crate::param::{Callable, Params};

/// A function or closure of parameters of the types `P` with a result of the type `R`, whatever these are.
pub trait Function<P, R> {}

macro_rules! functions {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        impl<Own, R, $($name),*> Function<($($name,)*), R> for Own where Own: FnOnce($($name),*) -> R {}
    )* };
}
for_each_arity!(functions);
// With more parameters than a kernel has.
functions! {
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12)
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12 N N 13)
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12 N N 13 O O 14)
    (A A 0 B B 1 C C 2 D D 3 E E 4 F F 5 G G 6 H H 7 I I 8 J J 9 K K 10 L L 11 M M 12 N N 13 O O 14 P P 15)
}

/// The methods of [`Kernel`](crate::Kernel), with a unique reference instead of the function. rustc tries these last,
/// so that it takes those of `Kernel` for a kernel and for a reference to one. No function has the bounds of these
/// methods alone, so that each call of them is an error about the parameter. `(&mut kernel).launch(..)` is one, too,
/// when code is generated for it.
///
/// ```
/// use offload::{DisjointSlice, Grid, prelude::*, thread};
///
/// fn count(mut values: DisjointSlice<u32>) {
///     if let Some(value) = values.get_mut(thread::index_1d()) {
///         *value += 1;
///     }
/// }
///
/// let (kernel, mut values) = (&count, [1, 2, 3]);
/// kernel.run_on_host(Grid::for_len(3, 1), (&mut values,));
/// assert_eq!(values, [2, 3, 4]);
/// ```
pub trait Refused<P, R>: Function<P, R> {
    /// See [`Kernel::launch`](crate::Kernel::launch).
    ///
    /// # Errors
    ///
    /// None: rustc never compiles a call.
    fn launch<A>(&mut self, _stream: &Stream, _config: LaunchConfig, _arguments: A) -> Result<()>
    where
        P: Params,
        Self: Callable<P>,
    {
        const { assert!(is_never::<Self>(), "launch the kernel itself, and no `&mut` of it") };
        unreachable!("it cannot be compiled")
    }

    /// See [`Kernel::run_on_host`](crate::Kernel::run_on_host).
    fn run_on_host<A>(&mut self, _config: LaunchConfig, _arguments: A)
    where
        P: Params,
        Self: Callable<P>,
    {
        const { assert!(is_never::<Self>(), "run the kernel itself, and no `&mut` of it") };
        unreachable!("it cannot be compiled")
    }
}

impl<F: Function<P, R>, P, R> Refused<P, R> for F {}

/// False, but only known when there is a type: rustc may compute a constant of a generic function that has none.
const fn is_never<T>() -> bool {
    size_of::<T>() == usize::MAX
}
