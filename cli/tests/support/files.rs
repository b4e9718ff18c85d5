//! What must hold for any file that a user gives: no panic, no hang, no more memory than the file
//! can fill; an error that names the file, or an array that is written and read again to the same.
//!
//! The fuzzer calls this (`fuzz/`), and so does a plain test with changed examples.

use std::path::Path;

use crate::files::Shown;
use crate::{array, files, sound};

/// The name of the file decides how it is read: the first byte says which.
pub const NAMES: [&str; 4] = ["array.npy", "picture.png", "picture.jpg", "sound.wav"];

/// A number for the kind of file, and its content.
pub fn file(bytes: &[u8]) {
    let Some((kind, content)) = bytes.split_first() else { return };
    let name = NAMES[usize::from(*kind) % NAMES.len()];
    let folder = tempfile::tempdir().expect("a folder for files");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    let (sound, array) = (sound::read(&path), files::read(&path));
    #[cfg(unix)]
    {
        let bits = |sound: crate::Result<Vec<f32>>| sound.ok().map(|all| all.into_iter().map(f32::to_bits).collect::<Vec<_>>());
        assert_eq!(bits(through_a_pipe(content, sound::read)), bits(sound::read(&path)));
        let bytes = |array: &array::Array| (array.shape.clone(), array.element(), array.bytes().to_vec());
        assert_eq!(through_a_pipe(content, files::read).ok().as_ref().map(bytes), array.as_ref().ok().map(bytes));
    }
    names_the_file(&path, sound.map(|samples| assert!(!samples.is_empty() && samples.iter().all(|x| x.is_finite()))));
    let array = match array {
        Ok(array) => array,
        Err(error) => return names_the_file(&path, Err(error)),
    };
    assert_eq!(array.shape.iter().product::<usize>() * array.element().bytes(), array.bytes().len());
    let again = folder.path().join("again.npy");
    files::write(&again, &array, Shown::Grey).expect("an array can be written");
    let same = files::read(&again).expect("what was written can be read");
    assert_eq!((&same.shape, same.element(), same.bytes()), (&array.shape, array.element(), array.bytes()));
    if array.shape.len() == 2 {
        let picture = folder.path().join("again.png");
        names_the_file(&picture, files::write(&picture, &array, Shown::Grey));
        names_the_file(&picture, files::write(&picture, &array, Shown::Spectrum { half: None }));
    }
}

/// What is read of these bytes from a pipe, which has no length and no name that says what it holds.
#[cfg(unix)]
fn through_a_pipe<T>(content: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    let (from, mut to) = std::io::pipe().expect("a pipe");
    std::thread::scope(|scope| {
        // A program that has seen enough closes the pipe.
        scope.spawn(move || to.write_all(content));
        let read = read(Path::new(&format!("/dev/fd/{}", from.as_raw_fd())));
        drop(from);
        read
    })
}

fn names_the_file(path: &Path, outcome: crate::Result<()>) {
    if let Err(error) = outcome {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(error.to_string().contains(name), "{error}");
    }
}

/// Small files of every kind.
#[allow(dead_code, reason = "the fuzzer begins with files of its own")]
pub fn examples() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder for files");
    let mut all = Vec::new();
    let mut add = |kind: u8, path: &Path| all.push([&[kind][..], &std::fs::read(path).expect("a file")].concat());
    let array = |elements| array::Array { shape: vec![3, 4], elements };
    let values: Vec<f32> = (0..12).map(|i| i as f32 / 12.0).collect();
    let path = folder.path().join("a.npy");
    for elements in [
        array::Elements::F32(values.clone()),
        array::Elements::F64(values.iter().map(|&x| x.into()).collect()),
        array::Elements::U8((0..12).collect()),
    ] {
        files::write(&path, &array(elements), Shown::Grey).expect("an array can be written");
        add(0, &path);
    }
    // The same with the fastest axis first.
    let mut turned = std::fs::read(&path).expect("a file");
    let order = turned.windows(5).position(|text| text == b"False").expect("the order of the axes");
    turned[order..order + 5].copy_from_slice(b"True ");
    std::fs::write(&path, turned).expect("a file");
    add(0, &path);
    let grey = array(array::Elements::F32(values));
    for (kind, name) in [(1, "a.png"), (2, "a.jpg")] {
        let path = folder.path().join(name);
        files::write(&path, &grey, Shown::Grey).expect("a picture can be written");
        add(kind, &path);
    }
    let path = folder.path().join("a.wav");
    for (bits_per_sample, sample_format) in [(16, hound::SampleFormat::Int), (32, hound::SampleFormat::Float)] {
        let spec = hound::WavSpec { channels: 2, sample_rate: 8000, bits_per_sample, sample_format };
        let mut writer = hound::WavWriter::create(&path, spec).expect("a file");
        for i in 0..20 {
            if bits_per_sample == 16 {
                writer.write_sample(i as i16 * 100).expect("a sample");
            } else {
                writer.write_sample(i as f32 / 20.0).expect("a sample");
            }
        }
        writer.finalize().expect("a file");
        add(3, &path);
        // With a chunk of odd length, and as from a program that did not know how many samples would
        // come.
        let mut bytes = std::fs::read(&path).expect("a file");
        let data = bytes.windows(4).position(|name| name == b"data").expect("samples");
        bytes[data + 4..data + 8].fill(0xff);
        bytes.splice(data..data, *b"LIST\x03\0\0\0abc\0");
        std::fs::write(&path, bytes).expect("a file");
        add(3, &path);
    }
    all
}
