//! The program's own source, without comments and without what stands in strings.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// One file under `src/`.
pub struct SourceFile {
    /// Its path from `src/`.
    pub path: String,
    /// The top-level module that it belongs to.
    pub module: String,
    /// How many modules deep it is: 1 for `src/clock.rs`.
    pub depth: usize,
    /// Its code; comments and texts are gone.
    pub code: String,
    /// As it stands on the disk.
    pub raw: String,
}

impl SourceFile {
    /// Every Rust file under `src/`.
    pub fn all() -> Vec<Self> {
        let root = repository().join("src");
        let mut files: Vec<Self> = files_below(&root)
            .into_iter()
            .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
            .map(|path| {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                Self::from_text(&name, &fs::read_to_string(&path).unwrap())
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        assert!(files.len() > 3, "the source was not found at {}", root.display());
        files
    }

    /// A file that need not exist.
    pub fn from_text(path: &str, text: &str) -> Self {
        let steps: Vec<&str> = path.trim_end_matches(".rs").split('/').filter(|step| *step != "mod").collect();
        Self {
            path: path.to_owned(),
            module: steps[0].to_owned(),
            depth: steps.len(),
            code: code_only(text),
            raw: text.to_owned(),
        }
    }
}

/// Where `Cargo.toml` stands.
pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] })
        .collect()
}

/// The first names after `crate::` (and after the crate's own name), groups in braces taken apart.
pub fn crate_paths(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for start in ["crate::", "turnpike::"] {
        for (at, _) in code.match_indices(start) {
            let rest = &code[at + start.len()..];
            match rest.strip_prefix('{') {
                Some(group) => names.extend(group_heads(group)),
                None => names.extend(head(rest)),
            }
        }
    }
    names
}

fn group_heads(group: &str) -> Vec<String> {
    let (mut depth, mut heads, mut item) = (0_usize, Vec::new(), String::new());
    for letter in group.chars() {
        match letter {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.extend(head(&std::mem::take(&mut item))),
            _ if depth == 0 => item.push(letter),
            _ => {}
        }
    }
    heads.extend(head(&item));
    heads
}

fn head(path: &str) -> Option<String> {
    let name: String =
        path.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    name.chars().next().filter(|first| first.is_lowercase())?;
    Some(name)
}

/// A path that starts with one or more `super::`.
pub struct SuperChain {
    length: usize,
    inside_inline_module: bool,
}

impl SuperChain {
    /// Whether it climbs out of the file's top-level module.
    pub fn reaches_the_root(&self, depth: usize) -> bool {
        self.length >= depth + usize::from(self.inside_inline_module)
    }
}

/// Every `super::…` of a file.
pub fn super_chains(code: &str) -> Vec<SuperChain> {
    let inline = code.find("mod tests {").unwrap_or(code.len());
    let starts = code.match_indices("super::").filter(|(at, _)| !code[..*at].ends_with("super::"));
    starts
        .map(|(at, _)| {
            let mut rest = &code[at..];
            let mut length = 0;
            while let Some(next) = rest.strip_prefix("super::") {
                (rest, length) = (next, length + 1);
            }
            SuperChain { length, inside_inline_module: at > inline }
        })
        .collect()
}

/// `text` without comments and with empty strings.
fn code_only(text: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(letter) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(rest, &code) {
            code.push_str("\"\"");
            length
        } else if letter == '"' {
            code.push_str("\"\"");
            plain_string(rest)
        } else if let Some(length) = character(rest) {
            length
        } else {
            code.push(letter);
            letter.len_utf8()
        };
        rest = &rest[skipped..];
    }
    code
}

fn plain_string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn raw_string(rest: &str, before: &str) -> Option<usize> {
    if before.chars().next_back().is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        && !before.ends_with('b')
    {
        return None;
    }
    let after = rest.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(1 + hashes + 1 + length)
}

/// The length of a character literal; a lifetime is none.
fn character(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    if body.starts_with('\\') {
        return body.char_indices().skip(2).find(|(_, letter)| *letter == '\'').map(|(at, _)| at + 2);
    }
    let first = body.chars().next()?;
    body[first.len_utf8()..].starts_with('\'').then_some(first.len_utf8() + 2)
}

/// The addresses for people of `src/routes.rs` that are made by one of these functions, with something in the place of each
/// `{…}`.
pub fn addresses(made_by: &[&str]) -> Vec<String> {
    let files = SourceFile::all();
    let routes = &files.iter().find(|file| file.path == "routes.rs").expect("src/routes.rs").raw;
    let people = routes.split("pub fn routes_without_session").next().unwrap_or_default();
    let named = made_by.iter().flat_map(|call| people.split(&format!("({call}(\"")).skip(1).collect::<Vec<_>>());
    let addresses: Vec<String> =
        named.filter_map(|rest| rest.split_once('"')).map(|(path, _)| filled_in(path)).collect();
    assert!(addresses.len() > 3, "src/routes.rs names {addresses:?} by {made_by:?}: this must learn to read it");
    addresses
}

/// `/a/{id}/b` with something in the place of each `{…}`.
fn filled_in(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::code_only;

    #[test]
    fn comments_and_texts_are_gone_and_code_stays() {
        let text = "a // b\nc /* d */ e \"f \\\" g\" r#\"h \"i\"# 'j' '\"' '\\'' fn k<'l>(m: &'l str) {}";
        assert_eq!(code_only(text), "a \nc  e \"\" \"\"    fn k<'l>(m: &'l str) {}");
    }
}
