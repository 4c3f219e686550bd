//! `nalgebra`: matrices, decompositions and transformations of fixed size.

use corpus::{mixed, Numbers};
use nalgebra::{Isometry3, Matrix2, Matrix3, Matrix4, Point3, Rotation3, SMatrix, UnitQuaternion, Vector3};

fn filled<const R: usize, const C: usize>(i: u32) -> SMatrix<f64, R, C> {
    let mut numbers = Numbers::new(i);
    SMatrix::from_fn(|_, _| numbers.double(4.0))
}

fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> u64 {
    mixed(values.into_iter().map(|value| value.to_bits()))
}

fn products(i: u32) -> u64 {
    let (a, b) = (filled::<3, 5>(i), filled::<5, 2>(i + 1000));
    let product = a * b;
    let sum = product.transpose() * 2.0 - filled::<2, 3>(i);
    bits(sum.iter()) ^ bits(&[product.norm(), sum.max(), a.row(1).dot(&a.row(2)), b.column(0).sum()])
}

fn solved(i: u32) -> u64 {
    let matrix: Matrix4<f64> = filled(i);
    let inverse = matrix.try_inverse().unwrap_or_default();
    let small = filled::<3, 3>(i).lu().solve(&Vector3::new(1.0, 2.0, f64::from(i))).unwrap_or_default();
    let factors = filled::<4, 4>(i + 7).qr();
    let positive: Matrix3<f64> = filled::<3, 3>(i) * filled::<3, 3>(i).transpose() + Matrix3::identity();
    let lower = positive.cholesky().map_or_else(Matrix3::zeros, |factors| factors.l());
    bits(inverse.iter())
        ^ bits(small.iter())
        ^ bits(factors.r().iter())
        ^ bits(lower.iter())
        ^ bits([&matrix.determinant()])
}

fn decomposed(i: u32) -> u64 {
    let matrix: Matrix3<f64> = filled(i);
    let symmetric = (matrix + matrix.transpose()).symmetric_eigen();
    let singular = filled::<2, 2>(i).svd(true, true).recompose().unwrap_or_else(|_| Matrix2::zeros());
    bits(symmetric.eigenvalues.iter()) ^ bits(symmetric.eigenvectors.iter()) ^ bits(singular.iter())
}

fn transformed(i: u32) -> u64 {
    let axis: Vector3<f64> = filled(i);
    let isometry = Isometry3::new(axis, axis.yzx());
    let point = isometry.inverse() * (isometry * Point3::new(1.0, 2.0, 3.0) + axis);
    let turn = UnitQuaternion::from_euler_angles(axis.x, axis.y, 0.5).slerp(&isometry.rotation, 0.25);
    let (roll, pitch, yaw) = Rotation3::from(turn).euler_angles();
    bits(point.coords.iter()) ^ bits(turn.coords.iter()) ^ bits(&[roll, pitch, yaw, turn.angle()])
}

corpus::parts![products, solved, decomposed, transformed];
