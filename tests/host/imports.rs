//! Imports go one way: no files of `src/fft` import from one another in a circle, and no rooms, which
//! are the folders and files of `src`. What a folder's `mod.rs` re-exports counts as an import from
//! where it is defined.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::unsafe_code::rust_files;

type Modules = BTreeMap<String, String>;

/// All modules of the crate with their text, without comments and tests.
fn modules() -> Modules {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("src");
    let module = |path: &Path| {
        let name = path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().replace(['/', '\\'], "::");
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = text.lines().map(|line| line.split("//").next().unwrap());
        let name = name.strip_suffix("::mod").unwrap_or(&name);
        (if name == "lib" { "" } else { name }.to_owned(), lines.collect::<Vec<_>>().join("\n"))
    };
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    files.iter().map(|path| module(path)).collect()
}

/// The paths of a tree such as `a::{b, c::d}`.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let (mut depth, mut start, mut all) = (0, 0, Vec::new());
    let inner = &rest[..rest.rfind('}').unwrap()];
    for (i, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let own = inner[start..i].trim();
                all.extend(paths(own).into_iter().filter(|own| !own.is_empty()).map(|own| format!("{}{own}", before.trim())));
                start = i + 1;
            }
            _ => {}
        }
    }
    all
}

/// The paths that a text imports, by their last name.
fn imports(text: &str) -> Vec<(String, String)> {
    let begins = |line: &str| line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ");
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(line) = rest.lines().next() {
        if begins(line) {
            let end = rest.find(';').unwrap();
            let tree = &rest[rest.find("use ").unwrap() + 4..end];
            all.extend(paths(tree).into_iter().map(|path| {
                let (path, name) = path.split_once(" as ").map_or((&*path, None), |(path, name)| (path, Some(name)));
                let path = path.strip_suffix("::self").unwrap_or(path);
                (name.unwrap_or(path.rsplit("::").next().unwrap()).to_owned(), path.to_owned())
            }));
            rest = &rest[end..];
        }
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    }
    all
}

/// The module in which what a path names from a module is defined, or re-exported last.
fn target(modules: &Modules, from: &str, path: &str) -> Option<String> {
    let mut base: Vec<&str> = from.split("::").filter(|own| !own.is_empty()).collect();
    let mut names = path.split("::").peekable();
    match *names.peek()? {
        "crate" => base.clear(),
        "super" | "self" => {}
        first => {
            let child = base.iter().copied().chain([first]).collect::<Vec<_>>().join("::");
            modules.get(&child)?;
        }
    }
    for name in names {
        match name {
            "super" => drop(base.pop()),
            "crate" | "self" => {}
            name => base.push(name),
        }
    }
    let known = (0..=base.len()).rev().find(|&count| modules.contains_key(&base[..count].join("::")))?;
    let module = base[..known].join("::");
    let name = base.get(known);
    let through = name.and_then(|name| imports(&modules[&module]).into_iter().find(|(own, _)| own == name));
    match through {
        Some((_, path)) if module != from => target(modules, &module, &path).or(Some(module)),
        _ => Some(module),
    }
}

/// The paths from the crate's root in a text.
fn paths_from_root(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("crate::").map(|(begin, _)| {
        let is_end = |letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':');
        let end = text[begin..].find(is_end).map_or(text.len(), |len| begin + len);
        text[begin..end].trim_end_matches(':')
    })
}

/// Takes away whatever imports nothing that is left: what then is left is in a circle, or imports from
/// one.
fn circles(mut left: BTreeMap<&str, BTreeSet<String>>) -> BTreeMap<&str, BTreeSet<String>> {
    loop {
        let before = left.len();
        let open: BTreeSet<String> = left.keys().map(|own| (*own).to_owned()).collect();
        left.values_mut().for_each(|imports| imports.retain(|other| open.contains(other)));
        left.retain(|_, imports| !imports.is_empty());
        if left.len() == before {
            return left;
        }
    }
}

#[test]
fn files_of_transforms_import_one_way() {
    let modules = modules();
    let own = || modules.keys().filter(|module| module.starts_with("fft::"));
    assert!(own().count() > 50);
    let all: BTreeMap<&str, BTreeSet<String>> = own()
        .map(|module| {
            let all = imports(&modules[module]).into_iter().filter_map(|(_, path)| target(&modules, module, &path));
            (&**module, all.filter(|other| other.starts_with("fft::") && other != module).collect())
        })
        .collect();
    assert!(all["fft::chain"].contains("fft::chain::step"), "{:?}", all["fft::chain"]);
    let left = circles(all);
    assert!(left.is_empty(), "in circles, or importing from them: {left:#?}");
}

#[test]
fn rooms_import_one_way() {
    let modules = modules();
    let room = |module: &str| module.split("::").next().unwrap().to_owned();
    // These name everything: the root, what is below plans, and the guides.
    let names_all = ["", "low_level", "guides"];
    let mut all: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in &modules {
        let own = module.split("::").next().unwrap();
        let imported = imports(text).into_iter().map(|(_, path)| path);
        let paths: Vec<String> = imported.chain(paths_from_root(text).map(str::to_owned)).collect();
        let rooms = paths.iter().filter_map(|path| target(&modules, module, path)).map(|other| room(&other));
        all.entry(own).or_default().extend(rooms.filter(|other| other != own));
    }
    assert!(all["fft"].contains("plan") && all["planner"].contains("tune"), "{all:#?}");
    all.retain(|own, _| !names_all.contains(own));
    all.values_mut().for_each(|rooms| rooms.retain(|other| !names_all.contains(&&**other)));
    let left = circles(all);
    assert!(left.is_empty(), "in circles, or importing from them: {left:#?}");
    // And it finds one.
    let two = [("a", "b"), ("b", "a"), ("c", "a"), ("d", "e"), ("e", "")].map(|(own, other)| (own, [other.to_owned()].into()));
    assert_eq!(circles(two.into()).into_keys().collect::<Vec<_>>(), ["a", "b", "c"]);
}
