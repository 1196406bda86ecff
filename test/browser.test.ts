import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { expectLaws } from './laws/laws.ts'

/** What the package offers for browsers and workers. */
const entries = [
  'src/decode/decode.ts',
  'src/graph/graph.ts',
  'src/graph/context/context.ts',
  'src/session/load.ts',
  'src/view/view.ts',
]

describe('the folders that run in a browser', () => {
  it.each(entries)('%s bundles for one, without Node', async entry => {
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      logLevel: 'silent',
    })
    const text = outputFiles.map(file => file.text).join('')
    expect(text).not.toMatch(/["']node:/)
    expect(text).not.toMatch(/\b(process|Buffer|require|__dirname)\b\s*[.(]/)
    expect(
      Object.keys(metafile.inputs).filter(
        input => !/^src\/(base|model|decode|graph|usage|session|check|view|render)\//.test(input),
      ),
    ).toEqual([])
  })

  it('decodes without Buffer, as a browser does', () => {
    const bytes = new TextEncoder().encode(
      '{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"丸め"}}\n',
    )
    expect('utf8Slice' in bytes).toBe(false)
    expectLaws(bytes, [3, 40])
  })
})
