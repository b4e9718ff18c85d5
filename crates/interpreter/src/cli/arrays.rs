//! Arrays from arguments and files, and back.

use std::fs;
use std::io::Write as _;

use npyz::{DType, Endianness, TypeStr, WriterBuilder as _};
use wgsl_sanitizer::Buffer;

use super::{Failure, header};

/// Contents of a buffer, with the type and shape that it is written back with.
pub struct Source {
    pub buffer: Buffer,
    ty: TypeStr,
    shape: Vec<u64>,
}

/// Scalar types by their names in WGSL and in NumPy.
const TYPES: [(&str, &str); 7] =
    [("f16", "<f2"), ("f32", "<f4"), ("f64", "<f8"), ("i32", "<i4"), ("u32", "<u4"), ("i64", "<i8"), ("u64", "<u8")];

fn type_of(name: &str) -> Result<TypeStr, Failure> {
    let (_, numpy) = TYPES.iter().find(|(wgsl, _)| *wgsl == name).ok_or_else(|| format!("{name} is not an element type"))?;
    Ok(numpy.parse()?)
}

/// The size of an array, which may be as large as the memory of any device.
fn bytes_of(count: u64, ty: &TypeStr) -> Result<u64, Failure> {
    const MAX_BYTES: u64 = 1 << 32;
    let size = ty.num_bytes().ok_or("elements of unknown size")? as u64;
    let bytes = count.checked_mul(size).filter(|bytes| *bytes <= MAX_BYTES);
    bytes.ok_or_else(|| format!("{count} elements of {size} bytes are more than {MAX_BYTES} bytes, the most that a binding has").into())
}

/// What stands after `--bind BINDING=`.
pub fn read(text: &str) -> Result<Source, Failure> {
    if let Some(path) = text.strip_prefix("raw:") {
        let bytes = fs::read(path).map_err(|e| format!("{path}: {e}"))?;
        return Ok(Source { shape: vec![bytes.len() as u64], buffer: Buffer::from_slice(&bytes), ty: "|u1".parse()? });
    }
    match text.split(':').collect::<Vec<_>>()[..] {
        [kind @ ("zeros" | "unwritten"), ty, count] => {
            let (ty, count) = (type_of(ty)?, count.parse::<u64>().map_err(|e| format!("{text}: {e}"))?);
            let bytes = bytes_of(count, &ty).map_err(|e| format!("{text}: {e}"))?;
            let buffer = if kind == "zeros" { Buffer::zeros(bytes) } else { Buffer::unwritten(bytes) };
            Ok(Source { buffer, ty, shape: vec![count] })
        }
        [ty, elements] if type_of(ty).is_ok() => {
            let mut bytes = Vec::new();
            for element in elements.split(',') {
                bytes.extend(element_bytes(ty, element.trim()).map_err(|e| format!("{element}: {e}"))?);
            }
            let ty = type_of(ty)?;
            Ok(Source { buffer: Buffer::from_slice(&bytes), shape: vec![elements.split(',').count() as u64], ty })
        }
        _ => read_npy(text).map_err(|e| format!("{text}: {e}").into()),
    }
}

fn element_bytes(ty: &str, text: &str) -> Result<Vec<u8>, Failure> {
    Ok(match ty {
        "f16" => half::f16::from_f64(text.parse()?).to_le_bytes().to_vec(),
        "f32" => text.parse::<f32>()?.to_le_bytes().to_vec(),
        "f64" => text.parse::<f64>()?.to_le_bytes().to_vec(),
        "i32" => text.parse::<i32>()?.to_le_bytes().to_vec(),
        "u32" => text.parse::<u32>()?.to_le_bytes().to_vec(),
        "i64" => text.parse::<i64>()?.to_le_bytes().to_vec(),
        _ => text.parse::<u64>()?.to_le_bytes().to_vec(),
    })
}

/// The elements of a file as they stand in it: only its header is npyz's business.
fn read_npy(path: &str) -> Result<Source, Failure> {
    let file = fs::read(path)?;
    let mut data = &file[..];
    let header = header::read(&mut data)?;
    let DType::Plain(ty) = header.dtype() else { return Err("records are not supported".into()) };
    if ty.endianness() == Endianness::Big {
        return Err("big-endian numbers are not supported".into());
    }
    if header.order() == npyz::Order::Fortran && header.shape().len() > 1 {
        return Err("arrays in Fortran order are not supported".into());
    }
    let bytes = bytes_of(header.len(), &ty)?;
    let data =
        data.get(..bytes as usize).ok_or_else(|| format!("it was cut off: its array has {bytes} bytes, and {} are there", data.len()))?;
    Ok(Source { buffer: Buffer::from_slice(data), shape: header.shape().to_vec(), ty })
}

/// Writes a buffer to what stands after `--out BINDING=`.
pub fn write(target: &str, buffer: &Buffer, source: &Source) -> Result<(), Failure> {
    let bytes = buffer.bytes();
    if let Some(path) = target.strip_prefix("raw:") {
        return fs::write(path, bytes).map_err(|e| format!("{path}: {e}").into());
    }
    let mut file = Vec::new();
    macro_rules! write_as {
        ($ty:ty) => {{
            let options = npyz::WriteOptions::<$ty>::new().dtype(DType::Plain(source.ty.clone())).shape(&source.shape);
            let mut writer = options.writer(&mut file).begin_nd()?;
            writer
                .extend(bytes.chunks_exact(size_of::<$ty>()).map(|b| <$ty>::from_le_bytes(b.try_into().expect("chunks of that size"))))?;
            writer.finish()?;
        }};
    }
    match &source.ty.to_string()[1..] {
        "f4" => write_as!(f32),
        "f8" => write_as!(f64),
        "i4" => write_as!(i32),
        "u4" => write_as!(u32),
        "i8" => write_as!(i64),
        "u8" => write_as!(u64),
        "u1" => write_as!(u8),
        // npyz knows no half numbers: a header for u16 of the same length, with the other name.
        "f2" => {
            let mut like = Vec::new();
            let options = npyz::WriteOptions::<u16>::new().default_dtype().shape(&source.shape);
            let mut writer = options.writer(&mut like).begin_nd()?;
            writer.extend(bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])))?;
            writer.finish()?;
            let at = like.windows(3).position(|w| w == b"<u2").ok_or("a header without a type")?;
            like[at + 1] = b'f';
            file.write_all(&like)?;
        }
        other => return Err(format!("arrays of {other} cannot be written; raw:FILE can").into()),
    }
    fs::write(target, file).map_err(|e| format!("{target}: {e}").into())
}
