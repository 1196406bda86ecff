// How one character of any script counts for search, and what it becomes: lower case, compatible forms made one,
// accents gone. It knows no words; tokens.ts cuts them.

/** What a character is for the tokenizer. Letters and digits have one bit each, so that a run's make-up is an `or`. */
export const kinds = { separator: 0, lower: 1, upper: 2, digit: 4, cjk: 16, mark: 32 } as const

/** Scripts written without blanks. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]/u
const letter = /[\p{L}\p{Nl}]/u
const upperLetter = /[\p{Lu}\p{Lt}]/u
const number = /\p{N}/u
const mark = /\p{M}/u

/** Kind + 1 of each character of the basic plane once it was asked for; 0 before. */
const known = new Uint8Array(65_536)

export function kindOf(codePoint: number): number {
  if (codePoint > 0xffff) return computeKind(codePoint)
  const found = known[codePoint] ?? 0
  if (found > 0) return found - 1
  const kind = computeKind(codePoint)
  known[codePoint] = kind + 1
  return kind
}

function computeKind(codePoint: number): number {
  // A half of a pair that stands alone is no character; SQLite could not store it.
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return kinds.separator
  if (isJoined(codePoint)) return kinds.mark
  const character = String.fromCodePoint(codePoint)
  if (mark.test(character)) return kinds.mark
  if (letter.test(character)) {
    if (unspaced.test(character)) return kinds.cjk
    return upperLetter.test(character) ? kinds.upper : kinds.lower
  }
  return number.test(character) ? kinds.digit : kinds.separator
}

/** Letters that only change the one before them (Hangul vowels and finals, half-width voicing), and invisible joiners. */
function isJoined(codePoint: number): boolean {
  if (codePoint >= 0x1160 && codePoint <= 0x11ff) return true
  if (codePoint === 0xff9e || codePoint === 0xff9f) return true
  return codePoint === 0xad || codePoint === 0x200c || codePoint === 0x200d || codePoint === 0x2060
}

/** Accents, and the points of Hebrew and Arabic, which most people leave out. Vowel signs of other scripts stay. */
const accents = new RegExp(
  ['\u0300-\u036f', '\u0483-\u0487', '\u0591-\u05bd', '\u05bf-\u05c7', '\u0610-\u061a', '\u064b-\u065f', '\u0670']
    .concat(['\u1ab0-\u1aff', '\u1dc0-\u1dff', '\u20d0-\u20ff', '\ufe00-\ufe0f', '\ufe20-\ufe2f'])
    .map(range => `[${range}]`)
    .join('|'),
  'g',
)
const notWord = /[^\p{L}\p{N}\p{M}]/gu
/** Letters that Unicode does not take apart, with what people type instead. */
const spelled: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ı', 'i'],
  ['ς', 'σ'],
])
const spelledLetters = /[ßæœøłđðþħŧıς]/g

/** Longer heaps of marks are play: what is beyond is left out. */
const longestCluster = 8
const folded = new Map<string, string>()

/** A character with the marks after it, as it stands in tokens: letters, digits and marks only; may be empty. */
export function foldCluster(cluster: string, kind: number): string {
  const found = folded.get(cluster)
  if (found !== undefined) return found
  const cut = cluster.length > longestCluster ? safeCut(cluster, longestCluster) : cluster
  const text = kind === kinds.cjk ? foldUnspaced(cut) : foldLetter(cut)
  // What texts really use is a few thousand; anything longer or later is folded anew.
  if (cluster.length <= 3 && folded.size < 20_000) folded.set(cluster, text)
  return text
}

function foldUnspaced(cluster: string): string {
  return cluster.normalize('NFKC').replace(notWord, '').toLowerCase()
}

function foldLetter(cluster: string): string {
  const base = cluster.toLowerCase().normalize('NFKD').replace(accents, '').toLowerCase()
  const typed = base.replace(spelledLetters, found => spelled.get(found) ?? found)
  return typed.normalize('NFC').replace(notWord, '')
}

/** At most so many code units, and no half of a pair. */
export function safeCut(text: string, units: number): string {
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)
}
