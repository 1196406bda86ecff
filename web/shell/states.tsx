// What stands where content will be: nothing at first, then skeletons that have its size. And words for when there is none.

import type { ReactNode } from 'react'
import { useSlow } from '../reader.ts'

/** While a screen's code is on its way. */
export function ScreenWait() {
  const isSlow = useSlow(true)
  return (
    <p className="empty" role="status">
      {isSlow ? 'Opening…' : ''}
    </p>
  )
}

export interface SkeletonProps {
  /** How many rows of real height. */
  rows: number
  isWaiting: boolean
  className?: string
  /** What takes so long, for those who wait for more than a moment. */
  says?: string
}

/** Rows of grey that keep the place; shown once waiting has lasted. */
export function Skeleton({ rows, isWaiting, className = '', says = '' }: SkeletonProps) {
  const isSlow = useSlow(isWaiting)
  const isLong = useSlow(isWaiting, 2000)
  if (!isWaiting) return null
  return (
    <div className={`skeleton ${className}`} role="status" aria-label="Loading" data-shown={isSlow}>
      {isLong && says !== '' ? <p className="skeleton-says">{says}</p> : null}
      {Array.from({ length: rows }, (_, at) => `row ${at}`).map(key => (
        <div key={key} className="skeleton-row">
          <span />
          <span />
        </div>
      ))}
    </div>
  )
}

/** A sentence of ours in which commands stand between backticks. */
export function Words({ text }: { text: string }) {
  const pieces = text.split('`').map((piece, at) => ({ piece, key: `${at} ${piece}`, isCode: at % 2 === 1 }))
  return pieces.map(({ piece, key, isCode }) => (isCode ? <code key={key}>{piece}</code> : piece))
}

/** There is nothing, why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty-state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
