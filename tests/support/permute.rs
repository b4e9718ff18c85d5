//! Test cases for permutations, and their expected results.

use wgpu_fft::Element;
use wgpu_fft::Layout;
use wgpu_fft::transpose::Permute;

use crate::reference::Places;

/// A permutation, with layouts as the tests describe them.
#[derive(Clone, Debug)]
pub struct Case {
    pub shape: Vec<usize>,
    pub order: Vec<usize>,
    pub batch: usize,
    pub input: Option<Places>,
    pub output: Option<Places>,
    /// The number of elements of the arrays beyond the last one of the layouts.
    pub more: usize,
    pub in_place: bool,
}

impl Case {
    pub fn new(shape: &[usize], order: &[usize]) -> Self {
        Self { shape: shape.to_vec(), order: order.to_vec(), batch: 1, input: None, output: None, more: 0, in_place: false }
    }

    pub fn transpose(shape: &[usize]) -> Self {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        order.swap(shape.len() - 2, shape.len() - 1);
        Self::new(shape, &order)
    }

    pub fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    pub fn layouts(self, input: Option<Places>, output: Option<Places>) -> Self {
        Self { input, output, ..self }
    }

    pub fn more(self, more: usize) -> Self {
        Self { more, ..self }
    }

    pub fn in_place(self) -> Self {
        Self { in_place: true, ..self }
    }

    pub fn output_shape(&self) -> Vec<usize> {
        self.order.iter().map(|&axis| self.shape[axis]).collect()
    }

    pub fn spec<T: Element>(&self) -> Permute<T> {
        let mut spec = Permute::new(&self.shape, &self.order).batch(self.batch);
        let layout = |places: &Places, shape: &[usize]| -> Layout {
            let layout = places.layout();
            if self.more > 0 { layout.within(places.span(shape, self.batch) + self.more) } else { layout }
        };
        if let Some(places) = &self.input {
            spec = spec.input_layout(layout(places, &self.shape));
        }
        if let Some(places) = &self.output {
            spec = spec.output_layout(layout(places, &self.output_shape()));
        }
        if self.in_place { spec.in_place() } else { spec }
    }

    /// For each element of the output: where it comes from and where it goes.
    fn moves(&self) -> Vec<(usize, usize)> {
        let output_shape = self.output_shape();
        let input = self.input.clone().unwrap_or_else(|| Places::dense(&self.shape)).all(&self.shape, self.batch);
        let output = self.output.clone().unwrap_or_else(|| Places::dense(&output_shape)).all(&output_shape, self.batch);
        let elements: usize = self.shape.iter().product();
        let from = |i: usize| {
            let mut rest = i % elements;
            let mut index = vec![0; self.shape.len()];
            for (k, &axis) in self.order.iter().enumerate().rev() {
                index[axis] = rest % output_shape[k];
                rest /= output_shape[k];
            }
            i / elements * elements + index.iter().zip(&self.shape).fold(0, |sum, (j, extent)| sum * extent + j)
        };
        (0..elements * self.batch).map(|i| (input[from(i)], output[i])).collect()
    }

    /// The final content of an array that held `before`.
    pub fn expected<T: Element>(&self, input: &[T], before: &[T]) -> Vec<T> {
        let mut output = before.to_vec();
        self.moves().into_iter().for_each(|(from, to)| output[to] = input[from]);
        output
    }
}

/// Elements that use all bits.
pub fn elements<T: Element>(len: usize) -> Vec<T> {
    let bytes = (0..len * size_of::<T>()).map(|i| (i as u32).wrapping_mul(0x9e37_79b1).to_be_bytes()[0]);
    bytemuck::pod_collect_to_vec(&bytes.collect::<Vec<u8>>())
}

/// Every order of `rank` axes.
pub fn orders(rank: usize) -> Vec<Vec<usize>> {
    if rank == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in orders(rank - 1) {
        for at in 0..rank {
            let mut order = shorter.clone();
            order.insert(at, rank - 1);
            all.push(order);
        }
    }
    all
}

/// Hand-written recipes for every kernel and option. Those that do not fit a case are skipped.
pub const PERMUTATIONS: [&str; 32] = [
    "tiles 64x64 width=16 blocks=1 swizzle walk=rows",
    "tiles 64x64 width=16 blocks=2 padding=1 walk=columns",
    "tiles 32x32 width=8 blocks=1 swizzle walk=diagonal",
    "tiles 32x32 width=4 blocks=4 padding=1 walk=bands3",
    "tiles 16x16 width=16 blocks=4 swizzle walk=rows",
    "tiles 16x16 width=16 blocks=2 padding=0 walk=diagonal",
    "tiles 128x128 width=8 blocks=1 swizzle walk=rows",
    "tiles 128x128 width=16 blocks=1 swizzle walk=bands2",
    "tiles 32x64 load=16 store=4 blocks=1 swizzle walk=rows",
    "tiles 64x32 load=4 store=16 blocks=1 swizzle walk=columns",
    "tiles 64x64 load=8 store=4 blocks=2 padding=3 walk=rows",
    // Fewer blocks along a than invocations that store at once.
    "tiles 128x32 load=8 store=4 blocks=1 swizzle walk=columns",
    // In place, f32: two tiles in turns, several blocks of each.
    "tiles 64x64 width=16 blocks=2 swizzle walk=bands2",
    "tiles 48x24 width=4 blocks=3 padding=1 walk=rows",
    "tiles 24x40 width=8 blocks=1 padding=2 walk=rows",
    "tiles 8x8 width=16 blocks=1 swizzle walk=rows",
    "tiles 256x4 load=4 store=16 blocks=1 swizzle walk=rows",
    "tiles 4x256 load=16 store=4 blocks=1 swizzle walk=rows",
    "blocks 16x64 width=16 blocks=1 along=rows walk=rows",
    "blocks 32x32 width=16 blocks=2 along=columns walk=columns",
    "blocks 16x16 width=32 blocks=1 along=rows walk=rows",
    "blocks 16x32 load=32 store=16 blocks=1 along=columns walk=diagonal",
    "blocks 8x8 width=8 blocks=1 along=rows walk=bands2",
    "blocks 8x8 width=4 blocks=4 along=columns walk=rows",
    "blocks 12x20 width=4 blocks=1 along=rows walk=rows",
    "strided 32x8 elements=1",
    "strided 8x4 elements=4",
    "strided 64x1 elements=8",
    "gather 8x32",
    "gather 16x3",
    "swap 32x8",
    "swap 5x7",
];

/// Recipes of permutations with fragments. Those that do not fit a case are skipped.
pub const MAPPED: [&str; 8] = [
    "tiled 16+1 elements=4",
    "tiled 8+0 elements=1",
    "tiled 4+3 elements=2",
    "tiled 32+1 elements=16",
    "strided 8x4 elements=1",
    "strided 3x5 elements=2",
    "strided 64x1 elements=8",
    "strided 1x1 elements=1",
];

/// Transposes of padded rows and parts of larger arrays on both sides, aligned and unaligned;
/// interleaved channels; overlapping rows, `apart` elements from each
/// other. Then copies that only change the length of rows.
pub fn in_layouts(apart: usize) -> Vec<Case> {
    let mut all = Vec::new();
    for (rows, columns, batch) in [(20, 24, 2), (13, 35, 3)] {
        let inputs = [
            Places { strides: vec![columns + 8, 1], distance: rows * (columns + 8) + 16, offset: 32 },
            Places { strides: vec![columns + 3, 1], distance: rows * (columns + 3) + 5, offset: 7 },
            Places { strides: vec![columns * batch, batch], distance: 1, offset: 0 },
            Places { strides: vec![apart, 1], distance: 16, offset: 16 },
        ];
        let outputs = [
            Places { strides: vec![rows + 12, 1], distance: columns * (rows + 12), offset: 16 },
            Places { strides: vec![rows + 1, 1], distance: columns * (rows + 1) + 2, offset: 3 },
            Places { strides: vec![3 * rows, 3], distance: 3 * columns * rows, offset: 1 },
        ];
        for (i, input) in inputs.iter().enumerate() {
            for (j, output) in outputs.iter().enumerate() {
                let case = Case::transpose(&[rows, columns]).batch(batch).layouts(Some(input.clone()), Some(output.clone()));
                all.push(case.more(16 * ((i + j) % 2)));
            }
        }
        all.extend(outputs.map(|output| Case::new(&[columns, rows], &[0, 1]).batch(batch).layouts(None, Some(output))));
    }
    all
}
