// When Clew archives: in passing, only on request, or never; next to another process that archives; and stopped half-way.

import { randomBytes } from 'node:crypto'
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ids, lockText, type World, withWorld } from './archive-world.ts'
import { lines, type Result } from './run.ts'

function grow(world: World): void {
  appendFileSync(world.log(ids.hours), '{"type":"summary","summary":"more"}\n')
}

/** Files with something that is not archived. */
async function due(world: World): Promise<number> {
  const [status] = lines(await world.clew('archive', '--json'))
  return ((status?.['notKept'] ?? []) as unknown[]).length
}

describe('archiving in passing', () => {
  it.concurrent.each([[[]], [['ls']], [['history']], [['stats']]])(
    'happens after clew %j once there is an archive',
    args =>
      withWorld(async world => {
        await world.fill().clew('archive', 'run')
        grow(world)
        const plain = await world.leavingHome(() => world.clew(...args))
        expect(plain.code).toBe(0)
        expect(plain.stderr).not.toContain('kept')
        expect(await due(world)).toBe(0)
      }),
  )

  it.concurrent('does not begin by itself, unless the config says auto', () =>
    withWorld(async world => {
      world.fill()
      expect((await world.clew('ls')).code).toBe(0)
      expect(existsSync(world.own)).toBe(false)
      await world.clew('config', 'set', 'archive', 'auto')
      const { code, stdout } = await world.clew('ls', '--json')
      expect([code, JSON.parse(stdout).sessions.length]).toEqual([0, 18])
      expect(await due(world)).toBe(0)
    }))

  it.concurrent.each(['manual', 'off'])('does not happen with archive %s', mode =>
    withWorld(async world => {
      await world.fill().clew('archive', 'run')
      await world.clew('config', 'set', 'archive', mode)
      grow(world)
      expect((await world.clew('ls')).code).toBe(0)
      expect(await due(world)).toBe(1)
      const { code, stderr } = await world.clew('archive', 'run')
      if (mode === 'manual') expect(code).toBe(0)
      else
        expect([code, stderr]).toEqual([
          2,
          'clew: the config says archive off; clew config set archive manual allows it\n',
        ])
      expect(await due(world)).toBe(mode === 'manual' ? 0 : 1)
    }),
  )

  it.concurrent('leaves homes alone that are named for once and not archived yet', () =>
    withWorld(async world => {
      await world.fill().clew('archive', 'run')
      const other = world.path('other')
      cpSync(world.home, other, { recursive: true })
      expect((await world.clew('ls', '--root', other)).code).toBe(0)
      expect(lines(await world.clew('archive', '--json'))[0]).toMatchObject({ homes: [world.home] })
      await world.clew('archive', 'run', '--root', other)
      appendFileSync(join(other, 'history.jsonl'), '{"display":"more"}\n')
      await world.clew('ls', '--root', other)
      expect(lines(await world.clew('archive', '--json', '--root', other))[0]).toMatchObject({
        homes: [other, world.home].sort(),
        notKept: [],
      })
    }))

  it.concurrent('makes no archive for a root that is named for once, even where the config says auto', () =>
    withWorld(async world => {
      await world.fill().clew('config', 'set', 'archive', 'auto')
      expect((await world.clew('ls', '--root', world.home)).code).toBe(0)
      expect(existsSync(join(world.own, 'archive'))).toBe(false)
    }))

  it.concurrent('leaves out what the config excludes', () =>
    withWorld(async world => {
      await world.fill().clew('config', 'set', 'exclude', '/home/mira/bakery', '~/.claude/history.jsonl')
      await world.clew('config', 'set', 'archive', 'auto')
      await world.clew('ls')
      const { stdout } = await world.clew('archive', 'restore', '--all', '--to', world.path('to'))
      expect(stdout).toContain('restored')
      expect(readdirSync(world.path('to', 'projects'))).not.toContain('-home-mira-bakery')
      expect(readdirSync(world.path('to'))).not.toContain('history.jsonl')
      expect((await world.clew('archive')).stdout).toMatch(/^left out +\d+ files: \d+ of excluded projects or files$/m)
    }))

  it.concurrent('does not let a broken config or an unusable archive change how a list ends', () =>
    withWorld(async world => {
      world.fill()
      mkdirSync(world.own)
      writeFileSync(join(world.own, 'config.json'), '{broken')
      expect((await world.clew('ls')).code).toBe(0)
      rmSync(join(world.own, 'config.json'))
      await world.clew('archive', 'run')
      writeFileSync(join(world.own, 'config.json'), '{broken')
      const { code, stderr } = await world.clew('ls')
      expect([code, stderr]).toEqual([0, expect.stringContaining('clew: not archived: ')])
      expect((await world.clew('archive', 'run')).code).toBe(2)
    }))
})

describe('a locked archive', () => {
  it.concurrent('does not disturb those who read, and nothing is archived twice', () =>
    withWorld(async world => {
      await world.fill().clew('archive', 'run')
      grow(world)
      const lock = join(world.own, 'archive', 'lock')
      writeFileSync(lock, lockText(), { mode: 0o600 })
      for (const args of [['ls'], ['archive'], ['archive', 'verify'], ['archive', 'export', world.path('x.tar')]]) {
        const { code, stderr } = await world.clew(...args)
        expect([args, code, stderr.includes('lock')]).toEqual([args, 0, false])
      }
      rmSync(lock)
      expect(await due(world)).toBe(1)
    }))

  it.concurrent('is told where it has been locked for days', () =>
    withWorld(async world => {
      await world.fill().clew('archive', 'run')
      grow(world)
      writeFileSync(join(world.own, 'archive', 'lock'), lockText('2020-01-01T00:00:00.000Z'))
      const { code, stderr } = await world.clew('ls')
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/clew: not archived: The archive is locked by process \d+/),
      ])
    }))

  it.concurrent('is waited for by those who write', () =>
    withWorld(async world => {
      await world.fill().clew('archive', 'run')
      grow(world)
      const lock = join(world.own, 'archive', 'lock')
      writeFileSync(lock, lockText(), { mode: 0o600 })
      const { code, stdout, stderr } = await world.start(['archive', 'run'], {}, child => {
        child.stderr?.once('data', () => rmSync(lock))
      })
      expect(stderr).toBe(`clew: waiting for another clew (run, process ${process.pid})\n`)
      expect([code, stdout]).toEqual([0, expect.stringContaining('1 grown')])
    }))
})

describe('Ctrl-C', () => {
  it.concurrent('stops a run with what is archived by then, and the next one goes on', () =>
    withWorld(async world => {
      const project = join(world.home, 'projects', '-x')
      mkdirSync(project, { recursive: true })
      for (let n = 0; n < 60; n++) {
        const text = randomBytes(500_000)
          .toString('hex')
          .replace(/(.{200})/g, '"$1"\n')
        writeFileSync(join(project, `00000000-0000-4000-8000-${String(n).padStart(12, '0')}.jsonl`), text)
      }
      const stopped = await world.start(['archive', 'run'], {}, child => interruptWhenWriting(world, child))
      expect(stopped.stderr).toContain('clew: stopping after this file; Ctrl-C again stops at once\n')
      expect([stopped.code, stopped.stdout]).toEqual([
        1,
        expect.stringMatching(/new; stopped before the end, the next run/),
      ])
      expect(await due(world)).toBe(60 - countIn(stopped))
      expect(existsSync(join(world.own, 'archive', 'lock'))).toBe(false)
      expect((await world.clew('archive', 'run')).stdout).toContain(`${60 - countIn(stopped)} new`)
      expect((await world.clew('archive', 'verify')).code).toBe(0)
    }))
})

function countIn({ stdout }: Result): number {
  return Number(/: (\d+) new/.exec(stdout)?.[1])
}

/** As soon as the first bytes are on their way to the disk. */
function interruptWhenWriting(world: World, child: { kill(signal: 'SIGINT'): boolean; exitCode: number | null }): void {
  const packs = join(world.own, 'archive', 'packs')
  const look = setInterval(() => {
    if (child.exitCode !== null) clearInterval(look)
    if (!existsSync(packs) || readdirSync(packs).length === 0) return
    clearInterval(look)
    child.kill('SIGINT')
  }, 5)
}
