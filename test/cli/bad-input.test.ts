import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clewHere, mainFile, type Result } from './run.ts'

const codex = '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x","cwd":"/p"}}\n'

/** Makes one bad path in a folder and gives it back with the code that its finding has. */
const badInputs: readonly (readonly [name: string, code: string, make: (folder: string) => string])[] = [
  ['a missing file', 'missing-path', folder => join(folder, 'nothing.jsonl')],
  ['a folder without sessions', 'no-sessions', folder => folder],
  [
    'a binary file',
    'not-a-log',
    folder => {
      const bytes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)
      writeFileSync(join(folder, 'image.jsonl'), bytes)
      return join(folder, 'image.jsonl')
    },
  ],
  [
    'a Codex log',
    'foreign-log',
    folder => {
      writeFileSync(join(folder, 'rollout.jsonl'), codex.repeat(3))
      return join(folder, 'rollout.jsonl')
    },
  ],
  [
    'a file of 0 bytes',
    'no-records',
    folder => {
      writeFileSync(join(folder, 'empty.jsonl'), '')
      return join(folder, 'empty.jsonl')
    },
  ],
  [
    'a FIFO',
    'not-a-regular-file',
    folder => {
      execFileSync('mkfifo', [join(folder, 'pipe.jsonl')])
      return join(folder, 'pipe.jsonl')
    },
  ],
]

function expectClear(result: Result, code: string, path: string): void {
  const text = result.stdout + result.stderr
  expect([1, 2]).toContain(result.code)
  expect(text).toContain(code)
  expect(text).toContain(path)
  expect(text).not.toMatch(/\n\s+at .*:\d+/)
}

describe('bad input gets a clear finding, an exit code of 1 or 2 and no stack trace', () => {
  for (const [name, code, make] of badInputs) {
    it.each(['records', 'events', 'check'])(`${name}, given to %s`, async command => {
      await withFolder(async folder => {
        const path = make(folder)
        expectClear(await clewHere([command, path]), code, path)
      })
    })

    it.each(['context', 'show'])(`${name}, given to %s`, async command => {
      await withFolder(async folder => {
        const { stdout, stderr, code: exit } = await clewHere([command, make(folder)])
        expect([1, 2]).toContain(exit)
        expect((stdout + stderr).trim()).not.toBe('')
        expect(stderr).not.toMatch(/\n\s+at /)
      })
    })
  }

  it('names file, line and byte in the JSON of check', async () => {
    await withFolder(async folder => {
      const file = join(folder, 'rollout.jsonl')
      writeFileSync(file, `\n${codex}`)
      const report = JSON.parse((await clewHere(['check', file, '--json'])).stdout)
      const finding = report.findings.find((one: { code: string }) => one.code === 'foreign-log')
      expect(finding).toMatchObject({ file, line: 2, offset: 1, severity: 'error' })
    })
  })

  it('a file and a folder without permission', async () => {
    await withFolder(folder => {
      const file = join(folder, 'secret.jsonl')
      writeFileSync(file, codex)
      const closed = join(folder, 'closed')
      mkdirSync(closed)
      chmodSync(file, 0)
      chmodSync(closed, 0)
      chmodSync(folder, 0o755)
      for (const [path, code] of [
        [file, 'unreadable-file'],
        [closed, 'unreadable-folder'],
      ] as const) {
        for (const command of ['records', 'events', 'check']) expectClear(asNobody([command, path]), code, path)
      }
    })
  })

  it('continues with the next file after one that cannot be read', async () => {
    await withFolder(async folder => {
      const good = join(folder, 'good.jsonl')
      writeFileSync(good, '{"type":"custom-title","customTitle":"T","sessionId":"s"}\n')
      const { stdout, code } = await clewHere(['records', join(folder, 'missing.jsonl'), good, '--json'])
      expect(code).toBe(1)
      expect(stdout).toContain('custom-title')
    })
  })
})

/** Permissions do not stop root, so these run as somebody else where the tests run as root. */
function asNobody(args: readonly string[]): Result {
  const isRoot = process.getuid?.() === 0
  const done = spawnSync(process.execPath, [mainFile, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    ...(isRoot ? { uid: 65534, gid: 65534 } : {}),
  })
  return { stdout: done.stdout, stderr: done.stderr, code: done.status }
}

describe('an index of what is not there', () => {
  it('is an error, and says what is missing', async () => {
    await withFolder(async folder => {
      const { code, stderr } = await clewHere(['index', 'refresh', '--root', join(folder, 'nothing')], {
        env: { CLEW_HOME: join(folder, 'own') },
      })
      expect(code).toBe(2)
      expect(stderr).toContain('There is no such file or folder.')
    })
  })
})
