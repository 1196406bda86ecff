// How far two words are apart, for guessing what the user meant to type. No domain word.

/** Letters to change, add or leave out, or neighbours to swap, until one word is the other. Time grows with both lengths. */
export function editSteps(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let a = 1; a <= one.length; a++) {
    const row = [a]
    for (let b = 1; b <= other.length; b++) {
      const isSame = one[a - 1] === other[b - 1]
      let least = Math.min((last[b] ?? 0) + 1, (row[b - 1] ?? 0) + 1, (last[b - 1] ?? 0) + (isSame ? 0 : 1))
      const isSwapped = a > 1 && b > 1 && one[a - 1] === other[b - 2] && one[a - 2] === other[b - 1]
      if (isSwapped) least = Math.min(least, (before[b - 2] ?? 0) + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[other.length] ?? 0
}

/** The known word that was probably meant. */
export function nearestOf(written: string, known: readonly string[]): string | undefined {
  const text = written.toLowerCase()
  if (text.length < 2 || text.length > 24) return undefined
  let best: string | undefined
  let least = text.length < 4 ? 2 : 3
  for (const word of known) {
    const steps = word.toLowerCase().startsWith(text) ? 1 : editSteps(text, word.toLowerCase())
    if (steps < least) {
      least = steps
      best = word
    }
  }
  return best
}
