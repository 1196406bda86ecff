import { expect, it } from 'vitest'
import fc from '../../../test/property.ts'
import { Forest } from './forest.ts'
import type { ChainNode } from './nodes.ts'

const at = (nodes: readonly ChainNode[], order: number): ChainNode => nodes[order % nodes.length] as ChainNode

function nodesOf(parents: readonly (number | null)[]): ChainNode[] {
  const nodes = parents.map(
    (_, order): ChainNode => ({
      entry: { line: order, text: '', value: {} },
      kind: order % 3 === 0 ? 'side' : 'answer',
      uuid: `u${order}`,
      session: undefined,
      order,
      parent: null,
      missing: undefined,
      children: [],
      messageId: undefined,
      calls: [],
      results: [],
    }),
  )
  for (const [order, parent] of parents.entries())
    if (parent !== null && order > 0) at(nodes, order).parent = at(nodes, parent % order)
  return nodes
}

function isBelow(node: ChainNode, above: ChainNode): boolean {
  for (let one: ChainNode | null = node; one !== null; one = one.parent) if (one === above) return true
  return false
}

it('answers after any moves what a walk up and down the trees answers', () => {
  const place = fc.nat(40)
  const parents = fc.array(fc.option(place), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(parents, fc.array(fc.tuple(place, place), { maxLength: 20 }), (tree, moves) => {
      const nodes = nodesOf(tree)
      const forest = new Forest(nodes)
      for (const [one, other] of moves) {
        const [node, parent] = [at(nodes, one), at(nodes, other)]
        expect(forest.isBelow(parent, node)).toBe(isBelow(parent, node))
        if (!isBelow(parent, node)) forest.move(node, parent)
        const own = nodes.filter(one => isBelow(one, node)).map(({ order }) => order)
        const said = own.filter(order => order % 3 !== 0)
        expect(forest.spanOf(node)).toEqual({ first: Math.min(...own), from: Math.min(...said), to: Math.max(...said) })
      }
    }),
    { numRuns: 200 },
  )
})
