//! Plans whose inputs and outputs are textures, without a device: both validators take their texts,
//! and an interpreter runs them with arrays in place of the textures.
//!
//! No coordinate leaves its texture, whatever a device would do with it: loads from outside give
//! zeros there, and stores vanish.

use std::fmt::Display;

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::low_level::{self, Access, Dispatch, Slot, Texels};
use wgpu_fft::reduce;
use wgpu_fft::signal::{PhaseCorrelate, RadialAverage, Resample, SpectralFilter, Stft};
use wgpu_fft::transpose::Permute;
use wgpu_fft::wgpu::TextureFormat as F;
use wgpu_fft::{DeviceProfile, Error, Fragment, Layout, Program, Spec, Texel};
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

use crate::sanitized::subgroup_size;
use crate::validators::{Tint, known_to_tint, naga};
use crate::variants::profiles;

/// The textures of a dispatch.
fn textures(dispatch: &Dispatch) -> impl Iterator<Item = (&str, Texels, Slot)> {
    dispatch.binds.iter().filter_map(|bind| Some((&*bind.name, bind.access.texels()?, bind.slot)))
}

/// The text with arrays of four numbers in place of textures. A coordinate outside becomes an index
/// outside.
fn with_arrays(dispatch: &Dispatch) -> String {
    let mut text = dispatch.wgsl();
    for (name, texels, slot) in textures(dispatch) {
        let [width, height, layers] = texels.extents();
        let scalar = if format!("{:?}", texels.format()).ends_with("Uint") { "u32" } else { "f32" };
        let line = text.lines().find(|line| line.contains(&format!(" var {name}: texture_"))).expect("the texture is declared").to_owned();
        let (attributes, _) = line.split_once(" var ").unwrap();
        let access = if slot == Slot::Output { "read_write" } else { "read" };
        text = text.replace(&line, &format!("{attributes} var<storage, {access}> {name}: array<vec4<{scalar}>>;"));
        let is_array = texels.view_dimension() == wgpu_fft::wgpu::TextureViewDimension::D2Array;
        let is_volume = texels.view_dimension() == wgpu_fft::wgpu::TextureViewDimension::D3;
        let (parameters, layer) = match (is_array, is_volume) {
            (true, _) => ("at: vec2<u32>, layer: u32", "layer"),
            (_, true) => ("at: vec3<u32>", "at.z"),
            _ => ("at: vec2<u32>", "0u"),
        };
        let index = format!(
            "select(0xffffffffu, ({layer} * {height}u + at.y) * {width}u + at.x, at.x < {width}u && at.y < {height}u && {layer} < {layers}u)"
        );
        if slot == Slot::Output {
            text = text.replace(&format!("textureStore({name}, "), "store_texel(");
            text += &format!("\nfn store_texel({parameters}, value: vec4<{scalar}>) {{ {name}[{index}] = value; }}\n");
        } else {
            text = text.replace(&format!("textureLoad({name}, "), &format!("load_{name}("));
            text += &format!("\nfn load_{name}({parameters}, level: u32) -> vec4<{scalar}> {{ return {name}[{index}]; }}\n");
        }
    }
    assert!(!text.contains("texture"), "{text}");
    text
}

/// Runs a program on such words of its inputs, and returns the words of its output.
fn run(program: &Program, inputs: &[Vec<u32>]) -> Vec<u32> {
    let mut memory = Memory::new();
    let texels = |slot: Slot| low_level::dispatches(program).iter().flat_map(textures).find(|own| own.2 == slot).map(|own| own.1);
    let bytes = |slot: Slot| texels(slot).map_or_else(|| low_level::bytes(program, slot), |own| own.len() as u64 * 16);
    let unwritten = |bytes: u64| {
        let mut buffer = Buffer::zeros(bytes);
        buffer.mark_unwritten();
        buffer
    };
    let inputs: Vec<_> = inputs.iter().map(|words| memory.add(Buffer::from_slice(words))).collect();
    let output = memory.add(unwritten(bytes(Slot::Output)));
    let joins = |i: usize| {
        let mut binds = low_level::dispatches(program).iter().flat_map(|dispatch| &dispatch.binds);
        binds.any(|bind| bind.begins_as_zeros() && bind.slot == Slot::Workspace(i))
    };
    let workspaces: Vec<_> = (0..low_level::workspaces(program).len())
        .map(|i| memory.add(if joins(i) { Buffer::zeros(bytes(Slot::Workspace(i))) } else { unwritten(bytes(Slot::Workspace(i))) }))
        .collect();
    let tables: Vec<_> = low_level::tables(program).iter().map(|table| memory.add(Buffer::from_slice(&table.words()))).collect();
    for dispatch in low_level::dispatches(program) {
        let params = memory.add(Buffer::from_slice(&dispatch.params));
        let mut bindings = vec![Binding::whole(0, 0, params)];
        bindings.extend(dispatch.binds.iter().map(|bind| {
            let buffer = match bind.slot {
                Slot::Input(i) => inputs[i],
                Slot::Output => output,
                Slot::Workspace(i) => workspaces[i],
                Slot::Table(i) => tables[i],
                Slot::Declared(_) => panic!("nothing is declared"),
            };
            let (first, length) = bind.range.unwrap_or((0, bytes(bind.slot)));
            Binding::part(0, bind.binding, buffer, first, length)
        }));
        let overrides = dispatch.overrides.iter().map(|&(name, value)| (name, value.as_f64()));
        let text = with_arrays(dispatch);
        let kernel = Shader::new(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let kernel = kernel.entry("main").unwrap().with_overrides(overrides).compile().unwrap();
        // As in `sanitized`.
        let is_in_place = dispatch.binds.iter().any(|bind| bind.name == "data");
        let config = Config { subgroup_size: subgroup_size(dispatch, 1), later_writes_race: !is_in_place, ..Config::default() };
        let report = kernel.dispatch([dispatch.grid.x, dispatch.grid.y, 1], &mut memory, &bindings, &config).unwrap();
        assert!(report.is_clean(), "{report}\n{program}\n{text}");
    }
    memory[output].to_vec()
}

/// Compares a specification that has textures with the same one that has arrays of four numbers. The
/// latter's results, which the same arithmetic computes, have equal bits.
fn compare<A: Spec, B: Spec>(textures: &A, arrays: &B, tint: &mut Tint) {
    for profile in profiles() {
        let lowered = |text: &dyn Display, program: wgpu_fft::Result<Program>| program.unwrap_or_else(|error| panic!("{text}: {error}"));
        let own = lowered(textures, textures.design(&profile).and_then(|recipe| textures.lower(&recipe, &profile)));
        let other = lowered(arrays, arrays.design(&profile).and_then(|recipe| arrays.lower(&recipe, &profile)));
        own.check(&profile).unwrap();
        for dispatch in low_level::dispatches(&own) {
            // The texture that is bound may be another than was meant, of any size.
            assert!(!dispatch.proven || self::textures(dispatch).next().is_none(), "{own}: {}", dispatch.label);
            let text = dispatch.wgsl();
            naga(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            if known_to_tint(&text) {
                tint.add(&format!("{own}"), &text);
            }
            // A texture is loaded from as an input, or stored to as the output, and nothing else.
            for bind in &dispatch.binds {
                let is_texture = low_level::dispatches(&own).iter().flat_map(self::textures).any(|(_, _, slot)| slot == bind.slot);
                let wanted = match (bind.access, bind.slot) {
                    (Access::Texture(_), slot) => matches!(slot, Slot::Input(_)),
                    (Access::StorageTexture(_), slot) => slot == Slot::Output,
                    _ => !is_texture,
                };
                assert!(wanted, "{own}");
            }
        }
        let inputs: Vec<Vec<u32>> = other
            .inputs()
            .iter()
            .map(|array| {
                (0..array.bytes().div_ceil(4) as u32)
                    .map(|i| (1.0 + (i.wrapping_mul(0x9e37_79b1) >> 8) as f32 * 2f32.powi(-24)).to_bits())
                    .collect()
            })
            .collect();
        let (actual, expected) = (run(&own, &inputs), run(&other, &inputs));
        let difference = actual.iter().zip(&expected).position(|(a, b)| a != b);
        assert!(actual.len() == expected.len() && difference.is_none(), "{own}\n{other}\nword {difference:?}");
    }
}

/// Both with textures of this size and with arrays at their ends.
macro_rules! at_input {
    ($tint:ident, $spec:expr, $fragment:expr, $format:expr, $size:expr) => {
        let textures = $spec.map_input::<Texel>(Fragment::new($fragment).texels($format, $size)).unwrap();
        compare(&textures, &$spec.map_input::<[f32; 4]>(Fragment::new($fragment)).unwrap(), $tint);
    };
}

macro_rules! at_output {
    ($tint:ident, $spec:expr, $fragment:expr, $format:expr, $size:expr) => {
        let textures = $spec.map_output::<Texel>(Fragment::new($fragment).texels($format, $size)).unwrap();
        compare(&textures, &$spec.map_output::<[f32; 4]>(Fragment::new($fragment)).unwrap(), $tint);
    };
}

#[test]
fn coordinates_stay_inside_of_textures() {
    let tint = &mut Tint::default();
    let (real, complex, texel) = ("dot(value, vec4(1.0, 0.5, 0.25, f32(i0)))", "value.xy + value.zw", "vec4(value, 0.0, 1.0)");
    at_input!(tint, R2c::forward([15, 22]), real, F::Rgba8Unorm, [15, 22]);
    at_input!(tint, R2c::forward(57), real, F::Rgba16Float, 57);
    at_input!(tint, C2c::forward([12, 20]).axes([0]), complex, F::Rgba8UnormSrgb, [12, 20]);
    at_input!(tint, C2c::inverse([24, 1500]), complex, F::Rgba32Float, [24, 1500]);
    at_input!(tint, C2c::forward([5, 6, 7]).batch(2), complex, F::Rgba32Float, [10, 6, 7]);
    at_input!(tint, R2c::forward([6, 10]).batch(3), real, F::Bgra8Unorm, [3, 6, 10]);
    // More lines than a layer has rows.
    at_input!(tint, C2c::forward(7).batch(60), complex, F::Rgba32Float, [10, 6, 7]);
    // Parts of textures: one that is padded with zeros, and one within others.
    at_input!(tint, R2c::forward([16, 32]).input_part([2..9, 5..26]), real, F::Rgba8Unorm, [7, 21]);
    let within = Layout::strides([40, 2]).offset(3 * 40 + 2).within(40 * 14);
    at_input!(tint, R2c::forward([8, 16]).input_layout(within), real, F::Rgba8Unorm, [14, 40]);
    at_output!(tint, C2c::forward([12, 20]), texel, F::Rgba32Float, [12, 20]);
    at_output!(tint, C2c::forward([12, 20]).transposed(), texel, F::Rgba16Float, [20, 12]);
    at_output!(tint, C2c::forward([3, 4100]), texel, F::Rgba16Float, [3, 4100]);
    at_output!(tint, R2c::forward([14, 21]), texel, F::Rgba8Unorm, [14, 11]);
    at_output!(tint, C2r::inverse([14, 22]), "vec4(value, value, 0.0, 1.0)", F::Rgba8Unorm, [14, 22]);
    at_output!(tint, C2r::inverse([4, 6]).batch(5), "vec4(value, value, 0.0, 1.0)", F::Rgba8Unorm, [5, 4, 6]);
    // Other operations.
    let moved = || Permute::<[f32; 4]>::new([10, 33], [1, 0]);
    at_input!(tint, moved(), "value.wzyx", F::Rgba8Unorm, [10, 33]);
    at_output!(tint, moved(), "value.wzyx", F::Rgba8Snorm, [33, 10]);
    at_input!(tint, reduce::sum::<f32>([20, 31]), real, F::Rgba8Unorm, [20, 31]);
    at_input!(tint, reduce::max::<f32>([20, 31]).axes([0]), real, F::Rgba8Unorm, [20, 31]);
    at_input!(tint, reduce::argmax::<f32>([20, 31]).axes([1]), real, F::Rgba8Unorm, [20, 31]);
    at_output!(tint, reduce::sum::<f32>([20, 31]).axes([0]), "vec4(value, 0.0, 0.0, 1.0)", F::Rgba16Float, [1, 31]);
    at_input!(tint, RadialAverage::new([12, 15]), real, F::Rgba8Unorm, [12, 15]);
    at_input!(tint, RadialAverage::new([12, 15]).batch(2), real, F::Rgba8Unorm, [2, 12, 15]);
    at_input!(tint, PhaseCorrelate::new([12, 16]), real, F::Rgba8Unorm, [12, 16]);
    let filter = || SpectralFilter::real([12, 20], Fragment::new("value * exp(-f0 * f0 - f1 * f1)")).unwrap();
    at_input!(tint, filter(), real, F::Rgba8Unorm, [12, 20]);
    at_output!(tint, filter(), "vec4(value, value, value, 1.0)", F::Rgba8Unorm, [12, 20]);
    let resample = || Resample::<f32>::new([12, 20], [18, 16]);
    at_input!(tint, resample(), real, F::Rgba8Unorm, [12, 20]);
    at_output!(tint, resample(), "vec4(value, value, value, 1.0)", F::Rgba8Unorm, [18, 16]);
    let spectrogram = || Stft::<f32>::new(300, &[1.0f32; 32], 16);
    let [frames, bins] = spectrogram().output_shape().unwrap().extents()[..] else { panic!("frames and frequencies") };
    at_output!(tint, spectrogram(), texel, F::Rgba16Float, [frames, bins]);
    tint.accepts("textures");
}

/// What a texture is read or written as follows from its format.
#[test]
fn values_follow_from_formats() {
    let profile = DeviceProfile::webgpu_defaults();
    for (format, ty, binding) in [
        (F::R8Unorm, "f32", "texture_2d<f32>"),
        (F::Rg16Sint, "vec2<i32>", "texture_2d<i32>"),
        (F::Rg11b10Ufloat, "vec3<f32>", "texture_2d<f32>"),
        (F::Rgba8Uint, "vec4<u32>", "texture_2d<u32>"),
        (F::Bgra8UnormSrgb, "vec4<f32>", "texture_2d<f32>"),
    ] {
        let fragment =
            Fragment::new("first(value)").functions(format!("fn first(own: {ty}) -> f32 {{ return 1.0; }}")).texels(format, [4, 8]);
        let spec = R2c::forward([4, 8]).map_input::<Texel>(fragment).unwrap();
        let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
        let text = program.wgsl().next().unwrap();
        assert!(text.contains(&format!("var input: {binding};")), "{text}");
        naga(&text).unwrap();
    }
    let fragment = Fragment::new("value").texels(F::Rg32Float, [4, 5]);
    let spec = R2c::forward([4, 8]).map_output::<Texel>(fragment).unwrap();
    assert_eq!(spec.to_string(), "r2c fwd 4x8 to texel by `value` of rg32float 4x5");
    let program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
    assert!(program.wgsl().last().unwrap().contains("var output: texture_storage_2d<rg32float, write>;"));
    // Values of the wrong type are the caller's mistake, at their place.
    let error = R2c::forward([4, 8]).map_input::<Texel>(Fragment::new("value.x").texels(F::R32Float, [4, 8])).unwrap_err();
    assert!(matches!(error, Error::Parse { .. }), "{error}");
}

fn planned<S: Spec>(spec: S) -> wgpu_fft::Result<Program> {
    let profile = DeviceProfile::webgpu_defaults();
    let program = spec.lower(&spec.design(&profile)?, &profile)?;
    program.check(&profile)?;
    Ok(program)
}

fn why<T>(result: wgpu_fft::Result<T>) -> String {
    result.err().expect("it must be refused").to_string()
}

/// Texels are where a fragment says which texture it is, and nowhere else.
#[test]
fn texels_of_no_texture_are_refused() {
    let moved = why(Permute::<Texel>::new([4, 4], [1, 0]).map_input::<u32>(Fragment::new("value")).and_then(planned));
    assert!(moved.contains("texels") && moved.contains("`map_input::<Texel>`"), "{moved}");
    let moved = why(planned(Permute::<Texel>::new([4, 4], [1, 0])));
    assert!(moved.contains("texels") && moved.contains("`map_input::<Texel>`"), "{moved}");
    let declared = why(R2c::forward(64).map_input::<f32>(Fragment::new("value * f32(more[0])").array::<Texel>("more", 4)));
    assert!(declared.contains("the array `more` of texels"), "{declared}");
}

/// The axes of a mean over rings are those of a texture: a volume has three.
#[test]
fn means_over_rings_take_volumes() {
    let mean = |fragment: Fragment| RadialAverage::new([4, 6, 8]).map_input::<Texel>(fragment).and_then(planned);
    let program = mean(Fragment::new("value").volume(F::R32Float, [4, 6, 8])).unwrap();
    assert!(program.wgsl().next().unwrap().contains("texture_3d<f32>"));
    mean(Fragment::new("value").texels(F::R32Float, [4, 6, 8])).unwrap();
    let text = why(mean(Fragment::new("value").texels(F::R32Float, [6, 8, 4])));
    assert!(text.contains("rows as long as those of the array of 4x6x8x1"), "{text}");
}

/// The largest buffer limits arrays in buffers alone.
#[test]
fn a_texture_needs_no_buffer() {
    let mut profile = DeviceProfile::webgpu_defaults();
    profile.buffer_bytes = 1 << 20;
    let fragment = Fragment::new("value").texels(F::R32Float, [2048, 1024]);
    let spec = reduce::sum::<f32>([2048, 1024]).map_input::<Texel>(fragment.clone()).unwrap();
    spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap().check(&profile).unwrap();
    let spec = Permute::<f32>::new([2048, 1024], [0, 1]).map_input::<Texel>(fragment.clone()).unwrap();
    let spec = spec.map_output::<Texel>(fragment).unwrap();
    spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap().check(&profile).unwrap();
}
