// Types of docs-demo.mjs, for the tests that use it.

export interface Demo {
  home: string
  /** Where lines are run: loose logs lie in it. */
  folder: string
  remove(): void
}

export function makeDemo(): Demo
/** Removes it when the work is done. */
export function withDemo<Result>(work: (demo: Demo) => Result): Promise<Awaited<Result>>
export function runLine(
  demo: Demo,
  line: string,
  main?: string,
): { code: number | null; stdout: string; stderr: string }
