// Milliseconds → the text of an instant, quickly for many that lie close together. How times are read is decided elsewhere.

const minute = 60_000

export class InstantText {
  private from = Number.NaN
  private beginning = ''

  /** As `toISOString` writes it. */
  of(millis: number): string {
    const within = millis - this.from
    if (within >= 0 && within < minute) return `${this.beginning}${rest(within)}`
    const text = new Date(millis).toISOString()
    this.from = Math.floor(millis / minute) * minute
    this.beginning = text.slice(0, -7)
    return text
  }
}

const seconds = Array.from({ length: 60 }, (_, second) => String(second).padStart(2, '0'))
const thousandths = Array.from({ length: 1000 }, (_, ms) => String(ms).padStart(3, '0'))

function rest(within: number): string {
  const ms = within % 1000
  return `${seconds[(within - ms) / 1000]}.${thousandths[ms]}Z`
}
