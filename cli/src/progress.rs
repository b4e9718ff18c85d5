//! The progress of a search, on stderr: a bar on a terminal, plain lines elsewhere. Warnings of the
//! log appear above the bar.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use wgpu_fft::low_level::tune::{Progress, Stage};
use wgpu_fft::tune::Tuning;

use crate::output::Output;

/// How often the bar is drawn: seldom, as the device may be a processor, and the thread that draws
/// takes time from it.
const TICK: Duration = Duration::from_millis(200);
const DRAWINGS_PER_SECOND: u8 = 5;
/// Characters of the bar.
const WIDTH: usize = 20;

static LOG: Log = Log { bar: Mutex::new(None) };

/// Prints warnings, and knows the bar that must give way to them.
struct Log {
    bar: Mutex<Option<ProgressBar>>,
}

impl Log {
    fn bar(&self) -> Option<ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Draws this bar, or none, in place of the one before.
    fn show(&self, bar: Option<ProgressBar>) {
        let before = std::mem::replace(&mut *self.bar.lock().unwrap_or_else(PoisonError::into_inner), bar);
        if let Some(before) = before {
            before.finish_and_clear();
        }
    }
}

impl log::Log for Log {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let print = || eprintln!("{}: {}", if record.level() == log::Level::Error { "error" } else { "warning" }, record.args());
        match self.bar() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn flush(&self) {}
}

/// Prints the warnings of the log from now on, such as a record's that it cannot be written.
pub fn show_warnings(output: Output) {
    // With a logger they are printed already.
    if !output.quiet && log::set_logger(&LOG).is_ok() {
        log::set_max_level(log::LevelFilter::Warn);
    }
}

/// Shows how far searches of this tuning are. When one has ended, [`clear`] removes what it left.
pub fn watch(tuning: Tuning, output: Output) -> Tuning {
    if output.quiet {
        return tuning;
    }
    if std::io::stderr().is_terminal() {
        return tuning.on_progress(draw);
    }
    let before = Mutex::new(None);
    tuning.on_progress(move |progress| {
        // A line for each stage, not for each recipe.
        let before = before.lock().unwrap_or_else(PoisonError::into_inner).replace(progress.stage);
        if before != Some(progress.stage) {
            eprintln!("{:5.1} s of {:.1}  {}", progress.elapsed.as_secs_f64(), progress.limit.as_secs_f64(), describe(progress, false));
        }
    })
}

/// Removes the bar of a search that failed.
pub fn clear() {
    LOG.show(None);
}

fn draw(progress: &Progress<'_>) {
    match progress.stage {
        Stage::Opening => LOG.show(Some(bar(progress.limit))),
        Stage::Done => LOG.show(None),
        _ => {}
    }
    if let Some(bar) = LOG.bar() {
        bar.set_message(describe(progress, true));
    }
}

/// A bar of time, which goes on while a recipe is being compiled and nobody reports.
fn bar(limit: Duration) -> ProgressBar {
    let clock = move |state: &ProgressState, out: &mut dyn Write| {
        let share = (state.elapsed().as_secs_f64() / limit.as_secs_f64().max(1e-9)).min(1.0);
        let full = (share * WIDTH as f64) as usize;
        let (elapsed, limit) = (state.elapsed().as_secs_f64(), limit.as_secs_f64());
        let _ = write!(out, "[{}{}] {elapsed:.1} of {limit:.1} s", "=".repeat(full), " ".repeat(WIDTH - full));
    };
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(DRAWINGS_PER_SECOND));
    let style = ProgressStyle::with_template("{spinner} {clock}  {wide_msg}").expect("the template is a valid one");
    bar.set_style(style.with_key("clock", clock));
    bar.enable_steady_tick(TICK);
    bar
}

/// `c2c fwd 512x512: searching, 12 measured, the best saves 7.3%`, and the recipe, which a line of
/// the terminal cuts off.
fn describe(progress: &Progress<'_>, with_recipe: bool) -> String {
    let stage = match progress.stage {
        Stage::Opening => "opening a second device",
        Stage::Searching => "searching",
        Stage::Final => "final rounds",
        Stage::Done => "done",
        _ => "measuring",
    };
    let mut text = format!("{}: {stage}", progress.spec);
    if progress.stage != Stage::Opening {
        let _ = write!(text, ", {} measured, the best saves {:.1}%", progress.measured, (1.0 - progress.best) * 100.0);
    }
    match progress.recipe {
        Some(recipe) if with_recipe => text + ", trying " + recipe,
        _ => text,
    }
}
