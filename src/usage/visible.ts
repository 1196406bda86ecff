// An estimate of the tokens that a record's content came to, for logs that hold only a placeholder for the output. It counts
// no tokens the way the model does.
//
// The numbers below were fitted to 217 final messages of public logs (models up to 4.6: later ones write final numbers).
// Over those whose thinking is logged (210) the sum is within 2 %, the median message within 10 %, nine of ten
// within 22 %. Where thinking was not logged, its tokens are missing.

import { beyondAscii } from '../base/bytes.ts'
import { jsonText } from '../base/json.ts'
import type { Block } from '../model/event.ts'

const charsPerTextToken = 4.1
/** Also code, which mostly stands in the input of tools. */
const charsPerJsonToken = 3.4
/** Letters of alphabets other than the Latin one, of two bytes each. */
const tokensPerLetter = 0.5
/** Chinese, Japanese, Korean, symbols. */
const tokensPerSign = 1
/** What surrounds a call: names of its parameters are counted as input. */
const tokensPerCall = 56
const tokensPerText = 6

/** Tokens of the model's own text, thinking and tool input; whole, 0 where there is none. */
export function visibleTokens(blocks: readonly Block[]): number {
  let tokens = 0
  for (const block of blocks) {
    if (block.type === 'text') {
      if (block.text !== '') tokens += tokensPerText + tokensOf(block.text, charsPerTextToken)
    } else if (block.type === 'thinking') {
      tokens += tokensOf(block.text, charsPerTextToken)
    } else if (block.type === 'tool-call') {
      const input = tokensOf(block.name, charsPerJsonToken) + tokensOf(jsonText(block.input), charsPerJsonToken)
      tokens += tokensPerCall + input
    }
  }
  return Math.round(tokens)
}

function tokensOf(text: string, charsPerToken: number): number {
  const { letters, signs } = beyondAscii(text)
  return (text.length - letters - signs) / charsPerToken + letters * tokensPerLetter + signs * tokensPerSign
}
