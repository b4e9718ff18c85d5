//! Imports go one way: no files of `src` import from one another in a circle, and no rooms, which are
//! the folders and files of `src`. What a folder's `mod.rs` re-exports counts as an import from where it
//! is defined.

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
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
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

/// The paths in a text that begin above it, but for those of imports with braces and of visibilities.
/// (An import with braces within a function is not seen: `super` of a module within the file is the file.)
fn paths_from_above(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    let begins = ["crate::", "super::"].into_iter().flat_map(|name| text.match_indices(name)).map(|(begin, _)| begin);
    let begins = begins.filter(move |&begin| !text[..begin].ends_with(|before| is_part(before) || before == '$'));
    let begins = begins.filter(|&begin| !text[..begin].ends_with("(in "));
    let paths = begins.map(move |begin| text[begin..].split_at(text[begin..].find(|letter| !is_part(letter)).unwrap()));
    paths.filter(|(_, rest)| !rest.starts_with('{')).map(|(path, _)| path.trim_end_matches(':'))
}

/// These name everything: the root, what is below plans, and the guides.
const NAME_ALL: [&str; 3] = ["", "low_level", "guides"];

/// What each module imports from, where `part` says of which part it is.
fn edges(modules: &Modules, part: impl Fn(&str) -> &str) -> BTreeMap<&str, BTreeSet<String>> {
    let mut all: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in modules.iter().filter(|(module, _)| !NAME_ALL.contains(&part(module))) {
        let own = &module[..part(module).len()];
        let paths = imports(text).into_iter().map(|(_, path)| path).chain(paths_from_above(text).map(str::to_owned));
        let others = paths.filter_map(|path| target(modules, module, &path)).map(|other| part(&other).to_owned());
        all.entry(own).or_default().extend(others.filter(|other| other != own && !NAME_ALL.contains(&&**other)));
    }
    all
}

/// Those in circles, each with the imports that lead back to it.
fn circles<'a>(all: &'a BTreeMap<&'a str, BTreeSet<String>>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let reached = |own: &'a str| {
        let (mut reached, mut left) = (BTreeSet::new(), vec![own]);
        while let Some(next) = left.pop() {
            left.extend(all.get(next).into_iter().flatten().map(|other| &**other).filter(|other| reached.insert(*other)));
        }
        reached
    };
    let back = |own: &'a str| all[own].iter().map(|other| &**other).filter(|&other| reached(other).contains(own)).collect();
    all.keys().map(|own| (*own, back(own))).filter(|(_, back): &(_, Vec<_>)| !back.is_empty()).collect()
}

#[test]
fn files_import_one_way() {
    let modules = modules();
    let all = edges(&modules, |module| module);
    assert!(all.len() > 300 && all["fft::chain"].contains("fft::chain::step"), "{} files, {:?}", all.len(), all["fft::chain"]);
    let left = circles(&all);
    assert!(left.is_empty(), "in circles, by these imports: {left:#?}");
}

#[test]
fn rooms_import_one_way() {
    let modules = modules();
    let all = edges(&modules, |module| module.split("::").next().unwrap());
    assert!(all["fft"].contains("plan") && all["planner"].contains("tune"), "{all:#?}");
    let left = circles(&all);
    assert!(left.is_empty(), "in circles, by these imports: {left:#?}");
    // And it finds one.
    let two = [("a", "b"), ("b", "a"), ("c", "a"), ("d", "e"), ("e", "")].map(|(own, other)| (own, [other.to_owned()].into()));
    assert_eq!(circles(&two.into()).into_keys().collect::<Vec<_>>(), ["a", "b"]);
}
