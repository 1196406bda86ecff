import { describe, expect, it } from 'vitest'
import { Sketch } from '../graph/testing.ts'
import { graphReader } from '../session/reading/graph-reader.ts'
import { shapeOf } from '../session/shape.ts'
import { graphSummary } from '../session/summary.ts'
import { typedText } from './typed-text.ts'

const note = '<ide_opened_file>The user opened /p/a.ts.</ide_opened_file>'

describe('a prompt as a person typed it', () => {
  it('is without the notes of an editor in title, outline and tree', async () => {
    const graph = new Sketch()
      .user('u1', null, [
        { type: 'text', text: note },
        { type: 'text', text: 'Tidy the shelf.' },
      ])
      .answer('a1', 'u1', 'Done.')
      .graph()
    expect(typedText(graph.events[0] as (typeof graph.events)[number])).toBe('Tidy the shelf.')
    expect(graphSummary(graph).title).toBe('Tidy the shelf.')
    const outline = await graphReader(graph).outline()
    expect(Object.values(outline.prompts)).toEqual(['Tidy the shelf.'])
    expect(shapeOf(graph).map(row => row.text)).toContain('Tidy the shelf.')
  })

  it('names a session before a command without arguments does, and a task where nothing was typed', () => {
    const command = (name: string, args = '') =>
      `<command-name>/${name}</command-name><command-args>${args}</command-args>`
    const titled = (sketch: Sketch) => graphSummary(sketch.graph()).title
    const cleared = () =>
      new Sketch().side({ type: 'last-prompt', lastPrompt: '/clear' }).user('c', null, command('clear'))
    expect(titled(cleared().user('u', 'c', 'Sweep the floor.'))).toBe('Sweep the floor.')
    expect(titled(cleared().user('d', 'c', command('review', 'the till')))).toBe('/review the till')
    expect(titled(cleared())).toBe('/clear')
    const task = new Sketch().user('t', null, 'Look at the oven.', { isSidechain: true, agentId: 'ag' })
    expect(titled(task)).toBe('Look at the oven.')
  })
})
