// How `clew watch` begins and ends, what it leaves behind in archive and index, and how it looks on a terminal.

import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { currentPath, openToRead } from '../../src/index/store/open.ts'
import { clew, mainFile } from './run.ts'
import { Terminal } from './terminal.ts'
import { answer, call, first, pause, prompt, result, second, WatchHome } from './watch-home.ts'

let home: WatchHome
beforeEach(() => {
  home = new WatchHome()
})
afterEach(() => home.remove())

/** How many events the index has of a session. */
function indexedEvents(session: string): number {
  const db = openToRead(home.home)
  if (db === null) return -1
  try {
    const sql = 'SELECT count(*) FROM event JOIN file ON file.id = event.id >> 26 WHERE file.session = ?'
    return Number(db.prepare(sql).get([session])?.[0] ?? 0)
  } finally {
    db.close()
  }
}

async function eventually(test: () => boolean): Promise<void> {
  const deadline = Date.now() + 50_000
  while (!test()) {
    if (Date.now() > deadline) throw new Error('it never came to be')
    await pause(50)
  }
}

describe('archive and index', () => {
  it('are fresh while it runs and when it ends', async () => {
    const config = ['config', 'set', 'roots', home.claude, '--home', home.home]
    expect(clew(config).code).toBe(0)
    const env = { CLAUDE_CONFIG_DIR: home.claude }
    const watch = await home.watch()
    home.append(first, prompt(first, 'Bake more bread'))
    await watch.shown('Bake more bread')
    await eventually(() => currentPath(home.home) !== null && indexedEvents(first) === 2)
    home.append(second, prompt(second, 'The last words'))
    await watch.shown('The last words')
    expect(await watch.end()).toBe(0)
    expect(indexedEvents(second)).toBe(1)
    expect(watch.stderr).not.toMatch(/out of date|not archived/)
    expect(clew(['index', 'verify', '--json', '--home', home.home], { env }).stdout).toContain('"equal":true')
  })

  it('keep the bytes of a session that is deleted afterwards, where the home is archived', async () => {
    const env = { CLAUDE_CONFIG_DIR: home.claude }
    expect(clew(['archive', 'run', '--home', home.home], { env }).code).toBe(0)
    const watch = await home.watch()
    home.append(second, prompt(second, 'Nobody deletes this'))
    await watch.shown('Nobody deletes this')
    expect(await watch.end()).toBe(0)
    rmSync(home.path(second))
    const shown = clew(['events', second, '--home', home.home], { env })
    expect(shown.stdout).toContain('Nobody deletes this')
    expect(shown.stderr).toContain('reading the archive')
  })

  it('are left alone with --no-index, and not archived where the config says off', async () => {
    const plain = await home.watch('--no-index')
    home.append(first, prompt(first, 'only printed'))
    await plain.shown('only printed')
    expect(await plain.end()).toBe(0)
    expect(currentPath(home.home)).toBeNull()
    mkdirSync(home.home, { recursive: true })
    writeFileSync(join(home.home, 'config.json'), '{"archive":"off"}')
    const off = await home.watch()
    home.append(first, prompt(first, 'indexed, not kept'))
    await off.shown('indexed, not kept')
    expect(await off.end()).toBe(0)
    expect(indexedEvents(first)).toBe(3)
    expect(clew(['archive', 'status', '--json', '--home', home.home]).stdout).toContain('"generations":0')
  })

  it('are not begun with a long history, which is said', async () => {
    home.write(second, '')
    truncateSync(home.path(second), 70_000_000)
    const watch = await home.watch()
    home.append(first, prompt(first, 'a short line'))
    await watch.said('70 MB not indexed yet; to index it: clew index refresh')
    expect(await watch.end()).toBe(0)
    expect(currentPath(home.home)).toBeNull()
  })

  it('may be written by two watches at once', async () => {
    const runs = await Promise.all([home.watch(), home.watch()])
    for (let n = 0; n < 5; n++) {
      home.append(first, prompt(first, `number ${n}`))
      await pause(300)
    }
    for (const run of runs) await run.shown('number 4')
    expect(await Promise.all(runs.map(run => run.end()))).toEqual([0, 0])
    // That it saves new lines is said on a busy machine; nothing is wrong.
    for (const run of runs) expect(run.stderr).not.toMatch(/out of date|not archived/)
    expect(indexedEvents(first)).toBe(6)
  })
})

describe('the end', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('is success after %s', async signal => {
    const watch = await home.watch()
    expect(await watch.end(signal)).toBe(0)
    expect(watch.stdout).toBe('')
  })

  it('is success when no one reads any more', async () => {
    const watch = await home.watch('--no-index')
    const ended = watch.closeOutput()
    for (let n = 0; n < 20 && watch.child.exitCode === null; n++) {
      home.append(first, prompt(first, 'for nobody'))
      await pause(50)
    }
    expect(await ended).toBe(0)
    expect(watch.stderr).not.toMatch(/EPIPE|Error/)
  })

  it('comes at once where the words are wrong', () => {
    const wrong = (...args: string[]) => clew(['watch', ...args, '--root', home.claude, '--home', home.home])
    expect(wrong('--kind', 'promt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean prompt? it is one of prompt, answer,'),
    })
    expect(wrong('--since', 'soon').stderr).toContain('Invalid --since "soon"')
    expect(wrong('a', 'b').code).toBe(2)
    expect(wrong('--wait').stderr).toContain('--wait needs a session')
  })
})

it('sees the same with --poll, without any event of the file system', async () => {
  const watch = await home.watch('--no-index', '--poll')
  expect(watch.stderr).toContain('polling')
  home.append(first, prompt(first, 'polled words'))
  await watch.shown('▌ polled words')
  home.append(second, prompt(second, 'polled session'))
  await watch.shown('new session in shop')
  expect(await watch.end()).toBe(0)
})

describe('on a terminal', () => {
  let terminal: Terminal | undefined
  afterEach(() => {
    terminal?.close()
    terminal = undefined
  })

  it.each([40, 100])('fits %i columns, and Ctrl-C gives the prompt back', { tags: 'tmux' }, async columns => {
    const where = `--root "${home.claude}" --home "${home.home}" --timezone UTC --no-index`
    const command = `"${process.execPath}" "${mainFile}" watch ${where}\necho "ended $?"`
    terminal = new Terminal(command, { columns, rows: 40 })
    await terminal.until('Ctrl-C to stop')
    home.append(first, prompt(first, `Bake ${'a very long loaf of bread '.repeat(8)}`))
    home.append(first, call(first, 't', 'Edit', { file_path: '/home/dev/shop/src/oven/heat/control.ts' }))
    home.append(first, result(first, 't', `no such file ${'x'.repeat(200)}`, true))
    home.append(second, answer(second, [{ type: 'text', text: '日本語のとても長い返事です。'.repeat(10) }]))
    home.append(`${first}/subagents/agent-q`, prompt(first, 'Look', { isSidechain: true, agentId: 'q' }))
    await terminal.until('▌ Look')
    const text = terminal.text(true)
    expect(text).toContain('日本語')
    for (const line of text.split('\n')) {
      if (!line.startsWith('clew:')) expect(columnsOf(line), line).toBeLessThanOrEqual(columns)
    }
    terminal.keys('C-c')
    await terminal.until('ended 0')
  })
})
