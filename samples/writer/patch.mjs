// The `structuredPatch` of an edit: hunks with three lines of context, by the longest common subsequence. Meant for the
// short files of the sketches, not for large ones.

export function structuredPatch(before, after) {
  const steps = compare(lines(before), lines(after))
  const hunks = []
  for (let at = 0; at < steps.length; at++) {
    if (steps[at].sign === ' ') continue
    const from = Math.max(0, at - 3)
    let last = at
    for (let next = at; next < steps.length && next <= last + 6; next++) if (steps[next].sign !== ' ') last = next
    const part = steps.slice(from, last + 4)
    hunks.push(hunk(part))
    at = last + 3
  }
  return hunks
}

function hunk(part) {
  return {
    oldStart: part[0].old,
    oldLines: part.filter(step => step.sign !== '+').length,
    newStart: part[0].new,
    newLines: part.filter(step => step.sign !== '-').length,
    lines: part.map(step => step.sign + step.text),
  }
}

function lines(text) {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function compare(a, b) {
  const common = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1])
    }
  }
  const steps = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const place = { old: i + 1, new: j + 1 }
    if (i < a.length && j < b.length && a[i] === b[j]) steps.push({ sign: ' ', text: a[i++], ...place }) && j++
    else if (i < a.length && (j === b.length || common[i + 1][j] >= common[i][j + 1]))
      steps.push({ sign: '-', text: a[i++], ...place })
    else steps.push({ sign: '+', text: b[j++], ...place })
  }
  return steps
}
