//! The inverse short-time Fourier transform.

use std::fmt;
use std::marker::PhantomData;

use num_complex::Complex32;

use super::core::Core;
use super::spec::Stft;
use crate::edge::Edge;
use crate::element::plain_data;
use crate::error::{Error, Result, refuse_if, within};
use crate::fft;
use crate::fft::ops::framed::Framed;
use crate::fragment::{Form, Maps};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::signal::overlap_add;
use crate::plan::{Array, Placement, Program, Spec};
use crate::signal::number::Number;
use crate::text::parsed;

/// Inverse short-time Fourier transform: the signal from the spectra of its frames.
///
/// ```no_run
/// use wgpu_fft::signal::Stft;
/// use wgpu_fft::signal::window::Window;
/// use wgpu_fft::{Complex32, Planner};
///
/// # fn quieter(planner: &Planner, sound: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// let window: Vec<f64> = Window::Hann.periodic(1024)?;
/// let stft = Stft::<f32>::new(sound.len(), &window, 256);
/// let mut spectra = planner.plan(stft.clone())?.run(sound)?.wait()?;
/// spectra.iter_mut().for_each(|value: &mut Complex32| *value *= 0.5);
/// let sound = planner.plan(stft.inverse()?)?.run(&spectra)?.wait()?;
/// # Ok(sound)
/// # }
/// ```
///
/// # Definition
/// x\[i\] = Σₚ v\[j\] · yₚ\[j\], with j = i - p·h + ⌊m/2⌋ in 0 … m-1, where yₚ is the inverse
/// transform of frame p, divided by N, with the phases of the [`Stft`], and v is the
/// canonical dual window: v\[j\] = w\[j\] / Σ w\[j'\]², over all j' in 0 … m-1 that are whole hops
/// from j. Of all signals, x is the one whose spectra differ least from those given, in the
/// two-norm, apart from the ends. If all frames that reach the signal are there, the inverse of the
/// transform is the signal itself. If [`frames`](Stft::frames) chose some of them, the
/// others count as zeros, as in SciPy.
///
/// # Shapes
/// The input has the shape of the transform's output, and the output that of its input.
///
/// # Accuracy
/// For all frames of a signal, the relative two-norm error of going there and back is at most
/// 4·u·√log₂N times the root of the largest over the smallest Σ w\[j\]² of all places in a hop,
/// where u = 2⁻²⁴. This root is 1 for Hann windows that overlap by three quarters.
///
/// # Determinism
/// That of [`C2r`](crate::fft::C2r) and [`C2c`](crate::fft::C2c). Each element is a sum of frames
/// in ascending order, without atomics.
///
/// # Cost
/// The passes of the transforms, which multiply with the dual window as they store, and one that
/// adds frames. Between them is a workspace of all frames, m/h times the signal.
///
/// # Errors
/// [`Stft::inverse`] returns [`Error::Unsupported`] where no window is an
/// inverse: a hop larger than the window, or a place of the hop where the squares of the window add
/// up to less than 10⁻¹⁰ of their sum elsewhere. Planning returns [`Error::LimitExceeded`] if the
/// device cannot hold or bind the frames, and [`Error::UnfitRecipe`] for a recipe given by hand.
///
/// # Sources
/// J. B. Allen and L. R. Rabiner, Proc. IEEE 65 (1977) 1558; D. W. Griffin and J. S. Lim, IEEE
/// Trans. ASSP 32 (1984) 236; the documentation of SciPy's `ShortTimeFFT`.
#[must_use]
pub struct Istft<T> {
    core: Core,
    element: PhantomData<fn() -> T>,
}

plain_data!(Istft<T> { core });

impl<T: Number> Stft<T> {
    /// The transform back, with the same window, frames, scaling, phases and order. A fragment on
    /// the output and the edge have no part in it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the numbers, if the window and the
    /// hop do not allow it, or if the transform itself makes no sense.
    pub fn inverse(&self) -> Result<Istft<T>> {
        refuse_if(self.core.adjoint, self, "the adjoint of an inverse is a transform without an inverse here")?;
        Istft::new(self.core.clone())
    }

    /// The adjoint, as [`C2c::adjoint`](crate::fft::C2c::adjoint) defines it: what a gradient goes
    /// through on its way back through a spectrogram. It is the inverse with the window itself in
    /// place of its dual and without the factor 1/N; of real signals, numbers of a half-spectrum
    /// that stand for two count half. Any window and hop have one.
    ///
    /// ```
    /// use wgpu_fft::signal::Stft;
    ///
    /// let stft = Stft::<f32>::new(48_000, &[0.5f32; 512], 128);
    /// assert!(stft.adjoint()?.to_string().ends_with(" hop=128 adjoint"));
    /// assert_eq!(stft.adjoint()?.adjoint()?, stft);
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] with a fragment on the output, which need not
    /// be linear, and with an edge other than zeros; those of planning.
    pub fn adjoint(&self) -> Result<Istft<T>> {
        Maps(&self.core.ends.maps).check_linear(self)?;
        Istft::new(Core { adjoint: !self.core.adjoint, ..self.core.clone() })
    }
}

impl<T: Number> Istft<T> {
    fn new(mut core: Core) -> Result<Self> {
        core.table_back()?;
        core.framed()?;
        // What continues a signal past its ends has no part in the way back.
        (core.ends.maps, core.edge) = ([None, None], Edge::Zero);
        Ok(Self { core, element: PhantomData })
    }

    /// The canonical dual window, in f64. An [adjoint](Stft::adjoint) does not use it.
    ///
    /// # Errors
    /// Those of [`Stft::inverse`], of an adjoint of which no window is an inverse.
    pub fn dual_window(&self) -> Result<Vec<f64>> {
        self.core.dual()
    }

    /// The adjoint, as [`C2c::adjoint`](crate::fft::C2c::adjoint) defines it: the transform with
    /// the dual window, divided by N; of real signals, numbers of a half-spectrum that stand for
    /// two count twice. It takes what is past the ends of the signal as zeros.
    ///
    /// # Errors
    /// None that [`Stft::inverse`] has not returned before.
    pub fn adjoint(&self) -> Result<Stft<T>> {
        let core = Core { adjoint: !self.core.adjoint, ..self.core.clone() };
        core.framed()?;
        Ok(Stft::of(core))
    }

    fn check(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<()> {
        let most = profile.invocations_in_a_row().min(overlap_add::MAX_WORKGROUP);
        if (1..=most).contains(&recipe.invocations) {
            return Ok(());
        }
        let why = format!("a workgroup that adds frames has 1 to {most} invocations, not {}", recipe.invocations);
        Err(Error::unfit(recipe, self, why))
    }

    /// The frames between the two parts.
    fn between(&self, framed: &Framed) -> Result<Array> {
        let count = u64::from(framed.frames).saturating_mul(framed.framing.len.into()).saturating_mul(framed.batch as u64);
        let parts = self.core.bytes() as u64 / 4;
        let available = u64::from(u32::MAX - overlap_add::MAX_WORKGROUP);
        for (name, numbers) in [("its frames", count.saturating_mul(parts)), ("its signals", self.core.signals().len as u64 * parts)] {
            within(|| format!("`{self}`, {name}"), "numbers indexed by a u32", numbers, available)?;
        }
        Ok(Array { len: count as usize, element_bytes: self.core.bytes() })
    }
}

impl<T> crate::plan::Sealed for Istft<T> {
    fn verification(&self) -> crate::verify::Verification {
        crate::verify::Verification::of_forms(Form::REAL, Form::REAL, 2e-5)
    }
}

impl<T: Number> Spec for Istft<T> {
    type Input = Complex32;
    type Output = T;
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let transform = self.core.framed()?.step(true, Slot::Table(0))?.design(profile)?;
        Ok(Recipe { transform, invocations: profile.invocations_in_a_row().clamp(1, 256) })
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        self.check(recipe, profile)?;
        let framed = self.core.framed()?;
        let elements = self.core.spectra()?.elements("spectra of an STFT", framed.batch)?;
        let input = Array { len: elements, element_bytes: size_of::<Complex32>() };
        let mut program = Program::new(self.to_string(), Placement::OutOfPlace, vec![input], self.core.signals()).checked(profile)?;
        let window = program.table(self.core.table_back()?);
        program.workspaces.push(self.between(&framed)?);
        let frames = Slot::Workspace(0);
        framed.step(true, window)?.append(&recipe.transform, profile, &mut program, [Slot::Input(0), frames])?;
        let framing = framed.framing;
        let parts = self.core.bytes() as u32 / 4;
        let params = overlap_add::Params {
            parts,
            signal: framing.signal,
            numbers: self.core.signals().len as u32 * parts,
            frames: framed.frames,
            frame: framing.len,
            hop: framing.hop,
            before: framing.before,
            skip: framing.skip,
        };
        let label = format!("add {} frames of {}", framed.frames, framing.len);
        let dispatch = overlap_add::dispatch(label, params, recipe.invocations, profile.groups_per_axis, [frames, Slot::Output])?;
        program.dispatches.push(dispatch);
        Ok(program)
    }

    /// Other workgroups that add frames.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(own) = self.design(profile) else { return Vec::new() };
        let others = [64, 128, 512].into_iter().map(|invocations| Recipe { invocations, ..own.clone() });
        others.filter(|recipe| self.check(recipe, profile).is_ok()).collect()
    }
}

impl<T> fmt::Display for Istft<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "istft {}", self.core)
    }
}

/// All decisions on an inverse short-time Fourier transform.
///
/// The text form is `axis 1: ... / overlap-add 256`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The transforms of the spectra into frames.
    pub transform: fft::Recipe,
    /// Invocations of a workgroup that adds frames, 1 to 1024.
    pub invocations: u32,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / overlap-add {}", self.transform, self.invocations)
    }
}

parsed!(Recipe, "recipe of an inverse STFT", |text, whole| {
    let wrong = || text.wrong(whole, "expected the recipe of a transform, and ` / overlap-add 256`");
    let (transform, invocations) = whole.rsplit_once(" / overlap-add ").ok_or_else(wrong)?;
    Ok(Self { transform: transform.parse()?, invocations: text.number(invocations)? })
});
