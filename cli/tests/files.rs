//! Files with random changes. `WGPU_FFT_FUZZ` is the number of cases.

#[path = "../../tests/support/changes.rs"]
mod changes;
#[path = "../../tests/support/files.rs"]
mod targets;

/// Small files of every kind.
fn examples() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (kind, bytes) in [("<f4", 4), ("<f8", 8), ("<c8", 8), ("|u1", 1), ("<i2", 2), ("<i8", 8)] {
        for (shape, len) in [("(3, 4)", 12), ("(5,)", 5), ("()", 1)] {
            let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
            while (10 + header.len() + 1) % 64 != 0 {
                header.push(' ');
            }
            header.push('\n');
            let mut file = b"\x93NUMPY\x01\x00".to_vec();
            file.extend((header.len() as u16).to_le_bytes());
            file.extend(header.bytes());
            file.extend((0..len * bytes).map(|i| i as u8));
            all.push(file);
        }
    }
    for format in [image::ImageFormat::Png, image::ImageFormat::Jpeg] {
        let mut file = std::io::Cursor::new(Vec::new());
        image::GrayImage::from_fn(9, 7, |x, y| image::Luma([(x * 20 + y) as u8])).write_to(&mut file, format).unwrap();
        all.push(file.into_inner());
    }
    for (bits_per_sample, sample_format) in
        [(16, hound::SampleFormat::Int), (24, hound::SampleFormat::Int), (32, hound::SampleFormat::Float)]
    {
        let mut file = std::io::Cursor::new(Vec::new());
        let spec = hound::WavSpec { channels: 2, sample_rate: 8000, bits_per_sample, sample_format };
        let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
        for i in 0..10 {
            match sample_format {
                hound::SampleFormat::Int => writer.write_sample(i * 100).unwrap(),
                hound::SampleFormat::Float => writer.write_sample(i as f32 / 10.0).unwrap(),
            }
        }
        writer.finalize().unwrap();
        all.push(file.into_inner());
    }
    all
}

#[test]
fn files() {
    let examples = examples();
    let examples: Vec<&[u8]> = examples.iter().map(Vec::as_slice).collect();
    changes::fuzz(targets::files, &examples, 2000);
}

/// A target that refuses everything would find nothing.
#[test]
fn every_example_is_read_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for (i, bytes) in examples().iter().enumerate() {
        let read = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            if name.ends_with("wav") { wgpu_fft_cli::sound::read(&path).is_ok() } else { wgpu_fft_cli::files::read(&path).is_ok() }
        };
        assert!(["a.npy", "a.png", "a.wav"].into_iter().any(read), "example {i}");
    }
}
