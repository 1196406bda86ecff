// Items made by hand: one of every kind, with every part, and any text in every field that can have text of a log.

import { eventId, threadId } from '../../src/model/ids.ts'
import type { CallStatus } from '../../src/model/session.ts'
import type { ViewItem, ViewKind, ViewPart } from '../../src/view/view.ts'
import { kinds } from '../export/items.ts'

export function item(kind: ViewKind, fields: Partial<ViewItem> = {}): ViewItem {
  return {
    id: eventId('e1'),
    kind,
    actor: kind === 'prompt' ? 'human' : 'agent',
    thread: threadId('s1'),
    at: '2026-01-12T09:14:03.000Z',
    headline: '',
    badges: [],
    body: [],
    isQuiet: false,
    ...fields,
  }
}

/** Every part with the text wherever text can be. */
export function everyPart(text: string): ViewPart[] {
  return [
    { type: 'markdown', text },
    {
      type: 'markdown',
      text: `# ${text}\n\n- ${text}\n  1. ${text}\n\n> ${text}\n\n[${text}](http://x/${text}) ![${text}](${text})`,
    },
    { type: 'markdown', text: `| a | b |\n|---|:-:|\n| ${text} | \`${text}\` |\n\n\`\`\`${text}\n${text}\n\`\`\`\n` },
    { type: 'text', text, tone: 'plain', label: text, spillFile: text },
    { type: 'text', text, tone: 'bad', label: text, isFolded: true },
    { type: 'code', text, language: text, startLine: 7 },
    { type: 'code', text, language: text, isFolded: true },
    {
      type: 'diff',
      path: text,
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: [
            { sign: '+', text },
            { sign: '-', text },
            { sign: ' ', text },
          ],
        },
      ],
      added: 1,
      removed: 1,
      isComputed: true,
    },
    { type: 'checklist', items: (['open', 'active', 'done', 'dropped'] as const).map(state => ({ text, state })) },
    { type: 'facts', facts: [{ name: text, value: text }] },
    { type: 'media', media: 'image', mediaType: text, bytes: 34_000, data: text },
  ]
}

/** Every kind with every part, threads nested in each other, the text in every field. */
export function everyItem(text: string): ViewItem[] {
  const statuses: (CallStatus | undefined)[] = [undefined, 'done', 'failed', 'interrupted', 'missing', 'running']
  const tones = ['plain', 'quiet', 'good', 'bad', 'warn', 'accent'] as const
  const fields = (index: number): Partial<ViewItem> => {
    const status = statuses[index % statuses.length]
    return {
      id: eventId(text),
      thread: threadId(text),
      headline: text,
      badges: tones.map(tone => ({ text, tone })),
      turn: index,
      isQuiet: index % 2 === 0,
      ...(status && { status }),
      ...(index % 3 === 0 && { isRemoved: true }),
      ...(index % 4 === 0 && { isAborted: true }),
    }
  }
  const flat = kinds.map((kind, index) => item(kind, { ...fields(index), body: everyPart(text) }))
  const empty = kinds.map((kind, index) => item(kind, fields(index)))
  const thread = (items: ViewItem[]): ViewPart => {
    const inner: ViewPart = { type: 'thread', thread: threadId(text), agentType: text, linkedBy: text, items }
    return { type: 'thread', thread: threadId(text), items: [item('call', { headline: text, body: [inner] })] }
  }
  // One has all kinds inside; painting all of them in each takes long and shows no more.
  const few = flat.slice(0, 3)
  const nested = (['call', 'notice', 'prompt'] as const).map((kind, at) =>
    item(kind, { ...fields(1), body: [thread(at === 0 ? flat : few)] }),
  )
  const branch: ViewPart = { type: 'branch', leaf: eventId(text), items: [...few, ...nested.slice(1)] }
  return [...flat, ...empty, ...nested, item('branch', { ...fields(1), body: [branch] })]
}
