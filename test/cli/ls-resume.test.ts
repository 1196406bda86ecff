import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { run as resume } from '../../src/cli/commands/resume.ts'
import { withFolder } from '../home.ts'
import { capture } from './capture.ts'
import { ids, makeHome, SessionLines, writeLines } from './ls-home.ts'

const inHome = (work: (home: string) => Promise<void>) => () =>
  withFolder(async home => {
    makeHome(home)
    await work(home)
  })

describe('clew resume', () => {
  it(
    'takes a title, whole or in part, and prints the command',
    inHome(async home => {
      for (const text of ['Tax on cakes', 'on CAKES', ids.tax, 'aaaaaaaa-1']) {
        const { stdout, stderr, code } = await capture(resume, { root: [home], args: [text] })
        // The folder is of another machine: the command is right, but not here.
        expect(code).toBe(1)
        expect(stdout).toBe(`cd /home/mira/shop && claude --resume ${ids.tax}\n`)
        expect(stderr).toContain('/home/mira/shop does not exist')
      }
    }),
  )

  it(
    'lists what an ambiguous text may mean, with titles',
    inHome(async home => {
      const asked = capture(resume, { root: [home], args: ['aaaa'] })
      await expect(asked).rejects.toThrow(/matches several sessions[\s\S]*Tax on cakes/)
      await expect(capture(resume, { root: [home], args: ['nothing'] })).rejects.toThrow('(of 4)')
    }),
  )

  it('goes to the directory whose folder the session is in, and takes a title that looks like a path', () =>
    withFolder(async home => {
      const lines = new SessionLines(ids.cart, '2026-01-01T00:00:00Z', '/srv/other', 'main').prompt('Hello')
      const moved = new SessionLines(ids.cart, '2026-01-01T00:01:00Z', "/srv/it's", 'main').prompt('Again')
      const second = moved.lines.map(line => ({ ...line, uuid: 'u2' }))
      const title = { type: 'custom-title', customTitle: 'read/write', sessionId: ids.cart }
      writeLines(join(home, 'projects', '-srv-it-s', `${ids.cart}.jsonl`), [...lines.lines, ...second, title])
      const { stdout } = await capture(resume, { root: [home], args: ['read/write'] })
      expect(stdout).toBe(`cd '/srv/it'\\''s' && claude --resume ${ids.cart}\n`)
    }))

  it('fails with the reason where Claude Code would not resume it', () =>
    withFolder(async home => {
      const path = join(home, 'projects', '-x', `${ids.cart}.jsonl`)
      writeLines(path, [{ type: 'mode', mode: 'normal', sessionId: ids.cart }])
      for (const options of [{}, { run: true }]) {
        const { stdout, stderr, code } = await capture(resume, { root: [home], args: [ids.cart], options })
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toMatch(/^clew: Claude Code would not resume it: No conversation found: .*\n$/)
      }
      const json = await capture(resume, { root: [home], args: [ids.cart], json: true })
      expect(json.code).toBe(1)
      expect(JSON.parse(json.stdout)).toMatchObject({ session: ids.cart, cwd: null, resumable: false })
      rmSync(path)
    }))

  it('runs Claude Code in the folder of the session, and ends as it does', () =>
    withFolder(async folder => {
      const cwd = realpathSync(folder)
      const claude = join(folder, 'claude')
      writeFileSync(claude, '#!/bin/sh\necho "$PWD" "$@" > said\nexit 7\n', { mode: 0o755 })
      const lines = new SessionLines(ids.cart, '2026-01-01T00:00:00Z', cwd, 'main').prompt('Hello').lines
      writeLines(join(folder, 'home', 'projects', '-x', `${ids.cart}.jsonl`), lines)
      const asked = { root: [join(folder, 'home')], args: [ids.cart], options: { run: true } }
      vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
      expect(await capture(resume, asked)).toEqual({ code: 7, stdout: '', stderr: '' })
      expect(readFileSync(join(folder, 'said'), 'utf8')).toBe(`${cwd} --resume ${ids.cart}\n`)
      vi.stubEnv('PATH', join(folder, 'home'))
      await expect(capture(resume, asked)).rejects.toThrow('cannot run claude (ENOENT)')
      vi.unstubAllEnvs()
    }))
})
