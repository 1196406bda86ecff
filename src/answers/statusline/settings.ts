// What a status line shows, as people set it: which parts in which order or in which text, whose count of the session, and
// whether in colour. It says what is wrong with a setting; how parts look is decided elsewhere.

import type { JsonObject } from '../../base/json.ts'

/** Every part of a status line, with what it says. */
export const statusParts = {
  model: 'the model',
  session: 'what this session cost',
  today: 'what all sessions cost today',
  block: 'what the active block of five hours cost, and how long it lasts',
  burn: 'what the active block costs an hour',
  context: 'how much of the context is used',
  limits: "how much of the plan's limits is used, as Claude Code says",
  folder: 'the working directory',
  lines: 'lines added and removed, as Claude Code says',
} as const

export type StatusPart = keyof typeof statusParts

const usualParts: readonly StatusPart[] = ['model', 'session', 'today', 'block', 'burn', 'context']

export interface StatusSettings {
  /** Parts in order, or a text that names them in braces. */
  layout: { parts: readonly StatusPart[] } | { template: string }
  /** Whose count of a session's cost is shown where both are known. */
  sessionFrom: 'client' | 'ours'
  hasColours: boolean
}

const slot = /\{([^{}]*)\}/g

function isPart(name: string): name is StatusPart {
  return Object.hasOwn(statusParts, name)
}

/** Names parted by blanks or commas, or a text with names in braces. */
function layoutOf(words: readonly string[]): StatusSettings['layout'] {
  const text = words.join(' ')
  if (text.includes('{')) return { template: text }
  const parts = namesIn(text).filter(isPart)
  return { parts: parts.length > 0 ? parts : usualParts }
}

/** What is wrong with such words, or undefined. */
export function layoutFault(text: string): string | undefined {
  const names = text.includes('{') ? [...text.matchAll(slot)].map(found => found[1] ?? '') : namesIn(text)
  const wrong = names.find(name => !isPart(name))
  if (wrong === undefined) return undefined
  return `a status line has no part "${wrong}"; its parts are ${Object.keys(statusParts).join(', ')}`
}

function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(name => name !== '')
}

/** The template with each part's text in its place, or `-` where a part has nothing to say. */
export function fillTemplate(template: string, textOf: (part: StatusPart) => string | null): string {
  return template.replace(slot, (whole, name: string) => (isPart(name) ? (textOf(name) ?? '-') : whole))
}

/** From the config file, then from flags. A setting that cannot be used counts as not set. */
export function statusSettings(config: JsonObject, options: Readonly<Record<string, unknown>>): StatusSettings {
  const flagged = [options['template'], options['parts']].find(value => typeof value === 'string')
  const words = flagged === undefined ? textsOf(config['statusline']) : [flagged]
  const from = [options['session'], config['statusline.session']].find(value => value === 'client' || value === 'ours')
  return {
    layout: layoutOf(words),
    sessionFrom: from === 'ours' ? 'ours' : 'client',
    hasColours: config['statusline.color'] !== 'never',
  }
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter(text => typeof text === 'string')
}
