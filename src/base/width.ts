// How many columns of a terminal a text takes, so that tables line up for all scripts. It knows no fonts: it counts as
// terminals do, wide characters as two and combining ones as none.

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}$/u

/** Columns of one code point. */
function widthOf(character: string): number {
  if (character <= '~' || zeroWidth.test(character)) return character <= '~' ? 1 : 0
  return wide.test(character) ? 2 : 1
}

/** Whether each character takes one column. */
export function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

export function columnsOf(text: string): number {
  if (isAscii(text)) return text.length
  let columns = 0
  for (const character of text) columns += widthOf(character)
  return columns
}

/** The text cut to at most this many columns, with an ellipsis where something is missing. */
export function cutToColumns(text: string, columns: number): string {
  if (text.length <= columns && columnsOf(text) <= columns) return text
  let used = 0
  let kept = ''
  for (const character of text) {
    const width = widthOf(character)
    if (used + width > columns) break
    used += width
    kept += character
  }
  if (kept.length === text.length) return text
  while (used > columns - 1) {
    const last = [...kept].at(-1) ?? ''
    used -= widthOf(last)
    kept = kept.slice(0, kept.length - last.length)
  }
  return `${kept}…`
}

/** The text cut or filled with blanks to exactly this many columns. */
export function fitColumns(text: string, columns: number): string {
  const cut = cutToColumns(text, columns)
  return cut + ' '.repeat(Math.max(0, columns - columnsOf(cut)))
}
