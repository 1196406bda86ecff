// When Clew archives: in passing, only on request, or never; next to another process that archives; and stopped half-way.

import { randomBytes } from 'node:crypto'
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampleIds } from '../home.ts'
import { type Fixture, lockText, withFixture } from './archive-fixture.ts'
import { lines, mainFile, type Result } from './run.ts'
import { Terminal } from './terminal.ts'

function grow(fixture: Fixture): void {
  appendFileSync(fixture.log(sampleIds.hours), '{"type":"summary","summary":"more"}\n')
}

/** Files with something that is not archived. */
async function due(fixture: Fixture): Promise<number> {
  const [status] = lines(await fixture.clew('archive', '--json'))
  return ((status?.['notKept'] ?? []) as unknown[]).length
}

describe('archiving in passing', () => {
  it.concurrent.each([[[]], [['ls']], [['history']], [['stats']]])(
    'happens after clew %j once there is an archive',
    args =>
      withFixture(async fixture => {
        await fixture.copy().clew('archive', 'run')
        grow(fixture)
        const plain = await fixture.leavingHome(() => fixture.clew(...args))
        expect(plain.code).toBe(0)
        expect(plain.stderr).not.toContain('kept')
        expect(await due(fixture)).toBe(0)
      }),
  )

  it.concurrent('does not begin by itself, unless the config says auto', () =>
    withFixture(async fixture => {
      fixture.copy()
      expect((await fixture.clew('ls')).code).toBe(0)
      expect(existsSync(fixture.own)).toBe(false)
      await fixture.clew('config', 'set', 'archive', 'auto')
      const { code, stdout } = await fixture.clew('ls', '--json')
      expect([code, JSON.parse(stdout).sessions.length]).toEqual([0, 18])
      expect(await due(fixture)).toBe(0)
    }))

  it.concurrent('does not happen while what to exclude cannot be understood', () =>
    withFixture(async fixture => {
      fixture.copy()
      mkdirSync(fixture.own, { recursive: true })
      writeFileSync(join(fixture.own, 'config.json'), '{"archive":"auto","exclude":5}')
      const fault = 'exclude in the config: it is not a list of texts'
      for (const args of [['ls'], ['search', 'croissant'], ['index', 'refresh']]) {
        const { code, stderr } = await fixture.clew(...args)
        expect([code, stderr]).toEqual([0, expect.stringContaining(fault)])
      }
      const { code, stderr } = await fixture.clew('archive', 'run')
      expect([code, stderr]).toEqual([2, expect.stringContaining(fault)])
      expect(existsSync(join(fixture.own, 'archive'))).toBe(false)
    }))

  it.concurrent('does not begin with the first index, which says how to switch it on', () =>
    withFixture(async fixture => {
      const { code, stderr } = await fixture.copy().clew('search', 'croissant')
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^clew: indexed 30 files, .*; nothing is archived; .*: clew config set archive auto$/m),
      ])
      for (const args of [['ls'], ['index', 'refresh'], []]) await fixture.clew(...args)
      expect(existsSync(join(fixture.own, 'archive'))).toBe(false)
      const status = await fixture.clew('archive', 'status')
      expect(status.stdout).toMatch(/^mode +manual: only clew archive run archives; /m)
      await fixture.clew('config', 'set', 'archive', 'auto')
      const auto = await fixture.clew('archive', 'status')
      expect(auto.stdout.replace(/\s+/g, ' ')).toContain(
        'mode auto: what is new is archived by clew, ls, stats, usage, history, search, grep, watch, serve, index',
      )
      expect((await fixture.clew('search', 'croissant')).code).toBe(0)
      expect(await due(fixture)).toBe(0)
    }))

  it.each([
    ['y', 'auto', true],
    ['n', 'manual', false],
  ])('is asked about once on a terminal: %s', { tags: 'tmux' }, (answer, mode, hasArchive) =>
    withFixture(async fixture => {
      fixture.copy()
      const clew = `'${process.execPath}' '${mainFile}'`
      const terminal = new Terminal(
        `${clew} search croissant --limit 1; echo "code $?"; ${clew} ls --limit 1; echo done`,
        {
          columns: 100,
          env: { ...fixture.env, PAGER: '' },
        },
      )
      try {
        // The answer comes first.
        expect(await terminal.until('Archive new sessions whenever clew runs? [y/N]')).toMatch(
          /^ 1 .*^3 hits in .*\[y\/N\]/ms,
        )
        terminal.keys(answer, 'Enter')
        await terminal.until('code 0')
        // The second command does not ask again.
        await terminal.until('done')
        expect((await fixture.clew('config', 'get', 'archive')).stdout).toBe(`${mode}\n`)
        expect(existsSync(join(fixture.own, 'archive'))).toBe(hasArchive)
      } finally {
        terminal.close()
      }
    }),
  )

  it.concurrent.each(['manual', 'off'])('does not happen with archive %s', mode =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      await fixture.clew('config', 'set', 'archive', mode)
      grow(fixture)
      expect((await fixture.clew('ls')).code).toBe(0)
      expect(await due(fixture)).toBe(1)
      const { code, stderr } = await fixture.clew('archive', 'run')
      if (mode === 'manual') expect(code).toBe(0)
      else
        expect([code, stderr]).toEqual([
          2,
          'clew: the config says archive off; clew config set archive manual allows it\n',
        ])
      expect(await due(fixture)).toBe(mode === 'manual' ? 0 : 1)
    }),
  )

  it.concurrent('leaves homes alone that are named for once and not archived yet', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      const other = fixture.path('other')
      cpSync(fixture.home, other, { recursive: true })
      expect((await fixture.clew('ls', '--root', other)).code).toBe(0)
      expect(lines(await fixture.clew('archive', '--json'))[0]).toMatchObject({ homes: [fixture.home] })
      await fixture.clew('archive', 'run', '--root', other)
      appendFileSync(join(other, 'history.jsonl'), '{"display":"more"}\n')
      await fixture.clew('ls', '--root', other)
      expect(lines(await fixture.clew('archive', '--json', '--root', other))[0]).toMatchObject({
        homes: [other, fixture.home].sort(),
        notKept: [],
      })
    }))

  it.concurrent('makes no archive for a root that is named for once, even where the config says auto', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('config', 'set', 'archive', 'auto')
      expect((await fixture.clew('ls', '--root', fixture.home)).code).toBe(0)
      expect(existsSync(join(fixture.own, 'archive'))).toBe(false)
    }))

  it.concurrent('leaves out what the config excludes', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('config', 'set', 'exclude', '/home/mira/bakery', '~/.claude/history.jsonl')
      await fixture.clew('config', 'set', 'archive', 'auto')
      await fixture.clew('ls')
      const { stdout } = await fixture.clew('archive', 'restore', '--all', '--to', fixture.path('to'))
      expect(stdout).toContain('restored')
      expect(readdirSync(fixture.path('to', 'projects'))).not.toContain('-home-mira-bakery')
      expect(readdirSync(fixture.path('to'))).not.toContain('history.jsonl')
      expect((await fixture.clew('archive')).stdout).toMatch(
        /^left out +\d+ files: \d+ of excluded projects or files$/m,
      )
    }))

  it.concurrent('does not let a broken config or an unusable archive change how a list ends', () =>
    withFixture(async fixture => {
      fixture.copy()
      mkdirSync(fixture.own)
      writeFileSync(join(fixture.own, 'config.json'), '{broken')
      expect((await fixture.clew('ls')).code).toBe(0)
      rmSync(join(fixture.own, 'config.json'))
      await fixture.clew('archive', 'run')
      writeFileSync(join(fixture.own, 'config.json'), '{broken')
      const { code, stderr } = await fixture.clew('ls')
      expect([code, stderr]).toEqual([0, expect.stringContaining('config.json is not a JSON object')])
      expect((await fixture.clew('archive', 'run')).code).toBe(2)
    }))
})

describe('a locked archive', () => {
  it.concurrent('does not disturb those who read, and nothing is archived twice', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      grow(fixture)
      const lock = join(fixture.own, 'archive', 'lock')
      writeFileSync(lock, lockText(), { mode: 0o600 })
      for (const args of [['ls'], ['archive'], ['archive', 'verify']]) {
        const { code, stderr } = await fixture.clew(...args)
        expect([args, code, stderr.includes('lock')]).toEqual([args, 0, false])
      }
      rmSync(lock)
      expect(await due(fixture)).toBe(1)
    }))

  it.concurrent('is reported where it has been locked for days', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      grow(fixture)
      writeFileSync(join(fixture.own, 'archive', 'lock'), lockText('2020-01-01T00:00:00.000Z'))
      const { code, stderr } = await fixture.clew('ls')
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/clew: not archived: The archive is locked by process \d+/),
      ])
    }))

  it.concurrent('is waited for by those who write', () =>
    withFixture(async fixture => {
      await fixture.copy().clew('archive', 'run')
      grow(fixture)
      const lock = join(fixture.own, 'archive', 'lock')
      writeFileSync(lock, lockText(), { mode: 0o600 })
      const { code, stdout, stderr } = await fixture.start(['archive', 'run'], {}, child => {
        child.stderr?.once('data', () => rmSync(lock))
      })
      expect(stderr).toBe(`clew: waiting for another clew (run, process ${process.pid})\n`)
      expect([code, stdout]).toEqual([0, expect.stringContaining('1 grown')])
    }))
})

describe('Ctrl-C', () => {
  it.concurrent('stops a run with what is archived by then, and the next one continues', () =>
    withFixture(async fixture => {
      const project = join(fixture.home, 'projects', '-x')
      mkdirSync(project, { recursive: true })
      for (let n = 0; n < 60; n++) {
        const text = randomBytes(500_000)
          .toString('hex')
          .replace(/(.{200})/g, '"$1"\n')
        writeFileSync(join(project, `00000000-0000-4000-8000-${String(n).padStart(12, '0')}.jsonl`), text)
      }
      const stopped = await fixture.start(['archive', 'run'], {}, child => interruptWhenWriting(fixture, child))
      expect(stopped.stderr).toContain('clew: stopping after this file; Ctrl-C again stops at once\n')
      expect([stopped.code, stopped.stdout]).toEqual([
        130,
        expect.stringMatching(/new; stopped before the end, the next run/),
      ])
      expect(await due(fixture)).toBe(60 - countIn(stopped))
      expect(existsSync(join(fixture.own, 'archive', 'lock'))).toBe(false)
      expect((await fixture.clew('archive', 'run')).stdout).toContain(`${60 - countIn(stopped)} new`)
      expect((await fixture.clew('archive', 'verify')).code).toBe(0)
    }))
})

function countIn({ stdout }: Result): number {
  return Number(/: (\d+) new/.exec(stdout)?.[1])
}

/** As soon as the first bytes are on their way to the disk. */
function interruptWhenWriting(
  fixture: Fixture,
  child: { kill(signal: 'SIGINT'): boolean; exitCode: number | null },
): void {
  const packs = join(fixture.own, 'archive', 'packs')
  const look = setInterval(() => {
    if (child.exitCode !== null) clearInterval(look)
    if (!existsSync(packs) || readdirSync(packs).length === 0) return
    clearInterval(look)
    child.kill('SIGINT')
  }, 5)
}
