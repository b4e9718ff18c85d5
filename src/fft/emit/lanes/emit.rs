//! The text of `fft/lanes`, from [`Lanes`], which says what it computes.

use std::collections::{BTreeMap, HashMap};

use super::arithmetic::{Complex, component};
use crate::fft::emit::codelets;
use crate::fft::emit::codelets::{Division, pair, roots, scale};
use crate::fft::emit::lanes::{Lanes, NUMBER, PassTwiddle, SUBGROUP};
use crate::fft::roots::Constants;
use crate::wgsl::{Body, Expr, Function, Module, Type, U32, Writes, boolean, call, min, param, select};

/// All that stands between the markers of `shaders/fft/lanes.wgsl`. The roots of the line begin at
/// 0 in the constants.
pub(in crate::fft) fn wgsl(pass: &Lanes, in_place: bool, constants: &Constants) -> String {
    let mut module = Module::default();
    let group_size = if pass.memory.is_none() {
        module.constant("SUBGROUP", SUBGROUP);
        module.constant("SUBGROUPS", pass.invocations / SUBGROUP);
        "SUBGROUP * SUBGROUPS"
    } else {
        module.constant("INVOCATIONS", pass.invocations);
        "INVOCATIONS"
    };
    module.constant("LANES", pass.lanes);
    module.gap();
    pass.access.declare(&mut module);
    if pass.workgroup_bytes() > 0 {
        module.workgroup("exchange", Type::sized(NUMBER.complex(), (pass.workgroup_bytes() / 8) as u32));
        module.gap();
    }
    let (input, output) = module.input_output(in_place, pass.access.element(), pass.access.element());
    module.gap();
    if let Some(turn) = pass.turn {
        module.function(root_function("turn_root", constants, turn.n));
    }
    module.function(main(pass, group_size));
    module.function(transform(pass, input, output));
    module.finish()
}

/// A function for exp(-2πi·x/n).
pub(super) fn root_function(name: &str, constants: &Constants, n: u32) -> Function {
    let (low, [first, second]) = constants.twiddle(n);
    let mut function = Function::new(name).returning(NUMBER.complex());
    let x = function.parameter("x", U32);
    let body = &mut function.body;
    if low >= n {
        body.give(roots(NUMBER).at(&x + first));
    } else {
        let a = body.value("a", roots(NUMBER).at(&x % low + first));
        let b = body.value("b", roots(NUMBER).at(&x / low + second));
        body.give(pair(&(a.x() * b.x() - a.y() * b.y()), &(a.x() * b.y() + a.y() * b.x())));
    }
    function
}

/// The entry point. Which subgroups or workgroups return is the same for all their invocations, as
/// shuffles and barriers want it.
fn main(pass: &Lanes, group_size: &str) -> Function {
    let mut function = Function::new("main").entry(group_size);
    let constant = |name| Expr::name(name, U32);
    let group = function.workgroup_index();
    let (first, invocation, who) = if pass.memory.is_none() {
        let subgroup = function.builtin("subgroup_id", "subgroup", U32);
        let invocation = function.builtin("subgroup_invocation_id", "invocation", U32);
        ((group * constant("SUBGROUPS") + subgroup) * constant("SUBGROUP"), invocation, "a subgroup, which shuffles")
    } else {
        let invocation = function.builtin("local_invocation_index", "place", U32);
        (group * constant("INVOCATIONS"), invocation, "a workgroup, which meets at barriers")
    };
    let body = &mut function.body;
    let first = body.value("first", first);
    body.comment(format!("Lines may end in the midst of {who} as a whole: it stays, and its text guards loads and stores."));
    body.when(&first.at_least(param("lines", U32) * constant("LANES")), Body::leave);
    let line = (first + &invocation) / constant("LANES");
    let lane = &invocation % constant("LANES");
    if pass.memory.is_none() {
        body.call("transform", [&line, &lane]);
    } else {
        body.call("transform", [&line, &lane, &invocation]);
    }
    function
}

/// `fn transform`, which does what `pass` says. Without subgroups it takes its place in the
/// workgroup besides, and exchanges values through the array `exchange`.
fn transform(pass: &Lanes, input: Expr, output: Expr) -> Function {
    let mut function = Function::new("transform").doc("Transforms line `line` as its lane `lane`.");
    let line = function.parameter("line", U32);
    let lane = function.parameter("lane", U32).below(pass.lanes);
    let place = match pass.memory {
        None => Expr::from(0),
        Some(_) => function.parameter("place", U32).below(pass.invocations),
    };
    let mut body = std::mem::take(&mut function.body);
    // What lanes ask when they exchange values: whether theirs is the upper half, or where they
    // receive.
    let (mut upper, mut received) = (Vec::new(), Expr::from(0));
    if pass.memory.is_none() {
        upper.extend([1, 2, 4].map(|distance| body.value(&format!("upper{distance}"), (&lane & distance).differs(0))));
    } else {
        received = body.value("received", &lane * pass.invocations + &place - &lane);
    }
    let alive = if pass.has_idle() { line.less(pass.lines()) } else { boolean(true) };
    let mut emitter = Emitter { pass, body, input, output, line, lane, place, upper, received, alive, exchanged: false };
    if pass.loops {
        emitter.pass_in_loops();
    } else {
        emitter.pass();
    }
    function.body = emitter.body;
    function
}

pub(super) struct Emitter<'a> {
    pub(super) pass: &'a Lanes,
    body: Body,
    input: Expr,
    output: Expr,
    line: Expr,
    pub(super) lane: Expr,
    place: Expr,
    /// Whether bit i of the lane is set.
    upper: Vec<Expr>,
    /// Where in workgroup memory what is sent to this lane begins.
    received: Expr,
    alive: Expr,
    /// Whether an earlier exchange may still be read.
    pub(super) exchanged: bool,
}

impl Writes for Emitter<'_> {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }
}

/// Where the line of an invocation begins.
pub(super) struct Addresses {
    pub(super) input: Expr,
    /// As `input`, of the last slot of loads, for which not all lanes have elements: those past the
    /// last one load what it loads.
    pub(super) input_tail: Expr,
    pub(super) output: Expr,
    m: Expr,
}

impl Emitter<'_> {
    pub(super) fn dft(&mut self, x: &[Complex], letter: char) -> Vec<Complex> {
        codelets::dft(&mut self.body, Division::Coprime, x, &|k| format!("{letter}{k}"))
    }

    fn pass(&mut self) {
        let pass = self.pass;
        let addresses = self.addresses();
        let [j, k] = pass.factors;
        let [along, _] = pass.spread();
        // Stage 1.
        let slots = k.div_ceil(along * pass.lanes);
        let mut loads: Vec<(u32, u32)> = (0..slots).flat_map(|e| (0..j).map(move |m| (along * pass.lanes * e + k * m, e))).collect();
        loads.sort_unstable();
        let mut loaded: Vec<Vec<Complex>> = vec![Vec::new(); slots as usize];
        for (i, e) in loads {
            let begin = if e + 1 == slots { &addresses.input_tail } else { &addresses.input };
            loaded[e as usize].push(self.load(&format!("x{i}"), begin + i / along * pass.strides[0]));
        }
        let stage: Vec<Vec<Complex>> = loaded.iter().map(|x| self.dft(x, 'y')).collect();
        // Stages 2 and 3.
        let mut turns = Powers::new(|x| call("turn_root", [&x], NUMBER.complex()), addresses.m);
        // Lanes that compute in vain look up the last roots.
        let mut own = Powers::new(|x| roots(NUMBER).at(x), min(&self.lane, j.div_ceil(along) - 1) * along);
        // The numbers of each access, with the condition that lanes must fulfil to store them.
        let mut stores = BTreeMap::new();
        for h in 0..j.div_ceil(along * pass.lanes) {
            let x = if k == 1 { vec![stage[0][h as usize].clone()] } else { self.second_inputs(&stage, h, &mut own) };
            let first = along * pass.lanes * h;
            let condition = self.has_frequency(first);
            for (v, value) in (0..).zip(self.dft(&x, 'z')) {
                let frequency = first + j * v;
                let value = match pass.turn {
                    Some(turn) if frequency > 0 => self.turned(&value, &mut turns, frequency, turn),
                    _ => value,
                };
                stores.insert(frequency / along * pass.strides[1], (condition.clone(), value));
            }
        }
        for (place, (condition, value)) in stores {
            self.store(&(&addresses.output + place), &condition, &value);
        }
    }

    pub(super) fn addresses(&mut self) -> Addresses {
        let pass = self.pass;
        // Idle lanes have the places of the last line, so that roots are looked up inside of the
        // table. They neither load nor store there.
        let mut rest = if pass.has_idle() { min(&self.line, pass.lines() - 1) } else { self.line.clone() };
        let [mut input, mut output, mut m] = [Expr::from(0), Expr::from(0), Expr::from(0)];
        for (i, digit) in pass.digits.iter().enumerate() {
            let last = i + 1 == pass.digits.len();
            rest = self.body.value("rest", rest);
            let (quotient, own) = rest.div_rem(digit.extent);
            let d = self.body.value(&format!("d{i}"), if last { rest } else { own });
            rest = quotient;
            input = input + &d * digit.input;
            output = output + &d * digit.output;
            m = m + d * digit.weight;
        }
        // An access along the line holds W elements, so that the lane counts accesses on both
        // sides.
        let [along, _] = pass.spread();
        let mut from = |lane: &Expr| self.body.value("input_place", &input + lane * pass.strides[0] + pass.offsets[0]);
        let of_lane = from(&self.lane);
        let input_tail = match pass.factors[1] % (along * pass.lanes) {
            0 => of_lane.clone(),
            rest => from(&min(&self.lane, rest / along - 1)),
        };
        let output = self.body.value("output_place", output + &self.lane * pass.strides[1] + pass.offsets[1]);
        Addresses { input: of_lane, input_tail, output, m: self.body.value("m", m) }
    }

    /// Whether this lane has the frequencies of lane 0 that begin with `first`, or those after
    /// them.
    pub(super) fn has_frequency(&self, first: u32) -> Expr {
        let [along, _] = self.pass.spread();
        self.lane.less((self.pass.factors[0] - first).div_ceil(along)).and(&self.alive)
    }

    /// For each i in 0..K the values of the groups (g, h), turned: side by side stand those of all
    /// g, or across those of an access's lines.
    fn second_inputs(&mut self, stage: &[Vec<Complex>], h: u32, own: &mut Powers) -> Vec<Complex> {
        let pass = self.pass;
        let ([j, k], [along, _]) = (pass.factors, pass.spread());
        let groups: Vec<(u32, u32)> = (0..stage.len() as u32).flat_map(|e| (0..along).map(move |g| (e, g))).collect();
        let sent = groups.iter().map(|&(e, g)| {
            let to = (0..pass.lanes).map(|to| g + along * (to + pass.lanes * h));
            to.map(|u| (u < j).then(|| stage[e as usize][u as usize].clone())).collect()
        });
        let sent: Vec<Vec<Option<Complex>>> = sent.collect();
        let received = self.exchange(&sent);
        // i·u = i·(g + W·L·h) + i·W·λ
        let fixed = |i: u32| (0..along).map(move |g| i * (g + along * pass.lanes * h) % pass.n()).collect::<Vec<u32>>();
        let mut inputs = Vec::new();
        for (e, of_groups) in (0..).zip(received.chunks(along as usize)) {
            for l in 0..pass.lanes {
                for c in 0..along {
                    let i = c + along * (l + pass.lanes * e);
                    if i >= k {
                        continue;
                    }
                    let value = if along == 1 {
                        of_groups[0][l as usize].clone()
                    } else {
                        let of_groups: Vec<Complex> = of_groups.iter().map(|values| values[l as usize].component(c as usize)).collect();
                        self.body.side_by_side("x", &of_groups)
                    };
                    let value = if i == 0 {
                        value
                    } else if pass.lanes == 1 {
                        self.body.turn_each(&value, &fixed(i), pass.n())
                    } else {
                        let power = own.power(self, i);
                        let root = self.body.turn_each(&power, &fixed(i), pass.n());
                        self.body.multiply("x", &value, &root)
                    };
                    inputs.push(value);
                }
            }
        }
        inputs
    }

    /// The values of an access times their roots for one frequency.
    fn turned(&mut self, value: &Complex, turns: &mut Powers, frequency: u32, turn: PassTwiddle) -> Complex {
        let power = turns.power(self, frequency);
        let [_, across] = self.pass.spread();
        let fixed: Vec<u32> = (0..across).map(|a| frequency * a * turn.across % turn.n).collect();
        let roots = self.body.turn_each(&power, &fixed, turn.n);
        self.body.multiply("turned", value, &roots)
    }

    pub(super) fn load(&mut self, name: &str, place: Expr) -> Complex {
        let access = self.pass.access;
        let loaded = self.input.at(place);
        // In place, the lanes that own the last line may already be storing it.
        let alive = self.alive.clone();
        let loaded = self.values_when(&alive, &[("loaded".to_owned(), access.element())], |_| vec![loaded]).remove(0);
        access.parts(&mut self.body, name, &loaded).swapped_if(self.pass.swap[0])
    }

    pub(super) fn store(&mut self, place: &Expr, condition: &Expr, value: &Complex) {
        let Complex { re, im } = value.clone().swapped_if(self.pass.swap[1]);
        let [re, im] = [re, im].map(|x| if self.pass.scaled { scale(&x.signed()) * x.signed() } else { x.signed() });
        let output = self.output.at(place);
        let access = self.pass.access;
        self.when(condition, |own| {
            let value = access.joined(&mut own.body, [re, im]);
            own.body.assign(&output, value);
        });
    }

    /// Of every lane's values for lane 0, 1, ..., those for this lane, by sender; several times.
    pub(super) fn exchange(&mut self, sent: &[Vec<Option<Complex>>]) -> Vec<Vec<Complex>> {
        let sent: Vec<Vec<[Expr; 2]>> = sent
            .iter()
            .map(|sent| {
                let known = sent.iter().flatten().next().cloned().expect("somebody sends");
                let values = sent.iter().map(|value| value.as_ref().unwrap_or(&known));
                let body = &mut self.body;
                values.map(|value| [&value.re, &value.im].map(|part| body.positive("sent", part))).collect()
            })
            .collect();
        if self.pass.exchanges_in_memory() {
            return self.exchange_in_memory(&sent);
        }
        sent.into_iter().map(|values| self.exchange_in_subgroups(values)).collect()
    }

    /// Every invocation stores its values for the other lanes, and loads theirs for itself: each
    /// number of those side by side in a turn of its own, as many turns at once as there is room
    /// for.
    fn exchange_in_memory(&mut self, sent: &[Vec<[Expr; 2]>]) -> Vec<Vec<Complex>> {
        let Lanes { lanes, invocations, .. } = *self.pass;
        let memory = Expr::name("exchange", Type::array(NUMBER.complex()));
        let width = self.pass.exchanged_together() as usize;
        let turns: Vec<(usize, usize)> = (0..sent.len()).flat_map(|own| (0..width).map(move |i| (own, i))).collect();
        let mut received: Vec<Vec<Vec<Complex>>> = vec![vec![Vec::new(); lanes as usize]; sent.len()];
        for turns in turns.chunks(self.pass.exchanges_at_once() as usize) {
            if std::mem::replace(&mut self.exchanged, true) {
                // What was exchanged before has been read by everyone.
                self.body.barrier();
            }
            for (place, ([re, im], i)) in (0..).zip(turns.iter().flat_map(|&(own, i)| sent[own].iter().map(move |values| (values, i)))) {
                self.body.assign(&memory.at(&self.place + place * invocations), pair(&component(re, i), &component(im, i)));
            }
            self.body.barrier();
            for (first, &(own, _)) in (0..).zip(turns) {
                for lane in 0..lanes {
                    let x = self.body.value("x", memory.at(&self.received + (first * lanes * invocations + lane)));
                    received[own][lane as usize].push(Complex::of(&mut self.body, "x", &x));
                }
            }
        }
        let mut together = |numbers: Vec<Complex>| self.body.side_by_side("x", &numbers);
        received.into_iter().map(|by_lane| by_lane.into_iter().map(&mut together).collect()).collect()
    }

    /// The lanes of a subgroup exchange halves, then quarters, then eighths.
    fn exchange_in_subgroups(&mut self, mut values: Vec<[Expr; 2]>) -> Vec<Complex> {
        let mut distance = values.len() / 2;
        while distance > 0 {
            let upper = self.upper[distance.ilog2() as usize].clone();
            for low in (0..values.len()).filter(|low| low & distance == 0) {
                let high = low + distance;
                let [mut a, mut b] = [low, high].map(|i| values[i].clone());
                for (a, b) in a.iter_mut().zip(&mut b) {
                    let sent = select(&upper, &*a, &*b);
                    let other = self.body.value("other", call("subgroupShuffleXor", [&sent, &(distance as u32).into()], sent.ty().clone()));
                    *a = self.body.value("low", select(&upper, &other, &*a));
                    *b = self.body.value("high", select(&upper, &*b, other));
                }
                (values[low], values[high]) = (a, b);
            }
            distance /= 2;
        }
        values.into_iter().map(|[re, im]| Complex { re: re.into(), im: im.into() }).collect()
    }
}

/// exp(-2πi·x·k/n) for one x of the invocation: k = 1, 2, 4, 8, ... are looked up, the others
/// products.
///
/// With 1, 4, 16, ... alone, errors of the same root add up: 2^16 in four passes had 1.58 times the
/// error of rustfft's transform in f32.
struct Powers {
    look_up: fn(Expr) -> Expr,
    x: Expr,
    powers: HashMap<u32, Complex>,
}

impl Powers {
    fn new(look_up: fn(Expr) -> Expr, x: Expr) -> Self {
        Self { look_up, x, powers: HashMap::new() }
    }

    fn power(&mut self, emitter: &mut Emitter<'_>, k: u32) -> Complex {
        if let Some(power) = self.powers.get(&k) {
            return power.clone();
        }
        let high = 1 << k.ilog2();
        let power = if k == high {
            let root = emitter.body.value("root", (self.look_up)(&self.x * k));
            Complex::of(&mut emitter.body, "root", &root)
        } else {
            let [a, b] = [k - high, high].map(|k| self.power(emitter, k));
            emitter.body.multiply("root", &a, &b)
        };
        self.powers.insert(k, power.clone());
        power
    }
}
