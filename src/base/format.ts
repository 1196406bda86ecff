// The one formatter of numbers for people: counts, tokens, money, sizes, durations. Nothing here escapes, and nothing asks for
// the language's own way: loading its tables takes longer than most reports.

/** `167,710`, to the nearest whole. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 file`, `3 files`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

/** `9,500`, `12.3k`, `4.5M`: for columns. */
export function shortCount(count: number): string {
  if (count < 9_999.5) return countText(count)
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`
  return count < 999_950_000 ? `${(count / 1e6).toFixed(1)}M` : `${(count / 1e9).toFixed(1)}G`
}

/** `42 %`; below ten with decimals. */
export function percent(share: number): string {
  const value = share * 100
  return `${value !== 0 && value < 10 ? value.toFixed(value < 0.1 ? 2 : 1) : Math.round(value)} %`
}

/** `$1,234.50`; never `$0.00` for what did cost something. */
export function moneyText(usd: number): string {
  // Less than the cheapest token: what adding up leaves behind.
  if (Math.abs(usd) < 1e-9) return '$0.00'
  if (usd < 0) return `-${moneyText(-usd)}`
  if (usd < 0.005) return '<$0.01'
  const [whole = '0', cents = '00'] = usd.toFixed(2).split('.')
  return `$${countText(Number(whole))}.${cents}`
}

/** `812 B`, `1.5 kB`, `20 MB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let size = Math.max(0, bytes)
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

/** `480 ms`, `3.2 s`, `1 min 20 s`, `2 h 5 min`, `12 d 7 h`: how long something took. */
export function durationText(millis: number): string {
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`
  if (millis < 59_950) return `${(millis / 1000).toFixed(millis < 9_950 ? 1 : 0)} s`
  const seconds = Math.round(millis / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  const days = countText(Math.floor(hours / 24))
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`
}

/** `42s`, `5m`, `3h 20m`, `12d`: a span in a narrow column. */
export function spanText(millis: number): string {
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 1) return `${Math.round(millis / 1000)}s`
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
  return `${Math.floor(hours / 24)}d`
}

/** `in 3 days`, `in 20 h`, `within an hour`, `any time now`: time that is left, rounded down, so that no one is late. */
export function leftText(millis: number): string {
  if (millis <= 0) return 'any time now'
  const hours = Math.floor(millis / 3_600_000)
  if (hours < 1) return 'within an hour'
  return hours < 48 ? `in ${hours} h` : `in ${countOf(Math.floor(hours / 24), 'day')}`
}
