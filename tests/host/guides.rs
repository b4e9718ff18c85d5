//! The guides: no dead link, every page in the book and in `src/guides.rs`.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A page without its code.
struct Page {
    /// In the repository.
    path: PathBuf,
    text: String,
    /// The anchors of its headings, as GitHub makes them.
    anchors: BTreeSet<String>,
    /// Whether it has Rust that is to be compiled.
    has_rust: bool,
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let file = fs::read_to_string(Path::new(ROOT).join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (mut text, mut anchors, mut has_rust, mut in_code) = (String::new(), BTreeSet::new(), false, false);
        for line in file.lines() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                has_rust |= !in_code && language.starts_with("rust");
                in_code = !in_code;
            } else if !in_code {
                if line.starts_with('#') {
                    anchors.insert(anchor(line.trim_start_matches('#').trim()));
                }
                text += line;
                text.push('\n');
            }
        }
        assert!(!in_code, "{}: a block of code does not end", path.display());
        // What stands between backticks is no link.
        let text = text.split('`').step_by(2).collect::<Vec<_>>().join("code");
        Self { path, text, anchors, has_rust }
    }

    /// What `[text](target)` and `[label]: target` lead to.
    fn targets(&self) -> Vec<&str> {
        let inline = self.text.match_indices("](").map(|(at, _)| {
            let rest = &self.text[at + 2..];
            &rest[..rest.find(')').unwrap_or(rest.len())]
        });
        inline.chain(self.definitions().into_values()).collect()
    }

    fn definitions(&self) -> HashMap<&str, &str> {
        let definition = |line: &'_ str| -> Option<(usize, usize)> { line.starts_with('[').then(|| line.find("]: ").map(|at| (1, at)))? };
        self.text.lines().filter_map(|line| definition(line).map(|(from, to)| (&line[from..to], line[to + 3..].trim()))).collect()
    }

    /// The labels of `[text][label]`.
    fn labels(&self) -> Vec<&str> {
        let label = |(at, _): (usize, &str)| {
            let rest = &self.text[at + 2..];
            &rest[..rest.find(']').unwrap_or(rest.len())]
        };
        self.text.match_indices("][").map(label).collect()
    }
}

/// The anchor of a heading: lower case, without punctuation, with hyphens for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}

/// Where a link of a page leads to, in the repository.
fn resolve(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().expect("a file").to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{}: {target} leaves the repository", page.display()),
            other => path.push(other),
        }
    }
    path
}

/// The pages of the book, in their order.
fn book() -> Vec<PathBuf> {
    let summary = Page::read("docs/SUMMARY.md".into());
    summary.targets().into_iter().map(|target| resolve(&summary.path, target)).collect()
}

/// The Markdown files of `docs`, by name.
fn guides() -> BTreeSet<PathBuf> {
    let files = fs::read_dir(Path::new(ROOT).join("docs")).expect("the guides are here");
    let names = files.map(|file| PathBuf::from("docs").join(file.expect("readable").file_name()));
    names.filter(|name| name.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn every_guide_is_in_the_book() {
    let book = book();
    for guide in guides() {
        let times = book.iter().filter(|&page| *page == guide).count();
        let expected = usize::from(guide != Path::new("docs/SUMMARY.md"));
        assert_eq!(times, expected, "{} in docs/SUMMARY.md", guide.display());
    }
}

#[test]
fn every_guide_with_rust_is_compiled() {
    let modules = fs::read_to_string(Path::new(ROOT).join("src/guides.rs")).expect("the module of the guides");
    for guide in guides().into_iter().map(Page::read).filter(|page| page.has_rust) {
        // As Windows does not print paths.
        let included = format!("\"../{}\"", guide.path.to_string_lossy().replace('\\', "/"));
        assert!(modules.contains(&included), "src/guides.rs does not include {}", guide.path.display());
    }
}

/// In the repository and in the book, which has no pages but its own.
#[test]
fn no_link_is_dead() {
    let book = book();
    let pages: HashMap<PathBuf, Page> = book.iter().map(|path| (path.clone(), Page::read(path.clone()))).collect();
    let mut dead = Vec::new();
    for page in pages.values() {
        let definitions = page.definitions();
        for label in page.labels() {
            if !definitions.contains_key(label) {
                dead.push(format!("{}: [{label}] is not defined", page.path.display()));
            }
        }
        for target in page.targets().into_iter().filter(|target| !target.contains("://")) {
            let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.path.clone() } else { resolve(&page.path, file) };
            let exists = match pages.get(&path) {
                Some(other) => fragment.is_empty() || other.anchors.contains(fragment),
                None => Path::new(ROOT).join(&path).is_file() && path.extension().is_none_or(|extension| extension != "md"),
            };
            if !exists {
                dead.push(format!("{}: {target}", page.path.display()));
            }
        }
    }
    dead.sort();
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

/// Pages refer to each other by labels, which `src/guides/links.md` defines for rustdoc.
#[test]
fn compiled_guides_link_by_labels_that_rustdoc_knows() {
    let known = Page::read("src/guides/links.md".into());
    let known = known.definitions();
    for guide in guides().into_iter().map(Page::read).filter(|page| page.has_rust) {
        let path = guide.path.display();
        for label in guide.definitions().keys() {
            assert!(known.contains_key(label), "{path}: links.md does not define [{label}]");
        }
        for target in guide.targets().into_iter().filter(|target| target.ends_with(".md")) {
            assert!(guide.definitions().values().any(|&defined| defined == target), "{path}: rustdoc cannot follow the link to {target}");
        }
    }
}
