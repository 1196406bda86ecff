// A diff as a patch that `git apply` understands, where the log knew the lines' places.

import type { DiffPart } from '../../src/view/view.ts'

export function patchText({ path, hunks }: DiffPart): string {
  const name = path.replace(/^\/+/, '')
  const isNew = hunks.every(hunk => hunk.lines.every(line => line.sign === '+'))
  const lines = [isNew ? '--- /dev/null' : `--- a/${name}`, `+++ b/${name}`]
  for (const hunk of hunks) {
    const olds = hunk.lines.filter(line => line.sign !== '+').length
    const news = hunk.lines.filter(line => line.sign !== '-').length
    lines.push(`@@ -${hunk.oldStart},${olds} +${hunk.newStart},${news} @@`)
    for (const line of hunk.lines) lines.push(line.sign + line.text)
  }
  return `${lines.join('\n')}\n`
}
