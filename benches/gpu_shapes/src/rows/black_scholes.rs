//! Prices of options by Black and Scholes: one thread for each, arithmetic and math functions.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const RATE: f64 = 0.02;
const VOLATILITY: f64 = 0.3;

/// The coefficients of the polynomial in `normal`, and its factor.
const NORMAL: [f64; 6] = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429, 0.398_942_280_401_432_7];

/// The prices of a call and of a put are the results; the price of the stock, the strike and the years the inputs.
macro_rules! black_scholes {
    ($module:ident, $row:ident, $float:ident, $openmp:ident, $len:expr, $tolerance:expr, $name:expr) => {
        mod $module {
            use super::*;

            const LEN: usize = $len;

            /// The distribution function of the normal distribution, by a polynomial.
            #[inline]
            fn normal(x: $float) -> $float {
                let k = 1.0 / (1.0 + 0.2316419 * x.abs());
                let [a, b, c, d, e, scale] = NORMAL.map(|number| number as $float);
                let sum = a + k * (b + k * (c + k * (d + k * e)));
                let tail = scale * (-0.5 * x * x).exp() * k * sum;
                if x > 0.0 { 1.0 - tail } else { tail }
            }

            /// The same function on both sides.
            #[inline]
            fn prices(stock: $float, strike: $float, years: $float, rate: $float, volatility: $float) -> [$float; 2] {
                let spread = volatility * years.sqrt();
                let d1 = ((stock / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / spread;
                let d2 = d1 - spread;
                let discounted = strike * (-rate * years).exp();
                let (n1, n2) = (normal(d1), normal(d2));
                [stock * n1 - discounted * n2, discounted * (1.0 - n2) - stock * (1.0 - n1)]
            }

            #[kernel]
            fn black_scholes(
                rate: $float,
                volatility: $float,
                stocks: &[$float],
                strikes: &[$float],
                years: &[$float],
                mut out: DisjointSlice<[$float; 2]>,
            ) {
                let thread = thread::index_1d();
                if let Some(out) = out.get_mut(thread) {
                    let i = thread.get();
                    *out = prices(stocks[i], strikes[i], years[i], rate, volatility);
                }
            }

            openmp! {
                fn $openmp(
                    len: usize,
                    rate: $float,
                    volatility: $float,
                    stocks: *const $float,
                    strikes: *const $float,
                    years: *const $float,
                    out: *mut [$float; 2],
                );
            }

            pub(crate) struct $row {
                inputs: [Vec<$float>; 3],
                device: [DeviceBuffer<$float>; 3],
                out: Results<[$float; 2]>,
            }

            impl Row for $row {
                const NAME: &str = $name;
                const TOLERANCE: f64 = $tolerance;

                fn new(stream: &Stream) -> Result<Self> {
                    let between = |seed: u64, low: f32, high: f32| -> Vec<$float> {
                        floats(seed, LEN).into_iter().map(|x| (low + (high - low) * x) as $float).collect()
                    };
                    let inputs = [between(12, 5.0, 30.0), between(13, 1.0, 100.0), between(14, 0.25, 10.0)];
                    let [a, b, c] = &inputs;
                    let copy = |values: &[$float]| DeviceBuffer::from_host(stream, values);
                    let device = [copy(a)?, copy(b)?, copy(c)?];
                    Ok($row { inputs, device, out: Results::new(stream, LEN)? })
                }

                fn kernel(&mut self, stream: &Stream) -> Result<()> {
                    let [stocks, strikes, years] = &self.device;
                    let (rate, volatility) = (RATE as $float, VOLATILITY as $float);
                    let arguments = (rate, volatility, stocks, strikes, years, &mut self.out.kernel);
                    black_scholes.launch(stream, Grid::for_len(LEN, 256), arguments)
                }

                fn rayon(&mut self) {
                    let [stocks, strikes, years] = &self.inputs;
                    let (rate, volatility) = (RATE as $float, VOLATILITY as $float);
                    let options = self.out.rayon.par_iter_mut().zip(stocks).zip(strikes).zip(years);
                    options.for_each(|(((out, stock), strike), years)| {
                        *out = prices(*stock, *strike, *years, rate, volatility);
                    });
                }

                fn openmp(&mut self) {
                    let [stocks, strikes, years] = self.inputs.each_ref().map(|input| input.as_ptr());
                    let (rate, volatility) = (RATE as $float, VOLATILITY as $float);
                    // SAFETY: the arrays have this length.
                    unsafe { $openmp(LEN, rate, volatility, stocks, strikes, years, self.out.openmp.as_mut_ptr()) };
                }

                fn difference(&self, stream: &Stream) -> Result<f64> {
                    self.out.difference(stream)
                }

                fn twin(&self) -> Option<Twin<'_>> {
                    let [stocks, strikes, years] = self.inputs.each_ref().map(|input| Argument::input(input));
                    let (rate, volatility) = (&(RATE as $float), &(VOLATILITY as $float));
                    let values = [Argument::value(&LEN), Argument::value(rate), Argument::value(volatility)];
                    let rest = [stocks, strikes, years, Argument::output::<[$float; 2]>(LEN)];
                    let arguments = values.into_iter().chain(rest).collect();
                    Some(Twin::linear(concat!("black_scholes_", stringify!($float)), LEN, arguments))
                }

                fn twin_difference(&self, twin: &Prepared) -> f64 {
                    self.out.twin_difference(twin)
                }
            }
        }
        pub(crate) use $module::$row;
    };
}

black_scholes!(single, Single, f32, openmp_black_scholes_f32, 1 << 20, 1e-4, "Black-Scholes, 1 Mi f32");
black_scholes!(double, Double, f64, openmp_black_scholes_f64, 1 << 19, 1e-12, "Black-Scholes, 512 Ki f64");
