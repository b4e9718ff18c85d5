//! Sounds from files.

use std::io::{Cursor, ErrorKind, Read};
use std::path::Path;

use crate::Result;
use crate::array::{Array, Elements};
use crate::files::{self, Format, Input};

/// Reads a sound, from -1 to 1: `.wav`, or an array of one axis. An error says which file, and what
/// is wrong with it.
pub fn read(path: &Path) -> Result<Vec<f32>> {
    let samples = files::read_with(path, |input| mean(opened(input)?))?;
    check(path, &samples)?;
    Ok(samples)
}

/// Refuses a sound without samples, or with some that are no numbers.
pub fn check(path: &Path, samples: &[f32]) -> Result<()> {
    if samples.is_empty() || !samples.iter().all(|value| value.is_finite()) {
        return Err(format!("{}: it has no samples, or samples that are no numbers", files::input_name(path)).into());
    }
    Ok(())
}

fn one_axis(array: Array) -> Result<Vec<f32>> {
    match (array.shape.len(), array.converted(false, false)?.elements) {
        (1, Elements::F32(samples)) => Ok(samples),
        (axes, _) => Err(format!("it has {axes} axes, and a sound has one").into()),
    }
}

/// The mean of the channels, from -1 to 1.
fn mean(sound: Sound) -> Result<Vec<f32>> {
    let samples = sound.samples.collect::<Result<Vec<f32>>>()?;
    Ok(samples.chunks_exact(sound.channels).map(|all| all.iter().sum::<f32>() / sound.channels as f32).collect())
}

/// A sound that is read as it is needed.
pub struct Sound {
    pub channels: usize,
    /// Samples a second, if they are known.
    pub rate: Option<u32>,
    /// Samples of each channel, if they are known.
    pub frames: Option<u64>,
    /// From -1 to 1, those of all channels after one another.
    pub samples: Box<dyn Iterator<Item = Result<f32>>>,
}

impl Sound {
    /// Of a `.wav` file or an array of one axis, or numbers of f32 from the standard input, of so many
    /// channels.
    pub fn open(path: &Path, channels: usize) -> Result<Self> {
        if files::is_stdin(path) {
            let mut bytes = std::io::stdin().lock().bytes();
            let samples = std::iter::from_fn(move || {
                let own: Vec<u8> = match bytes.by_ref().take(4).collect::<std::io::Result<_>>() {
                    Ok(own) => own,
                    Err(error) => return Some(Err(error.into())),
                };
                match own[..] {
                    [] => None,
                    [a, b, c, d] => Some(Ok(f32::from_le_bytes([a, b, c, d]))),
                    _ => Some(Err("the standard input ends within a number of 4 bytes".into())),
                }
            });
            return Ok(Self { channels, rate: None, frames: None, samples: Box::new(samples) });
        }
        files::read_with(path, opened)
    }
}

fn opened(input: Input) -> Result<Sound> {
    if input.format != Format::Wav {
        let samples = one_axis(files::read_array(input)?)?;
        let frames = Some(samples.len() as u64);
        return Ok(Sound { channels: 1, rate: None, frames, samples: Box::new(samples.into_iter().map(Ok)) });
    }
    let reader = hound::WavReader::new(plain(input)?)?;
    let hound::WavSpec { channels, bits_per_sample, sample_format, sample_rate } = reader.spec();
    let frames = Some(reader.duration().into());
    let samples: Box<dyn Iterator<Item = Result<f32>>> = match sample_format {
        hound::SampleFormat::Float => Box::new(reader.into_samples::<f32>().map(|sample| Ok(sample?))),
        hound::SampleFormat::Int => {
            let full = 2f32.powi(i32::from(bits_per_sample) - 1);
            Box::new(reader.into_samples::<i32>().map(move |sample| Ok(sample? as f32 / full)))
        }
    };
    Ok(Sound { channels: usize::from(channels.max(1)), rate: Some(sample_rate), frames, samples })
}

/// The two chunks of a file that count, its format and its samples. hound takes neither chunks of
/// odd length between them, nor samples whose number the writer did not know.
fn plain(mut input: Input) -> Result<impl Read> {
    /// Programs that write into a pipe give a size at the end of i32 or u32, less some headers.
    const UNKNOWN: u32 = 0x7fff_0000;
    /// hound reads 40 bytes at most.
    const LONGEST_FORMAT: u32 = 1 << 10;

    let mut format = Vec::new();
    let mut head = Vec::new();
    (&mut input.content).take(12).read_to_end(&mut head)?;
    if Format::of_content(&head) != Some(Format::Wav) {
        return Err("it does not begin as a .wav file".into());
    }
    loop {
        let mut head = [0; 8];
        input.content.read_exact(&mut head).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => "it ends before its samples".into(),
            _ => Box::<dyn std::error::Error>::from(error),
        })?;
        let [name @ .., a, b, c, d] = head;
        let size = u32::from_le_bytes([a, b, c, d]);
        match &name {
            b"fmt " if size <= LONGEST_FORMAT => {
                format.clear();
                (&mut input.content).take(size.into()).read_to_end(&mut format)?;
                input.content.seek_relative(i64::from(size % 2))?;
            }
            b"data" => {
                let found = input.bytes.saturating_sub(input.content.stream_position()?);
                let size = match u32::try_from(found) {
                    Ok(found) if found < size && size >= UNKNOWN => {
                        let frame = format.get(12..14).map_or(1, |frame| u32::from(u16::from_le_bytes([frame[0], frame[1]])).max(1));
                        found / frame * frame
                    }
                    Ok(found) if found < size => {
                        return Err(format!("it was cut off: its samples have {size} bytes, and {found} are there").into());
                    }
                    _ => size,
                };
                let chunk = |name: &[u8], size: u32, content: &[u8]| [name, &size.to_le_bytes(), content].concat();
                let head = [
                    chunk(b"RIFF", size.saturating_add(format.len() as u32 + 20), b"WAVE"),
                    chunk(b"fmt ", format.len() as u32, &format),
                    chunk(b"data", size, b""),
                ];
                return Ok(Cursor::new(head.concat()).chain(input.content.take(size.into())));
            }
            _ => input.content.seek_relative(i64::from(size) + i64::from(size % 2))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of 8-bit samples, one channel, with a chunk before them. Its data chunk says that it
    /// has `size` bytes.
    fn sound(before: &[u8], size: u32, samples: &[u8]) -> Vec<u8> {
        let format = [1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0];
        let mut bytes = [&b"RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00"[..], &format].concat();
        bytes.extend([&b"LIST"[..], &(before.len() as u32).to_le_bytes(), before].concat());
        bytes.extend(std::iter::repeat_n(0, before.len() % 2));
        bytes.extend([&b"data"[..], &size.to_le_bytes(), samples].concat());
        bytes
    }

    #[test]
    fn sounds_from_pipes_and_with_odd_chunks_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wav");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read(&path).map_err(|error| error.to_string())
        };
        let samples = [0x80, 0xc0, 0x40, 0x80, 0xff];
        let expected = [0.0, 0.5, -0.5, 0.0, 127.0 / 128.0];
        for before in [&b""[..], b"odd", b"even"] {
            for size in [5, u32::MAX, u32::MAX - 44, 0x7fff_ffff - 36, 0x8000_0000] {
                assert_eq!(read(&sound(before, size, &samples)).unwrap(), expected, "{before:?} {size:x}");
            }
        }
        assert_eq!(read(&sound(b"", 3, &samples)).unwrap(), expected[..3]);
        assert!(read(&sound(b"", 6, &samples)).unwrap_err().contains("its samples have 6 bytes, and 5 are there"));
        assert!(read(&sound(b"", 5, b"")[..40]).unwrap_err().contains("it ends before its samples"));
        // Two bytes of a frame of four at the end: the frame does not count.
        let mut stereo = sound(b"", u32::MAX, &[0, 0x40, 0, 0, 0, 0x20]);
        (stereo[22], stereo[32], stereo[34]) = (2, 4, 16);
        stereo[28..30].copy_from_slice(&32_000_u16.to_le_bytes());
        assert_eq!(read(&stereo).unwrap(), [0.25]);
    }
}
