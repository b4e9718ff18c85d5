//! Learns a filter that removes noise: one factor for each frequency, by gradient descent.
//!
//! `cargo run --release --example denoise` prints the falling loss.

use burn::tensor::{Device, Distribution, Tensor};
use wgpu_fft_burn::{Norm, init, irfft, rfft};

const SIGNALS: usize = 64;
const LEN: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = init(Device::wgpu_options())?;
    device.seed(7);

    // Slow waves, each of a frequency and a phase of its own, and noise as large as they are.
    let uniform = |low, high| Tensor::<2>::random([SIGNALS, 1], Distribution::Uniform(low, high), &device);
    let time = Tensor::arange(0..LEN as i64, &device).float().reshape([1, LEN]) / LEN as f32;
    let clean = (time * uniform(5.0, 40.0) * std::f32::consts::TAU + uniform(0.0, 6.3)).sin();
    let noisy = clean.clone() + Tensor::random([SIGNALS, LEN], Distribution::Normal(0.0, 0.7), &device);

    // The factors are what is learnt, so that only they need gradients.
    let spectrum: Tensor<3> = rfft::<2, 3>(noisy, &[-1], Norm::Ortho)?;
    // Steps for each frequency by itself, as far as its power allows.
    let power = spectrum.clone().powi_scalar(2).sum_dim(0).sum_dim(2);
    let rate = power.recip() * (SIGNALS * LEN / 8) as f32;
    let (spectrum, clean) = (Tensor::from_inner(spectrum), Tensor::from_inner(clean));
    let mut filter = Tensor::<3>::ones([1, LEN / 2 + 1, 1], &device.autodiff()).require_grad();
    for step in 0..10 {
        let denoised: Tensor<2> = irfft(spectrum.clone() * filter.clone(), &[-1], LEN, Norm::Ortho)?;
        let loss = (denoised - clean.clone()).powi_scalar(2).mean();
        println!("step {step}: loss {:.4}", loss.clone().into_scalar::<f32>());

        let gradient = filter.grad(&loss.backward()).expect("the loss depends on the filter");
        filter = Tensor::from_inner(filter.inner() - gradient * rate.clone()).require_grad();
    }
    Ok(())
}
