// What `clew doctor` says about one thing that is wrong. How it is found is decided elsewhere.

export interface Problem {
  code: string
  severity: 'error' | 'warning'
  /** Left alone, something that is there now will be gone or cannot be read. */
  losesData: boolean
  message: string
  /** What to do about it: a command or a setting. */
  remedy: string
}
