// The short forms of tool calls in a sketch, made into the inputs that the tools really take.
//
//   call Bash npm test                      call Read src/cart.ts
//   call Edit src/cart.ts                   call TodoWrite
//     - return sum                            [x] Read the cart
//     + return round(sum)                     [>] Round once
//   call Anything {"any": "json"}

/** The input of a `call` or `also`; made once and kept, since edits change the sketch's files. */
export function inputOf(session, event) {
  event.input ??= makeInput(session, event)
  return event.input
}

export function nameOf(event) {
  return event.rest.split(' ')[0]
}

function makeInput(session, event) {
  const name = nameOf(event)
  const rest = event.rest.slice(name.length).trim()
  if (rest.startsWith('{')) return JSON.parse(rest)
  const make = makers[name]
  if (make === undefined) throw new Error(`${session.head.name}: "${name}" needs its input as JSON`)
  return make(rest, event.body, session)
}

const makers = {
  Bash: (rest, body) => ({ command: rest, ...(body === '' ? {} : { description: body }) }),
  Read: (rest, _body, session) => ({ file_path: pathIn(session, rest) }),
  Write: (rest, body, session) => ({ file_path: pathIn(session, rest), content: `${body}\n` }),
  Edit: (rest, body, session) => ({ file_path: pathIn(session, rest), ...swapOf(body) }),
  MultiEdit: (rest, body, session) => ({ file_path: pathIn(session, rest), edits: body.split(/^~$\n/m).map(swapOf) }),
  Grep: (rest, _body, session) => ({ pattern: rest, path: session.cwd, output_mode: 'content' }),
  Glob: (rest, _body, session) => ({ pattern: rest, path: session.cwd }),
  WebSearch: rest => ({ query: rest }),
  WebFetch: (rest, body) => ({ url: rest, prompt: body }),
  Skill: rest => ({ skill: rest }),
  TodoWrite: (_rest, body, session) => ({ todos: body.split('\n').map((line, index) => todoOf(session, line, index)) }),
  TaskCreate: (rest, body) => ({ subject: rest, description: body, activeForm: rest }),
  TaskUpdate: rest => ({ taskId: rest.split(' ')[0], status: rest.split(' ')[1] }),
  TaskList: () => ({}),
  TaskOutput: (rest, _body, session) => ({
    task_id: session.calls.get(rest)?.taskId ?? rest,
    block: true,
    timeout: 30_000,
  }),
  ExitPlanMode: (_rest, body) => ({ plan: body }),
  AskUserQuestion: (rest, body) => ({ questions: [questionOf(rest, body)] }),
}

function pathIn(session, path) {
  return path.startsWith('/') ? path : `${session.cwd}/${path}`
}

function swapOf(body) {
  const side = sign =>
    body
      .split('\n')
      .filter(line => line.startsWith(sign))
      .map(line => line.slice(2))
      .join('\n')
  return { old_string: side('-'), new_string: side('+') }
}

function todoOf(session, line, index) {
  const [, mark, content] = /^\[(.)\] (.*)$/.exec(line)
  const status = { x: 'completed', '>': 'in_progress' }[mark] ?? 'pending'
  if (!session.form.since('1.0.17')) return { content, status, priority: 'medium', id: String(index + 1) }
  return { content, status, activeForm: content }
}

/** `call AskUserQuestion Crust | Which crust shall we use?` with a body of `Label: description` lines. */
function questionOf(rest, body) {
  const [header, question] = rest.split(' | ')
  const options = body.split('\n').map(line => {
    const at = line.indexOf(': ')
    return { label: line.slice(0, at), description: line.slice(at + 2) }
  })
  return { question, header, multiSelect: false, options }
}
