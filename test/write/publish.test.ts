// A new session is there with all of its files or not at all, whichever call to the disk fails.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskTree } from '../../src/disk/discover/tree.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'
import { publish } from '../../src/write/publish.ts'
import { withFolder } from '../home.ts'
import { sessionName } from './sketch.ts'

const edited = {
  session: sessionName,
  lines: ['{"type":"user"}', '{"type":"assistant"}'],
  files: [
    { path: 'subagents/agent-a1.jsonl', content: { lines: ['{}'] } },
    { path: 'tool-results/t.txt', content: { copyOf: 'package.json' } },
  ],
}

/** Fails the n-th call. */
function failing(at: number, code: string): { ops: WriteOps; count: () => number } {
  let calls = 0
  const ops = new Proxy(realOps, {
    get:
      (target, name: keyof WriteOps) =>
      (...args: never[]) => {
        if (calls++ === at) throw Object.assign(new Error(code), { code })
        return (target[name] as (...args: never[]) => unknown)(...args)
      },
  })
  return { ops, count: () => calls }
}

describe('publishing a session', () => {
  it('writes its files, the log last, and never over another session', () =>
    withFolder(async folder => {
      const { path, files, bytes } = await publish(folder, edited, { tree: diskTree })
      expect(path).toBe(join(folder, `${sessionName}.jsonl`))
      expect(readFileSync(path, 'utf8')).toBe('{"type":"user"}\n{"type":"assistant"}\n')
      expect(files).toHaveLength(3)
      expect(bytes).toBe(files.reduce((sum, file) => sum + readFileSync(file).length, 0))
      await expect(publish(folder, edited, { tree: diskTree })).rejects.toMatchObject({ code: 'exists' })
    }))

  it('leaves nothing where any call fails', () =>
    withFolder(async folder => {
      const whole = failing(-1, '')
      await publish(join(folder, 'whole'), edited, { tree: diskTree, ops: whole.ops })
      expect(whole.count()).toBeGreaterThan(20)
      for (let at = 0; at < whole.count(); at++) {
        const project = join(folder, `p${at}`)
        const written = publish(project, edited, { tree: diskTree, ops: failing(at, 'ENOSPC').ops })
        const isThere = await written.then(
          () => true,
          error => {
            expect(error.message).toContain(`The disk is full: ${project}`)
            return false
          },
        )
        const left = (() => {
          try {
            return readdirSync(project, { recursive: true }).map(String).sort()
          } catch {
            return []
          }
        })()
        // Only the last call, which syncs the folder, comes after the log has its name.
        const isWhole = left.includes(`${sessionName}.jsonl`)
        expect([at, isThere || isWhole ? left.length > 0 : left.filter(name => name.includes(sessionName))]).toEqual([
          at,
          isThere || isWhole ? true : [],
        ])
      }
    }))
})
