import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { homeInUse, sessionInUse } from './in-use.ts'

const session = '11111111-1111-4111-8111-111111111111'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'clew-in-use-'))
  mkdirSync(join(home, 'sessions'))
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

function write(name: string, content: string): void {
  writeFileSync(join(home, 'sessions', name), content)
}

describe('a session', () => {
  test('is in use while the Claude Code process that names it runs', () => {
    write(`${process.pid}.json`, JSON.stringify({ pid: process.pid, sessionId: session, cwd: '/home/mira' }))
    expect(sessionInUse(home, session)).toBe(process.pid)
    expect(sessionInUse(home, '22222222-2222-4222-8222-222222222222')).toBeNull()
    expect(homeInUse(home)).toBe(process.pid)
  })

  test('is not in use when that client is gone', () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    write(`${pid}.json`, JSON.stringify({ pid, sessionId: session }))
    expect(sessionInUse(home, session)).toBeNull()
    expect(homeInUse(home)).toBeNull()
  })

  test('is in use by a process of another user, which may not be asked', () => {
    write('1.json', JSON.stringify({ pid: 1, sessionId: session }))
    expect(sessionInUse(home, session)).toBe(1)
  })

  test('is in use when only half of the file that names it is written', () => {
    write(`${process.pid}.json`, `{"pid":${process.pid},"sessionId":"${session}","cwd":"/ho`)
    expect(sessionInUse(home, session)).toBe(process.pid)
    write(`${process.pid}.json`, `{"sessionId":"${session}","pid":4`)
    expect(sessionInUse(home, session)).toBe(process.pid)
  })

  test('is not in use whatever else is there', () => {
    mkdirSync(join(home, 'sessions', 'folder.json'))
    write('garbage.json', `\0\0${session}`)
    write('empty.json', '')
    write('group.json', JSON.stringify({ pid: -1, sessionId: session }))
    write('text.json', JSON.stringify({ pid: 'x', sessionId: session }))
    write('note.txt', JSON.stringify({ pid: process.pid, sessionId: session }))
    expect(sessionInUse(home, session)).toBeNull()
    expect(sessionInUse(join(home, 'nowhere'), session)).toBeNull()
  })
})
