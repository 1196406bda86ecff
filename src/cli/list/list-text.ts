// Spans, counts and short ids as lists show them: few characters, no false precision.

export { spanText } from '../../base/format.ts'

/** `950`, `12.3k`, `4.5M`. */
export function countText(count: number): string {
  if (count < 1000) return String(count)
  if (count < 99_950) return `${(count / 1000).toFixed(1)}k`
  if (count < 999_500) return `${Math.round(count / 1000)}k`
  return count < 999_500_000 ? `${(count / 1e6).toFixed(1)}M` : `${(count / 1e9).toFixed(1)}G`
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** The last part of a working directory; the folder's name as it is where that is not known. */
export function projectName(project: { cwd: string | null; slug: string }): string {
  if (project.cwd === null) return project.slug
  const last = Math.max(project.cwd.lastIndexOf('/'), project.cwd.lastIndexOf('\\'))
  if (last < project.cwd.length - 1) return project.cwd.slice(last + 1)
  return project.cwd.replace(/[\\/]+$/, '').replace(/^.*[\\/]/, '') || project.cwd
}

const shortest = 8

/** The beginnings of ids that name each of them alone, whatever the case of letters. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = [...new Set(ids.map(id => id.toLowerCase()))].sort()
  const lengths = new Map<string, number>()
  sorted.forEach((id, at) => {
    const shared = Math.max(sharedLength(id, sorted[at - 1] ?? ''), sharedLength(id, sorted[at + 1] ?? ''))
    lengths.set(id, Math.max(shortest, shared + 1))
  })
  return id => id.slice(0, lengths.get(id.toLowerCase()) ?? id.length)
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

/** How people write a model: without the maker's name and the date of its release. */
export function modelName(model: string): string {
  return model.replace(/^.*claude-/, '').replace(/-\d{8}(-v\d+:\d+)?$/, '') || model
}
