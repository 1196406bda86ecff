import { describe, expect, it } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import type { GraphFile } from '../../model/session.ts'
import { sessionDetail } from '../../session/detail.ts'
import { buildContext } from '../context/context.ts'
import { buildGraph } from '../graph.ts'
import { restampedIn, withOriginTime } from './fork-times.ts'

const fork = 'f0000000-0000-4000-8000-000000000002'
const origin = 'f0000000-0000-4000-8000-000000000001'
const forkedAt = '2026-01-01T00:26:00.000Z'
const copied = (uuid: string) => ({ forkedFrom: { sessionId: origin, messageUuid: `original-${uuid}` } })
const line = (type: string, uuid: string, parentUuid: string | null, timestamp: string, more: object) => ({
  type,
  uuid,
  parentUuid,
  timestamp,
  sessionId: fork,
  isSidechain: false,
  message:
    type === 'user'
      ? { role: 'user', content: `Say ${uuid}` }
      : { role: 'assistant', id: `m-${uuid}`, model: 'claude-test-1', content: [{ type: 'text', text: 'Done' }] },
  ...more,
})
const prompt = line('user', 'u', null, '2026-01-01T00:00:00.000Z', copied('u'))
const answer = line('assistant', 'a', 'u', forkedAt, copied('a'))
const title = { type: 'custom-title', sessionId: fork, customTitle: 'Say u (fork)', uuid: 't', timestamp: forkedAt }
const later = [
  line('user', 'v', 'a', '2026-01-01T01:00:00.000Z', {}),
  line('assistant', 'b', 'v', '2026-01-01T01:00:02.000Z', {}),
]

function filesOf(records: readonly object[]): GraphFile[] {
  const text = records.map(record => `${JSON.stringify(record)}\n`).join('')
  const { events } = decodeText(text, { session: fork })
  return [{ path: 'fork.jsonl', role: 'session', events }]
}
const graphOf = (files: readonly GraphFile[]) => buildGraph(sessionId(fork), files)

describe('the last message that the agent SDK copied into a fork', () => {
  const files = filesOf([prompt, answer, title, ...later])

  it('has the time of the fork: without the origin, its turn has no end and no duration', () => {
    const [turn, next] = graphOf(files).turns
    expect(turn).toMatchObject({ startedAt: '2026-01-01T00:00:00.000Z', endedAt: null })
    expect(turn).not.toHaveProperty('durationMs')
    expect(next).toMatchObject({ durationMs: 2000 })
  })

  it('is the end that Claude Code continues from, since its own time is there for it', () => {
    const context = buildContext(graphOf(filesOf([prompt, answer, title])))
    expect(context).toMatchObject({ resumable: true, leaf: 'a' })
    expect(context.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('gets its time from the origin', () => {
    const restamped = restampedIn(files)
    if (restamped === undefined) throw new Error('not found')
    expect(restamped.origin).toEqual({ session: origin, uuid: 'original-a' })
    const [turn] = graphOf(withOriginTime(files, restamped, '2026-01-01T00:00:00.203Z')).turns
    expect(turn).toMatchObject({ endedAt: '2026-01-01T00:00:00.203Z', durationMs: 203 })
  })

  it('keeps a duration that Claude Code measured', () => {
    const measured = {
      ...line('system', 'd', 'u', '2026-01-01T00:00:00.300Z', copied('d')),
      subtype: 'turn_duration',
      durationMs: 290,
    }
    const [turn] = graphOf(filesOf([prompt, measured, { ...answer, parentUuid: 'd' }, title])).turns
    expect(turn).toMatchObject({ durationMs: 290 })
  })

  it('leaves a call without a duration where it is the result', () => {
    const tool = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
    const call = line('assistant', 'c', 'u', '2026-01-01T00:00:01.000Z', copied('c'))
    const result = line('user', 'r', 'c', forkedAt, copied('r'))
    const records = [
      prompt,
      { ...call, message: { ...call.message, content: [tool] } },
      {
        ...result,
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] },
      },
      title,
    ]
    const [found] = graphOf(filesOf(records)).toolCalls
    expect(found).toMatchObject({ outcome: 'done' })
    expect(found).not.toHaveProperty('durationMs')
  })
})

describe("a fork of Claude Code's own", () => {
  it('keeps its times: its title has none', () => {
    const { uuid: _uuid, timestamp: _timestamp, ...untimed } = title
    const files = filesOf([prompt, { ...answer, timestamp: '2026-01-01T00:00:05.000Z' }, untimed, ...later])
    expect(restampedIn(files)).toBeUndefined()
    expect(graphOf(files).turns[0]).toMatchObject({ durationMs: 5000 })
  })
})

describe('the start of a fork', () => {
  const startOf = (records: readonly object[]) =>
    sessionDetail(graphOf(filesOf(records)), { slug: '', files: [], live: false, lineage: [] })

  it('is its first record of its own', () => {
    expect(startOf([prompt, answer, title, ...later])).toMatchObject({
      startedAt: forkedAt,
      endedAt: '2026-01-01T01:00:02.000Z',
    })
  })

  it('is that of the copied records where there is no other', () => {
    expect(startOf([prompt])).toMatchObject({ startedAt: '2026-01-01T00:00:00.000Z' })
  })
})
