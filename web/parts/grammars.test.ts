import { afterEach, describe, expect, it, vi } from 'vitest'
import { grammarName, loadGrammar } from './grammars.ts'
import { highlight } from './highlight.ts'

afterEach(() => vi.unstubAllGlobals())

describe('grammars', () => {
  it('are known under the names that people write', () => {
    expect(['TypeScript', 'sh', 'py', 'c++', 'constructor', ''].map(grammarName)).toEqual([
      'ts',
      'bash',
      'python',
      'cpp',
      undefined,
      undefined,
    ])
  })

  it('are fetched by name', async () => {
    for (const name of ['ts', 'bash', 'json', 'python']) expect((await loadGrammar(name)).length).toBeGreaterThan(0)
  })

  it('give tokens with looks, and all of the text', async () => {
    vi.stubGlobal('window', globalThis)
    const text = 'const a = "x" // y\nlet b = 1'
    const lines = await highlight(text, 'ts', new AbortController().signal)
    expect(lines?.map(line => line.map(token => token.text).join('')).join('\n')).toBe(text)
    const looks = new Set(lines?.flat().map(token => token.look))
    expect(looks).toContain('hl-keyword')
    expect(looks).toContain('hl-string')
    expect(looks).toContain('hl-comment')
  })
})
