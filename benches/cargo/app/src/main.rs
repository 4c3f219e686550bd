//! Draws a picture and describes it. The loop over its pixels is a kernel with the feature `kernels`.

mod draw;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Parser;
use image::{ImageBuffer, Rgb};
use rayon::prelude::*;
use regex::Regex;

/// Draws a picture.
#[derive(Parser)]
struct Options {
    /// Its width and height, as in `640x480`.
    #[arg(long, default_value = "64x48")]
    size: String,
    /// The file for the picture.
    #[arg(long)]
    output: Option<PathBuf>,
    /// The most steps of a pixel.
    #[arg(long, default_value_t = 200)]
    steps: u32,
}

fn size(text: &str) -> Option<(u32, u32)> {
    static SIZE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?P<width>\d+)x(?P<height>\d+)$").unwrap());
    let found = SIZE.captures(text)?;
    Some((found["width"].parse().ok()?, found["height"].parse().ok()?))
}

fn colours(steps: &[u32], most: u32) -> Vec<u8> {
    let colour = |steps: &u32| {
        let level = (steps * 255 / most) as u8;
        [level, level.wrapping_mul(7), 255 - level]
    };
    steps.par_iter().flat_map_iter(colour).collect()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let (width, height) = size(&options.size).ok_or("the size is not like `640x480`")?;
    let steps = draw::draw(width, height, options.steps)?;
    let picture = ImageBuffer::<Rgb<u8>, _>::from_raw(width, height, colours(&steps, options.steps));
    let picture = picture.ok_or("the picture has no pixels")?;
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png)?;
    if let Some(path) = &options.output {
        tokio::fs::write(path, bytes.get_ref()).await?;
    }
    let sum: u64 = steps.iter().map(|steps| u64::from(*steps)).sum();
    println!("{}", serde_json::json!({ "width": width, "height": height, "sum": sum }));
    Ok(())
}
