// Ends a run of the tests with the table of its sweeps, where it is a deep one, that of compared facts, the number of skipped tests for each reason, then
// one line of counts. The reason is the description of a tag (see needs.ts) or the note that a test gave to `skip`. It changes
// no result.

import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { isDeep, tags } from './needs.ts'
import { type SweepRow, sweepRows, sweepTable } from './sweep.ts'
import { factsTable } from './truth/table.ts'

export default class Summary implements Reporter {
  private readonly rows: SweepRow[] = []
  private readonly printed: string[] = []

  onUserConsoleLog({ content }: { content: string }): void {
    this.rows.push(...sweepRows(content))
    this.printed.push(...content.split('\n'))
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: string) => tests.filter(test => test.result().state === state).length
    const broken = modules.filter(module => module.errors().length > 0).length
    const reasons = new Map<string, number>()
    for (const test of tests.filter(test => test.result().state === 'skipped')) {
      const reason = reasonOf(test)
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
    const lines = [...reasons]
      .sort(([, one], [, other]) => other - one)
      .map(([reason, times]) => `skipped ${times}: ${reason}`)
    const failed = count('failed') + broken + errors.length
    process.stdout.write(
      `${[...(isDeep ? sweepTable(this.rows) : []), ...factsTable(this.printed), ...lines, `${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`].join('\n')}\n`,
    )
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result()
  if (result.state === 'skipped' && result.note) return result.note
  const tag = tags.find(tag => 'skip' in tag && test.tags.includes(tag.name))
  return tag !== undefined && 'description' in tag ? tag.description : 'no reason given'
}
