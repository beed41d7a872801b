//! A page as a picture, for OCR.

use crate::ocr::Picture;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use hayro_interpret::InterpreterSettings;
use hayro_syntax::page::Page;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Pixels of an inch where the page has no picture that tells: glyphs are drawn sharply.
const USUAL_DPI: f64 = 300.0;
/// OCR loses small letters below the first and gains nothing beyond the second.
const DPI: std::ops::RangeInclusive<f64> = 100.0..=400.0;
/// A page has no more pixels.
const MAX_PIXELS: f64 = 40e6;
/// Nor is it longer than this, in pixels.
const MAX_LENGTH: f64 = 20_000.0;
const POINTS_OF_INCH: f64 = 72.0;

/// The picture of `page` in shades of gray. The pixels of a picture on it, which has `dpi` of an inch, are those of the result:
/// larger or smaller ones would be made up, and OCR finds fewer words.
pub(super) fn picture(page: &Page<'_>, dpi: f64) -> Result<Picture, String> {
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    if !(width > 0.0 && height > 0.0 && width.is_finite() && height.is_finite()) {
        return Err("it has no size".to_owned());
    }
    let wanted = if dpi > 0.0 { dpi.clamp(*DPI.start(), *DPI.end()) } else { USUAL_DPI } / POINTS_OF_INCH;
    let scale = wanted.min((MAX_PIXELS / (width * height)).sqrt()).min(MAX_LENGTH / width.max(height));
    if scale * width < 1.0 || scale * height < 1.0 {
        return Err("it is too narrow".to_owned());
    }
    let settings = PixmapSettings { x_scale: scale as f32, y_scale: scale as f32, bg_color: WHITE };
    // A panic costs the page alone.
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        render(page, &RenderCache::new(), &InterpreterSettings::default(), &RenderSettings::default(), &settings)
    }));
    let pixmap = drawn.map_err(|_| "it cannot be drawn".to_owned())?;
    // The simplest format there is: a line, then a byte for each pixel.
    let mut bytes = format!("P5\n{} {}\n255\n", pixmap.width(), pixmap.height()).into_bytes();
    bytes.extend(pixmap.data_as_u8_slice().chunks_exact(4).map(gray));
    Ok(Picture { bytes, dpi: (scale * POINTS_OF_INCH).round() as u32 })
}

/// The brightness of a pixel, by ITU-R BT.601.
fn gray(pixel: &[u8]) -> u8 {
    let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(u32::from);
    ((red * 299 + green * 587 + blue * 114) / 1000) as u8
}
