//! Two galaxies meet, as a PNG: `nbody [FILE]`. Every star pulls every other, one thread for each; the picture is one
//! long exposure of how they part, a galaxy's light warm and the other's cold.

use std::{env, error::Error, f32::consts::TAU, fs::File, io::BufWriter, path::PathBuf};

use offload::{Device, DeviceBuffer, DeviceCopy, DisjointSlice, Grid, kernel, prelude::*, thread};

#[derive(Clone, Copy, DeviceCopy)]
struct Star {
    place: [f32; 3],
    speed: [f32; 3],
    mass: f32,
}

#[kernel]
fn step(time: f32, before: &[Star], mut after: DisjointSlice<Star>) {
    let i = thread::index_1d();
    let Some(star) = after.get_mut(i) else { return };
    let Star { place, mut speed, mass } = before[i.get()];
    for other in before {
        let way: [f32; 3] = core::array::from_fn(|k| other.place[k] - place[k]);
        // Softened, so that stars pass each other instead of colliding.
        let distance = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + 0.02).sqrt();
        let pull = time * other.mass / (distance * distance * distance);
        speed = core::array::from_fn(|k| speed[k] + pull * way[k]);
    }
    *star = Star { place: core::array::from_fn(|k| place[k] + time * speed[k]), speed, mass };
}

/// A disc of stars on round ways about a heavy one, seen at an angle.
fn galaxy(stars: usize, middle: [f32; 3], drift: [f32; 3], tilt: f32) -> impl Iterator<Item = Star> {
    let (sin, cos) = tilt.sin_cos();
    let turned = move |[x, y]: [f32; 2], from: [f32; 3]| [from[0] + x, from[1] + y * cos, from[2] + y * sin];
    (0..stars).map(move |i| {
        // Angles by the golden ratio, which fill a disc evenly and need no random numbers.
        let (radius, angle) = (2.2 * (i as f32 / stars as f32).sqrt(), i as f32 * 0.618_034 % 1.0 * TAU);
        let orbit = (radius * radius / (radius * radius + 0.02).powf(1.5)).sqrt();
        let (sin, cos) = angle.sin_cos();
        Star {
            place: turned([radius * cos, radius * sin], middle),
            speed: turned([-orbit * sin, orbit * cos], drift),
            mass: if i == 0 { 1.0 } else { 2e-5 },
        }
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).map_or(env::current_exe()?.with_extension("png"), PathBuf::from);
    let (width, height, each) = (1200, 800, 512);
    let warm = galaxy(each, [-2.8, -1.3, 0.0], [0.25, 0.0, 0.0], 0.4);
    let stars: Vec<Star> = warm.chain(galaxy(each, [2.8, 1.3, 0.4], [-0.25, 0.0, 0.0], 0.6)).collect();

    let device = Device::new()?;
    let stream = device.default_stream();
    let mut before = DeviceBuffer::from_host(&stream, &stars)?;
    let mut after = DeviceBuffer::from_host(&stream, &stars)?;
    let mut light = vec![[0.0f32; 3]; width * height];
    for turn in 0..330 {
        step.launch(&stream, Grid::for_len(stars.len(), 64), (0.02, &before, &mut after))?;
        (before, after) = (after, before);
        if turn < 220 {
            continue;
        }
        // From here on the shutter is open.
        for (i, Star { place: [x, y, _], .. }) in before.to_host_vec(&stream)?.into_iter().enumerate() {
            let (x, y) = (x * 120.0 + width as f32 / 2.0, y * 120.0 + height as f32 / 2.0);
            if (0.0..width as f32).contains(&x) && (0.0..height as f32).contains(&y) {
                let pixel = &mut light[y as usize * width + x as usize];
                let colour = if i < each { [1.0, 0.55, 0.22] } else { [0.22, 0.50, 1.0] };
                *pixel = std::array::from_fn(|k| pixel[k] + colour[k]);
            }
        }
    }

    let mut png = png::Encoder::new(BufWriter::new(File::create(&path)?), width as u32, height as u32);
    png.set_color(png::ColorType::Rgb);
    let exposed = light.iter().flatten().map(|light| (255.0 * (1.0 - (-0.8 * light).exp())) as u8);
    png.write_header()?.write_image_data(&exposed.collect::<Vec<u8>>())?;
    println!("nbody: {} on {}", path.display(), device.name());
    Ok(())
}
