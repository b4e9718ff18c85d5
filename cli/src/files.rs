//! Arrays and pictures from files and to them: `.npy`, and PNG and JPEG.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use image::{DynamicImage, GrayImage, ImageDecoder, ImageReader};
use npyz::{DType, NpyFile, TypeChar, WriterBuilder};
use wgpu_fft::num_complex::{Complex32, Complex64};

use crate::Result;
use crate::array::{Array, Elements, of_any};

/// Whether a file's name is that of a picture.
pub fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    ["png", "jpg", "jpeg"].contains(&extension.as_str())
}

/// Reads an array: `.npy`, or a picture as grey values from 0 to 1. An error says which file, and
/// what is wrong with it.
pub fn read(path: &Path) -> Result<Array> {
    let read = || if is_picture(path) { read_picture(path) } else { read_npy(path) };
    let array = read().map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if array.is_empty() {
        return Err(format!("{}: the array is empty (shape {:?})", path.display(), array.shape).into());
    }
    Ok(array)
}

fn read_picture(path: &Path) -> Result<Array> {
    // Goes by the content, and turns photographs the way that the camera was held.
    let mut decoder = ImageReader::open(path)?.with_guessed_format()?.into_decoder()?;
    // Neither format packs more: who says so would have us allocate what the file does not have.
    let most = (64 << 20) + 2000 * std::fs::metadata(path)?.len();
    if decoder.total_bytes() > most {
        let (width, height) = decoder.dimensions();
        return Err(format!("it says that it has {width} x {height} pixels, more than a file of its size can have").into());
    }
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
    pub dtype: DType,
    /// Where the elements begin.
    pub offset: u64,
}

impl Header {
    /// Reads the header of a `.npy` file whose elements lie in C order.
    pub fn read(path: &Path) -> Result<Self> {
        check_header(&File::open(path)?)?;
        let mut file = BufReader::new(File::open(path)?);
        let header = npyz::NpyHeader::from_reader(&mut file)?;
        let offset = std::io::Seek::stream_position(&mut file)?;
        if header.order() == npyz::Order::Fortran && header.shape().len() > 1 {
            return Err("its elements are in Fortran order; write it with numpy.ascontiguousarray".into());
        }
        let shape = header.shape().iter().map(|extent| usize::try_from(*extent)).collect::<std::result::Result<_, _>>()?;
        Ok(Self { shape, dtype: header.dtype(), offset })
    }

    /// The letter and the bytes of its elements, such as `f4`.
    pub fn kind(&self) -> String {
        match &self.dtype {
            DType::Plain(plain) => format!("{}{}", letter(plain.type_char()), plain.size_field()),
            _ => "structures".to_owned(),
        }
    }
}

/// Refuses headers for which the reader of `npyz` would overflow, fill the memory or the stack.
fn check_header(file: &File) -> Result<()> {
    /// NumPy itself refuses longer ones.
    const MOST_BYTES: usize = 10_000;
    /// Structures in structures are no numbers to transform.
    const MOST_NESTING: usize = 8;

    let mut head = Vec::new();
    file.take(MOST_BYTES as u64 + 12).read_to_end(&mut head)?;
    let bytes = match head[..] {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b, ..] => usize::from(u16::from_le_bytes([a, b])),
        [0x93, b'N', b'U', b'M', b'P', b'Y', _, _, a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]) as usize,
        _ => return Err("it does not begin as a .npy file".into()),
    };
    if bytes > MOST_BYTES {
        return Err(format!("its header has {bytes} bytes, more than {MOST_BYTES}").into());
    }
    let text = &head[10..head.len().min(12 + bytes)];
    let mut nesting = 0_usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => nesting += 1,
            b')' | b']' | b'}' => nesting = nesting.saturating_sub(1),
            _ => {}
        }
        if nesting > MOST_NESTING {
            return Err(format!("its header has more than {MOST_NESTING} brackets in brackets").into());
        }
    }
    let mut product = 1_u64;
    for digits in text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        // Numbers of the type are small. An extent of zero does not make the others smaller.
        let number = str::from_utf8(digits)?.parse::<u64>().unwrap_or(u64::MAX).max(1);
        let larger = product.checked_mul(number).filter(|product| *product < 1 << 60);
        product = larger.ok_or("its shape has more elements than can be counted")?;
    }
    Ok(())
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

fn read_npy(path: &Path) -> Result<Array> {
    let header = Header::read(path)?;
    let file = NpyFile::new(BufReader::new(File::open(path)?))?;
    let elements = match header.kind().as_str() {
        "u1" => Elements::U8(file.into_vec()?),
        "i4" => Elements::I32(file.into_vec()?),
        "u4" => Elements::U32(file.into_vec()?),
        "f4" => Elements::F32(file.into_vec()?),
        "f8" => Elements::F64(file.into_vec()?),
        "c8" => Elements::Complex32(file.into_vec()?),
        "c16" => Elements::Complex64(file.into_vec()?),
        "i8" => Elements::F64(file.into_vec::<i64>()?.into_iter().map(|value| value as f64).collect()),
        "i2" => Elements::I32(file.into_vec::<i16>()?.into_iter().map(Into::into).collect()),
        "u2" => Elements::U32(file.into_vec::<u16>()?.into_iter().map(Into::into).collect()),
        other => {
            let known = "u1, u2, u4, i2, i4, i8, f4, f8, c8 and c16";
            return Err(format!("its elements are {other}; those that can be read are {known}").into());
        }
    };
    Ok(Array { shape: header.shape, elements })
}

/// Writes an array: `.npy`, or a picture.
pub fn write(path: &Path, array: &Array, shown: Shown) -> Result<()> {
    let write = || if is_picture(path) { write_picture(path, array, shown) } else { write_npy(path, array) };
    write().map_err(|error| format!("cannot write {}: {error}", path.display()).into())
}

/// A file beside the one to be written, which takes its place when it is complete.
fn beside(path: &Path) -> Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    Ok(tempfile::NamedTempFile::new_in(folder)?)
}

fn write_npy(path: &Path, array: &Array) -> Result<()> {
    let file = beside(path)?;
    let shape: Vec<u64> = array.shape.iter().map(|extent| *extent as u64).collect();
    let mut out = BufWriter::new(file.as_file());
    of_any!(&array.elements, data => {
        let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(&mut out).begin_nd()?;
        writer.extend(data)?;
        writer.finish()?;
    });
    out.flush()?;
    drop(out);
    file.persist(path)?;
    Ok(())
}

/// The header of a `.npy` file of complex or real f32 numbers, whose length is a multiple of 64
/// bytes.
pub fn npy_header(shape: &[usize], complex: bool) -> Result<Vec<u8>> {
    let shape: Vec<u64> = shape.iter().map(|extent| *extent as u64).collect();
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::<f32>::new();
    if complex {
        npyz::WriteOptions::<Complex32>::new().default_dtype().shape(&shape).writer(&mut bytes).begin_nd()?;
    } else {
        options.default_dtype().shape(&shape).writer(&mut bytes).begin_nd()?;
    }
    Ok(bytes)
}

/// How an array becomes a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Values from 0 to 1 as grey.
    Grey,
    /// The logarithm of magnitudes, with frequency 0 in the middle of each axis. If `half`, the
    /// last axis holds a half-spectrum of so many reals.
    Spectrum { half: Option<usize> },
}

fn write_picture(path: &Path, array: &Array, shown: Shown) -> Result<()> {
    let [rows, columns] = array.shape[..] else {
        return Err(format!("a picture has two axes, and the array has {}", array.shape.len()).into());
    };
    let (width, values) = match shown {
        Shown::Grey => (columns, grey(array)),
        Shown::Spectrum { half } => spectrum(&array.magnitudes(), [rows, columns], half),
    };
    let pixels = values.into_iter().map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
    let picture = GrayImage::from_raw(u32::try_from(width)?, u32::try_from(rows)?, pixels).ok_or("the array is too large for a picture")?;
    let file = beside(path)?;
    let format = image::ImageFormat::from_path(path)?;
    picture.write_to(&mut BufWriter::new(file.as_file()), format)?;
    file.persist(path)?;
    Ok(())
}

fn grey(array: &Array) -> Vec<f64> {
    match &array.elements {
        Elements::U8(data) => data.iter().map(|value| f64::from(*value) / 255.0).collect(),
        Elements::F32(data) => data.iter().map(|value| f64::from(*value)).collect(),
        Elements::F64(data) => data.clone(),
        Elements::Complex32(data) => data.iter().map(|z: &Complex32| f64::from(z.re)).collect(),
        Elements::Complex64(data) => data.iter().map(|z: &Complex64| z.re).collect(),
        Elements::I32(_) | Elements::U32(_) => array.magnitudes(),
    }
}

/// The logarithms of magnitudes from 0 to 1, with frequency 0 in the middle, and the columns.
fn spectrum(magnitudes: &[f64], [rows, columns]: [usize; 2], half: Option<usize>) -> (usize, Vec<f64>) {
    let width = half.unwrap_or(columns);
    // Of a half-spectrum, the other half is the mirror image.
    let at =
        |k: usize, l: usize| if l < columns { magnitudes[k * columns + l] } else { magnitudes[(rows - k) % rows * columns + width - l] };
    let most = magnitudes.iter().copied().filter(|value| value.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    // Five powers of ten.
    let shade = |value: f64| 1.0 + (value / most).max(1e-30).log10() / 5.0;
    let places = (0..rows).flat_map(|y| (0..width).map(move |x| ((y + rows.div_ceil(2)) % rows, (x + width.div_ceil(2)) % width)));
    (width, places.map(|(k, l)| shade(at(k, l))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/array.npy");
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
        let mut header = npy_header(&[4, 0], true).unwrap();
        assert_eq!(header.len() % 64, 0);
        assert!(error("none.npy", &header).contains("the array is empty (shape [4, 0])"));
        header = npy_header(&[4, 5], false).unwrap();
        assert!(error("short.npy", &header).contains("short.npy"));
        let hostile = |descr: &str, shape: &str| {
            let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
            [&b"\x93NUMPY\x01\x00"[..], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
        };
        for shape in ["(4294967296, 4294967296)", "(18446744073709551616,)", "(0, 4294967296, 4294967296)"] {
            assert!(error("many.npy", &hostile("'<f4'", shape)).contains("more elements than can be counted"), "{shape}");
        }
        assert!(error("deep.npy", &hostile("'<f4'", &"(".repeat(9000))).contains("brackets in brackets"));
        assert!(error("long.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{").contains("4294967295 bytes"));
        assert!(read(Path::new("nowhere.npy")).unwrap_err().to_string().contains("nowhere.npy"));
    }

    #[test]
    fn spectra_have_frequency_0_in_the_middle() {
        // Frequencies (0, 0) and (1, 2) of 3 x 4, and the mirror image (2, 2) of the latter.
        let mut magnitudes = vec![0.0; 12];
        (magnitudes[0], magnitudes[6]) = (1.0, 1e-5);
        let (width, full) = spectrum(&magnitudes, [3, 4], None);
        assert_eq!(width, 4);
        assert_eq!(full[4 + 2], 1.0);
        // The half that is stored has columns 0 to 2.
        let half: Vec<f64> = (0..3).flat_map(|k| magnitudes[4 * k..4 * k + 3].to_vec()).collect();
        let (width, mirrored) = spectrum(&half, [3, 3], Some(4));
        assert_eq!((width, mirrored[4 + 2]), (4, 1.0));
        assert!(mirrored[4 * 2].abs() < 1e-9, "{mirrored:?}");
    }
}
