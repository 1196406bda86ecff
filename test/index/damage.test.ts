// A database in use whose bytes are not those that were written: flipped bytes and zeroed pages, anywhere in the file. Every
// command gives the right answer, or says what is wrong; the index is rebuilt by itself. A deep run tries a thousand.

import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closedState, noteClosed, noteOpened } from '../../src/index/store/closed.ts'
import { currentPath, indexFolder, openToRead } from '../../src/index/store/open.ts'
import { Database } from '../../src/index/store/port.ts'
import { Dice, sessionA, sessionB, sessionC } from '../archive/fixture.ts'
import { clew, clewHere, type Result } from '../cli/run.ts'
import { isDeep, sample, seedOr } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { IndexFixture, mergeLog, proveIndex } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

const seed = seedOr(1)
const pageBytes = 8192
/** Spread over the whole file. */
const harms = isDeep ? 1000 : 30

let fixture: IndexFixture
const fixtures: IndexFixture[] = []

/** A log that was written just now is read again: all of them wait together until theirs are older. */
beforeAll(async () => {
  for (let n = 0; n < 13; n++) fixtures.push(filled())
  await new Promise(resolve => setTimeout(resolve, 2100))
})

function filled(): IndexFixture {
  const made = new IndexFixture()
  for (const [at, session] of [sessionA, sessionB, sessionC].entries()) {
    const path = `projects/-home-mira-boat/${session}.jsonl`
    made.one.write(path, talkBytes({ session, seed: at + 1, turns: 60, cwd: '/home/mira/boat', long: 20_000 }))
  }
  return made
}

beforeEach(() => {
  const next = fixtures.pop()
  if (next === undefined) throw new Error('there are more tests than fixtures')
  fixture = next
})

afterEach(() => fixture.remove())
afterAll(() => {
  for (const unused of fixtures) unused.remove()
})

/** Commands that answer from the index, each in its own way. */
const questions: readonly (readonly string[])[] = [
  ['search', 'harbour', '--all', '--flat'],
  ['ls', '--all'],
  ['usage', 'daily'],
  ['search', 'sail', 'psalm'],
]

function ask(words: readonly string[]): Promise<Result> {
  return clewHere([...words, '--json', '--root', fixture.one.home, '--home', fixture.home])
}

/** The answer without how long it took. */
function answerIn({ stdout }: Result): string {
  return stdout.replace(/,?\s*"(tookMs|took)":\s*[\d.]+/g, '')
}

/** A page of zeros, or one bit. */
function damage(path: string, n: number): void {
  const dice = new Dice(seed * 1000 + n)
  const pages = statSync(path).size / pageBytes
  const page = Math.min(pages - 1, Math.floor((n / harms) * pages) + dice.below(3)) * pageBytes
  const file = openSync(path, 'r+')
  try {
    if (n % 3 === 0) {
      writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, page)
      return
    }
    const at = page + dice.below(pageBytes)
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, at)
    writeSync(file, Buffer.from([(byte[0] ?? 0) ^ (1 << dice.below(8))]), 0, 1, at)
  } finally {
    closeSync(file)
  }
}

/** Times of files advance in steps. */
const tick = () => new Promise(resolve => setTimeout(resolve, 20))

/** What is wrong with an answer that is neither right nor says so. */
function silentFault(words: readonly string[], result: Result, truth: string): string[] {
  return answerIn(result) === truth || result.stderr !== '' ? [] : [`${words.join(' ')} is answered wrongly`]
}

async function settled(): Promise<string> {
  await ask(['index', 'refresh'])
  return currentPath(fixture.home) ?? ''
}

const isUnchanged = async () =>
  (JSON.parse((await ask(['index', 'refresh'])).stdout) as { isUnchanged: boolean }).isUnchanged

describe('a damaged database', () => {
  test.each(isDeep ? [0, 1, 2, 3] : [0])(
    'never answers wrongly without a word, and is rebuilt: part %i',
    {
      timeout: 3_600_000,
    },
    async part => {
      await settled()
      mergeLog(fixture.home)
      const folder = indexFolder(fixture.home)
      const saved = new Map(readdirSync(folder).map(name => [name, readFileSync(join(folder, name))]))
      const truths: string[] = []
      for (const words of questions) truths.push(answerIn(await ask(words)))
      const failures: string[] = []
      const all = Array.from({ length: harms }, (_, at) => at)
      const tried = isDeep ? all.filter(n => n % 4 === part) : sample(all, 5)
      for (const n of tried) {
        for (const name of readdirSync(folder)) rmSync(join(folder, name))
        for (const [name, bytes] of saved) writeFileSync(join(folder, name), bytes)
        const path = currentPath(fixture.home) ?? ''
        noteClosed(path)
        await tick()
        damage(path, n)
        // A different command comes first each time.
        for (let k = 0; k < questions.length; k++) {
          const at = (n + k) % questions.length
          const words = questions[at] ?? []
          for (const fault of silentFault(words, await ask(words), truths[at] ?? ''))
            failures.push(`damage ${n}: ${fault}`)
        }
        await ask(['index', 'refresh'])
        const options = { ...fixture.options('off'), roots: [fixture.one.home], isScoped: true }
        await proveIndex(options).catch(error => failures.push(`damage ${n} is not repaired: ${error.message}`))
      }
      reportSweep('bit flip or zeroed page in the index', tried.length, failures.length)
      expect(failures).toEqual([])
    },
  )

  test('that SQLite finds while it answers is rebuilt by the next command', async () => {
    const path = await settled()
    mergeLog(fixture.home)
    const db = new Database(path, { isReadOnly: true })
    const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = 'words_data' AND pagetype = 'leaf'").all()
    db.close()
    const bytes = readFileSync(path)
    for (const [page] of pages) bytes.fill(0, (Number(page) - 1) * pageBytes, Number(page) * pageBytes)
    writeFileSync(path, bytes)
    // As if the disk had done it.
    noteClosed(path)
    const answers = [await ask(['search', 'harbour']), await ask(['search', 'harbour'])]
    expect(answers.map(({ code }) => code)).toEqual([2, 0])
    expect(answers[0]?.stderr).toContain('the index is damaged; run this again')
    expect(answers[1]?.stderr).toContain('rebuilt')
  })
})

describe('a sound database', () => {
  test('is not rebuilt where nothing happened to it', async () => {
    const path = await settled()
    expect(closedState(path)).toBe('as-closed')
    expect(await isUnchanged()).toBe(true)
    expect(currentPath(fixture.home)).toBe(path)
  })

  test.each(['between questions', 'in the middle of one'])('is not rebuilt where a reader was %s', async when => {
    const path = await settled()
    const reader = openToRead(fixture.home)
    if (when === 'in the middle of one') reader?.exec('BEGIN')
    reader?.prepare('SELECT count(*) FROM event').get()
    fixture.one.append(
      `projects/-home-mira-boat/${sessionA}.jsonl`,
      talkBytes({ session: sessionA, seed: 9, turns: 3, cwd: '/home/mira/boat' }),
    )
    const refresh = ['index', 'refresh', '--root', fixture.one.home, '--home', fixture.home]
    // In a process of its own, which closes all that it left open.
    expect(clew(refresh).stdout).toMatch(/^indexed /)
    expect(closedState(path)).toBe(when === 'in the middle of one' ? 'unknown' : 'as-closed')
    if (when === 'in the middle of one') reader?.exec('COMMIT')
    reader?.close()
    expect(clew(refresh).stdout).not.toContain('rebuilt')
    expect(closedState(path)).toBe('as-closed')
    expect(currentPath(fixture.home)).toBe(path)
  })

  test('is checked and not rebuilt where its writer was killed', async () => {
    const path = await settled()
    noteOpened(path)
    expect(closedState(path)).toBe('unknown')
    expect(await isUnchanged()).toBe(true)
    expect(currentPath(fixture.home)).toBe(path)
    expect(closedState(path)).toBe('as-closed')
  })

  test('is rebuilt where its writer was killed and SQLite finds pages damaged', async () => {
    const path = await settled()
    mergeLog(fixture.home)
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0, bytes.length - pageBytes * 8))
    noteOpened(path)
    await ask(['index', 'refresh'])
    expect(currentPath(fixture.home)).not.toBe(path)
  })

  test('is checked and not rebuilt in a copy of the whole folder', async () => {
    const name = basename(await settled())
    const copy = join(dirname(fixture.home), 'a-copy')
    cpSync(fixture.home, copy, { recursive: true })
    const path = join(copy, 'index', name)
    const later = Date.now() / 1000 + 60
    utimesSync(path, later, later)
    expect(closedState(path)).toBe('unknown')
    const { stdout, stderr } = await clewHere(['index', 'refresh', '--root', fixture.one.home, '--home', copy])
    expect([stderr, currentPath(copy), closedState(path)]).toEqual(['', path, 'as-closed'])
    expect(stdout).not.toContain('rebuilt')
  })

  test('is not rebuilt where a copy of the folder has rounded times', async () => {
    const path = await settled()
    const { atimeMs, mtimeMs } = statSync(path)
    utimesSync(path, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000))
    expect(closedState(path)).toBe('as-closed')
    utimesSync(path, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000) + 5)
    expect(closedState(path)).toBe('changed')
  })
})
