// The Agent SDK's own functions on sessions that Clew wrote, and Clew on what they wrote: on files, and through Clew's store.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { mainLogs } from '../../src/model/source.ts'
import { clewStore, type SessionStore } from '../../src/write/store/store.ts'
import {
  answer,
  createSession,
  openSession,
  prompt,
  tag,
  text,
  title,
  toolCall,
  toolResult,
} from '../../src/write/write.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'
import { clientHomes, sample } from '../needs.ts'
import { quickOps } from './fault-ops.ts'
import { loadSdk, type Sdk, type SdkMessage, saidBy } from './sdk.ts'
import { copyOfSamples, load, sentBy, sessionsIn } from './sketch.ts'

let sdk: Sdk
const configured = process.env['CLAUDE_CONFIG_DIR']

/** A folder of a test: a Claude home, which the SDK takes for the usual one, Clew's own, and a directory to work in. */
interface Setting {
  home: string
  clewHome: string
  cwd: string
}

async function withHome(work: (setting: Setting) => Promise<void>, fill?: (folder: string) => string): Promise<void> {
  await withFolder(async folder => {
    const setting = { home: join(folder, 'home'), clewHome: join(folder, 'clew'), cwd: join(folder, 'bakery') }
    fill?.(folder)
    mkdirSync(setting.cwd)
    process.env['CLAUDE_CONFIG_DIR'] = setting.home
    await work(setting)
  })
}

/** A session of two turns with a subagent; answers its id. */
async function writeSession({ home, clewHome, cwd }: Setting): Promise<string> {
  const writer = await createSession({ home, clewHome, cwd, gitBranch: 'main', ops: quickOps })
  await writer.append(prompt('Three rolls show as 1.0499999999999998.'))
  const message = { model: 'claude-opus-5', stopReason: 'tool_use' }
  await writer.append(answer([text('I ask.'), toolCall('toolu_1', 'Task', { prompt: 'Where?' })], message))
  const agent = await writer.startSubagent('toolu_1', { type: 'Explore', description: 'Find it', prompt: 'Where?' })
  await agent.append(answer('In cart.ts, as floats.', { model: 'claude-opus-5', stopReason: 'end_turn' }))
  await agent.close()
  await writer.append(toolResult('toolu_1', 'In cart.ts, as floats.'))
  await writer.append(answer('I count cents now.', { model: 'claude-opus-5', stopReason: 'end_turn' }))
  await writer.append(prompt('And the receipt?'))
  await writer.append(answer('It sums cents too.', { model: 'claude-opus-5', stopReason: 'end_turn' }))
  await writer.append(title('Rounding in the cart'))
  await writer.append(tag('bakery'))
  await writer.close()
  return writer.session
}

/** What a command prints as JSON. */
async function clew({ home, clewHome }: Setting, ...args: string[]): Promise<string> {
  const { stdout, code } = await clewHere([...args, '--json', '--root', home, '--home', clewHome])
  expect([args, code]).toEqual([args, 0])
  return stdout
}

async function rowsOf(setting: Setting): Promise<{ id: string; title: string; tag?: string; onDisk: boolean }[]> {
  return JSON.parse(await clew(setting, 'ls')).sessions
}

const texts = (messages: readonly SdkMessage[]) => messages.map(message => saidBy(message)).filter(said => said !== '')

const spoken = [
  'Three rolls show as 1.0499999999999998.',
  'I ask.',
  'I count cents now.',
  'And the receipt?',
  'It sums cents too.',
]

describe('the Agent SDK', { tags: 'sdk' }, () => {
  beforeAll(async () => {
    sdk = await loadSdk()
  })
  afterEach(() => {
    process.env['CLAUDE_CONFIG_DIR'] = configured
  })

  describe('on what Clew wrote', () => {
    it('lists a session of the writer, with its title, tag, prompt, branch and directory', () =>
      withHome(async setting => {
        const session = await writeSession(setting)
        const [row, ...others] = await sdk.listSessions()
        expect(others).toEqual([])
        expect(row).toMatchObject({
          sessionId: session,
          summary: 'Rounding in the cart',
          customTitle: 'Rounding in the cart',
          tag: 'bakery',
          firstPrompt: spoken[0],
          gitBranch: 'main',
          cwd: setting.cwd,
        })
        expect(await sdk.listSessions({ dir: setting.cwd })).toEqual([row])
      }))

    it('reads its messages and its subagent', () =>
      withHome(async setting => {
        const session = await writeSession(setting)
        const messages = await sdk.getSessionMessages(session)
        expect(texts(messages)).toEqual(spoken)
        const [agent = ''] = await sdk.listSubagents(session)
        const own = await sdk.getSubagentMessages(session, agent)
        expect(texts(own)).toEqual(['Where?', 'In cart.ts, as floats.'])
        expect(own[0]?.parent_tool_use_id).toBe('toolu_1')
      }))

    it('reads behind a compaction what Clew would send: the summary and the turn that is kept', () =>
      withHome(async setting => {
        const session = await writeSession(setting)
        const writer = await openSession({ home: setting.home, session }, { clewHome: setting.clewHome, ops: quickOps })
        await writer.compact({ summary: 'Prices are counted in cents.', keep: 1 })
        await writer.append(prompt('And the invoice?'))
        await writer.close()
        const messages = texts(await sdk.getSessionMessages(session))
        expect(messages[0]).toContain('Prices are counted in cents.')
        expect(messages.slice(1)).toEqual([...spoken.slice(3), 'And the invoice?'])
        const { sessionId } = await sdk.forkSession(session)
        expect(texts(await sdk.getSessionMessages(sessionId))).toEqual(messages)
        await expectClean(setting, sessionId)
      }))

    it('reads of a fork of Clew what it reads of the origin, for every sample that Claude Code wrote', () =>
      withHome(async setting => {
        let count = 0
        for (const files of await sessionsIn(setting.home)) {
          const graph = await load(files)
          const before = texts(await sdk.getSessionMessages(files.id))
          // The SDK reads one file, and only what Claude Code resumes.
          if (mainLogs(files).length !== 1 || graph.events[0]?.dialect !== 'client' || before.length === 0) continue
          const done = await clewHere([
            'fork',
            files.id,
            '--force',
            '--json',
            '--root',
            setting.home,
            '--home',
            setting.clewHome,
          ])
          expect([files.id, done.code]).toEqual([files.id, 0])
          const { session } = JSON.parse(done.stdout) as { session: string }
          expect([files.id, texts(await sdk.getSessionMessages(session))]).toEqual([files.id, before])
          expect((await sdk.getSessionInfo(session))?.sessionId).toBe(session)
          count++
        }
        expect(count).toBeGreaterThanOrEqual(12)
      }, copyOfSamples))
  })

  describe('writes what Clew reads', () => {
    it('a title and a tag', () =>
      withHome(async setting => {
        const session = await writeSession(setting)
        await sdk.renameSession(session, 'Cents in the cart')
        await sdk.tagSession(session, 'shop')
        const [row] = await rowsOf(setting)
        expect(row).toMatchObject({ id: session, title: 'Cents in the cart', tag: 'shop' })
        expect(await sdk.getSessionInfo(session)).toMatchObject({ summary: 'Cents in the cart', tag: 'shop' })
        const events = (await clew(setting, 'events', session)).split('\n').filter(line => line !== '')
        const types = events.map(line => JSON.parse(line).wireType)
        expect([types.lastIndexOf('custom-title') > types.lastIndexOf('last-prompt'), types.includes('tag')]).toEqual([
          true,
          true,
        ])
        expect(JSON.parse(await clew(setting, 'search', 'cents', 'kind:title')).hits[0]).toMatchObject({ session })
        await expectClean(setting, session)
      }))

    it('a fork of the whole session, and one up to a message', () =>
      withHome(async setting => {
        const session = await writeSession(setting)
        const messages = await sdk.getSessionMessages(session)
        const whole = await sdk.forkSession(session, { title: 'Another way' })
        const part = await sdk.forkSession(session, {
          upToMessageId: messages.find(one => saidBy(one) === spoken[2])?.uuid ?? '',
        })
        const rows = await rowsOf(setting)
        expect(rows.map(({ id }) => id).sort()).toEqual([session, whole.sessionId, part.sessionId].sort())
        expect(rows.find(({ id }) => id === whole.sessionId)).toMatchObject({ title: 'Another way' })
        const sent = async (id: string) => {
          const files = (await sessionsIn(setting.home)).find(one => one.id === id)
          return files === undefined ? [] : sentBy(await load(files))
        }
        expect(await sent(whole.sessionId)).toEqual(await sent(session))
        expect(await sent(part.sessionId)).toEqual((await sent(session)).slice(0, 4))
        for (const { sessionId } of [whole, part]) await expectClean(setting, sessionId)
        expect(JSON.parse(await clew(setting, 'search', 'another', 'kind:title')).hits[0].session).toBe(whole.sessionId)
        // What a fork copied is one hit, in the session that it comes from.
        expect(JSON.parse(await clew(setting, 'search', 'receipt', 'kind:prompt')).hits).toMatchObject([
          { session, copies: 1 },
        ])
        expect(JSON.parse(await clew(setting, 'show', whole.sessionId))).toMatchObject({ id: whole.sessionId })
      }))
  })

  describe("through Clew's store", () => {
    let store: SessionStore
    let setting: Setting
    const inStore = (work: () => Promise<void>) => () =>
      withHome(async given => {
        setting = given
        const { home, clewHome } = given
        store = clewStore({ home, clewHome, ops: quickOps, foldSessionSummary: sdk.foldSessionSummary })
        await work()
      })

    it(
      'lists, reads, forks, renames, tags and deletes',
      inStore(async () => {
        const place = { sessionStore: store, dir: setting.cwd }
        const session = await writeSession(setting)
        expect(texts(await sdk.getSessionMessages(session, place))).toEqual(spoken)
        const [agent = ''] = await sdk.listSubagents(session, place)
        const own = await sdk.getSubagentMessages(session, agent, place)
        expect([texts(own), own[0]?.parent_tool_use_id]).toEqual([['Where?', 'In cart.ts, as floats.'], 'toolu_1'])
        const { sessionId } = await sdk.forkSession(session, place)
        await sdk.renameSession(sessionId, 'Forked through the store', place)
        await sdk.tagSession(sessionId, 'shop', place)
        const rows = await sdk.listSessions(place)
        expect(rows.map(row => row.sessionId).sort()).toEqual([session, sessionId].sort())
        expect(rows.find(row => row.sessionId === sessionId)).toMatchObject({
          customTitle: 'Forked through the store',
          tag: 'shop',
        })
        expect((await rowsOf(setting)).map(({ title: name }) => name)).toContain('Forked through the store')
        await sdk.deleteSession(session, place)
        expect((await sdk.listSessions(place)).map(row => row.sessionId)).toEqual([sessionId])
        expect((await rowsOf(setting)).find(({ id }) => id === session)).toMatchObject({ onDisk: false })
      }),
    )

    it(
      'lists the same with summaries as without',
      inStore(async () => {
        await writeSession(setting)
        await writeSession(setting)
        const plain = clewStore({ home: setting.home, clewHome: setting.clewHome, ops: quickOps })
        const rows = await sdk.listSessions({ sessionStore: store, dir: setting.cwd })
        expect(rows).toHaveLength(2)
        const shown = (all: typeof rows) =>
          all.map(({ sessionId, summary, customTitle, tag: label }) => ({ sessionId, summary, customTitle, label }))
        expect(shown(await sdk.listSessions({ sessionStore: plain, dir: setting.cwd }))).toEqual(shown(rows))
      }),
    )

    it(
      'takes in what versions of Claude Code wrote, so that it resumes as before',
      { tags: 'corpus', timeout: 300_000 },
      inStore(async () => {
        let count = 0
        for (const [at, origin] of sample(clientHomes, 6).entries()) {
          process.env['CLAUDE_CONFIG_DIR'] = origin
          const home = join(setting.clewHome, '..', `taken-${at}`)
          const other = clewStore({ home, clewHome: setting.clewHome, ops: quickOps })
          const before = new Map((await sessionsIn(origin)).map(files => [files.id, files]))
          for (const { sessionId } of await sdk.listSessions())
            await sdk.importSessionToStore(sessionId, other, { includeSubagents: true })
          for (const files of await sessionsIn(home)) {
            const known = before.get(files.id)
            if (known === undefined || mainLogs(known).length !== 1) continue
            expect([files.id, sentBy(await load(files))]).toEqual([files.id, sentBy(await load(known))])
            count++
          }
        }
        expect(count).toBeGreaterThan(10)
      }),
    )

    it(
      'takes a session in, with its subagents, as it is on disk',
      inStore(async () => {
        const session = await writeSession(setting)
        const home = join(setting.clewHome, '..', 'other')
        const other = clewStore({ home, clewHome: setting.clewHome, ops: quickOps })
        for (let times = 0; times < 2; times++)
          await sdk.importSessionToStore(session, other, { includeSubagents: true, batchSize: 3 })
        const [there, here] = await Promise.all([sessionsIn(home), sessionsIn(setting.home)])
        const [copy, origin] = [there[0], here[0]]
        if (copy === undefined || origin === undefined) throw new Error('no session')
        expect(sentBy(await load(copy))).toEqual(sentBy(await load(origin)))
        expect(copy.logs.map(({ role }) => role)).toEqual(origin.logs.map(({ role }) => role))
        const metas = (await load(copy)).threads.map(({ kind }) => kind)
        expect(metas).toEqual((await load(origin)).threads.map(({ kind }) => kind))
      }),
    )
  })
})

/** No finding that is worse than a remark. */
async function expectClean(setting: Setting, session: string): Promise<void> {
  const { stdout } = await clewHere(['check', session, '--json', '--root', setting.home, '--home', setting.clewHome])
  const found = JSON.parse(stdout) as { findings?: { severity: string; code: string }[] }
  expect((found.findings ?? []).filter(({ severity }) => severity !== 'info')).toEqual([])
}
