// Types of run-here.mjs, for the tests that use it.

export interface HereOptions {
  input?: string
  /** Changes of the environment; undefined takes a name away. */
  env?: Record<string, string | undefined>
  cwd?: string
  /** What is printed goes to a terminal, for all that Clew can see. */
  isTerminal?: boolean
}

export function runHere(
  main: string,
  args: readonly string[],
  options?: HereOptions,
): Promise<{ stdout: string; stderr: string; code: number }>
