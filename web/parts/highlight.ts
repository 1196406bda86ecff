// Colours for code: tokens with class names, made a few lines at a time while the browser has nothing else to do. The
// highlighter and its grammars are fetched when the first code is on screen.

import type { GrammarState, HighlighterCore, LanguageRegistration, ThemeRegistrationRaw } from '@shikijs/core'
import { grammarName, loadGrammar } from './grammars.ts'

/** A run of a line with one look; the empty look is plain. */
export interface Token {
  text: string
  look: string
}

/** No longer text is coloured: its lines, and its characters. */
const mostLines = 2000
const mostLength = 200_000
/** What a piece of work may take before the browser gets its turn. */
const sliceMs = 12
/** What a line may take, and how often it is tried. */
const lineMs = 60
const mostTries = 12

/** Scopes of grammars → our few looks. The colours are only names here: the style sheet has the real ones. */
const looks: [look: string, colour: string, scopes: string[]][] = [
  ['hl-comment', '#000001', ['comment', 'punctuation.definition.comment']],
  ['hl-string', '#000002', ['string', 'constant.other.symbol', 'markup.inline.raw', 'string.regexp']],
  ['hl-number', '#000003', ['constant.numeric', 'constant.language', 'constant.character', 'keyword.other.unit']],
  ['hl-keyword', '#000004', ['keyword', 'storage', 'punctuation.definition.keyword', 'variable.language']],
  ['hl-name', '#000005', ['entity.name.function', 'support.function', 'meta.function-call.generic']],
  [
    'hl-type',
    '#000006',
    [
      'entity.name.type',
      'entity.name.class',
      'support.type',
      'support.class',
      'entity.name.tag',
      'entity.name.section',
    ],
  ],
  [
    'hl-field',
    '#000007',
    [
      'entity.other.attribute-name',
      'support.type.property-name',
      'variable.other.property',
      'meta.object-literal.key',
      'variable.other.normal.shell',
    ],
  ],
  ['hl-added', '#000008', ['markup.inserted']],
  ['hl-removed', '#000009', ['markup.deleted', 'invalid']],
  ['hl-plain', '#00000a', ['keyword.operator', 'string meta.embedded', 'string variable', 'source meta.template']],
]
const lookOf: ReadonlyMap<string, string> = new Map(
  looks.map(([look, colour]) => [colour, look === 'hl-plain' ? '' : look]),
)
const theme: ThemeRegistrationRaw = {
  name: 'clew',
  type: 'light',
  fg: '#000000',
  bg: '#ffffff',
  settings: [
    { settings: { foreground: '#000000', background: '#ffffff' } },
    ...looks.map(([, foreground, scope]) => ({ scope, settings: { foreground } })),
  ],
}

let core: Promise<HighlighterCore> | undefined
const loaded = new Map<string, Promise<boolean>>()

async function makeCore(): Promise<HighlighterCore> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('@shikijs/core'),
    import('@shikijs/engine-javascript'),
  ])
  return createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) })
}

async function ready(name: string): Promise<HighlighterCore | undefined> {
  core ??= makeCore()
  const highlighter = await core
  let loading = loaded.get(name)
  if (!loading) {
    loading = loadGrammar(name).then((grammar: LanguageRegistration[]) => {
      highlighter.loadLanguageSync(grammar)
      return grammar.length > 0
    })
    loaded.set(name, loading)
  }
  return (await loading) ? highlighter : undefined
}

/** Whether there are colours for a text. */
export function canHighlight(text: string, language: string | undefined): boolean {
  return language !== undefined && text.length <= mostLength && grammarName(language) !== undefined
}

/** The lines of a text as tokens; undefined where it stays plain, or the signal called it off. */
export async function highlight(text: string, language: string, signal: AbortSignal): Promise<Token[][] | undefined> {
  const name = grammarName(language)
  if (name === undefined || text.length > mostLength) return
  await idle(signal)
  const highlighter = await ready(name)
  if (!highlighter) return
  const lines = text.split('\n').slice(0, mostLines)
  const found: Token[][] = []
  let state: GrammarState | undefined
  let size = 1
  let tries = 0
  while (found.length < lines.length) {
    await idle(signal)
    if (signal.aborted) return
    const started = performance.now()
    while (performance.now() - started < sliceMs && found.length < lines.length) {
      const made = tokenize(highlighter, lines.slice(found.length, found.length + size).join('\n'), name, state)
      // A grammar that is used for the first time is slow, and its lines are given up half-way: once more, then.
      if (made.ms >= lineMs && tries++ < mostTries) break
      tries = 0
      found.push(...made.tokens)
      state = made.state
    }
    size = performance.now() - started < sliceMs * 2 ? Math.min(32, size * 2) : 1
  }
  return found
}

interface Tokenized {
  tokens: Token[][]
  state: GrammarState | undefined
  ms: number
}

function tokenize(
  highlighter: HighlighterCore,
  piece: string,
  name: string,
  before: GrammarState | undefined,
): Tokenized {
  const started = performance.now()
  const { tokens, grammarState } = highlighter.codeToTokens(piece, {
    lang: langId(highlighter, name),
    theme: 'clew',
    ...(before ? { grammarState: before } : {}),
    tokenizeTimeLimit: lineMs,
    tokenizeMaxLineLength: 2000,
  })
  const painted = tokens.map(line =>
    line.map(token => ({ text: token.content, look: lookOf.get((token.color ?? '').toLowerCase()) ?? '' })),
  )
  return { tokens: painted, state: grammarState, ms: performance.now() - started }
}

/** Grammars have their own ids, of which ours are aliases mostly. */
function langId(highlighter: HighlighterCore, name: string): string {
  return highlighter.resolveLangAlias(name)
}

let lastScroll = 0
if (typeof window !== 'undefined') {
  window.addEventListener('scroll', () => (lastScroll = performance.now()), { capture: true, passive: true })
}

/** When the browser has time and no one scrolls. */
function idle(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const look = () => {
      if (signal.aborted || performance.now() - lastScroll > 150) resolve()
      else setTimeout(look, 160)
    }
    if ('requestIdleCallback' in window) window.requestIdleCallback(look, { timeout: 1000 })
    else setTimeout(look, 30)
  })
}
