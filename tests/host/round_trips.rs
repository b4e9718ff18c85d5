//! Specifications of FFTs and permutations are read as they are printed, whatever they say; whether
//! they make sense is asked when they are planned. Those of reductions are in `reduce.rs`.

use proptest::prelude::*;
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::half::f16;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Element, Layout, Shape};

fn shape() -> impl Strategy<Value = Shape> {
    proptest::collection::vec(0usize..2000, 1..=4).prop_map(Shape::from)
}

fn layout() -> impl Strategy<Value = Layout> {
    let options = (any::<Option<usize>>(), any::<usize>(), any::<Option<usize>>());
    (proptest::collection::vec(any::<usize>(), 1..=4), options).prop_map(|(strides, (distance, offset, within))| {
        let layout = Layout::strides(Shape::from(&strides[..])).offset(offset);
        let layout = distance.map_or(layout, |distance| layout.batch_distance(distance));
        within.map_or(layout, |len| layout.within(len))
    })
}

fn scale() -> impl Strategy<Value = Result<Scale, f32>> {
    let scales = [Scale::One, Scale::InvLen, Scale::InvSqrtLen];
    prop_oneof![proptest::sample::select(scales.to_vec()).prop_map(Ok), any::<u32>().prop_map(|bits| Err(f32::from_bits(bits)))]
}

fn reads<T: std::str::FromStr<Err = wgpu_fft::Error> + PartialEq + std::fmt::Debug + ToString>(value: T) -> Result<(), TestCaseError> {
    let text = value.to_string();
    prop_assert_eq!(text.parse::<T>(), Ok(value), "{}", text);
    Ok(())
}

fn permutation<T: Element>(
    spec: &(Shape, Vec<usize>, usize),
    [input, output]: [Option<Layout>; 2],
    in_place: bool,
) -> Result<(), TestCaseError> {
    let (shape, order, batch) = spec;
    for spec in [Permute::<T>::new(*shape, order), Permute::transpose(*shape)] {
        let spec = spec.batch(*batch);
        let spec = input.map_or(spec.clone(), |layout| spec.input_layout(layout));
        let spec = output.map_or(spec.clone(), |layout| spec.output_layout(layout));
        reads(if in_place { spec.in_place() } else { spec })?;
    }
    Ok(())
}

proptest! {
    #[test]
    fn shapes_and_layouts(shape in shape(), layout in layout()) {
        reads(shape)?;
        reads(layout)?;
    }

    #[test]
    fn transforms(
        (shape, batch, axes) in (shape(), any::<usize>(), any::<Option<Vec<usize>>>()),
        layouts in (proptest::option::of(layout()), proptest::option::of(layout())),
        scale in scale(),
        flags in any::<[bool; 2]>(),
    ) {
        macro_rules! check {
            ($spec:expr) => {{
                let mut spec = $spec.batch(batch);
                spec = axes.clone().map_or(spec.clone(), |axes| spec.axes(axes));
                spec = layouts.0.map_or(spec.clone(), |layout| spec.input_layout(layout));
                spec = layouts.1.map_or(spec.clone(), |layout| spec.output_layout(layout));
                spec = match scale {
                    Ok(scale) => spec.scale(scale),
                    Err(factor) => spec.scale_by(factor),
                };
                reads(if flags[0] { spec.in_place() } else { spec })?;
            }};
        }
        check!(C2c::forward(shape));
        check!(if flags[1] { C2c::inverse(shape).transposed() } else { C2c::inverse(shape) });
        check!(R2c::forward(shape));
        check!(C2r::inverse(shape));
    }

    #[test]
    fn permutations(
        spec in (shape(), proptest::collection::vec(any::<usize>(), 0..6), any::<usize>()),
        layouts in [proptest::option::of(layout()), proptest::option::of(layout())],
        in_place in any::<bool>(),
    ) {
        permutation::<f32>(&spec, layouts, in_place)?;
        permutation::<Complex32>(&spec, layouts, in_place)?;
        permutation::<[f16; 2]>(&spec, layouts, in_place)?;
    }
}
