import { execFile } from 'node:child_process'
import { chmod, link, mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lines, TestHome } from '../../../test/home.ts'
import type { Discovery } from '../../model/source.ts'
import { discover } from './discover.ts'
import { mapLimited } from './tree.ts'

const run = promisify(execFile)

let folder: TestHome
beforeEach(async () => {
  folder = new TestHome()
})
afterEach(async () => {
  await chmod(folder.home, 0o755)
  folder.remove()
})

const record = (id: string) => lines({ sessionId: id })
const found = (discovery: Discovery) => discovery.findings.map(one => `${one.severity} ${one.code} ${one.file}`).sort()
const ids = (discovery: Discovery) => discovery.sessions.map(one => one.id)

describe('roots that cannot be read', () => {
  it('are an error, never thrown', async () => {
    const missing = folder.at('no/such')
    expect(found(await discover(missing))).toEqual([`error missing-path ${missing}`])
    const inFile = join(folder.write('file.jsonl', record('s')), 'below')
    expect(found(await discover(inFile))).toEqual([`error missing-path ${inFile}`])
    await symlink(folder.at('nowhere'), folder.at('dangling'))
    expect(found(await discover(folder.at('dangling')))).toEqual([`error broken-link ${folder.at('dangling')}`])
  })

  it('are an error where a folder has no session', async () => {
    await mkdir(folder.at('empty'))
    await mkdir(folder.at('home/projects/p'), { recursive: true })
    folder.write('only-history/history.jsonl', lines({ display: 'hi' }))
    for (const name of ['empty', 'home', 'only-history']) {
      expect(found(await discover(folder.at(name)))).toEqual([`error no-sessions ${folder.at(name)}`])
    }
    expect((await discover(folder.at('only-history'))).histories).toHaveLength(1)
  })
})

describe('links', () => {
  it('to folders and files are followed, and each file is found once', async () => {
    folder.write('elsewhere/p/s.jsonl', record('s'))
    folder.write('elsewhere/t.jsonl', record('t'))
    await mkdir(folder.at('home/projects/q'), { recursive: true })
    await symlink(folder.at('elsewhere/p'), folder.at('home/projects/p'))
    await symlink(folder.at('elsewhere/p'), folder.at('home/projects/p-again'))
    await symlink(folder.at('elsewhere/t.jsonl'), folder.at('home/projects/q/t.jsonl'))
    await link(folder.at('elsewhere/t.jsonl'), folder.at('home/projects/q/u.jsonl'))
    const discovery = await discover(folder.at('home'))
    expect(ids(discovery).sort()).toEqual(['s', 't'])
    expect(discovery.sessions.flatMap(one => one.logs)).toHaveLength(2)
    expect(discovery.findings).toEqual([])
  })

  it('that lead in circles end', async () => {
    folder.write('home/projects/p/s.jsonl', record('s'))
    folder.write('home/projects/p/s/subagents/agent-1.jsonl', record('s'))
    await symlink(folder.at('home/projects'), folder.at('home/projects/all'))
    await symlink(folder.at('home/projects/p'), folder.at('home/projects/p/s/subagents/up'))
    await symlink(folder.at('home/projects/p/loop'), folder.at('home/projects/p/loop'))
    const discovery = await discover(folder.at('home'))
    expect(discovery.sessions.map(one => one.logs.length)).toEqual([2])
    expect(found(discovery)).toEqual([`warning broken-link ${folder.at('home/projects/p/loop')}`])
  })

  it('that lead nowhere are a warning', async () => {
    folder.write('home/projects/p/s.jsonl', record('s'))
    const broken = ['home/projects/gone', 'home/projects/p/x.jsonl', 'home/history.jsonl'].map(path => folder.at(path))
    for (const path of broken) await symlink(folder.at('nowhere'), path)
    const discovery = await discover(folder.at('home'))
    expect(ids(discovery)).toEqual(['s'])
    expect(found(discovery)).toEqual(broken.map(path => `warning broken-link ${path}`).sort())
  })
})

describe('things that are not regular files', () => {
  it('are reported and never opened', { tags: 'posix' }, async () => {
    folder.write('home/projects/p/s.jsonl', record('s'))
    const odd = ['home/projects/p/fifo.jsonl', 'home/projects/p/socket.jsonl', 'home/projects/p/s/fifo'].map(path =>
      folder.at(path),
    )
    await mkdir(folder.at('home/projects/p/s'))
    await mkdir(folder.at('home/projects/p/folder.jsonl'))
    await run('mkfifo', [odd[0] ?? '', odd[2] ?? ''])
    const server = createServer().listen(odd[1])
    try {
      const discovery = await discover(folder.at('home'))
      expect(ids(discovery)).toEqual(['s'])
      expect(found(discovery)).toEqual(
        [...odd, folder.at('home/projects/p/folder.jsonl')].map(path => `warning not-a-regular-file ${path}`).sort(),
      )
      expect(found(await discover(odd[0] ?? ''))).toEqual([`error not-a-regular-file ${odd[0]}`])
    } finally {
      server.close()
    }
  })
})

describe('files and folders without permission', () => {
  /** What a user without any rights finds: the superuser, who may run the tests, can read everything. */
  async function discoverAsNobody(root: string): Promise<Discovery> {
    const bundle = folder.at('discover.mjs')
    const entry = join(import.meta.dirname, 'discover.ts')
    await build({
      entryPoints: [entry],
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile: bundle,
      logLevel: 'error',
    })
    const script = `import { discover } from ${JSON.stringify(`file://${bundle}`)}
      console.log(JSON.stringify(await discover(${JSON.stringify(root)})))`
    const identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { ...identity, cwd: '/' })
    return JSON.parse(stdout)
  }

  it('are warnings below a root, and errors as the root', { tags: 'posix' }, async () => {
    for (const open of [folder.folder, folder.home]) await chmod(open, 0o755)
    folder.write('home/projects/p/s.jsonl', record('s'))
    folder.write('home/projects/p/s/subagents/agent-1.jsonl', record('s'))
    const file = folder.write('home/projects/p/closed.jsonl', record('closed'))
    folder.write('home/projects/closed/t.jsonl', record('t'))
    const meta = folder.write('home/projects/p/s/subagents/agent-1.meta.json', '{}')
    const closed = folder.at('home/projects/closed')
    for (const path of [file, meta, closed]) await chmod(path, 0)
    try {
      const discovery = await discoverAsNobody(folder.at('home'))
      expect(ids(discovery)).toEqual(['s'])
      expect(found(discovery)).toEqual(
        [
          `warning unreadable-folder ${closed}`,
          `warning unreadable-file ${file}`,
          `warning unreadable-file ${meta}`,
        ].sort(),
      )
      expect(found(await discoverAsNobody(closed))).toEqual([`error unreadable-folder ${closed}`])
      expect(found(await discoverAsNobody(file))).toEqual([`error unreadable-file ${file}`])
      expect(found(await discoverAsNobody(join(closed, 't.jsonl')))).toEqual([
        `error unreadable-folder ${join(closed, 't.jsonl')}`,
      ])
    } finally {
      await chmod(closed, 0o755)
    }
  })
})

it('works on a limited number of things at a time and keeps their order', async () => {
  let running = 0
  let most = 0
  const results = await mapLimited([5, 1, 4, 2, 3], 2, async value => {
    running++
    most = Math.max(most, running)
    await new Promise(done => setTimeout(done, value))
    running--
    return value * 10
  })
  expect(results).toEqual([50, 10, 40, 20, 30])
  expect(most).toBe(2)
})
