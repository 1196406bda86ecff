// What is forgotten or pruned is gone from the index too, to the last byte of its file.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { erasingFromIndex } from '../../src/answers/care/index-erase.ts'
import { openClew } from '../../src/answers/open.ts'
import { chooseArchiveMode } from '../../src/archive/store/mode.ts'
import { run as prune } from '../../src/cli/commands/archive/prune.ts'
import { run as archive } from '../../src/cli/commands/archive.ts'
import { run as forget } from '../../src/cli/commands/forget.ts'
import { run as index } from '../../src/cli/commands/index.ts'
import { run as ls } from '../../src/cli/commands/ls.ts'
import { noteOpened } from '../../src/index/store/closed.ts'
import { wordsLeft } from '../../src/index/store/erase.ts'
import { Database } from '../../src/index/store/port.ts'
import { samples } from '../home.ts'
import { lockText } from './archive-fixture.ts'
import { type CommandHome, withHomes } from './command-home.ts'

const secret = 'xyzzyplover'
const id = '11111111-2222-4333-8444-555555555555'

/** A session that says a word which no one else says, in a prompt, a path, a title, a command and a last line without end. */
function addSecret(home: CommandHome): string {
  const folder = join(home.home, 'projects', '-home-secret')
  mkdirSync(folder)
  const common = { sessionId: id, cwd: `/home/${secret}`, version: '2.1.0', timestamp: '2026-05-01T10:00:00.000Z' }
  const uuid = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`
  const text = { role: 'user', content: `please look at ${secret} and ${secret.toUpperCase()}` }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: `cat ${secret}.txt` } }
  const read = { type: 'tool_use', id: 'toolu_2', name: 'Read', input: { file_path: `/tmp/${secret}` } }
  const message = { id: 'msg_1', role: 'assistant', model: 'claude-opus-4-7', content: [call, read] }
  const records = [
    { ...common, type: 'user', uuid: uuid(1), parentUuid: null, message: text },
    { ...common, type: 'assistant', uuid: uuid(2), parentUuid: uuid(1), message },
    { type: 'custom-title', customTitle: `about ${secret}`, sessionId: id },
  ]
  const path = join(folder, `${id}.jsonl`)
  const torn = JSON.stringify({ ...common, type: 'user', uuid: uuid(3), parentUuid: uuid(2), message: text })
  writeFileSync(path, `${records.map(record => JSON.stringify(record)).join('\n')}\n${torn}`)
  return path
}

/** The session, a line of it in the prompt history, and a text that was pasted into that prompt. */
function addPrompt(home: CommandHome): { path: string; history: string; paste: string; prompts: string } {
  const root = home.home
  const history = join(root, 'history.jsonl')
  const prompts = readFileSync(history, 'utf8')
  const hash = '0123456789abcdef'
  const pastedContents = { 1: { id: 1, type: 'text', contentHash: hash } }
  const line = { display: `say ${secret}`, pastedContents, timestamp: 1_770_000_000_000, project: '/p', sessionId: id }
  writeFileSync(history, `${prompts}${JSON.stringify(line)}\n`)
  const paste = join(root, 'paste-cache', `${hash}.txt`)
  mkdirSync(join(root, 'paste-cache'), { recursive: true })
  writeFileSync(paste, `${secret} pasted\n`)
  return { path: addSecret(home), history, paste, prompts }
}

/** How often the word is in the bytes of the index's files. */
function found(home: CommandHome): number {
  const folder = join(home.own, 'index')
  const text = readdirSync(folder).map(name => readFileSync(join(folder, name)).toString('latin1').toLowerCase())
  return text.join('\n').split(secret).length - 1
}

/** Whether the word is one of those that can be searched for: they stand in the file in a shortened form. */
function isWord(home: CommandHome): boolean {
  const folder = join(home.own, 'index')
  const db = new Database(join(folder, readFileSync(join(folder, 'current'), 'utf8').trim()))
  try {
    db.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)')
    return db.prepare('SELECT 1 FROM vocabulary WHERE term = ?').get([secret]) !== undefined
  } finally {
    db.close()
  }
}

/** Rows are deleted and made again before it matters: their old bytes must go as well. */
async function indexTwice(home: CommandHome, path: string): Promise<void> {
  await home.refresh()
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, `${whole}\n`)
  await home.refresh()
  expect(found(home)).toBeGreaterThan(0)
  expect(isWord(home)).toBe(true)
}

describe('what is forgotten', () => {
  it('leaves no byte in the index', { timeout: 60_000 }, async () => {
    await withHomes([samples], async home => {
      await indexTwice(home, addSecret(home))
      rmSync(join(home.home, 'projects', '-home-secret'), { recursive: true })
      await home.refresh()
      expect(found(home)).toBeGreaterThan(0)
      const done = await home.run(forget, { args: [id], options: { yes: true } })
      expect(done.code, done.stdout + done.stderr).toBe(0)
      expect(found(home)).toBe(0)
      expect(isWord(home)).toBe(false)
      expect((await home.run(ls)).stdout).not.toContain(id.slice(0, 8))
      expect(found(home)).toBe(0)
      expect((await home.run(index, { args: ['verify'], quiet: true })).code).toBe(0)
    })
  })

  it('is listed as long as Claude Code has it, and erased when Claude Code deletes it', {
    timeout: 60_000,
  }, async () => {
    await withHomes([samples], async home => {
      const path = addSecret(home)
      await indexTwice(home, path)
      await home.run(forget, { args: [id], options: { yes: true } })
      expect(found(home)).toBe(0)
      await home.expectSame(ls, { json: true })
      expect((await home.run(ls)).stdout).toContain(id.slice(0, 8))
      rmSync(path)
      expect((await home.run(ls)).stdout).not.toContain(id.slice(0, 8))
      expect(found(home)).toBe(0)
    })
  })

  it('is indexed again once it is archived again', { timeout: 60_000 }, async () => {
    await withHomes([samples], async home => {
      const path = addSecret(home)
      await home.refresh()
      await home.run(forget, { args: [id], options: { yes: true } })
      await home.run(forget, { args: [id], options: { undo: true } })
      await home.refresh()
      await home.expectSame(ls, { json: true })
      rmSync(path)
      await home.expectSame(ls, { json: true, options: { gone: true } })
      expect(found(home)).toBeGreaterThan(0)
    })
  })

  it('leaves no prompt of a history that was indexed before it was archived, and is empty since', async () => {
    await withHomes([samples], async home => {
      const { path, history, prompts } = addPrompt(home)
      chooseArchiveMode(home.own, 'manual')
      await home.refresh()
      expect(isWord(home)).toBe(true)
      await home.run(archive, { args: ['run'] })
      rmSync(path)
      writeFileSync(history, prompts)
      const done = await home.run(forget, { args: [id], options: { yes: true } })
      expect(done.code, done.stdout + done.stderr).toBe(0)
      expect(found(home)).toBe(0)
      expect(isWord(home)).toBe(false)
      expect((await home.run(index, { args: ['verify'], quiet: true })).code).toBe(0)
      await home.expectSame(ls, { json: true })
    })
  })

  it('is erased once more when Claude Code takes the line out of its prompt history, or the pasted text away', async () => {
    await withHomes([samples], async home => {
      const { path, history, paste, prompts } = addPrompt(home)
      chooseArchiveMode(home.own, 'manual')
      rmSync(path)
      await home.refresh()
      const done = await home.run(forget, { args: [id], options: { yes: true } })
      expect(done.code, done.stdout + done.stderr).toBe(0)
      expect(isWord(home)).toBe(false)
      await home.run(ls)
      expect(isWord(home)).toBe(true)
      writeFileSync(history, prompts)
      await home.run(ls)
      expect(isWord(home)).toBe(true)
      rmSync(paste)
      await home.run(ls)
      expect(found(home)).toBe(0)
      expect(isWord(home)).toBe(false)
    })
  })

  it('waits for no one: where another one writes the index, nothing is erased', async () => {
    await withHomes([samples], async home => {
      await home.refresh()
      writeFileSync(join(home.own, 'index', 'lock'), lockText())
      const clew = await openClew({ roots: home.roots, home: home.own })
      let isDone = false
      const act = async () => {
        isDone = true
      }
      const work = erasingFromIndex(clew, { sessions: [id] }, act, 0)
      await expect(work).rejects.toThrow('another clew is writing the index, so nothing was erased')
      expect(isDone).toBe(false)
    })
  })

  it('goes with the whole file where the index is damaged', async () => {
    await withHomes([samples], async home => {
      addSecret(home)
      await home.refresh()
      const folder = join(home.own, 'index')
      const name = readFileSync(join(folder, 'current'), 'utf8').trim()
      for (const end of ['-wal', '-shm']) rmSync(join(folder, name + end), { force: true })
      writeFileSync(join(folder, name), Buffer.alloc(50_000, 7))
      const done = await home.run(forget, { args: [id], options: { yes: true } })
      expect(done.code, done.stdout + done.stderr).toBe(0)
      expect(readdirSync(folder)).toEqual([])
    })
  })
})

describe('what a kill left', () => {
  it('is erased by the next refresh', async () => {
    await withHomes([samples], async home => {
      const path = addSecret(home)
      await indexTwice(home, path)
      const folder = join(home.own, 'index')
      const file = join(folder, readFileSync(join(folder, 'current'), 'utf8').trim())
      noteOpened(file)
      const db = new Database(file)
      db.prepare("INSERT INTO meta VALUES ('erase', ?)").run([JSON.stringify({ isDue: true, sessions: [] })])
      db.close()
      const before = readFileSync(join(folder, 'current'), 'utf8')
      await home.run(ls)
      expect(readFileSync(join(folder, 'current'), 'utf8')).not.toBe(before)
      await home.expectSame(ls, { json: true })
    })
  })
})

describe('what is pruned', () => {
  it('leaves no byte in the index', { timeout: 60_000 }, async () => {
    await withHomes([samples], async home => {
      await indexTwice(home, addSecret(home))
      rmSync(join(home.home, 'projects', '-home-secret'), { recursive: true })
      await home.refresh()
      const done = await home.run(prune, { options: { gone: true, apply: true, yes: true } })
      expect(done.code, done.stdout + done.stderr).toBe(0)
      expect(found(home)).toBe(0)
      expect(isWord(home)).toBe(false)
      await home.expectSame(ls, { json: true })
      expect((await home.run(index, { args: ['verify'], quiet: true })).code).toBe(0)
    })
  })
})

describe('words that deleting left behind', () => {
  it('are found in the vocabulary of the index, and not those that a text has', async () => {
    await withHomes([samples], async home => {
      addSecret(home)
      await home.refresh()
      expect(wordsLeft(home.own, [secret])).toEqual([])
      const folder = join(home.own, 'index')
      const db = new Database(join(folder, readFileSync(join(folder, 'current'), 'utf8').trim()))
      db.exec(`DELETE FROM text_event WHERE event IN (SELECT event.id FROM event JOIN file
        ON event.id BETWEEN file.id * 67108864 AND (file.id + 1) * 67108864 WHERE file.session = '${id}')`)
      db.close()
      expect(wordsLeft(home.own, [`a text with ${secret} in it`])).toEqual([secret])
    })
  })
})
