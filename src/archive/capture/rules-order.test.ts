import { describe, expect, it } from 'vitest'
import { inOrder } from './rules.ts'
import type { LiveFile } from './survey.ts'

const session = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const main = (n: number) => `projects/-p/${session(n)}.jsonl`
const agent = (n: number, name: string) => `projects/-p/${session(n)}/subagents/agent-${name}.jsonl`

/** A file of this many bytes; the larger `mtimeMs`, the younger. */
function file(path: string, mtimeMs: number, size = 10): LiveFile {
  const state = { size, mtimeMs, ctimeMs: mtimeMs, identity: path }
  return { home: '/h', path, place: `/h/${path}`, mode: 0o600, state }
}

const files = [
  file('todos/x.json', 1),
  file(agent(2, 'c'), 2),
  file(main(1), 5, 900),
  file(agent(1, 'a'), 3),
  file(main(2), 6, 20),
  file(`projects/-p/${session(1)}/tool-results/x.txt`, 1),
  file('projects/-p/agent-old.jsonl', 4),
]
const paths = (ordered: readonly LiveFile[]) => ordered.map(({ path }) => path)

describe('files to capture', () => {
  it('come by kind, since what belongs to a session follows its rules, and the oldest first', () => {
    const ordered = paths(inOrder(files))
    expect(ordered.slice(0, 2)).toEqual([main(1), main(2)])
    expect(ordered.indexOf(agent(2, 'c'))).toBeLessThan(ordered.indexOf(agent(1, 'a')))
    expect(ordered.at(-1)).toMatch(/tool-results/)
    expect(ordered).toHaveLength(files.length)
  })
})
