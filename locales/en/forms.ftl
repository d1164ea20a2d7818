# Around every form.
forms-error-title = Error: { $title }
forms-fields-wrong = { $count ->
    [one] One field needs another look.
   *[other] { $count } fields need another look.
}
forms-optional = optional
forms-email = E-mail
forms-password = Password
forms-show = Show
forms-hide = Hide
forms-show-password = Show password
forms-hide-password = Hide password

# What is wrong with an e-mail address.
forms-email-empty = Enter your e-mail address.
forms-email-too-long = This address is too long to be an e-mail address.
forms-email-at = An e-mail address has one @, as in ada@example.com.
forms-email-character = An e-mail address can't contain spaces or invisible characters.
forms-email-local = The part before the @ has a character or a dot that doesn't belong there.
forms-email-look-alike = The part before the @ has a look-alike letter. Type it with ordinary letters.
forms-email-domain = The part after the @ isn't a domain name, such as example.com.

# What is wrong with what people tell about themselves.
forms-name-empty = Enter a name.
forms-name-too-long = Use at most 100 characters.
forms-title-too-long = Use at most 50 characters.
forms-phone-shape = Enter a telephone number, such as +49 30 1234567, or leave this empty.
forms-phone-too-long = Use at most 40 characters.
forms-zone-unknown = Choose a time zone from the list, such as Europe/Berlin.
forms-language-unknown = Choose a language from the list.
forms-control = Remove the invisible control characters.

# What is wrong with a password.
forms-password-empty = Enter your password.
forms-password-too-short = Use at least 10 characters.
forms-password-too-long = Use at most 128 characters.
forms-password-personal = Too easy to guess: it is built from your own name or address. Use a few unrelated words.
forms-password-our-name = Too easy to guess: it is built from the name of this site's software. Use a few unrelated words.
forms-password-common = Too easy to guess: many people use this password. Use a few unrelated words.
forms-password-close-to-common = Too easy to guess: it is close to a password that many people use. Use a few unrelated words.
forms-password-keyboard = Too easy to guess: the keys lie side by side. Use a few unrelated words.
forms-password-repeats = Too easy to guess: it repeats itself. Use a few unrelated words.
forms-password-sequence = Too easy to guess: it is a sequence. Use a few unrelated words.
forms-password-date = Too easy to guess: it is mostly a date. Use a few unrelated words.
forms-password-single-word = Too easy to guess: it is a single word. Add two or three unrelated ones.
forms-password-name = Too easy to guess: it is a name. Add two or three unrelated words.
forms-password-guessable = Too easy to guess. Add one or two uncommon words.
