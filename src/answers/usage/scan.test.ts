import { rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lines, TestHome } from '../../../test/home.ts'
import { capture } from '../../archive/capture/capture.ts'
import { Archive } from '../../archive/store/archive.ts'
import type { MessageUsage } from '../../model/usage.ts'
import { readEvents } from '../../session/load.ts'
import { UsageMerge } from '../../usage/message.ts'
import { type UsageExtras, usageStatement, visibleTokens } from '../../usage/statement.ts'
import type { Clew } from '../clew.ts'
import { openClew } from '../open.ts'
import { discoverRoots } from '../sessions/find.ts'
import { type ScanOptions, scanUsage } from './scan.ts'

const session = '5e551013-0000-4000-8000-000000000001'

function answer(id: string, more: object = {}, output = 10) {
  return {
    parentUuid: null,
    isSidechain: false,
    sessionId: session,
    version: '2.1.45',
    type: 'assistant',
    message: {
      id,
      role: 'assistant',
      model: 'claude-opus-4-6',
      content: [
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: `t-${id}`, name: 'Read', input: { file_path: '/a' } },
      ],
      stop_reason: null,
      usage: { input_tokens: 5, output_tokens: output, cache_read_input_tokens: 100 },
    },
    requestId: `req-${id}`,
    uuid: `u-${id}`,
    timestamp: '2026-03-03T09:00:10.115Z',
    ...more,
  }
}

function openedOn(root: string, home: string): Promise<Clew> {
  return openClew({ roots: [root], home, index: false })
}

/** Every event of every log, decoded. */
async function reference(clew: Clew, extras: UsageExtras): Promise<MessageUsage[]> {
  const { discoveries } = await discoverRoots(clew)
  const logs = discoveries.flatMap(({ sessions, strays, histories }) => [
    ...sessions.flatMap(one => one.logs.map(log => ({ log, session: one.id as string }))),
    ...[...strays, ...histories].map(log => ({ log, session: '' })),
  ])
  const merge = new UsageMerge()
  for (const [place, { log, session: owner }] of logs.entries()) {
    const { nameSession } = log
    const file = { place, isAgentFile: log.role === 'agent', ...(nameSession !== undefined && { nameSession }) }
    for await (const event of readEvents(clew.source, log, owner === '' ? {} : { session: owner })) {
      const occurrence = usageStatement(event, file, extras)
      if (occurrence !== null) merge.add(occurrence)
    }
  }
  return merge.messages(logs.map(({ log, session: owner }) => ({ path: log.path, number: 1, session: owner })))
}

/** Without the number of the file, which readers are free to choose. */
function inOrder(messages: readonly MessageUsage[]): object[] {
  return messages
    .map(({ session: owner, thread, at, offset, model, inputTokens, outputTokens, cacheReadTokens, ...more }) => {
      const { cacheCreationTokens, cacheCreation1hTokens, webSearches, isFast, isUs, isFinal, statedNanos } = more
      const { isSynthetic, isError, visibleTokens: visible, tools = [] } = more
      const counts = { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cacheCreation1hTokens }
      const facts = { isFast, isUs, isFinal, isSynthetic, isError, statedNanos, visible, tools, webSearches }
      return { owner, thread, at, offset, model, ...counts, ...facts }
    })
    .map(message => ({ message, text: JSON.stringify(message) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ message }) => message)
}

const tokensOnly: ScanOptions = { withTools: false, withEstimate: false }
const everything: ScanOptions = { withTools: true, withEstimate: true }

async function expectSame(root: string, home: string): Promise<number> {
  const clew = await openedOn(root, home)
  const plain = await scanUsage(clew, tokensOnly)
  expect(inOrder(plain.messages)).toEqual(inOrder(await reference(clew, {})))
  const shown = await scanUsage(clew, everything)
  expect(inOrder(shown.messages)).toEqual(inOrder(await reference(clew, { withTools: true, visibleTokens })))
  return plain.messages.length
}

describe('usage without an index', () => {
  let folder: TestHome
  let home: string
  beforeEach(async () => {
    folder = new TestHome()
    home = folder.at('clew')
  })
  afterEach(() => folder.remove())

  it('is what decoding every event of the sample history comes to', async () => {
    expect(await expectSame(resolve('samples/home'), home)).toBeGreaterThan(50)
  })

  it('counts a message once over sessions, agent files, copies and strays', async () => {
    const other = '5e551013-0000-4000-8000-000000000002'
    const project = 'claude/projects/-p'
    folder.write(`${project}/${session}.jsonl`, lines(answer('a'), answer('a', { uuid: 'u2' }, 70), answer('b')))
    folder.write(`${project}/${other}.jsonl`, lines(answer('a'), answer('c', { sessionId: other })))
    folder.write(
      `${project}/${session}/subagents/agent-x1.jsonl`,
      lines(answer('d', { isSidechain: true }), answer('b')),
    )
    folder.write(`${project}/agent-x2.jsonl`, lines(answer('e', { sessionId: undefined })))
    const { messages, files, findings } = await scanUsage(await openedOn(folder.at('claude'), home), tokensOnly)
    expect(findings).toEqual([])
    expect(files).toHaveLength(4)
    expect(messages.map(({ session: owner, thread, outputTokens }) => [owner, thread, outputTokens]).sort()).toEqual([
      ['', 'x2', 10],
      [session, session, 10],
      [session, session, 70],
      [session, 'x1', 10],
      [other, other, 10],
    ])
    await expectSame(folder.at('claude'), home)
  })

  it('decodes a file whole where a line depends on others, and only then', async () => {
    const versions = [answer('a', { version: '2.1.97' }), answer('b', { version: undefined })]
    const sides = [answer('c', { isSidechain: true, uuid: 's1' }), answer('d', { isSidechain: true, parentUuid: 's1' })]
    folder.write(`claude/projects/-p/${session}.jsonl`, lines(...versions, ...sides))
    const { messages } = await scanUsage(await openedOn(folder.at('claude'), home), tokensOnly)
    expect(messages.map(({ isFinal, thread }) => [isFinal, thread]).sort()).toEqual([
      [false, 's1'],
      [false, 's1'],
      [true, session],
      [true, session],
    ])
  })

  it('counts archived files that are gone, and earlier contents of files', async () => {
    const project = 'claude/projects/-p'
    const gone = '5e551013-0000-4000-8000-000000000003'
    const archive = new Archive(join(home, 'archive'))
    folder.write(`${project}/${session}.jsonl`, lines(answer('a'), answer('b')))
    const other = folder.write(`${project}/${gone}.jsonl`, lines(answer('c', { sessionId: gone })))
    await capture(archive, { roots: [folder.at('claude')] })
    folder.write(`${project}/${session}.jsonl`, lines(answer('z'), answer('b', {}, 20)))
    rmSync(other)
    const clew = await openedOn(folder.at('claude'), home)
    const { messages } = await scanUsage(clew, tokensOnly)
    expect(messages.map(({ session: owner, outputTokens }) => [owner, outputTokens]).sort()).toEqual([
      [session, 10],
      [session, 10],
      [session, 20],
      [gone, 10],
    ])
  })

  it('reads a file once that has several names', async () => {
    const log = folder.write(`claude/projects/-p/${session}.jsonl`, lines(answer('a')))
    symlinkSync(log, folder.at(`claude/projects/-p/5e551013-0000-4000-8000-000000000009.jsonl`))
    const { files } = await scanUsage(await openedOn(folder.at('claude'), home), tokensOnly)
    expect(files).toHaveLength(1)
  })

  it('says what could not be read and counts the rest', async () => {
    folder.write(`claude/projects/-p/${session}.jsonl`, lines(answer('a')))
    const lost = folder.write('claude/projects/-p/lost.jsonl', lines(answer('b', { sessionId: 'lost' })))
    const clew = await openedOn(folder.at('claude'), home)
    const { source } = clew
    const openSync = source.openSync?.bind(source)
    // It is there when files are looked for, and gone when they are read.
    let looks = 0
    const failing: Clew = {
      ...clew,
      source: {
        ...source,
        openSync(generation) {
          if (generation.endsWith(lost) && looks++ === 0) rmSync(lost)
          if (openSync === undefined) throw new Error('no reader')
          return openSync(generation)
        },
      },
    }
    const { messages, findings } = await scanUsage(failing, tokensOnly)
    expect(messages).toHaveLength(1)
    expect(findings).toMatchObject([{ code: 'unreadable-file', file: lost }])
  })
})
