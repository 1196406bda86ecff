// What is shown where content will be: skeletons that have its size, words where there is none, and errors with their next
// step.

import { Component, type ErrorInfo, type ReactNode } from 'react'
import { ApiError } from '../api.ts'
import { useSlow } from '../reader.ts'
import { Link, useRoute } from '../route.ts'

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
  /** What takes this long, for those who wait for more than a moment. */
  says?: string
}

/** Grey rows in the place of content; shown once waiting takes long. */
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

/** A sentence with commands between backticks. */
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

interface BoundaryState {
  error: Error | undefined
}

/** Keeps the rest of the window when a part cannot be rendered. */
export class ErrorBoundary extends Component<{ children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: undefined }

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack)
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <Failure error={error} title="This screen could not be shown" retry={() => this.setState({ error: undefined })} />
    )
  }
}

export interface FailureProps {
  error: Error
  /** What failed, as a short sentence; else the error's own words. */
  title?: string
  retry?: (() => void) | undefined
}

/** An error with its next step. */
export function Failure({ error, title, retry }: FailureProps) {
  const hint = error instanceof ApiError ? error.hint : undefined
  const isHome = useRoute().screen === 'home'
  const isAbsent = error instanceof ApiError && error.status === 404
  return (
    <div className="failure" role="alert">
      <h2>
        <svg className="failure-mark" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 1.500 15 14H1zM8 6v4M8 11.800v.4" />
        </svg>
        {title ?? (isAbsent ? 'Not found' : 'Something went wrong')}
      </h2>
      <p>
        <Words text={error.message} />
      </p>
      {hint === undefined ? null : (
        <p className="soft">
          <Words text={hint} />
        </p>
      )}
      <p className="actions">
        {retry && !isAbsent ? (
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        ) : null}
        {isHome ? null : (
          <Link className={isAbsent ? 'button' : 'button plain'} route={{ screen: 'home', query: {} }}>
            All sessions
          </Link>
        )}
      </p>
    </div>
  )
}

/** Why a change was not made, in its form. */
export function Trouble({ error }: { error: Error }) {
  const hint = error instanceof ApiError ? error.hint : undefined
  return (
    <p className="trouble" role="alert">
      <Words text={error.message} /> {hint === undefined ? null : <Words text={hint} />}
    </p>
  )
}
