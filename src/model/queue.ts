// Which of the texts that waited in the queue were prompts that are nowhere else. Up to 2.1.9x Claude Code gave what was
// typed while it worked to the model without a record of its own: the queue's lines are all that is left of it.
//
//   enqueue "check the weather" ─ remove                     taken into the running turn: a prompt (2.0.77 to 2.1.45)
//   enqueue … ─ remove ─ attachment/queued_command           the same with a record of its own (2.1.100 on): that is the prompt
//   enqueue … ─ dequeue ─ user                               begins a turn by itself: the `user` record is the prompt
//   enqueue … ─ popAll                                       taken back to be edited: no prompt

import { blocksText, type EventOf, hasFlag, type SessionEvent } from './event.ts'

/** A prompt that is only in the queue's lines. */
export interface QueuedPrompt {
  /** The line that has its text. */
  prompt: SessionEvent
  /** The line that shows when the model got it. */
  taken: SessionEvent
}

interface Waiting {
  event: SessionEvent
  text: string
  isTyped: boolean
  /** Whether a record of its own says the same. */
  isSaid: boolean
  taken?: SessionEvent
  /** How many answers are before the line that took it. */
  answers: number
}

/** Reads events of a session in reading order; one per session. */
export class QueueReader {
  private readonly waiting: Waiting[] = []
  private next = 0
  private readonly taken: Waiting[] = []
  /** What was taken and is not yet known to be elsewhere, by text. */
  private readonly unsaid = new Map<string, Waiting[]>()
  private answers = 0

  see(event: SessionEvent): void {
    if (hasFlag(event, 'copy')) return
    if (event.kind === 'queue') this.seeOperation(event)
    else if (event.kind === 'prompt') this.seePrompt(event)
    else if (event.kind === 'answer') this.answers++
  }

  /** In the order in which the model got them. */
  prompts(): QueuedPrompt[] {
    const found: QueuedPrompt[] = []
    for (const { event, isTyped, isSaid, taken } of this.taken) {
      if (isTyped && !isSaid && taken) found.push({ prompt: event, taken })
    }
    return found
  }

  private seeOperation(event: EventOf<'queue'>): void {
    switch (event.detail?.operation) {
      case 'enqueue':
        // Tasks are announced in the queue but do not wait in it.
        if (event.detail.task === undefined) this.waiting.push(newWaiting(event))
        return
      case 'popAll':
        this.next = this.waiting.length
        return
      case 'dequeue':
        this.next = Math.min(this.next + 1, this.waiting.length)
        return
      case 'remove':
        this.take(event)
    }
  }

  private take(event: SessionEvent): void {
    const first = this.waiting[this.next]
    if (first === undefined) return
    this.next++
    first.taken = event
    first.answers = this.answers
    this.taken.push(first)
    if (first.isSaid) return
    const same = this.unsaid.get(first.text)
    if (same) same.push(first)
    else this.unsaid.set(first.text, [first])
  }

  /** The record that repeats a queued prompt is an attachment, wherever it is, or a `user` record before the next answer. */
  private seePrompt(event: SessionEvent): void {
    if (this.waiting.length === 0) return
    const isAttachment = event.wireType === 'attachment'
    const text = blocksText(event.blocks).trim()
    const same = this.unsaid.get(text)
    const last = same?.at(-1)
    if (same && last && (isAttachment || last.answers === this.answers)) {
      last.isSaid = true
      same.pop()
      return
    }
    const first = this.waiting[this.next]
    if (isAttachment && first?.text === text) first.isSaid = true
  }
}

const command = /^\/[\w:.-]+(\s|$)/
const ownTag = /^<([a-z]+(-[a-z]+)+|tick|goal|channel)[\s>]/

function newWaiting(event: EventOf<'queue'>): Waiting {
  const text = (event.detail?.content ?? blocksText(event.blocks)).trim()
  const isNote = event.detail?.notification !== undefined || ownTag.test(text)
  return { event, text, isTyped: text !== '' && !isNote && !command.test(text), isSaid: false, answers: 0 }
}
