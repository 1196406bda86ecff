// What was written more than once is one hit: forks and resumed sessions copy history, homes are copied, files had earlier
// contents, and the client itself repeats what was typed. Which of them is the one to show is decided here.

import { kindToNumber } from '../ingest/rows.ts'
import type { Facts } from './facts.ts'
import { outputField, type Place } from './places.ts'

/** Lines that say again what another line of the session says, at another time. */
const echoes: ReadonlySet<number> = new Set((['queue', 'history', 'title'] as const).map(kindToNumber))

/** What makes two places with the same text one: the same moment, else the same session. Output of a tool is not a prompt. */
function momentOf({ at, kind, field, event, origin }: Place, facts: Facts): string {
  const moment = at === null || echoes.has(kind) ? facts.sessionIdOf(event, origin) : at
  return field === outputField ? `output ${moment}` : String(moment)
}

export interface SameHit<Kind extends Place> {
  /** The one to show. */
  place: Kind
  /** The first that was given. */
  best: Kind
  /** Where else the same stands. */
  others: Kind[]
}

/** In the order of the first of each; `places` in the order of their worth. */
export function mergeSame<Kind extends Place>(places: readonly Kind[], facts: Facts): SameHit<Kind>[] {
  const groups = sameMoment(places, facts)
  fetchSessions(groups.filter(group => group.length > 1).flat(), facts)
  const hits = groups.map(group => original(group, facts))
  return withoutEchoes(oneAnEvent(withoutRestamped(hits, facts)), facts)
}

function fetchSessions(places: readonly Place[], facts: Facts): void {
  facts.fetchSessions(places.map(({ event, origin }) => facts.sessionIdOf(event, origin)))
}

function sameMoment<Kind extends Place>(places: readonly Kind[], facts: Facts): Kind[][] {
  const groups: Kind[][] = []
  const byText = new Map<number, Map<string, Kind[]>>()
  for (const place of places) {
    const moment = momentOf(place, facts)
    let byMoment = byText.get(place.text)
    if (byMoment === undefined) {
      byMoment = new Map()
      byText.set(place.text, byMoment)
    }
    const group = byMoment.get(moment)
    if (group !== undefined) {
      group.push(place)
      continue
    }
    const made = [place]
    byMoment.set(moment, made)
    groups.push(made)
  }
  return groups
}

/** Whether both places hold the same record, given that their texts are the same. */
export function isSame(one: Place, other: Place, facts: Facts): boolean {
  if (momentOf(one, facts) === momentOf(other, facts)) return true
  return isRestampedFrom(one, other, facts) || isRestampedFrom(other, one, facts)
}

/** Old clients resumed a session by copying it: every line got the time at which that happened. */
function isRestampedFrom(place: Place, older: Place, facts: Facts): boolean {
  if (!mayBeRestamped(place, facts)) return false
  const id = facts.sessionIdOf(place.event, place.origin)
  return facts.kinOf(id).includes(facts.sessionIdOf(older.event, older.origin))
}

function mayBeRestamped({ at, event, origin }: Place, facts: Facts): boolean {
  return at !== null && facts.sessionOf(facts.sessionIdOf(event, origin)).started === at
}

function withoutRestamped<Kind extends Place>(hits: readonly SameHit<Kind>[], facts: Facts): SameHit<Kind>[] {
  const byText = new Map<number, SameHit<Kind>[]>()
  for (const hit of hits) {
    const list = byText.get(hit.place.text)
    if (list === undefined) byText.set(hit.place.text, [hit])
    else list.push(hit)
  }
  const repeated = hits.filter(({ place }) => (byText.get(place.text)?.length ?? 0) > 1)
  fetchSessions(
    repeated.map(({ place }) => place),
    facts,
  )
  return hits.filter(hit => {
    const same = byText.get(hit.place.text) ?? []
    if (same.length < 2 || !mayBeRestamped(hit.place, facts)) return true
    const older = same.find(other => other !== hit && isRestampedFrom(hit.place, other.place, facts))
    older?.others.push(hit.place, ...hit.others)
    return older === undefined
  })
}

/** That of the earliest session; of its contents the one on disk, then the latest. */
function original<Kind extends Place>(group: Kind[], facts: Facts): SameHit<Kind> {
  const [best] = group
  if (best === undefined) throw new Error('a group has a place')
  if (group.length === 1) return { place: best, best, others: [] }
  const aged = group.map(place => ({ place, age: ageOf(place, facts) }))
  aged.sort((one, other) => compare(one.age, other.age) || one.place.event - other.place.event)
  const [place = best, ...others] = aged.map(one => one.place)
  return { place, best, others }
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < one.length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Smaller is nearer to the original. */
function ageOf({ event, origin, kind }: Place, facts: Facts): number[] {
  const file = facts.fileOf(event)
  const id = facts.sessionIdOf(event, origin)
  const session = facts.sessionOf(id)
  // A copy in another session's file may still name the session that it was made in.
  const isForeign = file?.session !== null && facts.originOf(origin)?.session !== id
  return [
    Number(echoes.has(kind)),
    Number(isForeign),
    session.started ?? Number.MAX_SAFE_INTEGER,
    session.ended ?? Number.MAX_SAFE_INTEGER,
    Number((file?.standing ?? 0) === 2),
    file?.standing ?? 0,
    -(file?.number ?? 0),
  ]
}

/** Of several texts of one event the best one is shown. */
function oneAnEvent<Kind extends Place>(hits: readonly SameHit<Kind>[]): SameHit<Kind>[] {
  const seen = new Set<number>()
  return hits.filter(({ place }) => {
    if (seen.has(place.event)) return false
    seen.add(place.event)
    return true
  })
}

/** A prompt that also stands in a queue line or in the prompt history is the prompt. */
function withoutEchoes<Kind extends Place>(hits: readonly SameHit<Kind>[], facts: Facts): SameHit<Kind>[] {
  const echoed = new Set<number>()
  for (const { place } of hits) if (echoes.has(place.kind)) echoed.add(place.text)
  if (echoed.size === 0) return [...hits]
  const said = new Set<string>()
  const keyOf = ({ text, event, origin }: Place) => `${text} ${facts.sessionIdOf(event, origin)}`
  for (const { place, others } of hits) {
    if (!echoed.has(place.text)) continue
    for (const one of [place, ...others]) if (!echoes.has(one.kind)) said.add(keyOf(one))
  }
  return hits.filter(({ place }) => !echoes.has(place.kind) || !said.has(keyOf(place)))
}
