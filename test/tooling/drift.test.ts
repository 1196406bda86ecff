// The drift watch: what it calls missing, and, where Claude Code may be run, that a run of it gives sessions.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Comparison, example } from '../../scripts/drift-compare.mjs'
import { decodeText } from '../../src/decode/decode.ts'
import * as catalog from '../../src/schema/catalog/catalog.ts'
import * as kinds from '../../src/schema/record-kind.ts'
import { lint } from '../../src/schema/schema.ts'
import { answerLine, clientLine, text, toolResult, toolUse, userLine } from '../rules/lines.ts'

const comparison = () => new Comparison({ ...catalog, ...kinds, lint })

/** What is missing of these records, as `kind name count`. */
function missing(...lines: object[]): string[] {
  const compared = comparison()
  for (const record of decodeText(lines.map(line => JSON.stringify(line)).join('\n')).records) compared.record(record)
  return compared.missing().map(row => `${row.kind} ${row.name} ${row.count}`)
}

describe('the comparison with the catalog', () => {
  it('finds nothing in what the catalog describes', () => {
    const call = answerLine(2, [text('I look'), toolUse('toolu_1', 'Bash', { command: 'ls', odd: 1 })])
    const result = userLine(3, [toolResult('toolu_1', 'x')], {
      toolUseResult: { stdout: 'x', stderr: '', interrupted: false, isImage: false },
    })
    expect(missing(userLine(1, 'hello'), call, result)).toEqual([])
  })

  it('names types and subtypes that are not there', () => {
    expect(
      missing(
        { type: 'aura', sessionId: 's' },
        clientLine(1, 'system', { subtype: 'moonrise' }),
        clientLine(2, 'attachment', { attachment: { type: 'moonlight' } }),
        clientLine(3, 'attachment', { attachment: { type: 'moonlight' } }),
        clientLine(4, 'progress', { data: { type: 'moon_progress' } }),
      ),
    ).toEqual(['record aura 1', 'system moonrise 1', 'attachment moonlight 2', 'progress moon_progress 1'])
  })

  it('names fields with their paths, inside messages, blocks, attachments and tool results', () => {
    const call = answerLine(1, [toolUse('toolu_1', 'Bash', { command: 'ls' }), { ...text('a'), glow: 1 }], { aura: 1 })
    const result = userLine(2, [toolResult('toolu_1', 'x')], { moon: 1, toolUseResult: { stdout: 'x', tide: 'low' } })
    const date = clientLine(3, 'attachment', { attachment: { type: 'date', date: '2026-01-01', zone: 'UTC' } })
    const named = clientLine(4, 'attachment', { attachment: { type: 'goals', list: [] } })
    expect(missing(call, result, date, named)).toEqual([
      'field assistant: message.aura 1',
      'field attachment/date: attachment.zone 1',
      'field attachment/goals: attachment.list 1',
      'field block text: glow 1',
      'field result of Bash: tide 1',
      'field user: moon 1',
    ])
  })

  it('names blocks, tool results and values of another form', () => {
    const call = answerLine(1, [toolUse('toolu_1', 'Kettle', {}), { type: 'hologram' }])
    const result = userLine(2, [toolResult('toolu_1', 'x')], { toolUseResult: { heat: 80 }, cwd: 7 })
    expect(missing(call, result).map(row => row.replace(/Invalid.*(?= )/, '…'))).toEqual([
      'block hologram (in assistant) 1',
      'result Kettle 1',
      'form user: cwd: … 1',
    ])
  })

  it('names files by their kind, not by the names of one run', () => {
    const compared = comparison()
    const id = '443661e2-a738-418d-a0a9-e7f0c36359f4'
    compared.file(`projects/-home-dev/${id}.jsonl`)
    compared.file(`projects/-home-dev/${id}/subagents/agent-a1.meta.json`, { agentType: 'x', moon: 1 })
    for (const name of ['a', 'b']) compared.file(`projects/-home-${name}/${id}/moon.json`, {})
    expect(compared.missing()).toMatchObject([
      { kind: 'field', name: 'projects/<slug>/<session>/subagents/agent-<id>.meta.json: moon', count: 1 },
      { kind: 'file', name: 'projects/<slug>/<session>/moon.json', count: 2 },
    ])
  })

  it('shows examples short and without secrets', () => {
    const value = { email: 'ada@example.com', deep: { accountUuid: 'x-1', text: 'y'.repeat(99) }, list: [1, 2] }
    expect(example(value)).toEqual({ email: '…', deep: { accountUuid: '…', text: `${'y'.repeat(40)}…` }, list: [1] })
  })
})

describe('a run', { tags: 'judge' }, () => {
  it('lets Claude Code write sessions and leaves them with what was sent', { timeout: 600_000 }, () => {
    const out = mkdtempSync(join(tmpdir(), 'clew-drift-test-'))
    try {
      const version = process.env['CLEW_JUDGE'] || '2.1.325'
      const args = ['scripts/drift.mjs', version.includes('.') ? version : '2.1.325', '--only', '^read$', '--out', out]
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect(stdout).toContain('1 sessions')
      const [name = ''] = readdirSync(join(out, 'requests'))
      const sent: { messages: unknown[]; model: string }[] = JSON.parse(
        readFileSync(join(out, 'requests', name), 'utf8'),
      )
      expect(sent.at(-1)?.messages.length).toBeGreaterThan(2)
      expect(existsSync(join(out, 'projects', '-home-dev-read', name.replace('.json', '.jsonl')))).toBe(true)
    } finally {
      rmSync(out, { recursive: true, force: true })
    }
  })
})
