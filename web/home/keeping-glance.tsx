// What the client will delete soon, and whether it is kept. The Keeping screen does something about it.

import { countOf, countText } from '../../src/view/words.ts'
import { ask } from '../api.ts'
import { useAsync } from '../reader.ts'
import { Link } from '../route.ts'
import { useNow } from '../shell/sessions.ts'
import { deletionText } from '../shell/when.ts'

const shown = 4
/** Among so many, the first to go are looked for. */
const looked = 200

/** From the list, which is quick however much there is: what is kept of each file is the Keeping screen's question. */
async function askExpiring(signal: AbortSignal) {
  const count = async (is: string) => (await ask('GET /api/sessions', { is, count: '1' }, { signal })).total
  const total = await count('expiring')
  if (total === 0) return { soon: [], total, unkept: 0 }
  // Those that were not used for longest go first, and stand last.
  const from = String(Math.max(0, total - looked))
  const [{ sessions }, unkept] = await Promise.all([
    ask('GET /api/sessions', { is: 'expiring', from, count: String(looked) }, { signal }),
    count('expiring,unkept'),
  ])
  const soon = sessions.sort((one, other) => (one.deletedOn ?? '').localeCompare(other.deletedOn ?? ''))
  return { soon: soon.slice(0, shown), total, unkept }
}

export function KeepingGlance() {
  const now = useNow()
  const { value } = useAsync(askExpiring, [])
  if (!value || value.total === 0) return null
  const { soon, total, unkept } = value
  return (
    <section className="keeping-glance" aria-label="Deleted soon">
      <h2 className="row-heading glance-heading">
        <Link className="glance-link" route={{ screen: 'keeping', query: {} }}>
          Deleted soon
        </Link>
        <span>{countText(total)}</span>
      </h2>
      <ul>
        {soon.map(({ id, title, deletedOn, isKept }) => (
          <li key={id}>
            <Link className="expiring-title" route={{ screen: 'transcript', session: id, query: {} }}>
              {title || 'Without a title'}
            </Link>
            <span>
              <span className="row-gone">{deletionText(deletedOn, now)}</span> · {isKept ? 'kept' : 'not kept'}
            </span>
          </li>
        ))}
      </ul>
      <p className="glance-note">
        {unkept === 0 ? 'All of them are kept in the archive.' : `${countOf(unkept, 'session')} not kept yet.`}
      </p>
    </section>
  )
}
