// The first screen without sessions: what Clew is for, and the sample history one click away. Sample sessions are
// never among one's own.

import { Link } from '../route.ts'
import { chooseFile } from '../shell/drop.tsx'
import { Logo } from '../shell/top-bar.tsx'

export function FirstRun() {
  return (
    <div className="first-run">
      <Logo size={56} />
      <h2>Follow the thread</h2>
      <p>
        Clew reads the session logs that Claude Code leaves on this machine: what was asked, what the agent and its
        subagents did, what changed, what it cost. Nothing leaves this machine.
      </p>
      <p className="soft">
        There are no sessions yet. Run <code>claude</code> in a project and they appear here by themselves; or name
        another Claude home with <code>clew serve --root PATH</code>.
      </p>
      <p className="actions">
        <Link className="button" route={{ screen: 'home', query: { sample: '1' } }}>
          Look at the sample history
        </Link>
        <button type="button" className="button plain" onClick={chooseFile}>
          Open a session file…
        </button>
      </p>
      <p className="soft">
        A .jsonl file can also be dropped anywhere into this window. It is read here and sent nowhere.
      </p>
    </div>
  )
}

/** Above the list while it shows the sample. */
export function SampleNote() {
  return (
    <p className="sample-note" role="note">
      <strong>Sample history.</strong> These sessions are invented and came with Clew. Your own take their place as soon
      as there are some.
    </p>
  )
}
