// Sixty queries as people ask them, each with the session that has to be among the first ten. A query of the corpus has
// no more of it than its words.

export interface Expected {
  /** What the query is an example of. */
  what: string
  query: string
  /** The beginning of the session's id. */
  session: string
}

const [preorder, rounding, sql, hours] = ['33c79d8c', '9a1f4da4', '57bae280', 'cde86577']
const [fog, fork, lobby, turns] = ['704f1849', 'e63f670d', '45615a30', 'ad277dfc']
const [drift, radio, menu, live] = ['cdd3bb50', '21a3f063', '89fa56ca', '8b863dff']

export const sampleQueries: readonly Expected[] = [
  { what: 'exact phrase', query: '"fog of war"', session: fog },
  { what: 'exact phrase', query: '"edge case"', session: turns },
  { what: 'exact phrase with a sign inside', query: '"cut-off times"', session: preorder },
  { what: 'exact phrase in an answer', query: '"1.9 million rows"', session: sql },
  { what: 'words in any order', query: 'restarts lobby players', session: lobby },
  { what: 'words of a title', query: 'croissant pre-orders', session: preorder },
  { what: 'words of a title in another file', query: 'thermometer saturates', session: drift },
  { what: 'code token', query: 'with_tax', session: menu },
  { what: 'code token', query: 'toHaveLength', session: fog },
  { what: 'code token with dots', query: 'preorder.test.ts', session: preorder },
  { what: 'part of an identifier', query: 'length', session: fog },
  { what: 'part of an identifier', query: 'corrected', session: drift },
  { what: 'part of a file name', query: 'orders explain', session: sql },
  { what: 'camel case as one word', query: 'tohavelength', session: fog },
  { what: 'path', query: '/home/mira/hexwind/src/turn.ts', session: turns },
  { what: 'end of a path', query: 'src/item.ts', session: rounding },
  { what: 'path of a plan', query: 'quiet-lifting-fog.md', session: fog },
  { what: 'file by filter', query: 'file:price.py yen', session: menu },
  { what: 'error text in output', query: '"status code 503"', session: preorder },
  { what: 'error text in output', query: 'ReferenceError', session: preorder },
  { what: 'error text in output', query: 'expected 1.05 is:error', session: rounding },
  { what: 'error by filter', query: 'is:error "rate limit"', session: lobby },
  { what: 'Japanese', query: '献立', session: menu },
  { what: 'Japanese, inside a sentence', query: '端数', session: menu },
  { what: 'Japanese, words apart', query: '市場 価格', session: live },
  { what: 'Chinese', query: '菜单翻译', session: menu },
  { what: 'emoji beside words', query: '来週の献立 🍱', session: menu },
  { what: 'typed while busy', query: 'skip those who are out', session: turns },
  { what: 'typed while busy', query: '"how many are left"', session: preorder },
  { what: 'answer', query: 'losses bursts', session: radio },
  { what: 'only in a subagent', query: '"returns the whole board"', session: fog },
  { what: 'only in a subagent', query: 'allergens obligation', session: preorder },
  { what: 'only before a compaction', query: 'roof.csv reference.csv', session: drift },
  { what: 'only in thinking', query: 'floating point money', session: rounding },
  { what: 'a beginning', query: 'thermom*', session: drift },
  { what: 'one or the other, without a third', query: '(shadows OR rehearsal) -attendance', session: fork },
  { what: 'tool and word', query: 'tool:Bash npm', session: turns },
  { what: 'opening hours', query: 'opening hours project:bakery', session: hours },
]

/** In the published sessions of the corpus. */
export const publicQueries: readonly Expected[] = [
  { what: 'typed while busy', query: 'co-pilot-instructions.md', session: '223b2708' },
  { what: 'typed while busy', query: 'impression rendering slower', session: '493c22a8' },
  { what: 'mistyped as it was typed', query: 'yxes', session: '033c8aac' },
  { what: 'prompt', query: 'data-groupId', session: '0d3a8e6f' },
  { what: 'prompt', query: 'commander isDefault', session: '3f059980' },
  { what: 'part of an identifier', query: 'self_instance', session: '37f83ec9' },
  { what: 'error text in output', query: 'TS2307', session: 'fe5e1c67' },
  { what: 'error text in output', query: 'pydantic_validator traceback', session: '37f83ec9' },
  { what: 'test names in output', query: 'testRenderHTMLHeader_NilStats', session: 'c04f363a' },
  { what: 'part of a test name', query: 'test_timeline_console_errors', session: '12a546d1' },
  { what: 'thinking', query: 'perceptual saturation', session: '493c22a8' },
  { what: 'thinking', query: 'tackling undertaking', session: '7acd37a8' },
  { what: 'output of a tool', query: 'dissonance brightness', session: 'd3ad4cdc' },
  { what: 'file name in output', query: 'renderer_code.py', session: '29ccd257' },
  { what: 'command', query: 'tag-preservation', session: '1262c0a7' },
  { what: 'answer', query: 'control-char reverts', session: '0e0e7814' },
  { what: 'answer', query: 'sidestepped', session: '5c7298d0' },
  { what: 'title', query: 'premature success message', session: '5c7298d0' },
  { what: 'only before a compaction', query: 'inflates attribution', session: '0276a600' },
  { what: 'only in a subagent', query: 'highlightTextInElement debounced', session: 'c04f363a' },
  { what: 'Windows path', query: 'src\\terminal\\writer.go gradient', session: '493c22a8' },
  { what: 'filter and word', query: 'project:ai-music token_lower', session: 'd3ad4cdc' },
]
