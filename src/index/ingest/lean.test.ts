import { describe, expect, it } from 'vitest'
import type { LeanReader } from '../../decode/records.ts'
import { Extraction, GivenTexts } from './extract.ts'
import { leanReader } from './lean.ts'
import type { FileTask, RowBatch } from './rows.ts'

/** Reads every line as a whole. */
const whole: LeanReader = { begin() {}, textOf: () => null, isEnough: () => true }

function rows(bytes: Uint8Array, lean: LeanReader | undefined): string {
  const task: FileTask = {
    file: 1,
    source: 's',
    path: 'session.jsonl',
    role: 'session',
    session: 'session',
    nameSession: 'session',
    size: bytes.length,
    indexed: 0,
    isLive: false,
  }
  const extraction = new Extraction(task, new GivenTexts(), lean)
  extraction.push(bytes)
  const batch: RowBatch = extraction.end()
  const words = Buffer.from(batch.words).toString()
  const state = batch.checkpoint && Buffer.from(batch.checkpoint.state).toString('hex')
  return JSON.stringify({ ...batch, words, state, checkpoint: null, states: [...batch.states] }, null, 1)
}

function expectSame(...lines: (string | Uint8Array)[]): void {
  const bytes = Buffer.concat(lines.flatMap(line => [Buffer.from(line), Buffer.from('\n')]))
  expect(rows(bytes, leanReader()) === rows(bytes, whole), bytes.toString().slice(0, 300)).toBe(true)
}

const envelope = { parentUuid: null, isSidechain: false, sessionId: 'session', version: '2.1.40', cwd: '/home/dev' }
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

function result(content: unknown, more: object = {}, block: object = {}): string {
  const part = { tool_use_id: 'toolu_1', type: 'tool_result', content, ...block }
  const message = { role: 'user', content: [part] }
  const record = { ...envelope, type: 'user', message, uuid: uuid(1), timestamp: '2026-01-02T03:04:05.678Z', ...more }
  return JSON.stringify(record)
}

const words = (
  length: number,
  text = 'one "two"\tthree\\four\n→ größe, and more words of the usual kind behind it 😀 ',
) => text.repeat(Math.ceil(length / text.length)).slice(0, length)

const textOf = (line: string) => leanReader()?.textOf(Buffer.from(line), 0, Buffer.byteLength(line)) ?? ''

describe('a lean line', () => {
  it('gives the rows of the whole line, however long the output is', () => {
    for (let length = 8100; length < 12000; length += 193) {
      expectSame(result(words(length)), result(words(length, 'plain words only ')))
      expectSame(result(words(length, '\\"\n')), result(words(length, 'ж')), result(words(length, '😀')))
      expectSame(result(words(length, '\u001b[0m x')))
    }
    expectSame(result(words(300_000)), result(words(5_000_000, 'long ')))
  })

  it('leaves out the middle of a long output', () => {
    const line = result(words(50_000))
    expect(textOf(line).length).toBeLessThan(20_000)
    expect(() => JSON.parse(textOf(line))).not.toThrow()
  })

  it('keeps what a rule looks for in an output', () => {
    const long = words(9000, 'some words ')
    expectSame(result(`${long} agentId: a1b2c3 ${long}`))
    expectSame(result(`${long} agentId: ${'a'.repeat(9000)}`))
    expectSame(result(`${long} \u00e4 ${long}`).replace('\u00e4', '\\u0061gentId: x7'))
    expectSame(result(`<persisted-output>\nOutput too large. Full output saved to: /${'d'.repeat(9000)}/x\n${long}`))
    const refused = `${long} [Request interrupted by user] ${long}`
    expectSame(result(refused), result(refused, {}, { is_error: true }), result(refused, { isError: true }))
    expectSame(result(refused, { toolDenialKind: 'user-rejected' }), result(refused, { isAborted: true }))
  })

  it('does so whatever the order of the fields, and only in results', () => {
    const long = words(20_000)
    const user = (content: unknown, more = '') =>
      `{"type":"user","uuid":"${uuid(2)}","message":{"role":"user","content":${JSON.stringify(content)}}${more}}`
    expectSame(user([{ content: long, is_error: true, type: 'tool_result', tool_use_id: 't' }]))
    expectSame(user([{ content: long, tool_use_id: 't', type: 'tool_result' }]))
    expectSame(user([{ content: long, type: 'tool_result' }]), user([{ content: long, type: 'text', text: 'x' }]))
    expectSame(user([{ content: long, type: 'mcp_tool_result', tool_use_id: 't' }]))
    expectSame(user([{ content: [{ type: 'text', text: long }], type: 'tool_result', tool_use_id: 't' }]))
    expectSame(user([{ type: 'x', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: long }] } }]))
    expectSame(user(long), user([]), user([], `,"toolUseResult":{"stdout":${JSON.stringify(long)}}`))
    expectSame(user([{ content: long, type: 'tool_result', tool_use_id: 't' }]).replace('"user"', '"unheard-of"'))
    expectSame(user([{ content: long, type: 'tool_result', tool_use_id: 't' }]).replaceAll('":', '" : '))
    expectSame(
      user([{ content: long, type: 'tool_result', tool_use_id: 't' }]).replace('"tool_use_id"', '"tool_\\u0075se_id"'),
    )
  })

  it('leaves out the structured copy, but not what tells of agents and tasks', () => {
    const long = words(2000)
    const structured = { stdout: long, interrupted: true, nested: [{ lines: [long] }], taskId: 'b12' }
    expect(textOf(result('ok', { toolUseResult: structured })).length).toBeLessThan(600)
    expectSame(result('ok', { toolUseResult: structured }), result('ok', { toolUseResult: long }))
    expectSame(
      result('ok', { toolUseResult: { agentId: 'a1', prompt: long, content: [{ type: 'text', text: long }] } }),
    )
    expectSame(result('ok', { toolUseResult: { status: 'async_launched', task: { task_id: 'x', text: long } } }))
  })

  it('leaves out signatures of answers and output so far', () => {
    const long = words(3000)
    const message = (content: object[]) => ({
      id: 'msg_1',
      role: 'assistant',
      model: 'm',
      content,
      usage: { input_tokens: 3 },
    })
    const answer = (content: object[]) =>
      JSON.stringify({ ...envelope, type: 'assistant', uuid: uuid(3), message: message(content) })
    const thinking = { type: 'thinking', thinking: 'hm', signature: long }
    expect(textOf(answer([thinking])).length).toBeLessThan(500)
    expectSame(answer([thinking]), answer([{ type: 'odd', signature: long, text: long }]))
    expectSame(answer([{ type: 'tool_use', id: 't', name: 'Sign', input: { signature: long } }]))
    expectSame(answer([thinking]).replace('"assistant"', '"user"'))
    const data = { type: 'bash_progress', output: long, fullOutput: long }
    const progress = JSON.stringify({ ...envelope, type: 'progress', uuid: uuid(4), data, toolUseID: 'x' })
    expect(textOf(progress).length).toBeLessThan(500)
    expectSame(progress, progress.replace('"isSidechain":false', '"isSidechain":true'))
    expectSame(progress.replace('"progress"', '"attachment"'), progress.replace('"progress"', '"hm"'))
  })

  it('takes what is broken for what it is', () => {
    const long = words(12_000)
    const lines = [result(long, { toolUseResult: { stdout: long } }), result(long)]
    for (const line of lines) {
      for (const [from, to] of [
        ['two', 't\two'],
        ['two', 't\\xwo'],
        ['two', 't\\u00zzwo'],
        ['two', 't\0wo'],
        ['}', ']'],
        [',', ',,'],
      ] as const) {
        const at = line.lastIndexOf(from, line.length - 9000)
        expectSame(`${line.slice(0, at)}${to}${line.slice(at + from.length)}`)
      }
      for (const bad of [0xff, 0xc0, 0xe2, 0xf5, 0xed]) {
        const bytes = Buffer.from(line)
        bytes[Math.floor(bytes.length / 2)] = bad
        expectSame(bytes)
        bytes[bytes.length - 5] = bad
        expectSame(bytes)
      }
      for (let cut = 1; cut < 40; cut++) expectSame(line.slice(0, -cut), line.slice(0, cut * 7))
    }
  })

  it('reads texts of any alphabet', () => {
    const letters = ['é', 'я', '語', '\ufffd', '\u2028', '\ud83d', '😀', '\x7f', '\u0080', 'ÿ', 'Ā']
    for (const letter of letters) expectSame(result(`${letter} `.repeat(30)), result(`a ${letter}b `.repeat(3000)))
  })
})
