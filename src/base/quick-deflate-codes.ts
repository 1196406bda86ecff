// Huffman codes as DEFLATE has them (RFC 1951, 3.2.2): from how often symbols occur to the bits that stand for them. What
// the symbols mean is not known here.

/** As many symbols as an alphabet may have, and nodes as a tree of them. */
const mostSymbols = 288
const order = new Uint32Array(mostSymbols)
const weights = new Float64Array(2 * mostSymbols)
const parents = new Uint16Array(2 * mostSymbols)
const depths = new Uint16Array(2 * mostSymbols)

/**
 * How many bits each symbol gets, none above `longest`; zero for one that does not occur. At least two symbols get bits,
 * whether they occur or not: not every decoder takes a code of one.
 */
export function codeLengths(counts: Uint32Array, longest: number): Uint8Array {
  const lengths = new Uint8Array(counts.length)
  const leaves = orderSymbols(counts)
  growTree(counts, leaves)
  const perLength = lengthsWithin(leaves, longest)
  let at = 0
  for (let length = longest; length > 0; length--) {
    for (let n = perLength[length] as number; n > 0; n--) lengths[order[at++] as number] = length
  }
  return lengths
}

/** Puts the symbols that occur in order, the rarest first, and gives their number. */
function orderSymbols(counts: Uint32Array): number {
  let used = 0
  for (let symbol = 0; symbol < counts.length; symbol++) {
    const count = counts[symbol] as number
    if (count > 0) order[used++] = (count << 9) | symbol
  }
  for (let symbol = 0; used < 2; symbol++) if (counts[symbol] === 0) order[used++] = symbol
  order.subarray(0, used).sort()
  for (let at = 0; at < used; at++) order[at] = (order[at] as number) & 511
  return used
}

/** Joins the symbols to a tree and finds how deep each lies. */
function growTree(counts: Uint32Array, leaves: number): void {
  for (let at = 0; at < leaves; at++) weights[at] = counts[order[at] as number] as number
  const root = 2 * leaves - 2
  let leaf = 0
  let inner = leaves
  for (let next = leaves; next <= root; next++) {
    let weight = 0
    for (let child = 0; child < 2; child++) {
      // What is joined grows heavier with each step, so that the lightest is always the first of leaves or inner nodes.
      const takesLeaf = leaf < leaves && (inner >= next || (weights[leaf] as number) <= (weights[inner] as number))
      const taken = takesLeaf ? leaf++ : inner++
      weight += weights[taken] as number
      parents[taken] = next
    }
    weights[next] = weight
  }
  depths[root] = 0
  for (let at = root - 1; at >= 0; at--) depths[at] = (depths[parents[at] as number] as number) + 1
}

/** How many symbols get each length. Those that lie too deep move up; others go down for them until all have a code. */
function lengthsWithin(leaves: number, longest: number): Uint32Array {
  const perLength = new Uint32Array(longest + 1)
  let taken = 0
  for (let at = 0; at < leaves; at++) {
    const length = Math.min(depths[at] as number, longest)
    perLength[length] = (perLength[length] as number) + 1
    taken += 1 << (longest - length)
  }
  for (; taken > 1 << longest; taken--) {
    let length = longest - 1
    while (perLength[length] === 0) length--
    perLength[length] = (perLength[length] as number) - 1
    perLength[length + 1] = (perLength[length + 1] as number) + 2
    perLength[longest] = (perLength[longest] as number) - 1
  }
  return perLength
}

/** The code of each symbol, its first bit lowest, as it is written. */
export function codesOf(lengths: Uint8Array): Uint16Array {
  const next = new Uint16Array(17)
  for (const length of lengths) if (length > 0) next[length + 1] = (next[length + 1] as number) + 1
  for (let length = 2; length < next.length; length++) {
    next[length] = ((next[length - 1] as number) + (next[length] as number)) << 1
  }
  const codes = new Uint16Array(lengths.length)
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] as number
    if (length === 0) continue
    const code = next[length] as number
    next[length] = code + 1
    codes[symbol] = reversed(code, length)
  }
  return codes
}

function reversed(code: number, length: number): number {
  let bits = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555)
  bits = ((bits & 0x3333) << 2) | ((bits >> 2) & 0x3333)
  bits = ((bits & 0x0f0f) << 4) | ((bits >> 4) & 0x0f0f)
  return (((bits & 0xff) << 8) | (bits >> 8)) >> (16 - length)
}
