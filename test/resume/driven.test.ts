// Sessions that Claude Code itself wrote are resumed by it, and what it sends is what `clew context` says, to the last character,
// unless the context says that no log can know it.
// `CLEW_JUDGE`: a program that lets it resume a session file and prints what it sent. `CLEW_DRIVEN`: homes that versions of it
// wrote, with colons between them; without it scripts/drift.mjs lets two versions write sessions first.

import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { decodeText } from '../../src/decode/decode.ts'
import { contextOfEvents } from '../../src/graph/context/context.ts'
import { referenceVersion } from '../../src/graph/context/reference.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { Context } from '../../src/model/session.ts'
import { type Strict, strictBlocks, strictByClient, withoutLastLineEnd } from './strict.ts'

const run = promisify(execFile)
const versions = [referenceVersion, '2.1.310']
const resumers = [referenceVersion, '2.1.328']
const scratch = mkdtempSync(join(tmpdir(), 'clew-driven-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

async function drivenHomes(): Promise<string[]> {
  const given = process.env['CLEW_DRIVEN']
  if (given !== undefined) return given.split(':')
  const homes: string[] = []
  for (const version of versions) {
    const home = join(scratch, version)
    // It exits with 1 where the catalog lacks something, which is for another test to judge.
    await run('node', ['scripts/drift.mjs', version, '--out', home], { maxBuffer: 1 << 28 }).catch(() => {})
    homes.push(home)
  }
  return homes
}

function sessionsIn(home: string): string[] {
  const folders = readdirSync(join(home, 'projects')).map(name => join(home, 'projects', name))
  return folders.flatMap(folder =>
    readdirSync(folder)
      .map(name => join(folder, name))
      .filter(isLog),
  )
}

const isLog = (path: string): boolean => path.endsWith('.jsonl')

async function resumed(file: string, client: string, expected: readonly Strict[]): Promise<Strict[] | null> {
  const judge = resolve(process.env['CLEW_JUDGE'] ?? '')
  const { stdout } = await run('node', [judge, file, '--client', client], { maxBuffer: 1 << 28 })
  const [call] = JSON.parse(stdout).calls
  return call === undefined ? null : withoutLastLineEnd(strictByClient(call.messages, expected))
}

function contextOf(file: string): Context {
  const session = basename(file, '.jsonl')
  return contextOfEvents(sessionId(session), decodeText(readFileSync(file), { session, file }).events)
}

describe('sessions that Claude Code wrote', { tags: 'judge' }, () => {
  test('are resumed as the context says', { timeout: 3_600_000 }, async () => {
    const files = (await drivenHomes()).flatMap(sessionsIn)
    expect(files.length).toBeGreaterThanOrEqual(70)
    const differing: string[] = []
    for (const file of files) {
      const context = contextOf(file)
      const expected = context.resumable ? withoutLastLineEnd(strictBlocks(context)) : null
      for (const client of resumers)
        if (context.partial === undefined && !isDeepStrictEqual(await resumed(file, client, expected ?? []), expected))
          differing.push(`${client} ${file}`)
    }
    expect(differing).toEqual([])
  })
})
