//! The two kernels of Takemoto, Wada, Kondo and Honda whose times are in `tests/data`, as plain wgpu code: something to tune that is no plan.

#![allow(dead_code, reason = "tests and benchmarks use different parts")]

use wgpu_fft::{DeviceBuffer, DeviceProfile, Gpu, wgpu};

/// u = 2⁻²⁴, the rounding unit of f32.
const U: f64 = 1.0 / 16_777_216.0;

/// A kernel with one invocation per element of its output, for any shape of workgroups.
#[derive(Clone, PartialEq, Debug)]
pub struct PaperKernel {
    pub name: &'static str,
    pub wgsl: &'static str,
    /// Columns and rows of the output.
    pub size: [u32; 2],
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    MatrixProduct { inner: u32 },
    BilinearResize { picture: [u32; 2] },
}

impl PaperKernel {
    /// The product of a matrix of `inner` columns and one of `inner` rows, with a result of `size` columns and rows.
    pub fn matrix_product(size: [u32; 2], inner: u32) -> Self {
        // lavapipe leaves longer loops.
        assert!((1..=32_768).contains(&inner), "{inner}");
        Self { name: "matrix product", wgsl: include_str!("matrix_product.wgsl"), size, kind: Kind::MatrixProduct { inner } }
    }

    /// A picture of `picture` columns and rows, resized to `size`.
    pub fn bilinear_resize(size: [u32; 2], picture: [u32; 2]) -> Self {
        Self { name: "bilinear resize", wgsl: include_str!("bilinear_resize.wgsl"), size, kind: Kind::BilinearResize { picture } }
    }

    /// Elements of the output.
    pub fn output_len(&self) -> usize {
        area(self.size)
    }

    /// Elements of each input.
    pub fn input_lens(&self) -> Vec<usize> {
        match self.kind {
            Kind::MatrixProduct { inner } => vec![area([inner, self.size[1]]), area([self.size[0], inner])],
            Kind::BilinearResize { picture } => vec![area(picture)],
        }
    }

    /// Noise between -1 and 1.
    pub fn inputs(&self, seed: u64) -> Vec<Vec<f32>> {
        let mut state = seed;
        let mut next = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((word ^ (word >> 31)) >> 40) as f32 / 8_388_608.0 - 1.0
        };
        self.input_lens().into_iter().map(|len| (0..len).map(|_| next()).collect()).collect()
    }

    /// The output by plain loops in f64.
    pub fn reference(&self, inputs: &[Vec<f32>]) -> Vec<f32> {
        let [columns, rows] = self.size.map(|extent| extent as usize);
        match self.kind {
            Kind::MatrixProduct { inner } => {
                let (left, right, inner) = (&inputs[0], &inputs[1], inner as usize);
                let element = |x: usize, y: usize| {
                    (0..inner).map(|i| f64::from(left[y * inner + i]) * f64::from(right[i * columns + x])).sum::<f64>()
                };
                (0..columns * rows).map(|place| element(place % columns, place / columns) as f32).collect()
            }
            Kind::BilinearResize { picture } => {
                let [picture_columns, picture_rows] = picture.map(|extent| extent as usize);
                let pixel = |x: usize, y: usize| f64::from(inputs[0][x * picture_rows + y]);
                let between = |low: f64, high: f64, weight: f64| low + (high - low) * weight;
                let element = |x: usize, y: usize| {
                    let ([x0, x1], wx) = around(x, columns, picture_columns);
                    let ([y0, y1], wy) = around(y, rows, picture_rows);
                    between(between(pixel(x0, y0), pixel(x1, y0), wx), between(pixel(x0, y1), pixel(x1, y1), wx), wy)
                };
                (0..columns * rows).map(|place| element(place / rows, place % rows) as f32).collect()
            }
        }
    }

    /// How far an element of the output may be from the reference where inputs are between -1 and 1.
    pub fn error_bound(&self) -> f64 {
        match self.kind {
            // Of each product and each sum half a unit of at most `inner`, and the reference's own.
            Kind::MatrixProduct { inner } => f64::from(inner) * (f64::from(inner) + 1.0) * U,
            // Positions have four roundings, of which the division may be five times as bad; pixels differ by at most 2 along each axis.
            Kind::BilinearResize { picture } => (2.0 * 8.0 * f64::from(picture[0] + picture[1]) + 16.0) * U,
        }
    }

    /// Every workgroup of powers of two that a device allows, up to 1024 invocations.
    pub fn shapes(&self, profile: &DeviceProfile) -> Vec<[u32; 2]> {
        let most = profile.invocations.min(1024);
        let powers =
            |axis: usize| (0..=10).map(|exponent| 1 << exponent).filter(move |&extent: &u32| extent <= profile.workgroup_size[axis]);
        let shapes = powers(1).flat_map(|y| powers(0).map(move |x| [x, y]));
        shapes
            .filter(|[x, y]| x * y <= most)
            .filter(|&shape| self.grid(shape).iter().all(|&groups| groups <= profile.groups_per_axis))
            .collect()
    }

    /// Workgroups along x and y.
    pub fn grid(&self, shape: [u32; 2]) -> [u32; 2] {
        [0, 1].map(|axis| self.size[axis].div_ceil(shape[axis]))
    }

    /// Pipeline and bind group for workgroups of one shape; an error is wgpu's.
    pub fn prepare(
        &self,
        gpu: &Gpu,
        shape: [u32; 2],
        inputs: &[DeviceBuffer<f32>],
        output: &DeviceBuffer<f32>,
    ) -> Result<Prepared, String> {
        assert!(inputs.iter().map(DeviceBuffer::len).eq(self.input_lens()) && output.len() == self.output_len(), "{}", self.name);
        let device = gpu.device();
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let source = wgpu::ShaderSource::Wgsl(self.wgsl.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(self.name), source });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(self.name),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("WORKGROUP_X", f64::from(shape[0])), ("WORKGROUP_Y", f64::from(shape[1]))],
                ..Default::default()
            },
            cache: None,
        });
        let params = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("params"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let words = match self.kind {
            Kind::MatrixProduct { inner } => [self.size[0], self.size[1], inner, 0],
            Kind::BilinearResize { picture } => [self.size[0], self.size[1], picture[0], picture[1]],
        };
        gpu.queue().write_buffer(&params, 0, bytemuck::bytes_of(&words));
        let buffers = [&params, output.wgpu()].into_iter().chain(inputs.iter().map(DeviceBuffer::wgpu));
        let entries: Vec<_> =
            (0..).zip(buffers).map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }).collect();
        let layout = pipeline.get_bind_group_layout(0);
        let bind_group =
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(self.name), layout: &layout, entries: &entries });
        match [validation, internal].map(|scope| pollster::block_on(scope.pop())).into_iter().flatten().next() {
            None => Ok(Prepared { pipeline, bind_group, grid: self.grid(shape) }),
            Some(error) => Err(format!("{} in workgroups of {shape:?}: {error}", self.name)),
        }
    }
}

/// A kernel that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    grid: [u32; 2],
}

impl Prepared {
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.dispatch_workgroups(self.grid[0], self.grid[1], 1);
    }
}

fn area([columns, rows]: [u32; 2]) -> usize {
    columns as usize * rows as usize
}

/// The pixels around element `i` of `size` in a picture of `picture` along an axis, and the weight of the second.
fn around(i: usize, size: usize, picture: usize) -> ([usize; 2], f64) {
    let at = ((i as f64 + 0.5) * picture as f64 / size as f64 - 0.5).clamp(0.0, (picture - 1) as f64);
    let low = at as usize;
    ([low, (low + 1).min(picture - 1)], at - low as f64)
}
