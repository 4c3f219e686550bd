//! Ambient occlusion of three spheres on a plane: each pixel sends rays into the half of space above its point.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, fast, kernel, prelude::*, thread};

use crate::numbers::{difference, next, unit};
use crate::run::Run;
use crate::twins::Argument;

const SAMPLES: u32 = 16;
const FAR: f32 = 1e17;
/// Places and radii.
const SPHERES: [[f32; 4]; 3] = [[-2.0, 0.0, -3.5, 0.5], [-0.5, 0.0, -3.0, 0.5], [1.0, 0.0, -2.2, 0.5]];
/// The height of the plane.
const FLOOR: f32 = -0.5;

type Vector = [f32; 3];

#[kernel]
fn aobench(width: u32, height: u32, mut out: DisjointRows<f32>) {
    let at = thread::index_2d();
    if let Some(out) = out.get_mut(at) {
        *out = light(at.x() as u32, at.y() as u32, width, height);
    }
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn scaled(a: Vector) -> Vector {
    let factor = 1.0 / dot(a, a).sqrt();
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// The distance to the first thing that a ray meets, and the direction that is vertical there.
fn meet(from: Vector, to: Vector) -> (f32, Vector) {
    let (mut distance, mut normal) = (FAR, [0.0; 3]);
    for [x, y, z, radius] in SPHERES {
        let between = [from[0] - x, from[1] - y, from[2] - z];
        let half = dot(between, to);
        let rest = half * half - (dot(between, between) - radius * radius);
        if rest > 0.0 {
            let t = -half - rest.sqrt();
            if t > 0.0 && t < distance {
                distance = t;
                let v = [between[0] + to[0] * t, between[1] + to[1] * t, between[2] + to[2] * t];
                normal = scaled(v);
            }
        }
    }
    if to[1] != 0.0 {
        let t = (FLOOR - from[1]) / to[1];
        if t > 0.0 && t < distance {
            distance = t;
            normal = [0.0, 1.0, 0.0];
        }
    }
    (distance, normal)
}

fn light(x: u32, y: u32, width: u32, height: u32) -> f32 {
    let at = |i: u32, n: u32| (i as f32 - n as f32 * 0.5) / (n as f32 * 0.5);
    let to = scaled([at(x, width), -at(y, height), -1.0]);
    let (distance, normal) = meet([0.0; 3], to);
    if distance >= FAR {
        return 0.0;
    }
    let near = |k: usize| to[k] * distance + normal[k] * 1e-4;
    let point = [near(0), near(1), near(2)];
    // Two more directions that are vertical to each other.
    let helper = if normal[0] < 0.6 && normal[0] > -0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let cross =
        |a: Vector, b: Vector| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let first = scaled(cross(helper, normal));
    let second = cross(normal, first);
    let (mut state, mut hidden) = (y * width + x, 0);
    for _ in 0..SAMPLES {
        state = next(state);
        let r = unit(state).sqrt();
        state = next(state);
        let angle = std::f32::consts::TAU * unit(state);
        let (a, b, c) = (fast::cos(angle) * r, fast::sin(angle) * r, (1.0 - r * r).sqrt());
        let along = |k: usize| a * first[k] + b * second[k] + c * normal[k];
        if meet(point, [along(0), along(1), along(2)]).0 < FAR {
            hidden += 1;
        }
    }
    (SAMPLES - hidden) as f32 / SAMPLES as f32
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let (width, height) = run.size((40, 30), (2048, 1536));
    let mut out = DeviceBuffer::<f32>::zeroed(run.stream(), width * height)?;
    let (columns, rows) = (width as u32, height as u32);
    let grid = Grid::for_rows(width, height, (16, 16));
    let arguments = &[columns.bits(), rows.bits(), width.bits(), height.bits(), out.bits()];
    if !run.launch(grid, arguments, || aobench.launch(run.stream(), grid, (columns, rows, out.rows(width))))? {
        return Ok((0.0, 0.0));
    }
    let wanted: Vec<f32> = (0..columns * rows).map(|i| light(i % columns, i / columns, columns, rows)).collect();
    // A ray that grazes a sphere may meet it with an approximate angle, and not with an exact one.
    Ok((difference(&out.to_host_vec(run.stream())?, &wanted), 2.0 / SAMPLES as f32))
}
