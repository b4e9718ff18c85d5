//! Jobs on a cluster from texts: for other languages, and for programs whose user names the
//! transform.

use std::fmt::Display;
use std::path::Path;

use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{ElementType, View};

use super::array::{Source, Target};
use super::{Cluster, FileOptions, Part, RanksJob, Running, transforms_only};
use crate::devices::Divide;
use crate::error::Result;
use crate::job::{self, Answer, Listener, Progress};
use crate::options::JobOptions;

/// A [`Job`](crate::Job) on a [`Cluster`] whose specification is a text, such as
/// `r2c fwd 64x64x64 f64`, and whose arrays are bytes. The module [`dynamic`](wgpu_fft::dynamic)
/// of `wgpu_fft` says what texts look like.
///
/// ```no_run
/// use wgpu_fft_distributed::{AnyJob, Cluster, JobOptions};
///
/// # fn example(cluster: &Cluster) -> wgpu_fft_distributed::Result<()> {
/// let job = AnyJob::new(cluster, "c2c fwd 64x64x64", &JobOptions::default())?;
/// let [input, output] = [true, false].map(|input| job.part(input).len() * job.element(input).bytes());
/// job.run(&vec![0; input], &mut vec![0; output])?;
/// # Ok(())
/// # }
/// ```
pub struct AnyJob {
    core: RanksJob,
    elements: [ElementType; 2],
    listener: Option<Listener>,
}

impl AnyJob {
    /// Divides the transform of a text. Collective.
    ///
    /// # Errors
    /// Those of [`Job::new`](crate::Job::new), and [`Parse`](wgpu_fft::Error::Parse) if the text is
    /// no specification.
    pub fn new(cluster: &Cluster, text: &str, options: &JobOptions) -> Result<Self> {
        // Before anything else, so that a text that is wrong on one rank is an error on all.
        cluster.agree_on(text, options)?;
        let spec = parsed(text)?;
        Ok(Self { core: spec.over_ranks(cluster, options)?, elements: spec.elements(), listener: None })
    }

    /// The parts of the input and of the output that one of so many ranks will have, as
    /// [`Part::of_rank`] says, and what they hold.
    ///
    /// # Errors
    /// Those of [`Part::of_rank`], and [`Parse`](wgpu_fft::Error::Parse).
    pub fn parts(text: &str, options: &JobOptions, rank: usize, ranks: usize) -> Result<[(Part, ElementType); 2]> {
        let spec = parsed(text)?;
        let [input, output] = spec.parts(options, rank, ranks)?;
        let [of_input, of_output] = spec.elements();
        Ok([(input, of_input), (output, of_output)])
    }

    /// The part of the input or of the output that this rank holds.
    #[must_use]
    pub fn part(&self, input: bool) -> Part {
        self.core.part(input)
    }

    /// What the input or the output holds.
    #[must_use]
    pub fn element(&self, input: bool) -> ElementType {
        self.elements[usize::from(!input)]
    }

    /// Takes and returns other parts; see [`Job::with_parts`](crate::Job::with_parts). Collective.
    ///
    /// # Errors
    /// Those of [`Job::with_parts`](crate::Job::with_parts).
    pub fn set_parts(&mut self, input: Option<Part>, output: Option<Part>) -> Result<()> {
        self.core.take_bricks([input, output])
    }

    /// Calls `listener` while a run goes on, which may cancel it; see
    /// [`Job::on_progress`](crate::Job::on_progress).
    pub fn on_progress<A: Answer>(&mut self, listener: impl Fn(Progress<'_>) -> A + Send + Sync + 'static) {
        self.listener = Some(job::listener(listener));
    }

    /// The share of each rank.
    #[must_use]
    pub fn shares(&self) -> crate::Shares {
        self.core.shares()
    }

    /// Computes this rank's part of the output. Collective. There is no report of what each rank did, which
    /// would take a message from every rank.
    ///
    /// # Errors
    /// Those of [`Job::run`](crate::Job::run).
    pub fn run(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.core.link.now(self.whole(input, output))
    }

    /// Begins what [`run`](Self::run) does; see [`Job::start`](crate::Job::start).
    ///
    /// # Errors
    /// Those of [`Job::start`](crate::Job::start).
    pub fn start<'r>(&'r self, input: &'r [u8], output: &'r mut [u8]) -> Result<Running<'r, ()>> {
        Running::begin(&self.core.link, self.whole(input, output))
    }

    async fn whole(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let elements = self.elements.map(ElementType::bytes);
        self.core.run_parts(Source::Host(input), Target::Host(output), elements, self.listener.as_ref()).await.map(drop)
    }

    /// The same from and to arrays on this rank's device; see
    /// [`Job::run_on_device`](crate::Job::run_on_device).
    ///
    /// # Errors
    /// Those of [`Job::run_on_device`](crate::Job::run_on_device).
    pub fn run_on_device(&self, input: Option<View<'_, u8>>, output: Option<View<'_, u8>>) -> Result<()> {
        self.core.link.now(self.core.run_on_device(input, output, self.listener.as_ref())).map(drop)
    }
}

impl AnyJob {
    /// Reads this rank's part of the input or of the output from a file; see [`Cluster::read`].
    ///
    /// # Errors
    /// Those of [`Cluster::read`].
    pub fn read(&self, input: bool, path: impl AsRef<Path>, array: &mut [u8], options: &FileOptions) -> Result<()> {
        self.core.cluster.read_bytes(path.as_ref(), &self.part(input), self.element(input), array, options)
    }

    /// Writes this rank's part of the input or of the output to a file; see [`Cluster::write`].
    ///
    /// # Errors
    /// Those of [`Cluster::write`].
    pub fn write(&self, input: bool, path: impl AsRef<Path>, array: &[u8], options: &FileOptions) -> Result<()> {
        self.core.cluster.write_bytes(path.as_ref(), &self.part(input), self.element(input), array, options)
    }
}

/// A specification without its types.
trait Transform {
    fn elements(&self) -> [ElementType; 2];
    fn parts(&self, options: &JobOptions, rank: usize, ranks: usize) -> Result<[Part; 2]>;
    fn over_ranks(&self, cluster: &Cluster, options: &JobOptions) -> Result<RanksJob>;
}

impl<S: Divide + Display> Transform for S {
    fn elements(&self) -> [ElementType; 2] {
        [ElementType::of::<S::Input>(), ElementType::of::<S::Output>()]
    }

    fn parts(&self, options: &JobOptions, rank: usize, ranks: usize) -> Result<[Part; 2]> {
        Part::of_rank(self, options, rank, ranks)
    }

    fn over_ranks(&self, cluster: &Cluster, options: &JobOptions) -> Result<RanksJob> {
        Divide::over_ranks(self, cluster, options)
    }
}

fn parsed(text: &str) -> Result<Box<dyn Transform>> {
    macro_rules! first_that_parses {
        ($($name:ty),*) => { $( if let Ok(spec) = text.parse::<$name>() { return Ok(Box::new(spec)); } )* };
    }
    first_that_parses!(C2c, R2c, C2r, R2r, C2c<Complex64, Complex64>, R2c<f64, Complex64>, C2r<Complex64, f64>, R2r<f64, f64>);
    // What is wrong with it, or that it is something else.
    Err(transforms_only(&text.parse::<AnySpec>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_transforms_or_errors() {
        let parts = |text: &str| AnyJob::parts(text, &JobOptions::default(), 1, 4).map_err(|error| error.to_string());
        let [(input, real), (output, complex)] = parts("r2c fwd 8x4x6 f64").unwrap();
        assert_eq!((input.ranges, real.name()), (vec![2..4, 0..4, 0..6], "f64"));
        assert_eq!((output.ranges, complex.name()), (vec![1..2, 0..4, 0..8], "complex f64"));
        assert_eq!(parts("c2r inv 8x4x6").unwrap()[1].1.name(), "f32");
        assert_eq!(parts("c2c fwd 8x4 f64-by-f32").unwrap()[0].1.name(), "complex f64");
        let [(input, _), (output, real)] = parts("r2r dct2,dst1 8x6 f64").unwrap();
        assert_eq!((input.ranges, output.ranges, real.name()), (vec![2..4, 0..6], vec![2..4, 0..8], "f64"));
        assert!(parts("sum f32 64").unwrap_err().contains("on a cluster"));
        assert!(parts("c2c fwd 8x").unwrap_err().contains("8x"));
        assert!(AnyJob::parts("c2c fwd 8", &JobOptions::default(), 4, 4).is_err());
    }
}
