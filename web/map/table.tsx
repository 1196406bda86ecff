// The map in words: a row for each turn. Read by screen readers always, shown to everybody who asks for it.

import { memo } from 'react'
import { countOf, countText, durationText } from '../../src/view/words.ts'
import { useReader } from '../reader.ts'
import { Link } from '../route.ts'
import { longWhen } from '../shell/when.ts'
import { instantOf, tokensText } from '../thread/words.ts'
import type { MapScene } from './model.ts'
import './table.css'

const mostRows = 500

/** Rendered only when the scene changes: moving the view changes nothing in it. */
export const TurnTable = memo(function TurnTable({ scene, isShown }: { scene: MapScene; isShown: boolean }) {
  const { id } = useReader()
  const turns = scene.turns.slice(0, mostRows)
  return (
    <div className={isShown ? 'map-table' : 'unseen'}>
      <table>
        <caption>
          Turns of the session
          {scene.turns.length > mostRows && `: the first ${mostRows} of ${countText(scene.turns.length)}`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">Prompt</th>
            <th scope="col">Started</th>
            <th scope="col">Took</th>
            <th scope="col">Calls</th>
            <th scope="col">Failed</th>
            <th scope="col">Subagents</th>
            <th scope="col">Context</th>
          </tr>
        </thead>
        <tbody>
          {turns.map(turn => (
            <tr key={turn.event}>
              <td>{turn.index + 1}</td>
              <th scope="row">
                {isShown ? (
                  <Link route={{ screen: 'transcript', session: id, query: { event: turn.event } }}>
                    {turn.headline || `turn ${turn.index + 1}`}
                  </Link>
                ) : (
                  turn.headline || `turn ${turn.index + 1}`
                )}
                {turn.isLeft && <span className="faint"> (abandoned branch)</span>}
              </th>
              <td>{scene.isOrdered ? '' : longWhen(instantOf(turn.startedAt))}</td>
              <td>{scene.isOrdered ? '' : durationText(turn.endedAt - turn.startedAt)}</td>
              <td>{countText(turn.calls)}</td>
              <td>{turn.failed === 0 ? '' : countText(turn.failed)}</td>
              <td>{turn.subagents === 0 ? '' : countText(turn.subagents)}</td>
              <td>{turn.tokens === undefined ? '' : tokensText(turn.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {scene.lanes.length > 1 && <LaneTable scene={scene} />}
    </div>
  )
})

function LaneTable({ scene }: { scene: MapScene }) {
  return (
    <table>
      <caption>Subagents</caption>
      <thead>
        <tr>
          <th scope="col">Subagent</th>
          <th scope="col">Task</th>
          <th scope="col">Started</th>
          <th scope="col">Work</th>
        </tr>
      </thead>
      <tbody>
        {scene.lanes.slice(1).map(({ thread }) => (
          <tr key={thread.id}>
            <th scope="row">{thread.agentType ?? 'subagent'}</th>
            <td>{thread.description ?? ''}</td>
            <td>{longWhen(thread.startedAt)}</td>
            <td>{countOf(thread.calls, 'call')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
