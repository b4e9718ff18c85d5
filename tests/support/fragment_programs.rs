//! Fragments drawn from a small grammar of WGSL, with a bias to what could fool their checks: names
//! that mean several things, counters that something changes, pointers, large types, loops that
//! multiply, and characters that are not what they seem.

use fastrand::Rng;

/// What a name is, while its scope lasts.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    /// A u32 that can be assigned.
    Variable,
    /// A u32 that cannot.
    Constant,
    /// A u32 that a loop counts.
    Counter,
    /// A function of a u32.
    Function,
    /// A function of a pointer to a u32.
    Taker,
    /// A local array of 4 u32.
    Array,
    /// A `ptr<function, u32>`.
    Pointer,
}

/// Names that mean something to WGSL, to a kernel or to a fragment, and others.
const NAMES: [&str; 20] = [
    "a", "b", "i", "j", "n", "N", "M", "min", "max", "select", "clamp", "load", "store", "input", "roots", "grid", "f", "g", "real",
    "params",
];
const LENGTHS: [&str; 8] = ["1u", "2u", "3u", "4u", "5u", "7u", "8u", "300u"];
const ODD: [&str; 6] = ["70000u", "4294967295u", "0xffffu", "4000000000u", "2147483647u", "0u"];
/// What stands between tokens, rarely.
const BLANKS: [&str; 12] =
    ["\u{200e}", "\u{200f}", "\r", "\u{c}", "\u{85}", "\u{2028}", "\u{301}", "\u{feff}", "/* c */", "// d\n", "\r\n", "\t"];

/// A text that is being drawn.
struct Drawn<'a> {
    rng: &'a mut Rng,
    text: String,
    names: Vec<(String, Of)>,
    /// How deep statements are nested.
    depth: u32,
    /// The inverse of how often something is drawn that a check must refuse.
    mischief: u32,
}

impl Drawn<'_> {
    fn one(&mut self, times: u32) -> bool {
        self.rng.u32(0..times) == 0
    }

    fn mischief(&mut self) -> bool {
        let times = self.mischief;
        self.one(times)
    }

    fn pick<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of[self.rng.usize(0..of.len())]
    }

    /// Tokens separated by blanks.
    fn put(&mut self, tokens: &str) {
        for token in tokens.split(' ') {
            self.text.push_str(token);
            let blank = if self.one(2000) { self.pick(&BLANKS) } else { " " };
            self.text.push_str(blank);
        }
    }

    fn name(&mut self, of: Of) -> Option<String> {
        let all: Vec<&String> = self.names.iter().filter(|(_, own)| *own == of).map(|(name, _)| name).collect();
        if all.is_empty() { None } else { Some(all[self.rng.usize(0..all.len())].clone()) }
    }

    fn fresh(&mut self) -> String {
        let name = self.pick(&NAMES);
        if self.one(3) { name.to_owned() } else { format!("{name}{}", self.rng.u32(0..40)) }
    }

    /// From now on a name is this and nothing else.
    fn declare(&mut self, name: &str, of: Of) {
        self.names.retain(|(own, _)| own != name);
        self.names.push((name.to_owned(), of));
    }

    /// A u32 expression.
    fn number(&mut self, depth: u32) -> String {
        let leaf = depth == 0;
        match self.rng.u32(0..if leaf { 5 } else { 12 }) {
            0 => self.pick(&LENGTHS).to_owned(),
            1 | 2 => self.name(Of::Variable).unwrap_or_else(|| "2u".to_owned()),
            3 => self.name(Of::Constant).unwrap_or_else(|| "3u".to_owned()),
            4 => self.name(Of::Counter).unwrap_or_else(|| "1u".to_owned()),
            5..=7 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^", "/", "%"]);
                format!("( {} {op} {} )", self.number(depth - 1), self.number(depth - 1))
            }
            8 => match self.name(Of::Function) {
                Some(function) => format!("{function} ( {} )", self.number(depth - 1)),
                None => "5u".to_owned(),
            },
            9 => match self.name(Of::Array) {
                Some(array) if self.one(2) => format!("{array} [ {} ]", self.rng.u32(0..4)),
                Some(array) => format!("{array} [ {} % 4u ]", self.number(depth - 1)),
                None => format!("u32 ( taps [ {} ] )", self.number(depth - 1)),
            },
            10 => self.name(Of::Pointer).map_or_else(|| "1u".to_owned(), |pointer| format!("( * {pointer} )")),
            _ => format!("select ( {} , {} , {} < {} )", self.number(0), self.number(0), self.number(depth - 1), self.number(0)),
        }
    }

    /// The bound or the start of a loop.
    fn bound(&mut self) -> String {
        match self.rng.u32(0..20) {
            0 if self.mischief() => self.pick(&ODD).to_owned(),
            1 if self.mischief() => self.number(1),
            2..=5 => self.name(Of::Constant).unwrap_or_else(|| "3u".to_owned()),
            6 => self.name(Of::Constant).map_or_else(|| "3u".to_owned(), |name| format!("{name} * 2u")),
            7 => self.pick(&LENGTHS).to_owned(),
            _ => self.pick(&LENGTHS[..5]).to_owned(),
        }
    }

    /// What must not be done to a counter.
    fn tamper(&mut self, counter: &str) {
        let text = match self.rng.u32(0..9) {
            0 => format!("{counter} = 0u ;"),
            1 => format!("( {counter} ) -= 1u ;"),
            2 => format!("* ( & ( {counter} ) ) = 0u ;"),
            3 => format!("let p9 = & ( {counter} ) ; * p9 = 0u ;"),
            4 => self.name(Of::Taker).map_or_else(String::new, |taker| format!("{taker} ( & ( {counter} ) ) ;")),
            5 => format!("{counter} -- ;"),
            6 => format!("let p8 = & {counter} ; let p7 = p8 ; * p7 -= 1u ;"),
            7 => format!("for ( {counter} = 0u ; {counter} < 3u ; {counter} ++ ) {{ }}"),
            _ => format!("var {counter} = 0u ; {counter} = 7u ;"),
        };
        if !text.is_empty() {
            self.put(&text);
        }
    }

    fn block(&mut self) {
        let (names, depth) = (self.names.len(), self.depth);
        let outer = self.names.clone();
        self.depth += 1;
        self.put("{");
        for _ in 0..self.rng.u32(0..4) {
            self.statement();
        }
        self.put("}");
        (self.names, self.depth) = (outer, depth);
        debug_assert_eq!(names, self.names.len());
    }

    fn repeated(&mut self) {
        let (outer, counter) = (self.names.clone(), self.fresh());
        let (begin, bound) = (if self.one(2) { "0u".to_owned() } else { self.bound() }, self.bound());
        let op = if self.mischief() { self.pick(&[">", "!=", ">="]) } else { self.pick(&["<", "<", "<="]) };
        let step = match self.rng.u32(0..6) {
            0 => format!("{counter} += 2u"),
            1 => format!("{counter} = {counter} + 1u"),
            2 if self.mischief() => format!("{counter} += {}", self.number(1)),
            3 if self.mischief() => format!("{counter} --"),
            _ => format!("{counter} ++"),
        };
        match self.rng.u32(0..12) {
            0 if self.mischief() => self.put(&format!("var {counter} = {begin} ; while ( {counter} {op} {bound} )")),
            1 => {
                let outside = self.mischief();
                let stored = if outside { self.number(1) } else { begin };
                self.put(&format!("var {counter} = 0u ; {counter} = {stored} ; for ( ; {counter} {op} {bound} ; {step} )"));
            }
            2 if self.mischief() => {
                let stale = self.fresh();
                self.put(&format!("var {counter} = {begin} ; let {stale} = {counter} ; "));
                self.put(&format!("for ( ; {counter} {op} {bound} ; {counter} = {stale} + 1u )"));
            }
            _ => self.put(&format!("for ( var {counter} = {begin} ; {counter} {op} {bound} ; {step} )")),
        }
        self.declare(&counter, Of::Counter);
        self.put("{");
        self.depth += 1;
        for _ in 0..self.rng.u32(0..3) {
            self.statement();
        }
        if self.mischief() || self.one(12) {
            let counter = self.name(Of::Counter).unwrap_or(counter);
            self.tamper(&counter);
        }
        if self.one(8) {
            let leave = self.pick(&["break ;", "continue ;"]);
            self.put(leave);
        }
        self.depth -= 1;
        self.put("}");
        self.names = outer;
    }

    fn statement(&mut self) {
        let deep = self.depth > 3;
        match self.rng.u32(0..16) {
            0 | 1 => {
                let (name, value) = (self.fresh(), self.number(2));
                self.put(&format!("var {name} = {value} ;"));
                self.declare(&name, Of::Variable);
            }
            2 => {
                let (name, value) = (self.fresh(), self.number(2));
                self.put(&format!("let {name} = {value} ;"));
                // A bound that is no constant.
                let of = if self.mischief() { Of::Constant } else { Of::Variable };
                if of == Of::Constant {
                    self.declare(&name, of);
                } else {
                    self.names.retain(|(own, _)| *own != name);
                }
            }
            3 => {
                let (name, length) = (self.fresh(), self.pick(&LENGTHS));
                self.put(&format!("const {name} = {length} ;"));
                self.declare(&name, Of::Constant);
            }
            4 => {
                // No name of a kernel's begins so: the sanitizer names what is indexed.
                let name = format!("zz{}", self.rng.u32(0..4));
                let length = if self.mischief() { self.pick(&ODD) } else { "4" };
                self.put(&format!("var {name} : array < u32 , {length} > ;"));
                self.declare(&name, Of::Array);
            }
            5 | 6 => {
                if let Some(name) = self.name(Of::Variable) {
                    let (op, value) = (self.pick(&["=", "+=", "*=", "^="]), self.number(2));
                    self.put(&format!("{name} {op} {value} ;"));
                }
            }
            7 => {
                if let Some(name) = self.name(Of::Array) {
                    let (index, value) = (self.number(1), self.number(1));
                    let index = if self.one(3) { index } else { format!("{index} % 4u") };
                    self.put(&format!("{name} [ {index} ] = {value} ;"));
                }
            }
            8 => {
                if let (Some(taker), Some(variable)) = (self.name(Of::Taker), self.name(Of::Variable)) {
                    self.put(&format!("{taker} ( & {variable} ) ;"));
                }
            }
            9 => {
                if let Some(variable) = self.name(Of::Variable) {
                    let name = self.fresh();
                    self.put(&format!("let {name} = & {variable} ;"));
                    self.declare(&name, Of::Pointer);
                }
            }
            10 => {
                if let Some(pointer) = self.name(Of::Pointer) {
                    let value = self.number(1);
                    self.put(&format!("* {pointer} = {value} ;"));
                }
            }
            11 | 12 if !deep => {
                let (a, b) = (self.number(1), self.number(1));
                self.put(&format!("if ( {a} < {b} )"));
                self.block();
                if self.one(2) {
                    self.put("else");
                    self.block();
                }
            }
            13 if !deep => {
                let selector = self.number(1);
                self.put(&format!("switch ( {selector} ) {{ case 1u , 2u : "));
                self.block();
                self.put("default :");
                self.block();
                self.put("}");
            }
            _ if !deep => self.repeated(),
            _ => {}
        }
    }

    fn function(&mut self, name: &str, takes_pointer: bool) {
        let outer = self.names.clone();
        let parameter = self.fresh();
        if takes_pointer {
            self.put(&format!("fn {name} ( {parameter} : ptr < function , u32 > ) {{"));
            self.declare(&parameter, Of::Pointer);
        } else {
            self.put(&format!("fn {name} ( {parameter} : u32 ) -> u32 {{"));
            // Parameters cannot be assigned, and are no constants.
            self.names.retain(|(own, _)| *own != parameter);
            let copy = self.fresh();
            self.put(&format!("var {copy} = {parameter} ;"));
            self.declare(&copy, Of::Variable);
        }
        for _ in 0..self.rng.u32(1..6) {
            self.statement();
        }
        if takes_pointer {
            self.put("}\n");
        } else {
            let result = self.number(2);
            self.put(&format!("return {result} ; }}\n"));
        }
        self.names = outer;
        self.declare(name, if takes_pointer { Of::Taker } else { Of::Function });
    }
}

/// Functions, of which one keeps a `vec2<f32>` whatever the others do, and the expression that calls
/// them. It reads the array `taps`.
pub fn drawn(seed: u64) -> (String, String) {
    let mut rng = Rng::with_seed(seed);
    let mischief = [3, 12, 200][rng.usize(0..3)];
    let mut drawn = Drawn { rng: &mut rng, text: String::new(), names: Vec::new(), depth: 0, mischief };
    drawn.text.push_str("fn keep(a: vec2<f32>, b: u32) -> vec2<f32> { return a; }\n");
    for _ in 0..drawn.rng.u32(1..6) {
        let name = drawn.fresh();
        if drawn.names.iter().any(|(own, _)| *own == name) {
            continue;
        }
        match drawn.rng.u32(0..6) {
            0 | 1 => {
                let length = drawn.pick(&LENGTHS);
                drawn.put(&format!("const {name} = {length} ;\n"));
                drawn.declare(&name, Of::Constant);
            }
            2 => drawn.function(&name, true),
            _ => drawn.function(&name, false),
        }
    }
    let value = drawn.number(2);
    let functions = std::mem::take(&mut drawn.text);
    let at = if drawn.one(2) { "i0" } else { "batch" };
    // All functions run, so that what they do shows.
    let all: Vec<&str> = drawn.names.iter().filter(|(_, of)| *of == Of::Function).map(|(name, _)| name.as_str()).collect();
    let call = all.iter().fold(at.to_owned(), |sum, function| format!("{sum} + {function}({at} * 7u)"));
    // What the last scope knew is not all known here.
    let value = if drawn.mischief() { value } else { call };
    (format!("keep(value, {value})"), functions)
}
