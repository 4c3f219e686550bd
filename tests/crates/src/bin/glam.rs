//! `glam`, scalar: vectors, quaternions and matrices.

use corpus::{mixed, Numbers};
use glam::{Affine3A, DMat3, DVec3, EulerRot, IVec4, Mat3A, Mat4, Quat, UVec2, Vec2, Vec3, Vec3A, Vec4};

fn vector(numbers: &mut Numbers) -> Vec3 {
    Vec3::new(numbers.float(5.0), numbers.float(5.0), numbers.float(5.0))
}

fn bits(values: impl IntoIterator<Item = f32>) -> u64 {
    mixed(values.into_iter().map(f32::to_bits))
}

fn vectors(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (a, b) = (vector(&mut numbers), vector(&mut numbers));
    let sums = a.cross(b) + a.reflect(b.normalize()) * a.lerp(b, 0.3) - a.project_onto(b).clamp_length(0.5, 2.0);
    let aligned = Vec3A::from(a).rotate_towards(Vec3A::from(b), 0.25);
    let integers = (IVec4::new(i as i32, -3, 4, 70) << 2i32).rem_euclid(IVec4::splat(13)).dot(IVec4::ONE) as u64;
    let plane = Vec2::from_angle(a.x).rotate(b.truncate()).perp().to_angle();
    let few = [a.dot(b), a.distance(b), a.angle_between(b), plane, aligned.element_sum(), a.cmplt(b).bitmask() as f32];
    bits(sums.to_array()) ^ bits(few) ^ integers ^ u64::from(UVec2::new(i, 9).element_product())
}

fn quaternions(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (axis, from) = (vector(&mut numbers).normalize_or_zero(), vector(&mut numbers));
    let turn = Quat::from_axis_angle(axis, numbers.float(3.0));
    let euler = Quat::from_euler(EulerRot::YXZ, from.x, from.y, from.z);
    let between = turn.slerp(euler, 0.4) * Quat::from_rotation_arc(axis, from.normalize());
    bits(between.to_array()) ^ bits((between.inverse() * from).to_array()) ^ bits([turn.to_axis_angle().1])
}

fn matrices(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (eye, scale) = (vector(&mut numbers), vector(&mut numbers));
    let turn = Quat::from_rotation_z(numbers.float(3.0));
    let model = Mat4::from_scale_rotation_translation(scale, turn, eye);
    let view = Mat4::from_euler(EulerRot::ZXY, eye.x, eye.y, 0.3) + Mat4::from_diagonal(Vec4::W);
    let projection =
        Mat4::from_cols_array(&[1.5, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0, -0.2, 0.0]);
    let projection = projection * view * model;
    let (scale, turn, place) = model.to_scale_rotation_translation();
    let affine = Affine3A::from_mat4(model).inverse() * Affine3A::from_mat3(Mat3A::from_rotation_x(1.5).into());
    let point = projection.project_point3(scale) + place * turn.w + Vec3::from(affine.translation);
    bits(projection.inverse().to_cols_array()) ^ bits(point.to_array()) ^ bits((projection * Vec4::W).to_array())
}

fn doubles(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut next = || DVec3::new(numbers.double(9.0), numbers.double(9.0), numbers.double(9.0));
    let matrix = DMat3::from_cols(next(), next(), next());
    let point = matrix.inverse().transpose() * next().exp().round();
    mixed([point.x, point.y, matrix.determinant(), next().length()].map(f64::to_bits))
}

corpus::parts![vectors, quaternions, matrices, doubles];
