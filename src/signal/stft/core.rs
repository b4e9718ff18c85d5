//! What a transform and its inverse share: windows and frames.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::{Discriminant, discriminant};
use std::ops::Range;
use std::sync::Arc;

use num_complex::Complex32;

use crate::edge::Edge;
use crate::element::HostReal;
use crate::error::{Error, Result, check_count, refuse_if, within};
use crate::fft::End;
use crate::fft::ops::framed::Framed;
use crate::fft::spec::framing::Framing;
use crate::fragment::Maps;
use crate::plan::Array;
use crate::plan::program::Table;
use crate::shape::{Batched, Shape};
use crate::signal::ends::Ends;
use crate::signal::number::Number;
use crate::text::{Field, Flag};

/// The factor on the window, as SciPy's `scale_to`. Sampling rates are compared bit by bit, as keys
/// are.
#[derive(Clone, Copy, Debug, Default)]
pub enum Scaling {
    /// 1.
    #[default]
    None,
    /// 1/|Σ w|: a sine of amplitude a in the middle of a frequency gives a/2 there, and a constant
    /// c gives c.
    Magnitude,
    /// 1/√(r·Σ w²), for a sampling rate r: the squares of magnitudes are a power spectral density.
    Psd {
        /// Samples per second.
        sampling_rate: f64,
    },
}

impl Scaling {
    /// The variant, and the bits of the sampling rate.
    fn bits(&self) -> (Discriminant<Self>, u64) {
        (discriminant(self), if let Self::Psd { sampling_rate } = self { sampling_rate.to_bits() } else { 0 })
    }
}

impl PartialEq for Scaling {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Scaling {}

impl Hash for Scaling {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}

/// Of the sums of squares that reach each place of a hop, the smallest must be at least this part
/// of the largest. Then rounding grows at most by the root of its inverse.
const LEAST_COVER: f64 = 1e-10;

/// The longest transform of a frame.
pub(in crate::signal) const LONGEST: usize = 1 << 31;

/// A transform of the frames of signals, in one direction or the other, without its types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::signal) struct Core {
    pub ends: Ends,
    /// Elements of a signal.
    pub len: usize,
    pub batch: usize,
    /// Bits of the window's numbers.
    pub window: Arc<[u64]>,
    pub hop: usize,
    pub nfft: Option<usize>,
    pub phase: Option<i64>,
    pub scaling: Scaling,
    pub edge: Edge,
    /// Whether frame p begins at element p·hop, and all frames lie in the signal. If not, element
    /// ⌊m/2⌋ of frame p is there.
    pub inside: bool,
    pub frames: Option<[i64; 2]>,
    pub frequencies_first: bool,
    /// Whether it is the adjoint of the transform in the other direction, instead of its inverse.
    pub adjoint: bool,
}

impl Core {
    /// A transform of whole frames, each with its own phase.
    pub fn new<T: Number, W: HostReal>(len: usize, window: &[W], hop: usize) -> Self {
        Self {
            ends: Ends::of::<T, Complex32>(),
            len,
            batch: 1,
            window: window.iter().map(|&w| Into::<f64>::into(w).to_bits()).collect(),
            hop,
            nfft: None,
            phase: None,
            scaling: Scaling::None,
            edge: Edge::Zero,
            inside: false,
            frames: None,
            frequencies_first: false,
            adjoint: false,
        }
    }

    fn is_real(&self) -> bool {
        self.ends.is_real(End::Input)
    }

    /// The window as it was given.
    fn given(&self) -> Vec<f64> {
        self.window.iter().map(|&bits| f64::from_bits(bits)).collect()
    }

    pub fn nfft(&self) -> usize {
        self.nfft.unwrap_or(self.window.len())
    }

    /// Frequencies of a frame.
    pub fn bins(&self) -> usize {
        if self.is_real() { self.nfft() / 2 + 1 } else { self.nfft() }
    }

    /// Bytes of an element of the signal.
    pub fn bytes(&self) -> usize {
        self.ends.form(End::Input).bytes() as usize
    }

    pub fn signals(&self) -> Array {
        Array { len: self.len * self.batch, element_bytes: self.bytes() }
    }

    /// Refuses what makes no sense, or cannot be counted in 32 bits.
    fn check(&self) -> Result<()> {
        Shape::from(self.len).elements("signal of an STFT", self.batch)?;
        let (m, n) = (self.window.len(), self.nfft());
        if m == 0 {
            return Err(Error::Empty { what: "window of an STFT", shape: "0".to_owned() });
        }
        check_count(|| "the hop of an STFT".to_owned(), self.hop as u64)?;
        within(|| "the length of an STFT's transforms".to_owned(), "elements of a transform", n.max(m) as u64, LONGEST as u64)?;
        refuse_if(self.inside && m > self.len, self, format_args!("segments of {m} elements are longer than the signal of {}", self.len))?;
        refuse_if(self.inside && self.hop == 0, self, format_args!("segments of {m} elements must overlap by less than {m}"))?;
        refuse_if(
            self.adjoint && self.edge != Edge::Zero,
            self,
            "it has no adjoint here: past its ends the signal must continue with zeros",
        )?;
        refuse_if(self.hop == 0, self, "frames that are 0 apart: the hop is at least 1")?;
        refuse_if(n < m, self, format_args!("transforms of length {n} are shorter than the window of {m}"))?;
        if let Some(shift) = self.phase.filter(|shift| shift.unsigned_abs() >= n as u64) {
            return Err(Error::unsupported(self, format!("the phase shift {shift} must lie between -{n} and {n}")));
        }
        if let Some((i, value)) = self.given().into_iter().enumerate().find(|(_, value)| !value.is_finite()) {
            return Err(Error::unsupported(self, format!("element {i} of the window is {value}")));
        }
        self.scaled_window().map(|_| ())
    }

    /// The window with its factor.
    pub fn scaled_window(&self) -> Result<Vec<f64>> {
        let window = self.given();
        let squares: f64 = window.iter().map(|w| w * w).sum();
        let factor = match self.scaling {
            Scaling::None => 1.0,
            Scaling::Magnitude => 1.0 / window.iter().sum::<f64>().abs(),
            Scaling::Psd { sampling_rate: rate } => {
                refuse_if(
                    !(rate.is_finite() && rate > 0.0),
                    self,
                    format_args!("a sampling rate of {rate} is not a finite number larger than 0"),
                )?;
                1.0 / (rate * squares).sqrt()
            }
        };
        if !(factor as f32).is_finite() {
            let sum: f64 = window.iter().sum();
            return Err(Error::unsupported(
                self,
                format!("the window's sum {sum} or its squares' sum {squares} is too small to divide by"),
            ));
        }
        Ok(window.into_iter().map(|w| w * factor).collect())
    }

    /// Where frame 0 begins in the signal.
    fn begin(&self) -> i64 {
        if self.inside { 0 } else { -(self.window.len() as i64 / 2) }
    }

    /// All frames that reach the signal, as SciPy counts them, or that lie in it.
    fn all_frames(&self) -> [i64; 2] {
        if self.inside {
            return [0, ((self.len - self.window.len()) / self.hop) as i64 + 1];
        }
        let window = self.given();
        let is_zero = |w: &&f64| **w * **w == 0.0;
        let leading = window.iter().take_while(is_zero).count() as i64;
        let trailing = window.iter().rev().take_while(is_zero).count() as i64;
        let [m, n, hop] = [window.len(), self.len, self.hop].map(|number| number as i64);
        let mid = m / 2;
        // SciPy takes as many elements of the window's end as lie before the signal.
        let ends_before = |frame: i64| frame * hop - mid + m <= 0 || mid - frame * hop <= trailing;
        let begins_behind = |frame: i64| frame * hop - mid >= n || (n - (frame * hop - mid)).min(m) <= leading;
        let first = (0..).map(|p| -p).find(|first| ends_before(first - 1)).unwrap_or(0);
        let last = (n / hop..).find(|last| begins_behind(last + 1)).unwrap_or(0);
        [first, last + 1]
    }

    /// The numbers of the frames.
    pub fn range(&self) -> Result<Range<i64>> {
        self.check()?;
        let [least, end] = self.all_frames();
        let [from, to] = self.frames.unwrap_or([least, end]);
        if least <= from && from < to && to <= end {
            return Ok(from..to);
        }
        Err(Error::unsupported(self, format!("the frames {from}..{to} must be some of {least}..{end}, which reach the signal")))
    }

    /// The frames and where they lie.
    pub fn framed(&self) -> Result<Framed> {
        let range = self.range()?;
        let [m, signal, hop] = [self.window.len(), self.len, self.hop].map(|number| number as i64);
        let first = range.start * hop + self.begin();
        let frames = range.end - range.start;
        let (before, skip) = ((-first).max(0), first.max(0));
        let last = first + (frames - 1) * hop + m;
        // An index may be counted from a whole number of images before the signal, of twice its
        // length.
        let is_inside = before == 0 && last <= signal;
        let image = if is_inside || matches!(self.edge, Edge::Zero | Edge::Nearest) { 0 } else { 2 * signal };
        let required = (last + before + image).max(signal + before).max(last).max(frames) as u64;
        check_count(|| format!("`{self}`, from the begin of its first frame to the end"), required)?;
        let past = (last - signal).max(0);
        refuse_if(
            self.edge == Edge::Odd && before.max(past) >= signal,
            self,
            format_args!(
                "frames reach {before} elements before the signal and {past} past its end, but its mirror image has {}",
                signal - 1
            ),
        )?;
        let turn = self.phase.map_or(0, |shift| (shift + m / 2).rem_euclid(m));
        let framing = Framing {
            n: self.nfft() as u32,
            len: m as u32,
            hop: hop as u32,
            turn: turn as u32,
            before: before as u32,
            skip: skip as u32,
            signal: signal as u32,
            edge: self.edge,
        };
        Ok(Framed {
            real: self.is_real(),
            framing,
            frames: frames as u32,
            batch: self.batch,
            adjoint: self.adjoint,
            map: self.ends.maps[1].clone(),
            frequencies_first: self.frequencies_first,
        })
    }

    /// The shape of the spectra of one signal.
    pub fn spectra(&self) -> Result<Shape> {
        let frames = self.framed()?.frames as usize;
        Ok(Shape::from(if self.frequencies_first { [self.bins(), frames] } else { [frames, self.bins()] }))
    }

    /// What frames are multiplied with before a transform, or behind one back: the window there is
    /// that of the transform in the other direction where they are adjoints.
    fn multiplied(&self, back: bool) -> Result<Vec<f64>> {
        if back == self.adjoint {
            return self.scaled_window();
        }
        // With the factor 1/n of an inverse transform.
        let n = self.nfft() as f64;
        Ok(self.dual()?.into_iter().map(|w| w / n).collect())
    }

    /// The window at each position of the transform.
    pub fn table(&self, framing: &Framing) -> Result<Table> {
        let window = self.multiplied(false)?;
        let n = framing.n as usize;
        let at = |q: usize| window.get((q + framing.turn as usize) % n).copied().unwrap_or(0.0);
        Ok(table("window", (0..n).map(at)))
    }

    /// The window of the frames behind a transform back.
    pub fn table_back(&self) -> Result<Table> {
        Ok(table("window of frames", self.multiplied(true)?.into_iter()))
    }

    /// w / Σ w², where the sum goes over the window's elements whole hops apart.
    pub fn dual(&self) -> Result<Vec<f64>> {
        self.check()?;
        let window = self.scaled_window()?;
        let m = window.len();
        refuse_if(
            self.hop > m,
            self,
            format_args!("it has no inverse: frames {} apart leave gaps between windows of {m}, which no window can fill", self.hop),
        )?;
        let mut cover = vec![0.0; self.hop];
        for (j, w) in window.iter().enumerate() {
            cover[j % self.hop] += w * w;
        }
        let (place, least) = cover.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
        let most = cover.iter().copied().fold(0.0, f64::max);
        refuse_if(
            least.is_nan() || least < LEAST_COVER * most || least <= 0.0,
            self,
            format_args!(
                "it has no inverse: the squares of the window's elements {place}, {place} + {}, … add up to {least:e}, less than \
                 {LEAST_COVER:e} of the {most:e} elsewhere",
                self.hop
            ),
        )?;
        let dual: Vec<f64> = window.iter().enumerate().map(|(j, w)| w / cover[j % self.hop]).collect();
        match dual.iter().find(|w| !(**w as f32).is_finite()) {
            None => Ok(dual),
            Some(large) => Err(Error::unsupported(self, format!("its inverse needs a window with {large:e}, which is no f32"))),
        }
    }
}

/// A table of numbers, rounded to f32. The label tells tables of different numbers apart.
fn table(what: &str, numbers: impl Iterator<Item = f64>) -> Table {
    let words: Arc<[u32]> = numbers.map(|number| (number as f32).to_bits()).collect();
    let label = format!("{what} {} {:032x}", words.len(), fingerprint(words.iter().map(|&word| u64::from(word))));
    Table::new(label, words.len() as u64, move || words.to_vec())
}

/// FNV-1a of 128 bits, over the bytes of the numbers.
fn fingerprint(numbers: impl Iterator<Item = u64>) -> u128 {
    let (offset, prime) = (0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, 0x0000_0000_0100_0000_0000_0000_0000_013b);
    let bytes = numbers.flat_map(u64::to_le_bytes);
    bytes.fold(offset, |hash: u128, byte| (hash ^ u128::from(byte)).wrapping_mul(prime))
}

/// `f32 4096 x2 window=256#1a2b hop=64 nfft=512 phase=none psd=48000 mirror frames=-1..9
/// frequencies-first adjoint`, where defaults are left out. The number after # tells windows apart.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ends, len, batch, window, hop, .. } = self;
        let mark = fingerprint(window.iter().copied());
        write!(f, "{} {} window={}#{mark:032x} hop={hop}", ends.element(End::Input), Batched(Shape::from(*len), *batch), window.len())?;
        Field("nfft", self.nfft.filter(|nfft| *nfft != window.len())).fmt(f)?;
        match self.phase {
            // Powers have no phase.
            _ if self.inside => {}
            Some(0) => {}
            Some(shift) => write!(f, " phase={shift}")?,
            None => f.write_str(" phase=none")?,
        }
        match self.scaling {
            Scaling::None => {}
            Scaling::Magnitude => f.write_str(" magnitude")?,
            Scaling::Psd { sampling_rate } => write!(f, " psd={sampling_rate}")?,
        }
        let frames = Field("frames", self.frames.map(|[from, to]| format!("{from}..{to}")));
        write!(f, "{}{frames}{}", Flag(self.edge, self.edge != Edge::Zero), Flag("frequencies-first", self.frequencies_first))?;
        write!(f, "{}{}", Flag("adjoint", self.adjoint), Maps(&ends.maps))
    }
}
