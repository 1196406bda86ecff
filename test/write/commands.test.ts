// Commands that change a session: what they append, what a resume sends then, what undoes it, and what they refuse.

import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run as compact } from '../../src/cli/commands/compact.ts'
import { run as repair } from '../../src/cli/commands/repair.ts'
import { run as tag } from '../../src/cli/commands/tag.ts'
import { run as title } from '../../src/cli/commands/title.ts'
import { buildContext } from '../../src/graph/context/context.ts'
import type { ChangedSession, RepairReport } from '../../src/schema/contract-shapes.ts'
import { lint } from '../../src/schema/schema.ts'
import { graphSummary } from '../../src/session/summary.ts'
import { capture } from '../cli/capture.ts'
import { clewHere } from '../cli/run.ts'
import { withFolder } from '../home.ts'
import { idOf, load, Sketch, sentBy, sessionName, sessionsIn } from './sketch.ts'

type Command = typeof title

const talk = () =>
  new Sketch()
    .prompt('p1')
    .call('c1')
    .result('r1', 'c1')
    .answer('a1')
    .prompt('p2')
    .answer('a2')
    .prompt('p3')
    .answer('a3')

let path: string
let home: string
const undone: string[] = []

async function changed(run: Command, args: string[], options: Record<string, unknown> = {}): Promise<ChangedSession> {
  const { stdout, code } = await capture(run, { root: [home], args: [sessionName, ...args], options, json: true })
  expect(code).toBe(0)
  const report = JSON.parse(stdout) as ChangedSession
  expect(lint('changed-session', report)).toEqual([])
  undone.push(report.undo)
  return report
}

async function graph() {
  const [files] = await sessionsIn(home)
  if (files === undefined) throw new Error('no session')
  return load(files)
}

describe('commands that append to a session', () => {
  let clean: () => void = () => {}
  beforeEach(async () => {
    await new Promise<void>(ready => {
      void withFolder(async folder => {
        home = folder
        path = talk().write(home)
        const end = new Promise<void>(done => (clean = done))
        ready()
        await end
      })
    })
  })
  afterEach(() => {
    undone.length = 0
    clean()
  })

  it('title names it as /rename does; the undo gives the log its former bytes', { tags: 'posix' }, async () => {
    const before = readFileSync(path)
    const report = await changed(title, ['Faster', 'reports'])
    expect(report.bytes).toBe(statSync(path).size - before.length)
    const added = readFileSync(path, 'utf8')
      .slice(before.length)
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(added).toEqual([
      { type: 'custom-title', customTitle: 'Faster reports', sessionId: sessionName },
      { type: 'agent-name', agentName: 'Faster reports', sessionId: sessionName },
    ])
    expect(graphSummary(await graph())).toMatchObject({ title: 'Faster reports', titleFrom: 'custom' })
    execFileSync('sh', ['-c', report.undo])
    expect(readFileSync(path)).toEqual(before)
  })

  it('tag sets one and takes it away', async () => {
    await changed(tag, ['bugs'])
    expect((await graph()).state.tag).toBe('bugs')
    await changed(tag, [], { remove: true })
    expect((await graph()).state.tag ?? '').toBe('')
  })

  it('compact sends the summary and the last turns', async () => {
    const report = await changed(compact, [], { summary: 'The cart was fixed.', keep: '1' })
    expect(report.losses).toEqual([])
    const said = JSON.stringify(sentBy(await graph()))
    expect(said).toContain('The cart was fixed.')
    expect(said).toContain('prompt p3')
    expect(said).toContain('answer a3')
    expect(said).not.toContain('prompt p2')
    expect(buildContext(await graph()).resumable).toBe(true)
  })

  it('compact goes on behind the conversation where a title behind it has a uuid, as in forks', async () => {
    const named = { type: 'custom-title', customTitle: 'A fork', uuid: idOf('t'), sessionId: sessionName }
    writeFileSync(path, `${JSON.stringify(named)}\n`, { flag: 'a' })
    await changed(compact, [], { summary: 'The cart was fixed.', keep: '1' })
    const said = JSON.stringify(sentBy(await graph()))
    for (const text of ['The cart was fixed.', 'prompt p3', 'answer a3']) expect(said).toContain(text)
  })

  it('compact takes a file, and no word that may be meant as one', async () => {
    const file = join(home, 'notes.md')
    writeFileSync(file, 'From a file.')
    await changed(compact, [], { summary: file })
    expect(JSON.stringify(sentBy(await graph()))).toContain('From a file.')
    const missing = capture(compact, {
      root: [home],
      args: [sessionName],
      options: { summary: 'notes.txt', force: true },
    })
    await expect(missing).rejects.toThrow('there is no file notes.txt')
    const none = capture(compact, { root: [home], args: [sessionName], options: { force: true } })
    await expect(none).rejects.toThrow('missing --summary')
  })

  it('write nothing with --dry-run', async () => {
    const before = readFileSync(path)
    for (const [run, args, options] of [
      [title, ['A title'], {}],
      [tag, ['bugs'], {}],
      [compact, [], { summary: 'A summary.' }],
    ] as const)
      expect(await changed(run, [...args], { ...options, dryRun: true })).toMatchObject({ dryRun: true })
    expect(readFileSync(path)).toEqual(before)
  })

  it('append writes events from stdin, each checked before it is written', async () => {
    const root = ['--root', home, '--home', join(home, 'clew')]
    const events = [
      { kind: 'prompt', blocks: [{ type: 'text', text: 'And now?' }] },
      { kind: 'answer', blocks: [{ type: 'tool-call', callId: 'toolu_new', name: 'Bash', input: { command: 'ls' } }] },
      {
        kind: 'tool-results',
        blocks: [
          { type: 'tool-result', callId: 'toolu_new', isError: false, content: [{ type: 'text', text: 'cart.ts' }] },
        ],
      },
      { kind: 'answer', blocks: [{ type: 'text', text: 'One file.' }] },
    ]
    const input = events.map(event => `${JSON.stringify(event)}\n`).join('')
    const done = await clewHere(['append', sessionName, ...root, '--json'], { input })
    expect([done.code, done.stderr]).toEqual([0, ''])
    expect((JSON.parse(done.stdout) as ChangedSession).events).toHaveLength(4)
    const said = JSON.stringify(sentBy(await graph()))
    for (const text of ['And now?', 'toolu_new', 'cart.ts', 'One file.', 'prompt p1']) expect(said).toContain(text)

    const before = readFileSync(path)
    // The session has a record of just now.
    const recent = await clewHere(['append', sessionName, ...root], { input: '{"kind":"prompt"}\n' })
    expect([recent.code, recent.stderr]).toEqual([2, expect.stringContaining('less than a minute old')])
    const odd = {
      kind: 'tool-results',
      blocks: [{ type: 'tool-result', callId: 'toolu_none', isError: false, content: [] }],
    }
    const wrong = await clewHere(['append', sessionName, ...root, '--force'], { input: `${JSON.stringify(odd)}\n` })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('toolu_none')])
    const noJson = await clewHere(['append', sessionName, ...root, '--force'], { input: 'hello\n' })
    expect([noJson.code, noJson.stderr]).toEqual([2, expect.stringContaining('Line 1')])
    expect(readFileSync(path)).toEqual(before)
  })

  it('refuse what is only in the archive, and what has no log', async () => {
    const nothing = capture(title, { root: [home], args: ['nothing', 'A title'] })
    await expect(nothing).rejects.toThrow('no session matches')
    await expect(capture(title, { root: [home], args: [sessionName] })).rejects.toThrow('missing title')
    await expect(capture(tag, { root: [home], args: [sessionName] })).rejects.toThrow('missing tag')
  })
})

describe('clew repair', () => {
  const damaged = (folder: string): string => {
    const log = talk().write(folder)
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    // A glued line, a parent that is gone, and a torn end.
    const text = [`${lines[0]}${lines[1]}`, ...lines.slice(3, 7), (lines[7] ?? '').slice(0, 300)].join('\n')
    writeFileSync(log, text)
    return log
  }

  const repaired = async (folder: string, options: Record<string, unknown> = {}): Promise<RepairReport> => {
    const { stdout, code } = await capture(repair, { root: [folder], args: [sessionName], options, json: true })
    expect(code).toBe(0)
    const report = JSON.parse(stdout) as RepairReport
    expect(lint('repair-report', report)).toEqual([])
    return report
  }

  it('writes a new session that resumes with all that is there, and leaves the damaged one', () =>
    withFolder(async folder => {
      const log = damaged(folder)
      const before = readFileSync(log)
      const report = await repaired(folder)
      expect(report.changes.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['line', 'call', 'set-aside']))
      expect(report.written?.origin).toBe(sessionName)
      const found = (await sessionsIn(folder)).find(({ id }) => id === report.written?.session)
      const said = JSON.stringify(found === undefined ? [] : sentBy(await load(found)))
      for (const name of ['prompt p1', 'answer a1', 'prompt p2', 'answer a2', 'prompt p3']) expect(said).toContain(name)
      expect(readFileSync(log)).toEqual(before)
    }))

  it('says with --dry-run what would be written', () =>
    withFolder(async folder => {
      damaged(folder)
      const { dryRun, written } = await repaired(folder, { dryRun: true })
      expect(written).toMatchObject({ dryRun, origin: sessionName })
      expect(await sessionsIn(folder)).toHaveLength(1)
    }))

  it('replaces the log after its bytes are in the archive, and restoring undoes it', () =>
    withFolder(async folder => {
      const log = damaged(folder)
      const before = readFileSync(log)
      const root = ['--root', folder, '--home', join(folder, 'clew')]
      const done = await clewHere(['repair', sessionName, '--in-place', '--json', ...root])
      const report = JSON.parse(done.stdout) as RepairReport
      expect(report).toMatchObject({ inPlace: true, undo: `clew archive restore ${sessionName}@1 --overwrite` })
      expect(readFileSync(log)).not.toEqual(before)
      expect(await repaired(folder, { dryRun: true })).toMatchObject({ changes: [] })
      // A minute later.
      const ago = Date.now() / 1000 - 120
      utimesSync(log, ago, ago)
      const back = await clewHere(['archive', 'restore', `${sessionName}@1`, '--overwrite', ...root])
      expect([back.code, readFileSync(log).equals(before)]).toEqual([0, true])
    }))

  it('refuses in place a log that is a link, by that name, and repairs it as a new session', () =>
    withFolder(async folder => {
      const log = damaged(folder)
      renameSync(log, join(folder, 'elsewhere'))
      symlinkSync(join(folder, 'elsewhere'), log)
      const root = ['--root', folder, '--home', join(folder, 'clew')]
      const refused = await clewHere(['repair', sessionName, '--in-place', ...root])
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is a link; repair it without')])
      expect(lstatSync(log).isSymbolicLink()).toBe(true)
      expect((await clewHere(['repair', sessionName, ...root])).code).toBe(0)
    }))

  it('says of a session without damage that nothing is wrong, and writes nothing', () =>
    withFolder(async folder => {
      const log = talk()
        .side({ type: 'last-prompt', lastPrompt: 'prompt p3', leafUuid: idOf('a3') })
        .write(folder)
      const before = readFileSync(log)
      const { stderr, code } = await capture(repair, {
        root: [folder],
        args: [sessionName],
        options: { inPlace: true },
      })
      expect([code, stderr]).toEqual([0, 'clew: nothing is damaged; nothing was written\n'])
      expect(readFileSync(log)).toEqual(before)
    }))
})
