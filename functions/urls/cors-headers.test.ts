import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { answerHeaders, preflightHeaders, readPreflight } from './cors-headers.ts';

const origin = 'https://page.test';

describe('a preflight request', () => {
  test('is an OPTIONS request with an origin and a method', () => {
    const headers = { origin, 'access-control-request-method': 'PUT' };
    assert.deepEqual(readPreflight('OPTIONS', headers), { origin, method: 'PUT' });
    assert.equal(readPreflight('PUT', headers), undefined);
    assert.equal(readPreflight('OPTIONS', { origin }), undefined);
    assert.equal(readPreflight('OPTIONS', { 'access-control-request-method': 'PUT' }), undefined);
  });

  test('gets no headers for another origin or method', () => {
    const cors = { AllowOrigins: [origin], AllowMethods: ['GET'] };
    assert.deepEqual(preflightHeaders(cors, { origin, method: 'PUT' }), {});
    assert.deepEqual(preflightHeaders(cors, { origin: 'https://other.test', method: 'GET' }), {});
    assert.deepEqual(preflightHeaders({}, { origin, method: 'GET' }), {});
  });

  test('gets what the function URL allows', () => {
    const cors = {
      AllowOrigins: [origin],
      AllowMethods: ['GET', 'PUT'],
      AllowHeaders: ['x-one', 'x-two'],
      MaxAge: 0,
    };
    assert.deepEqual(preflightHeaders(cors, { origin, method: 'PUT' }), {
      'access-control-allow-origin': origin,
      vary: 'Origin',
      'access-control-allow-methods': 'GET,PUT',
      'access-control-allow-headers': 'x-one,x-two',
      'access-control-max-age': '0',
    });
  });
});

describe('a response to a page', () => {
  test('allows any origin by a star, but with credentials by its name', () => {
    const any = { AllowOrigins: ['*'] };
    assert.equal(answerHeaders(any, origin)['access-control-allow-origin'], '*');
    assert.deepEqual(answerHeaders({ ...any, AllowCredentials: true }, origin), {
      'access-control-allow-origin': origin,
      vary: 'Origin',
      'access-control-allow-credentials': 'true',
    });
  });

  test('exposes headers to allowed origins only', () => {
    const cors = { AllowOrigins: [origin], ExposeHeaders: ['x-one', 'x-two'] };
    assert.equal(answerHeaders(cors, origin)['access-control-expose-headers'], 'x-one,x-two');
    assert.deepEqual(answerHeaders(cors, 'https://other.test'), {});
    assert.deepEqual(answerHeaders(cors, undefined), {});
  });
});
