// What is shown instead of a part that failed: the cause and the next step. Errors of the server come with a hint of
// their own.

import { Component, type ErrorInfo, type ReactNode } from 'react'
import { ApiError } from '../api.ts'
import { Link, useRoute } from '../route.ts'
import { Words } from './states.tsx'

interface BoundaryState {
  error: Error | undefined
}

/** Keeps the rest of the window when a part cannot be painted. */
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
  /** What was wanted, as a short sentence; else the error's own words stand alone. */
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
        {title ?? (isAbsent ? 'This is not here' : 'Something went wrong')}
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
