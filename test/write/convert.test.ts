// `clew convert`: new files in the layout of a dialect, with every loss listed; nothing that is there is touched.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run as convert } from '../../src/cli/commands/convert.ts'
import type { ConvertReport } from '../../src/schema/contract-shapes.ts'
import { lint } from '../../src/schema/schema.ts'
import { type Captured, capture } from '../cli/capture.ts'
import { withFolder } from '../home.ts'
import { copyOfSamples, load, Sketch, sessionName, sessionsIn } from './sketch.ts'

type Options = Record<string, unknown>

function converting(home: string, session: string, options: Options, json = false): Promise<Captured> {
  return capture(convert, { root: [home], args: [session], options: { force: true, ...options }, json })
}

async function converted(home: string, session: string, options: Options): Promise<ConvertReport> {
  const { stdout } = await converting(home, session, options, true)
  const report = JSON.parse(stdout) as ConvertReport
  expect(lint('convert-report', report)).toEqual([])
  return report
}

const talk = () =>
  new Sketch().prompt('p1').call('c1').result('r1', 'c1').answer('a1').side({ type: 'mode', mode: 'plan' })

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()

describe('clew convert', () => {
  it.each([
    ['real', `projects/-home-mira-shop/${sessionName}.jsonl`],
    ['s0', 'conversations/_home_mira_shop/2026-01-05T10-00-00-000Z-0b1c2d3e.jsonl'],
    ['s3', 'projects/-home-mira-shop/2026-01-05T10-00-00-000Z-0b1c2d3e.jsonl'],
    ['s4', `projects/-home-mira-shop/${sessionName}.jsonl`],
  ])('writes a home as %s has it', (to, path) =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      talk().write(home)
      const out = join(folder, 'out')
      const { sessions, undo } = await converted(home, sessionName, { to, out, check: true })
      expect(filesBelow(out)).toEqual([path])
      expect(sessions).toMatchObject([{ origin: sessionName, session: sessionName, files: [join(out, path)] }])
      execFileSync('sh', ['-c', undo])
      expect(existsSync(out)).toBe(false)
    }),
  )

  it('writes a file with the subagents and outputs in the folder of its name', () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      const out = join(folder, 'copy.jsonl')
      const { sessions, undo } = await converted(home, '33c79d8c-6d99-4d32-b36b-48f475c1e43f', { to: 'real', out })
      const [session] = await sessionsIn(out)
      expect(session?.logs.filter(({ role }) => role === 'agent').length).toBeGreaterThan(1)
      const origin = (await sessionsIn(home)).find(({ id }) => id === session?.id)
      for (const { nameAgent, meta } of origin?.logs ?? [])
        if (meta !== undefined)
          expect(session?.logs.find(log => log.nameAgent === nameAgent)?.meta).toMatchObject({ ...meta })
      for (const file of sessions[0]?.files ?? []) expect([file, existsSync(file)]).toEqual([file, true])
      execFileSync('sh', ['-c', undo])
      expect(readdirSync(folder)).toEqual(['home'])
    }))

  it('lists every loss in JSON, and each kind of them for people', () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      talk().write(home)
      const options = { to: 's4', out: join(folder, 'out'), dryRun: true }
      const { losses = [] } = (await converted(home, sessionName, options)).sessions[0] ?? {}
      expect(losses).toContainEqual(expect.objectContaining({ path: '', why: '004 has no such record' }))
      expect(losses.filter(({ path }) => path === 'gitBranch')).toHaveLength(4)
      const { stderr, stdout } = await converting(home, sessionName, options)
      expect(stderr).toContain('4 × gitBranch: 004 has no branch of git (first: 00000000-')
      expect(stderr).toContain('1 × event: 004 has no such record')
      expect(stderr).toContain('nothing was written (--dry-run)')
      expect(stdout.trim()).toBe(join(folder, 'out', 'projects', '-home-mira-shop', `${sessionName}.jsonl`))
      expect(existsSync(join(folder, 'out'))).toBe(false)
    }))

  it('says that files beside the log stay where they are', () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      const options = { to: 's4', out: join(folder, 'out'), dryRun: true }
      const { sessions, left } = await converted(home, home, options)
      const beside = sessions.flatMap(({ session, losses }) => losses.filter(({ event }) => event === session))
      expect(beside.map(({ path }) => path)).toContain('quiet-lifting-fog.md')
      expect(beside.map(({ path }) => path)).toContain('agent-a4a95c4d5c2af9d13.meta.json')
      expect(left).toEqual([join(home, 'history.jsonl')])
    }))

  it('takes all sessions of a folder, and refuses one file for several', () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      const out = join(folder, 'out')
      const report = await converted(home, home, { to: 's1', out })
      const before = await sessionsIn(home)
      expect(report.sessions).toHaveLength(before.length)
      expect(report.failed).toEqual([])
      expect(await sessionsIn(out)).toHaveLength(before.length)
      const several = converting(home, home, { to: 's1', out: join(folder, 'one.jsonl') })
      await expect(several).rejects.toThrow('--out must name a folder')
    }))

  it('never writes into a file that is there', () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      talk().write(home)
      const out = join(folder, 'out')
      await converted(home, sessionName, { to: 'real', out })
      const before = readFileSync(join(out, filesBelow(out)[0] ?? ''), 'utf8')
      const { code, stderr } = await converting(home, sessionName, { to: 'real', out })
      expect(code).toBe(1)
      expect(stderr).toContain('exists already')
      expect(readFileSync(join(out, filesBelow(out)[0] ?? ''), 'utf8')).toBe(before)
      writeFileSync(join(folder, 'a.jsonl'), 'mine')
      const taken = converting(home, sessionName, { to: 'real', out: join(folder, 'a.jsonl') })
      await expect(taken).rejects.toThrow('exists already')
      mkdirSync(join(folder, 'b'))
      const { stderr: besides } = await converting(home, sessionName, { to: 'real', out: join(folder, 'b.jsonl') })
      expect(besides).toContain('exists already')
      expect(existsSync(join(folder, 'b.jsonl'))).toBe(false)
    }))

  it('does not write into a home unless it is the one that is named', () =>
    withFolder(async folder => {
      const home = join(folder, '.claude')
      talk().write(home)
      const inside = converting(folder, join(home, 'projects', '-home-mira-shop', `${sessionName}.jsonl`), {
        to: 's4',
        out: join(home, 'projects', '-home-mira-shop', 'new.jsonl'),
      })
      await expect(inside).rejects.toThrow('is inside a Claude home')
      const report = await converted(home, sessionName, { to: 's0', out: home })
      expect(filesBelow(home)).toHaveLength(2)
      expect(report.undo).not.toContain(`rm -r ${home} `)
      execFileSync('sh', ['-c', report.undo])
      expect(filesBelow(home)).toEqual([`projects/-home-mira-shop/${sessionName}.jsonl`])
    }))

  it('exits with 1 where the check finds more than notes, in a dry run too', () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      const open = new Sketch().prompt('p1').call('c1').prompt('p2').answer('a2')
      open.write(home)
      for (const dryRun of [true, false]) {
        const { code, stderr } = await converting(home, sessionName, {
          to: 's4',
          out: join(folder, 'out'),
          check: true,
          dryRun,
        })
        expect(stderr).toContain('tool-call-without-result')
        expect(code).toBe(1)
      }
    }))

  it('reads the same session as its origin', () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      talk().write(home)
      const out = join(folder, 'out')
      await converted(home, sessionName, { to: 'real', out })
      const [before, after] = [await sessionsIn(home), await sessionsIn(out)].map(([files]) => files)
      if (before === undefined || after === undefined) throw new Error('no session')
      const said = async (files: typeof before) =>
        (await load(files)).events.map(({ id, kind, blocks }) => ({ id, kind, blocks }))
      expect((await said(after)).slice(0, 4)).toEqual((await said(before)).slice(0, 4))
    }))
})
