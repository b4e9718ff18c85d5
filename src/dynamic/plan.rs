//! A plan without its types.

use std::fmt;
use std::sync::Arc;

use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::gpu::{AnyView, Pending, View, input_name};
use crate::plan::{Bound, FragmentArrays, Given, Placement, Plan, Program, Spec, TextureLevel, Untyped, Verified, begun, run_into, verify};

/// A [`Plan`](crate::Plan) without its types, which takes and returns bytes.
/// [`AnySpec::plan`](super::AnySpec::plan) makes it.
#[derive(Clone)]
pub struct AnyPlan {
    plan: Arc<dyn Untyped>,
    elements: [ElementType; 2],
}

impl AnyPlan {
    pub(super) fn new<S: Spec>(plan: Arc<Plan<S>>, elements: [ElementType; 2]) -> Self {
        Self { plan, elements }
    }

    /// What the plan computes.
    #[must_use]
    pub fn spec(&self) -> String {
        self.plan.spec()
    }

    /// How the plan computes it.
    #[must_use]
    pub fn recipe(&self) -> String {
        self.plan.recipe()
    }

    /// The exact list of dispatches that the plan runs, with the sizes of its arrays.
    #[must_use]
    pub fn program(&self) -> &Program {
        self.plan.executable().program()
    }

    /// What the input array holds, and the second one if there are two.
    #[must_use]
    pub fn input(&self) -> ElementType {
        self.elements[0]
    }

    /// What the output array holds.
    #[must_use]
    pub fn output(&self) -> ElementType {
        self.elements[1]
    }

    /// Whether the output array has places that no element of the result takes, as a layout may
    /// have them. A run does not write there.
    #[must_use]
    pub fn leaves_gaps(&self) -> bool {
        self.plan.sealed().leaves_gaps()
    }

    /// Runs the plan on host data, as [`Plan::run`](crate::Plan::run) does: one slice for each
    /// input, of as many bytes as the program says.
    ///
    /// # Errors
    /// Those of [`Plan::run`](crate::Plan::run).
    pub fn run(&self, inputs: &[&[u8]]) -> Result<Pending<Vec<u8>>> {
        self.run_with(inputs, FragmentArrays::NONE)
    }

    /// Runs the plan on host data, with arrays and uniforms on the device for its fragments.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn run_with(&self, inputs: &[&[u8]], arrays: &FragmentArrays<'_>) -> Result<Pending<Vec<u8>>> {
        self.check_bytes(inputs)?;
        let bytes = self.program().output().bytes() as usize;
        Ok(begun(&*self.plan, inputs, arrays)?.collect(bytes))
    }

    /// Runs the plan on host data, blocks until the result is there, and writes it into memory of
    /// the caller's, as [`Plan::run_into`](crate::Plan::run_into) does.
    ///
    /// # Errors
    /// Those of [`Plan::run_into`](crate::Plan::run_into).
    pub fn run_into(&self, inputs: &[&[u8]], output: &mut [u8]) -> Result<()> {
        self.check_bytes(inputs)?;
        if !output.len().is_multiple_of(self.output().bytes()) {
            return Err(ragged("output", output.len(), self.output()));
        }
        run_into(&*self.plan, inputs, FragmentArrays::NONE, output)
    }

    /// Verifies this device's results for this plan, as [`Plan::verify`](crate::Plan::verify) does.
    ///
    /// # Errors
    /// Those of [`Plan::verify`](crate::Plan::verify).
    pub fn verify(&self) -> Result<Verified> {
        verify(&*self.plan)
    }

    /// Fails unless each input consists of whole elements.
    fn check_bytes(&self, inputs: &[&[u8]]) -> Result<()> {
        let ragged_one = inputs.iter().enumerate().find(|(_, data)| !data.len().is_multiple_of(self.input().bytes()));
        ragged_one.map_or(Ok(()), |(i, data)| Err(ragged(input_name(i), data.len(), self.input())))
    }

    /// Binds the plan to arrays on the device, given as views of their bytes: one for each input
    /// and one for the output. An in-place plan has an output alone. The result records the
    /// operation any number of times, see [`Plan::bind`](crate::Plan::bind).
    ///
    /// # Errors
    /// Those of [`Plan::bind`](crate::Plan::bind).
    pub fn bind(&self, inputs: &[View<'_, u8>], output: View<'_, u8>, arrays: &FragmentArrays<'_>) -> Result<Bound> {
        let inputs: Vec<Operand<'_>> = inputs.iter().map(|view| Operand::Bytes(*view)).collect();
        self.bind_operands(&inputs, Operand::Bytes(output), arrays)
    }

    /// The same for a plan with textures among its inputs and outputs.
    ///
    /// # Errors
    /// Those of [`bind`](Self::bind).
    pub fn bind_operands(&self, inputs: &[Operand<'_>], output: Operand<'_>, arrays: &FragmentArrays<'_>) -> Result<Bound> {
        let executable = self.plan.executable();
        let output = output.given("output", self.output())?;
        if inputs.is_empty() && self.program().placement() == Placement::InPlace {
            return executable.bind_array(output, arrays);
        }
        let inputs = inputs.iter().enumerate().map(|(i, operand)| operand.given(input_name(i), self.input()));
        executable.bind_arrays(&inputs.collect::<Result<Vec<_>>>()?, output, arrays)
    }
}

/// An input or the output of a plan without its types.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// An array, as a view of its bytes.
    Bytes(View<'a, u8>),
    /// A texture, where a fragment says that there is one
    /// ([`Fragment::texels`](crate::Fragment::texels)).
    Texture(TextureLevel<'a>),
}

impl<'a> Operand<'a> {
    fn given(self, argument: &'static str, element: ElementType) -> Result<Given<'a>> {
        Ok(match self {
            Self::Bytes(view) => of_elements(argument, view, element)?.into(),
            Self::Texture(level) => level.into(),
        })
    }
}

/// The same bytes as elements.
fn of_elements<'a>(argument: &'static str, view: View<'a, u8>, element: ElementType) -> Result<AnyView<'a>> {
    if !view.len().is_multiple_of(element.bytes()) {
        return Err(ragged(argument, view.len(), element));
    }
    View::of_bytes(view.buffer(), view.offset_bytes(), view.len() / element.bytes(), element.bytes())
}

fn ragged(argument: &str, bytes: usize, element: ElementType) -> Error {
    let why = format!("an element of {element} has {} bytes", element.bytes());
    Error::Unsupported { what: format!("an array of {bytes} bytes as {argument}"), why }
}

impl fmt::Debug for AnyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyPlan(`{}` by `{}`)", self.spec(), self.recipe())
    }
}
