//! Arrays and pictures from files and to them: `.npy`, and PNG and JPEG.

#[path = "../../crates/interpreter/src/cli/header.rs"]
mod header;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, IsTerminal, Read, Seek, Write};
use std::path::{Path, PathBuf};

use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader};
use npyz::{DType, Endianness, NpyFile, NpyHeader, Order, TypeChar, WriterBuilder};
use wgpu_fft::low_level::files;
use wgpu_fft::num_complex::{Complex32, Complex64};

use crate::Result;
use crate::array::{Array, Elements, of_any};

/// What the command line calls the standard input or output.
const STANDARD: &str = "-";

/// Whether a path means the standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// Whether a path means the standard output, by whichever name.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new(STANDARD) || is_stdout_by_name(path)
}

#[cfg(unix)]
fn is_stdout_by_name(path: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let own = io::stdout().as_fd().try_clone_to_owned().and_then(|stdout| File::from(stdout).metadata());
    own.and_then(|own| std::fs::metadata(path).map(|other| (own.dev(), own.ino()) == (other.dev(), other.ino()))).unwrap_or(false)
}

#[cfg(not(unix))]
fn is_stdout_by_name(_: &Path) -> bool {
    false
}

/// A path in a message.
fn named(path: &Path, standard: &str) -> String {
    if path == Path::new(STANDARD) { standard.to_owned() } else { path.display().to_string() }
}

/// The name of what is read.
pub fn input_name(path: &Path) -> String {
    named(path, "the standard input")
}

/// The name of what is written.
pub fn result_name(path: &Path) -> String {
    named(path, "the standard output")
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Npy,
    Picture(ImageFormat),
    Wav,
}

impl Format {
    fn of_name(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()?.to_lowercase().as_str() {
            "npy" => Self::Npy,
            "png" => Self::Picture(ImageFormat::Png),
            "jpg" | "jpeg" => Self::Picture(ImageFormat::Jpeg),
            "wav" => Self::Wav,
            _ => return None,
        })
    }

    pub fn of_content(head: &[u8]) -> Option<Self> {
        Some(match head {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            [0x89, b'P', b'N', b'G', b'\r', b'\n', ..] => Self::Picture(ImageFormat::Png),
            [0xff, 0xd8, 0xff, ..] => Self::Picture(ImageFormat::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Self::Wav,
            _ => return None,
        })
    }

    /// Of a result. Into a pipe or a device goes an array, unless its name is a picture's.
    fn of_result(path: &Path) -> Result<Self> {
        match Self::of_name(path) {
            Some(format) if format != Self::Wav => Ok(format),
            _ if is_stdout(path) || files::is_stream(path) => Ok(Self::Npy),
            _ => Err("the name of a result must end in .npy, .png, .jpg or .jpeg".into()),
        }
    }
}

/// Whether a result becomes a picture.
pub fn is_picture(path: &Path) -> bool {
    matches!(Format::of_result(path), Ok(Format::Picture(_)))
}

/// An argument of the command line that names a result.
pub fn result(path: PathBuf) -> std::result::Result<PathBuf, String> {
    if path.is_dir() {
        return Err("it is a folder, not a file".to_owned());
    }
    Format::of_result(&path).map_err(|error| error.to_string())?;
    Ok(path)
}

/// Finds out before a long computation whether its result can be written.
pub fn check_result(path: &Path) -> Result<()> {
    let standard = is_stdout(path);
    if standard && io::stdout().is_terminal() {
        return Err("the result is not for a terminal: send the standard output to a file or another program".into());
    }
    if standard { Ok(()) } else { files::check(path).map_err(|error| cannot_write(path, error)) }
}

fn cannot_write(path: &Path, error: impl Display) -> Box<dyn std::error::Error> {
    format!("cannot write {}: {error}", result_name(path)).into()
}

pub(crate) trait Source: BufRead + Seek {}

impl<T: BufRead + Seek> Source for T {}

/// What is read: a regular file, or everything that comes out of a pipe.
pub(crate) struct Input {
    pub content: Box<dyn Source>,
    pub bytes: u64,
    pub format: Format,
}

impl Input {
    /// Opens a file, and once only: what comes out of a pipe is gone.
    pub fn open(path: &Path) -> Result<Self> {
        let (mut content, bytes): (Box<dyn Source>, u64) = if is_stdin(path) {
            whole(io::stdin().lock())?
        } else {
            // Windows does not even open one.
            if path.is_dir() {
                return Err("it is a folder".into());
            }
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_file() { (Box::new(BufReader::new(file)), metadata.len()) } else { whole(file)? }
        };
        // The content is surer than the name, which also says what a damaged file should have been.
        let format = Format::of_content(content.fill_buf()?).or_else(|| Format::of_name(path)).ok_or(UNKNOWN)?;
        Ok(Self { content, bytes, format })
    }
}

const UNKNOWN: &str = "it is no .npy file, no PNG or JPEG picture and no .wav sound";

/// Everything that comes out of a pipe. Of a device that never ends, that must not be waited for.
fn whole(mut pipe: impl Read) -> Result<(Box<dyn Source>, u64)> {
    let mut bytes = Vec::new();
    (&mut pipe).take(12).read_to_end(&mut bytes)?;
    Format::of_content(&bytes).ok_or(UNKNOWN)?;
    pipe.read_to_end(&mut bytes)?;
    let len = bytes.len() as u64;
    Ok((Box::new(Cursor::new(bytes)), len))
}

/// Reads an array: `.npy`, or a picture as grey values from 0 to 1. An error says which file, and
/// what is wrong with it.
pub fn read(path: &Path) -> Result<Array> {
    let array = read_with(path, read_array)?;
    if array.is_empty() {
        return Err(format!("{}: the array is empty (shape {:?})", input_name(path), array.shape).into());
    }
    Ok(array)
}

pub(crate) fn read_array(input: Input) -> Result<Array> {
    match input.format {
        Format::Npy => read_npy(input),
        Format::Picture(_) => read_picture(input),
        Format::Wav => Err("it is a sound, not an array or a picture".into()),
    }
}

/// Reads a file. An error says which.
pub(crate) fn read_with<T>(path: &Path, read: impl FnOnce(Input) -> Result<T>) -> Result<T> {
    Input::open(path).and_then(read).map_err(|error| unread(path, error))
}

/// Says which file cannot be read.
pub fn unread(path: &Path, error: Box<dyn std::error::Error>) -> Box<dyn std::error::Error> {
    format!("cannot read {}: {error}", input_name(path)).into()
}

fn read_picture(input: Input) -> Result<Array> {
    let mut decoder = ImageReader::new(input.content).with_guessed_format()?.into_decoder()?;
    // Neither format packs more: such a header would have us allocate what the file does not have.
    if decoder.total_bytes() > (64 << 20) + 2000 * input.bytes {
        let (width, height) = decoder.dimensions();
        return Err(format!("it says that it has {width} x {height} pixels, more than a file of its size can have").into());
    }
    // Photographs are turned the way that the camera was held.
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    let shape = vec![picture.height() as usize, picture.width() as usize];
    let data = picture.to_luma32f().into_raw();
    Ok(Array { shape, elements: Elements::F32(data) })
}

/// What a `.npy` file holds, without its elements.
pub struct Header {
    pub shape: Vec<usize>,
    /// The letter and the bytes of its elements, such as `f4`.
    pub kind: String,
    /// Where the elements begin.
    pub offset: u64,
    npy: NpyHeader,
}

impl Header {
    fn of(input: &mut Input) -> Result<Self> {
        let npy = header::read(&mut input.content)?;
        let (shape, offset) = (extents(&npy)?, input.content.stream_position()?);
        let (kind, size) = match npy.dtype() {
            DType::Plain(plain) => {
                (format!("{}{}", letter(plain.type_char()), plain.size_field()), plain.num_bytes().unwrap_or_default() as u64)
            }
            _ => ("structures".to_owned(), 0),
        };
        let (needed, found) = (npy.len() * size, input.bytes.saturating_sub(offset));
        if found < needed {
            return Err(format!("it was cut off: shape {shape:?} of {kind} has {needed} bytes, and {found} are there").into());
        }
        Ok(Self { shape, kind, offset, npy })
    }

    pub fn order(&self) -> Order {
        self.npy.order()
    }

    /// Whether the first axis is the fastest in the file.
    pub fn is_fortran(&self) -> bool {
        self.order() == Order::Fortran
    }

    /// Reads the header of a file that will be mapped into memory: a regular one, whose numbers lie
    /// as those in memory do.
    pub fn for_map(path: &Path) -> Result<Self> {
        if is_stdin(path) || files::is_stream(path) {
            return Err(format!("cannot read {}: with --memory, the array must be in a file", input_name(path)).into());
        }
        read_with(path, |mut input| {
            let header = Self::of(&mut input)?;
            match header.npy.dtype() {
                DType::Plain(plain) if ![Endianness::of_machine(), Endianness::Irrelevant].contains(&plain.endianness()) => {
                    Err("its numbers have their bytes in another order than this machine; for --memory, convert them".into())
                }
                _ => Ok(header),
            }
        })
    }
}

fn extents(header: &NpyHeader) -> Result<Vec<usize>> {
    Ok(header.shape().iter().map(|extent| usize::try_from(*extent)).collect::<std::result::Result<_, _>>()?)
}

fn letter(ty: TypeChar) -> char {
    match ty {
        TypeChar::Float => 'f',
        TypeChar::Complex => 'c',
        TypeChar::Int => 'i',
        TypeChar::Uint => 'u',
        TypeChar::Bool => 'b',
        _ => '?',
    }
}

fn read_npy(mut input: Input) -> Result<Array> {
    let Header { shape, kind, npy, .. } = Header::of(&mut input)?;
    let order = npy.order();
    let file = NpyFile::with_header(npy, input.content);
    let elements = match kind.as_str() {
        "u1" => Elements::U8(file.into_vec()?),
        "i4" => Elements::I32(file.into_vec()?),
        "u4" => Elements::U32(file.into_vec()?),
        "f4" => Elements::F32(file.into_vec()?),
        "f8" => Elements::F64(file.into_vec()?),
        "c8" => Elements::Complex32(file.into_vec()?),
        "c16" => Elements::Complex64(file.into_vec()?),
        "i8" => Elements::I64(file.into_vec()?),
        "u8" => Elements::U64(file.into_vec()?),
        "i2" => Elements::I32(file.into_vec::<i16>()?.into_iter().map(Into::into).collect()),
        "u2" => Elements::U32(file.into_vec::<u16>()?.into_iter().map(Into::into).collect()),
        other => {
            let known = "u1, u2, u4, u8, i2, i4, i8, f4, f8, c8 and c16";
            return Err(format!("its elements are {other}; those that can be read are {known}").into());
        }
    };
    match order {
        Order::C => Ok(Array { shape, elements }),
        // The fastest axis is the first one.
        Order::Fortran => {
            let turned: Vec<usize> = (0..shape.len()).rev().collect();
            Array { shape: shape.into_iter().rev().collect(), elements }.permuted(&turned)
        }
    }
}

/// Writes an array: `.npy`, or a picture.
pub fn write(path: &Path, array: &Array, shown: Shown) -> Result<()> {
    let write = |out: &mut dyn Write| match Format::of_result(path)? {
        Format::Picture(format) => write_picture(out, format, array, shown),
        _ => write_npy(out, array),
    };
    if is_stdout(path) { write(&mut io::stdout().lock()) } else { files::write(path, write) }.map_err(|error| cannot_write(path, error))
}

/// Writes a text.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes bytes.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = |out: &mut dyn Write| out.write_all(bytes);
    if is_stdout(path) { write(&mut io::stdout().lock()) } else { files::write(path, write) }.map_err(|error| cannot_write(path, error))
}

fn write_npy(out: &mut dyn Write, array: &Array) -> Result<()> {
    let shape: Vec<u64> = array.shape.iter().map(|extent| *extent as u64).collect();
    of_any!(&array.elements, data => {
        let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(&mut *out).begin_nd()?;
        writer.extend(data)?;
        writer.finish()?;
    });
    Ok(out.flush()?)
}

/// The header of a `.npy` file of numbers of type `T`, whose length is a multiple of 64 bytes.
pub fn npy_header<T: npyz::AutoSerialize>(shape: &[usize], order: Order) -> Result<Vec<u8>> {
    let shape: Vec<u64> = shape.iter().map(|extent| *extent as u64).collect();
    let mut bytes = Vec::new();
    npyz::WriteOptions::<T>::new().default_dtype().order(order).shape(&shape).writer(&mut bytes).begin_nd()?;
    Ok(bytes)
}

/// How an array becomes a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Values from 0 to 1 as grey.
    Grey,
    /// The logarithm of magnitudes, with frequency 0 in the middle of each axis. If `half`, that
    /// axis holds a half-spectrum of so many reals.
    Spectrum { half: Option<(usize, usize)> },
}

fn write_picture(out: &mut dyn Write, format: ImageFormat, array: &Array, shown: Shown) -> Result<()> {
    let [rows, columns] = array.shape[..] else {
        return Err(format!("a picture has two axes, and the array has {}", array.shape.len()).into());
    };
    let ([height, width], values) = match shown {
        Shown::Grey => ([rows, columns], grey(array)),
        Shown::Spectrum { half } => spectrum(&array.magnitudes(), [rows, columns], half),
    };
    let pixels = values.into_iter().map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
    let [width, height] = [u32::try_from(width)?, u32::try_from(height)?];
    let picture = GrayImage::from_raw(width, height, pixels).ok_or("the array is too large for a picture")?;
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format)?;
    out.write_all(bytes.get_ref())?;
    Ok(out.flush()?)
}

fn grey(array: &Array) -> Vec<f64> {
    match &array.elements {
        Elements::U8(data) => data.iter().map(|value| f64::from(*value) / 255.0).collect(),
        Elements::F32(data) => data.iter().map(|value| f64::from(*value)).collect(),
        Elements::F64(data) => data.clone(),
        Elements::Complex32(data) => data.iter().map(|z: &Complex32| f64::from(z.re)).collect(),
        Elements::Complex64(data) => data.iter().map(|z: &Complex64| z.re).collect(),
        Elements::I32(_) | Elements::U32(_) | Elements::I64(_) | Elements::U64(_) => array.magnitudes(),
    }
}

/// The logarithms of magnitudes from 0 to 1, with frequency 0 in the middle, and their shape.
fn spectrum(magnitudes: &[f64], stored: [usize; 2], half: Option<(usize, usize)>) -> ([usize; 2], Vec<f64>) {
    let mut whole = stored;
    if let Some((axis, n)) = half {
        whole[axis] = n;
    }
    let [rows, columns] = whole;
    // Of a half-spectrum, the other half is the mirror image.
    let at = |k: usize, l: usize| {
        let [k, l] = if k < stored[0] && l < stored[1] { [k, l] } else { [(rows - k) % rows, (columns - l) % columns] };
        magnitudes[k * stored[1] + l]
    };
    let most = magnitudes.iter().copied().filter(|value| value.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    // Five powers of ten.
    let shade = |value: f64| 1.0 + (value / most).max(1e-30).log10() / 5.0;
    let places = (0..rows).flat_map(|y| (0..columns).map(move |x| ((y + rows.div_ceil(2)) % rows, (x + columns.div_ceil(2)) % columns)));
    (whole, places.map(|(k, l)| shade(at(k, l))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("array.npy");
        let all = [
            Elements::U8(vec![1, 2, 3, 4, 5, 255]),
            Elements::I32(vec![-1, 2, 3, 4, 5, i32::MAX]),
            Elements::U32(vec![1, 2, 3, 4, 5, u32::MAX]),
            Elements::F32(vec![-0.5, 2.0, 3.0, 4.0, 5.0, f32::MAX]),
            Elements::F64(vec![-0.5, 2.0, 3.0, 4.0, 5.0, f64::MAX]),
            Elements::Complex32(vec![Complex32::new(1.0, -2.0); 6]),
            Elements::Complex64(vec![Complex64::new(1.0, -2.0); 6]),
        ];
        for elements in all {
            let array = Array { shape: vec![2, 3], elements };
            write(&path, &array, Shown::Grey).unwrap();
            assert_eq!(read(&path).unwrap(), array);
        }
    }

    #[test]
    fn the_order_of_axes_in_a_file_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let options = npyz::WriteOptions::new().default_dtype().order(Order::Fortran).shape(&[2, 3]);
        let mut writer = options.writer(File::create(&path).unwrap()).begin_nd().unwrap();
        writer.extend([0_i64, 10, 1, 11, 2, 12]).unwrap();
        writer.finish().unwrap();
        let array = read(&path).unwrap();
        assert_eq!((&array.shape[..], array.magnitudes()), (&[2, 3][..], vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0]));
        assert!(Header::for_map(&path).unwrap().is_fortran());
    }

    #[test]
    fn wrong_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            read(&path).unwrap_err().to_string()
        };
        for (name, bytes) in [("empty.npy", &b""[..]), ("text.npy", b"what is this"), ("cut.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr'")] {
            assert!(error(name, bytes).contains(name), "{name}");
        }
        assert!(error("empty.png", b"").contains("empty.png"));
        let mut header = npy_header::<Complex32>(&[4, 0], Order::C).unwrap();
        assert_eq!(header.len() % 64, 0);
        assert!(error("none.npy", &header).contains("the array is empty (shape [4, 0])"));
        header = npy_header::<f32>(&[4, 5], Order::C).unwrap();
        assert!(error("short.npy", &header).contains("short.npy: it was cut off: shape [4, 5] of f4 has 80 bytes, and 0 are there"));
        let hostile = |descr: &str, shape: &str| {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
            [&b"\x93NUMPY\x01\x00"[..], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
        };
        for shape in ["(4294967296, 4294967296)", "(18446744073709551616,)", "(0, 4294967296, 4294967296)"] {
            assert!(error("many.npy", &hostile("'<f4'", shape)).contains("more elements than can be counted"), "{shape}");
        }
        assert!(error("deep.npy", &hostile("'<f4'", &"(".repeat(9000))).contains("brackets in brackets"));
        assert!(error("long.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{").contains("4294967295 bytes"));
        assert!(error("object.npy", &hostile("'|O'", "(2,)")).contains("Python objects"));
        assert!(error("text.npy", &hostile("'<U4'", "(0,)")).contains("those that can be read"));
        assert!(error("any.xyz", b"what is this").contains("no .npy file, no PNG or JPEG picture and no .wav sound"));
        assert!(read(folder.path()).unwrap_err().to_string().contains("it is a folder"));
        assert!(read(Path::new("nowhere.npy")).unwrap_err().to_string().contains("nowhere.npy"));
    }

    #[test]
    fn spectra_have_frequency_0_in_the_middle() {
        // Frequencies (0, 0) and (1, 2) of 3 x 4, and the mirror image (2, 2) of the latter.
        let mut magnitudes = vec![0.0; 12];
        (magnitudes[0], magnitudes[6]) = (1.0, 1e-5);
        let (shape, full) = spectrum(&magnitudes, [3, 4], None);
        assert_eq!(shape, [3, 4]);
        assert_eq!(full[4 + 2], 1.0);
        // The half that is stored has columns 0 to 2.
        let half: Vec<f64> = (0..3).flat_map(|k| magnitudes[4 * k..4 * k + 3].to_vec()).collect();
        let (shape, mirrored) = spectrum(&half, [3, 3], Some((1, 4)));
        assert_eq!((shape, mirrored[4 + 2]), ([3, 4], 1.0));
        assert!(mirrored[4 * 2].abs() < 1e-9, "{mirrored:?}");
        // The same of the other axis: rows 0 and 1 are stored.
        let (shape, mirrored) = spectrum(&magnitudes[..8], [2, 4], Some((0, 3)));
        assert_eq!((shape, mirrored[4 + 2]), ([3, 4], 1.0));
        assert!(mirrored[0].abs() < 1e-9 || mirrored[8].abs() < 1e-9, "{mirrored:?}");
    }
}
