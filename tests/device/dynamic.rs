//! Plans whose types are known only when the program runs.

use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::fft::C2c;
use wgpu_fft::{Complex32, ElementType, Error, ErrorKind, Fragment, FragmentArrays, View, bytemuck};

use crate::harness::*;

fn plan(device: &Device, text: &str) -> AnyPlan {
    text.parse::<AnySpec>().unwrap().plan(&device.planner, None).unwrap()
}

pub fn bytes_have_the_results_of_the_types(device: &Device) {
    let input = complex_noise(20 * 30, 1);
    let typed = device.planner.plan(C2c::forward([20, 30])).unwrap();
    let expected = typed.run(&input).unwrap().wait().unwrap();
    let any = plan(device, "c2c fwd 20x30");
    assert_eq!((any.spec(), any.recipe()), (typed.spec().to_string(), typed.recipe().to_string()));
    let actual = any.run(&[bytemuck::cast_slice(&input)]).unwrap().wait().unwrap();
    assert!(actual == bytemuck::cast_slice::<_, u8>(&expected));
    let mut mine = vec![0_u8; actual.len()];
    any.run_into(&[bytemuck::cast_slice(&input)], &mut mine).unwrap();
    assert!(mine == actual);
    // Half an element too many, and an element too few.
    assert!(matches!(any.run_into(&[bytemuck::cast_slice(&input)], &mut vec![0; 4804]), Err(Error::Unsupported { .. })));
    let short = any.run_into(&[bytemuck::cast_slice(&input)], &mut mine[8..]);
    assert_eq!(short, Err(Error::WrongLen { argument: "output", expected: 600, actual: 599 }));
    let by_hand = "c2c fwd 20x30".parse::<AnySpec>().unwrap().plan(&device.planner, Some(&any.recipe())).unwrap();
    assert!(actual == by_hand.run(&[bytemuck::cast_slice(&input)]).unwrap().wait().unwrap());
    let planner = std::sync::Arc::new(device.alone().planner);
    let own = "c2c fwd 20x30".parse::<AnySpec>().unwrap().build(&planner, None).unwrap();
    assert_eq!(own.recipe(), any.recipe());
    assert!("c2c fwd 20x30".parse::<AnySpec>().unwrap().build(&planner, Some("none")).is_err());
    // A result that is waited for in short steps arrives once.
    let mut pending = own.run(&[bytemuck::cast_slice(&input)]).unwrap();
    let in_steps = loop {
        if let Some(output) = pending.wait_timeout(std::time::Duration::from_micros(50)).unwrap() {
            break output;
        }
    };
    assert!(actual == in_steps);
    assert_eq!(pending.wait_timeout(std::time::Duration::ZERO).unwrap_err().kind(), ErrorKind::Unsupported);

    let later = pollster::block_on("c2c fwd 20x30".parse::<AnySpec>().unwrap().plan_async(&planner, None)).unwrap();
    assert_eq!(later.recipe(), any.recipe());

    // Two inputs, and elements of one byte.
    let (x, y) = (noise(1000, 2), noise(1000, 3));
    let dot = plan(device, "dot f32 1000").run(&[bytemuck::cast_slice(&x), bytemuck::cast_slice(&y)]).unwrap().wait().unwrap();
    let exact: f64 = x.iter().zip(&y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
    assert!((f64::from(bytemuck::pod_read_unaligned::<f32>(&dot)) - exact).abs() < 1e-3);
    let matrix: Vec<u8> = (0..15).collect();
    let turned = plan(device, "transpose u8 3x5").run(&[&matrix]).unwrap().wait().unwrap();
    assert_eq!(turned, [0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14]);
}

pub fn arrays_on_the_device_are_bytes(device: &Device) {
    let gpu = device.gpu();
    let input = complex_noise(64, 1);
    let window: Vec<f32> = noise(64, 2);
    let fragment = Fragment::new("value * window[i0] * gain").array_of("window", ElementType::of::<f32>(), 64).unwrap();
    let fragment = fragment.uniform_of("gain", "f32", ElementType::of::<f32>());
    let spec: AnySpec = "c2c fwd 64".parse().unwrap();
    let plan = spec.map_input(fragment, ElementType::of::<Complex32>()).unwrap().plan(&device.planner, None).unwrap();

    let upload = |data: &[f32], usage| {
        let descriptor = wgpu_fft::wgpu::BufferDescriptor {
            label: None,
            size: 4 * data.len() as u64,
            usage: usage | wgpu_fft::wgpu::BufferUsages::COPY_DST | wgpu_fft::wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        };
        let buffer = gpu.device().create_buffer(&descriptor);
        gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(data));
        buffer
    };
    let storage = wgpu_fft::wgpu::BufferUsages::STORAGE;
    let (x, w) = (upload(bytemuck::cast_slice(&input), storage), upload(&window, storage));
    let (gain, y) = (upload(&[2.0], wgpu_fft::wgpu::BufferUsages::UNIFORM), upload(&[0.0; 128], storage));
    let bytes = |buffer| View::<u8>::whole(buffer).unwrap();
    let float = ElementType::of::<f32>();
    let arrays = FragmentArrays::new().with_bytes("window", float, bytes(&w)).unwrap().with_bytes("gain", float, bytes(&gain)).unwrap();
    let bound = plan.bind(&[bytes(&x)], bytes(&y), &arrays).unwrap();
    gpu.submit(|encoder| bound.encode(encoder)).unwrap();
    let actual = gpu.download(View::<Complex32>::whole(&y).unwrap()).unwrap().wait().unwrap();

    // The device rounds these products alike.
    let windowed: Vec<Complex32> = input.iter().zip(&window).map(|(x, w)| x * *w * 2.0).collect();
    assert_close(&actual, &reference_fft(&windowed, 1, 64, false), fft_budget(64), &device.name);

    // In place, and what does not fit.
    let in_place = self::plan(device, "c2c inv 64 1/n in-place");
    gpu.submit(|encoder| in_place.bind(&[], bytes(&y), &FragmentArrays::new())?.encode(encoder)).unwrap();
    let back = gpu.download(View::<Complex32>::whole(&y).unwrap()).unwrap().wait().unwrap();
    assert_close(&back, &wide(&windowed), 2.0 * fft_budget(64), &device.name);
    assert!(matches!(in_place.bind(&[bytes(&x)], bytes(&y), &FragmentArrays::new()), Err(Error::WrongPlacement { .. })));
    assert!(matches!(plan.bind(&[], bytes(&y), &arrays), Err(Error::WrongInputs { .. })));
    assert!(matches!(plan.bind(&[bytes(&x)], bytes(&w), &arrays), Err(Error::WrongLen { .. })));
    let ragged = View::<u8>::new(&x, 0, 509).unwrap();
    assert!(plan.bind(&[ragged], bytes(&y), &arrays).unwrap_err().to_string().contains("an array of 509 bytes"));
    assert!(plan.run_with(&[&[0; 509]], &arrays).unwrap_err().to_string().contains("an array of 509 bytes"));
    assert!(matches!(plan.run_with(&[&[0; 504]], &arrays), Err(Error::WrongLen { expected: 64, actual: 63, .. })));
    assert!(matches!(plan.run(&[bytemuck::cast_slice(&input)]), Err(Error::WrongArrays { .. })));
}
