//! A specification without its types.

use std::fmt;
use std::sync::Arc;

use super::AnyPlan;
use crate::element::ElementType;
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::gpu::DeviceProfile;
use crate::plan::{Program, Spec};
use crate::planner::Planner;
use crate::tune::Choice;

/// Any specification, with element types that are known when the program runs. The
/// [module](super) lists the texts that it is parsed from.
///
/// ```
/// use wgpu_fft::dynamic::AnySpec;
/// use wgpu_fft::{DeviceProfile, ElementType, Fragment};
///
/// let spec: AnySpec = "c2c fwd 480x640".parse()?;
/// let grey = Fragment::new("vec2(dot(vec3<f32>(value), vec3(0.299, 0.587, 0.114)) / 255.0, 0.0)");
/// let spec = spec.map_input(grey, "u8x3".parse()?)?;
/// assert_eq!((spec.input().name(), spec.output().name()), ("u8x3", "complex f32"));
/// println!("{}", spec.lower(None, &DeviceProfile::webgpu_defaults())?);
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct AnySpec {
    pub(super) operation: Arc<dyn Operation>,
    elements: [ElementType; 2],
    map: Option<Arc<Map>>,
}

/// Makes the specification whose input (0) or output (1) has elements of some type, on which a
/// fragment works.
type Map = dyn Fn(usize, Fragment, ElementType) -> Result<AnySpec> + Send + Sync;

/// A specification without its types.
pub(super) trait Operation: fmt::Display + Send + Sync {
    /// The program by a recipe, or by the one that the rules choose.
    fn lower(&self, recipe: Option<&str>, profile: &DeviceProfile) -> Result<Program>;
    /// The recipe that a planner chooses.
    fn choose(&self, planner: &Planner) -> Result<Choice<String>>;
    /// How many operations a host takes for it, and a device.
    fn operations(&self) -> Option<[f64; 2]>;
    /// A hash of what a device would run.
    fn fingerprint(&self, recipe: &str, profile: &DeviceProfile) -> Result<u64>;
    /// The program by a recipe, or by the one that a planner chooses.
    #[cfg(target_arch = "wasm32")]
    fn program(&self, planner: &Planner, recipe: Option<&str>) -> Result<Program>;
    /// The plan by a recipe, or by the one that a planner chooses, which keeps it or does not.
    fn plan(&self, planner: &Planner, recipe: Option<&str>, elements: [ElementType; 2], is_kept: bool) -> Result<AnyPlan>;
}

impl<S: Spec> Operation for S {
    fn lower(&self, recipe: Option<&str>, profile: &DeviceProfile) -> Result<Program> {
        let recipe = recipe.map_or_else(|| self.design(profile), str::parse)?;
        crate::Spec::lower(self, &recipe, profile)
    }

    fn choose(&self, planner: &Planner) -> Result<Choice<String>> {
        Ok(planner.choose(self)?.map(|recipe| recipe.to_string()))
    }

    fn operations(&self) -> Option<[f64; 2]> {
        crate::plan::Sealed::operations(self)
    }

    fn fingerprint(&self, recipe: &str, profile: &DeviceProfile) -> Result<u64> {
        crate::tune::tunable::Tunable::fingerprint(self, &recipe.parse()?, profile)
    }

    #[cfg(target_arch = "wasm32")]
    fn program(&self, planner: &Planner, recipe: Option<&str>) -> Result<Program> {
        crate::Spec::lower(self, &chosen(self, planner, recipe)?, planner.gpu().profile())
    }

    fn plan(&self, planner: &Planner, recipe: Option<&str>, elements: [ElementType; 2], is_kept: bool) -> Result<AnyPlan> {
        let (spec, recipe) = (self.clone(), chosen(self, planner, recipe)?);
        let plan = if is_kept { planner.plan_with(spec, recipe)? } else { Arc::new(planner.build(spec, recipe)?) };
        Ok(AnyPlan::new(plan, elements))
    }
}

/// A recipe from its text, or the one that the planner chooses.
fn chosen<S: Spec>(spec: &S, planner: &Planner, recipe: Option<&str>) -> Result<S::Recipe> {
    recipe.map_or_else(|| Ok(planner.choose(spec)?.recipe), str::parse)
}

impl AnySpec {
    /// A specification without its types. Fragments must be added before.
    pub fn new<S: Spec>(spec: S) -> Self {
        let elements = [ElementType::of::<S::Input>(), ElementType::of::<S::Output>()];
        Self { operation: Arc::new(spec), elements, map: None }
    }

    /// A specification whose types do not say what its arrays hold, and the function that adds
    /// fragments to it.
    pub(crate) fn untyped<S: Spec>(
        spec: S,
        elements: [ElementType; 2],
        map: impl Fn(usize, Fragment, ElementType) -> Result<Self> + Send + Sync + 'static,
    ) -> Self {
        Self { operation: Arc::new(spec), elements, map: Some(Arc::new(map)) }
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

    /// Applies a fragment of WGSL to every element that is loaded. The input array holds elements
    /// of this type then.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line and the column, if the fragment is not valid;
    /// [`Error::LimitExceeded`] if it is too long; [`Error::Unsupported`] for a type that no
    /// fragment can read, and for specifications other than Fourier transforms, permutations and
    /// reductions that come from a text.
    pub fn map_input(&self, fragment: Fragment, element: ElementType) -> Result<Self> {
        self.mapped(0, fragment, element)
    }

    /// Applies a fragment of WGSL to every result before it is stored. The output array holds
    /// elements of this type then.
    ///
    /// # Errors
    /// As [`map_input`](Self::map_input), and [`Error::Unsupported`] for a type whose elements
    /// share words of 4 bytes.
    pub fn map_output(&self, fragment: Fragment, element: ElementType) -> Result<Self> {
        self.mapped(1, fragment, element)
    }

    fn mapped(&self, side: usize, fragment: Fragment, element: ElementType) -> Result<Self> {
        let why = "only Fourier transforms, permutations and reductions from a text take one here";
        let refused = || Error::Unsupported { what: format!("a fragment in `{self}`"), why: why.to_owned() };
        self.map.as_ref().ok_or_else(refused)?(side, fragment, element)
    }

    /// The program that a device like `profile` would run, by a recipe or else by the rules. No
    /// device is needed.
    ///
    /// # Errors
    /// Those of [`Spec::design`](crate::Spec::design) and [`Spec::lower`](crate::Spec::lower), and
    /// [`Error::Parse`] if the recipe is none.
    pub fn lower(&self, recipe: Option<&str>, profile: &DeviceProfile) -> Result<Program> {
        self.operation.lower(recipe, profile)
    }

    /// The text of the recipe that a planner chooses, and where it comes from. See
    /// [`Planner::choose`].
    ///
    /// # Errors
    /// Those of [`Planner::choose`].
    pub fn choose(&self, planner: &Planner) -> Result<Choice<String>> {
        self.operation.choose(planner)
    }

    pub(crate) fn operations(&self) -> Option<[f64; 2]> {
        self.operation.operations()
    }

    /// A hash of everything that a device like `profile` would run for a recipe, by which records
    /// of measurements know stale entries. See
    /// [`Tunable::fingerprint`](crate::low_level::tune::Tunable::fingerprint).
    ///
    /// # Errors
    /// If the recipe does not fit, or does not solve this computation.
    pub fn fingerprint(&self, recipe: &str, profile: &DeviceProfile) -> Result<u64> {
        self.operation.fingerprint(recipe, profile)
    }

    /// The plan by a recipe, or by the one that the planner chooses, as
    /// [`Planner::plan_with`] and [`Planner::plan`] return it.
    ///
    /// # Errors
    /// Those of [`Planner::plan_with`], and [`Error::Parse`] if the recipe is none.
    pub fn plan(&self, planner: &Planner, recipe: Option<&str>) -> Result<AnyPlan> {
        self.operation.plan(planner, recipe, self.elements, true)
    }

    /// The same plan without blocking the executor, as [`Planner::plan_async`] returns it.
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan).
    pub async fn plan_async(&self, planner: &Arc<Planner>, recipe: Option<&str>) -> Result<AnyPlan> {
        #[cfg(target_arch = "wasm32")]
        planner.try_precision(&self.operation.program(planner, recipe)?).await?;
        let (spec, recipe) = (self.clone(), recipe.map(str::to_owned));
        planner.aside(move |planner| spec.plan(planner, recipe.as_deref())).await
    }

    /// The same plan, which the planner does not keep: for programs that decide themselves which
    /// they keep. See [`Planner::build`].
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan).
    pub fn build(&self, planner: &Planner, recipe: Option<&str>) -> Result<AnyPlan> {
        self.operation.plan(planner, recipe, self.elements, false)
    }
}

impl fmt::Display for AnySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operation.fmt(f)
    }
}

impl fmt::Debug for AnySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnySpec(`{self}`, {} to {})", self.input(), self.output())
    }
}
