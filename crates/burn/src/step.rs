//! What burn calls: operations of its backend, and their backward passes.

use std::sync::Arc;

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind, unary};
use burn::backend::tensor::FloatTensor;
use burn::backend::wgpu::{CubeBackend, CubeTensor};
use burn::backend::{Autodiff, Backend, TensorMetadata, backend_extension};
use burn::tensor::{DType, Shape, Slice};
use burn_cubecl::cubecl::wgpu::{AutoCompiler, WgpuServer};
use burn_cubecl::kernel::into_contiguous;
use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::{FragmentArrays, Gpu, Planner, Result, Spec, View};

use crate::unsupported;

/// One plan, what its result is, and those of its gradients.
#[derive(Debug)]
pub struct Step {
    plan: AnyPlan,
    gpu: Gpu,
    /// The extents of the result.
    dims: Vec<usize>,
    /// For each input, what makes its gradient of that of the result. None if nobody asks for it.
    gradients: Vec<Arc<Step>>,
    /// Where the result is in the array that its gradients take: the extents of that one, and the
    /// first element.
    padded: Option<[Vec<usize>; 2]>,
}

impl Step {
    pub fn new(planner: &Planner, spec: impl Spec, dims: Vec<usize>) -> Result<Self> {
        let plan = AnySpec::new(spec).plan(planner, None)?;
        Ok(Self { plan, gpu: planner.gpu().clone(), dims, gradients: Vec::new(), padded: None })
    }

    pub fn with_gradients(self, gradients: impl IntoIterator<Item = Self>) -> Self {
        Self { gradients: gradients.into_iter().map(Arc::new).collect(), ..self }
    }

    pub fn padded(self, extents: Vec<usize>, first: Vec<usize>) -> Self {
        Self { padded: Some([extents, first]), ..self }
    }

    /// Submits the operation. Everything that burn has recorded for its inputs is submitted before.
    fn run(&self, inputs: impl IntoIterator<Item = CubeTensor>) -> Result<CubeTensor> {
        let inputs: Vec<CubeTensor> = inputs.into_iter().map(into_contiguous).collect();
        let (client, device) = (inputs[0].client.clone(), inputs[0].device.clone());
        if client.is_capturing() {
            return Err(unsupported("a transform in a graph".to_owned(), "burn's graphs record nothing but its own kernels"));
        }
        let shape = Shape::from(self.dims.clone());
        // Rationale: wgpu refuses a dispatch that reads and writes parts of one buffer. Other modes than
        // this one may put the result beside an input.
        let bytes = shape.num_elements() * size_of::<f32>();
        let handle = client.memory_persistent_allocation((), |()| client.empty(bytes));
        let output = CubeTensor::new_contiguous(client.clone(), device, shape, handle, DType::F32);

        // This also hands to the queue what is pending on the streams of this thread and of the tensor.
        // What it returns keeps the memory from being moved or freed.
        let resource = |tensor: &CubeTensor| {
            let resource = client.get_resource::<WgpuServer<AutoCompiler>>(tensor.handle.clone());
            resource.map_err(|error| unsupported(format!("a tensor of {:?}", tensor.device), format!("burn has no buffer of it: {error}")))
        };
        let held = inputs.iter().chain([&output]).map(resource).collect::<Result<Vec<_>>>()?;
        let views = held.iter().map(|held| {
            let resource = held.resource();
            View::new(&resource.buffer, resource.offset, resource.size as usize)
        });
        let views = views.collect::<Result<Vec<View<'_, u8>>>>()?;
        let (output_view, input_views) = views.split_last().expect("there is an output");
        let bound = self.plan.bind(input_views, *output_view, &FragmentArrays::new())?;
        self.gpu.submit(|encoder| bound.encode(encoder))?;
        Ok(output)
    }

    /// The same where burn has no way to return an error.
    fn run_or_panic(&self, inputs: impl IntoIterator<Item = CubeTensor>) -> CubeTensor {
        self.run(inputs).unwrap_or_else(|error| panic!("`{}`: {error}", self.plan.spec()))
    }

    /// The gradient of the result as its gradients take it.
    fn pad<B: Backend>(&self, gradient: FloatTensor<B>) -> FloatTensor<B> {
        let Some([extents, first]) = &self.padded else { return gradient };
        let places: Vec<Slice> = self.dims.iter().zip(first).map(|(&n, &first)| Slice::from(first..first + n)).collect();
        let zeros = B::float_zeros(Shape::from(extents.clone()), &gradient.device(), gradient.dtype().into());
        B::float_slice_assign(zeros, &places, gradient)
    }
}

/// The operations by which burn's backends run a [`Step`].
#[backend_extension(Cube, Autodiff, Fusion: cfg(feature = "fusion"))]
pub trait Transforms: Backend {
    /// A step that is linear in its input.
    #[fusion(dtype = x, shape = Shape::from(step.dims.clone()))]
    fn run_linear(x: FloatTensor<Self>, step: Arc<Step>) -> FloatTensor<Self>;

    /// A step that is linear in each of two inputs.
    #[fusion(dtype = x, shape = Shape::from(step.dims.clone()))]
    fn run_bilinear(x: FloatTensor<Self>, y: FloatTensor<Self>, step: Arc<Step>) -> FloatTensor<Self>;
}

impl Transforms for CubeBackend {
    fn run_linear(x: CubeTensor, step: Arc<Step>) -> CubeTensor {
        step.run_or_panic([x])
    }

    fn run_bilinear(x: CubeTensor, y: CubeTensor, step: Arc<Step>) -> CubeTensor {
        step.run_or_panic([x, y])
    }
}

impl<B: Backend + Transforms, C: CheckpointStrategy> Transforms for Autodiff<B, C> {
    fn run_linear(x: FloatTensor<Self>, step: Arc<Step>) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Linear;

        impl<B: Backend + Transforms> Backward<B, 1> for Linear {
            type State = Arc<Step>;

            fn backward(self, ops: Ops<Arc<Step>, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
                let step = ops.state;
                unary::<B, _>(ops.parents, ops.node, gradients, |gradient| B::run_linear(gradient, Arc::clone(&step.gradients[0])));
            }
        }

        match Linear.prepare::<C>([x.node()]).compute_bound().stateful() {
            OpsKind::Tracked(operation) => operation.finish(Arc::clone(&step), B::run_linear(x.into_primitive(), step)),
            OpsKind::UnTracked(operation) => operation.finish(B::run_linear(x.into_primitive(), step)),
        }
    }

    fn run_bilinear(x: FloatTensor<Self>, y: FloatTensor<Self>, step: Arc<Step>) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Bilinear;

        impl<B: Backend + Transforms> Backward<B, 2> for Bilinear {
            /// The other input of each gradient, if that one is wanted.
            type State = ([Option<FloatTensor<B>>; 2], Arc<Step>);

            fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
                let (others, step) = ops.state;
                let gradient = step.pad::<B>(gradients.consume::<B>(&ops.node));
                for ((node, other), of_input) in ops.parents.into_iter().zip(others).zip(&step.gradients) {
                    if let (Some(node), Some(other)) = (node, other) {
                        gradients.register::<B>(node.id, B::run_bilinear(gradient.clone(), other, Arc::clone(of_input)));
                    }
                }
            }
        }

        match Bilinear.prepare::<C>([x.node(), y.node()]).compute_bound().stateful() {
            OpsKind::Tracked(operation) => {
                let tracked = [x.is_tracked(), y.is_tracked()];
                let [x, y] = [x.into_primitive(), y.into_primitive()];
                let others = [tracked[0].then(|| y.clone()), tracked[1].then(|| x.clone())];
                operation.finish((others, Arc::clone(&step)), B::run_bilinear(x, y, step))
            }
            OpsKind::UnTracked(operation) => operation.finish(B::run_bilinear(x.into_primitive(), y.into_primitive(), step)),
        }
    }
}
