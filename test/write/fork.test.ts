// A fork resumes as its origin does, up to the event that is named; a trimmed one with notes for outputs. Nothing of the origin
// changes.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run as fork } from '../../src/cli/commands/fork.ts'
import { run as trim } from '../../src/cli/commands/trim.ts'
import { buildContext } from '../../src/graph/context/context.ts'
import type { NewSession } from '../../src/schema/contract-shapes.ts'
import { lint } from '../../src/schema/schema.ts'
import { capture } from '../cli/capture.ts'
import { withFolder } from '../home.ts'
import { copyOfSamples, idOf, load, Sketch, sentBy, sessionName, sessionsIn } from './sketch.ts'

type Options = Record<string, unknown>

async function forked(home: string, session: string, options: Options = {}, run = fork): Promise<NewSession> {
  const { stdout, code } = await capture(run, {
    root: [home],
    args: [session],
    options: { force: true, ...options },
    json: true,
  })
  expect(code).toBe(0)
  const report = JSON.parse(stdout) as NewSession
  expect(lint('new-session', report)).toEqual([])
  return report
}

async function named(home: string, id: string) {
  const found = (await sessionsIn(home)).find(session => session.id === id)
  if (found === undefined) throw new Error(`no session ${id}`)
  return found
}

const talk = () =>
  new Sketch()
    .prompt('p1')
    .call('c1')
    .result('r1', 'c1', 'x'.repeat(8000))
    .answer('a1')
    .prompt('p2')
    .answer('a2')
    .side({ type: 'custom-title', customTitle: 'Cart' })
    .side({ type: 'last-prompt', lastPrompt: 'prompt p2', leafUuid: idOf('a2') })

/** The same, where the API counted the large output. */
function countedTalk(): Sketch {
  const sketch = talk()
  for (const { message } of sketch.records as { message?: { id?: string; usage: Record<string, number> } }[])
    if (message?.id === 'msg_a1' || message?.id === 'msg_a2') message.usage['input_tokens'] = 2015
  return sketch
}

describe('clew fork', () => {
  it('makes of every sample that resumes a session that resumes the same', () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      let count = 0
      for (const files of await sessionsIn(home)) {
        const graph = await load(files)
        if (!buildContext(graph).resumable || graph.events[0]?.dialect !== 'client') continue
        const { session } = await forked(home, files.id)
        expect([files.id, sentBy(await load(await named(home, session)))]).toEqual([
          files.id,
          JSON.parse(
            JSON.stringify(sentBy(graph)).replaceAll(`/${files.id}/tool-results/`, `/${session}/tool-results/`),
          ),
        ])
        count++
      }
      expect(count).toBeGreaterThanOrEqual(15)
    }))

  it('ends with its newest record, as older versions of Claude Code need it', () =>
    withFolder(async home => {
      const at = '2026-03-01T09:00:00.000Z'
      new Sketch().prompt('p1').answer('a1').write(home)
      const log = (await named(home, sessionName)).logs[0]?.path ?? ''
      writeFileSync(log, readFileSync(log, 'utf8').replace(/"timestamp":"[^"]*"/g, `"timestamp":"${at}"`))
      const { files } = await forked(home, sessionName)
      const records = readFileSync(files[0] ?? '', 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { type: string; timestamp: string })
      const said = records.filter(({ type }) => type === 'user' || type === 'assistant')
      expect(said.map(({ timestamp }) => timestamp)).toEqual([at, '2026-03-01T09:00:00.001Z'])
    }))

  it('ends at the event that is named, and says which calls are open', () =>
    withFolder(async home => {
      talk().write(home)
      const report = await forked(home, sessionName, { at: idOf('c1') })
      expect(report).toMatchObject({
        origin: sessionName,
        leaf: idOf('c1'),
        records: 2,
        openCalls: 1,
        title: 'Cart (fork)',
      })
      const graph = await load(await named(home, report.session))
      expect(graph.events.filter(({ kind }) => kind === 'answer' || kind === 'prompt')).toHaveLength(2)
      const whole = await forked(home, sessionName, { title: 'Other' })
      expect(whole).toMatchObject({ records: 6, openCalls: 0, title: 'Other' })
    }))

  it('names no id of the origin but as what was copied', () =>
    withFolder(async home => {
      const path = talk().write(home)
      const before = readFileSync(path, 'utf8')
      const { files } = await forked(home, sessionName)
      const records = readFileSync(files[0] as string, 'utf8')
        .trimEnd()
        .split('\n')
      for (const line of records) {
        const { forkedFrom, ...rest } = JSON.parse(line)
        expect(JSON.stringify(rest)).not.toContain(sessionName)
        expect(JSON.stringify(rest)).not.toContain('00000000-0000-4000-8000-')
        if (rest.type === 'user' || rest.type === 'assistant')
          expect(forkedFrom).toEqual({ sessionId: sessionName, messageUuid: expect.stringContaining('00000000-') })
      }
      expect(readFileSync(path, 'utf8')).toBe(before)
      expect(statSync(files[0] as string).mode & 0o777).toBe(0o600)
    }))

  it('writes nothing with --dry-run, and where the event is not there', () =>
    withFolder(async home => {
      const path = talk().write(home)
      await forked(home, sessionName, { dryRun: true })
      const absent = capture(fork, { root: [home], args: [sessionName], options: { at: idOf('zz') } })
      await expect(absent).rejects.toThrow(`no event "${idOf('zz')}"`)
      expect(readdirSync(join(path, '..'))).toEqual([`${sessionName}.jsonl`])
    }))

  it('refuses a session with a record of the last minute, and one that a process has open', { tags: 'linux' }, () =>
    withFolder(async home => {
      const path = talk().write(home)
      const { openSync, closeSync } = await import('node:fs')
      const { spawn } = await import('node:child_process')
      const reader = spawn('tail', ['-f', path], { stdio: ['ignore', 'pipe', 'ignore'] })
      await new Promise(done => reader.stdout.once('data', done))
      const opened = capture(fork, { root: [home], args: [sessionName] })
      await expect(opened).rejects.toThrow(`process ${reader.pid} has it open`)
      reader.kill()
      await new Promise(done => reader.once('close', done))
      closeSync(openSync(path, 'r'))
      const now = { type: 'user', uuid: idOf('now'), parentUuid: idOf('a2'), sessionId: sessionName }
      const record = { ...now, timestamp: new Date().toISOString(), message: { role: 'user', content: 'now' } }
      writeFileSync(path, `${JSON.stringify(record)}\n`, { flag: 'a' })
      const recent = capture(fork, { root: [home], args: [sessionName] })
      await expect(recent).rejects.toThrow('less than a minute old. --force does it all the same.')
    }),
  )

  it('says in one sentence why there is nothing to resume', () =>
    withFolder(async home => {
      new Sketch().side({ type: 'custom-title', customTitle: 'Only a title' }).write(home)
      const asked = capture(fork, { root: [home], args: [sessionName], options: { force: true } })
      await expect(asked).rejects.toThrow(/^Claude Code finds no conversation in it: .*[^.]\.$/)
    }))

  it('refuses a session in the form of a specification', () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      let count = 0
      for (const files of await sessionsIn(home)) {
        const { events } = await load(files)
        if (
          events.some(({ dialect }) => dialect === 'client') ||
          !events.some(({ dialect }) => /^s[03]$/.test(dialect))
        )
          continue
        const asked = capture(fork, { root: [home], args: [files.id] })
        await expect(asked).rejects.toThrow('clew convert')
        count++
      }
      expect(count).toBeGreaterThan(0)
    }))

  it('can be undone with the command that it prints', { tags: 'posix' }, () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      const { execFileSync } = await import('node:child_process')
      const report = await forked(home, '33c79d8c-6d99-4d32-b36b-48f475c1e43f')
      expect(report.files.length).toBeGreaterThan(5)
      for (const file of report.files) expect([file, existsSync(file)]).toEqual([file, true])
      execFileSync('sh', ['-c', report.undo])
      for (const file of report.files) expect([file, existsSync(file)]).toEqual([file, false])
    }),
  )
})

describe('clew trim', () => {
  it('replaces the large output by a note that says how to read it', () =>
    withFolder(async home => {
      countedTalk().write(home)
      const report = await forked(home, sessionName, { budget: '500' }, trim)
      expect(report.cuts).toEqual([
        { event: idOf('r1'), call: 'toolu_c1', tool: 'Bash', tokens: 1998, characters: 8000 },
      ])
      expect(report.tokensBefore).toBeGreaterThan(2000)
      expect(report.tokensAfter).toBeLessThan(500)
      const text = JSON.stringify(sentBy(await load(await named(home, report.session))))
      expect(text).toContain(`clew show ${sessionName} --event ${idOf('r1')} --full`)
      expect(text).not.toContain('xxxxxxxx')
      expect(readFileSync(report.files[0] as string, 'utf8')).not.toContain('xxxxxxxx')
    }))

  it('cuts nothing that fits, and refuses a budget that no cut reaches', () =>
    withFolder(async home => {
      talk().write(home)
      expect((await forked(home, sessionName, { budget: '1m' }, trim)).cuts).toEqual([])
      const small = capture(trim, { root: [home], args: [sessionName], options: { budget: '10' } })
      await expect(small).rejects.toThrow('more than 10')
      const wrong = capture(trim, { root: [home], args: [sessionName], options: { budget: 'much' } })
      await expect(wrong).rejects.toThrow('Invalid --budget "much"')
    }))
})
