import assert from 'node:assert/strict';
import { it } from 'node:test';

import { archiveOf } from './har.ts';
import type { Exchange } from './recorder.ts';

const secret = 'SECRET-OF-A-TEST';

function bodyOf(text: string): Exchange['requestBody'] {
  return { size: Buffer.byteLength(text), bytes: Buffer.from(text) };
}

const exchange: Exchange = {
  startedAt: 0,
  milliseconds: 1,
  method: 'POST',
  target: '/',
  httpVersion: 'HTTP/1.1',
  requestHeaders: [],
  requestBody: bodyOf(''),
  status: 200,
  statusText: 'OK',
  responseHeaders: [],
  responseBody: bodyOf(''),
};

const header = (name: string, value: string): Exchange['responseHeaders'] => [{ name, value }];

for (const [where, changes] of Object.entries<Partial<Exchange>>({
  'the query': { target: `/x?code=${secret}&page=2` },
  'the path': { target: `/api/v3/app-manifests/${secret}/conversions` },
  'a redirection': {
    responseHeaders: header('Location', `http://127.0.0.1/callback?code=${secret}&state=7`),
  },
  'the URL of a page': { requestHeaders: header('referer', `/apps?code=${secret}`) },
  'a header': { requestHeaders: header('Authorization', `token ${secret}`) },
  'a form of a page': {
    responseBody: bodyOf(`<input type="hidden" name="form" value="${secret}"> seen`),
  },
  'a form whose value comes first': {
    responseBody: bodyOf(`<input name="form" value="${secret}" type="hidden"> seen`),
  },
  JSON: { requestBody: bodyOf(`{"config": {"secret": "${secret}"}, "seen": 1}`) },
  'JSON that is broken': { requestBody: bodyOf(`xx{"password":"${secret}", "seen": 1`) },
  'JSON that is cut': { requestBody: bodyOf(`{"seen": 1, "password":"${secret}`) },
  'variables of a function': {
    requestBody: bodyOf(`{"Environment": {"Variables": {"KEY": "${secret}"}}}`),
  },
  'a posted form': {
    requestHeaders: header('content-type', 'application/x-www-form-urlencoded'),
    requestBody: bodyOf(`client_secret=${secret}&seen=1`),
  },
})) {
  it(`an archive shows no secret of ${where}`, () => {
    const text = JSON.stringify(archiveOf([{ ...exchange, ...changes }], 'http://127.0.0.1'));
    assert.ok(!text.includes(secret), text);
    assert.match(text, /redacted/);
  });
}
