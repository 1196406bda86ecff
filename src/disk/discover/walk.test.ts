import { execFile } from 'node:child_process'
import { chmod, link, mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Discovery } from '../../model/source.ts'
import { lines, makeTestFolder, type TestFolder } from '../folder-testing.ts'
import { discover } from './discover.ts'
import { mapLimited } from './tree.ts'

const run = promisify(execFile)

let folder: TestFolder
beforeEach(async () => {
  folder = await makeTestFolder()
})
afterEach(async () => {
  await chmod(folder.root, 0o755)
  await folder.remove()
})

const record = (id: string) => lines({ sessionId: id })
const found = (discovery: Discovery) => discovery.findings.map(one => `${one.severity} ${one.code} ${one.file}`).sort()
const ids = (discovery: Discovery) => discovery.sessions.map(one => one.id)

describe('roots that cannot be read', () => {
  it('are an error, never thrown', async () => {
    const missing = folder.path('no/such')
    expect(found(await discover(missing))).toEqual([`error missing-path ${missing}`])
    const inFile = join(await folder.write('file.jsonl', record('s')), 'below')
    expect(found(await discover(inFile))).toEqual([`error missing-path ${inFile}`])
    await symlink(folder.path('nowhere'), folder.path('dangling'))
    expect(found(await discover(folder.path('dangling')))).toEqual([`error broken-link ${folder.path('dangling')}`])
  })

  it('are an error where a folder has no session', async () => {
    await mkdir(folder.path('empty'))
    await mkdir(folder.path('home/projects/p'), { recursive: true })
    await folder.write('only-history/history.jsonl', lines({ display: 'hi' }))
    for (const name of ['empty', 'home', 'only-history']) {
      expect(found(await discover(folder.path(name)))).toEqual([`error no-sessions ${folder.path(name)}`])
    }
    expect((await discover(folder.path('only-history'))).histories).toHaveLength(1)
  })
})

describe('links', () => {
  it('to folders and files are followed, and each file is found once', async () => {
    await folder.write('elsewhere/p/s.jsonl', record('s'))
    await folder.write('elsewhere/t.jsonl', record('t'))
    await mkdir(folder.path('home/projects/q'), { recursive: true })
    await symlink(folder.path('elsewhere/p'), folder.path('home/projects/p'))
    await symlink(folder.path('elsewhere/p'), folder.path('home/projects/p-again'))
    await symlink(folder.path('elsewhere/t.jsonl'), folder.path('home/projects/q/t.jsonl'))
    await link(folder.path('elsewhere/t.jsonl'), folder.path('home/projects/q/u.jsonl'))
    const discovery = await discover(folder.path('home'))
    expect(ids(discovery).sort()).toEqual(['s', 't'])
    expect(discovery.sessions.flatMap(one => one.logs)).toHaveLength(2)
    expect(discovery.findings).toEqual([])
  })

  it('that lead in circles end', async () => {
    await folder.write('home/projects/p/s.jsonl', record('s'))
    await folder.write('home/projects/p/s/subagents/agent-1.jsonl', record('s'))
    await symlink(folder.path('home/projects'), folder.path('home/projects/all'))
    await symlink(folder.path('home/projects/p'), folder.path('home/projects/p/s/subagents/up'))
    await symlink(folder.path('home/projects/p/loop'), folder.path('home/projects/p/loop'))
    const discovery = await discover(folder.path('home'))
    expect(discovery.sessions.map(one => one.logs.length)).toEqual([2])
    expect(found(discovery)).toEqual([`warning broken-link ${folder.path('home/projects/p/loop')}`])
  })

  it('that lead nowhere are a warning', async () => {
    await folder.write('home/projects/p/s.jsonl', record('s'))
    const broken = ['home/projects/gone', 'home/projects/p/x.jsonl', 'home/history.jsonl'].map(folder.path)
    for (const path of broken) await symlink(folder.path('nowhere'), path)
    const discovery = await discover(folder.path('home'))
    expect(ids(discovery)).toEqual(['s'])
    expect(found(discovery)).toEqual(broken.map(path => `warning broken-link ${path}`).sort())
  })
})

describe('things that are not regular files', () => {
  it('are reported and never opened', { tags: 'posix' }, async () => {
    await folder.write('home/projects/p/s.jsonl', record('s'))
    const odd = ['home/projects/p/fifo.jsonl', 'home/projects/p/socket.jsonl', 'home/projects/p/s/fifo'].map(
      folder.path,
    )
    await mkdir(folder.path('home/projects/p/s'))
    await mkdir(folder.path('home/projects/p/folder.jsonl'))
    await run('mkfifo', [odd[0] ?? '', odd[2] ?? ''])
    const server = createServer().listen(odd[1])
    try {
      const discovery = await discover(folder.path('home'))
      expect(ids(discovery)).toEqual(['s'])
      expect(found(discovery)).toEqual(
        [...odd, folder.path('home/projects/p/folder.jsonl')].map(path => `warning not-a-regular-file ${path}`).sort(),
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
    const bundle = folder.path('discover.mjs')
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
    await chmod(folder.root, 0o755)
    await folder.write('home/projects/p/s.jsonl', record('s'))
    await folder.write('home/projects/p/s/subagents/agent-1.jsonl', record('s'))
    const file = await folder.write('home/projects/p/closed.jsonl', record('closed'))
    await folder.write('home/projects/closed/t.jsonl', record('t'))
    const meta = await folder.write('home/projects/p/s/subagents/agent-1.meta.json', '{}')
    const closed = folder.path('home/projects/closed')
    for (const path of [file, meta, closed]) await chmod(path, 0)
    try {
      const discovery = await discoverAsNobody(folder.path('home'))
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
