//! The measurement of a row, and the table.

use std::time::{Duration, Instant};

use offload::{Result, Stream};

use crate::cores;
use crate::native::{self, Native};
use crate::opencl::{OpenCl, Prepared};
use crate::row::Row;

openmp! {
    fn openmp_threads(count: usize, bind: extern "C" fn(usize));
}

/// The sides of a row. A new column is one more side, and a method of [`Row`].
#[derive(Clone, Copy)]
enum Side {
    Rayon,
    /// rayon's loops, compiled for this processor.
    Native,
    OpenMp,
    Kernel,
}

const SIDES: [Side; 4] = [Side::Rayon, Side::Native, Side::OpenMp, Side::Kernel];

/// An operation on each row.
pub(crate) trait Rows {
    fn row<R: Row>(&mut self) -> Result<()>;
}

pub(crate) struct Table {
    stream: Stream,
    pairs: usize,
    names: Vec<String>,
    /// The build for this processor, if there is one.
    native: Option<Native>,
    /// Of each row, the kernel's time over rayon's, and over the best of the host.
    ratios: Vec<[f64; 2]>,
    /// The implementations of OpenCL, and the rows that have twins.
    opencl: Vec<OpenCl>,
    twins: Vec<TwinRow>,
}

/// The times of a row with a twin.
struct TwinRow {
    name: &'static str,
    kernel: f64,
    /// Of each implementation, its time, and the kernel's time over it.
    times: Vec<[f64; 2]>,
}

impl Table {
    /// `native` is the path of the build for this processor.
    pub(crate) fn new(stream: Stream, pairs: usize, names: Vec<String>, native: Option<String>) -> Self {
        let threads = rayon::current_num_threads();
        if cfg!(openmp) {
            // SAFETY: the function sets the number of threads, and calls the other one in each of them.
            unsafe { openmp_threads(threads, cores::bind) };
            cores::release();
        }
        println!(
            "| {threads} threads, {pairs} pairs | rayon, ms | rayon for this processor, ms | OpenMP, ms | kernel, ms \
             | / rayon | / best | same |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---|");
        let mut opencl = Vec::new();
        for (name, platform) in [("Intel", "Intel"), ("pocl", "Portable Computing Language")] {
            match OpenCl::open(name, platform) {
                Ok(device) => opencl.push(device),
                Err(reason) => eprintln!("no column of {name}: {reason}"),
            }
        }
        let native = native.map(|path| Native::start(&path, pairs, &names));
        Table { stream, pairs, names, native, ratios: Vec::new(), opencl, twins: Vec::new() }
    }

    fn has(&self, side: Side) -> bool {
        match side {
            Side::OpenMp => cfg!(openmp),
            Side::Native => self.native.is_some(),
            Side::Rayon | Side::Kernel => true,
        }
    }
}

impl Rows for Table {
    /// Measures the row if its name is selected.
    fn row<R: Row>(&mut self) -> Result<()> {
        if !is_selected::<R>(&self.names) {
            return Ok(());
        }
        let mut row = R::new(&self.stream)?;
        let mut times: [Vec<f64>; 4] = Default::default();
        let twins: Vec<Prepared> =
            row.twin().iter().flat_map(|twin| self.opencl.iter().map(|device| device.prepare(twin))).collect();
        let mut twin_times = vec![Vec::new(); twins.len()];
        // The first turn starts the threads and touches the memory.
        for turn in 0..=self.pairs {
            for side in SIDES {
                if !self.has(side) {
                    continue;
                }
                // This thread is the first of OpenMP's.
                if matches!(side, Side::OpenMp) {
                    cores::bind(0);
                }
                let start = rested();
                let mut own_time = None;
                match side {
                    Side::Rayon => row.rayon(),
                    Side::Native => own_time = self.native.as_mut().map(Native::time),
                    Side::OpenMp => row.openmp(),
                    Side::Kernel => {
                        row.kernel(&self.stream)?;
                        self.stream.synchronize()?;
                    }
                }
                let time = own_time.unwrap_or_else(|| start.elapsed().as_secs_f64() * 1e3);
                cores::release();
                if turn > 0 {
                    times[side as usize].push(time);
                }
            }
            for (twin, times) in twins.iter().zip(&mut twin_times) {
                let start = rested();
                twin.run();
                let time = start.elapsed().as_secs_f64() * 1e3;
                if turn > 0 {
                    times.push(time);
                }
            }
        }
        for (twin, device) in twins.iter().zip(&self.opencl) {
            let difference = row.twin_difference(twin);
            assert!(difference <= R::TOLERANCE, "{}: {} differs by {difference:e}", R::NAME, device.name);
        }
        let difference = row.difference(&self.stream)?;
        assert!(difference <= R::TOLERANCE, "{}: the results differ by {difference:e}", R::NAME);
        let same = if R::TOLERANCE == 0.0 { "bits".to_owned() } else { format!("{:.0e}", R::TOLERANCE) };
        let [rayon, native, openmp, kernel] = &times;
        let hosts = [rayon, native, openmp].into_iter().filter(|times| !times.is_empty());
        let best = hosts.min_by(|a, b| median(a).total_cmp(&median(b))).expect("rayon is there");
        let ratios = [ratio(kernel, rayon), ratio(kernel, best)];
        let [native, openmp] = [native, openmp].map(|times| match times[..] {
            [] => "none".to_owned(),
            _ => format!("{:.2}", median(times)),
        });
        println!(
            "| {} | {:.2} | {native} | {openmp} | {:.2} | {:.2} | {:.2} | {same} |",
            R::NAME,
            median(rayon),
            median(kernel),
            ratios[0],
            ratios[1],
        );
        self.ratios.push(ratios);
        if !twins.is_empty() {
            let times = twin_times.iter().map(|times| [median(times), ratio(kernel, times)]).collect();
            self.twins.push(TwinRow { name: R::NAME, kernel: median(kernel), times });
        }
        Ok(())
    }
}

impl Table {
    /// Prints the geometric means.
    pub(crate) fn end(mut self) {
        let mean = |column: usize| {
            let sum: f64 = self.ratios.iter().map(|ratios| ratios[column].ln()).sum();
            (sum / self.ratios.len() as f64).exp()
        };
        println!("| geometric mean of {} rows | | | | | {:.2} | {:.2} | |", self.ratios.len(), mean(0), mean(1));
        if !cfg!(openmp) {
            println!("\nThere is no OpenMP column: clang-22 or its libomp is absent.");
        }
        if let Some(native) = self.native.take() {
            native.end();
        }
        if !self.twins.is_empty() {
            self.print_twins();
        }
    }

    /// The table of the rows that have twins in OpenCL C.
    fn print_twins(&self) {
        let devices: Vec<_> = self.opencl.iter().map(|d| format!("{}: {}", d.name, d.device_name())).collect();
        println!("\n{}\n", devices.join("; "));
        let columns = |cell: &dyn Fn(&OpenCl) -> String| self.opencl.iter().map(cell).collect::<Vec<_>>().join(" | ");
        let (times, ratios) = (columns(&|d| format!("{}, ms", d.name)), columns(&|d| format!("/ {}", d.name)));
        println!("| against OpenCL C | kernel, ms | {times} | {ratios} |");
        println!("|---|---:|{}", "---:|".repeat(2 * self.opencl.len()));
        let joined = |values: Vec<f64>| values.iter().map(|v| format!("{v:.2}")).collect::<Vec<_>>().join(" | ");
        for TwinRow { name, kernel, times } in &self.twins {
            let [own, ratios] = [0, 1].map(|place| joined(times.iter().map(|times| times[place]).collect()));
            println!("| {name} | {kernel:.2} | {own} | {ratios} |");
        }
        let mean = |device: usize| {
            let sum: f64 = self.twins.iter().map(|row| row.times[device][1].ln()).sum();
            (sum / self.twins.len() as f64).exp()
        };
        let means = joined((0..self.opencl.len()).map(mean).collect());
        let empty = "| ".repeat(self.opencl.len());
        println!("| geometric mean of {} rows | {empty}| {means} |", self.twins.len());
    }
}

/// The rows of the build for this processor, whose loops of rayon are executed when the other build asks for it.
pub(crate) struct Answers {
    pub(crate) stream: Stream,
    pub(crate) pairs: usize,
    pub(crate) names: Vec<String>,
}

impl Rows for Answers {
    fn row<R: Row>(&mut self) -> Result<()> {
        if !is_selected::<R>(&self.names) {
            return Ok(());
        }
        let mut row = R::new(&self.stream)?;
        (0..=self.pairs).for_each(|_| native::answer(|| row.rayon()));
        row.kernel(&self.stream)?;
        if cfg!(openmp) {
            row.openmp();
        }
        let difference = row.difference(&self.stream)?;
        assert!(difference <= R::TOLERANCE, "{}: the results differ by {difference:e}", R::NAME);
        Ok(())
    }
}

/// Whether a row has one of these names in its own, or there are none.
pub(crate) fn is_selected<R: Row>(names: &[String]) -> bool {
    names.is_empty() || names.iter().any(|name| R::NAME.contains(name))
}

/// The median of the ratios of the pairs.
fn ratio(kernel: &[f64], host: &[f64]) -> f64 {
    median(&kernel.iter().zip(host).map(|(kernel, host)| kernel / host).collect::<Vec<f64>>())
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The time, once the threads of the previous side have gone to sleep.
fn rested() -> Instant {
    std::thread::sleep(Duration::from_millis(3));
    Instant::now()
}
