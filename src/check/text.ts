// How findings quote what they found: short, on one line, whatever the value is. Escaping for a terminal is the printer's.

const longest = 80

/** The text, cut at 80 characters. */
export function short(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

/** A JSON value as a message shows it: strings in quotes, structures by their kind only. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return `"${short(value)}"`
  if (value === undefined) return 'absent'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return short(String(value))
}
