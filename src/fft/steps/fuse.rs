//! What a step is, and where it writes.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use crate::fft::emit::codelets::{roots, scale, times};
use crate::fft::place::{Place, Storage};
use crate::fft::roots::{Constant, Constants};
use crate::fft::spec::number::Number;
use crate::fft::spec::window::Windowed;
use crate::wgsl::{Body, Expr, Type, Writes, boolean, call};

/// A step of a prologue or an epilogue.
#[derive(Clone, Debug)]
pub(in crate::fft) struct Fused(Rc<dyn Fuse>);

impl Fused {
    pub fn step(&self) -> &dyn Fuse {
        &*self.0
    }

    /// The step, if it is of this type.
    pub fn get<S: Fuse>(&self) -> Option<&S> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// This step for such lines.
    pub fn on(&self, lines: &Coordinates<'_>) -> Self {
        self.0.on(lines).unwrap_or_else(|| self.clone())
    }
}

impl<S: Fuse> From<S> for Fused {
    fn from(step: S) -> Self {
        Self(Rc::new(step))
    }
}

/// The lines of a pass, as steps see them.
pub(in crate::fft) struct Coordinates<'a> {
    /// The axis whose index a coordinate is, where a step asks for it.
    pub axes: &'a [Option<usize>],
    /// The weights of the coordinates in the m of twiddle factors.
    pub weights: &'a [u32],
    /// Set if lines are taken in pairs. The first coordinate counts them.
    pub pair: Option<Pair>,
}

impl Coordinates<'_> {
    /// The coordinate that is the index of this axis.
    pub fn of(&self, axis: usize) -> Option<usize> {
        self.axes.iter().position(|own| *own == Some(axis))
    }
}

/// What a step can do. Most steps use only a few of these methods.
pub(in crate::fft) trait Fuse: Any + fmt::Debug {
    /// The step for lines whose coordinates are these, if it depends on them.
    fn on(&self, _lines: &Coordinates<'_>) -> Option<Fused> {
        None
    }

    /// Whether a kernel that has no steps can do it: an exchange of parts, or twiddle factors.
    fn is_plain(&self) -> bool {
        false
    }

    /// Whether the step asks for the index on an axis. The axis after the last one is the batch.
    fn asks_for(&self, _axis: usize) -> bool {
        false
    }

    /// The part of the axis that the array has, if the step says so.
    fn window(&self) -> Option<&Windowed> {
        None
    }

    /// How far the step reaches into the array, where elements are found by their position on the
    /// axis, or by their number in the line.
    fn reach(&self, _by_position: bool) -> Reach {
        Reach { extent: self.limit(), ..Reach::default() }
    }

    fn apply(&self, _site: &mut Site<'_>, _element: &Element, value: Expr) -> Expr {
        value
    }

    /// The loaded value of an element. By default, the step is applied to the value that the
    /// `inner` steps, which are nearer to the array, load.
    fn load(&self, site: &mut Site<'_>, element: &Element, inner: &[Fused]) -> Expr {
        let value = site.load(element, inner);
        self.apply(site, element, value)
    }

    /// Stores the value of an element through the `inner` steps.
    fn store(&self, site: &mut Site<'_>, element: &Element, value: Expr, inner: &[Fused]) {
        let value = self.apply(site, element, value);
        site.store(element, value, inner);
    }

    /// Whether a position on the axis exists. Other positions load as zero and are not stored.
    fn is_there(&self, _position: &Expr) -> Expr {
        boolean(true)
    }

    fn constants(&self) -> Option<Constant> {
        None
    }

    /// Positions from this one on do not exist.
    fn limit(&self) -> Option<u32> {
        None
    }

    /// Whether the step depends on a coordinate of the line.
    fn counts(&self, dim: usize) -> bool {
        self.pair().and_then(|pair| pair.odd).is_some_and(|(own, _)| own == dim)
    }

    /// The type of a loaded value after this step, or of a stored one, if the step changes it.
    fn value_type(&self) -> Option<Type> {
        None
    }

    /// The second line of a pair, if lines are taken in pairs.
    fn pair(&self) -> Option<&Pair> {
        None
    }

    /// The DFT's length m, if the values k and m - k are stored together. Then
    /// [`store_image`](Self::store_image) is called for each k up to m/2, instead of
    /// [`store`](Self::store).
    fn mirrors(&self) -> Option<u32> {
        None
    }

    /// Stores what the step computes from the results z = y\[k\] and w = y\[m-k\].
    fn store_image(&self, _site: &mut Site<'_>, _k: &Expr, _images: [&Expr; 2], _at: Element, _inner: &[Fused]) {
        unreachable!("a step without mirror images");
    }

    /// m, if neighbouring lines should take the indices 0, m, 1, m-1, … of the spectrum that is
    /// loaded.
    fn folds(&self) -> Option<u32> {
        None
    }

    /// Whether loaded values are products.
    fn multiplies(&self) -> bool {
        false
    }

    /// Whether results of a DFT of length n, or their imaginary parts, are never stored, apart from
    /// those that [`limit`](Self::limit) excludes.
    fn drops_results_of(&self, _n: u32) -> bool {
        false
    }
}

/// How far a step reaches into the array.
#[derive(Clone, Copy, Default)]
pub(in crate::fft) struct Reach {
    /// How many positions of the axis exist, if not all do.
    pub extent: Option<u32>,
    /// How many of them are loaded, or else how many elements of a line are stored, if that differs
    /// from the number of the transform's values.
    pub touched: Option<u32>,
    /// Along coordinates of the line, whose places leave them out.
    pub across: u64,
    /// Elements of the signal that every line may load, wherever it begins.
    pub signal: Option<u32>,
    /// Whether two elements lie at one index.
    pub in_twos: bool,
}

impl Reach {
    /// So many elements of a line.
    pub fn touching(count: u32) -> Self {
        Self { touched: Some(count), ..Self::default() }
    }
}

/// An element of a line.
#[derive(Clone, Debug)]
pub(in crate::fft) struct Element {
    pub spot: Spot,
    /// Its position on the axis.
    pub position: Expr,
    /// The factor that applies when the element is stored, in addition to the scale.
    pub weight: Option<Expr>,
    /// Whether it belongs to the second line of a pair.
    pub second: bool,
}

/// Where an element lies in the array.
#[derive(Clone, Debug)]
pub(in crate::fft) enum Spot {
    /// At this index.
    At(Expr),
    /// Where the element's position says, on a line whose element 0 lies at this index.
    OnLine(Expr),
}

impl Element {
    /// The same element of a line that is `distance` away.
    pub fn on_line(&self, distance: u32) -> Self {
        let spot = match &self.spot {
            Spot::At(at) => Spot::At(at + distance),
            Spot::OnLine(line) => Spot::OnLine(line + distance),
        };
        Self { spot, second: true, ..self.clone() }
    }

    /// The element at another position of the same line.
    pub fn at_position(&self, position: Expr) -> Self {
        Self { position, ..self.clone() }
    }
}

/// The constants, in one binding or several.
#[derive(Clone, Copy)]
pub(in crate::fft) struct LookUp<'a> {
    pub constants: &'a Constants,
    /// Whether they take several bindings.
    pub in_pieces: bool,
}

impl LookUp<'_> {
    pub fn at(&self, at: &Expr) -> Expr {
        let number = self.constants.number();
        if self.in_pieces { call("constant", [at], number.complex()) } else { roots(number).at(at) }
    }

    /// Number i of a group of constants.
    pub fn of(&self, constant: &Constant, i: &Expr) -> Expr {
        self.at(&(i + self.constants.place(constant)))
    }

    /// exp(-2πi·x/n) from two tables, or from one table if it holds all values.
    pub fn root(&self, body: &mut Body, n: u32, x: &Expr) -> Expr {
        let (low, [first, second]) = self.constants.twiddle(n);
        let root = if n <= low { self.at(&(x + first)) } else { times(&self.at(&(x % low + first)), &self.at(&(x / low + second))) };
        body.value("root", root)
    }
}

/// The place where steps write: the text of one invocation at one side of a pass.
pub(in crate::fft) struct Site<'a> {
    pub body: &'a mut Body,
    pub number: Number,
    pub storage: Storage,
    /// The distance of an element of the line, or of a position on the axis, from the first one.
    pub place: &'a Place,
    /// The weight of an element's number in its position on the axis.
    pub weight: u32,
    /// The index of element 0 of the line.
    pub line: &'a Expr,
    /// The coordinates of the line.
    pub coordinates: &'a [Expr],
    pub look_up: LookUp<'a>,
}

impl Writes for Site<'_> {
    fn body(&mut self) -> &mut Body {
        self.body
    }
}

impl Site<'_> {
    /// Loads the value of an element through these steps.
    pub fn load(&mut self, element: &Element, steps: &[Fused]) -> Expr {
        let Some((outer, inner)) = steps.split_last() else {
            let at = self.index(element);
            return call("load", [&at], self.storage.value(self.number));
        };
        outer.step().load(self, element, inner)
    }

    /// Loads the value of an element and names it, so that it can be used several times.
    pub fn load_named(&mut self, name: &str, element: &Element, steps: &[Fused]) -> Expr {
        let value = self.load(element, steps);
        self.body.value(name, value)
    }

    /// Stores the value of an element through these steps.
    pub fn store(&mut self, element: &Element, value: Expr, steps: &[Fused]) {
        if let Some((outer, inner)) = steps.split_last() {
            return outer.step().store(self, element, value, inner);
        }
        self.put(element, &Self::scaled(element, value));
    }

    /// The value of an element with all factors that apply when it is stored.
    pub fn scaled(element: &Element, value: Expr) -> Expr {
        element.weight.as_ref().map_or_else(|| scale(&value), |weight| weight * scale(&value)) * value
    }

    /// Stores the value of an element as it is.
    pub fn put(&mut self, element: &Element, value: &Expr) {
        let at = self.index(element);
        self.body.call("store", [&at, value]);
    }

    /// A value that is computed if the condition holds, and zero otherwise.
    pub fn value_when(&mut self, condition: &Expr, name: &str, ty: Type, write: impl FnOnce(&mut Self) -> Expr) -> Expr {
        self.values_when(condition, &[(name.to_owned(), ty)], |site| vec![write(site)]).remove(0)
    }

    fn index(&mut self, element: &Element) -> Expr {
        match &element.spot {
            Spot::At(at) => at.clone(),
            Spot::OnLine(line) => self.body.value("at", place_of(self.place, line.clone(), element.position.clone())),
        }
    }

    /// Element `i` of the line, for a value that is stored with the same weight as `like`.
    pub fn element(&mut self, i: &Expr, like: &Element) -> Element {
        if let Spot::OnLine(_) = like.spot {
            return like.at_position(i.clone());
        }
        let at = self.body.value("at", place_of(self.place, self.line.clone(), i.clone()));
        Element { spot: Spot::At(at), position: i.clone(), ..like.clone() }
    }

    /// The type of the values that these steps load.
    pub fn value_type(&self, steps: &[Fused]) -> Type {
        steps.iter().rev().find_map(|step| step.step().value_type()).unwrap_or_else(|| self.storage.value(self.number))
    }
}

/// The index of element `i`, whose digits have strides of their own, counted from `base`.
pub(in crate::fft) fn place_of(of: &Place, base: Expr, i: Expr) -> Expr {
    let (mut place, mut rest) = (base, i);
    for &(base, stride) in &of.low {
        let (quotient, digit) = rest.div_rem(base);
        place = place + digit * stride;
        rest = quotient;
    }
    place + rest * of.stride
}

/// The second line of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::fft) struct Pair {
    /// Its distance from the first line.
    pub distance: u32,
    /// Set if the number of lines along a coordinate is odd, so that the last pair has only one
    /// line: the coordinate that counts pairs, and that number.
    pub odd: Option<(usize, u32)>,
}

impl Pair {
    /// Whether there is a second line.
    pub fn has_second(&self, site: &Site<'_>) -> Expr {
        let odd = |(dim, lines): (usize, u32)| (&site.coordinates[dim] * 2 + 1).less(lines);
        self.odd.map_or_else(|| boolean(true), odd)
    }
}
