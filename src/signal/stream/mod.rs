//! Streams: convolutions and short-time transforms of signals that come in pieces.

mod convolve;
mod jobs;
mod parts;
mod running;
mod stft;

pub use convolve::StreamConvolve;
pub use running::ConvolveStream;
pub use stft::{IstftStream, StftStream};
