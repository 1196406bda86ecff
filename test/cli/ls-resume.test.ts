import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run as resume } from '../../src/cli/commands/resume.ts'
import { capture } from './capture.ts'
import { ids, makeHome, SessionLines, writeLines } from './ls-home.ts'
import { withFolder } from './run.ts'

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
        expect(code).toBe(0)
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

  it('warns where Claude Code would not resume it', () =>
    withFolder(async home => {
      const path = join(home, 'projects', '-x', `${ids.cart}.jsonl`)
      writeLines(path, [{ type: 'mode', mode: 'normal', sessionId: ids.cart }])
      const { stderr, code } = await capture(resume, { root: [home], args: [ids.cart] })
      expect(code).toBe(0)
      expect(stderr).toContain('would not resume it')
      expect(stderr).toContain('no working directory')
      const { stdout } = await capture(resume, { root: [home], args: [ids.cart], json: true })
      expect(JSON.parse(stdout)).toMatchObject({ session: ids.cart, cwd: null, resumable: false })
      rmSync(path)
    }))
})
