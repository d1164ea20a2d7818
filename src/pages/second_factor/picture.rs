//! The picture that a device reads: an SVG in the page, as nothing else may be loaded or styled from within it.

use qrcode::{EcLevel, QrCode, render::svg};

/// The text as a QR code. Nothing when it is too long for one.
pub(in crate::pages) fn svg(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let drawn = code.render::<svg::Color<'_>>().module_dimensions(1, 1).build();
    // Without the declaration of a file of its own.
    drawn.find("<svg").and_then(|start| drawn.get(start..)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_element_without_style_or_script() {
        let picture = svg("otpauth://totp/members.example.com:ada@example.com?secret=GEZDGNBVGY3TQOJQ").unwrap();
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>"), "{picture}");
        assert!(picture.contains("viewBox=\"0 0 ") && !picture.contains("style") && !picture.contains("<?"));
        assert!(svg(&"a".repeat(3_000)).is_none());
    }
}
