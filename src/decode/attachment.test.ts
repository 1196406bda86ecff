import { describe, expect, it } from 'vitest'
import { envelope, one } from './testing.ts'

describe('the blocks of an attachment', () => {
  const text = (written: string) => [{ type: 'text', text: written }]
  it.each([
    [text('from stdout'), { type: 'hook_success', content: '', stdout: 'from stdout', stderr: '' }],
    [text('from stderr'), { type: 'hook_non_blocking_error', stdout: '', stderr: 'from stderr' }],
    [
      text('be brief'),
      { type: 'nested_memory', content: { path: '/p/CLAUDE.md', type: 'Project', content: 'be brief' } },
    ],
    [text('a'), { type: 'file', content: { type: 'text', file: { filePath: '/p/a', content: 'a' } } }],
    [
      [{ type: 'image', mediaType: 'image/png', bytes: 5 }],
      { type: 'file', content: { type: 'image', file: { base64: 'aGVsbG8=', type: 'image/png' } } },
    ],
    [text('1. do it'), { type: 'plan_file_reference', planFilePath: '/p/plan.md', planContent: '1. do it' }],
    [[], { type: 'date_change', newDate: '2026-01-02' }],
  ])('are %j for %j', (blocks, attachment) => {
    expect(one({ ...envelope, type: 'attachment', attachment }).blocks).toEqual(blocks)
  })
})
