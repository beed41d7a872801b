//! Draws the appearance of annotations.

use hayro_interpret::{Context, Device, InterpreterCache, InterpreterSettings, RectExt as _, interpret};
use hayro_syntax::content::TypedIter;
use hayro_syntax::object::{Dict, Name, Object, Rect as PdfRect, Stream};
use hayro_syntax::page::{Page, Resources};
use kurbo::{Affine, Rect};

/// Draws the appearance of `annotation`, which is at `place` on `page`. `view` transforms page coordinates to the
/// coordinates of the displayed page, which covers `area`. Returns `None` if the appearance is missing or damaged.
pub(super) fn draw<'a>(
    annotation: &Dict<'a>,
    place: Rect,
    page: &Page<'a>,
    (view, area): (Affine, Rect),
    cache: &InterpreterCache<'a>,
    device: &mut impl Device<'a>,
) -> Option<()> {
    let stream = match annotation.get::<Dict<'_>>("AP")?.get::<Object<'_>>("N")? {
        Object::Stream(stream) => stream,
        Object::Dict(states) => states.get::<Stream<'_>>(annotation.get::<Name<'_>>("AS")?)?,
        _ => return None,
    };
    let form = stream.dict();
    let own = Affine::new(form.get::<[f64; 6]>("Matrix").unwrap_or(Affine::IDENTITY.as_coeffs()));
    let drawn = own.transform_rect_bbox(form.get::<PdfRect>("BBox")?.to_kurbo());
    // The form's bounding box is scaled to the annotation's rectangle (ISO 32000, 12.5.5).
    let (wide, high) = (place.width() / drawn.width(), place.height() / drawn.height());
    let fit = Affine::new([wide, 0.0, 0.0, high, place.x0 - wide * drawn.x0, place.y0 - high * drawn.y0]);
    if !fit.is_finite() {
        return None;
    }
    let resources = form.get::<Dict<'_>>("Resources").map(Resources::new);
    let decoded = stream.decoded_data().ok()?;
    let mut context = Context::new(view * fit * own, area, cache, page.xref(), InterpreterSettings::default());
    interpret(TypedIter::new(&decoded), resources.as_ref().unwrap_or(page.resources()), &mut context, device);
    Some(())
}
