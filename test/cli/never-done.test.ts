// What would wait for ever ends with a message instead: a command, a task of the worker pool, a refresh of a log that became
// shorter. What a command prints otherwise is not its matter.

import { spawnSync } from 'node:child_process'
import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { expect, test } from 'vitest'
import { Fixture, sessionA } from '../archive/fixture.ts'
import { withFolder } from '../home.ts'
import { talkBytes } from '../index/talk.ts'
import { clew } from './run.ts'

const source = resolve('src')

/** Builds a program whose imports of one file are this text instead. */
async function buildWith(folder: string, entry: string, out: string, replaced: RegExp, text: string): Promise<void> {
  const replace: Plugin = {
    name: 'one file is another',
    setup: made => {
      made.onLoad({ filter: replaced }, () => ({ contents: text, loader: 'ts', resolveDir: join(source, 'worker') }))
    },
  }
  const banner = {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)",
  }
  const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error', banner } as const
  await build({ ...options, entryPoints: [join(source, entry)], outfile: join(folder, out), plugins: [replace] })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
}

test('a command that waits for what never comes says so and ends with 2', async () => {
  await withFolder(async folder => {
    const program = 'export const runProgram = () => new Promise(() => {})'
    await buildWith(folder, 'cli/main.ts', 'main.js', /cli\/program\.ts$/, program)
    const done = spawnSync(process.execPath, [join(folder, 'main.js'), 'ls'], { encoding: 'utf8', timeout: 30_000 })
    expect(done.stderr).toContain('clew: the command stopped before it was done')
    expect(done.stderr).not.toContain('Warning')
    expect(done.status).toBe(2)
  })
})

test('an error that no one waits for is one line and ends with 2', async () => {
  await withFolder(async folder => {
    const command = `export const run = () => {
      setTimeout(() => { throw new Error('the bell \\u001b[31mcracked') }, 1)
      return new Promise(done => setTimeout(done, 5000))
    }`
    await buildWith(folder, 'cli/main.ts', 'main.js', /cli\/commands\/overview\.ts$/, command)
    const env = {
      ...process.env,
      CLEW_HOME: join(folder, 'own'),
      HOME: folder,
      CLAUDE_CONFIG_DIR: join(folder, 'home'),
    }
    const done = spawnSync(process.execPath, [join(folder, 'main.js')], { encoding: 'utf8', timeout: 30_000, env })
    expect(done.stderr).toBe('clew: the bell \\u{1b}[31mcracked\n')
    expect(done.status).toBe(2)
  })
})

test('a task in a thread that waits for what never comes fails, and the next task runs', async () => {
  await withFolder(async folder => {
    const tasks = `
      import { serveTasks } from './thread.ts'
      const never = () => new Promise(() => {})
      serveTasks(async name => ({ name, run: name === 'never' ? never : async (n, emit) => {
        for (let at = 0; at < 20; at++) await emit(at)
        await new Promise(done => setTimeout(done, 20))
        return n * 2
      } }))`
    await buildWith(folder, 'worker.ts', 'dist/worker.js', /src\/worker\.ts$/, tasks)
    const asks = `
      import { WorkerPool } from './pool.ts'
      const pool = new WorkerPool({ size: 1 })
      const messages = []
      const onMessage = async one => { await new Promise(done => setTimeout(done, 1)); messages.push(one) }
      console.log(await pool.run({ name: 'never' }, 1).catch(error => error.message))
      console.log(await pool.run({ name: 'twice' }, 4, { onMessage }), messages.length)
      await pool.close()`
    await buildWith(folder, 'cli/main.ts', 'main.js', /cli\/main\.ts$/, asks)
    const done = spawnSync(process.execPath, [join(folder, 'main.js')], { encoding: 'utf8', timeout: 30_000 })
    expect(done.stderr).toBe('')
    expect(done.stdout).toBe('a worker thread ended early\n8 20\n')
    expect(done.status).toBe(0)
  })
})

test('a log in the index that became shorter is read again, also after an undone title', () => {
  const fixture = new Fixture()
  try {
    const log = fixture.write(`projects/-p/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 1, turns: 20 }))
    const env = { CLEW_HOME: join(fixture.folder, 'own'), HOME: fixture.folder, CLAUDE_CONFIG_DIR: fixture.home }
    const ok = (...words: string[]) => {
      const { code, stdout, stderr } = clew(words, { env })
      expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({ words, code: 0, stderr: '' })
      return stdout
    }
    ok('index', 'refresh')
    const { size } = statSync(log)
    ok('title', sessionA, 'Of bells')
    ok('index', 'refresh')
    truncateSync(log, size)
    expect(ok('ls')).not.toContain('Of bells')
    truncateSync(log, 3000)
    expect(ok('ls', '--json')).toBe(ok('ls', '--json', '--no-index'))
    ok('index', 'verify')
  } finally {
    fixture.remove()
  }
})
