//! Plots the ladder.

use std::fmt::Write;

use wgpu_fft::transpose::Recipe;

/// The result of a recipe.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub element_bytes: usize,
    pub recipe: Recipe,
    /// The fraction of the copy bandwidth.
    pub fraction: f64,
}

/// Bandwidths in GB/s that the source of the ladder reached on a K40, whose peak is 288: variants
/// 1, 3, 4, 5, for f32 and for f64.
const SOURCE: [(usize, [f64; 4]); 2] = [(4, [17.0, 101.0, 171.82, 239.93]), (8, [33.9, 128.0, 225.68, 246.65])];
const PEAK: f64 = 288.0;

const PANEL: [f64; 2] = [300.0, 260.0];
const MARGIN: [f64; 2] = [56.0, 64.0];
const STEP: f64 = 340.0;

/// One panel per element size: the fraction of the copy bandwidth over the elements per invocation.
pub fn ladder(title: &str, [rows, columns]: [usize; 2], points: &[Point]) -> String {
    let sizes = [4, 8, 16];
    let (width, height) = (MARGIN[0] + STEP * sizes.len() as f64, MARGIN[1] + PANEL[1] + 92.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"20\" font-size=\"14\">Transposes of {rows} x {columns}, share of the copy bandwidth; {}</text>\n",
        MARGIN[0],
        escaped(title)
    );
    for (i, size) in sizes.into_iter().enumerate() {
        panel(&mut svg, MARGIN[0] + STEP * i as f64, size, points);
    }
    let y = height - 28.0;
    let legend = [
        ("#1f77b4", "tile 16 + 1 (variants 4, 5)"),
        ("#d62728", "tile 32 + 1"),
        ("#2ca02c", "the rules' recipe"),
        ("#7f7f7f", "open: naive (1), half: no padding (3)"),
        ("#ff7f0e", "K40 in the source, of its peak: 1, 3, 4, 5"),
    ];
    let mut x = MARGIN[0];
    for (colour, text) in legend {
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>", y - 10.0);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\">{text}</text>", x + 16.0);
        x += 34.0 + 6.4 * text.len() as f64;
    }
    svg + "</svg>\n"
}

fn panel(svg: &mut String, left: f64, size: usize, points: &[Point]) {
    let (top, [wide, high]) = (MARGIN[1], PANEL);
    let x = |elements: u32| left + 20.0 + (wide - 40.0) * f64::from(elements.ilog2()) / 4.0;
    let y = |fraction: f64| top + high * (1.0 - fraction / 1.1);
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"{}\">elements of {size} bytes</text>", top - 12.0);
    for percent in (0..=100).step_by(20) {
        let at = y(f64::from(percent) / 100.0);
        let _ = writeln!(svg, "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>", left + wide);
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent}%</text>", left - 4.0, at + 4.0);
    }
    for elements in [1, 2, 4, 8, 16] {
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{elements}</text>", x(elements), top + high + 16.0);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">elements per invocation</text>",
        left + wide / 2.0,
        top + high + 32.0
    );
    let own = || points.iter().filter(|point| point.element_bytes == size);
    for (tile, colour) in [(16, "#1f77b4"), (32, "#d62728")] {
        let mut line: Vec<(u32, f64)> = Vec::new();
        for point in own() {
            let circle = match point.recipe {
                Recipe::Tiled { tile: own, padding, elements } if own == tile && padding > 0 => {
                    line.push((elements, point.fraction));
                    continue;
                }
                Recipe::Tiled { tile: own, padding: 0, elements } if own == tile => (elements, "0.5"),
                Recipe::Naive { workgroup: [own, _] } if own == tile => (1, "0"),
                _ => continue,
            };
            let (elements, opacity) = circle;
            let (x, y) = (x(elements), y(point.fraction));
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" stroke=\"{colour}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>"
            );
        }
        line.sort_by_key(|(elements, _)| *elements);
        let path: Vec<String> = line.iter().map(|&(elements, fraction)| format!("{:.1},{:.1}", x(elements), y(fraction))).collect();
        let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>", path.join(" "));
        for (elements, fraction) in line {
            let _ = writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>", x(elements), y(fraction));
        }
    }
    for point in own().filter(|point| matches!(point.recipe, Recipe::Tiles(_) | Recipe::Blocks(_))) {
        let at = y(point.fraction);
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#2ca02c\" stroke-width=\"2\" stroke-dasharray=\"6 3\"/>",
            left + wide
        );
    }
    for (_, figures) in SOURCE.iter().filter(|(bytes, _)| *bytes == size) {
        // The source does not say for how many elements its variant 5 is the best. For us it is 4.
        for (elements, figure) in [1, 1, 1, 4].into_iter().zip(figures) {
            let (x, y) = (x(elements), y(figure / PEAK));
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {:.1} L{:.1} {:.1} M{:.1} {:.1} L{:.1} {:.1}\" stroke=\"#ff7f0e\" stroke-width=\"2\"/>",
                x - 5.0,
                y - 5.0,
                x + 5.0,
                y + 5.0,
                x - 5.0,
                y + 5.0,
                x + 5.0,
                y - 5.0
            );
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
