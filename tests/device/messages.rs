//! Messages of wgpu and of Vulkan's validation layers, of which there should be none.
//!
//! With `WGPU_FFT_VALIDATION=1` any message is a failure of the whole run, and so is a validation
//! layer that is not there (Debian and Ubuntu: `apt install vulkan-validationlayers`). wgpu asks
//! for the layer in builds with debug assertions, or with `WGPU_VALIDATION=1`.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use log::{Level, LevelFilter, Log, Metadata, Record};

/// Messages that are not ours to silence: a part of each, and why it comes.
const EXPECTED: &[(&str, &str)] = &[
    (
        "SPIR-V module not valid: Invalid source language operand: 10",
        "layers before 2024 do not know that WGSL is a language; naga names it where an instance asks for debug information, as those of some tests do",
    ),
    (
        "Handling wgpu errors as fatal by default",
        "a recipe of tests/device/tuning.rs destroys the device of a search, and wgpu says so before it panics in the thread that the search keeps for that",
    ),
];

struct Listener;

/// How often each message came. Numbers of objects are left out.
static MESSAGES: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// Whether anything came through Vulkan's messenger, if only notes of its loader: one that is deaf
/// would hear no errors either.
static HEARD: AtomicBool = AtomicBool::new(false);

impl Log for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        ["wgpu_hal", "wgpu_core", "wgpu", "naga"].iter().any(|name| metadata.target().split("::").next() == Some(name))
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = record.args().to_string();
        HEARD.fetch_or(record.target().starts_with("wgpu_hal::vulkan") && text.contains(" (0x"), Ordering::Relaxed);
        // wgpu does not even warn.
        let no_layer = text.contains("unable to find layer");
        if (record.level() > Level::Warn && !no_layer) || EXPECTED.iter().any(|(part, _)| text.contains(part)) {
            return;
        }
        // Which objects the message before is about.
        if text.starts_with('\t') {
            return;
        }
        let key = format!("{} {}: {}", record.level(), record.target(), without_numbers(&text));
        *MESSAGES.lock().unwrap_or_else(std::sync::PoisonError::into_inner).entry(key).or_default() += 1;
    }

    fn flush(&self) {}
}

/// The text without handles and other numbers, so that equal messages about many objects are one.
fn without_numbers(text: &str) -> String {
    let word = |word: &str| if word.starts_with(|c: char| c.is_ascii_digit()) { "#".to_owned() } else { word.to_owned() };
    text.split_inclusive(|c: char| !c.is_ascii_alphanumeric())
        .map(|piece| {
            let end = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len();
            word(&piece[..end]) + &piece[end..]
        })
        .collect()
}

pub fn are_wanted() -> bool {
    std::env::var("WGPU_FFT_VALIDATION").is_ok_and(|value| value == "1")
}

/// Listens from now on.
pub fn listen() {
    log::set_logger(&Listener).expect("no other logger");
    log::set_max_level(LevelFilter::Debug);
}

/// Whether Vulkan's validation layer is in this process. Where the system does not tell, wgpu's note
/// that there is none must do.
fn is_loaded() -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps");
    maps.map_or(true, |maps| maps.contains("VkLayer_khronos_validation"))
}

/// Prints what came. Whether all was silent, and a layer was there to speak.
pub fn were_none() -> bool {
    let messages = MESSAGES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (text, count) in messages.iter() {
        eprintln!("{count} times: {text}");
    }
    let layer = is_loaded();
    if !layer {
        eprintln!("WGPU_FFT_VALIDATION=1, but Vulkan's validation layer was not loaded");
    }
    let heard = HEARD.load(Ordering::Relaxed);
    if !heard {
        eprintln!("WGPU_FFT_VALIDATION=1, but nothing came through Vulkan's messenger, not even notes of its loader");
    }
    messages.is_empty() && layer && heard
}
