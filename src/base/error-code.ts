// The code of a system's error. What it means to a person is in `src/files/error.ts`.

/** The system's code of an error, or `unknown`. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown'
}
