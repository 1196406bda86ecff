// What the client will delete soon, and whether it is kept. The Keeping screen does something about it.

import { countOf } from '../../src/view/words.ts'
import { ask } from '../api.ts'
import { useAsync } from '../reader.ts'
import { Link } from '../route.ts'
import { useNow } from '../shell/sessions.ts'
import { deletionText } from '../shell/when.ts'

const shown = 4

export function KeepingGlance() {
  const now = useNow()
  const { value } = useAsync(signal => ask('GET /api/keeping', {}, { signal }), [])
  const soon = value?.expiring.filter(one => deletionText(one.deletedOn, now) !== undefined) ?? []
  if (!value || soon.length === 0) return null
  const unkept = soon.filter(one => !one.isKept).length
  return (
    <section className="keeping-glance" aria-label="Deleted soon">
      <h2 className="row-heading glance-heading">
        <Link className="glance-link" route={{ screen: 'keeping', query: {} }}>
          Deleted soon
        </Link>
        <span>{soon.length}</span>
      </h2>
      <ul>
        {soon.slice(0, shown).map(({ session, title, deletedOn, isKept }) => (
          <li key={session}>
            <Link className="expiring-title" route={{ screen: 'transcript', session, query: {} }}>
              {title}
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
