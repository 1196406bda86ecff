// Which sessions belong together because one was forked or continued from another: they begin with the same records, or
// name each other. Which of them came from which is decided by the graph's lineage; here only who belongs to whom.

import type { Database } from '../store/port.ts'

/** By session the ids of its family, itself included; sessions without relatives are left out. */
export function sessionFamilies(db: Database): Map<string, readonly string[]> {
  const families = new Families()
  const shared = `SELECT value, session FROM digest WHERE what IN ('uuid', 'message') AND value IN
    (SELECT value FROM digest WHERE what IN ('uuid', 'message') GROUP BY value HAVING count(DISTINCT session) > 1)`
  const first = new Map<string, string>()
  for (const [value, session] of db.prepare(shared).all()) {
    const known = first.get(String(value))
    if (known === undefined) first.set(String(value), String(session))
    else families.join(known, String(session))
  }
  const named = `SELECT digest.session, session.id FROM digest JOIN session ON session.id = digest.value
    WHERE digest.what IN ('other', 'forked', 'continued')`
  for (const [one, other] of db.prepare(named).all()) families.join(String(one), String(other))
  const continued = `SELECT missing.session, had.session FROM digest AS missing JOIN digest AS had
    ON had.value = missing.value AND had.what = 'uuid' WHERE missing.what = 'missing'`
  for (const [one, other] of db.prepare(continued).all()) families.join(String(one), String(other))
  return families.all()
}

class Families {
  private readonly heads = new Map<string, string>()

  join(one: string, other: string): void {
    const [head, second] = [this.headOf(one), this.headOf(other)]
    if (head !== second) this.heads.set(second, head)
  }

  all(): Map<string, readonly string[]> {
    const members = new Map<string, string[]>()
    for (const session of this.heads.keys()) {
      const head = this.headOf(session)
      const known = members.get(head)
      if (known) known.push(session)
      else members.set(head, [session])
    }
    const found = [...members.values()].filter(ids => ids.length > 1)
    return new Map(found.flatMap(ids => ids.map(id => [id, ids])))
  }

  private headOf(session: string): string {
    let head = session
    for (let next = this.heads.get(head); next !== undefined && next !== head; next = this.heads.get(head)) head = next
    this.heads.set(session, head)
    return head
  }
}
