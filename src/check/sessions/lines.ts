// Rules about bytes: what is on a line, how it is encoded and how it ends. What a record says is not looked at.

import { hasMark } from '../../model/record.ts'
import type { Rule } from '../rule.ts'

const gluedLine: Rule = {
  code: 'glued-line',
  line(record, _file, report) {
    if (record.part === 2) report(`Line ${record.line} contains more than one record.`, { record })
  },
}

const malformedLine: Rule = {
  code: 'malformed-line',
  line(record, _file, report) {
    if (hasMark(record, 'lines')) report(`The record of line ${record.line} is spread over several lines.`, { record })
    if (record.status !== 'malformed' || hasMark(record, 'not-object') || hasMark(record, 'glued')) return
    report(`The ${record.bytes} bytes of line ${record.line} are not JSON.`, { record })
  },
}

const lineNotObject: Rule = {
  code: 'line-not-object',
  line(record, _file, report) {
    if (record.status === 'blank') report(`Line ${record.line} is empty.`, { record })
    else if (hasMark(record, 'not-object')) report(`Line ${record.line} is JSON, but no object.`, { record })
  },
}

const commaBetweenLines: Rule = {
  code: 'comma-between-lines',
  line(record, _file, report) {
    if (hasMark(record, 'comma')) report(`A comma is next to the object on line ${record.line}.`, { record })
  },
}

const arrayWrapper: Rule = {
  code: 'array-wrapper',
  file(facts, report) {
    const first = facts.records.find(record => record.status !== 'blank')
    if (first !== undefined && hasMark(first, 'array'))
      report('The file begins with `[`, as if the records were wrapped in one JSON array.', { record: first })
  },
}

const encodingNotUtf8: Rule = {
  code: 'encoding-not-utf8',
  line(record, _file, report) {
    if (hasMark(record, 'invalid-utf8')) report(`Line ${record.line} has bytes that are not UTF-8.`, { record })
  },
}

const lineTerminatorNotLf: Rule = {
  code: 'line-terminator-not-lf',
  line(record, _file, report) {
    if (hasMark(record, 'crlf')) report(`Line ${record.line} ends with CR LF.`, { record })
    else if (hasMark(record, 'no-newline') && record.value !== undefined)
      report(`The last record, on line ${record.line}, has no newline after it.`, { record })
  },
}

const tornTail: Rule = {
  code: 'torn-tail',
  line(record, _file, report) {
    if (record.status === 'torn')
      report(`The last line, ${record.line}, is cut off after ${record.bytes} bytes.`, { record })
  },
}

export const lineRules: readonly Rule[] = [
  gluedLine,
  malformedLine,
  lineNotObject,
  commaBetweenLines,
  arrayWrapper,
  encodingNotUtf8,
  lineTerminatorNotLf,
  tornTail,
]
