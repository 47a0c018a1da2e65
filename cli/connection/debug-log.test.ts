import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { debugLog, withoutSecrets, argsWithoutSecrets } from './debug-log.ts';

const secret = fc.stringMatching(/^[A-Za-z0-9+/]{12,24}$/);

describe('what --debug shows', () => {
  const secretPatterns: readonly (readonly [where: string, text: (secret: string) => string])[] = [
    ['a header in JSON', (word) => JSON.stringify({ 'x-amz-security-token': word, host: 'h' })],
    ['a canonical request', (word) => `PUT\n/\n\nhost:h\nx-amz-security-token:${word}\n\nhost`],
    [
      'the body of a request',
      (word) => JSON.stringify({ Environment: { Variables: { A: word } } }),
    ],
    [
      'a pretty body',
      (word) => JSON.stringify({ Environment: { Variables: { A: word } } }, null, 2),
    ],
    ['values with braces', (word) => JSON.stringify({ Variables: { A: `{"b":"}"}`, B: word } })],
    ['shorthand', (word) => JSON.stringify(['--environment', `Variables={A=1,B=${word}}`])],
    ['shorthand with quotes', (word) => JSON.stringify([`Variables={A="}",B='${word}'}`])],
    ['JSON among the args', (word) => JSON.stringify([JSON.stringify({ Variables: { A: word } })])],
    ['keys', (word) => JSON.stringify({ SecretAccessKey: word })],
    ['a session', (word) => JSON.stringify({ SessionToken: word })],
    ['an archive', (word) => JSON.stringify({ ZipFile: word })],
  ];
  for (const [where, text] of secretPatterns) {
    it(`has no secret of ${where}`, () => {
      fc.assert(
        fc.property(secret, (word) => {
          assert.ok(!withoutSecrets(text(word)).includes(word));
        }),
      );
    });
  }

  it('has no secret among the arguments', () => {
    assert.deepEqual(
      argsWithoutSecrets(['--set-env', 'A=1', 'B=2', '--wait', 'x', '--secret-access-key=s']),
      ['--set-env', '***', '***', '--wait', 'x', '--secret-access-key=***'],
    );
  });

  it('has no secret among arguments whose options are abbreviated, or of any notation', () => {
    const args = ['--secret-access-k', 's', '--secret-a=s', '--envi', "Variables={A=it's s}"];
    const inputs = ['--cli-input-yaml', 'A: s', '--cli-input-json={"A":"s"}', '--', 'x'];
    assert.deepEqual(argsWithoutSecrets([...args, ...inputs]), [
      '--secret-access-k',
      '***',
      '--secret-a=***',
      '--envi',
      '***',
      '--cli-input-yaml',
      '***',
      '--cli-input-json=***',
      '--',
      'x',
    ]);
  });

  it('has no secret of a body that is cut off', () => {
    let text = '';
    const stderr = { write: (chunk: string | Uint8Array) => (text += String(chunk)) };
    const log = debugLog(stderr, () => 0, 'hob');
    // The end of what is shown may be between a backslash and a quote.
    for (const value of ['S3CRET'.repeat(2000), 'S3CRET"'.repeat(2000), '"S3CRET"'.repeat(2000)]) {
      const body = Buffer.from(JSON.stringify({ Environment: { Variables: { A: value } } }));
      log.request('http://h/', { method: 'PUT', headers: {}, body });
    }
    assert.ok(!text.includes('S3CRET'), text.slice(0, 1000));
    assert.match(text, /bytes in all/);
  });

  it('has no signature', () => {
    const signature = 'ca1debd715a7b7d1c9c991742d4ddf37';
    assert.ok(!withoutSecrets(`SignedHeaders=host, Signature=${signature}`).includes(signature));
  });

  it('has no controls of a terminal, whatever the server answers', () => {
    let text = '';
    const stderr = { write: (chunk: string | Uint8Array) => (text += String(chunk)) };
    const body = Buffer.from('{"message":"\u001b]0;title\u0007\r\u009b2J\u202e"}');
    debugLog(stderr, () => 0, 'hob').response({ status: 500, headers: {}, body });
    for (const control of ['\u001b', '\u0007', '\r', '\u009b', '\u202e'])
      assert.ok(!text.includes(control));
    assert.match(text, /\\u001b\]0;title\\u0007/);
  });

  it('is lines with the time and the part of the client', () => {
    const lines: string[] = [];
    const stderr = { write: (text: string | Uint8Array) => lines.push(String(text)) };
    const log = debugLog(stderr, () => Date.UTC(2026, 0, 2, 3, 4, 5, 6), 'hob');
    log.note('client', 'hello');
    log.response({ status: 200, headers: {}, body: Buffer.alloc(5000, 'a') });
    assert.equal(lines[0], '2026-01-02 03:04:05,006 - MainThread - hob.client - DEBUG - hello\n');
    assert.match(lines[2] ?? '', /a… \(5000 bytes in all\)\n$/);
  });
});
