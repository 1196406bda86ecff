// What one request of the corpus is, and what the requests are made for.

export interface Case {
  name: string
  /** Several: with pauses between them. */
  bytes: string | readonly string[]
  /** Sent by somebody who is signed in: a 2xx is then no fault by itself. */
  isSigned?: true
  /** What it must be answered with; any refusal where absent. Empty: nothing but an end. */
  wants?: readonly number[]
  pauseMs?: number
}

export interface Fixture {
  port: number
  /** `name=value` of a browser that is signed in. */
  cookie: string
  /** A token that has been exchanged. */
  usedToken: string
  /** A session's id, and an event of it. */
  session: string
  event: string
  /** A file next to the home that no one may read, by its whole path. */
  canary: string
}
