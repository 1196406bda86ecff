// Small homes in which one thing is odd, each with what must come out, from the files and from the index.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { ask, type Machine, refresh } from './ask.ts'
import type { Row } from './judge.ts'

type Fields = Record<string, unknown>

/** Processes are many here, and a busy machine is slow to start them. */
const patience = 240_000

let uuids = 0

function answer(id: string | null, tokens: number, fields: Fields = {}, message: Fields = {}): Fields {
  return {
    parentUuid: null,
    isSidechain: false,
    sessionId: 'one',
    version: '2.1.200',
    type: 'assistant',
    message: {
      id,
      role: 'assistant',
      model: 'claude-opus-4-6',
      content: [],
      stop_reason: 'end_turn',
      usage: { input_tokens: tokens, output_tokens: tokens },
      ...message,
    },
    requestId: `req_${id}`,
    uuid: `u${uuids++}`,
    timestamp: '2026-01-02T10:00:00.000Z',
    ...fields,
  }
}

function calling(id: string, tool: string, fields: Fields = {}): Fields {
  return answer(id, 100, fields, { content: [{ type: 'tool_use', id: `toolu_${tool}`, name: tool, input: {} }] })
}

type Reported = Row & Record<string, unknown>

/** Rows of the form, after making sure that files and index agree. */
function rowsOfHome(form: string, files: Record<string, Fields[]>): Promise<Reported[]> {
  return withFolder(async folder => {
    for (const [name, records] of Object.entries(files)) {
      const path = join(folder, 'home/projects/-p', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, records.map(record => `${JSON.stringify(record)}\n`).join(''))
    }
    const machine: Machine = { roots: [join(folder, 'home')], own: join(folder, 'own') }
    const fromFiles = await ask(machine, form, ['--timezone', 'UTC', '--no-index'])
    await refresh(machine)
    expect(await ask(machine, form, ['--timezone', 'UTC'])).toEqual(fromFiles)
    return fromFiles[form] as Reported[]
  })
}

const inputOf = (rows: readonly Reported[], field: string) =>
  Object.fromEntries(rows.map(row => [String(row[field]), row.inputTokens]))

describe('usage', () => {
  it(
    'counts records without any id that stand at the same place of two files of a session',
    async () => {
      const rows = await rowsOfHome('daily', {
        'one.jsonl': [answer(null, 10, { uuid: undefined })],
        'one/subagents/agent-a.jsonl': [answer(null, 7, { uuid: undefined, isSidechain: true })],
      })
      expect(inputOf(rows, 'date')).toEqual({ '2026-01-02': 17 })
    },
    patience,
  )

  it(
    'takes empty ids for none',
    async () => {
      const rows = await rowsOfHome('daily', { 'one.jsonl': [answer('', 10), answer('', 9)] })
      expect(inputOf(rows, 'date')).toEqual({ '2026-01-02': 19 })
    },
    patience,
  )

  it(
    'counts a call once that an inline sidechain repeats',
    async () => {
      const rows = await rowsOfHome('tool', {
        'one.jsonl': [calling('m1', 'Edit'), calling('m1', 'Read'), calling('m1', 'Edit', { isSidechain: true })],
      })
      expect(inputOf(rows, 'tool')).toEqual({ Edit: 50, Read: 50 })
    },
    patience,
  )

  it(
    'gives to a subagent what only its progress tells',
    async () => {
      const inner = answer('m2', 5)
      const data = { type: 'agent_progress', agentId: 'abc', prompt: 'Look.', message: inner }
      const progress = { ...answer(null, 0), type: 'progress', message: undefined, data, toolUseID: 'agent_1' }
      const rows = await rowsOfHome('subagent', { 'one.jsonl': [answer('m1', 10), progress] })
      expect(rows.map(row => row.inputTokens).sort()).toEqual([10, 5])
      expect(inputOf(rows, 'subagent')['main']).toBe(10)
    },
    patience,
  )

  it(
    'never lets an earlier copy take a message to another day',
    async () => {
      const early = { timestamp: '2025-12-24T10:00:00.000Z' }
      const rows = await rowsOfHome('daily', {
        'one.jsonl': [answer('m1', 10), answer('m1', 10, { ...early, isSidechain: true })],
        'two.jsonl': [answer('m1', 11, early)],
        'three.jsonl': [answer('m1', 12, { ...early, sessionId: 'three', forkedFrom: { sessionId: 'one' } })],
        'one/subagents/agent-aprompt_suggestion-1.jsonl': [answer('m1', 9, { ...early, isSidechain: true })],
      })
      expect(inputOf(rows, 'date')).toEqual({ '2026-01-02': 12 })
    },
    patience,
  )
})
