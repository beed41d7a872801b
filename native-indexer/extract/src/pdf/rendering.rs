//! Renders a page as a picture for OCR.

use crate::ocr::{Picture, Subject};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use hayro_interpret::InterpreterSettings;
use hayro_syntax::page::Page;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Resolution for a page of glyphs, which are sharp at any resolution, in pixels per inch.
const USUAL_DPI: f64 = 300.0;
/// Range of resolutions in pixels per inch. OCR loses small letters below it and does not improve above it.
const DPI: std::ops::RangeInclusive<f64> = 100.0..=400.0;
/// Maximum number of pixels on a page.
const MAX_PIXELS: f64 = 40e6;
/// Maximum width and height of a page in pixels.
const MAX_LENGTH: f64 = 20_000.0;
const POINTS_OF_INCH: f64 = 72.0;

/// Renders `page` in shades of gray. `dpi` is the resolution of the scan on the page in pixels per inch, or 0 for a
/// page of glyphs. The result has the same resolution if it is within [`DPI`], because OCR finds fewer words in
/// resampled pixels.
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
    // If the renderer panics, only this page is lost.
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        render(page, &RenderCache::new(), &InterpreterSettings::default(), &RenderSettings::default(), &settings)
    }));
    let pixmap = drawn.map_err(|_| "it cannot be drawn".to_owned())?;
    // Binary PGM: a header, then a byte for each pixel.
    let mut bytes = format!("P5\n{} {}\n255\n", pixmap.width(), pixmap.height()).into_bytes();
    bytes.extend(pixmap.data_as_u8_slice().chunks_exact(4).map(gray));
    Ok(Picture { bytes, dpi: (scale * POINTS_OF_INCH).round() as u32, subject: Subject::Page })
}

/// Returns the brightness of a pixel according to ITU-R BT.601.
fn gray(pixel: &[u8]) -> u8 {
    let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(u32::from);
    ((red * 299 + green * 587 + blue * 114) / 1000) as u8
}
