//! The arrays of a pass, in one binding or several, and the functions that load from and store to
//! them.

use super::generator::Setting;
use crate::fft::emit::lanes::access::declare_bits;
use crate::fft::pass::{Pass, Side};
use crate::fft::place::Storage;
use crate::fft::spec::number::Number;
use crate::fragment::Form;
use crate::kernels::fft::pass;
use crate::kernels::fft::pass::{Bound, DATA, INPUTS, OUTPUTS, ROOTS};
use crate::kernels::{Access, Bind};
use crate::wgsl;
use crate::wgsl::{Body, Expr, Function, Module, Scalar, Type, U32, Writes, call, construct, select, vec2};

fn element(side: &Side, number: Number, stores: bool, as_bits: bool) -> Type {
    match side.storage {
        Storage::Complex if as_bits && number == Number::F32 => BITS,
        Storage::Complex => number.complex_element(),
        Storage::Real => number.real_element(),
        storage if stores && storage.shares_words() => WORD,
        Storage::Half(form) if form.has(4) => vec2(Scalar::U32),
        Storage::Half(form) | Storage::Other(form) => form.stored(),
    }
}

/// A word that several invocations store parts of.
const WORD: Type = Type::Atomic(Scalar::U32);

/// A complex number of two f32.
const BITS: Type = Type::Scalar(Scalar::U64);

fn value_of(number: Number, element: Expr) -> Expr {
    if *element.ty() == BITS { call("number_of_bits", [&element], number.complex()) } else { number.value_of(element) }
}

/// The element with such a value.
fn element_of(number: Number, element: &Type, value: &Expr) -> Expr {
    if *element == BITS { call("bits_of_number", [value], BITS) } else { number.element_of(value) }
}

/// An array in its bindings.
struct Pieces {
    bindings: Vec<Expr>,
    /// Elements of each binding but the last.
    each: u64,
}

impl Pieces {
    fn new(names: &[&str], bound: &Bound, element: &Type) -> Self {
        let bytes = if *element == WORD { 4 } else { element.bytes().expect("elements are numbers or pairs of them") };
        let array = |name: &&str| Expr::name(name, Type::array(element.clone()));
        Self { bindings: names.iter().take(bound.segments()).map(array).collect(), each: bound.segment / bytes }
    }

    /// Writes what is done with element `i`, given its place: in every binding under the condition
    /// that it is there.
    fn at(&self, body: &mut Body, i: &Expr, write: impl Fn(&mut Body, Expr, bool)) {
        let last = self.bindings.len() - 1;
        for (number, array) in self.bindings.iter().enumerate() {
            let begin = (self.each * number as u64) as u32;
            let place = array.at(i - begin);
            if number < last {
                body.when(&i.less(begin + self.each as u32), |body| write(body, place, false));
            } else {
                write(body, place, true);
            }
        }
    }

    /// Writes what stores element `i`, given its place.
    fn store(&self, body: &mut Body, i: &Expr, write: impl Fn(&mut Body, Expr)) {
        self.at(body, i, |body, place, last| {
            write(body, place);
            if !last {
                body.leave();
            }
        });
    }

    /// A function that loads what `value` makes of an element.
    fn loading(&self, module: &mut Module, name: &str, value: &dyn Fn(Expr) -> Expr) {
        let ty = value(loaded(&self.bindings[0].at(0))).ty().clone();
        let mut function = Function::new(name).returning(ty);
        let i = function.parameter("i", U32);
        self.at(&mut function.body, &i, |body, place, _| body.give(value(loaded(&place))));
        module.function(function);
    }

    /// A function that loads an element of such a form, which is a part of words or has several.
    fn loading_form(&self, module: &mut Module, form: Form, element: &Type) {
        let mut load = Function::new("load").returning(form.value());
        let i = load.parameter("i", U32);
        let value = if form.texels().is_some() {
            form.read(&mut load.body, &self.bindings[0], &i)
        } else if *element == vec2(Scalar::U32) {
            let words = if let [array] = &self.bindings[..] {
                array.at(&i)
            } else {
                self.loading(module, "load_word", &as_it_is);
                wgsl::call("load_word", [&i], element.clone())
            };
            let words = load.body.value("words", words);
            form.read_by(&mut load.body, &|word| words.component(word.constant().map_or(0, |word| word as usize)), &0.into())
        } else if let [array] = &self.bindings[..] {
            form.read_by(&mut load.body, &|at| loaded(&array.at(at)), &i)
        } else {
            self.loading(module, "load_word", &as_it_is);
            form.read_by(&mut load.body, &|at| wgsl::call("load_word", [&at], form.stored()), &i)
        };
        load.body.give(value);
        module.function(load);
    }

    /// What stores element `i` of such a form.
    fn store_half(&self, body: &mut Body, form: Form, i: &Expr, value: &Expr) {
        if form.has(2) || form.has(4) {
            let word = |body: &mut Body, pair: [usize; 2]| form.packed(body, &pair.map(|k| value.component(k)));
            let mut packed = word(body, [0, 1]);
            if form.has(4) {
                let words = [packed, word(body, [2, 3])];
                packed = construct(&vec2(Scalar::U32), &words);
            }
            let packed = body.value("packed", packed);
            return self.store(body, i, |body, place| body.assign(&place, &packed));
        }
        // Another invocation may store the other number of the word at the same time. Each changes
        // its own bits alone, so that their order does not matter.
        let shift = body.value("shift", (i % 2) * 16);
        let packed = form.packed(body, std::slice::from_ref(value));
        let packed = body.value("packed", packed << &shift);
        let others = body.value("others", Expr::from(0xffff_0000) >> shift);
        self.store(body, &(i / 2), |body, place| {
            body.call("atomicAnd", [&place.pointer(), &others]);
            body.call("atomicOr", [&place.pointer(), &packed]);
        });
    }
}

fn as_it_is(element: Expr) -> Expr {
    element
}

fn loaded(place: &Expr) -> Expr {
    if *place.ty() == WORD { wgsl::call("atomicLoad", [&place.pointer()], U32) } else { place.clone() }
}

/// Declares the arrays and the functions that load from and store to them.
pub(super) fn declare(module: &mut Module, pass: &Pass, setting: &Setting<'_>) {
    let number = pass.number;
    let in_place = setting.input.slot == setting.output.slot;
    // A store of one component of a vec2 may touch its neighbour, so an array that takes reals is
    // one of reals.
    // In place, both sides have to read the same array.
    let as_bits = setting.numbers_as_bits && (!in_place || [&pass.load, &pass.store].iter().all(|side| side.storage == Storage::Complex));
    let of_output = element(&pass.store, number, true, as_bits);
    let of_input = if in_place { of_output.clone() } else { element(&pass.load, number, false, as_bits) };
    for Bind { binding, name, access, .. } in pass::binds(setting.input, setting.output, setting.roots) {
        let (access, element) = match access {
            // The first binding of the constants stands in the file.
            Access::Read if name == ROOTS[0] => continue,
            Access::Read if ROOTS.contains(&&*name) => (wgsl::Access::Read, number.complex()),
            Access::Read => (wgsl::Access::Read, of_input.clone()),
            Access::ReadWrite => (wgsl::Access::ReadWrite, of_output.clone()),
            Access::Uniform | Access::Texture(_) | Access::StorageTexture(_) | Access::Arrivals => {
                unreachable!("arrays of fragments are declared with them, textures are bound in place of arrays, and passes join no parts")
            }
        };
        let texture = match &*name {
            "input" => pass.load.storage.texels().map(|texels| texels.wgsl(true)),
            "output" => pass.store.storage.texels().map(|texels| texels.wgsl(false)),
            _ => None,
        };
        module.storage(binding, &name, access, texture.unwrap_or_else(|| Type::array(element)));
    }
    module.gap();
    if [&of_input, &of_output].contains(&&BITS) {
        declare_bits(module);
    }
    let (inputs, outputs) = if in_place { (&DATA, &DATA) } else { (&INPUTS, &OUTPUTS) };
    let input = Pieces::new(inputs, &setting.input, &of_input);
    let wanted = element(&pass.load, number, false, as_bits);
    if let Storage::Half(form) | Storage::Other(form) = pass.load.storage {
        input.loading_form(module, form, &of_input);
    } else if wanted == of_input {
        input.loading(module, "load", &|element| value_of(number, element));
    } else {
        load_as(module, &input, number, &of_input, &wanted);
    }
    let output = Pieces::new(outputs, &setting.output, &of_output);
    let mut store = Function::new("store");
    let (i, value) = (store.parameter("i", U32), store.parameter("value", pass.store.storage.value(number)));
    if let Storage::Half(form) = pass.store.storage {
        output.store_half(&mut store.body, form, &i, &value);
    } else if let (Storage::Other(form), [array]) = (pass.store.storage, &output.bindings[..]) {
        form.write(&mut store.body, array, &i, &value);
    } else {
        output.store(&mut store.body, &i, |body, place| body.assign(&place, element_of(number, place.ty(), &value)));
    }
    module.function(store);
    if setting.roots.segments() > 1 {
        Pieces::new(&ROOTS, &setting.roots, &number.complex()).loading(module, "constant", &as_it_is);
    }
}

/// `load` from an array that is in place, and holds complex numbers where reals are wanted, or the
/// reverse.
fn load_as(module: &mut Module, input: &Pieces, number: Number, held: &Type, wanted: &Type) {
    let value = |element| number.value_of(element);
    let mut load = Function::new("load").returning(value(Expr::name("element", wanted.clone())).ty().clone());
    let i = load.parameter("i", U32);
    let body = &mut load.body;
    let from = |name: &str, i: Expr| wgsl::call(name, [&i], held.clone());
    if wanted.bytes() > held.bytes() {
        // Both parts lie in one piece, as pieces are of whole complex numbers.
        input.loading(module, "load_word", &as_it_is);
        let parts = [0, 1].map(|part| from("load_word", &i * 2 + part));
        body.give(value(construct(wanted, &parts)));
    } else {
        input.loading(module, "load_pair", &as_it_is);
        let pair = body.value("pair", from("load_pair", &i / 2));
        // A part of a number that is read as bits has two words.
        let [first, second] = if *wanted == vec2(Scalar::U32) { ["xy", "zw"] } else { ["x", "y"] };
        body.give(value(select(&(i % 2).equals(1), pair.components(second), pair.components(first))));
    }
    module.function(load);
}
