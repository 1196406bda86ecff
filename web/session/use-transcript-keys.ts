// The keys of the transcript: to the next item, prompt, error; open, copy, raw record, find, details.

import type { RefObject } from 'react'
import { useKeys } from '../keys.ts'
import { copyText, say } from '../parts/copy.tsx'
import { copiedFrom } from './items/copy-text.ts'
import type { Rows } from './rows.ts'
import { startsOpen } from './starts-open.ts'
import { itemKey, type OpenItems } from './state.ts'
import type { ListHandle } from './transcript.tsx'
import type { Cursoring } from './use-cursor.ts'

export interface KeysNeeds {
  cursoring: Cursoring
  rows: Rows
  open: OpenItems
  list: RefObject<ListHandle | null>
  raw: string | undefined
  onRaw(event: string | undefined): void
  onFind(): void
  onInspect(): void
}

export function useTranscriptKeys(needs: KeysNeeds): void {
  const { cursoring, rows, open, list, raw, onRaw, onFind, onInspect } = needs
  const leap = (slots: readonly number[], direction: 1 | -1, what: string) => {
    if (!cursoring.leap(slots, direction)) say(`No ${direction === 1 ? 'further' : 'earlier'} ${what}`)
  }
  const toggle = () => {
    const { cursor, item } = cursoring
    if (!cursor || !item) return false
    const key = itemKey('', cursor.slot, cursor.n)
    open.set(key, !open.isOpen(key, startsOpen(item)))
    return true
  }
  const step = (direction: 1 | -1) => {
    cursoring.step(direction)
    if (raw !== undefined && cursoring.item) onRaw(cursoring.item.id)
  }
  useKeys(
    {
      j: ['next item', () => step(1)],
      k: ['previous item', () => step(-1)],
      n: () => leap(rows.prompts, 1, 'prompt'),
      p: () => leap(rows.prompts, -1, 'prompt'),
      e: () => leap(rows.errors, 1, 'error'),
      E: ['previous error', () => leap(rows.errors, -1, 'error')],
      o: toggle,
      Enter: toggle,
      r: () => (raw === undefined ? cursoring.item && onRaw(cursoring.item.id) : onRaw(undefined)),
      c: () => {
        if (!cursoring.item) return false
        const { text, what } = copiedFrom(cursoring.item)
        void copyText(text, what)
        return true
      },
      f: onFind,
      i: ['details of this place', onInspect],
      Home: ['beginning', () => list.current?.land(0)],
      End: ['end', () => list.current?.land('end')],
    },
    'Transcript',
  )
}
