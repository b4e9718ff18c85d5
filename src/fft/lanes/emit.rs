//! The text of `fft/lanes`, from [`Lanes`], which says what it computes.
//!
//! All loads come first and all stores last, each in the order of their addresses: on lavapipe 1024
//! rows of 1024 take 15% longer if loads and stores stand where their values are first used and
//! known.

use std::collections::{BTreeMap, HashMap};

use super::parts::{Complex, Parts, Real, Wide, of_line};
use super::{Access, Lanes, SUBGROUP, Through, Turn, TurnTable};
use crate::fft::codelets::{self, Division, complex, pair, roots, scale};
use crate::wgsl::{
    Body, Expr, F32, Function, Module, Scalar, Type, U32, U64, Writes, bitcast, boolean, call, construct, min, param, select, vec2, vec4,
};

/// Numbers on several lines or in several accesses, with the condition that lanes must fulfil to
/// store them.
type Stores = BTreeMap<u32, (Expr, Wide)>;

/// All that stands between the markers of `shaders/fft/lanes.wgsl`. The roots of the line begin at
/// 0 in the constants.
pub(crate) fn wgsl(pass: &Lanes, invocations: u32, in_place: bool, turns: Option<TurnTable>) -> String {
    let mut module = Module::default();
    let group_size = match pass.through {
        Through::Subgroups => {
            module.constant("SUBGROUP", SUBGROUP);
            module.constant("SUBGROUPS", invocations / SUBGROUP);
            "SUBGROUP * SUBGROUPS"
        }
        Through::Memory { .. } => {
            module.constant("INVOCATIONS", invocations);
            "INVOCATIONS"
        }
    };
    module.constant("LANES", pass.lanes);
    module.gap();
    if pass.access == Access::Quads {
        module.structure("Quads", &["low", "high"].map(|half| (half.to_owned(), vec4(Scalar::F32))));
    }
    if pass.workgroup_bytes() > 0 {
        module.workgroup("exchange", Type::sized(complex(), (pass.workgroup_bytes() / 8) as u32));
        module.gap();
    }
    let (input, output) = module.input_output(in_place, element(pass.access), element(pass.access));
    module.gap();
    if let (Some(table), Some(turn)) = (turns, pass.turn) {
        module.function(turn_root(table, turn));
    }
    module.function(main(pass, group_size));
    module.function(transform(pass, input, output));
    module.finish()
}

/// What one access moves.
fn element(access: Access) -> Type {
    match access {
        Access::Pair => vec2(Scalar::F32),
        Access::Quad => vec4(Scalar::F32),
        Access::Octet => vec4(Scalar::U64),
        Access::Quads => Type::named("Quads"),
    }
}

/// exp(-2πi·x/n) of a [`Turn`].
fn turn_root(TurnTable { low, at: [first, second] }: TurnTable, turn: Turn) -> Function {
    let mut function = Function::new("turn_root").returning(complex());
    let x = function.parameter("x", U32);
    let body = &mut function.body;
    if low >= turn.n {
        body.give(roots().at(&x + first));
    } else {
        let a = body.value("a", roots().at(&x % low + first));
        let b = body.value("b", roots().at(&x / low + second));
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
    let (first, invocation, who) = match pass.through {
        Through::Subgroups => {
            let subgroup = function.builtin("subgroup_id", "subgroup", U32);
            let invocation = function.builtin("subgroup_invocation_id", "invocation", U32);
            ((group * constant("SUBGROUPS") + subgroup) * constant("SUBGROUP"), invocation, "a subgroup, which shuffles")
        }
        Through::Memory { .. } => {
            let invocation = function.builtin("local_invocation_index", "place", U32);
            (group * constant("INVOCATIONS"), invocation, "a workgroup, which meets at barriers")
        }
    };
    let body = &mut function.body;
    let first = body.value("first", first);
    body.comment(format!("Lines may end in the midst of {who} as a whole: it stays, and its text guards loads and stores."));
    body.when(&first.at_least(param("lines", U32) * constant("LANES")), Body::leave);
    let line = (first + &invocation) / constant("LANES");
    let lane = &invocation % constant("LANES");
    match pass.through {
        Through::Subgroups => body.call("transform", [&line, &lane]),
        Through::Memory { .. } => body.call("transform", [&line, &lane, &invocation]),
    }
    function
}

/// `fn transform`, which does what `pass` says. Without subgroups it takes its place in the
/// workgroup besides, and exchanges values through the array `exchange`.
fn transform(pass: &Lanes, input: Expr, output: Expr) -> Function {
    let mut function = Function::new("transform").doc("Transforms line `line` as its lane `lane`.");
    let line = function.parameter("line", U32);
    let lane = function.parameter("lane", U32).below(pass.lanes);
    let place = match pass.through {
        Through::Subgroups => Expr::from(0),
        Through::Memory { invocations, .. } => function.parameter("place", U32).below(invocations),
    };
    let mut body = std::mem::take(&mut function.body);
    // What lanes ask when they exchange values: whether theirs is the upper half, or where they
    // receive.
    let (mut upper, mut received) = (Vec::new(), Expr::from(0));
    match pass.through {
        Through::Subgroups => {
            for distance in [1, 2, 4] {
                upper.push(body.value(&format!("upper{distance}"), (&lane & distance).differs(0)));
            }
        }
        Through::Memory { invocations, .. } => received = body.value("received", &lane * invocations + &place - &lane),
    }
    let alive = if pass.has_idle() { line.less(pass.lines()) } else { boolean(true) };
    let mut emitter = Emitter { pass, body, input, output, line, lane, place, upper, received, alive, exchanged: false };
    emitter.pass();
    function.body = emitter.body;
    function
}

struct Emitter<'a> {
    pass: &'a Lanes,
    body: Body,
    input: Expr,
    output: Expr,
    line: Expr,
    lane: Expr,
    /// In the workgroup.
    place: Expr,
    /// Whether bit i of the lane is set.
    upper: Vec<Expr>,
    /// Where in workgroup memory what is sent to this lane begins.
    received: Expr,
    /// Whether the invocation has a line.
    alive: Expr,
    exchanged: bool,
}

impl Writes for Emitter<'_> {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }
}

/// Where the line of an invocation begins.
struct Addresses {
    input: Expr,
    /// As `input`, of the last slot of loads, for which not all lanes have elements: those past the
    /// last one load what it loads.
    input_tail: Expr,
    output: Expr,
    /// The m of a [`Turn`].
    m: Expr,
}

impl Emitter<'_> {
    fn arithmetic(&mut self) -> Parts<'_> {
        Parts { body: &mut self.body }
    }

    fn dft(&mut self, x: &[Wide], letter: char) -> Vec<Wide> {
        codelets::dft(&mut self.arithmetic(), Division::Coprime, x, &|k| format!("{letter}{k}"))
    }

    fn pass(&mut self) {
        let pass = self.pass;
        let addresses = self.addresses();
        let [j, k] = pass.factors;
        let [along, _] = pass.spread();
        // Stage 1.
        let slots = k.div_ceil(along * pass.lanes);
        let mut loads = BTreeMap::new();
        for e in 0..slots {
            for m in 0..j {
                loads.insert(along * pass.lanes * e + k * m, (e, m));
            }
        }
        let mut loaded: Vec<Vec<Wide>> = vec![vec![Wide::new(); j as usize]; slots as usize];
        for (i, (e, m)) in loads {
            let begin = if e + 1 == slots { &addresses.input_tail } else { &addresses.input };
            loaded[e as usize][m as usize] = self.load(&format!("x{i}"), begin + i / along * pass.strides[0]);
        }
        let stage: Vec<Vec<Wide>> = loaded.iter().map(|x| self.dft(x, 'y')).collect();
        // Stages 2 and 3.
        let mut turns = Powers::new(Table::Turn, addresses.m);
        let mut own = Powers::new(Table::Line, &self.lane * along);
        let mut stores = Stores::new();
        for h in 0..j.div_ceil(along * pass.lanes) {
            let x = if k == 1 { vec![stage[0][h as usize].clone()] } else { self.second_inputs(&stage, h, &mut own) };
            let first = along * pass.lanes * h;
            let condition = self.lane.less((j - first).div_ceil(along)).and(&self.alive);
            for (v, value) in (0..).zip(self.dft(&x, 'z')) {
                let frequency = first + j * v;
                let value = match pass.turn {
                    Some(turn) if frequency > 0 => self.turned(value, &mut turns, frequency, turn),
                    _ => value,
                };
                stores.insert(frequency / along * pass.strides[1], (condition.clone(), value));
            }
        }
        for (place, (condition, value)) in stores {
            self.store(&(&addresses.output + place), &condition, &value);
        }
    }

    fn addresses(&mut self) -> Addresses {
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

    /// For each i in 0..K the values of the groups (g, h), turned; of each group those of an
    /// access's lines.
    fn second_inputs(&mut self, stage: &[Vec<Wide>], h: u32, own: &mut Powers) -> Vec<Wide> {
        let pass = self.pass;
        let ([j, k], [along, across]) = (pass.factors, pass.spread());
        let mut inputs = vec![Wide::new(); k as usize];
        let mut all = Vec::new();
        for e in 0..stage.len() as u32 {
            for c in 0..along {
                all.extend((0..along).flat_map(|g| (0..across).map(move |a| (e, c, g, a))));
            }
        }
        for some in all.chunks(pass.exchanges_at_once() as usize) {
            let sent = some.iter().map(|&(e, c, g, a)| {
                let to = (0..pass.lanes).map(|to| g + along * (to + pass.lanes * h));
                to.map(|u| (u < j).then(|| stage[e as usize][u as usize][(c * across + a) as usize].clone())).collect()
            });
            let sent: Vec<Vec<Option<Complex>>> = sent.collect();
            for (&(e, c, g, _), values) in some.iter().zip(self.exchange(&sent)) {
                for (l, value) in (0..).zip(values) {
                    let i = c + along * (l + pass.lanes * e);
                    if i >= k {
                        continue;
                    }
                    // i·u = i·(g + W·L·h) + i·W·λ
                    let fixed = i * (g + along * pass.lanes * h) % pass.n();
                    let value = if i == 0 {
                        value
                    } else if pass.lanes == 1 {
                        self.arithmetic().turn_one(&value, fixed as usize, pass.n() as usize)
                    } else {
                        let root = own.turned(self, i, fixed, pass.n());
                        self.arithmetic().multiply("x", &value, &root)
                    };
                    inputs[i as usize].push(value);
                }
            }
        }
        own.products.clear();
        inputs
    }

    /// The values of an access times their roots for one frequency.
    fn turned(&mut self, value: Wide, turns: &mut Powers, frequency: u32, turn: Turn) -> Wide {
        let lines = (0..).zip(value);
        lines
            .map(|(a, x)| {
                let root = turns.turned(self, frequency, frequency * a * turn.across % turn.n, turn.n);
                self.arithmetic().multiply("turned", &x, &root)
            })
            .collect()
    }

    fn load(&mut self, name: &str, place: Expr) -> Wide {
        let access = self.pass.access;
        let loaded = self.input.at(place);
        // In place, the lanes that own the last line may already be storing it.
        let alive = self.alive.clone();
        let loaded = self.values_when(&alive, &[("loaded".to_owned(), element(access))], |_| vec![loaded]).remove(0);
        let four = |half: &str| loaded.field(half, vec4(Scalar::F32));
        let parts: Vec<Expr> = match access {
            Access::Octet => (0..4)
                .flat_map(|i| [loaded.component(i), loaded.component(i) >> 32])
                .map(|bits| bitcast(&F32, &construct(&U32, [&bits])))
                .collect(),
            Access::Pair => (0..2).map(|i| loaded.component(i)).collect(),
            Access::Quad => (0..4).map(|i| loaded.component(i)).collect(),
            Access::Quads => ["low", "high"]
                .into_iter()
                .flat_map(|half| (0..4).map(move |i| (half, i)))
                .map(|(half, i)| four(half).component(i))
                .collect(),
        };
        let mut real = |part: &str, line: usize, value: &Expr| {
            let name = of_line(name, line, access.width() as usize);
            Real::from(self.body.value(&format!("{name}_{part}"), value))
        };
        let lines = parts.chunks(2).enumerate();
        lines
            .map(|(line, parts)| Complex { re: real("re", line, &parts[0]), im: real("im", line, &parts[1]) })
            .map(|x| x.swapped_if(self.pass.swap[0]))
            .collect()
    }

    fn store(&mut self, place: &Expr, condition: &Expr, value: &Wide) {
        let factor = |x: Real| if self.pass.scaled { scale() * x.signed() } else { x.signed() };
        let parts = value.iter().flat_map(|x| {
            let Complex { re, im } = x.clone().swapped_if(self.pass.swap[1]);
            [factor(re), factor(im)]
        });
        let mut parts: Vec<Expr> = parts.collect();
        match self.pass.access {
            Access::Pair | Access::Quad => {}
            Access::Octet => {
                let bits = |x: &Expr| construct(&U64, [&bitcast(&U32, x)]);
                parts = parts.chunks(2).map(|parts| bits(&parts[0]) | (bits(&parts[1]) << 32)).collect();
            }
            Access::Quads => parts = parts.chunks(4).map(|half| construct(&vec4(Scalar::F32), half)).collect(),
        }
        let value = construct(&element(self.pass.access), &parts);
        let output = self.output.at(place);
        self.when(condition, |own| own.body.assign(&output, value));
    }

    /// Of every lane's values for lane 0, 1, ..., those for this lane, by sender; several times at
    /// once.
    fn exchange(&mut self, sent: &[Vec<Option<Complex>>]) -> Vec<Vec<Complex>> {
        let lanes = self.pass.lanes;
        let sent: Vec<Vec<[Expr; 2]>> = sent
            .iter()
            .map(|sent| {
                let known = sent.iter().flatten().next().cloned().expect("somebody sends");
                let values = sent.iter().map(|value| value.as_ref().unwrap_or(&known));
                let mut arithmetic = Parts { body: &mut self.body };
                values.map(|value| [&value.re, &value.im].map(|part| arithmetic.positive("sent", part))).collect()
            })
            .collect();
        match self.pass.through {
            Through::Memory { invocations, .. } if lanes > 1 => self.exchange_in_memory(invocations, &sent),
            _ => sent.into_iter().map(|values| self.exchange_in_subgroups(values)).collect(),
        }
    }

    /// Every invocation stores its values for the other lanes, and loads theirs for itself.
    fn exchange_in_memory(&mut self, invocations: u32, sent: &[Vec<[Expr; 2]>]) -> Vec<Vec<Complex>> {
        let lanes = self.pass.lanes;
        let memory = Expr::name("exchange", Type::array(complex()));
        if std::mem::replace(&mut self.exchanged, true) {
            // What was exchanged before has been read by everyone.
            self.body.barrier();
        }
        for (i, [re, im]) in (0..).zip(sent.iter().flatten()) {
            self.body.assign(&memory.at(&self.place + i * invocations), pair(re, im));
        }
        self.body.barrier();
        let of_one = |(first, _)| {
            let of_sender = |lane| {
                let x = self.body.value("x", memory.at(&self.received + (first * lanes * invocations + lane)));
                Complex::of(&mut self.body, "x", &x)
            };
            (0..lanes).map(of_sender).collect()
        };
        (0..).zip(sent).map(of_one).collect()
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
                    let other = self.body.value("other", call("subgroupShuffleXor", [&sent, &(distance as u32).into()], F32));
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

/// Which roots are looked up.
#[derive(Clone, Copy)]
enum Table {
    /// exp(-2πi·x/n) of the line.
    Line,
    /// Those of the [`Turn`].
    Turn,
}

/// exp(-2πi·x·k/n) for one x of the invocation: k = 1, 4, 16, ... are looked up, the others
/// products.
struct Powers {
    table: Table,
    x: Expr,
    powers: HashMap<u32, Complex>,
    /// Powers times constants, by k and the constant.
    products: HashMap<(u32, u32), Complex>,
}

impl Powers {
    fn new(table: Table, x: Expr) -> Self {
        Self { table, x, powers: HashMap::new(), products: HashMap::new() }
    }

    fn power(&mut self, emitter: &mut Emitter<'_>, k: u32) -> Complex {
        if let Some(power) = self.powers.get(&k) {
            return power.clone();
        }
        let high = 1 << (k.ilog2() / 2 * 2);
        let power = if k == high {
            let at = &self.x * k;
            let root = match self.table {
                Table::Line => roots().at(at),
                Table::Turn => call("turn_root", [&at], complex()),
            };
            let root = emitter.body.value("root", root);
            Complex::of(&mut emitter.body, "root", &root)
        } else {
            let low = if k.is_multiple_of(high) { high } else { k % high };
            let [a, b] = [low, k - low].map(|k| self.power(emitter, k));
            emitter.arithmetic().multiply("root", &a, &b)
        };
        self.powers.insert(k, power.clone());
        power
    }

    /// The power k times exp(-2πi·fixed/n).
    fn turned(&mut self, emitter: &mut Emitter<'_>, k: u32, fixed: u32, n: u32) -> Complex {
        if let Some(product) = self.products.get(&(k, fixed)) {
            return product.clone();
        }
        let power = self.power(emitter, k);
        let product = emitter.arithmetic().turn_one(&power, fixed as usize, n as usize);
        self.products.insert((k, fixed), product.clone());
        product
    }
}
