//! The two kernels of Takemoto, Wada, Kondo and Honda whose times are in `tests/data`, as plain
//! wgpu code. They can be tuned although they are not plans.

pub mod takemoto;

use std::fmt;
use std::str::FromStr;

use wgpu_fft::Cause;
use wgpu_fft::low_level::tune::{Arrays, Compiled, Format, TestInput, Tolerance, Tunable, Verification};
use wgpu_fft::plan::Placement;
use wgpu_fft::{DeviceBuffer, DeviceProfile, Error, Gpu, View, wgpu};

/// u = 2⁻²⁴, the unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;

/// A kernel with one invocation per element of its output, for any workgroup shape.
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
    /// The product of a matrix with `inner` columns and one with `inner` rows. `size` is the number
    /// of columns and rows of the result.
    pub fn matrix_product(size: [u32; 2], inner: u32) -> Self {
        // lavapipe leaves longer loops early.
        assert!((1..=32_768).contains(&inner), "{inner}");
        Self { name: "matrix product", wgsl: include_str!("matrix_product.wgsl"), size, kind: Kind::MatrixProduct { inner } }
    }

    /// A picture with `picture` columns and rows, resized to `size`.
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

    /// The output computed by plain loops in f64.
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

    /// The largest distance of an output element from the reference, for inputs between -1 and 1.
    pub fn error_bound(&self) -> f64 {
        match self.kind {
            // Each product and each sum has an error of half a unit of at most `inner`; the
            // reference has its own.
            Kind::MatrixProduct { inner } => f64::from(inner) * (f64::from(inner) + 1.0) * U,
            // Positions have four roundings, of which the division may be five times as bad. Pixels
            // differ by at most 2 along each axis.
            Kind::BilinearResize { picture } => (2.0 * 8.0 * f64::from(picture[0] + picture[1]) + 16.0) * U,
        }
    }

    /// All workgroup shapes of powers of two that a device allows, up to 1024 invocations.
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

    /// The number of workgroups along x and y.
    pub fn grid(&self, shape: [u32; 2]) -> [u32; 2] {
        [0, 1].map(|axis| self.size[axis].div_ceil(shape[axis]))
    }

    /// The pipeline and bind group for one workgroup shape, or wgpu's error.
    pub fn prepare(
        &self,
        gpu: &Gpu,
        shape: [u32; 2],
        inputs: &[DeviceBuffer<f32>],
        output: &DeviceBuffer<f32>,
    ) -> Result<Prepared, String> {
        let views: Vec<View<'_, f32>> = inputs.iter().map(DeviceBuffer::view).collect();
        self.caught(gpu, shape, || self.bind(gpu, &self.pipeline(gpu, shape), shape, &views, output.view()))
    }

    /// The result of `work` for one workgroup shape, or wgpu's error.
    fn caught<T>(&self, gpu: &Gpu, shape: [u32; 2], work: impl FnOnce() -> T) -> Result<T, String> {
        let internal = gpu.device().push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
        let made = work();
        match [validation, internal].map(|scope| pollster::block_on(scope.pop())).into_iter().flatten().next() {
            None => Ok(made),
            Some(error) => Err(format!("{} in workgroups of {shape:?}: {error}", self.name)),
        }
    }

    fn pipeline(&self, gpu: &Gpu, shape: [u32; 2]) -> wgpu::ComputePipeline {
        let source = wgpu::ShaderSource::Wgsl(self.wgsl.into());
        let module = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(self.name), source });
        gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(self.name),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("WORKGROUP_X", f64::from(shape[0])), ("WORKGROUP_Y", f64::from(shape[1]))],
                ..Default::default()
            },
            cache: None,
        })
    }

    fn bind(
        &self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        shape: [u32; 2],
        inputs: &[View<'_, f32>],
        output: View<'_, f32>,
    ) -> Prepared {
        assert!(inputs.iter().map(View::len).eq(self.input_lens()) && output.len() == self.output_len(), "{}", self.name);
        let device = gpu.device();
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
        let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() }];
        entries.extend((1..).zip([&output].into_iter().chain(inputs)).map(|(binding, view)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: view.buffer(),
                offset: view.offset_bytes(),
                size: std::num::NonZeroU64::new(view.len_bytes()),
            }),
        }));
        let layout = pipeline.get_bind_group_layout(0);
        let bind_group =
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(self.name), layout: &layout, entries: &entries });
        Prepared { pipeline: pipeline.clone(), bind_group, grid: self.grid(shape) }
    }
}

/// The shape of a workgroup, printed as `32x4`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorkgroupShape(pub [u32; 2]);

impl fmt::Display for WorkgroupShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([x, y]) = self;
        write!(f, "{x}x{y}")
    }
}

impl FromStr for WorkgroupShape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let pair = text.split_once('x').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]));
        pair.map(Self).ok_or_else(|| Error::Parse { what: "workgroup", text: text.to_owned(), why: "it is written 32x4".to_owned() })
    }
}

impl fmt::Display for PaperKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [columns, rows] = self.size;
        match self.kind {
            Kind::MatrixProduct { inner } => write!(f, "{} {columns}x{rows} inner={inner}", self.name),
            Kind::BilinearResize { picture: [x, y] } => write!(f, "{} {x}x{y} to {columns}x{rows}", self.name),
        }
    }
}

/// The tuner finds a workgroup shape for these kernels as it does for plans. Without measuring, the
/// report's rule chooses it. Both inputs of a product have the same size.
impl Tunable for PaperKernel {
    type Recipe = WorkgroupShape;

    fn estimate(&self, profile: &DeviceProfile) -> Result<WorkgroupShape, Error> {
        let priority = match self.kind {
            Kind::MatrixProduct { .. } => takemoto::Priority::X,
            Kind::BilinearResize { .. } => takemoto::Priority::Y,
        };
        takemoto::local_size_2d(self.size, priority, &profile.into()).map(WorkgroupShape)
    }

    fn baseline(&self, _: &DeviceProfile) -> Result<WorkgroupShape, Error> {
        Ok(WorkgroupShape([8, 8]))
    }

    /// The rule's choice with either priority, and squares, which the rule never chooses because
    /// its choices lie on ridges along which nothing changes.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<WorkgroupShape> {
        let both = [takemoto::Priority::X, takemoto::Priority::Y];
        let by_rule = both.into_iter().filter_map(|priority| takemoto::local_size_2d(self.size, priority, &profile.into()).ok());
        by_rule.chain([[16, 16], [8, 8]]).map(WorkgroupShape).collect()
    }

    fn neighbours(&self, WorkgroupShape(shape): &WorkgroupShape, _: &DeviceProfile) -> Vec<WorkgroupShape> {
        takemoto::six_neighbours(*shape).into_iter().map(WorkgroupShape).collect()
    }

    fn verification(&self) -> Verification {
        Verification { input: TestInput::Numbers(Format::F32, -1.0, 1.0), output: Tolerance::Numbers(Format::F32, 1e-6) }
    }

    fn arrays(&self, _: &DeviceProfile) -> Result<Arrays, Error> {
        let lens = self.input_lens();
        assert!(lens.iter().all(|len| *len == lens[0]), "{self}");
        let bytes = |len: usize| len as u64 * 4;
        let placement = Placement::OutOfPlace;
        Ok(Arrays { input_bytes: bytes(lens[0]), inputs: lens.len(), output_bytes: bytes(self.output_len()), placement })
    }

    fn fingerprint(&self, recipe: &WorkgroupShape, profile: &DeviceProfile) -> Result<u64, Error> {
        let WorkgroupShape([x, y]) = *recipe;
        let fits = |limit: u32| x.checked_mul(y).is_some_and(|all| (1..=limit).contains(&all));
        if fits(profile.invocations) && x <= profile.workgroup_size[0] && y <= profile.workgroup_size[1] {
            return Ok(u64::from(x) << 32 | u64::from(y));
        }
        let (what, limit) = (format!("{self} in workgroups of {recipe}"), "max_compute_invocations_per_workgroup");
        Err(Error::LimitExceeded { what, limit, required: u64::from(x) * u64::from(y), available: profile.invocations.into() })
    }

    fn compile(&self, gpu: &Gpu, recipe: &WorkgroupShape) -> Result<Compiled, Error> {
        let (own, gpu, shape) = (self.clone(), gpu.clone(), recipe.0);
        let failed = |message: String| Error::Wgpu { during: "preparing a test kernel", source: Cause::new(message) };
        let pipeline = self.caught(&gpu, shape, || self.pipeline(&gpu, shape)).map_err(failed)?;
        Ok(Box::new(move |bindings| {
            let floats = |view: View<'_, u32>| (view.buffer().clone(), view.offset_bytes(), view.len());
            let inputs = bindings.inputs.map(floats);
            let views = inputs[..own.input_lens().len()].iter().map(|(buffer, offset, len)| View::new(buffer, *offset, *len));
            let views = views.collect::<Result<Vec<_>, _>>()?;
            let (buffer, offset, len) = floats(bindings.output);
            let output = View::new(&buffer, offset, len)?;
            let prepared = own.caught(&gpu, shape, || own.bind(&gpu, &pipeline, shape, &views, output)).map_err(failed)?;
            Ok(Box::new(move |pass| prepared.record(pass)))
        }))
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

/// Along one axis: the two pixels around element `i` of `size` in a picture of `picture` pixels,
/// and the weight of the second.
fn around(i: usize, size: usize, picture: usize) -> ([usize; 2], f64) {
    let at = ((i as f64 + 0.5) * picture as f64 / size as f64 - 0.5).clamp(0.0, (picture - 1) as f64);
    let low = at as usize;
    ([low, (low + 1).min(picture - 1)], at - low as f64)
}
