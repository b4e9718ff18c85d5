//! Plans run on arrays of the crate `ndarray`, on every adapter.

use ndarray::{Array, Array2, Array3, ArrayD, Axis, Ix2, ShapeBuilder, s};
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::signal::Roll;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Error, Gpu, GpuOptions, Layout, Planner, gpu, reduce};

/// A planner for each adapter. Without an adapter the tests print `SKIPPED`.
fn planners() -> Vec<Planner> {
    let opened = pollster::block_on(async {
        let mut planners = Vec::new();
        for adapter in gpu::adapters(&GpuOptions::default()).await? {
            planners.push(Planner::new(&Gpu::from_adapter(&adapter).await?));
        }
        wgpu_fft::Result::Ok(planners)
    });
    match opened {
        Err(Error::NoAdapter { .. }) if std::env::var_os("WGPU_FFT_REQUIRE_GPU").is_none() => {
            println!("SKIPPED: no adapter");
            Vec::new()
        }
        other => other.unwrap(),
    }
}

fn numbers(rows: usize, columns: usize) -> Array2<f32> {
    Array::from_shape_fn((rows, columns), |(r, c)| (r * columns + c) as f32)
}

fn complex(rows: usize, columns: usize) -> Array2<Complex32> {
    Array::from_shape_fn((rows, columns), |(r, c)| Complex32::new((r * 7 % 5) as f32, (c * 3 % 7) as f32))
}

/// Each element of the definition costs rows times columns steps, which is little here.
fn transform(x: &Array2<Complex32>) -> Array2<Complex32> {
    let (rows, columns) = x.dim();
    Array::from_shape_fn((rows, columns), |(k, l)| {
        let turns = |(r, c): (usize, usize)| (k * r) as f64 / rows as f64 + (l * c) as f64 / columns as f64;
        let term = |(at, value): ((usize, usize), &Complex32)| {
            let (sin, cos) = (-std::f64::consts::TAU * turns(at)).sin_cos();
            let (re, im) = (f64::from(value.re), f64::from(value.im));
            [re * cos - im * sin, re * sin + im * cos]
        };
        let [re, im] = x.indexed_iter().map(term).fold([0.0, 0.0], |sum, term| [sum[0] + term[0], sum[1] + term[1]]);
        Complex32::new(re as f32, im as f32)
    })
}

fn assert_near(actual: &ArrayD<Complex32>, expected: &Array2<Complex32>) {
    assert_eq!(actual.shape(), expected.shape());
    assert!(actual.is_standard_layout());
    let largest = expected.iter().fold(0.0f32, |largest, value| largest.max(value.norm()));
    assert!(actual.iter().zip(expected).all(|(own, exact)| (own - exact).norm() < 1e-5 * largest), "{actual}\n{expected}");
}

#[test]
fn every_order_in_memory_gives_the_same() {
    for planner in planners() {
        let x = complex(6, 10);
        let expected = transform(&x);
        let plan = planner.plan(C2c::forward(x.shape())).unwrap();
        assert_near(&plan.run_array(x.view()).unwrap().wait().unwrap(), &expected);
        let columns = Array2::from_shape_fn((6, 10).f(), |at| x[at]);
        assert!(!columns.is_standard_layout());
        assert_near(&plan.run_array(columns.view()).unwrap().wait().unwrap(), &expected);
        // Into arrays of the caller's, of either order, and into a part of a larger one.
        let mut output = Array2::<Complex32>::zeros((6, 10));
        plan.run_array_into(columns.view(), output.view_mut()).unwrap();
        assert_near(&output.into_dyn(), &expected);
        let mut larger = Array2::from_elem((12, 31).f(), Complex32::new(f32::NAN, 0.0));
        plan.run_array_into(x.view(), larger.slice_mut(s![..;-2, 1..;3])).unwrap();
        assert_near(&larger.slice(s![..;-2, 1..;3]).as_standard_layout().into_owned().into_dyn(), &expected);
        assert_eq!(larger.iter().filter(|value| value.re.is_nan()).count(), 12 * 31 - 60, "nothing else is written");
        assert_near(&pollster::block_on(plan.run_array(x.view()).unwrap()).unwrap(), &expected);
        // Parts of a larger array, and backwards.
        let mut larger = Array2::from_elem((12, 31), Complex32::new(f32::NAN, 0.0));
        larger.slice_mut(s![..;-2, 1..;3]).assign(&x);
        assert_near(&plan.run_array(larger.slice(s![..;-2, 1..;3])).unwrap().wait().unwrap(), &expected);
        // A plan for the order in memory takes it without a copy; any other is copied.
        let own = planner.plan(C2c::forward([6, 10]).input_layout(Layout::of(&columns).unwrap())).unwrap();
        assert_near(&own.run_array(columns.view()).unwrap().wait().unwrap(), &expected);
        assert_near(&own.run_array(x.view()).unwrap().wait().unwrap(), &expected);
        // Gaps, an offset and a transposed spectrum.
        let padded = planner
            .plan(C2c::forward([6, 10]).input_layout(Layout::strides([16, 1]).offset(5)).output_layout(Layout::strides([13, 1])))
            .unwrap();
        assert_near(&padded.run_array(x.view()).unwrap().wait().unwrap(), &expected);
        assert_near(&planner.plan(C2c::forward([6, 10]).transposed()).unwrap().run_array(x.view()).unwrap().wait().unwrap(), &expected);
        assert_near(&planner.plan(C2c::forward([6, 10]).in_place()).unwrap().run_array(x.view()).unwrap().wait().unwrap(), &expected);
    }
}

#[test]
fn real_transforms_lead_back() {
    for planner in planners() {
        for in_place in [false, true] {
            let x = numbers(4, 10);
            let (forward, back) = (R2c::forward([4, 10]), C2r::inverse([4, 10]).scale(Scale::InvLen));
            let (forward, back) = if in_place { (forward.in_place(), back.in_place()) } else { (forward, back) };
            let spectrum = planner.plan(forward).unwrap().run_array(x.view()).unwrap().wait().unwrap();
            assert_eq!(spectrum.shape(), [4, 6]);
            assert!((spectrum[[0, 0]].re - x.sum()).abs() < 1e-3);
            let again = planner.plan(back).unwrap().run_array(spectrum.view()).unwrap().wait().unwrap();
            assert!(again.iter().zip(&x).all(|(own, exact)| (own - exact).abs() < 1e-4), "{again}");
            assert_eq!(again.shape(), x.shape());
        }
    }
}

#[test]
fn other_operations_have_their_shapes() {
    for planner in planners() {
        let x = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as f32);
        let turned = planner.plan(Permute::<f32>::new([2, 3, 4], [2, 0, 1])).unwrap().run_array(x.view()).unwrap().wait().unwrap();
        assert_eq!(turned, x.view().permuted_axes([2, 0, 1]).into_dyn());
        // The first axis as a batch.
        let batch = planner.plan(Permute::<f32>::transpose([3, 4]).batch(2)).unwrap().run_array(x.view()).unwrap().wait().unwrap();
        assert_eq!(batch, x.view().permuted_axes([0, 2, 1]).into_dyn());
        let sums = planner.plan(reduce::sum::<f32>([2, 3, 4]).axes([1])).unwrap().run_array(x.view()).unwrap().wait().unwrap();
        assert_eq!(sums.into_dimensionality::<Ix2>().unwrap(), x.sum_axis(Axis(1)));
        let all = planner.plan(reduce::sum::<f32>([2, 3, 4])).unwrap().run_array(x.view()).unwrap().wait().unwrap();
        assert_eq!((all.ndim(), all.sum()), (0, x.sum()));
        let rolled = planner.plan(Roll::<f32>::fftshift([2, 3, 4]).axes([2])).unwrap().run_array(x.view()).unwrap().wait().unwrap();
        assert_eq!((rolled[[1, 2, 0]], rolled[[1, 2, 3]]), (122.0, 121.0));
    }
}

#[test]
fn wrong_shapes_carry_both() {
    for planner in planners() {
        let plan = planner.plan(C2c::forward([6, 10]).batch(2)).unwrap();
        let wrong = |expected: &str, actual: &str| Error::WrongShape {
            argument: "input",
            expected: expected.to_owned(),
            actual: actual.to_owned(),
        };
        assert_eq!(plan.run_array(complex(6, 10).view()).unwrap_err(), wrong("2x6x10", "6x10"));
        assert_eq!(plan.run_array(complex(6, 10).slice(s![0, 0])).unwrap_err(), wrong("2x6x10", "no axes"));
        let mut output = Array::zeros((2, 10, 6));
        let wrong = Error::WrongShape { argument: "output", expected: "2x6x10".to_owned(), actual: "2x10x6".to_owned() };
        assert_eq!(plan.run_array_into(Array::zeros((2, 6, 10)).view(), output.view_mut()).unwrap_err(), wrong);
        let two = planner.plan(reduce::dot::<f32>(10)).unwrap();
        assert!(matches!(two.run_array(Array::<f32, _>::zeros(10).view()), Err(Error::WrongInputs { expected: 2, actual: 1, .. })));
    }
}

#[test]
fn layouts_of_views() {
    let x = numbers(6, 10);
    assert_eq!(Layout::of(&x).unwrap(), Layout::dense([6, 10]));
    assert_eq!(Layout::of(&x.t()).unwrap(), Layout::strides([1, 10]));
    assert_eq!(Layout::of(&x.slice(s![..;2, 3..])).unwrap(), Layout::strides([20, 1]));
    let row = numbers(1, 10);
    assert_eq!(Layout::of(&row.broadcast((5, 10)).unwrap()).unwrap(), Layout::strides([0, 1]));
    let error = Layout::of(&x.slice(s![.., ..;-1])).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { why, .. } if why.contains("stride -1 along axis 1")), "{error}");
    assert!(Layout::of(&x.slice(s![0, 0])).is_err() && Layout::of(&Array::<u8, _>::zeros((1, 1, 1, 1, 1))).is_err());
}
