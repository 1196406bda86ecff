// The trees of a log while parts of them are moved: whether a node is below another one, and what is below a node, each in
// logarithmic time. It changes no record. An Euler tour in a treap: each node has two places in one row, and what is below it is
// between them.
//
//     a ── b ── c        row: a( b( c( )c )b d( )d )a
//      └── d             c is below b, since c( is between b( and )b; to move b is to cut out b( to )b

import { type ChainNode, isMessage } from './nodes.ts'

/** Orders of what is below a node, itself included: of the first one, and of the first and the last message. */
export interface Span {
  first: number
  /** Infinite where no message is there, as `to` is. */
  from: number
  to: number
}

export class Forest {
  private readonly nodes: readonly ChainNode[]
  /** Made for the first question that parents alone do not answer: most logs have none. */
  private made: Tour | undefined

  constructor(nodes: readonly ChainNode[]) {
    this.nodes = nodes
  }

  /** Whether one node hangs below another one, or is it. */
  isBelow(node: ChainNode, above: ChainNode): boolean {
    if (node === above || node.parent === above) return true
    return node.parent !== null && this.tour().isBelow(node, above)
  }

  spanOf(node: ChainNode): Span {
    return this.tour().spanOf(node)
  }

  /** The parent must not be below the node. */
  move(node: ChainNode, parent: ChainNode): void {
    this.made?.move(node, parent)
    node.parent = parent
  }

  private tour(): Tour {
    this.made ??= new Tour(this.nodes)
    return this.made
  }
}

/** A place of the row, and the top of a part of the treap: places before it are left, those behind it right. */
class Place {
  left: Place | undefined
  right: Place | undefined
  above: Place | undefined
  /** Of the part, as all that follows. */
  size = 1
  first = Number.POSITIVE_INFINITY
  from = Number.POSITIVE_INFINITY
  to = Number.NEGATIVE_INFINITY
  private readonly order: number
  private readonly isMessage: boolean
  readonly weight: number

  constructor(node: ChainNode, weight: number) {
    this.order = node.order
    this.isMessage = isMessage(node)
    this.weight = weight
    this.update()
  }

  /** How many places of the row are before it. */
  get rank(): number {
    let rank = sizeOf(this.left)
    for (let at: Place = this; at.above !== undefined; at = at.above)
      if (at.above.right === at) rank += sizeOf(at.above.left) + 1
    return rank
  }

  update(): this {
    const { left, right, order } = this
    this.size = 1
    this.first = order
    this.from = this.isMessage ? order : Number.POSITIVE_INFINITY
    this.to = this.isMessage ? order : Number.NEGATIVE_INFINITY
    for (const part of [left, right]) {
      if (part === undefined) continue
      part.above = this
      this.size += part.size
      this.first = Math.min(this.first, part.first)
      this.from = Math.min(this.from, part.from)
      this.to = Math.max(this.to, part.to)
    }
    return this
  }
}

type Part = Place | undefined

function sizeOf(part: Part): number {
  return part?.size ?? 0
}

class Tour {
  private row: Part
  private readonly places = new Map<ChainNode, { opening: Place; closing: Place }>()

  constructor(nodes: readonly ChainNode[]) {
    const weigh = weights()
    for (const { node, isOpening } of tourOf(nodes)) {
      const place = new Place(node, weigh())
      if (isOpening) this.places.set(node, { opening: place, closing: place })
      else this.placesOf(node).closing = place
      this.row = merge(this.row, place)
    }
  }

  isBelow(node: ChainNode, above: ChainNode): boolean {
    const { rank } = this.placesOf(node).opening
    const { opening, closing } = this.placesOf(above)
    return opening.rank <= rank && rank < closing.rank
  }

  spanOf(node: ChainNode): Span {
    const [before, own, behind] = this.cut(node)
    const { first, from, to } = own as Place
    this.row = merge(merge(before, own), behind)
    return { first, from, to }
  }

  move(node: ChainNode, parent: ChainNode): void {
    const [before, own, behind] = this.cut(node)
    const rest = merge(before, behind)
    const [outside, inside] = split(rest, this.placesOf(parent).opening.rank + 1)
    this.row = merge(merge(outside, own), inside)
  }

  /** The row before, of and behind what is below a node. */
  private cut(node: ChainNode): [before: Part, own: Part, behind: Part] {
    const { opening, closing } = this.placesOf(node)
    const [start, end] = [opening.rank, closing.rank + 1]
    const [rest, behind] = split(this.row, end)
    return [...split(rest, start), behind]
  }

  private placesOf(node: ChainNode): { opening: Place; closing: Place } {
    const places = this.places.get(node)
    if (places === undefined) throw new Error('The node is in no tree.')
    return places
  }
}

/** The first so many places of a row, and the others. */
function split(row: Part, count: number): [Part, Part] {
  const parts = splitBelow(row, count)
  for (const part of parts) if (part !== undefined) part.above = undefined
  return parts
}

function splitBelow(top: Part, count: number): [Part, Part] {
  if (top === undefined) return [undefined, undefined]
  const before = sizeOf(top.left)
  if (before < count) {
    const [left, right] = splitBelow(top.right, count - before - 1)
    top.right = left
    return [top.update(), right]
  }
  const [left, right] = splitBelow(top.left, count)
  top.left = right
  return [left, top.update()]
}

/** Two rows as one. */
function merge(one: Part, other: Part): Part {
  const row = mergeBelow(one, other)
  if (row !== undefined) row.above = undefined
  return row
}

function mergeBelow(one: Part, other: Part): Part {
  if (one === undefined || other === undefined) return one ?? other
  if (one.weight > other.weight) {
    one.right = mergeBelow(one.right, other)
    return one.update()
  }
  other.left = mergeBelow(one, other.left)
  return other.update()
}

/** Numbers as good as random, the same in each run: they keep the treap flat. */
function weights(): () => number {
  let state = 0x9e3779b9
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state
  }
}

/** Each node twice: before and behind what hangs on it. */
function* tourOf(nodes: readonly ChainNode[]): Generator<{ node: ChainNode; isOpening: boolean }> {
  const children = new Map<ChainNode | null, ChainNode[]>()
  for (const node of nodes) {
    const siblings = children.get(node.parent)
    if (siblings === undefined) children.set(node.parent, [node])
    else siblings.push(node)
  }
  const due = (children.get(null) ?? []).map(node => ({ node, isOpening: true }))
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    yield next
    if (!next.isOpening) continue
    due.push({ node: next.node, isOpening: false })
    for (const node of children.get(next.node) ?? []) due.push({ node, isOpening: true })
  }
}
