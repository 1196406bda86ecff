import { describe, expect, it } from 'vitest'
import { editorAddress } from './editor.tsx'

describe('the address of a file in an editor', () => {
  it('has the path, escaped, and the line', () => {
    expect(editorAddress('vscode', '/home/mira/my shop/a#1.ts', 12)).toBe(
      'vscode://file/home/mira/my%20shop/a%231.ts:12',
    )
    expect(editorAddress('cursor', 'C:\\Users\\me\\a.ts')).toBe('cursor://file/C:/Users/me/a.ts')
  })

  it('is none for other paths and other schemes', () => {
    for (const path of ['src/a.ts', '', '//server/share/a', 'javascript:alert(1)', '/a\nb', '~/a']) {
      expect(editorAddress('vscode', path)).toBeUndefined()
    }
    for (const scheme of ['javascript', 'http', 'file', 'data', '']) {
      expect(editorAddress(scheme, '/a')).toBeUndefined()
    }
  })
})
