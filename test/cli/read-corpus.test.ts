// Every command that reads a session, on every session of the sample history and of real logs: it ends well,
// prints something, stays within the width, and lets nothing of a log drive the terminal.

import { basename, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import type { CommandRun } from '../../src/cli/command.ts'
import { run as context } from '../../src/cli/commands/context.ts'
import { run as doctor } from '../../src/cli/commands/doctor.ts'
import { run as events } from '../../src/cli/commands/events.ts'
import { run as records } from '../../src/cli/commands/records.ts'
import { run as show } from '../../src/cli/commands/show.ts'
import { run as stats } from '../../src/cli/commands/stats.ts'
import { run as tree } from '../../src/cli/commands/tree.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { clientHomes } from '../needs.ts'
import { capture } from './capture.ts'

const commands: readonly [name: string, run: CommandRun, options: Record<string, unknown>, columns: number][] = [
  ['show', show, {}, 40],
  ['show --full --thinking', show, { full: true, thinking: true }, 200],
  ['show --format md', show, { format: 'md' }, 80],
  ['show --format html', show, { format: 'html' }, 80],
  ['tree', tree, {}, 40],
  ['context', context, {}, 40],
  ['stats', stats, {}, 80],
  ['events', events, {}, 80],
]
/** Where a line is laid out, it fits; long words of a log may exceed it in documents. */
const laidOut = new Set(['show', 'tree', 'context', 'stats'])
const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

async function readableSessions(root: string): Promise<string[]> {
  const { sessions } = await discover(root)
  return sessions
    .filter(session => session.logs.some(log => log.role === 'session' && log.size > 0))
    .map(({ id }) => id)
}

describe('of the sample history', () => declare(resolve('samples/home')))
describe.each(clientHomes.map(home => [basename(home), home]))('of %s', { tags: ['corpus', 'deep'] }, (_name, home) =>
  declare(home),
)

function declare(root: string): void {
  it.each(commands)('%s reads every session', { timeout: 120_000 }, async (name, run, options, columns) => {
    for (const id of await readableSessions(root)) {
      const { stdout, stderr, code } = await capture(run, { root: [root], args: [id], options, columns })
      // A session that cannot be resumed is no failure.
      expect(name === 'context' ? [0, 1] : [0], `${id}: ${stderr}`).toContain(code)
      expect(stdout.trim(), id).not.toBe('')
      expect(stdout, id).not.toMatch(dangerous)
      if (laidOut.has(name)) expect(Math.max(...stdout.split('\n').map(columnsOf)), id).toBeLessThanOrEqual(columns)
    }
  })

  it('records and doctor read the home', { timeout: 60_000 }, async () => {
    const listed = await capture(records, { root: [root], json: true, quiet: true })
    expect(listed.stdout.split('\n').length).toBeGreaterThan(100)
    expect([0, 1]).toContain((await capture(doctor, { root: [root] })).code)
  })
}
