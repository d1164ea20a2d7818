//! The operator's pages: Markdown files with front matter, read once at the start.

mod markdown;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// One page, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Article {
    /// Its name in the address: the file's name without `.md`.
    pub slug: String,
    /// From the front matter.
    pub title: String,
    /// From the front matter; may be empty.
    pub summary: String,
    /// The text as HTML, free of markup that the author wrote as raw HTML.
    pub html: String,
}

/// All pages of one folder.
#[derive(Debug, Default)]
pub struct Library {
    articles: Vec<Article>,
    refused: Vec<Refused>,
}

/// A file that is not served, and why.
#[derive(Debug)]
pub struct Refused {
    /// The file's name.
    pub file: String,
    /// What is wrong with it.
    pub why: Flaw,
}

/// The folder can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the folder {} with the pages can't be read: {source}", folder.display())]
pub struct LibraryError {
    folder: PathBuf,
    source: io::Error,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    /// The name makes no address.
    #[error("its name may only have the letters a-z, digits and hyphens before .md")]
    Name,
    /// A link that leads out of the folder.
    #[error("it lies outside the folder")]
    Outside,
    /// Larger than a page should be.
    #[error("it is larger than 1 MiB")]
    TooLarge,
    /// Not text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// No block between two lines of `---` at the top.
    #[error("it does not begin with front matter between two lines of ---")]
    NoFrontMatter,
    /// The block is not what we expect.
    #[error("its front matter can't be read: {0}")]
    FrontMatter(String),
    /// A page needs a title.
    #[error("its title is empty")]
    NoTitle,
    /// The file can't be read.
    #[error("it can't be read: {0}")]
    Io(#[from] io::Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    title: String,
    #[serde(default)]
    summary: String,
}

impl Library {
    /// Reads every `*.md` directly in `folder`. A file with a flaw is named in the log and left out.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn open(folder: &Path) -> Result<Self, LibraryError> {
        let failed = |source| LibraryError { folder: folder.to_owned(), source };
        let root = folder.canonicalize().map_err(failed)?;
        let mut library = Self::default();
        for entry in fs::read_dir(&root).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                library.add(&root, &path);
            }
        }
        library.articles.sort_by(|a, b| a.slug.cmp(&b.slug));
        library.refused.sort_by(|a, b| a.file.cmp(&b.file));
        Ok(library)
    }

    fn add(&mut self, root: &Path, path: &Path) {
        match read(root, path) {
            Ok(article) => self.articles.push(article),
            Err(why) => {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                tracing::warn!(file, "a page is left out: {why}");
                self.refused.push(Refused { file, why });
            }
        }
    }

    /// The page of this name.
    pub fn article(&self, slug: &str) -> Option<&Article> {
        self.articles.get(self.position(slug)?)
    }

    /// The page after the one of this name.
    pub fn after(&self, slug: &str) -> Option<&Article> {
        self.articles.get(self.position(slug)?.checked_add(1)?)
    }

    /// All pages, in the order of their names.
    pub fn articles(&self) -> &[Article] {
        &self.articles
    }

    /// The files that are left out, in the order of their names.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    fn position(&self, slug: &str) -> Option<usize> {
        self.articles.binary_search_by(|article| article.slug.as_str().cmp(slug)).ok()
    }
}

fn read(root: &Path, path: &Path) -> Result<Article, Flaw> {
    let slug = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_slug(stem)).ok_or(Flaw::Name)?;
    let real = path.canonicalize()?;
    if !real.starts_with(root) {
        return Err(Flaw::Outside);
    }
    if fs::metadata(&real)?.len() > LARGEST {
        return Err(Flaw::TooLarge);
    }
    let text = String::from_utf8(fs::read(&real)?).map_err(|_| Flaw::NotText)?;
    let (head, body) = split(&text).ok_or(Flaw::NoFrontMatter)?;
    let FrontMatter { title, summary } =
        serde_saphyr::from_str(head).map_err(|error| Flaw::FrontMatter(first_line(&error.to_string())))?;
    let title = title.trim();
    if title.is_empty() {
        return Err(Flaw::NoTitle);
    }
    Ok(Article {
        slug: slug.to_owned(),
        title: title.to_owned(),
        summary: summary.trim().to_owned(),
        html: markdown::to_html(body),
    })
}

fn is_slug(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The front matter and the text below it.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut end = 0_usize;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((rest.get(..end)?, rest.get(end.checked_add(line.len())?..)?));
        }
        end = end.checked_add(line.len())?;
    }
    None
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
