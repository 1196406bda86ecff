// The commands of docs/write.md work as they are written, one after the other.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeDemo, runLine } from '../../scripts/docs-demo.mjs'
import { mainFile } from '../cli/run.ts'

const blocks = [...readFileSync('docs/write.md', 'utf8').matchAll(/```console\n([\s\S]*?)```/g)]
const lines = blocks.flatMap(([, text = '']) => text.trim().split('\n')).map(line => line.replace(/^\$ /, ''))

describe('docs/write.md', () => {
  it('has commands that work', () => {
    expect(lines.length).toBeGreaterThan(8)
    const demo = makeDemo()
    try {
      for (const line of lines) {
        const { code, stderr } = runLine(demo, line, mainFile)
        expect([line, code, stderr.match(/\berror\b|^\s+at /m)]).toEqual([line, 0, null])
      }
    } finally {
      demo.remove()
    }
  })
})
