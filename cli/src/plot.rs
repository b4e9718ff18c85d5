//! Draws the results of a benchmark as bars.

use std::path::Path;

use plotters::prelude::*;

use crate::bench::Case;
use crate::{Result, files};

const WIDTH: u32 = 900;
const BAR: u32 = 34;
const MARGIN: u32 = 110;

/// Draws how many copies of its arrays each case takes, into an SVG file.
pub fn draw(path: &Path, adapter: &str, cases: &[Case]) -> Result<()> {
    let mut text = String::new();
    draw_into(&mut text, adapter, cases)?;
    files::write_text(path, &text)
}

fn draw_into(text: &mut String, adapter: &str, cases: &[Case]) -> Result<()> {
    let of_copy = |case: &Case| case.seconds / case.copy_seconds;
    let most = cases.iter().map(of_copy).fold(1.0, f64::max) * 1.15;
    let height = BAR * cases.len() as u32 + MARGIN;
    let area = SVGBackend::with_string(text, (WIDTH, height)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("Time in copies of the arrays, {adapter}"), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(190)
        // Of a single place, no label would be drawn.
        .build_cartesian_2d(0.0..most, (0..cases.len().max(2) as i32 - 1).into_segmented())?;
    let name = |place: &SegmentValue<i32>| match place {
        SegmentValue::CenterOf(i) => cases.iter().rev().nth(*i as usize).map_or(String::new(), |case| case.spec.clone()),
        _ => String::new(),
    };
    let mut mesh = chart.configure_mesh();
    mesh.disable_y_mesh().y_labels(cases.len()).y_label_formatter(&name).x_desc("1 is the time of a copy").draw()?;
    let colour = RGBColor(52, 101, 164);
    chart.draw_series(cases.iter().rev().enumerate().map(|(i, case)| {
        let i = i as i32;
        let corners = [(0.0, SegmentValue::Exact(i)), (of_copy(case), SegmentValue::Exact(i + 1))];
        let mut bar = Rectangle::new(corners, colour.filled());
        bar.set_margin(5, 5, 0, 0);
        bar
    }))?;
    chart.draw_series(cases.iter().rev().enumerate().map(|(i, case)| {
        let text = format!(" {:.2}  ({:.3} ms)", of_copy(case), case.seconds * 1e3);
        Text::new(text, (of_copy(case), SegmentValue::CenterOf(i as i32)), ("sans-serif", 13))
    }))?;
    area.present()?;
    Ok(())
}
