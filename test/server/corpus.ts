// All requests that must get nothing: as bytes, with what they try.

import type { Case, Fixture } from './corpus-case.ts'
import { bodies, heads, methods, smuggling, versions } from './corpus-heads.ts'
import { credentials, hosts, origins, settings } from './corpus-senders.ts'
import { parameters, paths, ranges, targets } from './corpus-targets.ts'

export function allCases(fixture: Fixture): Case[] {
  const groups = [
    hosts,
    origins,
    credentials,
    settings,
    paths,
    parameters,
    targets,
    heads,
    versions,
    methods,
    bodies,
    smuggling,
    ranges,
  ]
  return groups.flatMap(group => group(fixture))
}
