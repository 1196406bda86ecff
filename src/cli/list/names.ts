// Short names of projects, sessions and models, as lists show them. It escapes nothing.

/** The last part of a working directory; the name of the project folder where that is not known. */
export function projectName(project: { cwd: string | null; slug: string }): string {
  if (project.cwd === null) return project.slug
  const last = Math.max(project.cwd.lastIndexOf('/'), project.cwd.lastIndexOf('\\'))
  if (last < project.cwd.length - 1) return project.cwd.slice(last + 1)
  return project.cwd.replace(/[\\/]+$/, '').replace(/^.*[\\/]/, '') || project.cwd
}

const shortest = 8

/** Unique beginnings of ids, in any case. */
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

/** A model without its vendor and release date. */
export function modelName(model: string): string {
  return model.replace(/^.*claude-/, '').replace(/-\d{8}(-v\d+:\d+)?$/, '') || model
}
