// Output streams that fail: an error in words and an exit code, never a stack trace. Those of a broken pipe are in readable.test.ts.

import { spawnSync } from 'node:child_process'
import { openSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clew, mainFile, withFolder } from './run.ts'

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
