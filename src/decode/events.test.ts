import { describe, expect, it } from 'vitest'
import { detailFields } from '../model/detail.ts'
import { decodeText } from './decode.ts'
import { assistant, events, one, user } from './testing.ts'

describe('the envelope', () => {
  it('gives a second record with the same uuid an id of its own', () => {
    expect(events([user('a'), user('b'), user('c')]).map(event => [event.id, event.flags])).toEqual([
      ['u1', []],
      ['u1~2', ['copy']],
      ['u1~3', ['copy']],
    ])
  })

  it('names a record without uuid by session and offset', () => {
    const line = { type: 'mode', mode: 'normal', sessionId: 's' }
    const found = events([line, line])
    expect(found.map(event => event.id)).toEqual(['s@0', `s@${JSON.stringify(line).length + 1}`])
  })

  it('carries version, directory and branch forward', () => {
    const found = events([user('a', { gitBranch: 'main' }), { type: 'mode', mode: 'x', sessionId: 's' }])
    expect(found[1]).toMatchObject({ version: '2.1.45', cwd: '/p', gitBranch: 'main' })
  })

  it('takes a snapshot at its own time', () => {
    const event = one({
      type: 'file-history-snapshot',
      messageId: 'u1',
      snapshot: { timestamp: '2026-02-01T00:00:00.000Z', trackedFileBackups: { 'a.ts': {} } },
      isSnapshotUpdate: false,
    })
    expect(event).toMatchObject({
      kind: 'snapshot',
      at: '2026-02-01T00:00:00.000Z',
      detail: { messageId: 'u1', isUpdate: false, files: ['a.ts'] },
    })
  })

  it('gives broken lines an event of their own', () => {
    const { events: found } = decodeText('{"type":"us\n\n{"type":"mode","sessionId":"s"}\n', { session: 's' })
    expect(found.map(event => event.kind)).toEqual(['malformed', 'state'])
  })
})

describe('sidechains without an agent id', () => {
  const task = assistant([{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'Look' } }], { uuid: 'a' })

  it('are a subagent while a delegation is open', () => {
    const found = events([task, user('Look', { uuid: 'b', parentUuid: 'a', isSidechain: true })])
    expect([found[1]?.kind, found[1]?.thread]).toEqual(['delegation', 'b'])
  })

  it('are another branch of the main thread where nothing was delegated (004)', () => {
    const found = events([
      assistant([{ type: 'text', text: 'x' }], { uuid: 'a' }),
      user('Else', { uuid: 'b', parentUuid: 'a', isSidechain: true }),
    ])
    expect([found[1]?.kind, found[1]?.actor, found[1]?.thread]).toEqual(['prompt', 'human', 's'])
  })

  it('are a subagent with a root of its own, as Claude Code wrote them up to 1.0.128', () => {
    const found = events([
      user('x'),
      user('Look', { uuid: 'b', parentUuid: null, isSidechain: true }),
      assistant([], { uuid: 'c', parentUuid: 'b', isSidechain: true }),
    ])
    expect(found.map(event => event.thread)).toEqual(['s', 'b', 'b'])
  })
})

describe('threads', () => {
  it('follow the agent id where a record does not say which side it is on', () => {
    const { isSidechain: _side, ...unmarked } = user('Look', { agentId: 'a1' })
    expect(one(unmarked)).toMatchObject({ thread: 'a1', kind: 'delegation' })
    expect(one(user('Look', { agentId: 'a1', isSidechain: false }))).toMatchObject({ thread: 's', kind: 'prompt' })
  })

  it('are inherited from a parent that names its agent', () => {
    const found = events([
      user('Look', { uuid: 'a', isSidechain: true, agentId: 'a1' }),
      assistant([], { uuid: 'b', parentUuid: 'a', isSidechain: true }),
    ])
    expect(found[1]?.thread).toBe('a1')
  })

  it('of the prompt history are the sessions that its lines name', () => {
    const line = (sessionId: string) => ({ display: 'x', project: '/p', timestamp: 1770654699405, sessionId })
    const found = events([line('a'), line('b')], { file: 'history.jsonl' })
    expect(found.map(event => [event.session, event.thread])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ])
  })
})

describe('a hostile record', () => {
  it('without a type is kept as it is', () => {
    const line = { uuid: 'a', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'x' } }
    expect(one(line)).toMatchObject({ kind: 'other', dialect: 'unknown' })
  })

  it('cannot reach the prototype of what is made from it', () => {
    const { events: found } = decodeText('{"type":"mode","sessionId":"s","__proto__":{"mode":"x"}}\n')
    expect(detailFields(found[0] ?? {})['mode']).toBeUndefined()
    expect(one({ type: 'compact_system', message: 'constructor' }).detail).toEqual({ phase: 'other' })
  })

  it('with an empty uuid is named by its place and hangs on the record before it', () => {
    const found = events([user('a'), user('b', { uuid: '', parentUuid: undefined })])
    expect(found[1]).toMatchObject({ parent: 'u1', flags: ['inferred'] })
    expect(found[1]?.id.startsWith('s@')).toBe(true)
  })
})
