//! Guides: a page for each question of a user.
//!
//! # In the repository alone
//! The repository has these pages in its folder `docs` as well. Some are only there, because they
//! have pictures or are about other packages: the gallery of examples (`docs/gallery.md`), where
//! the time goes, with plots of all measurements (`docs/speed.md`), the command line
//! (`cli/README.md`), jobs on several devices and on clusters (`crates/distributed/README.md` and
//! its folder `docs`), transforms on non-uniform points (`crates/nufft/README.md`), of burn's
//! tensors (`crates/burn/README.md`), the package for npm (`web/README.md`), the libraries for C
//! (`capi/README.md`), the package for Python (`python/README.md`), wgsl-sanitizer
//! (`crates/interpreter/README.md`), how a kernel is written (`shaders/README.md`), and how the
//! parts work (`docs/internals.md`).

/// A page of `docs/`. Its links to other pages are defined twice: at its end, as files, and in
/// links.md, as modules. Markdown takes the first definition.
macro_rules! guide {
    ($name:ident, $summary:literal, $file:literal) => {
        #[doc = $summary]
        ///
        #[doc = include_str!("guides/links.md")]
        #[doc = include_str!($file)]
        pub mod $name {}
    };
}

guide!(start, "A first program: from `cargo add` to a filtered picture.", "../docs/start.md");
guide!(which, "Which transform to take, its sizes and scales, and what the numbers of a spectrum mean.", "../docs/which.md");
guide!(device, "Devices and buffers of yours, the ways to run a plan, large data, and what differs in a browser.", "../docs/device.md");
guide!(shapes, "Shapes, batches, strided layouts, and limits.", "../docs/shapes.md");
guide!(around, "Permutations, filters with small kernels, and reductions.", "../docs/around.md");
guide!(fragments, "Code of yours inside transforms and permutations: windows, filters, conversions.", "../docs/fragments.md");
guide!(streams, "Sound in real time, and signals longer than memory.", "../docs/streams.md");
guide!(precision, "Types of numbers, and how large errors are.", "../docs/precision.md");
guide!(trouble, "What to check when it is slow, wrong, or does not start.", "../docs/trouble.md");
guide!(reliability, "What is tried on this crate, how often, and what was found.", "../docs/reliability.md");
guide!(from_rustfft, "Migration from rustfft, realfft and ndrustfft.", "../docs/from_rustfft.md");
guide!(from_cufft, "Migration from cuFFT.", "../docs/from_cufft.md");
guide!(from_fftw, "Migration from FFTW.", "../docs/from_fftw.md");
guide!(from_scipy, "Migration from NumPy and SciPy.", "../docs/from_scipy.md");
guide!(from_vkfft, "Migration from VkFFT and pyvkfft.", "../docs/from_vkfft.md");

/// Rigor, records, and kernels of your own: see also [`tune`](crate::tune).
///
#[doc = include_str!("guides/links.md")]
#[cfg_attr(feature = "tune", doc = include_str!("../docs/tuning.md"))]
pub mod tuning {}
