import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { samples, withFolder } from '../home.ts'
import { clientHomes } from '../needs.ts'
import { expectReviewed, steady } from './reviewed.ts'
import { clewHere } from './run.ts'

const id = '0c0ffee0-0000-4000-8000-000000000001'

function record(n: number, type: string, message: object, more: object = {}): string {
  const line = {
    type,
    uuid: `u${n}`,
    parentUuid: n === 0 ? null : `u${n - 1}`,
    sessionId: id,
    timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
    isSidechain: false,
    message,
    ...more,
  }
  return `${JSON.stringify(line)}\n`
}

/** Turns of five records: a prompt, two calls of which one fails, and an answer. */
function longLog(records: number): string {
  const lines: string[] = []
  for (let n = 0; n < records; n += 5) {
    const use = (call: string, name: string) => ({ type: 'tool_use', id: call, name, input: {} })
    const done = (call: string, is_error: boolean) => ({
      type: 'tool_result',
      tool_use_id: call,
      content: 'ok',
      is_error,
    })
    lines.push(
      record(n, 'user', { role: 'user', content: `step ${n} of a long way through the woods` }),
      record(n + 1, 'assistant', {
        id: `m${n}`,
        role: 'assistant',
        content: [use(`a${n}`, 'Bash'), use(`b${n}`, 'Read')],
      }),
      record(n + 2, 'user', { role: 'user', content: [done(`a${n}`, false)] }),
      record(n + 3, 'user', { role: 'user', content: [done(`b${n}`, true)] }),
      record(n + 4, 'assistant', { id: `n${n}`, role: 'assistant', content: [{ type: 'text', text: 'on' }] }),
    )
  }
  return lines.join('')
}

describe('clew tree', () => {
  it('draws sessions of the sample history as reviewed', async () => {
    for (const session of ['ad277dfc', 'cdd3bb50', '33c79d8c', '57bae280', 'e63f670d', 'e5ab370c', '89fa56ca'])
      await expectReviewed(`tree-${session}`, ['tree', session])
  })

  it.each([40, 80, 200])('fits into %i columns', async columns => {
    for (const session of ['ad277dfc', '57bae280', '89fa56ca']) {
      const { stdout } = await clewHere(['tree', session, '--root', samples], {
        env: { ...steady, COLUMNS: String(columns) },
      })
      for (const line of stdout.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
    }
  })

  it('draws in ASCII on a dumb terminal', async () => {
    const { stdout } = await clewHere(['tree', 'ad277dfc', '--root', samples], { env: { ...steady, TERM: 'dumb' } })
    expect(stdout).toContain('|- ')
    expect(stdout).not.toMatch(/[├└│]/)
  })

  it('prints rows with depths as JSON', async () => {
    const tree = JSON.parse((await clewHere(['tree', 'ad277dfc', '--root', samples, '--json'])).stdout)
    expect(tree).toMatchObject({ session: expect.stringMatching(/^ad277dfc/), folded: { rows: 0 } })
    expect(tree.rows[0]).toMatchObject({
      depth: 0,
      kind: 'turn',
      turn: 0,
      text: expect.stringContaining('last player'),
    })
    expect(tree.rows.some((row: { kind: string; depth: number }) => row.kind === 'subagent' && row.depth === 1)).toBe(
      true,
    )
  })

  it('folds a session of 20,000 records to about 200 lines and says what it left out', async () => {
    await withFolder(async folder => {
      const file = join(folder, `${id}.jsonl`)
      writeFileSync(file, longLog(20_000))
      const short = await clewHere(['tree', file])
      expect([short.stderr, short.code]).toEqual(['', 0])
      const lines = short.stdout.trimEnd().split('\n')
      expect(lines.length).toBeLessThanOrEqual(200)
      expect(lines.length).toBeGreaterThan(100)
      expect(short.stdout).toMatch(/… 3,?\d{3} turns/)
      expect(lines.at(-1)).toMatch(/^folded \(use --full\): 3,8\d\d turns, the calls of 4,000 turns$/)
      expect((await clewHere(['tree', file, '--full'])).stdout.trimEnd().split('\n')).toHaveLength(2 + 2 * 4000)
    })
  }, 120_000)

  it('never lets text of a log drive the terminal', async () => {
    await withFolder(async folder => {
      mkdirSync(join(folder, 'p'))
      const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\r\nsecond'
      const file = join(folder, 'p', `${id}.jsonl`)
      const call = { type: 'tool_use', id: 'x', name: evil, input: {} }
      const border = { subtype: 'compact_boundary', content: evil, compactMetadata: { trigger: evil } }
      writeFileSync(
        file,
        record(0, 'user', { role: 'user', content: evil }) +
          record(1, 'assistant', { id: 'm', role: 'assistant', model: evil, content: [call] }, { version: evil }) +
          record(2, 'system', {}, border),
      )
      for (const command of ['tree', 'stats', 'context']) {
        const { stdout, stderr, code } = await clewHere([command, file], { env: { ...steady, FORCE_COLOR: '' } })
        expect(code).toBe(0)
        expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
      }
    })
  })

  it('draws sessions of every version of Claude Code', { tags: ['corpus', 'deep'], timeout: 120_000 }, async () => {
    for (const version of clientHomes) {
      for (const command of ['tree', 'context', 'stats']) {
        const { stdout, stderr, code } = await clewHere([command, 'last', '--root', version])
        expect([version, command, stderr]).toEqual([version, command, ''])
        expect([0, command === 'context' ? 1 : 0]).toContain(code)
        expect(stdout).not.toBe('')
      }
    }
  })
})
