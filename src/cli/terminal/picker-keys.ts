// What keys do to a choice: pure, so that every key can be tried without a terminal.

/** One thing to choose from. All texts are raw: the picture escapes them. */
export interface PickRow {
  /** What the caller knows it by. */
  id: string
  title: string
  /** Where it belongs: a project. */
  place: string
  /** When, in few columns. */
  when: string
}

export interface Pick {
  filter: string
  /** Indices of the rows that fit the filter. */
  found: readonly number[]
  /** Which of them is chosen, and which is the first on the screen. */
  at: number
  top: number
  isDone: boolean
  isCancelled: boolean
}

export function initialPick(rows: readonly PickRow[]): Pick {
  return { filter: '', found: rows.map((_, index) => index), at: 0, top: 0, isDone: false, isCancelled: false }
}

const escapeKey = '\u001b'
const tokens = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|[\s\S]/gu
const names: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u0003': 'cancel',
  '\u0004': 'cancel',
  '\u0007': 'cancel',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0015': 'clear',
  '\u0017': 'word',
  '\u0010': 'up',
  '\u000e': 'down',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\u001b[H': 'first',
  '\u001bOH': 'first',
  '\u001b[1~': 'first',
  '\u001b[F': 'last',
  '\u001bOF': 'last',
  '\u001b[4~': 'last',
}

/** Keys in what the terminal sent; `rest` is an escape whose meaning the next bytes decide. Typed characters stand for themselves. */
export function keysOf(input: string): { keys: string[]; rest: string } {
  const unfinished = /\u001b(?:\[[0-9;]*|O)?$/.exec(input)
  const rest = unfinished?.[0] ?? ''
  const whole = input.slice(0, input.length - rest.length)
  const keys: string[] = []
  for (const [token] of whole.matchAll(tokens)) {
    const name = names[token]
    if (name !== undefined) keys.push(name)
    else if (token === escapeKey) keys.push('escape')
    else if (token >= ' ' && !token.startsWith(escapeKey)) keys.push(token)
  }
  return { keys, rest }
}

export function press(pick: Pick, key: string, rows: readonly PickRow[], height: number): Pick {
  switch (key) {
    case 'enter':
      return pick.found.length > 0 ? { ...pick, isDone: true } : pick
    case 'cancel':
    case 'escape':
      return { ...pick, isDone: true, isCancelled: true }
    case 'backspace':
      return filtered(pick, [...pick.filter].slice(0, -1).join(''), rows)
    case 'clear':
      return filtered(pick, '', rows)
    case 'word':
      return filtered(pick, pick.filter.replace(/\S*\s*$/, ''), rows)
    default:
      return key in steps ? moved(pick, key, height) : filtered(pick, pick.filter + key, rows)
  }
}

const steps: Readonly<Record<string, true>> = {
  up: true,
  down: true,
  'page-up': true,
  'page-down': true,
  first: true,
  last: true,
}

function moved(pick: Pick, key: string, height: number): Pick {
  const last = pick.found.length - 1
  if (key === 'first') return scrolled(pick, 0, height)
  if (key === 'last') return scrolled(pick, last, height)
  const step = key === 'up' ? -1 : key === 'down' ? 1 : key === 'page-up' ? -height : height
  return scrolled(pick, pick.at + step, height)
}

/** The same choice on a screen of another height. */
export function resized(pick: Pick, height: number): Pick {
  return scrolled(pick, pick.at, height)
}

/** Keeps the chosen row within the list and on the screen. */
function scrolled(pick: Pick, wanted: number, height: number): Pick {
  const at = Math.max(0, Math.min(pick.found.length - 1, wanted))
  const top = Math.max(0, Math.min(at, Math.max(pick.top, at - height + 1)))
  return { ...pick, at, top }
}

function filtered(pick: Pick, filter: string, rows: readonly PickRow[]): Pick {
  return { ...pick, filter, found: findRows(filter, rows), at: 0, top: 0 }
}

/** Rows that hold every word, in any case and order, in title, place or id. */
function findRows(filter: string, rows: readonly PickRow[]): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const found: number[] = []
  rows.forEach((row, index) => {
    const text = `${row.title}\n${row.place}\n${row.id}`.toLowerCase()
    if (words.every(word => text.includes(word))) found.push(index)
  })
  return found
}
