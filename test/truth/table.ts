// Counts what was compared: for each fact the askers that answered it, and how many of their answers met another's. It compares
// nothing itself.

import { type Report, valuesOf } from './sources.ts'

const start = 'facts: '

/** Prints a row for each fact and asker, which the summary of the run adds up. */
export function reportCompared(reports: ReadonlyMap<string, Report>): void {
  const counts = new Map<string, number>()
  for (const id of new Set([...reports.values()].flatMap(report => [...report.keys()]))) {
    for (const [fact, values] of valuesOf(id, reports)) {
      const askers = [...values.values()].flat()
      if (askers.length < 2) continue
      for (const asker of askers) counts.set(`${fact} | ${asker}`, (counts.get(`${fact} | ${asker}`) ?? 0) + 1)
    }
  }
  for (const [row, count] of counts) console.log(`${start}${row} | ${count}`)
}

/** The rows that a run printed, as a table: a line for each fact, with its askers and how many answers were compared. */
export function factsTable(printed: readonly string[]): string[] {
  const facts = new Map<string, { askers: Set<string>; answers: number }>()
  for (const line of printed.filter(one => one.startsWith(start))) {
    const [fact = '', asker = '', count] = line.slice(start.length).split(' | ')
    const known = facts.get(fact) ?? { askers: new Set<string>(), answers: 0 }
    facts.set(fact, { askers: known.askers.add(asker), answers: known.answers + Number(count) })
  }
  if (facts.size === 0) return []
  const rows = [...facts].sort(([, one], [, other]) => other.answers - one.answers)
  const askers = new Set(rows.flatMap(([, row]) => [...row.askers]))
  const answers = rows.reduce((sum, [, row]) => sum + row.answers, 0)
  return [
    '| fact | askers | answers compared |',
    '|---|--:|--:|',
    ...rows.map(([fact, row]) => `| ${fact} | ${row.askers.size} | ${row.answers.toLocaleString('en')} |`),
    `| all ${facts.size} facts | ${askers.size} | ${answers.toLocaleString('en')} |`,
  ]
}
