// Careful access to parsed JSON of unknown shape. No domain word, and nothing here throws.

/** A JSON object whose fields are not known yet. */
export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value when it is a string, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The value when it is a finite number, else undefined. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The value when it is an object, else undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

/** The value when it is an array, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The parsed text, or undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * JSON text of any value. Log lines may be nested so deep that `JSON.parse` reads them while `JSON.stringify` overflows
 * the stack (from about 5,000 levels on); those go through a loop with a stack of its own.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return deepJsonText(value)
  }
}

function deepJsonText(root: unknown): string {
  const out: string[] = []
  // Either text that is ready, or a value still to be written.
  const stack: ({ text: string } | { value: unknown })[] = [{ value: root }]
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if ('text' in item) {
      out.push(item.text)
    } else if (Array.isArray(item.value)) {
      pushParts(
        stack,
        '[',
        item.value.map(value => ['', value]),
        ']',
      )
    } else if (isObject(item.value)) {
      const entries = Object.entries(item.value).filter(([, value]) => value !== undefined)
      pushParts(
        stack,
        '{',
        entries.map(([key, value]) => [`${JSON.stringify(key)}:`, value]),
        '}',
      )
    } else {
      out.push(JSON.stringify(item.value) ?? 'null')
    }
  }
  return out.join('')
}

function pushParts(
  stack: ({ text: string } | { value: unknown })[],
  open: string,
  parts: [prefix: string, value: unknown][],
  close: string,
): void {
  stack.push({ text: close })
  for (let i = parts.length - 1; i >= 0; i--) {
    const [prefix, value] = parts[i] as [string, unknown]
    stack.push({ value })
    stack.push({ text: (i > 0 ? ',' : '') + prefix })
  }
  stack.push({ text: open })
}
