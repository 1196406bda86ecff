// How numbers are spread: smallest, middle, largest, mean. It knows nothing of what they measure.

/** How the values of a group lie. All zero where there are none. */
export interface Spread {
  count: number
  sum: number
  min: number
  /** Half of the values are no larger. */
  p50: number
  p90: number
  max: number
  mean: number
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { count: 0, sum: 0, min: 0, p50: 0, p90: 0, max: 0, mean: 0 }
  const sorted = Float64Array.from(values).sort()
  const sum = sorted.reduce((total, value) => total + value, 0)
  const count = sorted.length
  return {
    count,
    sum,
    min: sorted[0] ?? 0,
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    max: sorted[count - 1] ?? 0,
    mean: sum / count,
  }
}

/** The smallest value that is at least as large as this share of all. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** How many of how many, and the share (0 where there are none). */
export interface Share {
  count: number
  of: number
  share: number
}

export function shareOf(count: number, of: number): Share {
  return { count, of, share: of === 0 ? 0 : count / of }
}

/** Adds to a count by name. */
export function countIn(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

/** The largest first, equal ones by name. */
export function largestFirst(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}
