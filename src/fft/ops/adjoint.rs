//! The adjoint of a transform: what a gradient goes through on its way back.

use super::builders::{C2c, C2r, R2c, R2r};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::fft::spec::kind::{Direction, End, Kind};
use crate::fft::spec::real_kind::RealKind;
use crate::fft::spec::transform::Transform;
use crate::fragment::{Fragment, Readable, Writable};
use crate::shape::Shape;

/// Factors of the elements along an axis: `inner`, but `outer` at some places.
struct Weights {
    inner: f32,
    outer: f32,
    at: Vec<usize>,
}

impl Weights {
    /// Those of elements without a mirror image, where the others count for two.
    fn unpaired(inner: f32, at: Vec<usize>) -> Self {
        Self { inner, outer: 1.0, at }
    }

    fn at(place: usize, outer: f32) -> Self {
        Self { inner: 1.0, outer, at: vec![place] }
    }

    fn text(&self, axis: usize) -> String {
        let places: Vec<String> = self.at.iter().map(|place| format!("i{axis} == {place}u")).collect();
        format!("select({:?}, {:?}, {})", self.inner, self.outer, places.join(" || "))
    }
}

/// Index 0, and n/2 if there is one: what has no mirror image in a spectrum.
fn unpaired(n: usize) -> Vec<usize> {
    if n.is_multiple_of(2) { vec![0, n / 2] } else { vec![0] }
}

/// What a transform back needs along an axis of length n, so that it is the adjoint: factors of
/// what it loads, and of what it stores.
fn weights(kind: RealKind, n: usize) -> [Option<Weights>; 2] {
    let last = n.saturating_sub(1);
    let ends = || vec![0, last];
    match kind {
        RealKind::DctI => [Some(Weights::unpaired(0.5, ends())), Some(Weights::unpaired(2.0, ends()))],
        RealKind::DctII => [Some(Weights::at(0, 2.0)), None],
        RealKind::DctIII => [None, Some(Weights::at(0, 0.5))],
        RealKind::DstII => [Some(Weights::at(last, 2.0)), None],
        RealKind::DstIII => [None, Some(Weights::at(last, 0.5))],
        RealKind::ToHalfComplex => [Some(Weights::unpaired(0.5, unpaired(n))), None],
        RealKind::OfHalfComplex => [None, Some(Weights::unpaired(2.0, unpaired(n)))],
        RealKind::DctIV | RealKind::DstI | RealKind::DstIV | RealKind::Hartley => [None, None],
    }
}

impl Transform {
    /// The adjoint, and the factors along axes of what it loads and of what it stores.
    fn adjoint(&self) -> Result<(Self, [Option<Fragment>; 2])> {
        let refused = |why: &str| Err(Error::unsupported(self, format!("it has no adjoint here: {why}")));
        if self.maps.iter().any(Option::is_some) {
            return refused("fragments need not be linear; put the adjoint of yours before it or behind it");
        }
        if self.kind != Kind::R2r && !self.kinds.is_empty() {
            return refused("it has axes of other kinds");
        }
        if self.transposed && (self.axes.is_some() || self.input.is_some() || self.output.is_some()) {
            return refused("it is transposed, with axes or layouts");
        }
        self.check()?;
        let extents = self.shape.extents();
        let last = extents.len() - 1;
        let kind = match self.kind {
            Kind::C2c(Direction::Forward) => Kind::C2c(Direction::Inverse),
            Kind::C2c(Direction::Inverse) => Kind::C2c(Direction::Forward),
            Kind::R2c => Kind::C2r,
            Kind::C2r => Kind::R2c,
            other => other,
        };
        let of_axis = |axis: usize| match self.kind {
            Kind::R2c if axis == last => weights(RealKind::ToHalfComplex, extents[axis]),
            Kind::C2r if axis == last => weights(RealKind::OfHalfComplex, extents[axis]),
            Kind::R2r => self.real_kind(axis).map_or([None, None], |kind| {
                let is_orthogonal = self.orthogonal && kind.orthogonal_factors(extents[axis] as u32) != [[None; 2]; 2];
                if is_orthogonal { [None, None] } else { weights(kind, extents[axis]) }
            }),
            _ => [None, None],
        };
        let axes = self.axes.clone().unwrap_or_else(|| (0..extents.len()).collect());
        let mut texts: [Vec<String>; 2] = Default::default();
        for axis in axes {
            for (texts, weights) in texts.iter_mut().zip(of_axis(axis)) {
                texts.extend(weights.map(|weights| weights.text(axis)));
            }
        }
        let fragment = |texts: Vec<String>| (!texts.is_empty()).then(|| Fragment::new(format!("value * ({})", texts.join(" * "))));
        let [input, output] = self.windows.clone();
        let reversed: Vec<usize> = extents.iter().rev().copied().collect();
        let adjoint = Self {
            kind,
            kinds: self.kinds.iter().map(|kind| kind.map(RealKind::inverse)).collect(),
            shape: if self.transposed { Shape::from(reversed.as_slice()) } else { self.shape },
            input: self.output,
            output: self.input,
            windows: [output, input],
            elements: [self.elements[1], self.elements[0]],
            ..self.clone()
        };
        Ok((adjoint, texts.map(fragment)))
    }

    /// The adjoint, where arrays of `I` hold what it loads, and arrays of `O` what it stores.
    fn adjoint_of<I: Readable, O: Readable>(&self) -> Result<Self> {
        let (adjoint, fragments) = self.adjoint()?;
        let ends = [(End::Input, I::FORM, I::NAME), (End::Output, O::FORM, O::NAME)];
        ends.into_iter().zip(fragments).try_fold(adjoint, |adjoint, ((end, form, name), fragment)| match fragment {
            Some(fragment) => adjoint.mapped(end, fragment, form, name),
            None => Ok(adjoint),
        })
    }
}

impl<I: Element, O: Element> C2c<I, O> {
    /// The adjoint A* of this transform A: ⟨Ax, y⟩ = ⟨x, A*y⟩ for all x and y, with the inner
    /// product Re Σ conj(u)·v. It takes the gradient of a function with respect to the output to
    /// that with respect to the input ([gradients](crate::guides::around)).
    ///
    /// It is the transform in the other direction with the same factor, layouts and parts
    /// exchanged. Those of reals have factors for single elements, which are a fragment: so there
    /// are none in f64, and none whose result has reals of 16 bits.
    ///
    /// ```
    /// use wgpu_fft::fft::{C2c, R2c};
    ///
    /// let padded = C2c::forward([64, 64]).input_part([0..48, 0..48]);
    /// assert_eq!(padded.adjoint()?.to_string(), "c2c inv 64x64 out-part=0..48,0..48");
    /// // Of a half-spectrum, numbers that stand for two count half.
    /// assert!(R2c::forward(1024).adjoint()?.to_string().starts_with("c2r inv 1024"));
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for transforms with fragments, which need not be linear, with axes of
    /// [other kinds](Self::axis_kind), and for transposed ones with axes or layouts; those of
    /// planning.
    pub fn adjoint(&self) -> Result<C2c<O, I>> {
        Ok(C2c::of(self.transform.adjoint()?.0))
    }
}

impl<I: Readable, O: Readable> R2c<I, O> {
    /// The adjoint, as [`C2c::adjoint`] defines it: [`C2r::inverse`] of the half-spectrum, of which
    /// all but indices 0 and n/2 of the last axis count half, in the same pass.
    ///
    /// # Errors
    /// Those of [`C2c::adjoint`].
    pub fn adjoint(&self) -> Result<C2r<O, I>> {
        Ok(C2r::of(self.transform.adjoint_of::<O, I>()?))
    }
}

impl<I: Writable, O: Readable> C2r<I, O> {
    /// The adjoint, as [`C2c::adjoint`] defines it: [`R2c::forward`], whose results count twice but
    /// for indices 0 and n/2 of the last axis, in the same pass.
    ///
    /// # Errors
    /// Those of [`C2c::adjoint`].
    pub fn adjoint(&self) -> Result<R2c<O, I>> {
        Ok(R2c::of(self.transform.adjoint_of::<O, I>()?))
    }
}

impl<I: Writable, O: Readable> R2r<I, O> {
    /// The adjoint, as [`C2c::adjoint`] defines it, which is the transposed matrix: the inverse
    /// kinds, with factors for first or last elements unless the transform is
    /// [orthogonalized](Self::orthogonalize), in the same pass.
    ///
    /// # Errors
    /// Those of [`C2c::adjoint`].
    pub fn adjoint(&self) -> Result<R2r<O, I>> {
        Ok(R2r::of(self.transform.adjoint_of::<O, I>()?))
    }
}
