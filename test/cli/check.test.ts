// What `clew check` prints of what it found: grouped, selected, or every finding; and what may be named to it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { clewHere } from './run.ts'

const session = '0c0ffee0-0000-4000-8000-000000000001'

/** A session with three orphans, an unknown type, and a line that is no JSON. */
function home(folder: string): string {
  const project = join(folder, 'projects', '-p')
  mkdirSync(project, { recursive: true })
  const line = (n: number, parentUuid: string | null) =>
    JSON.stringify({
      type: 'user',
      uuid: `0000000${n}-0000-4000-8000-000000000000`,
      parentUuid,
      sessionId: session,
      timestamp: `2026-01-01T00:00:0${n}.000Z`,
      isSidechain: false,
      userType: 'external',
      cwd: '/p',
      version: '2.1.45',
      message: { role: 'user', content: 'hello' },
    })
  const orphans = [2, 3, 4].map(n => line(n, `9999999${n}-0000-4000-8000-000000000000`))
  writeFileSync(
    join(project, `${session}.jsonl`),
    `${[line(1, null), ...orphans, '{"type":"hologram"}', 'no json'].join('\n')}\n`,
  )
  return folder
}

describe('clew check', () => {
  it('prints each rule once, the worst first, with a count and the first place', async () => {
    await withFolder(async folder => {
      const { stdout, code } = await clewHere(['check', home(folder)])
      expect(code).toBe(1)
      const printed = stdout.split('\n')
      expect(printed[0]).toMatch(/^error malformed-line \S+:6 \(byte \d+\): /)
      const at = printed.indexOf('info orphan-parent: 3 findings')
      expect(at).toBeGreaterThan(0)
      expect(printed[at + 1]).toMatch(/^ {2}first: \S+:2 \(byte \d+\): /)
      expect(stdout).toContain('to see every finding: clew check --all')
    })
  })

  it('prints every finding with --all', async () => {
    await withFolder(async folder => {
      const { stdout } = await clewHere(['check', home(folder), '--all'])
      expect(stdout.match(/^info orphan-parent \S+:\d+/gm)).toHaveLength(3)
      expect(stdout).not.toContain('to see every finding')
    })
  })

  it('reports findings from a severity on, or of some rules; the exit code is about those', async () => {
    await withFolder(async folder => {
      home(folder)
      const severe = await clewHere(['check', folder, '--severity', 'error', '--json'])
      const found = JSON.parse(severe.stdout) as { findings: { severity: string }[]; groups: { code: string }[] }
      expect(found.findings.map(({ severity }) => severity)).toEqual(['error'])
      expect(found.groups.map(({ code }) => code)).toEqual(['malformed-line'])
      const chosen = await clewHere(['check', folder, '--rule', 'orphan-parent', '--rule', 'unknown-record', '--json'])
      expect(chosen.code).toBe(0)
      const groups = (JSON.parse(chosen.stdout) as { groups: { code: string; count: number }[] }).groups
      expect(groups.map(({ code, count }) => [code, count])).toEqual([
        ['orphan-parent', 3],
        ['unknown-record', 1],
      ])
    })
  })

  it('refuses a rule that there is not', async () => {
    const { stderr, code } = await clewHere(['check', '--rule', 'orphan'])
    expect(code).toBe(2)
    expect(stderr).toContain('no rule is called "orphan"')
  })

  it('takes sessions as show does, and says which is missing', async () => {
    await withFolder(async folder => {
      home(folder)
      for (const name of [session, '0c0ffee0', 'last']) {
        const { stdout, code } = await clewHere(['check', name, '--root', folder])
        expect(code).toBe(1)
        expect(stdout).toContain('in 1 file, 6 records')
      }
      const missing = await clewHere(['check', 'feed', '--root', folder])
      expect(missing.code).toBe(2)
      expect(missing.stderr).toContain('no session matches "feed"')
    })
  })

  it('has one finding for a binary file', async () => {
    await withFolder(async folder => {
      const file = join(folder, `${session}.jsonl`)
      writeFileSync(
        file,
        Uint8Array.from({ length: 8000 }, (_, i) => (i * 37) % 256),
      )
      for (const profile of ['real', 's2']) {
        const { stdout, code } = await clewHere(['check', file, '--all', '--quiet', '--profile', profile])
        expect(code).toBe(1)
        expect(stdout).toMatch(
          /^error not-a-log \S+: None of its \d+ lines is a known record, and most are not JSON\.\n$/,
        )
      }
    })
  })
})
