// Output streams that fail, and files of Clew that are gone: an error in words and an exit code, never a stack trace. Broken
// pipes are tested in grep.test.ts.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clew, mainFile } from './run.ts'

const home = resolve('samples/home')

/** What Node does where the system refuses to say what a stream is. */
const failing = (stream: string) => `Object.defineProperty(process, '${stream}', {
  configurable: true,
  get() { throw Object.assign(new Error('open EIO'), { code: 'EIO', syscall: 'open' }) },
})`

function without(stream: string, folder: string, ...args: string[]) {
  const file = join(folder, 'failing.cjs')
  writeFileSync(file, failing(stream))
  return clew([...args, '--root', home], {
    env: { CLEW_HOME: join(folder, 'clew'), NODE_OPTIONS: `--require ${file}` },
  })
}

describe('a command', () => {
  it('says that it has no standard output', async () => {
    await withFolder(folder => {
      const { code, stderr } = without('stdout', folder, 'ls')
      expect(stderr).toBe('clew: cannot write the output (EIO)\n')
      expect(code).toBe(2)
    })
  })

  it('answers without a standard error', async () => {
    await withFolder(folder => {
      const { code, stdout } = without('stderr', folder, 'ls', '--json')
      expect(code).toBe(0)
      expect(JSON.parse(stdout).sessions.length).toBeGreaterThan(0)
    })
  })
})

it('a file of Clew that is missing is an error in words', async () => {
  await withFolder(folder => {
    mkdirSync(join(folder, 'cli'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    mkdirSync(join(folder, 'chunks'))
    copyFileSync(mainFile, join(folder, 'cli/main.js'))
    // All that it needs to begin, and nothing of what it loads then.
    for (const [, name = ''] of readFileSync(mainFile, 'utf8').matchAll(/ from "\.\.\/chunks\/([^"]+)"/g))
      copyFileSync(join(mainFile, '../../chunks', name), join(folder, 'chunks', name))
    const done = spawnSync(process.execPath, [join(folder, 'cli/main.js'), 'ls'], { encoding: 'utf8' })
    expect(done.stderr).toMatch(/^clew: Cannot find module [^\n]+\n$/)
    expect(done.status).toBe(2)
  })
})

describe('messages that cannot be written', { tags: 'dev-full' }, () => {
  it('change neither the answer nor the exit code', async () => {
    await withFolder(folder => {
      const run = (args: string[], stderr: 'pipe' | number) =>
        spawnSync(process.execPath, [mainFile, ...args, '--root', home], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', stderr],
          env: { ...process.env, CLEW_HOME: join(folder, 'clew') },
        })
      for (const args of [['ls'], ['show', 'no-such-session'], ['no-such-command']]) {
        const usual = run(args, 'pipe')
        const full = run(args, openSync('/dev/full', 'w'))
        expect(usual.stderr, args.join(' ')).not.toBe('')
        expect([full.status, full.stdout], args.join(' ')).toEqual([usual.status, usual.stdout])
      }
    })
  })
})
