import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { httpEvent, type UrlRequest } from './http-event.ts';

const request: UrlRequest = {
  requestId: 'r-1',
  method: 'POST',
  rawPath: '/a%20b',
  rawQuery: 'x=1&y=%C3%A9&x=2',
  protocol: 'HTTP/1.1',
  headers: { 'user-agent': 'test', cookie: 'a=1; b=2' },
  sourceIp: '192.0.2.1',
  body: Buffer.from(''),
  time: Date.UTC(2020, 2, 12, 19, 3, 58),
};

type Url = Parameters<typeof httpEvent>[1];

function eventOf(more: Partial<UrlRequest>, principal?: Parameters<typeof httpEvent>[2]) {
  const url = { urlId: 'abc' } satisfies Partial<Url>;
  // Only the id of a function URL is part of an event.
  return JSON.parse(
    JSON.stringify(
      httpEvent(
        { ...request, ...more },
        Object.assign(Object.create(null), url),
        principal,
        'abc.test',
      ),
    ),
  );
}

describe('the event of a function URL', () => {
  test('is the request in payload format 2.0', () => {
    assert.deepEqual(eventOf({}), {
      version: '2.0',
      routeKey: '$default',
      rawPath: '/a%20b',
      rawQueryString: 'x=1&y=%C3%A9&x=2',
      cookies: ['a=1', 'b=2'],
      headers: { 'user-agent': 'test' },
      queryStringParameters: { x: '1,2', y: 'é' },
      requestContext: {
        accountId: 'anonymous',
        apiId: 'abc',
        domainName: 'abc.test',
        domainPrefix: 'abc',
        http: {
          method: 'POST',
          path: '/a%20b',
          protocol: 'HTTP/1.1',
          sourceIp: '192.0.2.1',
          userAgent: 'test',
        },
        requestId: 'r-1',
        routeKey: '$default',
        stage: '$default',
        time: '12/Mar/2020:19:03:58 +0000',
        timeEpoch: request.time,
      },
      isBase64Encoded: false,
    });
  });

  test('has neither cookies nor parameters without any', () => {
    const event = eventOf({ headers: {}, rawQuery: '' });
    assert.ok(!('cookies' in event) && !('queryStringParameters' in event));
    assert.equal(event.requestContext.http.userAgent, '');
  });

  const bodies: readonly (readonly [type: string, isText: boolean])[] = [
    ['text/plain', true],
    ['application/json; charset=utf-8', true],
    ['application/vnd.api+json', true],
    ['IMAGE/SVG+XML', true],
    ['application/octet-stream', false],
    ['application/json-seq', false],
    ['', false],
  ];
  for (const [type, isText] of bodies) {
    test(`has a body of type "${type}" as ${isText ? 'text' : 'base64'}`, () => {
      const { body, isBase64Encoded } = eventOf({
        headers: { 'content-type': type },
        body: Buffer.from('hé'),
      });
      assert.deepEqual([body, isBase64Encoded], isText ? ['hé', false] : ['aMOp', true]);
    });
  }
});
