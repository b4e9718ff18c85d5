//! Spectra at a list of frequencies as sums: of products, or of one element each of a transform.

use num_complex::Complex32;

use super::spec::{At, Core};
use crate::element::Element;
use crate::error::Result;
use crate::fft::End;
use crate::fft::ops::filter::Filter;
use crate::fft::ops::step::Step;
use crate::fft::spec::window::Windowed;
use crate::fragment::{Form, Fragment};
use crate::kernels::Slot;
use crate::layout::Layout;
use crate::plan::program::Table;
use crate::reduce::{self, Reduction};
use crate::shape::Shape;
use crate::signal::chirp::Frequency;
use crate::signal::ends::times;
use crate::signal::spectrum::Points as _;
use crate::strides::dense;
use crate::text::join;

/// Sums, whose fragment takes further inputs: those behind the first one.
pub(super) struct Sums {
    pub reduction: Reduction<f32, f32>,
    /// Constants that are inputs.
    pub tables: Vec<Table>,
}

impl Core {
    /// The sums for each result of `terms` elements. They are an axis behind that of the results,
    /// and these are the strides of the two in the array. The others are those of an array of such
    /// a shape, or 0.
    fn sums(
        &self,
        terms: usize,
        strides: [usize; 2],
        array: Option<Shape>,
        load: (Fragment, Form, &'static str),
    ) -> Result<Reduction<f32, f32>> {
        let own = |values: &[usize], along: [usize; 2]| {
            let mut all = values.to_vec();
            all.splice(self.axis..=self.axis, along);
            Shape::from(all)
        };
        let [_, results] = self.shapes();
        let shape = own(results.extents(), [results.extents()[self.axis], terms]);
        let (distance, others) =
            array.map_or((0, vec![0; results.rank()]), |array| (array.extents().iter().product(), dense(array.extents())));
        let layout = Layout::strides(own(&others, strides)).batch_distance(distance);
        // The batch makes the sums of all, which are counted by an index.
        shape.elements("products at frequencies", self.batch)?;
        // Sums are complex, and of the adjoint's real signals the real part.
        let behind = |axis| self.behind(axis);
        let store = match self.ends.form(End::Output) == Form::REAL {
            true => Some(self.ends.joined(End::Output, Fragment::new("value.x"), behind)),
            false => self.ends.map(End::Output, behind),
        };
        let store = store.map(|fragment| {
            let (form, element) = self.ends.array(End::Output);
            (fragment, form, element)
        });
        let sums = reduce::sum::<Complex32>(shape).axes([self.axis + 1]).batch(self.batch).input_layout(layout);
        sums.between(load, store)
    }

    /// The number of an axis of the results among those of the sums.
    fn behind(&self, axis: usize) -> usize {
        axis + usize::from(axis > self.axis)
    }

    /// The results as sums of products.
    pub fn direct(&self) -> Result<Sums> {
        let (n, count, axis) = (self.n(), self.points.count(), self.axis);
        let turned = |f: f64| (if self.adjoint { -f } else { f }).to_bits();
        let frequencies: Vec<Frequency> = match &self.points {
            At::Bins(bins) => bins.iter().map(|&bin| Frequency { f: turned(bin as f64), over: n as u32 }).collect(),
            At::Cycles(all) => all.iter().map(|&f| Frequency { f: turned(f64::from_bits(f)), over: 1 }).collect(),
        };
        // Of j, the high part and the low one.
        let bits = n.next_power_of_two().ilog2().div_ceil(2);
        let (low, high) = (1usize << bits, n.div_ceil(1 << bits));
        let [product, highs, lows] = ["product", "highs", "lows"].map(|name| self.ends.free_name(name));
        // The results are along one of them, and the terms along the other.
        let (mut k, mut j) = (format!("i{axis}"), format!("i{}", axis + 1));
        if self.adjoint {
            (k, j) = (j, k);
        }
        let factor = format!("{product}({highs}[{k} * {high}u + ({j} >> {bits}u)], {lows}[{k} * {low}u + ({j} & {}u)])", low - 1);
        let own = times(self.ends.form(End::Input), Form::COMPLEX, &product, &factor);
        let own = [(&highs, high, 1), (&lows, low, 2)]
            .iter()
            .fold(own, |own, (name, len, input)| own.slot::<Complex32>(name, len * count, Some(Slot::Input(*input))));
        // The array's own axis is that of the terms.
        let (array, element) = self.ends.array(End::Input);
        let in_front = |own: usize| own + usize::from(own >= axis);
        let load = (self.ends.joined(End::Input, own, in_front), array, element);
        let [from, _] = self.shapes();
        let extents = from.extents();
        let reduction = self.sums(extents[axis], [0, dense(extents)[axis]], Some(from), load)?;
        let tables = vec![Frequency::powers(&frequencies, 1 << bits, high as u32), Frequency::powers(&frequencies, 1, low as u32)];
        Ok(Sums { reduction, tables })
    }

    /// The transform of all frequencies, if they are among those of the results, and how results
    /// are picked from its spectrum. Of reals, the axis is the last one of the spectrum.
    pub fn by_transform(&self) -> Result<Option<(Step, Sums)>> {
        let (At::Bins(bins), false) = (&self.points, self.adjoint) else { return Ok(None) };
        let (n, real) = (self.n() as u32, self.is_real());
        let mut order: Vec<usize> = (0..self.shape.rank()).collect();
        if real {
            order.remove(self.axis);
            order.push(self.axis);
        }
        let extents = self.shape.extents();
        let place = |axis: usize| order.iter().position(|own| *own == axis).unwrap_or(axis);
        let lengths: Vec<u32> = order.iter().map(|&axis| extents[axis] as u32).collect();
        let whole: Vec<Windowed> = lengths.iter().map(|&n| Windowed::whole(n)).collect();
        let stored = Filter::spectrum(real, &lengths);
        let strides: Vec<usize> = order.iter().map(|&axis| dense(extents)[axis]).collect();
        let input = Layout::strides(strides).batch_distance(extents.iter().product());
        let (array, element) = self.ends.array(End::Input);
        let map = self.ends.map(End::Input, place);
        let step = Step::new(real, false, &[place(self.axis)], [whole, stored.clone()], self.batch).layouts([Some(input), None]);
        let step = match map {
            None => step,
            Some(map) => step.map_of(End::Input, map, array, element)?,
        };

        let stored: Vec<usize> = stored.iter().map(|window| window.len as usize).collect();
        let strides = dense(&stored);
        let [picked, own] = ["picked", "spectra"].map(|name| self.ends.free_name(name));
        let index = order.iter().zip(&strides).fold(format!("batch * {}u", stored.iter().product::<usize>()), |index, (&axis, stride)| {
            let along = if axis == self.axis { "(value >> 1u)".to_owned() } else { format!("i{}", self.behind(axis)) };
            format!("{index} + {along} * {stride}u")
        });
        // What a half-spectrum lacks is the conjugate of what it has.
        let functions =
            format!("fn {picked}(z: vec2<f32>, bin: u32) -> vec2<f32> {{\n    return vec2(z.x, select(z.y, -z.y, (bin & 1u) == 1u));\n}}");
        let load = Fragment::new(format!("{picked}({own}[{index}], value)")).functions(functions);
        let load = load.slot::<Complex32>(&own, step.array(End::Output).len, Some(Slot::Input(1)));
        let words = bins.iter().map(|&bin| {
            let is_mirrored = real && bin as u32 > n / 2;
            let stored = if is_mirrored { n - bin as u32 } else { bin as u32 };
            stored << 1 | u32::from(is_mirrored)
        });
        let words: Vec<u32> = words.collect();
        let label = format!("bins {} of {}{n}", join(bins, ","), if real { "half of " } else { "" });
        let table = Table::new(label, words.len() as u64, move || words.clone());
        let reduction = self.sums(1, [1, 0], None, (load, Form::U32, u32::NAME))?;
        Ok(Some((step, Sums { reduction, tables: vec![table] })))
    }
}
