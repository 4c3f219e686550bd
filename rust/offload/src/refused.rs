//! The methods of functions that are no kernels because of the type of a parameter. Without them, rustc would say that
//! the method does not exist, and would not name the type.

use crate::device::Stream;
use crate::error::Result;
use crate::grid::LaunchConfig;
use crate::param::{Callable, Param, Params};

/// A function or closure of parameters of the types `P` with a result of the type `R`, whatever these are.
pub trait Function<P, R> {}

macro_rules! functions {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        impl<Own, R, $($name),*> Function<($($name,)*), R> for Own where Own: FnOnce($($name),*) -> R {}
    )* };
}
for_each_arity!(functions);
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
        Self: Sized,
        (R, P): Launched<Self>,
    {
        const { assert!(is_never::<Self>(), "launch the kernel itself, and no `&mut` of it") };
        unreachable!("it cannot be compiled")
    }

    /// See [`Kernel::run_on_host`](crate::Kernel::run_on_host).
    fn run_on_host<A>(&mut self, _config: LaunchConfig, _arguments: A)
    where
        Self: Sized,
        (R, P): Launched<Self>,
    {
        const { assert!(is_never::<Self>(), "run the kernel itself, and no `&mut` of it") };
        unreachable!("it cannot be compiled")
    }
}

impl<F: Function<P, R>, P, R> Refused<P, R> for F {}

/// The pairs of a result and parameters with which the function `F` is a kernel. `#[kernel]` gives a function with
/// wrong parameters a result that is not known, and rustc reports no bound of such a type. Without `do_not_recommend`,
/// rustc would report the bounds of the implementation, which do not contain the result.
#[diagnostic::on_unimplemented(
    message = "`{F}` cannot be launched as a kernel",
    label = "not a kernel",
    note = "a kernel is a function that returns nothing and takes numbers, structs with `#[derive(Clone, Copy, DeviceCopy)]`, `&[T]` or `DisjointSlice<T>`",
    note = "with `#[kernel]` at the function, the error is at the parameter that is wrong"
)]
pub trait Launched<F> {}

#[diagnostic::do_not_recommend]
impl<F: Callable<P>, P: Params> Launched<F> for ((), P) {}
#[diagnostic::do_not_recommend]
impl<F, P> Launched<F> for (Reported, P) {}
// With one such implementation, rustc would infer that this is the result of each function that is no kernel.
#[diagnostic::do_not_recommend]
impl<F, P> Launched<F> for ([Reported; 0], P) {}

/// The result of a generic kernel with a parameter that has the name of a collection, and a generic parameter in its
/// type. The error is at the parameter, and launches cause no other one. `#[kernel]` knows the name only, so the type
/// may also be one that a kernel can take. Then the result is `R`, as it is without the parameter.
///
/// ```
/// use offload::{DeviceCopy, DisjointSlice, Grid, kernel, prelude::*, thread};
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Vec<T>(T, T);
///
/// #[kernel]
/// fn fill<T: DeviceCopy>(pair: Vec<T>, mut to: DisjointSlice<T>) {
///     let Some(to) = to.get_mut(thread::index_1d()) else { return };
///     *to = pair.1;
/// }
///
/// let mut to = [0; 3];
/// fill::<u32>.run_on_host(Grid::for_len(2, 1), (Vec(5, 6), &mut to));
/// assert_eq!(to, [6, 6, 0]);
/// ```
pub trait ResultWith<R> {
    /// The result.
    type Result;

    /// The value of it.
    fn result(result: R) -> Self::Result;
}

#[diagnostic::do_not_recommend]
impl<P: Param, R> ResultWith<R> for P {
    type Result = R;

    fn result(result: R) -> R {
        result
    }
}

macro_rules! collections {
    ($(<$($name:ident),*> $ty:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($name,)* R> ResultWith<R> for $ty {
            type Result = Reported;

            fn result(_: R) -> Reported {
                Reported(())
            }
        }
    )* };
}
collections! {
    <T> [T];
    <T> std::vec::Vec<T>;
    <T> std::collections::VecDeque<T>;
    <T> std::collections::BTreeSet<T>;
    <K, V> std::collections::BTreeMap<K, V>;
    <T, S> std::collections::HashSet<T, S>;
    <K, V, S> std::collections::HashMap<K, V, S>;
    <T> std::rc::Rc<T>;
    <T> std::sync::Arc<T>;
}

/// A function of more parameters than a kernel has, of the types `P`.
pub trait LongFunction<P, R> {}

macro_rules! long_functions {
    ($(($($name:ident)*))*) => { $(
        impl<Own, R, $($name),*> LongFunction<($($name,)*), R> for Own where Own: FnOnce($($name),*) -> R {}
    )* };
}
long_functions! {
    (A B C D E F G H I J K L M)
    (A B C D E F G H I J K L M N)
    (A B C D E F G H I J K L M N O)
    (A B C D E F G H I J K L M N O P)
}

/// The type that `#[kernel]` gives to each of thirteen parameters, if a function has at least as many, and to the
/// result of a function with a collection as parameter. The error is at the parameter, and launches of the function
/// cause no other one.
#[derive(Clone, Copy)]
pub struct Reported(());

/// The functions whose launches cause no further error.
#[diagnostic::on_unimplemented(
    message = "a kernel has at most 12 parameters, and `{Self}` has more",
    label = "not a kernel",
    note = "put numbers into a struct with `#[derive(Clone, Copy, DeviceCopy)]`, and parts of one buffer into one slice"
)]
pub trait FewParameters<P> {}

type Thirteen<T> = (T, T, T, T, T, T, T, T, T, T, T, T, T);

#[diagnostic::do_not_recommend]
impl<F> FewParameters<Thirteen<Reported>> for F {}
// With one implementation, rustc would infer that the parameters of each function are these.
#[diagnostic::do_not_recommend]
impl<F> FewParameters<Thirteen<()>> for F {}

/// The methods of [`Kernel`](crate::Kernel) for functions of more parameters than a kernel has. The error of a call
/// says so, and is the only one.
pub trait TooLong<P, R>: LongFunction<P, R> {
    /// See [`Kernel::launch`](crate::Kernel::launch).
    ///
    /// # Errors
    ///
    /// None: rustc never compiles a call.
    fn launch<A>(&mut self, _stream: &Stream, _config: LaunchConfig, _arguments: A) -> Result<()>
    where
        Self: FewParameters<P>,
    {
        unreachable!("it cannot be compiled")
    }

    /// See [`Kernel::run_on_host`](crate::Kernel::run_on_host).
    fn run_on_host<A>(&mut self, _config: LaunchConfig, _arguments: A)
    where
        Self: FewParameters<P>,
    {
        unreachable!("it cannot be compiled")
    }
}

impl<F: LongFunction<P, R>, P, R> TooLong<P, R> for F {}

/// False, but only known when there is a type: rustc may compute a constant of a generic function that has none.
const fn is_never<T>() -> bool {
    size_of::<T>() == usize::MAX
}
