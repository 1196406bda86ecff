// Types of docs-api.mjs, for the tests that use it.

export interface ExportedName {
  name: string
  kind: string
  path: string
  line: number
  comment: string
  /** Empty for a type. */
  signature: string
}
/** `entry`: a module, relative to `root`. In the order of the source. */
export function exportedNames(root: string, entry: string): ExportedName[]
