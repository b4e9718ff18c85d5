//! Arrays in files, of which each rank reads and writes its own part.
//!
//! By the calls of the operating system and not by MPI's: those wait without a limit, and leave open
//! which ranks learn of a failure. The ranks agree as they do everywhere.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::path::Path;

use npyz::{DType, Endianness, WriterBuilder};
use wgpu_fft::low_level::files::Replacement;
use wgpu_fft::num_complex::{Complex32, Complex64};
use wgpu_fft::{Element, ElementType, bytemuck};

use super::cluster::Cluster;
use super::failure::{Failure, Outcome, guarded};
use super::part::Part;
use super::phase::Phase;
use super::places::{Places, all_extents, shape};
use crate::error::Result;

#[path = "../../../interpreter/src/cli/header.rs"]
mod header;

/// How an array lies in a file: by default as `.npy`, NumPy's format, in C order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct FileOptions {
    /// The byte at which the elements begin.
    raw: Option<u64>,
    fortran: bool,
    replace: bool,
}

impl FileOptions {
    /// Nothing but the elements, with the bytes of a number in this machine's order, as NumPy's
    /// `tofile` writes them. They begin at the byte `from` and end with the file. A file that is
    /// written has nothing before them: `from` must be 0.
    pub fn raw(mut self, from: u64) -> Self {
        self.raw = Some(from);
        self
    }

    /// In the file the first axis is the fastest one, and a batch is faster still. A `.npy` file that
    /// is read says so itself.
    pub fn fortran_order(mut self) -> Self {
        self.fortran = true;
        self
    }

    /// Replaces a file that is there already, which is an error otherwise. It keeps its permissions.
    pub fn replace(mut self) -> Self {
        self.replace = true;
        self
    }
}

impl Cluster {
    /// Reads this rank's part of an array in a file: any box of it, such as
    /// [`Job::input`](crate::Job::input). Collective. All ranks name the same file, which each of them
    /// opens. Parts may overlap.
    ///
    /// The file holds the array in the order of the transform's axes, whatever the order in which
    /// a part lies in memory: of transposed frequencies \[n₁, n₂, n₀\] it has \[n₀, n₁, n₂\]. Its shape is
    /// that of the transform, with the batch in front if there is one. A `.npy` file may have
    /// several axes in place of the batch, and numbers whose bytes are in another order.
    ///
    /// ```no_run
    /// use wgpu_fft_distributed::wgpu_fft::{Complex32, fft::R2c};
    /// use wgpu_fft_distributed::{Cluster, FileOptions, Job, Result};
    ///
    /// fn spectrum(cluster: &Cluster, job: &Job<R2c, Cluster>) -> Result<()> {
    ///     let (mut x, mut k) = (vec![0.0; job.input_len()], vec![Complex32::ZERO; job.output_len()]);
    ///     cluster.read("x.npy", &job.input(), &mut x, &FileOptions::default())?;
    ///     job.run(&x, &mut k)?;
    ///     cluster.write("k.npy", &job.output(), &k, &FileOptions::default())
    /// }
    /// ```
    ///
    /// # Cost
    /// A rank reads its own bytes only, in as many calls as they have runs in the file: few where
    /// the axis that is fastest in the file is complete, and one for each row otherwise. In memory it
    /// needs 8 MiB. A rank that reads for longer than twice [`RankOptions::timeout`](crate::RankOptions::timeout)
    /// counts as silent.
    ///
    /// # Errors
    /// On all ranks the same: [`OnRank`](crate::Error::OnRank) if a rank cannot read the file, or if the
    /// file has another shape, other elements or another length; elements are f32, f64 or complex
    /// numbers of them, and are not converted. [`RanksDiffer`](crate::Error::RanksDiffer) if ranks ask for
    /// different files or see different ones under one name. What the array holds then means nothing.
    pub fn read<T: Element>(&self, path: impl AsRef<Path>, part: &Part, array: &mut [T], options: &FileOptions) -> Result<()> {
        self.read_bytes(path.as_ref(), part, ElementType::of::<T>(), bytemuck::cast_slice_mut(array), options)
    }

    /// Writes this rank's part of an array to a new file, which [`read`](Self::read) reads, and NumPy's
    /// `load`. Collective. Every element must be in exactly one rank's part.
    ///
    /// The ranks write into a file beside it, which takes its name when all of it is on the disk. So
    /// under that name there is never a part of an array, and what a failure leaves is what was
    /// there. All ranks need a folder that they share. The cost is that of [`read`](Self::read).
    ///
    /// # Errors
    /// On all ranks the same: [`OnRank`](crate::Error::OnRank) if a rank cannot write, if something is at the
    /// path that is not to be [replaced](FileOptions::replace), or if parts overlap or leave something
    /// out; [`RanksDiffer`](crate::Error::RanksDiffer) if ranks ask for different files.
    pub fn write<T: Element>(&self, path: impl AsRef<Path>, part: &Part, array: &[T], options: &FileOptions) -> Result<()> {
        self.write_bytes(path.as_ref(), part, ElementType::of::<T>(), bytemuck::cast_slice(array), options)
    }

    pub(super) fn read_bytes(&self, path: &Path, part: &Part, element: ElementType, array: &mut [u8], options: &FileOptions) -> Result<()> {
        let link = &self.link;
        let name = path.display();
        link.same(Phase::Read, &format!("reading {name} as {element} of {} with {options:?}", shape_of_all(part)))?;
        let opened = guarded(|| {
            check(part, element, array.len())?;
            Opened::new(path, part, element, options).map_err(|why| Failure::Other(format!("cannot read {name}: {why}")))
        });
        let opened = link.agree(Phase::Read, opened)?;
        link.same(Phase::Read, &format!("{name}, {opened}"))?;
        let read = guarded(|| {
            opened.read(part, element, array).map_err(failed("read", path))?;
            self.device.check(Phase::Read)
        });
        link.agree(Phase::Read, read)
    }

    pub(super) fn write_bytes(&self, path: &Path, part: &Part, element: ElementType, array: &[u8], options: &FileOptions) -> Result<()> {
        let link = &self.link;
        link.same(Phase::Write, &format!("writing {} as {element} of {} with {options:?}", path.display(), shape_of_all(part)))?;
        link.agree(Phase::Write, guarded(|| check(part, element, array.len())))?;
        let parts = link.all_parts(part)?;
        link.agree(Phase::Write, guarded(|| complete(&parts, link.rank())))?;
        let begun = guarded(|| if link.rank() == 0 { Begun::new(path, part, element, options).map(Some) } else { Ok(None) });
        let begun = link.agree(Phase::Write, begun)?;
        let (place, begin) = begun.as_ref().map(|begun| (begun.place.clone(), begun.begin)).unwrap_or_default();
        let place = link.now(link.text_of(0, format!("{begin} {place}")))?;
        let written = guarded(|| {
            let (begin, place) = place.split_once(' ').ok_or_else(|| Failure::Other("rank 0 names no file".to_owned()))?;
            let begin = begin.parse().map_err(|_| Failure::Other(format!("the elements cannot begin at `{begin}`")))?;
            let file = OpenOptions::new().write(true).open(place).map_err(failed("open", Path::new(place)))?;
            let places = Places::new(part, element.bytes(), options.fortran);
            places.write(&file, begin, array).and_then(|()| file.sync_all()).map_err(failed("write", path))?;
            self.device.check(Phase::Write)
        });
        link.agree(Phase::Write, written)?;
        let finish = |begun: Begun| if options.replace { begun.file.finish() } else { begun.file.finish_new() };
        link.agree(Phase::Write, guarded(|| begun.map_or(Ok(()), finish).map_err(failed("write", path))))
    }
}

fn failed(verb: &str, path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::Other(format!("cannot {verb} {}: {error}", path.display()))
}

/// What all ranks must agree on of their parts.
fn shape_of_all(part: &Part) -> String {
    format!("{} x {:?} along {:?}", part.batch_extent, part.extents, part.axes)
}

/// The bytes of all elements.
fn file_bytes(part: &Part, element: ElementType) -> Option<u64> {
    let bytes = all_extents(part).into_iter().try_fold(element.bytes(), usize::checked_mul)?;
    isize::try_from(bytes).ok().and_then(|bytes| u64::try_from(bytes).ok())
}

/// Whether a part is a box, and the array that holds it as long as it should be.
fn check(part: &Part, element: ElementType, bytes: usize) -> Outcome<()> {
    kind(element)?;
    part.check(part, element.bytes())?;
    if file_bytes(part, element).is_none() {
        return Err(Failure::Other(format!("the bytes of {} elements of {element} do not fit a usize", shape_of_all(part))));
    }
    Ok(crate::job::check("array", part.stored_len() * element.bytes(), bytes, element.bytes())?)
}

/// Whether the parts of all ranks make up the array, as far as this rank's are concerned.
fn complete(parts: &[Part], rank: usize) -> Outcome<()> {
    if let Some(other) = (0..parts.len()).find(|other| *other != rank && parts[*other].common(&parts[rank]).is_some()) {
        return Err(Failure::Other(format!("the parts of ranks {rank} and {other} overlap, so each would write what both have")));
    }
    let all: usize = all_extents(&parts[rank]).iter().product();
    let given: usize = parts.iter().map(Part::len).fold(0, usize::saturating_add);
    if given < all {
        return Err(Failure::Other(format!("{} of {all} elements are in no rank's part", all - given)));
    }
    Ok(())
}

/// What `.npy` calls an element.
fn kind(element: ElementType) -> Outcome<&'static str> {
    match element.name() {
        "f32" => Ok("f4"),
        "f64" => Ok("f8"),
        "complex f32" => Ok("c8"),
        "complex f64" => Ok("c16"),
        other => Err(Failure::Other(format!("files of ranks hold f32, f64 or complex numbers of them, and not {other}"))),
    }
}

/// The header of a `.npy` file.
fn header_of(part: &Part, element: ElementType, fortran: bool) -> std::io::Result<Vec<u8>> {
    fn of<T: npyz::AutoSerialize>(shape: &[u64], fortran: bool) -> std::io::Result<Vec<u8>> {
        let order = if fortran { npyz::Order::Fortran } else { npyz::Order::C };
        let mut bytes = Vec::new();
        npyz::WriteOptions::<T>::new().default_dtype().order(order).shape(shape).writer(&mut bytes).begin_nd()?;
        Ok(bytes)
    }
    let of = match element.name() {
        "f32" => of::<f32>,
        "f64" => of::<f64>,
        "complex f32" => of::<Complex32>,
        _ => of::<Complex64>,
    };
    of(&shape(part), fortran)
}

/// A file that rank 0 has begun, in which the others will write too.
struct Begun {
    file: Replacement,
    place: String,
    /// Where the elements begin.
    begin: u64,
}

impl Begun {
    fn new(path: &Path, part: &Part, element: ElementType, options: &FileOptions) -> Outcome<Self> {
        let wrong = |why: &str| Err(Failure::Other(format!("cannot write {}: {why}", path.display())));
        if !options.replace && fs::symlink_metadata(path).is_ok() {
            return wrong("something is there already, and it is not to be replaced");
        }
        let header = match options.raw {
            None => header_of(part, element, options.fortran).map_err(failed("write", path))?,
            Some(0) => Vec::new(),
            Some(from) => return wrong(&format!("a raw file that is written begins with its elements, and not at byte {from}")),
        };
        let begin = header.len() as u64;
        let len = file_bytes(part, element).and_then(|bytes| bytes.checked_add(begin));
        let made = || -> std::io::Result<_> {
            let file = Replacement::new(path)?;
            file.file().set_len(len.ok_or(std::io::ErrorKind::FileTooLarge)?)?;
            file.file().write_all(&header)?;
            let place = std::path::absolute(file.temporary_path())?;
            Ok((file, place))
        };
        let (file, place) = made().map_err(failed("write", path))?;
        match place.to_str() {
            Some(place) => Ok(Self { place: place.to_owned(), file, begin }),
            None => wrong("its folder has a name that is not Unicode, which ranks cannot tell each other"),
        }
    }
}

/// A file that is being read.
struct Opened {
    file: File,
    bytes: u64,
    /// Where the elements begin.
    begin: u64,
    fortran: bool,
    /// Whether the bytes of a number are in another order than this machine's.
    swapped: bool,
}

impl std::fmt::Display for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { bytes, begin, fortran, swapped, .. } = self;
        let order = if *fortran { "Fortran" } else { "C" };
        write!(f, "a file of {bytes} bytes, from byte {begin} on, in {order} order{}", if *swapped { ", swapped" } else { "" })
    }
}

impl Opened {
    fn new(path: &Path, part: &Part, element: ElementType, options: &FileOptions) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        // Opening a pipe would wait for its other end.
        if !fs::metadata(path)?.is_file() {
            return Err("it is not a regular file".into());
        }
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let needed = file_bytes(part, element).ok_or("it has more elements than can be counted")?;
        if let Some(begin) = options.raw {
            let found = bytes.saturating_sub(begin);
            if found != needed {
                let shape = shape(part);
                return Err(format!("shape {shape:?} of {element} has {needed} bytes, and from byte {begin} on {found} are there").into());
            }
            return Ok(Self { file, bytes, begin, fortran: options.fortran, swapped: false });
        }
        let header = header::read(&mut file)?;
        let begin = file.stream_position()?;
        let fortran = header.order() == npyz::Order::Fortran;
        let kind = kind(element).map_err(|_| "its elements cannot be read")?;
        let swapped = match header.dtype() {
            DType::Plain(plain) if plain.to_string().get(1..) == Some(kind) => plain.endianness() != Endianness::of_machine(),
            other => return Err(format!("its elements are {}, and not {element} ({kind})", other.descr()).into()),
        };
        check_shape(part, header.shape(), fortran)?;
        let found = bytes.saturating_sub(begin);
        if found < needed {
            return Err(format!("it was cut off: shape {:?} of {element} has {needed} bytes, and {found} are there", header.shape()).into());
        }
        Ok(Self { file, bytes, begin, fortran, swapped })
    }

    fn read(&self, part: &Part, element: ElementType, array: &mut [u8]) -> std::io::Result<()> {
        let scalar = element.bytes() / if element.name().starts_with("complex") { 2 } else { 1 };
        let swapped = self.swapped.then_some(scalar);
        Places::new(part, element.bytes(), self.fortran).read(&self.file, self.begin, swapped, array)
    }
}

/// Whether a file has the array's shape, with any axes in place of the batch.
fn check_shape(part: &Part, found: &[u64], fortran: bool) -> std::result::Result<(), String> {
    let expected = shape(part);
    let (own, batch) = (&expected[expected.len() - part.axes.len()..], part.batch_extent as u64);
    let leading = found.len().checked_sub(own.len()).map(|leading| found.split_at(leading));
    let Some((leading, _)) = leading.filter(|(leading, rest)| *rest == own && leading.iter().product::<u64>() == batch) else {
        return Err(format!("its shape is {found:?}, and not {expected:?}"));
    };
    // Their indices do not follow one another as those of one batch do.
    if fortran && leading.iter().filter(|extent| **extent > 1).count() > 1 {
        return Err(format!("its shape is {found:?} in Fortran order, in which a batch of {batch} must be one axis"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use wgpu_fft::fft::C2c;

    use super::*;
    use crate::ranks::places::tests::part;

    #[test]
    fn shapes_may_have_several_axes_for_the_batch() {
        let own = part(&C2c::forward([3, 4]).batch(6), true);
        assert_eq!(shape(&own), [6, 3, 4]);
        assert!(check_shape(&own, &[6, 3, 4], true).is_ok());
        assert!(check_shape(&own, &[2, 3, 3, 4], false).is_ok());
        assert!(check_shape(&own, &[2, 3, 3, 4], true).unwrap_err().contains("must be one axis"));
        for wrong in [&[6, 4, 3][..], &[7, 3, 4], &[3, 4], &[4], &[]] {
            assert!(check_shape(&own, wrong, false).is_err(), "{wrong:?}");
        }
        assert!(check_shape(&part(&C2c::forward([3, 4]), true), &[1, 1, 3, 4], true).is_ok());
    }
}
