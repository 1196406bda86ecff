// Full text for FTS5's `unicode61` tokenizer, which splits at everything that is not a letter or digit: what it does not split
// is added here, parts of camelCase names and characters of scripts without blanks. It also gives the words of a text with
// their places, folded as the tokenizer folds them, for queries and highlights. It knows no SQL.

/** Han, kana, Hangul: words are not separated by blanks, so each character is one. */
const unspaced = '\\u2e80-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}'
const everyUnspaced = new RegExp(`[${unspaced}]`, 'gu')
/** Latin text needs no normalization. */
const beyondLatin = /[\u0300-\uffff]/
const camelCase = /(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*/g
const partStart = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/
/** A token between added names, so that no phrase reaches from one into the next. It is of the private use area. */
const border = ' \ue000 '

/** What FTS5 gets to tokenize for a text. */
export function searchable(text: string): string {
  // FTS5 takes a NUL for the end of the text.
  let spaced = text.includes('\0') ? text.replaceAll('\0', ' ') : text
  if (beyondLatin.test(spaced)) spaced = spaced.normalize('NFKC').replace(everyUnspaced, ' $& ')
  const names = new Set(spaced.match(camelCase))
  let added = ''
  for (const name of names) {
    const parts = nameParts(name)
    if (parts.length > 0) added += border + parts.join(' ')
  }
  return spaced + added
}

/** `getUserName` → get, User, Name; none of a plain word, or of a random id, which changes its case at every other place. */
export function nameParts(name: string): string[] {
  const parts = name.split(partStart)
  return parts.length > 1 && parts.length <= 2 + name.length / 4 ? parts : []
}

const word = new RegExp(
  `(?=[\\p{L}\\p{N}])[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{Co}\\u0300-\\u0331])+`,
  'gu',
)

/** The words of a text in order; `text.slice(from, to)` is what each was made from. */
export function eachWord(text: string, visit: (word: string, from: number, to: number) => void): void {
  for (const { 0: found, index } of text.matchAll(word)) visit(found, index, index + found.length)
}

const accents = /[\u0300-\u036f]/g

/** Case and accents do not count. */
export function foldWord(text: string): string {
  const lower = text.toLowerCase()
  return plain.test(lower) ? lower : lower.normalize('NFKD').replace(accents, '').normalize('NFKC').toLowerCase()
}

const plain = /^[a-z0-9]*$/
