// Small parts of items: badges, facts, times, check lists, images and documents.

import { useState } from 'react'
import { sizeText } from '../../src/base/format.ts'
import type { Instant } from '../../src/base/instant.ts'
import { isSafeAddress, pictureAddress, visibleLine, visibleText } from '../../src/render/safe-text.ts'
import type { Badge, CheckListPart, FactsPart, MediaPart } from '../../src/view/view.ts'
import { mediaAddress } from '../api.ts'
import { localSession } from '../route.ts'
import { clock, longWhen } from '../shell/format.ts'
import { Icon } from './icon.tsx'

/** `+3` and `-1` of a diff are numbers, not verdicts. */
const countMark = /^[+-]\d/

export function BadgeMark({ badge }: { badge: Badge }) {
  const text = visibleLine(badge.text).replace(/^-(?=\d)/, '−')
  const isVerdict = badge.tone === 'bad' && !countMark.test(badge.text)
  return (
    <span className={`mark-${badge.tone} badge`}>
      {isVerdict ? <Icon name="bad" /> : null}
      {text}
    </span>
  )
}

export function Facts({ facts }: { facts: FactsPart['facts'] }) {
  return (
    <dl className="facts">
      {keyed(facts).map(({ key, value: fact }) => (
        <div key={key}>
          <dt>{visibleLine(fact.name)}</dt>
          <dd>{isSafeAddress(fact.value) ? <SafeLink href={fact.value} /> : visibleText(fact.value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** An address that was written in the log, shown whole. */
export function SafeLink({ href }: { href: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {visibleLine(href)}
    </a>
  )
}

export function TimeMark({ at }: { at: Instant }) {
  if (at === null) return null
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return null
  return (
    <time className="when-mark" dateTime={date.toISOString()} title={longWhen(at)}>
      {clock(date)}
    </time>
  )
}

const words = { open: 'open', active: 'in progress', done: 'done', dropped: 'dropped' } as const

export interface CheckListProps {
  items: CheckListPart['items']
  /** Options of a question: what is ticked was chosen. */
  isChoice?: boolean
}

export function CheckList({ items, isChoice = false }: CheckListProps) {
  return (
    <ul className={isChoice ? 'checklist is-choice' : 'checklist'}>
      {keyed(items).map(({ key, value: item }) => (
        <li key={key} data-state={item.state}>
          <Box state={item.state} />
          <span>
            <span className="unseen">
              {isChoice ? (item.state === 'done' ? 'chosen' : 'not chosen') : words[item.state]}:{' '}
            </span>
            {visibleText(item.text)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Box({ state }: { state: CheckListPart['items'][number]['state'] }) {
  return (
    <svg className="box" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <rect x="1.500" y="1.500" width="11" height="11" rx="3" />
      {state === 'done' ? <path d="m4 7.200 2.200 2.200L10.200 5" /> : null}
      {state === 'active' ? <circle cx="7" cy="7" r="2.200" /> : null}
      {state === 'dropped' ? <path d="M4 7h6" /> : null}
    </svg>
  )
}

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export interface MediaProps {
  part: MediaPart
  session: string
  event: string
  /** Its place among the event's media. */
  n: number
}

export function Media({ part, session, event, n }: MediaProps) {
  const [isBroken, setBroken] = useState(false)
  const name = `${part.media === 'image' ? 'Image' : 'Document'}, ${visibleLine(part.mediaType)}, ${sizeText(part.bytes)}`
  const address = addressOf({ part, session, event, n })
  if (part.media === 'image' && pictures.has(part.mediaType) && address !== null && !isBroken) {
    return (
      <figure className="media">
        <a href={address} target="_blank" rel="noreferrer noopener">
          <img src={address} alt={name} loading="lazy" decoding="async" onError={() => setBroken(true)} />
        </a>
        <figcaption>{name}</figcaption>
      </figure>
    )
  }
  return (
    <p className="media-name">
      <Icon name={part.media === 'image' ? 'picture' : 'file'} /> {name}
      {isBroken ? ' · its data is not in the log' : null}
      {part.media === 'document' && address !== null ? (
        <>
          {' · '}
          <a href={address} target="_blank" rel="noreferrer noopener">
            Open
          </a>
        </>
      ) : null}
    </p>
  )
}

function addressOf({ part, session, event, n }: MediaProps): string | null {
  if (part.data !== undefined) return pictureAddress(part.mediaType, part.data)
  return session === localSession ? null : mediaAddress(session, event, n)
}

export interface Keyed<T> {
  key: string
  value: T
}

export function keyed<T>(values: readonly T[]): Keyed<T>[] {
  return values.map((value, at) => ({ key: String(at), value }))
}
