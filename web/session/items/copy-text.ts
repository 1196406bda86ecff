// The plain text of an item, to paste: a prompt, an answer as Markdown, a command, a patch.

import type { ViewItem, ViewPart } from '../../../src/view/view.ts'
import { patchText } from '../../parts/diff.tsx'

export interface Copied {
  what: string
  text: string
}

const names: Partial<Record<ViewItem['kind'], string>> = {
  prompt: 'prompt',
  delegation: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  summary: 'summary',
  error: 'error',
}

export function copiedFrom(item: ViewItem): Copied {
  const diffs = item.body.filter(part => part.type === 'diff')
  if (diffs.length > 0) return { what: 'patch', text: diffs.map(patchText).join('') }
  const first = item.body[0]
  if (item.kind === 'call' && first?.type === 'code') {
    return { what: first.language === 'bash' ? 'command' : 'code', text: first.text }
  }
  const text = item.body.map(partText).filter(one => one !== '')
  const what = names[item.kind] ?? 'text'
  return { what, text: text.length === 0 ? item.headline : text.join('\n\n') }
}

function partText(part: ViewPart): string {
  switch (part.type) {
    case 'markdown':
    case 'text':
    case 'code':
      return part.text
    case 'diff':
      return patchText(part)
    case 'checklist':
      return part.items.map(item => `- [${item.state === 'done' ? 'x' : ' '}] ${item.text}`).join('\n')
    case 'facts':
      return part.facts.map(fact => `${fact.name}: ${fact.value}`).join('\n')
    default:
      return ''
  }
}
