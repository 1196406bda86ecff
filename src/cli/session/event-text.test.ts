import { expect, it } from 'vitest'
import { callId } from '../../model/ids.ts'
import { blockGist } from './event-text.ts'

const gist = (name: string, input: unknown) =>
  blockGist({ type: 'tool-call', callId: callId('toolu_1'), name, input }, '/home/ida/shop')

it('a call in one line names the file that it touches, else what it does', () => {
  expect(gist('NotebookEdit', { notebook_path: 'sums.ipynb' })).toBe('→ NotebookEdit /home/ida/shop/sums.ipynb')
  expect(gist('Grep', { pattern: 'rolls', path: '/home/ida' })).toBe('→ Grep rolls')
  expect(gist('LS', { path: '/home/ida' })).toBe('→ LS /home/ida')
  expect(gist('Bash', { command: 'ls' })).toBe('→ Bash ls')
})
