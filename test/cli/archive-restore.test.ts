// `clew archive restore`, `export` and `import` as people type them: what comes back, where, and what is left alone.

import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tarBytes } from '../../src/archive/transfer/tar-test-kit.ts'
import { contents, expectHarmless, ids, picture, type World, withWorld } from './archive-world.ts'
import { lines, mainFile, shell } from './run.ts'

/** The sample history, archived. */
function withArchive(work: (world: World) => void | Promise<void>): Promise<void> {
  return withWorld(async world => {
    await world.fill().clew('archive', 'run')
    return work(world)
  })
}

/** A file may look just changed for a minute, and is then taken to be in use. */
function settle(path: string): void {
  const at = new Date(Date.now() - 3_600_000)
  utimesSync(path, at, at)
}

describe('clew archive restore', () => {
  it.concurrent('puts a deleted session back, byte for byte, and touches nothing else', () =>
    withArchive(async world => {
      const before = picture(world.home)
      const bytes = readFileSync(world.log(ids.prices))
      rmSync(world.log(ids.prices))
      const { code, stdout, stderr } = await world.clew('archive', 'restore', '9a1f')
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toBe(`restored 1 file, 18 kB, in ${world.home}; 1 file is there already\n`)
      expect(readFileSync(world.log(ids.prices))).toEqual(bytes)
      expect(Date.now() - statSync(world.log(ids.prices)).mtimeMs).toBeLessThan(60_000)
      const after = picture(world.home)
      const changed = Object.keys(after).filter(path => after[path] !== before[path])
      expect(changed.filter(path => path.endsWith('.jsonl'))).toEqual([expect.stringContaining(ids.prices)])
      expect(changed.length).toBeLessThanOrEqual(2)
      expect(await world.clew('archive', 'restore', '9a1f')).toMatchObject({
        code: 0,
        stdout: 'nothing was restored; 2 files are there already\n',
      })
    }))

  it.concurrent('gives files their old times when asked to', () =>
    withArchive(async world => {
      const { mtimeMs } = statSync(world.log(ids.prices))
      rmSync(world.log(ids.prices))
      expect((await world.clew('archive', 'restore', ids.prices, '--keep-times')).code).toBe(0)
      expect(statSync(world.log(ids.prices)).mtimeMs).toBeCloseTo(mtimeMs, -1)
    }))

  it.concurrent('leaves another content alone until told to replace it, and then keeps it first', () =>
    withArchive(async world => {
      const bytes = readFileSync(world.log(ids.prices))
      writeFileSync(world.log(ids.prices), '{"type":"user","sessionId":"other"}\n')
      settle(world.log(ids.prices))
      const left = await world.leavingHome(() => world.clew('archive', 'restore', '9a1f'))
      expect(left.code).toBe(1)
      expect(left.stdout).toContain(`different ${world.log(ids.prices)}: Another content is there, and was left alone.`)
      expect(left.stdout).toContain('1 file is there with other content (--overwrite replaces it)')
      expect((await world.clew('archive', 'restore', '9a1f', '--overwrite')).code).toBe(0)
      expect(readFileSync(world.log(ids.prices))).toEqual(bytes)
      expect(lines(await world.clew('archive', '--json'))[0]).toMatchObject({ earlierGenerations: 1 })
    }))

  it.concurrent('takes ID@1 and --generation 1 for the same', () =>
    withArchive(async world => {
      const bytes = readFileSync(world.log(ids.prices))
      truncateSync(world.log(ids.prices), 400)
      await world.clew('archive', 'run')
      for (const [n, words] of [['9a1f@1'], ['9a1f', '--generation', '1']].entries()) {
        const to = world.path(`to-${n}`)
        expect((await world.clew('archive', 'restore', ...words, '--to', to)).code).toBe(0)
        expect(readFileSync(join(to, 'projects', '-home-mira-bakery', `${ids.prices}.jsonl`))).toEqual(bytes)
      }
      const none = await world.clew('archive', 'restore', '9a1f@7', '--to', world.path('none'))
      expect([none.code, none.stdout]).toEqual([
        2,
        expect.stringContaining('No generation 7 was archived of this file.'),
      ])
      for (const words of [
        ['9a1f@1', '33c7'],
        ['9a1f@1', '33c7@2'],
        ['9a1f@1', '--generation', '2'],
      ]) {
        const { code, stderr } = await world.clew('archive', 'restore', ...words)
        expect([code, stderr]).toEqual([2, expect.stringContaining('one generation at a time')])
      }
    }))

  it.concurrent('says once for a whole session that the client has it open', () =>
    withArchive(async world => {
      const client = spawn('sleep', ['60'])
      try {
        mkdirSync(join(world.home, 'sessions'))
        const note = join(world.home, 'sessions', `${client.pid}.json`)
        writeFileSync(note, JSON.stringify({ pid: client.pid, sessionId: ids.croissants }))
        rmSync(world.log(ids.croissants))
        const refused = await world.leavingHome(() => world.clew('archive', 'restore', '33c7', '--overwrite'))
        expect(refused).toMatchObject({ code: 1, stderr: '' })
        expect(refused.stdout).toBe(
          `in use session ${ids.croissants}: Claude Code has this session open (process ${client.pid}). (12 files)\n` +
            'nothing was restored; 12 files are in use\n',
        )
        expect((await world.clew('archive', 'restore', '33c7', '--to', world.path('to'))).code).toBe(0)
      } finally {
        client.kill()
      }
    }))

  it.concurrent('waits with a session that was just written to', () =>
    withArchive(async world => {
      writeFileSync(world.log(ids.prices), 'just now\n')
      const { code, stdout } = await world.leavingHome(() => world.clew('archive', 'restore', '9a1f', '--overwrite'))
      expect([code, stdout]).toEqual([1, expect.stringContaining('changed within the last minute')])
    }))

  it.concurrent('brings everything back after the home was lost', () =>
    withArchive(async world => {
      const before = contents(world.home)
      rmSync(world.home, { recursive: true })
      const { code, stdout } = await world.clew('archive', 'restore', '--all')
      expect([code, stdout]).toEqual([0, expect.stringContaining('restored 48 files')])
      for (const path of Object.keys(before)) if (/^(settings\.json|README)/.test(path)) delete before[path]
      expect(contents(world.home)).toEqual(before)
      expect((await world.clew('archive', 'run')).stdout).toBe('nothing new; 48 files looked at\n')
    }))

  it.concurrent('restores below another folder, never into a file or the archive', () =>
    withArchive(async world => {
      const to = world.path('to')
      const { code, stdout } = await world.leavingHome(() => world.clew('archive', 'restore', '--all', '--to', to))
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^restored 48 files, \d+ kB, in .*to\n$/)])
      writeFileSync(world.path('file'), '')
      const refused: [string, string][] = [
        [world.path('file'), 'is a file; --to needs a folder'],
        [' ', '--to needs the name of a folder'],
        [join(world.own, 'archive', 'x'), 'lies in the archive itself'],
      ]
      for (const [place, message] of refused) {
        const { code, stdout, stderr } = await world.clew('archive', 'restore', '--all', '--to', place)
        expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
      }
    }))

  it.concurrent('finds sessions by id, prefix and title, and lists what fits where several do', () =>
    withArchive(async world => {
      const to = world.path('to')
      expect((await world.clew('archive', 'restore', 'in cents', '--to', to)).code).toBe(0)
      expect((await world.clew('archive', 'restore', ids.prices, '33c7', '--to', to)).code).toBe(0)
      const several = await world.clew('archive', 'restore', 'c', '--to', to)
      expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('"c" is not unique; it matches\n')])
      expect(several.stderr).toMatch(new RegExp(`^ {2}${ids.hours} {2}\\S+`, 'm'))
      const none = await world.clew('archive', 'restore', '\u001b[31m')
      expect(none.stderr).toBe('clew: nothing is archived of "\\u{1b}[31m" (of 18 sessions); clew ls lists them\n')
    }))

  it.concurrent('restores all other files where some are damaged', () =>
    withArchive(async world => {
      const packs = join(world.own, 'archive', 'packs')
      const pack = join(packs, readdirSync(packs)[0] ?? '')
      const bytes = readFileSync(pack)
      bytes[3000] = (bytes[3000] ?? 0) ^ 1
      writeFileSync(pack, bytes)
      const { code, stdout } = await world.clew('archive', 'restore', '--all', '--to', world.path('to'))
      expect([code, stdout]).toEqual([2, expect.stringMatching(/^failed .*\nrestored 47 files.*; 1 file failed\n$/)])
      const exported = await world.clew('archive', 'export', world.path('x.tar'))
      expect([exported.code, exported.stdout]).toEqual([2, expect.stringContaining('exported 47 files')])
      expect(exported.stderr).toMatch(/^left out .*, generation 1: .*\nclew: damaged files are not in the tar/)
    }))
})

describe('clew archive export and import', () => {
  it.concurrent('writes one tar that another archive takes in, generations and all', () =>
    withArchive(async world => {
      truncateSync(world.log(ids.prices), 400)
      await world.clew('archive', 'run')
      const tar = world.path('all.tar.gz')
      const { code, stdout } = await world.leavingHome(() => world.clew('archive', 'export', tar))
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^exported 48 files, 49 generations, .* to .*all\.tar\.gz\n$/),
      ])
      expect(statSync(tar).mode & 0o777).toBe(0o600)
      const again = await world.clew('archive', 'export', tar)
      expect([again.code, again.stderr]).toEqual([2, `clew: ${tar} is there already and is not replaced\n`])
      const other = { CLEW_HOME: world.path('other') }
      const taken = await world.leavingHome(() => world.with(other, 'archive', 'import', tar))
      expect(taken.stdout).toMatch(new RegExp(`^imported 49 generations, .*, as files of ${world.home}\n$`))
      expect((await world.with(other, 'archive', 'import', tar)).stdout).toBe(
        'nothing new; 49 files were archived already\n',
      )
      expect((await world.with(other, 'show', `${ids.prices}@1`)).stdout).toContain('Prices in cents')
    }))

  it.concurrent(
    'writes to standard output for tar, and takes a reader that leaves for none',
    { tags: 'dev-full' },
    () =>
      withArchive(async world => {
        const env = Object.entries(world.env).map(([name, value]) => `${name}='${value}'`)
        const exported = `env ${env.join(' ')} "${process.execPath}" "${mainFile}" archive export -`
        const listed = await shell(`${exported} 9a1f | tar tf -`)
        expect(listed.stdout).toContain(`clew-export/home-0/projects/-home-mira-bakery/${ids.prices}.jsonl`)
        expect(listed.stderr).toMatch(/^clew: exported 2 files, 2 generations, 18 kB\n$/)
        const closed = await shell(`${exported} | head -c 100 | wc -c`)
        expect(closed).toEqual({ code: 0, stdout: expect.stringMatching(/100/), stderr: '' })
        const full = await shell(`${exported} > /dev/full`)
        expect(full).toEqual({ code: 2, stdout: '', stderr: 'clew: cannot write the output (ENOSPC)\n' })
      }),
  )

  it.concurrent('says that there is no folder to export to', () =>
    withArchive(async world => {
      const { code, stderr } = await world.clew('archive', 'export', world.path('no', 'x.tar'))
      expect([code, stderr]).toEqual([2, `clew: there is no folder ${world.path('no')}\n`])
    }))

  it.concurrent('takes in a folder and a tar, and says whose files it takes them for', () =>
    withArchive(async world => {
      const backup = world.path('backup')
      mkdirSync(join(backup, 'projects', '-old'), { recursive: true })
      copyFileSync(
        world.log(ids.prices),
        join(backup, 'projects', '-old', 'dddddddd-0000-4000-8000-000000000001.jsonl'),
      )
      appendFileSync(join(backup, 'projects', '-old', 'dddddddd-0000-4000-8000-000000000001.jsonl'), '{}\n')
      const folder = await world.leavingHome(() => world.clew('archive', 'import', backup))
      expect(folder).toMatchObject({ code: 0, stdout: expect.stringContaining(`as files of ${world.home}\n`) })
      spawnSync('tar', ['czf', world.path('b.tgz'), '-C', world.folder, 'backup'])
      expect((await world.clew('archive', 'import', world.path('b.tgz'))).stdout).toBe(
        'nothing new; 1 file was archived already\n',
      )
      const other = await world.clew('archive', 'import', world.path('b.tgz'), '--as', world.path('else'))
      expect(other.stdout).toContain(`as files of ${world.path('else')}\n`)
    }))

  it.concurrent('refuses what is no backup, and archives of its own', () =>
    withArchive(async world => {
      mkdirSync(world.path('empty'))
      const empty = await world.clew('archive', 'import', world.path('empty'))
      expect(empty).toEqual({ code: 1, stdout: 'no session was found in it\n', stderr: '' })
      writeFileSync(world.path('no.tar'), 'no tar')
      expect(await world.clew('archive', 'import', world.path('no.tar'))).toMatchObject({ code: 2, stdout: '' })
      for (const path of [world.own, join(world.own, 'archive')]) {
        expect(await world.clew('archive', 'import', path)).toMatchObject({ code: 2, stdout: '' })
      }
      await world.clew('config', 'set', 'archive', 'off')
      const off = await world.clew('archive', 'import', world.path('empty'))
      expect(off.stderr).toBe('clew: the config says archive off; clew config set archive manual allows it\n')
    }))

  it.concurrent('tells of a cut tar what is missing, and keeps the rest', () =>
    withArchive(async world => {
      await world.clew('archive', 'export', world.path('x.tar'))
      truncateSync(world.path('x.tar'), 100_000)
      const cut = await world.with({ CLEW_HOME: world.path('other') }, 'archive', 'import', world.path('x.tar'))
      expect(cut.code).toBe(2)
      expect(cut.stdout).toMatch(/^not read to its end: .*cut short/)
      expect(cut.stdout).toMatch(/^skipped .*: it is damaged or not there$/m)
      expect(cut.stdout).toMatch(/^imported \d+ generations/m)
    }))

  it.concurrent('lets no name in a tar out of its folder or raw onto the terminal', () =>
    withArchive(async world => {
      const line = `${JSON.stringify({ type: 'user', sessionId: 'x', cwd: '/x' })}\n`
      const good = '.claude/projects/-x/eeeeeeee-0000-4000-8000-000000000001.jsonl'
      const names = [
        good,
        '.claude/projects/-x/\u001b[31m\nred.jsonl',
        '../../../escape.jsonl',
        '/abs/projects/-x/a.jsonl',
      ]
      const files = names.map(path => ({ path, mode: 0o600, modifiedMs: 0, bytes: Buffer.from(line) }))
      writeFileSync(world.path('evil.tar'), await tarBytes(files))
      const result = await world.leavingHome(() => world.clew('archive', 'import', world.path('evil.tar')))
      expect(result.stdout).toMatch(/^skipped .*\\u\{1b\}\[31m\\nred\.jsonl: its name is not safe on every system$/m)
      expect(result.stdout).toContain('imported 1 generation')
      expectHarmless(result)
      expect(existsSync(join(world.folder, 'escape.jsonl'))).toBe(false)
    }))
})
