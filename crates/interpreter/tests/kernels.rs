//! Every kernel of this repository compiles.

use wgsl_sanitizer::Shader;

#[test]
fn every_kernel_compiles() {
    let root = format!("{}/../../shaders", env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut count = 0;
    for folder in ["", "transpose", "reduce", "fft"] {
        for entry in std::fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            let text = match path.extension() {
                Some(extension) if extension == "wgsl" => std::fs::read_to_string(&path).unwrap(),
                _ => continue,
            };
            if !text.contains("@compute") {
                continue;
            }
            // The files that are appended to it; of several to choose from the first.
            let appended = text.lines().find_map(|line| line.strip_prefix("// Appended: ")).unwrap_or("");
            let mut source = text.clone();
            for file in appended.split(", ") {
                source += &read(file.split('|').next().unwrap().trim());
            }
            let shader = Shader::new(&source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for name in shader.entry_points() {
                shader.entry(name).unwrap().compile().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                count += 1;
            }
        }
    }
    assert!(count > 10, "only {count} entry points");
}
