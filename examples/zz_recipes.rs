use wgpu_fft::{*, fft::*};
fn main() {
    let least = DeviceProfile::webgpu_defaults();
    let h = DeviceProfile { name: "H200".into(), device_type: wgpu::DeviceType::DiscreteGpu, subgroup_sizes: [32, 32], workgroup_bytes: 49152, invocations: 1024, workgroup_size: [1024, 1024, 64], storage_buffers: 32, binding_bytes: 2147483644, buffer_bytes: 4292870144, ..least };
    for s in std::env::args().skip(1) {
        let t = std::time::Instant::now();
        let r = if s.starts_with("c2c") { s.parse::<C2c>().unwrap().design(&h) } else { s.parse::<R2c>().unwrap().design(&h) };
        println!("{s}: {} ({:?})", r.unwrap().to_string().replace(" exchange=split", "").replace(" banks=32 roots=products", "").replace("registers ", ""), t.elapsed());
    }
}
