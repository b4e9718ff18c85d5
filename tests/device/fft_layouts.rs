//! Layouts: padded rows, interleaved channels, parts of larger arrays, reversed axes. `Case` checks
//! that gaps between elements keep their bits.

use wgpu_fft::Layout;
use wgpu_fft::fft::C2c;

use crate::cases::*;
use crate::harness::*;
use crate::reference::{Places, half};

/// Places for arrays of this shape without overlapping elements.
fn places(shape: &[usize], batch: usize) -> [Places; 5] {
    let [rows, columns] = shape[..] else { panic!("{shape:?}") };
    [
        Places::dense(shape),
        Places { strides: vec![columns + 6, 1], distance: rows * (columns + 6) + 5, offset: 0 },
        // Channels of a picture.
        Places { strides: vec![columns * batch, batch], distance: 1, offset: 0 },
        // A part that begins in row 3, column 4 of a larger array.
        Places { strides: vec![columns + 11, 1], distance: (rows + 7) * (columns + 11), offset: 3 * (columns + 11) + 4 },
        Places { offset: 1, ..Places::reversed(shape) },
    ]
}

pub fn every_pair_of_layouts(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "layouts");
    let (shape, batch) = ([12, 20], 3);
    let all = places(&shape, batch);
    for (i, input) in all.iter().enumerate() {
        for (j, output) in all.iter().enumerate() {
            let kind = if (i + j) % 2 == 0 { Kind::Forward } else { Kind::Inverse };
            let few = !device.is_slow() || i == j || i == 0;
            if few {
                tally.run(device, &Case::new(kind, &shape).batch(batch).layouts(input, output));
            }
        }
        tally.run(device, &Case::new(Kind::Inverse, &shape).batch(batch).in_place(true).layouts(input, input));
    }
    tally.finish();
}

pub fn recipes_by_hand_with_layouts(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "recipes by hand with layouts");
    let (shape, batch) = ([12, 20], 3);
    let [dense, padded, channels, part, reversed] = places(&shape, batch);
    for (recipe, input, output) in [
        ("axis 1: stockham 5.4 lanes=5 lines=2 block=4x3; axis 0: stockham 4.3 lanes=3 lines=8", &padded, &part),
        ("axis 0: stockham 4.3 lanes=3 lines=8 block=4x3; axis 1: stockham 5.4 lanes=5 lines=2", &channels, &reversed),
        ("axis 1: stockham 5 lanes=1 lines=4 block=4x1 + stockham 4 lanes=1 lines=5; axis 0: stockham 4.3 lanes=3 lines=4", &part, &padded),
        (
            "axis 1 bluestein 40: stockham 8 lanes=1 lines=8 + stockham 5 lanes=1 lines=8; axis 0: stockham 12 lanes=1 lines=20",
            &reversed,
            &channels,
        ),
        ("axis 1: stockham 20 lanes=1 lines=16; axis 0: stockham 4 lanes=1 lines=32 + stockham 3 lanes=1 lines=64", &padded, &dense),
    ] {
        tally.run(device, &Case::new(Kind::Forward, &shape).batch(batch).layouts(input, output).by(recipe));
        tally.run(device, &Case::new(Kind::Inverse, &shape).batch(batch).in_place(true).layouts(input, input).by(recipe));
    }
    tally.finish();
}

pub fn some_axes_of_a_layout(device: &Device) {
    let tally = Tally::new(device, "some axes of a layout");
    let (shape, batch) = ([12, 20], 3);
    let all = places(&shape, batch);
    for axes in [[0], [1]] {
        tally.run(device, &Case::new(Kind::Forward, &shape).batch(batch).axes(&axes).layouts(&all[1], &all[3]));
        tally.run(device, &Case::new(Kind::Inverse, &shape).batch(batch).axes(&axes).in_place(true).layouts(&all[2], &all[2]));
    }
    // One axis with a stride.
    let strided = Places { strides: vec![3], distance: 500, offset: 2 };
    tally.run(device, &Case::new(Kind::Forward, &[100]).batch(4).layouts(&strided, &Places::dense(&[100])));
    tally.run(device, &Case::new(Kind::Forward, &[100]).batch(4).in_place(true).layouts(&strided, &strided));
    tally.finish();
}

pub fn reals_with_layouts(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "layouts of reals");
    let (shape, batch) = ([12, 20], 3);
    let (reals, complex) = (places(&shape, batch), places(&half(&shape), batch));
    for i in 0..reals.len() {
        let j = (i + 1) % reals.len();
        tally.run(device, &Case::new(Kind::R2c, &shape).batch(batch).layouts(&reals[i], &complex[j]));
        tally.run(device, &Case::new(Kind::C2r, &shape).batch(batch).layouts(&complex[i], &reals[j]));
    }
    tally.finish();
}

/// The check for gaps notices writes between elements. Here the writer is a transform that owns the
/// gaps.
pub fn what_lies_between_is_seen(device: &Device) {
    let padded = Places { strides: vec![16, 1], distance: 100, offset: 3 };
    let spec = C2c::forward([6, 16]).input_layout(Layout::dense([6, 16])).output_layout(Layout::strides([16, 1]).offset(3));
    let plan = device.planner.plan(spec).unwrap();
    let output = run_guarded(device, &plan, &complex_noise(96, 1));
    let own = padded.all(&[6, 10], 1);
    assert!((0..output.len()).any(|i| !own.contains(&i) && output[i].re.to_bits() != UNWRITTEN), "{}", device.name);
}
