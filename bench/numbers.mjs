// The few numbers that benches make of their times.

const sorted = numbers => [...numbers].sort((a, b) => a - b)

export const median = numbers => quantile(numbers, 0.5)

export const quantile = (numbers, part) =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))]

/** Of pairs of times, bare and ours, that took turns. */
export function ratioOf(pairs) {
  return {
    bare: median(pairs.map(([bare]) => bare)),
    ours: median(pairs.map(([, ours]) => ours)),
    ratio: median(pairs.map(([bare, ours]) => ours / bare)),
  }
}
