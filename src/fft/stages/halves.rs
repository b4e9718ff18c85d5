//! Spectra of reals: values and their mirror images, which meet in workgroup memory.

use super::super::butterfly::plus;
use super::super::recipe::Exchange;
use super::{Generator, Invocation, Values, all_of};
use crate::kernels::fft::pass::{Packed, Pair};

/// Two values whose indices k = t + first and n - k mirror one another.
struct Image {
    first: u32,
    z: String,
    w: String,
    condition: Option<String>,
}

impl Generator<'_> {
    /// Separates the spectra of two lines of reals, a and b, that were transformed as z = a + i·b: with w\[k\] = z\[n-k\],
    /// a\[k\] = (z\[k\] + conj w\[k\])/2 and b\[k\] = (z\[k\] - conj w\[k\])/2i.
    pub(super) fn store_halves(&mut self, place: &Invocation, radix: u32, n: u32, pair: &Pair, mut values: Values) -> Result<(), String> {
        if let Some(chirp) = self.pass.store.factors {
            self.multiply(place, radix, chirp, "", &mut values);
        }
        self.writer.line(format_args!("// Two spectra out of one."));
        let images = self.mirror_images(place, radix, n, &values)?;
        let side = &self.pass.store;
        let line = self.line_base(side, place);
        let second = self.second_of(pair, place);
        for Image { first, z, w, condition } in images {
            let condition = all_of([place.live.clone(), condition]);
            self.writer_guarded(condition.as_deref(), |own| {
                let at = own.element_places(&side.element, &line, &place.t, &[first]).remove(0);
                own.writer.line(format_args!("store({at}, 0.5 * params.scale * vec2<f32>({z}.x + {w}.x, {z}.y - {w}.y));"));
                own.writer_guarded(second.as_deref(), |own| {
                    let at = plus(&at, pair.distance);
                    own.writer.line(format_args!("store({at}, 0.5 * params.scale * vec2<f32>({z}.y + {w}.y, {w}.x - {z}.x));"));
                });
            });
        }
        Ok(())
    }

    /// Combines the spectrum z of m = n/2 numbers, in which n reals lie by twos, to that of the reals: with w\[k\] = z\[m-k\], e = z\[k\] + conj w\[k\] and
    /// o = exp(-2πi·k/n) · (z\[k\] - conj w\[k\])/i, number k is (e + o)/2 and number m-k the conjugate of (e - o)/2.
    pub(super) fn store_packed(&mut self, place: &Invocation, radix: u32, packed: &Packed, values: &Values) -> Result<(), String> {
        let m = packed.n / 2;
        self.writer.line(format_args!("// The spectrum of {} reals.", packed.n));
        let images = self.mirror_images(place, radix, m, values)?;
        let side = &self.pass.store;
        let line = self.line_base(side, place);
        for Image { first, z, w, condition } in images {
            let condition = all_of([place.live.clone(), condition]);
            self.writer_guarded(condition.as_deref(), |own| {
                let k = own.writer.value(format_args!("{}", plus(&place.t, first)));
                let root = own.look_up(packed.n, packed.low, packed.at, &k);
                let even = own.writer.value(format_args!("vec2<f32>({z}.x + {w}.x, {z}.y - {w}.y)"));
                let odd = own.writer.value(format_args!("complex_mul(vec2<f32>({z}.y + {w}.y, {w}.x - {z}.x), {root})"));
                let at = own.element_places(&side.element, &line, &place.t, &[first]).remove(0);
                let mirrored = own.element_place(&side.element, &line, &format!("{m}u - {k}"));
                own.writer.line(format_args!("store({at}, 0.5 * params.scale * ({even} + {odd}));"));
                own.writer.line(format_args!("store({mirrored}, 0.5 * params.scale * vec2<f32>({even}.x - {odd}.x, {odd}.y - {even}.y));"));
            });
        }
        Ok(())
    }

    /// Brings every z\[k\], k ≤ n/2, of a line of n together with z\[n-k\].
    ///
    /// They meet in workgroup memory, in pieces of `half` indices k and as many n-k: z\[k\] at k - first, z\[n-k\] at half + k - first.
    fn mirror_images(&mut self, place: &Invocation, radix: u32, n: u32, values: &Values) -> Result<Vec<Image>, String> {
        let (lanes, lines) = (self.lanes(), self.recipe.lines);
        // Whole rounds of lanes, so that a round's frequencies are all in one piece.
        let half = (n / 2 + 1).div_ceil(self.recipe.pieces).next_multiple_of(lanes);
        let words = 2 * half * lines;
        let unit = self.recipe.exchange.words();
        if words * unit > self.setting.words {
            return Err(format!("rows of reals need {} bytes of workgroup memory of {}", words * unit * 4, self.setting.words * 4));
        }
        self.words = self.words.max(words * unit);
        let row = if lines == 1 { "0u".to_owned() } else { self.writer.value(format_args!("{} * {}u", place.c, 2 * half)) };
        let parts: &[&str] = if self.recipe.exchange == Exchange::Split { &[".x", ".y"] } else { &[""] };
        let ty = if parts.len() == 2 { "f32" } else { "vec2<f32>" };
        let rounds: Vec<u32> = (0..=n / 2).step_by(lanes as usize).collect();
        let condition = |first: u32| (first + lanes > n / 2 + 1).then(|| format!("{} <= {}u", plus(&place.t, first), n / 2));
        // Of each round the parts of z and of its mirror image.
        let mut read: Vec<[Vec<String>; 2]> = rounds.iter().map(|_| [Vec::new(), Vec::new()]).collect();
        for part in parts {
            for first in (0..=n / 2).step_by(half as usize) {
                if self.exchanged {
                    self.writer.line(format_args!("workgroupBarrier();"));
                }
                self.exchanged = true;
                for (b, round) in (0..).zip(values) {
                    let partial = self.partial(radix, b, &place.t);
                    let steps = self.steps(radix, b);
                    self.writer_guarded(partial.as_deref(), |own| {
                        for (value, &step) in round.iter().zip(&steps) {
                            own.put_half(place, &row, step, n, first, half, &format!("{value}{part}"));
                        }
                    });
                }
                self.writer.line(format_args!("workgroupBarrier();"));
                for (&round, read) in rounds.iter().zip(&mut read).filter(|(round, _)| (first..first + half).contains(*round)) {
                    let condition = condition(round);
                    let local = plus(&place.t, round - first);
                    // The mirror image of frequency 0 is itself.
                    let k = plus(&place.t, round);
                    let mirrored =
                        if round == 0 { format!("select({half}u + {local}, 0u, {k} == 0u)") } else { format!("{half}u + {local}") };
                    let own_mirror = n.is_multiple_of(2) && round + lanes > n / 2;
                    let mirrored = if own_mirror { format!("select({mirrored}, {local}, {k} == {}u)", n / 2) } else { mirrored };
                    for (of, at) in read.iter_mut().zip([local, mirrored]) {
                        let name = self.writer.variable(ty);
                        self.writer_guarded(condition.as_deref(), |own| {
                            own.writer.line(format_args!("{name} = exchange[{row} + {at}];"));
                        });
                        of.push(name);
                    }
                }
            }
        }
        let image = |(&first, read): (&u32, &[Vec<String>; 2])| {
            let [z, w] = read.each_ref().map(|parts| match &parts[..] {
                [re, im] => self.writer.value(format_args!("vec2<f32>({re}, {im})")),
                whole => whole.concat(),
            });
            Image { first, z, w, condition: condition(first) }
        };
        Ok(rounds.iter().zip(&read).map(image).collect())
    }

    /// Writes element t + step of n where `mirror_images` says, if its frequency is one of the piece from `first` on.
    #[expect(clippy::too_many_arguments, reason = "each is another part of the place")]
    fn put_half(&mut self, place: &Invocation, row: &str, step: u32, n: u32, first: u32, half: u32, value: &str) {
        let (least, most) = (step, step + self.lanes() - 1);
        if least >= n {
            // Past the transform: zeros of a convolution.
            return;
        }
        let i = plus(&place.t, step);
        // Frequencies k up to n/2 as they are, then mirrored.
        let mut put = |conditions: Vec<String>, at: String| {
            let condition = all_of(conditions.into_iter().map(Some));
            self.writer_guarded(condition.as_deref(), |own| {
                own.writer.line(format_args!("exchange[{row} + {at}] = {value};"));
            });
        };
        let (low_end, begin, end) = (n / 2, first, (first + half - 1).min(n / 2));
        if least <= end && most >= begin {
            let mut conditions = Vec::new();
            if least < begin {
                conditions.push(format!("{i} >= {begin}u"));
            }
            if most > end {
                conditions.push(format!("{i} <= {end}u"));
            }
            put(conditions, format!("({i}) - {begin}u"));
        }
        // n - i from begin to end.
        let (from, to) = ((n - end).max(low_end + 1), n - begin);
        if least <= to && most >= from && to >= from {
            let mut conditions = Vec::new();
            if least < from {
                conditions.push(format!("{i} >= {from}u"));
            }
            if most > to || to == n && most == n {
                conditions.push(format!("{i} <= {}u", to.min(n - 1)));
            }
            put(conditions, format!("{half}u + {n}u - ({i}) - {begin}u"));
        }
    }
}
