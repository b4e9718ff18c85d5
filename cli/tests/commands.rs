//! The program as its users run it. What computes needs an adapter; without one those tests are
//! skipped in words, and with WGPU_FFT_REQUIRE_GPU=1 they fail.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use npyz::num_complex::Complex;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use wgpu_fft_cli::array::fft_on_host;

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/camera.png");

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wgpu-fft"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// What a command that must succeed prints.
fn text(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    text(&all).lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// What a command that must fail with this status prints on stderr.
fn error(status: i32, arguments: &[&str]) -> String {
    let output = run(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
    error
}

/// The text goes to a file or a pipe, and the twiddles beside it.
#[test]
fn transforms_for_other_shaders_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let [file, twiddles] = ["fft.wgsl", "twiddles.bin"].map(|name| folder.path().join(name));
    let [file, twiddles] = [&file, &twiddles].map(|path| path.to_str().unwrap());
    let printed = text(&["wgsl", "48", "--real", "--lines", "2", "--name", "own", "--twiddles-at", "1,2"]);
    assert!(printed.contains("@group(1) @binding(2)") && printed.contains("fn own_forward("), "{printed}");
    text(&["wgsl", "48", "--real", "--lines", "2", "--name", "own", "--twiddles-at", "1,2", "--twiddles", twiddles, file]);
    assert_eq!(std::fs::read_to_string(file).unwrap().trim(), printed.trim());
    assert!(std::fs::read(twiddles).unwrap().len().is_multiple_of(8));
    assert!(error(2, &["wgsl", "74"]).contains("prime factor 37"));
    assert!(error(2, &["wgsl", "64", "--twiddles-at", "1"]).contains("a group and a binding"));
    assert!(error(2, &["wgsl", "64", "--twiddles", twiddles]).contains("--twiddles-at"));
}

/// Status, standard output and stderr of a command that reads these bytes.
fn piped(arguments: &[&str], input: &[u8]) -> (Option<i32>, Vec<u8>, String) {
    let mut command = command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    });
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

/// Whether there is an adapter to compute on.
fn has_adapter() -> bool {
    let found = run(&["info", "--quiet"]).status.success();
    assert!(found || std::env::var("WGPU_FFT_REQUIRE_GPU").is_err(), "there is no adapter");
    if !found {
        println!("there is no adapter: skipped");
    }
    found
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, shape: &[u64], data: &[f32]) -> String {
        self.write_of(name, shape, data)
    }

    fn write_of<T: npyz::AutoSerialize + Copy>(&self, name: &str, shape: &[u64], data: &[T]) -> String {
        self.write_in(npyz::Order::C, name, shape, data)
    }

    fn write_in<T: npyz::AutoSerialize + Copy>(&self, order: npyz::Order, name: &str, shape: &[u64], data: &[T]) -> String {
        let mut file = std::fs::File::create(self.path(name)).unwrap();
        let options = npyz::WriterBuilder::shape(npyz::WriterBuilder::default_dtype(npyz::WriteOptions::new()), shape);
        let options = npyz::WriterBuilder::order(options, order);
        let mut writer = npyz::WriterBuilder::begin_nd(npyz::WriterBuilder::writer(options, &mut file)).unwrap();
        writer.extend(data.iter().copied()).unwrap();
        writer.finish().unwrap();
        self.text(name)
    }
}

fn read<T: npyz::Deserialize>(path: &Path) -> (Vec<u64>, Vec<T>) {
    let file = npyz::NpyFile::new(std::fs::File::open(path).unwrap()).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

/// Numbers from -1 to 1.
fn noise(len: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(7);
    (0..len).map(|_| 2.0 * random.f32() - 1.0).collect()
}

#[test]
fn wrong_command_lines_say_what_is_right() {
    assert!(error(2, &["transform", "fft"]).contains("<INPUT>"));
    assert!(error(2, &["plan", "c2c sideways 8"]).contains("c2c fwd"));
    assert!(error(2, &["tune"]).contains("<SPECS>"));
    assert!(error(2, &["fft"]).contains("unrecognized"));
    assert!(error(2, &["reduce", "mode", "x.npy"]).contains("standard_deviation"));
    assert!(error(2, &["transpose", "x.npy", "out.xyz"]).contains("must end in .npy, .png, .jpg or .jpeg"));
    assert!(error(2, &["transpose", "x.npy", "."]).contains("it is a folder"));
    let folder = Folder::new();
    let line = folder.write("line.npy", &[4], &[1.0; 4]);
    assert!(error(2, &["transform", "dct2", &line, "out.npy", "--memory", "1"]).contains("--memory is for fft"));
    assert!(error(2, &["transpose", &line, "out.npy", "--axes", "1"]).contains("no order"));
    assert!(error(2, &["record", "prune", "--record", "nowhere.jsonl"]).contains("without a condition"));
}

#[test]
fn help_completions_and_man_pages_are_there() {
    assert!(text(&["--help"]).contains("Exit status"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(text(&["completions", shell]).contains("spectrogram"), "{shell}");
    }
    let folder = Folder::new();
    text(&["man", &folder.text("man")]);
    assert!(std::fs::read_to_string(folder.path("man/wgpu-fft-transform.1")).unwrap().contains("norm"));
}

#[test]
fn broken_files_are_named_in_one_line() {
    let folder = Folder::new();
    for (name, bytes) in [("empty.npy", &b""[..]), ("text.npy", b"no array"), ("broken.png", b"\x89PNG\r\n"), ("none.jpg", b"")] {
        std::fs::write(folder.path(name), bytes).unwrap();
        let error = error(1, &["transform", "fft", &folder.text(name), &folder.text("out.npy")]);
        assert!(error.contains(name) && error.lines().count() == 1, "{error}");
        assert!(!folder.path("out.npy").exists());
    }
    let none = folder.write("none.npy", &[3, 0], &[]);
    assert!(error(1, &["reduce", "sum", &none]).contains("empty"));
    assert!(error(1, &["transpose", "nowhere.npy", "out.npy"]).contains("nowhere.npy"));
    let line = folder.write("line.npy", &[4], &[1.0; 4]);
    assert!(error(1, &["transpose", &line, "out.npy"]).contains("one axis"));
    let object = folder.path("huge.npy");
    let header = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000), }";
    let mut bytes = header.to_vec();
    bytes.resize(127, b' ');
    bytes.push(b'\n');
    std::fs::write(&object, bytes).unwrap();
    assert!(error(1, &["transform", "fft", &folder.text("huge.npy"), "out.npy"]).contains("huge.npy"));
}

#[test]
fn arrays_are_transformed_and_come_back() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let data = noise(6 * 10);
    let input = folder.write("x.npy", &[6, 10], &data);
    let (spectrum, back) = (folder.text("spectrum.npy"), folder.text("back.npy"));
    let printed = text(&["transform", "rfft", &input, &spectrum]);
    assert!(printed.contains("r2c fwd 6x10") && printed.contains("6 x 6 elements of complex f32"), "{printed}");
    let (shape, values) = read::<Complex<f32>>(Path::new(&spectrum));
    assert_eq!(shape, [6, 6]);
    let sum: f32 = data.iter().sum();
    assert!((values[0].re - sum).abs() < 1e-4);
    assert_eq!(text(&["transform", "irfft", &spectrum, &back, "--quiet"]), "");
    let (shape, values) = read::<f32>(Path::new(&back));
    assert_eq!(shape, [6, 10]);
    assert!(values.iter().zip(&data).all(|(a, b)| (a - b).abs() < 1e-5));
    // In files, in pieces.
    let large = folder.text("large.npy");
    text(&["transform", "rfft", &input, &large, "--memory", "1"]);
    assert!((read::<Complex<f32>>(Path::new(&large)).1[0].re - sum).abs() < 1e-4);
    assert!(error(1, &["transform", "fft", &input, &large, "--memory", "1"]).contains("f4"));
    // Of f64, in whatever the device has.
    text(&["transform", "dct2", &input, &spectrum, "--f64", "--axes", "-1", "--norm", "ortho"]);
    text(&["transform", "idct2", &spectrum, &back, "--f64", "--axes", "-1", "--norm", "ortho"]);
    let (_, values) = read::<f64>(Path::new(&back));
    assert!(values.iter().zip(&data).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-11));
}

/// In files, the first axis may be the fastest; the result is stored the same way.
#[test]
fn arrays_in_fortrans_order_are_transformed_where_they_lie() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let [rows, columns] = [6, 10];
    let reals = folder.write_in(npyz::Order::Fortran, "reals.npy", &[rows, columns], &noise(60));
    let complex: Vec<Complex<f32>> = noise(120).chunks(2).map(|pair| Complex::new(pair[0], pair[1])).collect();
    let complex = folder.write_in(npyz::Order::Fortran, "complex.npy", &[rows, columns], &complex);
    let (plain, mapped) = (folder.text("plain.npy"), folder.text("mapped.npy"));
    for (input, words) in [(&complex, "fft"), (&complex, "ifft --axes 1"), (&complex, "fft --axes 0"), (&reals, "rfft --axes 1,0")] {
        let words: Vec<&str> = words.split(' ').collect();
        text(&[&["transform", words[0], input, &plain][..], &words[1..]].concat());
        text(&[&["transform", words[0], input, &mapped, "--memory", "1"][..], &words[1..]].concat());
        let ((shape, expected), (own, actual)) = (read::<Complex<f32>>(Path::new(&plain)), read::<Complex<f32>>(Path::new(&mapped)));
        assert_eq!(own, shape, "{words:?}");
        let [rows, columns] = [shape[0] as usize, shape[1] as usize];
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            assert!((actual[i + rows * j] - expected[i * columns + j]).norm() < 1e-4, "{words:?}: {i}, {j}");
        }
    }
    let why = error(2, &["transform", "rfft", &reals, &mapped, "--memory", "1"]);
    assert!(why.contains("an array in C's order of the axes 0,1"), "{why}");
}

/// In files too, in f64 or by sums of two f32, and by recipes of the record.
#[test]
fn arrays_of_f64_are_transformed_where_they_lie() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let reals: Vec<f64> = noise(60).into_iter().map(|x| f64::from(x) / 3.0).collect();
    let complex: Vec<Complex<f64>> = reals.iter().zip(reals.iter().rev()).map(|(&re, &im)| Complex::new(re, im)).collect();
    let input = folder.write_of("complex.npy", &[6, 10], &complex);
    let reals = folder.write_of("reals.npy", &[6, 10], &reals);
    let (plain, mapped) = (folder.text("plain.npy"), folder.text("mapped.npy"));
    for (input, kind) in [(&input, "fft"), (&input, "ifft"), (&reals, "rfft")] {
        text(&["transform", kind, input, &plain, "--f64"]);
        text(&["transform", kind, input, &mapped, "--f64", "--memory", "1"]);
        let ((shape, expected), (own, actual)) = (read::<Complex<f64>>(Path::new(&plain)), read::<Complex<f64>>(Path::new(&mapped)));
        assert_eq!(own, shape);
        assert!(actual.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-11), "{kind}");
    }
    text(&["transform", "irfft", &mapped, &plain, "--f64", "--memory", "1", "--rigor", "recorded"]);
    let (own, back) = read::<f64>(Path::new(&plain));
    let (shape, expected) = read::<f64>(Path::new(&reals));
    assert_eq!(own, shape);
    assert!(back.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-11));
    let why = error(1, &["transform", "rfft", &reals, &mapped, "--memory", "1"]);
    assert!(why.contains("holds f8, and this transform in files needs f4"), "{why}");
    let why = error(2, &["transform", "fft", &input, &mapped, "--f64", "--memory", "1", "--recipe", "axis 0: …"]);
    assert!(why.contains("leave out --recipe"), "{why}");
}

#[test]
fn pictures_are_read_and_drawn() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let (spectrum, turned) = (folder.text("spectrum.png"), folder.text("turned.png"));
    text(&["transform", "rfft", PHOTOGRAPH, &spectrum]);
    text(&["transpose", PHOTOGRAPH, &turned]);
    let photograph = image::open(PHOTOGRAPH).unwrap();
    let picture = image::open(&spectrum).unwrap();
    assert_eq!((picture.width(), picture.height()), (photograph.width(), photograph.height()));
    // Most of a photograph is in its lowest frequencies, which are in the middle.
    let pixels = picture.to_luma8();
    assert_eq!(pixels.get_pixel(picture.width() / 2, picture.height() / 2).0, [255]);
    assert!(pixels.get_pixel(1, 1).0[0] < 128);
    let turned = image::open(&turned).unwrap().to_luma8();
    let own = photograph.to_luma8();
    assert_eq!((turned.width(), turned.height()), (own.height(), own.width()));
    assert!(turned.get_pixel(10, 20).0[0].abs_diff(own.get_pixel(20, 10).0[0]) <= 1);
}

#[test]
fn arrays_are_reduced_and_convolved() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let input = folder.write("x.npy", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(text(&["reduce", "sum", &input, "-q"]).trim(), "21");
    assert_eq!(json(&["reduce", "argmax", &input])[0]["result"], "5");
    let rows = folder.text("rows.npy");
    text(&["reduce", "mean", &input, &rows, "--axes", "-1"]);
    assert_eq!(read::<f32>(Path::new(&rows)), (vec![2], vec![2.0, 5.0]));
    assert!(error(2, &["reduce", "sum", &input, "--axes", "0"]).contains("name a file"));
    assert!(error(2, &["reduce", "sum", &input, "--axes", "0,-2"]).contains("axis -2 is named twice"));

    // Integers are exact, or refused.
    let whole = |operation: &str, file: &str| text(&["reduce", operation, file, "-q"]).trim().to_owned();
    let signed = folder.write_of("signed.npy", &[4], &[i32::MAX, i32::MAX, 3, i32::MIN]);
    assert_eq!(["sum", "mean", "max", "argmin"].map(|name| whole(name, &signed)), ["2147483649", "536870912.25", "2147483647", "3"]);
    let short = folder.write_of("short.npy", &[3, 1000], &vec![u16::MAX; 3000]);
    assert_eq!(["sum", "mean", "standard_deviation"].map(|name| whole(name, &short)), ["196605000", "65535", "0"]);
    text(&["reduce", "sum", &short, &rows, "--axes", "1"]);
    assert_eq!(read::<u64>(Path::new(&rows)), (vec![3], vec![65_535_000; 3]));
    let bytes = folder.write_of("bytes.npy", &[70_001], &vec![255_u8; 70_001]);
    assert_eq!(whole("sum", &bytes), "17850255");
    let long = folder.write_of("long.npy", &[2], &[(1_i64 << 53) + 1, 0]);
    assert!(error(1, &["reduce", "max", &long]).contains("from 0 to 9007199254740993"));
    let narrow = folder.write_of("narrow.npy", &[3], &[-5_i64, 7, 1 << 30]);
    assert_eq!(["max", "sum"].map(|name| whole(name, &narrow)), ["1073741824", "1073741826"]);
    assert!(error(1, &["reduce", "product", &narrow]).contains("these may reach 3.75809638"));

    let kernel = folder.write("kernel.npy", &[1, 3], &[1.0, 2.0, 1.0]);
    let blurred = folder.text("blurred.npy");
    text(&["convolve", &input, &kernel, &blurred, "--normalize", "--edge", "nearest"]);
    let (shape, values) = read::<f32>(Path::new(&blurred));
    assert_eq!(shape, [2, 3]);
    let expected = [1.25, 2.0, 2.75, 4.25, 5.0, 5.75];
    assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{values:?}");
    text(&["convolve", &input, &kernel, &blurred, "--mode", "full", "--correlate"]);
    assert_eq!(read::<f32>(Path::new(&blurred)).0, [2, 5]);
    let line = folder.write("line.npy", &[3], &[1.0; 3]);
    assert!(error(1, &["convolve", &input, &line, &blurred]).contains("the array has 2 axes and the kernel 1"));
}

#[test]
fn sounds_become_spectrograms() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    // A tone of 100 periods in 1000 samples: frequency 6.4 of frames of 64.
    let tone: Vec<f32> = (0..1000).map(|i| (std::f32::consts::TAU * 0.1 * i as f32).sin()).collect();
    let sound = folder.write("tone.npy", &[1000], &tone);
    let levels = folder.text("levels.npy");
    text(&["spectrogram", &sound, &levels, "--window", "64"]);
    let (shape, values) = read::<f32>(Path::new(&levels));
    let frames = shape[1] as usize;
    let loudest = (0..33).max_by(|a, b| values[a * frames + frames / 2].total_cmp(&values[b * frames + frames / 2]));
    assert_eq!((shape[0], loudest), (33, Some(6)));
    text(&["spectrogram", &sound, &folder.text("picture.png"), "--window", "64"]);
    assert_eq!(image::open(folder.path("picture.png")).unwrap().height(), 33);
    let picture = folder.write("plane.npy", &[2, 2], &[0.0; 4]);
    assert!(error(1, &["spectrogram", &picture, &levels]).contains("2 axes"));
}

/// In blocks of several lengths, from a file and from a pipe, against the definition.
#[test]
fn sounds_are_convolved_in_blocks() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let (frames, taps) = (700, 90);
    let (all, response) = (noise(2 * frames), noise(taps));
    let write = |name: &str, channels: u16, samples: &[f32]| {
        let spec = hound::WavSpec { channels, sample_rate: 8000, bits_per_sample: 32, sample_format: hound::SampleFormat::Float };
        let mut file = hound::WavWriter::create(folder.path(name), spec).unwrap();
        samples.iter().for_each(|&sample| file.write_sample(sample).unwrap());
        file.finalize().unwrap();
        folder.text(name)
    };
    let sound = write("sound.wav", 2, &all);
    // The second channel of the response is the first one, negative.
    let both = write("both.wav", 2, &response.iter().flat_map(|&tap| [tap, -tap]).collect::<Vec<_>>());
    let one = folder.write("one.npy", &[taps as u64], &response);
    let sample = |t: usize, channel: usize| -> f32 {
        (0..taps.min(t + 1)).filter(|k| t - k < frames).map(|k| response[k] * all[2 * (t - k) + channel]).sum()
    };
    let check = |found: &[f32], second: f32| {
        assert_eq!(found.len(), 2 * (frames + taps - 1));
        for (i, &value) in found.iter().enumerate() {
            let expected = sample(i / 2, i % 2) * if i % 2 == 1 { second } else { 1.0 };
            assert!((value - expected).abs() < 1e-4, "{i}: {value} and {expected}");
        }
    };
    let result = folder.text("result.wav");
    for block in ["64", "700", "16384"] {
        text(&["stream", &sound, &both, &result, "--block", block]);
        let mut file = hound::WavReader::open(&result).unwrap();
        assert_eq!((file.spec().channels, file.spec().sample_rate), (2, 8000));
        check(&file.samples::<f32>().map(Result::unwrap).collect::<Vec<_>>(), -1.0);
    }
    let raw: &[u8] = bytemuck::cast_slice(&all);
    let (status, found, _) = piped(&["stream", "-", &one, "-", "--channels", "2", "--block", "128", "--gain", "-1"], raw);
    let found: Vec<f32> = bytemuck::pod_collect_to_vec(&found);
    assert_eq!(status, Some(0));
    check(&found.iter().map(|value| -value).collect::<Vec<_>>(), 1.0);

    for (input, why) in [(&raw[..raw.len() - 4], "1 of 2 channels"), (&raw[..9], "within a number"), (&[], "no samples")] {
        let (status, _, error) = piped(&["stream", "-", &one, "-", "--channels", "2"], input);
        assert!(status == Some(1) && error.contains(why), "{error}");
    }
    assert!(error(1, &["stream", &one, &both, &result]).contains("has 2 channels, and the sound has 1"));
    assert!(error(2, &["stream", &sound, &both, &one]).contains(".wav"));
    // Both from the standard input: one of them would wait for the other for ever.
    let (status, _, text) = piped(&["stream", "-", "-", "-"], raw);
    assert!(status == Some(1) && text.contains("from a file"), "{text}");
    assert!(error(1, &["stream", &sound, &both, &result, "--gain", "nan"]).contains("gain"));
    // A sound that was cut off is named.
    let cut = folder.path("cut.wav");
    let whole = std::fs::read(&sound).unwrap();
    std::fs::write(&cut, &whole[..whole.len() - 6]).unwrap();
    assert!(error(1, &["stream", cut.to_str().unwrap(), &both, &result]).contains("cut.wav"));
}

#[test]
fn plans_are_shown_and_checked() {
    if !has_adapter() {
        return;
    }
    let plan = &json(&["plan", "c2c fwd 24x20", "--check", "--wgsl"])[0];
    assert_eq!(plan["spec"], "c2c fwd 24x20");
    assert_eq!(plan["findings"], Value::Null);
    assert_eq!(plan["wgsl"].as_array().unwrap().len(), plan["dispatches"].as_array().unwrap().len());
    assert!(plan["measured_ms"].as_f64().unwrap() > 0.0);
    // Not every device has timestamps.
    if let Some(times) = plan["dispatches_ms"].as_array() {
        assert_eq!(times.len(), plan["dispatches"].as_array().unwrap().len());
        assert!(times.iter().all(|time| time.as_f64().is_some_and(|time| time >= 0.0)));
    }
    let printed = text(&["plan", "sum f32 4096", "--check"]);
    assert!(printed.contains("check       clean") && printed.contains("expected"), "{printed}");
    assert!(error(2, &["plan", "c2c fwd 8", "--recipe", "by magic"]).contains("by magic"));
}

#[test]
fn the_adapter_is_described_and_checked() {
    if !has_adapter() {
        return;
    }
    let adapters = json(&["info"]);
    assert_eq!(adapters.iter().filter(|adapter| adapter["used"] == true).count(), 1);
    assert!(error(1, &["info", "--adapter", "an abacus"]).contains("an abacus"));
    let results = json(&["check"]);
    let summary = results.last().unwrap();
    assert_eq!(summary["wrong"], Value::Array(Vec::new()), "{results:#?}");
    assert!(text(&["check", "-q"]).contains("all results are right"));
}

#[test]
fn errors_are_measured_by_length() {
    if !has_adapter() {
        return;
    }
    let lines = json(&["check", "--by-length", "40"]);
    let lengths =
        |numbers: &str| lines.iter().filter(|line| line["numbers"] == numbers).map(|line| line["n"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(lengths("f32"), [2, 3, 4, 6, 7, 8, 10, 13, 16, 30, 31, 32, 37]);
    assert_eq!(lengths("f64-by-f32"), [2, 4, 8, 16, 32]);
    for line in &lines {
        assert!(line["error"].as_f64().unwrap() <= line["bound"].as_f64().unwrap(), "{line}");
    }
    assert!(text(&["check", "-q", "--by-length", "8"]).contains("within their bounds"));
}

#[test]
fn recipes_are_measured_and_recorded() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let record = folder.text("record.jsonl");
    let spec = "c2c fwd 32x32";
    let measured = &json(&["tune", spec, "--seconds", "5", "--record", &record])[0];
    assert_eq!(measured["spec"], spec);
    let list = &json(&["record", "list", "--record", &record])[0];
    assert_eq!(list["recipe"], measured["recipe"]);
    // A line of the table if it gains 3%, and otherwise none.
    let exceptions = text(&["record", "exceptions", "--record", &record]);
    let [ms, rules_ms] = ["ms", "rules_ms"].map(|name| list[name].as_f64().unwrap());
    let columns: Vec<&str> = exceptions.split(" | ").collect();
    match ms <= rules_ms * 0.97 {
        true => assert_eq!((columns.len(), columns[1], columns[2]), (4, spec, list["recipe"].as_str().unwrap()), "{exceptions}"),
        false => assert_eq!(exceptions, ""),
    }
    let calibrated = &json(&["tune", "--calibrate", "--seconds", "120", "--record", &folder.text("device.jsonl")])[0];
    assert!(calibrated["recipe"].as_str().unwrap().starts_with("registers liked="), "{calibrated}");
    let planned = &json(&["plan", spec, "--rigor", "recorded", "--record", &record])[0];
    assert_eq!(planned["recipe"], measured["recipe"]);
    assert!(text(&["record", "list", "--record", &record]).contains(spec));
    let other = folder.text("other.jsonl");
    assert!(text(&["record", "export", &other, "--record", &record]).contains("1 item written"));
    assert!(text(&["record", "import", &other, "--record", &record]).contains("other.jsonl"));
    let exported = text(&["record", "export", "-", "--record", &record]);
    assert_eq!(exported, std::fs::read_to_string(&other).unwrap());
    let (status, printed, _) = piped(&["record", "merge", "-", "--record", &folder.text("third.jsonl")], exported.as_bytes());
    assert!(status == Some(0) && String::from_utf8_lossy(&printed).contains("the standard input: 1 accepted"));
    assert!(text(&["record", "prune", "c2c", "--record", &record]).contains("1 item forgotten"));
    assert_eq!(json(&["record", "list", "--record", &record]).len(), 0);
    assert!(text(&["record", "path", "--record", &record]).contains("record.jsonl"));

    let timed = json(&["bench", spec, "--rounds", "1", "--plot", &folder.text("plot.svg")]);
    assert!(timed[0]["of_copy"].as_f64().unwrap() > 0.0 && timed[0]["rustfft_ms"].as_f64().unwrap() > 0.0);
    assert!(std::fs::read_to_string(folder.path("plot.svg")).unwrap().contains(spec));
}

/// Axes in any order, against the host. NumPy halves the last one that is named.
#[test]
fn named_axes_are_transformed_as_by_numpy() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let (spectrum, back) = (folder.text("spectrum.npy"), folder.text("back.npy"));
    let case = prop::collection::vec(1..7_usize, 1..5).prop_flat_map(|shape| {
        let axes = prop::sample::subsequence((0..shape.len()).collect::<Vec<_>>(), 1..=shape.len().min(3)).prop_shuffle();
        (Just(shape), axes)
    });
    let cases = std::env::var("WGPU_FFT_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&case, |(shape, axes)| {
        let data = noise(shape.iter().product());
        let extents: Vec<u64> = shape.iter().map(|n| *n as u64).collect();
        let input = folder.write("x.npy", &extents, &data);
        let last = axes[axes.len() - 1];
        let named = axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        text(&["transform", "rfft", &input, &spectrum, "--axes", &named]);

        let mut whole: Vec<Complex<f64>> = data.iter().map(|value| f64::from(*value).into()).collect();
        fft_on_host(&mut whole, &shape, &axes, false);
        let half = shape[last] / 2 + 1;
        let stride: usize = shape[last + 1..].iter().product();
        let expected: Vec<Complex<f64>> = whole.chunks(shape[last] * stride).flat_map(|block| &block[..half * stride]).copied().collect();
        let (found_shape, found) = read::<Complex<f32>>(Path::new(&spectrum));
        let mut halved = extents.clone();
        halved[last] = half as u64;
        prop_assert_eq!(found_shape, halved);
        prop_assert!(found.iter().zip(&expected).all(|(a, b)| (Complex::<f64>::new(a.re.into(), a.im.into()) - b).norm() < 1e-4));

        if shape[last] > 1 {
            text(&["transform", "irfft", &spectrum, &back, "--axes", &named, "--length", &shape[last].to_string()]);
            let (found_shape, found) = read::<f32>(Path::new(&back));
            prop_assert_eq!(found_shape, extents);
            prop_assert!(found.iter().zip(&data).all(|(a, b)| (a - b).abs() < 1e-5));
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn arrays_go_through_pipes() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let input = folder.write("x.npy", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let turned = folder.text("turned.npy");
    text(&["transpose", &input, &turned]);
    let (bytes, turned) = (std::fs::read(&input).unwrap(), std::fs::read(&turned).unwrap());
    for output in if cfg!(unix) { &["-", "/dev/stdout"][..] } else { &["-"] } {
        let (status, printed, notes) = piped(&["transpose", "-", output], &bytes);
        assert_eq!((status, &printed), (Some(0), &turned), "{notes}");
        assert!(notes.contains("elements of f32"), "{notes}");
    }
    assert!(!Path::new("-").exists());
    let (status, printed, notes) = piped(&["transpose", "-", "-"], b"what is this");
    assert!(status == Some(1) && printed.is_empty() && notes.contains("the standard input: it is no .npy file"), "{notes}");
    let (status, printed, _) = piped(&["reduce", "sum", "-", "-q"], &bytes);
    assert_eq!((status, &printed[..]), (Some(0), &b"21\n"[..]));
    let (status, printed, _) = piped(&["reduce", "sum", "-", "-", "-q"], &bytes);
    assert!(status == Some(0) && printed.starts_with(b"\x93NUMPY"));
}

/// What is no file stays what it is. A link to a device, so that no real device can be lost.
#[cfg(unix)]
#[test]
fn results_go_into_pipes_and_devices() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let input = folder.write("x.npy", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (pipe, second, device) = (folder.text("pipe"), folder.text("second.npy"), folder.text("device"));
    assert!(Command::new("mkfifo").args([&pipe, &second]).status().unwrap().success());
    symlink("/dev/null", &device).unwrap();
    text(&["transpose", &input, &device]);
    assert!(std::fs::symlink_metadata(&device).unwrap().is_symlink());
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    // From one pipe into another.
    let printed = std::thread::scope(|scope| {
        let reader = scope.spawn(|| std::fs::read(&second).unwrap());
        scope.spawn(|| std::fs::write(&pipe, std::fs::read(&input).unwrap()).unwrap());
        text(&["transpose", &pipe, &second]);
        reader.join().unwrap()
    });
    let turned = folder.text("turned.npy");
    text(&["transpose", &input, &turned]);
    assert_eq!(printed, std::fs::read(&turned).unwrap());
    assert!([&pipe, &second].iter().all(|path| std::fs::symlink_metadata(path).unwrap().file_type().is_fifo()));
    assert!(error(1, &["transform", "rfft", &pipe, &turned, "--memory", "1"]).contains("must be in a file"));
    assert!(error(1, &["transform", "rfft", &input, &second, "--memory", "1"]).contains("not a regular file"));
}

#[cfg(unix)]
#[test]
fn results_have_the_modes_of_files() {
    use std::fs::{Permissions, metadata, read, set_permissions, write};
    use std::os::unix::fs::PermissionsExt;
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let input = folder.write("x.npy", &[2, 3], &[0.0; 6]);
    let mode = |path: &str| metadata(path).unwrap().permissions().mode() & 0o777;
    for extension in ["npy", "png"] {
        let result = folder.text(&format!("result.{extension}"));
        for memory in [&[][..], &["--memory", "1"]] {
            if extension == "png" && !memory.is_empty() {
                continue;
            }
            let run = |expected| {
                let arguments = [&["transform", "rfft", &input, &result][..], memory].concat();
                if expected == 0 { text(&arguments) } else { error(expected, &arguments) }
            };
            run(0);
            assert_eq!(mode(&result), mode(&input));
            set_permissions(&result, Permissions::from_mode(0o604)).unwrap();
            run(0);
            assert_eq!(mode(&result), 0o604);
            write(&result, "old").unwrap();
            set_permissions(&result, Permissions::from_mode(0o444)).unwrap();
            assert!(run(1).contains("it is read-only"));
            assert_eq!((read(&result).unwrap(), mode(&result)), (b"old".to_vec(), 0o444));
            std::fs::remove_file(&result).unwrap();
        }
    }
    assert!(error(1, &["transpose", &input, &folder.text("deep/result.npy")]).contains("deep does not exist"));
    assert!(!folder.path("deep").exists());
}

#[test]
fn a_result_in_files_stays_until_the_new_one_is_complete() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let (input, result) = (folder.write("x.npy", &[1024, 1024], &noise(1 << 20)), folder.text("result.npy"));
    let arguments = ["transform", "rfft", &input, &result, "--memory", "1"];
    text(&arguments);
    let new = std::fs::read(&result).unwrap();
    std::fs::write(&result, "old").unwrap();
    // Killed as soon as there is a file beside it.
    let beside = || std::fs::read_dir(folder.0.path()).unwrap().count() - 2;
    let mut child = command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    while beside() == 0 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let after = std::fs::read(&result).unwrap();
    assert!(after == b"old" || after == new);
    text(&arguments);
    assert_eq!((std::fs::read(&result).unwrap() == new, beside()), (true, 0));
    // Nothing is done to it by an input that was cut off.
    let whole = std::fs::read(&input).unwrap();
    std::fs::write(&input, &whole[..whole.len() - 4]).unwrap();
    assert!(error(1, &arguments).contains("it was cut off: shape [1024, 1024] of f4 has 4194304 bytes, and 4194300 are there"));
    assert_eq!((std::fs::read(&result).unwrap() == new, beside()), (true, 0));
    // In its own place.
    let other = folder.write("y.npy", &[4], &[1.0, 2.0, 3.0, 4.0]);
    text(&["transform", "rfft", &other, &other, "--memory", "1"]);
    assert_eq!(read::<Complex<f32>>(Path::new(&other)).1[0].re, 10.0);
}

#[test]
fn a_search_that_recorded_nothing_has_failed() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new();
    let record = folder.text("record.jsonl");
    assert!(error(1, &["tune", "c2c fwd 32", "--seconds", "0", "--record", &record]).contains("nothing is recorded"));
    assert!(json(&["record", "list", "--record", &record]).is_empty());
    // Several processes at once. A busy machine may leave one of them no time.
    let specs: Vec<String> = (0..4).map(|i| format!("c2c fwd {}", 16 << i)).collect();
    let tune = |spec: &String| command(&["tune", spec, "--seconds", "1", "--record", &record]).output().unwrap();
    let ended: Vec<Output> = std::thread::scope(|scope| {
        let all: Vec<_> = specs.iter().map(|spec| scope.spawn(move || tune(spec))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let recorded = json(&["record", "list", "--record", &record]);
    for (spec, output) in specs.iter().zip(ended) {
        assert_eq!(output.status.success(), recorded.iter().any(|entry| entry["spec"] == **spec), "{spec}: {output:?}");
    }
    // A record that cannot be written.
    std::fs::write(folder.path("diary"), "dear diary").unwrap();
    let failed = error(1, &["tune", "c2c fwd 32", "--seconds", "1", "--record", &folder.text("diary")]);
    assert!(failed.contains("the record was not written") || failed.contains("nothing is recorded"), "{failed}");
}
