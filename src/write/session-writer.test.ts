import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contextOfEvents } from '../graph/context/context.ts'
import type { SessionEvent } from '../model/event.ts'
import { sessionId } from '../model/ids.ts'
import { sessionOps } from './ops.ts'
import {
  answer,
  type CreateOptions,
  createSession,
  image,
  type NewEvent,
  openSession,
  prompt,
  type SessionWriter,
  text,
  thinking,
  toolCall,
  toolResult,
} from './write.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'clew-writer-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const quick = { ...sessionOps, sync() {}, syncFolder() {} }
let count = 0

function made(options: Partial<CreateOptions> = {}): Promise<SessionWriter> {
  const home = join(root, `home-${count++}`)
  return createSession({ home, cwd: '/home/mira', clewHome: join(root, 'clew'), ops: quick, ...options })
}
const opened = (path: string) => openSession(path, { clewHome: join(root, 'clew'), ops: quick })
const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)

/** What a resume sends, as texts. */
function sentOf(writer: SessionWriter, events: readonly SessionEvent[]): string[] {
  const { messages } = contextOfEvents(sessionId(writer.session), events)
  const texts = messages.flatMap(({ blocks }) => blocks.flatMap(block => ('text' in block ? [block.text.trim()] : [])))
  // What Claude Code adds where a session ends with a prompt.
  return texts.filter(one => one !== 'No response requested.')
}

describe('a writer', () => {
  test('appends to a session of one long record', async () => {
    const writer = await made()
    await writer.append(prompt('hello '.repeat(20_000)))
    const [first = {}] = linesOf(writer.path)
    const path = join(dirname(writer.path), 'alone.jsonl')
    writeFileSync(path, `${JSON.stringify(first)}\n`)
    await (await opened(path)).append(answer('Hi'))
    expect(linesOf(path)).toHaveLength(2)
  })

  test('refuses what would be no session before a byte is written', async () => {
    const writer = await made()
    const refused = async (event: NewEvent, code: string, path?: string) =>
      expect(writer.append(event)).rejects.toMatchObject({ code, ...(path !== undefined && { path }) })
    await refused(answer('before a prompt'), 'role-order')
    expect(existsSync(writer.path)).toBe(false)
    await writer.append(prompt('hello'))
    await writer.append(answer([toolCall('toolu_1', 'Bash', {})]))
    const before = readFileSync(writer.path)
    await refused({ ...prompt('x'), parent: '11111111-1111-4111-8111-111111111111' }, 'unknown-parent', 'parent')
    await refused(prompt('while a call waits'), 'role-order')
    await refused(toolResult('toolu_2', 'x'), 'no-call', 'blocks[0]')
    await refused(answer([toolCall('toolu_1', 'Bash', {})]), 'bad-input')
    await refused(
      answer([toolCall('toolu_3', 'Bash', { size: [1, Number.NaN] })]),
      'not-json',
      'blocks[0].input.size[1]',
    )
    await refused(answer([toolCall('toolu_3', 'Bash', { at: new Date(0) } as never)]), 'not-json', 'blocks[0].input.at')
    await refused(answer('half \ud800 of a pair'), 'lone-surrogate', 'blocks[0].text')
    await refused(prompt([thinking('a person thinks')]), 'role-order')
    await refused(prompt([image('image/png', '')]), 'bad-input', 'blocks[0].data')
    await refused(toolResult('toolu_1', 'x'.repeat(64 * 1024 * 1024)), 'too-large')
    expect(readFileSync(writer.path)).toEqual(before)
    // What was refused left nothing behind.
    await writer.append(toolResult('toolu_1', 'done'))
    await refused(toolResult('toolu_1', 'again'), 'no-call')
    await writer.close()
    await expect(writer.append(prompt('late'))).rejects.toMatchObject({ code: 'closed' })
  })

  test('writes all events of one append, or none', async () => {
    const writer = await made()
    const both = [prompt('one'), answer('two'), toolResult('toolu_9', 'three')]
    await expect(writer.appendAll(both)).rejects.toMatchObject({ code: 'no-call' })
    expect(existsSync(writer.path)).toBe(false)
    const [first, second] = await writer.appendAll([prompt('one'), answer('two')])
    await writer.close()
    expect(linesOf(writer.path).slice(0, 2)).toMatchObject([
      { uuid: first?.id, parentUuid: null },
      { uuid: second?.id, parentUuid: first?.id },
    ])
  })

  test('keeps the order of appends that no one waited for, and times that never go back', async () => {
    const writer = await made()
    const said = Array.from({ length: 50 }, (_, at) => `text ${at}`)
    await Promise.all(said.map(one => writer.append(prompt(one))))
    await writer.close()
    const lines = linesOf(writer.path).filter(({ type }) => type === 'user')
    expect(lines.map(({ message }) => (message as { content: string }).content)).toEqual(said)
    const times = lines.map(({ timestamp }) => String(timestamp))
    expect([...times].sort()).toEqual(times)
  })

  test('leaves no file and refuses one that is there', async () => {
    const writer = await made()
    await writer.close()
    expect(existsSync(writer.path)).toBe(false)
    const session = '11111111-1111-4111-8111-111111111111'
    const folder = join(root, 'there')
    const one = await made({ folder, session })
    const other = await made({ folder, session })
    await one.append(prompt('hello'))
    await expect(other.append(prompt('hello'))).rejects.toMatchObject({ code: 'exists' })
    await expect(made({ folder, session })).rejects.toMatchObject({ code: 'exists' })
    await expect(made({ cwd: 'relative' })).rejects.toMatchObject({ code: 'bad-input' })
    await expect(made({ session: 'mine' })).rejects.toMatchObject({ code: 'bad-input' })
    await one.close()
  })

  test('finds calls and parents that are before the part that it read', async () => {
    const writer = await made()
    const first = await writer.append(prompt('hello'))
    await writer.append(answer([toolCall('toolu_1', 'Bash', {})]))
    for (let n = 0; n < 6; n++) await writer.append({ kind: 'notice', blocks: [text('x'.repeat(60_000))] })
    await writer.close()
    const again = await opened(writer.path)
    const { id } = await again.append(toolResult('toolu_1', 'late'))
    const branch = await again.append({ ...prompt('another'), parent: first.id })
    await expect(again.append({ ...prompt('twice'), id: first.id ?? '', parent: null })).rejects.toMatchObject({
      code: 'bad-input',
    })
    await again.close()
    const lines = linesOf(writer.path)
    const call = lines.find(({ type }) => type === 'assistant')
    expect(lines.find(({ uuid }) => uuid === id)).toMatchObject({ parentUuid: call?.['uuid'] })
    expect(lines.find(({ uuid }) => uuid === branch.id)).toMatchObject({ parentUuid: first.id })
  })

  test('reads the ends of a long session only', { tags: 'linux' }, async () => {
    const writer = await made()
    await writer.append(prompt('hello'))
    await writer.close()
    const line = readFileSync(writer.path, 'utf8').split('\n')[0] ?? ''
    const many = Array.from({ length: 60_000 }, () => line.replace(/"uuid":"[^"]*"/, `"uuid":"${crypto.randomUUID()}"`))
    writeFileSync(writer.path, `${many.join('\n')}\n`)
    const asked = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
    const before = asked()
    const again = await opened(writer.path)
    await again.append(prompt('and on'))
    expect(asked() - before).toBeLessThan(600_000)
    await again.close()
  })

  test('continues a file whose writer was killed in its first line', async () => {
    const path = join(root, '22222222-2222-4222-8222-222222222222.jsonl')
    writeFileSync(path, '{"parentUuid":null,"isSide')
    const writer = await opened(path)
    const { id } = await writer.append(prompt('again'))
    await writer.close()
    expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[1] ?? '')).toMatchObject({ uuid: id, parentUuid: null })
  })

  test('refuses what is no session', async () => {
    const path = join(root, 'notes.txt')
    writeFileSync(path, 'milk\nbread\n')
    await expect(opened(path)).rejects.toMatchObject({ code: 'bad-input' })
    await expect(opened(join(root, 'nothing.jsonl'))).rejects.toMatchObject({ code: 'not-found' })
    await expect(openSession({ home: root, session: 'nothing' })).rejects.toMatchObject({ code: 'not-found' })
  })

  test('opens a session by its id, also where the file is called after a time', async () => {
    for (const dialect of ['real', 's3'] as const) {
      const home = join(root, `named-${dialect}`)
      const writer = await made({ home, dialect })
      await writer.append(prompt('hello'))
      await writer.close()
      const again = await openSession({ home, session: writer.session }, { clewHome: join(root, 'clew') })
      expect(again.path).toBe(writer.path)
      expect(again.session).toBe(writer.session)
      await again.close()
    }
  })

  test('branches off where the caller says, and only there', async () => {
    const writer = await made()
    await writer.append(prompt('one'))
    const { id } = await writer.append(answer('first'))
    await writer.append(prompt('two'))
    expect(await writer.branchFrom(id ?? '')).toEqual([])
    const branch = await writer.append(prompt('other two'))
    const next = await writer.append(answer('second'))
    await expect(writer.branchFrom('nothing')).rejects.toMatchObject({ code: 'unknown-parent' })
    const events = await writer.events()
    expect(events.find(event => event.id === branch.id)?.parent).toBe(id)
    expect(events.find(event => event.id === next.id)?.parent).toBe(branch.id)
    expect(sentOf(writer, events)).toEqual(['one', 'first', 'other two', 'second'])
    await writer.close()
    const chained = await made({ dialect: 's2' })
    const start = await chained.append(prompt('one'))
    expect(await chained.branchFrom(start.id ?? '')).toMatchObject([
      { path: 'parent', why: expect.stringContaining('002') },
    ])
    await chained.close()
  })

  test('what it writes is newer than all before: older versions of Claude Code go on from the newest record', async () => {
    const writer = await made()
    await writer.append(prompt('hello'))
    await writer.append(answer([text('hi'), toolCall('toolu_1', 'Read', {})]))
    await writer.append(toolResult('toolu_1', 'found'))
    await writer.append(answer('done'))
    await writer.compact({ summary: 'Greetings.', keep: 1 })
    const links = (await writer.events()).filter(({ record }) => typeof record.value?.['uuid'] === 'string')
    const times = links.map(({ at }) => Date.parse(at ?? ''))
    expect(times.length).toBeGreaterThanOrEqual(7)
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other))
    expect(links.at(-1)).toMatchObject({ kind: 'notice', parent: links.at(-2)?.id })
    await writer.close()
  })

  test('compacts: a resume sends the summary and the last turns', async () => {
    const writer = await made()
    for (const n of [1, 2, 3]) {
      await writer.append(prompt(`question ${n}`))
      await writer.append(answer([toolCall(`toolu_${n}a`, 'Read', {}), toolCall(`toolu_${n}b`, 'Read', {})]))
      await writer.append(toolResult(`toolu_${n}a`, `found a${n}`))
      await writer.append(toolResult(`toolu_${n}b`, `found b${n}`))
      await writer.append(answer(`answer ${n}`))
    }
    await writer.compact({ summary: 'Three questions.', keep: 1, preTokens: 100 })
    await writer.append(prompt('question 4'))
    const events = await writer.events()
    const [summary, ...sent] = sentOf(writer, events)
    expect(summary).toMatch(/^This session is being continued .*Three questions\.$/s)
    expect(sent).toEqual(['question 3', 'answer 3', 'question 4'])
    const { messages } = contextOfEvents(sessionId(writer.session), events)
    expect(JSON.stringify(messages)).toContain('found a3')
    expect(JSON.stringify(messages)).toContain('found b3')
    expect(JSON.stringify(messages)).not.toContain('found b2')
    await expect(writer.compact({ summary: ' ' })).rejects.toMatchObject({ code: 'bad-input' })
    await writer.close()
  })

  test.each(['s0', 's3'] as const)('takes back what was said in %s, and goes on', async dialect => {
    const writer = await made({ dialect })
    await writer.append(prompt('hello'))
    await writer.append(answer('hi'))
    const secret = await writer.append(prompt('my password is croissant'))
    await writer.append(answer([toolCall('toolu_1', 'Bash', { command: 'ls' })]))
    await writer.append(toolResult('toolu_1', 'a.ts'))
    await writer.append(answer('done'))
    const before = readFileSync(writer.path)
    expect((await writer.deleteSoftly(secret.id ?? '')).losses).toEqual([])
    await writer.append(prompt('more'))
    const sent = sentOf(writer, await writer.events())
    expect(sent).not.toContain('my password is croissant')
    expect(sent.slice(0, 2)).toEqual(['hello', 'hi'])
    expect(sent.slice(-2)).toEqual(['done', 'more'])
    // A log only grows.
    expect(readFileSync(writer.path).subarray(0, before.length)).toEqual(before)
    await writer.close()
  })

  test('says where a dialect has no mark for what was taken back', async () => {
    const writer = await made()
    const { id } = await writer.append(prompt('hello'))
    const before = readFileSync(writer.path)
    expect(await writer.deleteSoftly(id ?? '')).toMatchObject({ ids: [], losses: [{ path: 'flags.deleted' }] })
    expect(readFileSync(writer.path)).toEqual(before)
    await writer.close()
  })

  test('writes a subagent into a file of its own, with what it is next to it', async () => {
    const writer = await made()
    await writer.append(prompt('hello'))
    await writer.append(answer([toolCall('toolu_1', 'Agent', { prompt: 'look' })]))
    await expect(writer.startSubagent('toolu_2', { type: 'x', description: 'x', prompt: 'x' })).rejects.toMatchObject({
      code: 'no-call',
    })
    const agent = await writer.startSubagent('toolu_1', { type: 'Explore', description: 'Look', prompt: 'look' })
    await agent.append(answer('found'))
    await agent.close()
    expect(linesOf(agent.path)).toMatchObject([
      { agentId: agent.agent, isSidechain: true, sessionId: writer.session, parentUuid: null },
      { agentId: agent.agent, isSidechain: true, parentUuid: agent.delegation?.id },
    ])
    const files = readdirSync(dirname(agent.path)).sort()
    expect(files).toEqual([basename(agent.path), `agent-${agent.agent}.meta.json`])
    const meta = JSON.parse(readFileSync(join(dirname(agent.path), files[1] ?? ''), 'utf8')) as unknown
    expect(meta).toEqual({ agentType: 'Explore', description: 'Look', toolUseId: 'toolu_1' })
    const again = await opened(agent.path)
    await again.append(prompt('go on'))
    await again.close()
    expect(linesOf(agent.path).at(-1)).toMatchObject({ agentId: agent.agent, sessionId: writer.session })
    await writer.close()
  })

  test('adds to the prompt history of its home, or says that it is in none', async () => {
    const writer = await made()
    expect(await writer.history.append({ display: '/plugin ' })).toEqual([])
    expect(await writer.history.append({ display: 'hello' })).toEqual([])
    await writer.close()
    const home = join(writer.path, '..', '..', '..')
    expect(linesOf(join(home, 'history.jsonl'))).toMatchObject([
      { display: '/plugin ', pastedContents: {}, project: '/home/mira', sessionId: writer.session },
      { display: 'hello', timestamp: expect.any(Number) },
    ])
    const alone = await made({ folder: join(root, 'alone') })
    expect(await alone.history.append({ display: 'x' })).toMatchObject([{ path: '' }])
    await alone.close()
  })

  test('syncs as its policy says', async () => {
    const synced: Record<string, number> = {}
    for (const fsync of ['none', 'turn', 'record'] as const) {
      let syncs = 0
      const ops = { ...quick, sync: () => void syncs++ }
      const writer = await made({ fsync, ops })
      await writer.append(prompt('one'))
      await writer.append(answer([toolCall('toolu_1', 'Bash', {})]))
      await writer.append(toolResult('toolu_1', 'x'))
      await writer.append(answer('done', { stopReason: 'end_turn' }))
      synced[fsync] = syncs
      await writer.close()
    }
    expect(synced).toEqual({ none: 0, turn: 2, record: 4 })
  })
})
