//! Signals in pieces, compared with the same signals as a whole.

use proptest::prelude::*;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::signal::{ConvolveStream, Stft, StreamConvolve};
use wgpu_fft::{Complex32, Error, Pending, View, wgpu};

use crate::frames::{Case, window};
use crate::harness::*;
use crate::reference::{complex_noise, noise, relative_error, wide};

/// Blocks of all channels, of a signal of each.
fn blocks(x: &[Vec<f32>], block: usize) -> Vec<Vec<f32>> {
    let of = |b: usize| x.iter().flat_map(|own| own[b * block..(b + 1) * block].iter().copied()).collect();
    (0..x[0].len() / block).map(of).collect()
}

/// By the definition, in f64.
fn convolved(x: &[f32], h: &[f32]) -> Vec<f64> {
    let at = |t: usize| h.iter().zip(x[..=t].iter().rev()).map(|(h, x)| f64::from(*h) * f64::from(*x)).sum();
    (0..x.len()).map(at).collect()
}

/// The relative two-norm error of blocks.
fn error(actual: &[Vec<f32>], expected: &[Vec<f64>], block: usize) -> f64 {
    let channels = expected.len();
    let mut norms = [0.0, 0.0];
    for (b, own) in actual.iter().enumerate() {
        assert_eq!(own.len(), channels * block);
        for (channel, own) in own.chunks(block).enumerate() {
            for (value, right) in own.iter().zip(&expected[channel][b * block..]) {
                norms[0] += (f64::from(*value) - right).powi(2);
                norms[1] += right.powi(2);
            }
        }
    }
    (norms[0] / norms[1]).sqrt()
}

fn budget(stream: &ConvolveStream) -> f64 {
    let most = |which: usize| stream.partitions().iter().map(|part| part[which]).max().unwrap() as f64;
    2f64.powi(-24) * (2.0 * (2.0 * most(0)).log2().sqrt() + most(1).sqrt() / 3.0)
}

fn pushed(stream: &mut ConvolveStream, block: &[f32]) -> Vec<f32> {
    let mut output = vec![f32::NAN; block.len()];
    stream.push_into(block, &mut output).unwrap();
    output
}

/// All blocks by encoders of the caller's, several blocks in each, in buffers with room before and
/// behind.
fn encoded(device: &Device, stream: &mut ConvolveStream, blocks: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let gpu = device.gpu();
    let len = blocks[0].len();
    let mut results = Vec::new();
    for some in blocks.chunks(3) {
        let input = gpu.upload(&[vec![f32::NAN; 3], some.concat(), vec![f32::NAN]].concat()).unwrap();
        let output = gpu.upload(&vec![-1.0f32; some.len() * len + 5]).unwrap();
        let view = |buffer, i: usize, first: u64| View::<f32>::new(buffer, 4 * (first + (i * len) as u64), len).unwrap();
        gpu.submit(|encoder| {
            (0..some.len()).try_for_each(|i| stream.encode(encoder, view(input.buffer(), i, 3), view(output.buffer(), i, 2)))
        })
        .unwrap();
        let all: Vec<f32> = gpu.download(&output).unwrap().wait().unwrap();
        assert!(all[..2].iter().chain(&all[all.len() - 3..]).all(|own| *own == -1.0), "{}: written past the block", device.name);
        results.extend(all[2..all.len() - 3].chunks(len).map(<[f32]>::to_vec));
    }
    results
}

/// Partitions of any sizes, those of the rules, and blocks by both doors: all give the convolution,
/// and after a reset the same bits.
pub fn blocks_give_the_whole_convolution(device: &Device) {
    let larger = prop::sample::select(vec![None, Some(vec![]), Some(vec![2]), Some(vec![4]), Some(vec![2, 8]), Some(vec![3, 6, 12])]);
    let block = prop::sample::select(vec![1usize, 5, 16, 24, 64]);
    proptest!(cases(if device.is_thorough() { 60 } else { 6 }), |(
        block in block, reach in 1usize..40, odd in 0usize..64, channels in 1usize..4, each in any::<bool>(), larger in larger, seed in 1u64..99,
    )| {
        let taps = (block * reach).saturating_sub(odd).max(1);
        let spec = StreamConvolve::new(block, taps).channels(channels);
        let spec = if each { spec.kernel_for_each() } else { spec };
        let spec = larger.iter().fold(spec, |spec, larger| spec.larger(larger.clone()));
        let h = noise(if each { channels * taps } else { taps }, seed);
        let x: Vec<Vec<f32>> = (0..channels).map(|channel| noise(block * (2 * reach + 9), seed + 7 + channel as u64)).collect();
        let kernel = |channel: usize| if each { &h[channel * taps..(channel + 1) * taps] } else { &h[..] };
        let expected: Vec<Vec<f64>> = x.iter().enumerate().map(|(channel, x)| convolved(x, kernel(channel))).collect();
        let blocks = blocks(&x, block);

        let mut stream = spec.stream(&device.planner, &h).unwrap();
        // All are under way before the first is waited for.
        let pushed: Vec<Pending<Vec<f32>>> = blocks.iter().map(|block| stream.push(block).unwrap()).collect();
        let pushed: Vec<Vec<f32>> = pushed.into_iter().map(|own| own.wait().unwrap()).collect();
        let (error, budget) = (error(&pushed, &expected, block), budget(&stream));
        prop_assert!(error <= budget, "{}: `{spec}`, {:?}: {error:.1e} above {budget:.1e}", device.name, stream.partitions());
        stream.reset().unwrap();
        prop_assert!(encoded(device, &mut stream, &blocks) == pushed, "{}: `{spec}` encoded", device.name);
    });
}

/// A response with many partitions of several sizes; a kernel that comes later; the comparison can
/// fail.
pub fn long_kernels_in_partitions(device: &Device) {
    let (block, taps) = (32, 5000);
    let [h, other] = [3, 4].map(|seed| noise(taps, seed));
    let x = vec![noise(block * 250, 5)];
    let (expected, blocks) = (vec![convolved(&x[0], &h)], blocks(&x, block));
    let spec = StreamConvolve::new(block, taps);
    for larger in [None, Some(vec![]), Some(vec![8, 32])] {
        let spec = larger.iter().fold(spec.clone(), |spec, larger| spec.larger(larger.clone()));
        // The first kernel is exchanged before it is used.
        let mut stream = spec.stream(&device.planner, &other).unwrap();
        stream.set_kernel(&h).unwrap();
        let pushed: Vec<Vec<f32>> = blocks.iter().map(|block| pushed(&mut stream, block)).collect();
        let what = format!("{}: `{spec}`, {:?}", device.name, stream.partitions());
        let own = error(&pushed, &expected, block);
        assert!(own <= budget(&stream), "{what}: {own:.1e}");
        let late: Vec<Vec<f64>> = vec![[&[0.0], &expected[0][..expected[0].len() - 1]].concat()];
        assert!(error(&pushed, &late, block) > 0.1, "{what}: the comparison cannot fail");
        let [last, _] = stream.partitions()[stream.partitions().len() - 1];
        let covered: usize = stream.partitions().iter().map(|[n, count]| n * count).sum();
        assert!((taps..taps + last).contains(&covered), "{what}");
    }
}

/// From two periods of the largest partitions after a kernel was exchanged, results are those of the
/// new one, in whatever block it came, and whether or not results were waited for.
pub fn kernels_may_be_exchanged_at_any_time(device: &Device) {
    let (block, taps, m) = (16, 900, 8);
    let [h, other] = [3, 4].map(|seed| noise(taps, seed));
    let x = vec![noise(block * 80, 5)];
    let (expected, blocks) = (convolved(&x[0], &other), blocks(&x, block));
    let mut stream = StreamConvolve::new(block, taps).larger([2, m]).stream(&device.planner, &h).unwrap();
    for at in 20..20 + if device.is_thorough() { m } else { 3 } {
        stream.set_kernel(&h).unwrap();
        let before: Vec<Pending<Vec<f32>>> = blocks[..at].iter().map(|block| stream.push(block).unwrap()).collect();
        stream.set_kernel(&other).unwrap();
        let after: Vec<Vec<f32>> = blocks[at..].iter().map(|block| pushed(&mut stream, block)).collect();
        let first = at + 2 * m;
        let own = error(&after[2 * m..], &[expected[first * block..].to_vec()], block);
        assert!(own <= budget(&stream), "{}: exchanged before block {at}: {own:.1e}", device.name);
        // Those before are still to be had, but for some that nobody wants.
        stream.reset().unwrap();
        for (b, own) in before.into_iter().enumerate().filter(|(b, _)| b % 3 == 0) {
            let right = convolved(&x[0][..(b + 1) * block], &h);
            let own = error(&[own.wait().unwrap()], &[right[b * block..].to_vec()], block);
            assert!(own <= 8.0 * budget(&stream), "{}: block {b} before: {own:.1e}", device.name);
        }
    }
}

/// A NaN reaches no other channel, and is forgotten with the last tap that reaches it.
pub fn what_is_no_number_is_forgotten(device: &Device) {
    let (block, taps, later) = (16, 100, 4);
    let h = noise(taps, 1);
    let mut stream = StreamConvolve::new(block, taps).channels(2).larger([2]).stream(&device.planner, &h).unwrap();
    let mut x = noise(2 * block, 2);
    x[3] = f32::NAN;
    let first = pushed(&mut stream, &x);
    assert!(first[..block].iter().any(|own| own.is_nan()) && first[block..].iter().all(|own| own.is_finite()), "{}", device.name);
    x[3] = 0.0;
    let mut nan = true;
    for _ in 0..taps.div_ceil(block) + 2 * later {
        let own = pushed(&mut stream, &x);
        nan = own[..block].iter().any(|own| own.is_nan());
        assert!(own[block..].iter().all(|own| own.is_finite()), "{}", device.name);
    }
    assert!(!nan, "{}", device.name);
}

/// What is wrong is said with its numbers, and changes nothing.
pub fn wrong_streams_are_refused(device: &Device) {
    let planner = &device.planner;
    let refused = |spec: StreamConvolve, taps: usize, parts: &[&str]| {
        let error = spec.stream(planner, &vec![1.0; taps]).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    refused(StreamConvolve::new(16, 0), 0, &["1 x 16 samples and 0 taps"]);
    refused(StreamConvolve::new(0, 5), 5, &["1 x 0 samples and 5 taps"]);
    refused(StreamConvolve::new(16, 5).channels(0), 5, &["0 x 16 samples and 5 taps"]);
    refused(StreamConvolve::new(16, 5), 6, &["kernel", "expected 5", "got 6"]);
    refused(StreamConvolve::new(16, 5).channels(3).kernel_for_each(), 5, &["kernel", "expected 15", "got 5"]);
    refused(
        StreamConvolve::new(16, 500).larger([4, 6]),
        500,
        &["`stream-convolve f32 16 by 500 larger=4,6`", "6 blocks", "multiple of the 4"],
    );
    refused(StreamConvolve::new(16, 500).larger([1]), 500, &["1 blocks"]);
    refused(StreamConvolve::new(16, 500).larger([2, 4, 8, 16, 32]), 500, &["5 larger partitions, at most 4"]);
    refused(StreamConvolve::new(usize::MAX / 4, 5), 5, &["samples of a partition", "4611686018427387903"]);

    let h = noise(40, 1);
    let mut stream = StreamConvolve::new(16, 40).stream(planner, &h).unwrap();
    let x = noise(32, 2);
    let first = pushed(&mut stream, &x[..16]);
    assert!(matches!(stream.push(&x[..15]), Err(Error::WrongLen { argument: "block", expected: 16, actual: 15 })));
    let short = stream.push_into(&x[..16], &mut [0.0; 17]);
    assert!(matches!(short, Err(Error::WrongLen { argument: "output", expected: 16, actual: 17 })), "{short:?}");
    assert!(matches!(stream.set_kernel(&h[1..]), Err(Error::WrongLen { argument: "kernel", expected: 40, actual: 39 })));
    let gpu = device.gpu();
    let array = gpu.alloc::<f32>(17).unwrap();
    let read_only = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let short = stream.encode(&mut encoder, &array, array.slice(..16).unwrap());
    assert!(matches!(short, Err(Error::WrongLen { argument: "input", expected: 16, actual: 17 })), "{short:?}");
    let unusable = stream.encode(&mut encoder, array.slice(..16).unwrap(), View::whole(&read_only).unwrap());
    assert!(matches!(unusable, Err(Error::MissingUsage { argument: "output", .. })), "{unusable:?}");
    let both = [first, pushed(&mut stream, &x[16..])];
    let own = error(&both, &[convolved(&x, &h)], 16);
    assert!(own <= budget(&stream), "{}: {own:.1e}", device.name);
}

/// Pieces of any lengths give the frames of the whole signal, and the same bits as other pieces;
/// spectra of any number of frames lead back.
pub fn frames_come_as_they_complete(device: &Device) {
    for (n, m, hop, nfft, most) in [(700, 64, 16, 64, 1), (900, 100, 50, 128, 3), (600, 30, 50, 30, 2)] {
        // So the frames of the whole signal that need no padding begin at multiples of the hop.
        let before = (hop - m / 2 % hop) % hop;
        let x: Vec<Vec<f32>> = (0..2).map(|channel| noise(n, 3 + channel)).collect();
        let run = (most - 1) * hop + m;
        let template = Stft::<f32>::new(run, &window(m), hop).nfft(nfft).batch(2);
        let (bins, frames) = (nfft / 2 + 1, (n - m) / hop + 1);
        let first = ((before + m / 2) / hop) as i64;
        let case = Case { frames: Some([first, first + frames as i64]), ..Case::new(n + before, m, hop, nfft) };
        let expected: Vec<Vec<Complex64>> = x
            .iter()
            .map(|own| {
                let padded = std::iter::repeat_n(0.0, before).chain(own.iter().copied());
                let padded: Vec<Complex64> = padded.map(|x| Complex64::from(f64::from(x))).collect();
                case.direct(&padded, case.frames.unwrap(), bins)
            })
            .collect();

        let mut all: Vec<Vec<Vec<Complex32>>> = Vec::new();
        for pieces in [vec![n], vec![1, 0, 17, 99, 256], vec![hop]] {
            let mut stream = template.stream(&device.planner).unwrap();
            let _ = stream.push(&noise(2 * m, 9)).unwrap();
            stream.reset();
            let mut own = vec![Vec::new(); 2];
            let mut begin = 0;
            for piece in pieces.iter().cycle() {
                let end = (begin + piece).min(n);
                let samples: Vec<f32> = x.iter().flat_map(|x| x[begin..end].iter().copied()).collect();
                let spectra = stream.push(&samples).unwrap();
                own.iter_mut().zip(spectra.chunks((spectra.len() / 2).max(1))).for_each(|(own, new)| own.extend_from_slice(new));
                begin = end;
                if end == n {
                    break;
                }
            }
            all.push(own);
        }
        let what = format!("{}: {n} {m} {hop} {nfft} {most}", device.name);
        assert!(all[1..].iter().all(|own| *own == all[0]), "{what}");
        for (own, expected) in all[0].iter().zip(&expected) {
            let error = relative_error(own, expected);
            assert!(own.len() == frames * bins && error <= fft_budget(4 * nfft), "{what}: {error:.1e}");
        }
        if hop > m {
            let none = template.inverse_stream(&device.planner).unwrap_err().to_string();
            assert!(none.contains("frames 50 apart"), "{none}");
            continue;
        }
        let mut back = template.inverse_stream(&device.planner).unwrap();
        let mut samples = vec![Vec::new(); 2];
        let mut begin = 0;
        for count in [1, 0, 2, 5].into_iter().cycle() {
            let end = (begin + count).min(frames);
            let spectra: Vec<Complex32> = all[0].iter().flat_map(|own| own[begin * bins..end * bins].iter().copied()).collect();
            let own = back.push(&spectra).unwrap();
            samples.iter_mut().zip(own.chunks((own.len() / 2).max(1))).for_each(|(samples, own)| samples.extend_from_slice(own));
            begin = end;
            if end == frames {
                break;
            }
        }
        let rest = back.finish();
        assert_eq!((samples[0].len(), rest.len()), (frames * hop, 2 * (m - hop)), "{what}");
        for (own, x) in samples.iter().zip(&x) {
            let [own, x] = [own, x].map(|x| x[m - hop..frames * hop].iter().map(|&x| Complex32::from(x)).collect::<Vec<_>>());
            let error = relative_error(&own, &wide(&x));
            assert!(error <= 4.0 * fft_budget(nfft), "{what}: {error:.1e} there and back");
        }
    }
    let x = complex_noise(200, 1);
    let mut stream = Stft::<Complex32>::new(32, &window(32), 8).batch(2).stream(&device.planner).unwrap();
    let odd = stream.push(&x[..3]);
    assert!(matches!(odd, Err(Error::WrongLen { argument: "samples", expected: 4, actual: 3 })), "{odd:?}");
    let refused = Stft::<f32>::new(64, &window(32), 8).frames(0..2).stream(&device.planner).unwrap_err().to_string();
    assert!(refused.contains("no `frames`"), "{refused}");
    let refused = Stft::<f32>::new(66, &window(32), 8).inverse_stream(&device.planner).unwrap_err().to_string();
    assert!(refused.contains("5 frames have 64 samples together, not 66"), "{refused}");
}
