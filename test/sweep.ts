// Sweeps do the same harm to Clew many times, each time elsewhere. They report how often here; summary.ts prints the rows of a
// run as the table of docs/reliability.md. It decides no result: a sweep that finds something fails by itself.

/** What is done, in the order of the table. */
export const sweeps = [
  'kill of the archive: run, restore, prune',
  'kill of the index: refresh, rebuild',
  'kill of a first index with its threads',
  'kill of `clew forget`',
  'kill of `clew repair --in-place`',
  'kill of the session writer',
  'power cut in the archive',
  'failing or full disk in the archive, every call',
  'failing or full disk in the index, every call',
  'failing or full disk in a repair, every call',
  'failing or full disk in the session writer, every call',
  'file system with no space left, archive',
  'file system with no space left, index',
  'folder or file that cannot be listed or read, every call',
  'project folder away for a moment',
  'bit flip in the archive',
  'bit flip or zeroed page in the index',
  'random lives of two homes, with kills and full disks',
  '8 processes at one index and archive',
  '8 processes at one session',
  'one log of 2 GB',
  '100,000 files',
] as const

export type Sweep = (typeof sweeps)[number]

const start = 'sweep: '

/** Prints a row. `faults`: how often something acknowledged was lost, or something wrong said, or something wrong not said. */
export function reportSweep(sweep: Sweep, times: number, faults: number): void {
  console.log(`${start}${sweep} | ${times} | ${faults}`)
}

export interface SweepRow {
  sweep: string
  times: number
  faults: number
}

/** The rows that a test printed. */
export function sweepRows(printed: string): SweepRow[] {
  const lines = printed.split('\n').filter(line => line.startsWith(start))
  return lines.map(line => {
    const [sweep = '', times, faults] = line.slice(start.length).split(' | ')
    return { sweep, times: Number(times), faults: Number(faults) }
  })
}

/** The table of a run in the order above, parts of one sweep added up. */
export function sweepTable(rows: readonly SweepRow[]): string[] {
  const table = sweeps.flatMap(sweep => {
    const own = rows.filter(row => row.sweep === sweep)
    const sum = (field: 'times' | 'faults') => own.reduce((total, row) => total + row[field], 0).toLocaleString('en')
    return own.length === 0 ? [] : [`| ${sweep} | ${sum('times')} | ${sum('faults')} |`]
  })
  return table.length === 0 ? [] : ['| what was done | times | faults |', '|---|--:|--:|', ...table]
}
