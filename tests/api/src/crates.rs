//! Numbers of other crates as elements and arguments, with features of the crate.

use bytemuck::TransparentWrapper;
use glam::{DMat2, EulerRot, UVec4, Vec3A};
use half::bf16;
use nalgebra::{
    Isometry3, Perspective3, Point3, Quaternion, SMatrix, Similarity3, Translation3, UnitQuaternion, Vector3,
};
use num_complex::Complex;
use offload::num::F32x2;
use offload::{
    DeviceBuffer, DeviceCopy, DisjointSlice, ForeignValue, Grid, PodValue, Result, Stream, kernel, prelude::*, thread,
    warp,
};

#[kernel]
fn turn(by: Complex<f32>, shift: Vec3A, mut numbers: DisjointSlice<Complex<f32>>, mut places: DisjointSlice<Vec3A>) {
    let i = thread::index_1d();
    if let (Some(number), Some(place)) = (numbers.get_mut(i), places.get_mut(i)) {
        *number *= by;
        *place += shift;
    }
}

#[kernel]
fn widen(from: &[bf16], mut to: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(to) = to.get_mut(i) {
        *to = from[i.get()].to_f32();
    }
}

#[kernel]
fn move_all(by: Isometry3<f32>, scale: SMatrix<f32, 3, 3>, mut points: DisjointSlice<Point3<f32>>) {
    if let Some((point, _)) = points.get_mut_indexed() {
        *point = by * Point3::from(scale * point.coords);
    }
}

/// Fixed sizes of nalgebra's types.
fn moved(stream: &Stream) -> Result<()> {
    let mut points = DeviceBuffer::<Point3<f32>>::zeroed(stream, 2)?;
    points.part_mut(1..).copy_from_host(stream, &[Point3::new(1.0, 2.0, 3.0)])?;
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 1.0)); // half a turn around z
    let by = Isometry3::from_parts(Translation3::new(10.0, 20.0, 30.0), turn);
    move_all.launch(stream, Grid::for_len(2, 32), (by, SMatrix::identity() * 2.0, &mut points))?;
    assert_eq!(points.to_host_vec(stream)?, [Point3::new(10.0, 20.0, 30.0), Point3::new(8.0, 16.0, 36.0)]);
    Ok(())
}

/// A struct of another crate: it implements `Pod`, and not `DeviceCopy`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Foreign {
    place: [f32; 3],
    kind: u32,
}

// SAFETY: numbers without gaps.
unsafe impl bytemuck::Zeroable for Foreign {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Foreign {}

#[kernel]
fn push(by: PodValue<Foreign>, mut all: DisjointSlice<PodValue<Foreign>>) {
    if let Some((one, i)) = all.get_mut_indexed() {
        one.place[i.get()] += by.place[i.get()];
        one.kind = by.kind;
    }
}

/// A value whose words are all different in each lane, of a type of another crate.
type Exchanged = (Complex<f64>, [Vec3A; 2], DMat2, bf16, Isometry3<f32>, PodValue<Foreign>, PodValue<[u8; 7]>);

fn of_lane(lane: u32) -> Exchanged {
    let of = |number: u32| (100 * lane + number) as f32;
    let vector = |first| Vec3A::new(of(first), of(first + 1), of(first + 2));
    let matrix = DMat2::from_cols_array(&[9, 10, 11, 12].map(|number| of(number).into()));
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(of(13), of(14), of(15), of(16)));
    let place = Isometry3::from_parts(Translation3::new(of(17), of(18), of(19)), turn);
    let foreign = Foreign { place: [of(20), of(21), of(22)], kind: lane };
    let bytes = [1, 2, 3, 4, 5, 6, 7].map(|number| lane as u8 + number);
    let complex = Complex::new(of(1).into(), of(2).into());
    (complex, [vector(3), vector(6)], matrix, bf16::from_f32(lane as f32), place, PodValue(foreign), PodValue(bytes))
}

/// Lanes exchange all of them: a value of the lane below and of the last lane, and the lanes with equal values.
#[kernel]
fn exchange(mut same: DisjointSlice<[bool; 4]>) {
    let (lane, count) = (warp::lane_id(), warp::lane_count());
    let all = warp::ALL_LANES;
    let is = |value: Exchanged, lane| value == of_lane(lane);
    let found = [
        is(warp::shuffle_up(of_lane(lane), 1), lane.saturating_sub(1)),
        is(warp::shuffle_sync(all, of_lane(lane), count - 1), count - 1),
        warp::match_any(Complex::new(0_u8, lane as u8)) == warp::lane_mask_eq(),
        warp::match_all_sync(all, PodValue([count as u8, 1])) && (count == 1 || !warp::match_all_sync(all, lane)),
    ];
    if let Some(same) = same.get_mut(thread::index_1d()) {
        *same = found;
    }
}

/// Types with plain bytes, and plain bytes of our own types.
fn plain_bytes(stream: &Stream) -> Result<()> {
    let by = Foreign { place: [1.0, 2.0, 3.0], kind: 7 };
    let mut all = DeviceBuffer::<PodValue<Foreign>>::zeroed(stream, 2)?;
    all.part_mut(1..).copy_from_host(stream, PodValue::wrap_slice(&[by]))?;
    push.launch(stream, Grid::for_len(2, 32), (PodValue(by), &mut all))?;
    let all = all.to_host_vec(stream)?;
    let expected = [Foreign { place: [1.0, 0.0, 0.0], kind: 7 }, Foreign { place: [1.0, 4.0, 3.0], kind: 7 }];
    assert_eq!(PodValue::peel_slice(&all), expected);
    assert_eq!(bytemuck::cast_slice::<F32x2, f32>(&[F32x2::new(0.0, 1.0)]), [0.0, 1.0]);
    Ok(())
}

type Twelve = (u8, u64, f32, bool, i16, f64, char, u8, [u8; 3], (), u32, bf16);

#[kernel]
fn fill(given: Twelve, mut to: DisjointSlice<Twelve>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        if i.get() == 1 {
            *to = given;
        }
        to.10 += 1;
    }
}

/// A tuple with as many elements as std's traits support.
fn tuples(stream: &Stream) -> Result<()> {
    let given = (1, 2, 3.0, true, -5, 6.0, '7', 8, [9; 3], (), 11, bf16::ONE);
    let mut values = DeviceBuffer::<Twelve>::zeroed(stream, 2)?;
    fill.launch(stream, Grid::for_len(2, 32), (given, &mut values))?;
    let zero = (0, 0, 0.0, false, 0, 0.0, '\0', 0, [0; 3], (), 1, bf16::ZERO);
    let filled = (1, 2, 3.0, true, -5, 6.0, '7', 8, [9; 3], (), 12, bf16::ONE);
    assert_eq!(values.to_host_vec(stream)?, [zero, filled]);
    Ok(())
}

/// Types of other crates for which nothing has an implementation, as fields of a struct.
#[derive(Clone, Copy, DeviceCopy)]
struct Camera {
    scale: u8,
    #[device_copy(unsafe(foreign))]
    place: Similarity3<f32>,
    #[device_copy(unsafe(foreign))]
    order: EulerRot,
}

/// The same in a variant.
#[derive(Clone, Copy, DeviceCopy)]
enum View {
    Whole,
    Of(#[device_copy(unsafe(foreign))] Similarity3<f32>, u32),
}

fn seen(camera: &Camera, view: View, lens: &Perspective3<f32>, point: Point3<f32>) -> Point3<f32> {
    let moved = camera.place * point * f32::from(camera.scale);
    let moved = match view {
        View::Whole => moved,
        View::Of(place, count) => place * moved * count as f32,
    };
    if camera.order == EulerRot::ZYX { lens.project_point(&moved) } else { moved }
}

#[kernel]
fn see(
    camera: Camera,
    view: View,
    lenses: &[ForeignValue<Perspective3<f32>>],
    mut points: DisjointSlice<ForeignValue<Point3<f32>>>,
) {
    if let Some((point, i)) = points.get_mut_indexed() {
        **point = seen(&camera, view, &lenses[i], **point);
    }
}

mod noise {
    /// As in another crate: nothing is derived, and the alignment is large.
    #[repr(align(16))]
    pub struct Noise {
        pub seed: u32,
        pub scale: f64,
    }

    impl Noise {
        pub fn at(&self, i: usize) -> f64 {
            (self.seed as usize + i) as f64 * self.scale
        }
    }
}

offload::foreign_value! {
    // SAFETY: two numbers.
    unsafe struct Noise(noise::Noise);
}

offload::foreign_value! {
    // SAFETY: two numbers.
    pub(crate) unsafe struct Bytes(std::ops::Range<u8>);
}

#[kernel]
fn sample(noise: Noise, ranges: &[Bytes], mut values: DisjointSlice<f64>) {
    if let Some((value, i)) = values.get_mut_indexed() {
        *value = noise.at(i.get()) + f64::from(ranges[i].end - ranges[i].start);
    }
}

/// Types that are not `Copy`.
fn moved_once(stream: &Stream) -> Result<()> {
    let ranges = DeviceBuffer::from_host(stream, &[Bytes::new(1..4), Bytes::new(0..9)])?;
    let (noise, mut values) = (Noise::new(noise::Noise { seed: 7, scale: 0.5 }), [0.0; 2]);
    sample.launch(stream, Grid::for_len(2, 32), (noise, &ranges, &mut values))?;
    assert_eq!(values, [3.5 + 3.0, 4.0 + 9.0]);
    assert_eq!(ranges.to_host_vec(stream)?[1].into_inner(), 0..9);
    Ok(())
}

/// Promised types, in structs and alone.
fn foreign(stream: &Stream) -> Result<()> {
    let place = Similarity3::new(Vector3::new(1.0, 2.0, 4.0), Vector3::zeros(), 0.5);
    let lenses = [Perspective3::new(1.0, 1.0, 0.5, 8.0), Perspective3::new(2.0, 1.0, 0.5, 8.0)];
    let points = [Point3::new(1.0, 2.0, 3.0), Point3::new(4.0, 5.0, 6.0)];
    for (order, view) in [(EulerRot::ZYX, View::Whole), (EulerRot::XYZ, View::Of(place, 3))] {
        let camera = Camera { scale: 2, place, order };
        // SAFETY: these types consist of numbers.
        let (wrapped, mut moved) = unsafe {
            let moved = ForeignValue::wrap_slice(&points);
            (ForeignValue::wrap_slice(&lenses), DeviceBuffer::from_host(stream, moved)?)
        };
        see.launch(stream, Grid::for_len(2, 32), (camera, view, wrapped, &mut moved))?;
        let moved = moved.to_host_vec(stream)?;
        let wanted: Vec<_> = points.iter().zip(&lenses).map(|(p, lens)| seen(&camera, view, lens, *p)).collect();
        assert_eq!(ForeignValue::peel_slice(&moved), wanted);
    }
    Ok(())
}

/// Launches with them.
pub(crate) fn check(stream: &Stream) -> Result<()> {
    let mut numbers = DeviceBuffer::from_host(stream, &[Complex::new(1.0, 0.0), Complex::new(0.0, 2.0)])?;
    let mut places = DeviceBuffer::<Vec3A>::zeroed(stream, 2)?;
    let arguments = (Complex::new(0.0, 1.0), Vec3A::new(1.0, 2.0, 3.0), &mut numbers, &mut places);
    turn.launch(stream, Grid::for_len(2, 32), arguments)?;
    assert_eq!(numbers.to_host_vec(stream)?, [Complex::new(0.0, 1.0), Complex::new(-2.0, 0.0)]);
    assert_eq!(places.to_host_vec(stream)?, [Vec3A::new(1.0, 2.0, 3.0); 2]);
    let mut wide = [0.0; 2];
    widen.launch(stream, Grid::for_len(2, 32), (&[bf16::from_f32(0.5), bf16::ONE], &mut wide))?;
    assert_eq!(wide, [0.5, 1.0]);
    plain_bytes(stream)?;
    let mut same = DeviceBuffer::from_host(stream, &[[false; 4]; 64])?;
    exchange.launch(stream, Grid::for_len(64, 64), (&mut same,))?;
    let same = same.to_host_vec(stream)?;
    assert!(same.iter().all(|all| *all == [true; 4]), "{same:?}");
    tuples(stream)?;
    foreign(stream)?;
    moved_once(stream)?;
    moved(stream)?;
    let zeros = DeviceBuffer::<(UVec4, DMat2)>::zeroed(stream, 1)?;
    assert_eq!(zeros.to_host_vec(stream)?, [(UVec4::ZERO, DMat2::ZERO)]);
    Ok(())
}
