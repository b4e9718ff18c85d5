//! Every kernel of this repository compiles, and some of them run.

use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

#[test]
fn every_kernel_compiles() {
    let root = format!("{}/../../shaders", env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut count = 0;
    for folder in ["", "transpose", "reduce", "fft", "signal", "filter"] {
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

fn source(files: &[&str]) -> String {
    files.iter().map(|file| std::fs::read_to_string(format!("{}/../../shaders/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()).collect()
}

/// The index of a member of `Params`, all of which are words.
fn member(text: &str, name: &str) -> usize {
    let members = text.split_once("struct Params {").unwrap().1.split_once('}').unwrap().0;
    let mut names = members.lines().filter(|line| !line.contains("//")).filter_map(|line| Some(line.split_once(':')?.0.trim()));
    names.position(|n| n == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Sums of 5 lines of 4 · 300 numbers, a workgroup for each and one more, whose last steps shuffle
/// past the end of subgroups.
#[test]
fn sums_of_lines() {
    let text = source(&["reduce/lines.wgsl", "grid.wgsl", "reduce/store.wgsl"]);
    let shader = Shader::new(&text).unwrap();
    let kernel = shader.entry("main").unwrap().compile().unwrap();
    let (lines, length) = (5u32, 300u32);
    let numbers: Vec<f32> = (0..lines * length * 4).map(|i| (i % 17) as f32).collect();
    // One part of all accesses of a line; lines follow one another, one kept dimension has them all.
    let mut parameters = [0u32; 25];
    let fields = [("lines", lines), ("parts", 1), ("chunk", length), ("end", length), ("kept_strides_0", length)];
    for (name, value) in fields {
        parameters[member(&text, name)] = value;
    }
    for (seed, subgroup_size) in [(0, 32), (1, 32), (2, 64)] {
        let mut memory = Memory::new();
        let output = memory.add(Buffer::unwritten(4 * lines as u64));
        let bindings = [
            Binding::whole(0, 0, memory.add(Buffer::from_slice(&parameters))),
            Binding::whole(0, 1, memory.add(Buffer::from_slice(&numbers))),
            Binding::whole(0, 2, output),
        ];
        let report = kernel.dispatch([6, 1, 1], &mut memory, &bindings, &Config { seed, subgroup_size, ..Config::default() }).unwrap();
        assert!(report.is_clean(), "{report}");
        let sums: Vec<f32> = numbers.chunks(4 * length as usize).map(|line| line.iter().sum()).collect();
        assert_eq!(memory[output].to_vec::<f32>(), sums);
    }
    // Subgroups of 8 do not fit this text, which was made for 32 or more: lanes read from outside
    // of theirs.
    let mut memory = Memory::new();
    let bindings = [
        Binding::whole(0, 0, memory.add(Buffer::from_slice(&parameters))),
        Binding::whole(0, 1, memory.add(Buffer::from_slice(&numbers))),
        Binding::whole(0, 2, memory.add(Buffer::unwritten(4 * lines as u64))),
    ];
    let report = kernel.dispatch([6, 1, 1], &mut memory, &bindings, &Config { subgroup_size: 8, ..Config::default() }).unwrap();
    assert!(!report.is_clean());
}
