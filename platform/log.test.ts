import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createLog } from './log.ts';

function lineOf(fields: object, message = 'told'): string {
  const lines: string[] = [];
  createLog('info', (line) => lines.push(line)).info(fields, message);
  assert.equal(lines.length, 1);
  return lines[0] ?? '';
}

describe('the log', () => {
  it('contains no secret, however deep', () => {
    const line = lineOf({
      password: 'hunter2',
      request: { headers: { authorization: 'token hunter2', 'set-cookie': 'hunter2' } },
      newToken: 'hunter2',
      url: 'postgres://hob:hunter2@db/hob',
    });
    assert.doesNotMatch(line, /hunter2/);
    assert.match(line, /postgres:\/\/hob:\[redacted\]@db\/hob/);
  });

  it('contains no secret of an error that names a URL', () => {
    assert.doesNotMatch(lineOf({ err: new Error('postgres://hob:hunter2@db/hob') }), /hunter2/);
  });

  it('lets nothing through that a terminal obeys or that begins a new line', () => {
    const line = lineOf({ path: '\u001b[2J\u009b2J\n{"level":"error"}\u202e' }, 'a\nb');
    assert.match(line, /\n$/);
    // oxlint-disable-next-line no-control-regex -- control characters are the point
    assert.doesNotMatch(line.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u202e]/);
    assert.equal(JSON.parse(line).path, '\u001b[2J\u009b2J\n{"level":"error"}\u202e');
  });

  it('says nothing below its level', () => {
    const lines: string[] = [];
    const log = createLog('warn', (line) => lines.push(line));
    log.info({}, 'no');
    createLog('silent', (line) => lines.push(line)).error({}, 'no');
    assert.deepEqual(lines, []);
  });

  it('writes one line of JSON with level, time, fields and message', () => {
    const { time, ...rest } = JSON.parse(lineOf({ port: 1 }, 'listening'));
    assert.deepEqual(rest, { level: 'info', port: 1, msg: 'listening' });
    assert.match(time, /^\d{4}-\d\d-\d\dT.*Z$/);
  });
});
