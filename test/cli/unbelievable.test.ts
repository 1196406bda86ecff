// What a log states that cannot be true is in no number that a command prints, from the logs or from an index, and `check`
// names it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clewHere } from './run.ts'

const session = '5e5510a0-0000-4000-8000-000000000001'
const base = { sessionId: session, isSidechain: false, cwd: '/p', version: '2.1.210' }

function answer(n: number, parentUuid: string, usage: Record<string, unknown>): object {
  const message = {
    id: `msg_0123456789abcdef${n}`,
    role: 'assistant',
    model: 'claude-opus-4-5',
    stop_reason: 'end_turn',
  }
  const content = [{ type: 'text', text: 'ok' }]
  const timestamp = `2026-01-01T00:00:0${n}.000Z`
  return { ...base, type: 'assistant', uuid: `a${n}`, parentUuid, timestamp, message: { ...message, content, usage } }
}

const believable = {
  input_tokens: 3,
  output_tokens: 40,
  cache_read_input_tokens: 500,
  cache_creation_input_tokens: 6000,
}
const lines = [
  {
    ...base,
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content: 'tea' },
  },
  answer(1, 'u1', believable),
  answer(2, 'a1', { ...believable, output_tokens: 1e26 }),
  answer(3, 'a2', { ...believable, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 4e15 } }),
]

it('10^26 tokens of a message are counted nowhere and found by check', async () => {
  await withFolder(async folder => {
    const root = join(folder, 'claude')
    mkdirSync(join(root, 'projects/-p'), { recursive: true })
    // As a number that JSON allows and no computer counts.
    const text = lines.map(line => JSON.stringify(line)).join('\n')
    writeFileSync(join(root, 'projects/-p', `${session}.jsonl`), `${text.replace('1e+26', `1${'0'.repeat(26)}`)}\n`)
    const env = { CLEW_HOME: join(folder, 'clew'), CLAUDE_CONFIG_DIR: root }
    const json = async (...args: string[]) => JSON.parse((await clewHere([...args, '--json'], { env })).stdout)
    const sums = { inputTokens: 9, outputTokens: 80, cacheReadTokens: 1500, cacheCreationTokens: 18_000 }
    const expectSums = async () => {
      expect((await json('usage', 'daily')).totals).toMatchObject(sums)
      expect((await json('ls')).sessions[0].usage).toMatchObject(sums)
      expect((await json('stats')).tokens).toMatchObject(sums)
      expect((await json('stats', session)).tokens).toMatchObject(sums)
      expect((await json('show', session)).usage).toMatchObject(sums)
    }
    await expectSums()
    expect((await clewHere(['index', 'refresh'], { env })).code).toBe(0)
    await expectSums()
    const { findings } = await json('check', session)
    const found = findings.filter(({ code }: { code: string }) => code === 'unbelievable-count')
    expect(found.map(({ line, severity }: { line: number; severity: string }) => [line, severity])).toEqual([
      [3, 'warning'],
      [4, 'warning'],
    ])
    expect(found[0].message).toContain('output_tokens is 1e+26')
  })
})
