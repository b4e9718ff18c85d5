//! Windows and frequencies against SciPy's.

use wgpu_fft::signal::frequency::{fftfreq, rfftfreq};
use wgpu_fft::signal::window::Window;

/// The numbers that a line of tests/data/signal.txt stands for.
fn own(line: &str) -> wgpu_fft::Result<Vec<f64>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let parameter = || words[1].parse::<f64>().unwrap();
    let n = words.last().unwrap().parse::<usize>().unwrap();
    let window = match words[0] {
        "fftfreq" => return fftfreq(n, parameter()),
        "rfftfreq" => return rfftfreq(n, parameter()),
        "boxcar" => Window::Boxcar,
        "hann" => Window::Hann,
        "hamming" => Window::Hamming,
        "blackman" => Window::Blackman,
        "blackman-harris" => Window::BlackmanHarris,
        "kaiser" => Window::Kaiser { beta: parameter() },
        "tukey" => Window::Tukey { alpha: parameter() },
        "gaussian" => Window::Gaussian { std: parameter() },
        other => panic!("{other}"),
    };
    match words[words.len() - 2] {
        "periodic" => window.periodic(n),
        "symmetric" => window.symmetric(n),
        other => panic!("{other}"),
    }
}

#[test]
fn windows_and_frequencies_are_those_of_scipy() {
    let mut lines = 0;
    for line in include_str!("../data/signal.txt").lines().filter(|line| !line.starts_with('#')) {
        let (head, values) = line.split_once(':').unwrap();
        let expected: Vec<f64> = values.split_whitespace().map(|value| value.parse().unwrap()).collect();
        let actual = own(head).unwrap();
        assert_eq!(actual.len(), expected.len(), "{head}");
        let largest = expected.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        // The exponential function multiplies the rounding of a Kaiser window's beta.
        let times = if head.starts_with("kaiser") { 1.0 + head.split(' ').nth(1).unwrap().parse::<f64>().unwrap() } else { 1.0 };
        for (k, (own, exact)) in actual.iter().zip(&expected).enumerate() {
            assert!((own - exact).abs() <= 1e-15 * times * largest, "{head}, sample {k}: {own:e} and {exact:e}");
        }
        lines += 1;
    }
    assert_eq!(lines, 246);
}
