//! Times over ranks as a picture.

use std::fmt::Write;

use wgpu_fft_distributed::model::{Path, Size};

use crate::{USUAL_LINK, model};

const PANEL: [f64; 2] = [400.0, 380.0];
const MARGIN: [f64; 2] = [84.0, 62.0];
const STEP: f64 = 492.0;
/// Powers of two of ranks.
const POWERS: u32 = 10;
/// Powers of ten of seconds.
const DECADES: [i32; 2] = [-4, 2];

/// A panel for each path: the time of several sizes, and the exchange's part of it, over ranks.
pub fn times(latency: f64) -> String {
    let sizes: [(Size, &str); 6] = [
        (Size::square(8192), "#1f77b4"),
        (Size::square(65536), "#17becf"),
        (Size::cube(512), "#2ca02c"),
        (Size::cube(1024), "#ff7f0e"),
        (Size::cube(4096), "#d62728"),
        (Size::cube(8192), "#9467bd"),
    ];
    let (width, height) = (MARGIN[0] + STEP + PANEL[0] + 24.0, MARGIN[1] + PANEL[1] + 104.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"22\" font-size=\"14\">Distributed transforms by the model: H200, 8 in a node, {:.0} GB/s for each, {:.0} µs a message</text>\n",
        MARGIN[0],
        USUAL_LINK / 1e9,
        1e6 * latency
    );
    panel(&mut svg, MARGIN[0], "staged through the host", latency, Path::Staged, &sizes);
    panel(&mut svg, MARGIN[0] + STEP, "data stays on the device (lower bound)", latency, Path::Direct, &sizes);
    let (mut x, y) = (MARGIN[0], height - 38.0);
    for (size, colour) in sizes {
        legend(&mut svg, &mut x, y, colour, "", &size.to_string());
    }
    let (mut x, y) = (MARGIN[0], y + 20.0);
    legend(&mut svg, &mut x, y, "#444", "", "whole transform");
    legend(&mut svg, &mut x, y, "#444", DASHES, "exchange alone");
    legend(&mut svg, &mut x, y, "#444", DOTS, "half the time on twice the ranks");
    svg + "</svg>\n"
}

const DASHES: &str = " stroke-dasharray=\"6 4\"";
const DOTS: &str = " stroke-dasharray=\"1 4\"";

fn legend(svg: &mut String, x: &mut f64, y: f64, colour: &str, dashes: &str, text: &str) {
    let (at, end) = (y - 4.0, *x + 24.0);
    let _ =
        writeln!(svg, "<line x1=\"{x:.1}\" y1=\"{at:.1}\" x2=\"{end:.1}\" y2=\"{at:.1}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>");
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{y:.1}\">{text}</text>", end + 5.0);
    *x = end + 19.0 + 6.4 * text.chars().count() as f64;
}

fn panel(svg: &mut String, left: f64, title: &str, latency: f64, path: Path, sizes: &[(Size, &str)]) {
    let (top, [wide, high]) = (MARGIN[1], PANEL);
    let x = |ranks: f64| left + wide * ranks.log2() / f64::from(POWERS);
    let [least, most] = DECADES.map(f64::from);
    let y = |seconds: f64| top + high * (most - seconds.log10().clamp(least, most)) / (most - least);
    let (right, bottom) = (left + wide, top + high);
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"{}\">{title}</text>", top - 12.0);
    let (beside, middle) = (left - 58.0, top + high / 2.0);
    let _ = writeln!(
        svg,
        "<text x=\"{beside}\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 {beside} {middle})\">time of one transform</text>"
    );
    for decade in DECADES[0]..=DECADES[1] {
        let at = y(10f64.powi(decade));
        let name = match decade {
            -4 => "0.1 ms",
            -3 => "1 ms",
            -2 => "10 ms",
            -1 => "0.1 s",
            0 => "1 s",
            1 => "10 s",
            _ => "100 s",
        };
        let _ = writeln!(svg, "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>", left - 6.0, at + 4.0);
    }
    for power in 0..=POWERS {
        let (ranks, at) = (1u64 << power, x(f64::from(1u32 << power)));
        let _ = writeln!(svg, "<line x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"#eee\"/>");
        let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{ranks}</text>", bottom + 16.0);
    }
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">ranks, one H200 each</text>", left + wide / 2.0, bottom + 34.0);
    // The slope of perfect scaling, where nothing else is.
    let (first, from, to) = (8.0, 100.0, 10.0);
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#444\" stroke-width=\"2\"{DOTS}/>",
        x(first),
        y(from),
        x(first * from / to),
        y(to)
    );
    let model = model(USUAL_LINK, latency, path);
    for (size, colour) in sizes {
        let points = (0..=POWERS).filter_map(|power| Some((1u64 << power, model.times(*size, 1 << power)?)));
        let (mut whole, mut exchange) = (Vec::new(), Vec::new());
        for (ranks, times) in points {
            let at = x(ranks as f64);
            whole.push(format!("{at:.1},{:.1}", y(times.total())));
            // What is below the panel is not drawn.
            if times.exchange >= 10f64.powi(DECADES[0]) {
                exchange.push(format!("{at:.1},{:.1}", y(times.exchange)));
            }
        }
        for (points, dashes) in [(whole, ""), (exchange, DASHES)] {
            let _ =
                writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>", points.join(" "));
        }
    }
}
