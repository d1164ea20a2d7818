//! A person's whole name, in the order of its script.

/// "Ada Lovelace"; names in Chinese characters begin with the family's and have no space: "王小明".
pub fn full_name(first: &str, last: &str) -> String {
    if is_han(first) && is_han(last) { format!("{last}{first}") } else { format!("{first} {last}") }
}

/// With the title: "Dr Ada Lovelace", "王小明博士".
pub fn with_title(title: Option<&str>, first: &str, last: &str) -> String {
    let name = full_name(first, last);
    match title {
        Some(title) if is_han(title) && is_han(&name) => format!("{name}{title}"),
        Some(title) => format!("{title} {name}"),
        None => name,
    }
}

fn is_han(text: &str) -> bool {
    text.chars().all(|c| {
        matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' | '々' | '〇')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_keeps_its_order() {
        for (title, first, last, name) in [
            (None, "Ada", "Lovelace", "Ada Lovelace"),
            (Some("Dr"), "Ada", "Lovelace", "Dr Ada Lovelace"),
            (None, "小明", "王", "王小明"),
            (Some("博士"), "小明", "王", "王小明博士"),
            (Some("Dr"), "小明", "王", "Dr 王小明"),
            (None, "Ming", "王", "Ming 王"),
            (Some("博士"), "Ada", "Lovelace", "博士 Ada Lovelace"),
        ] {
            assert_eq!(with_title(title, first, last), name);
        }
    }
}
