import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { isUrlHost, readUrlTarget, urlAddress, urlRoute } from './url-address.ts';

const urlId = 'abcdefghijklmnopqrstuvwxyz234567';
const host = `${urlId}.lambda-url.us-east-1.localhost`;

describe('the address of a function URL', () => {
  test('is a host below the domain, with the scheme and the port of the base URL', () => {
    const settings = { baseUrl: 'https://hob.test:8443', region: 'us-east-1' };
    assert.equal(
      urlAddress({ ...settings, urlDomain: 'functions.test' }, urlId),
      `https://${urlId}.lambda-url.us-east-1.functions.test:8443/`,
    );
    assert.equal(
      urlAddress({ ...settings, baseUrl: 'https://hob.test', urlDomain: 'functions.test' }, urlId),
      `https://${urlId}.lambda-url.us-east-1.functions.test/`,
    );
  });

  test('is a path of the site without a domain', () => {
    const settings = { baseUrl: 'http://hob.test:3000', region: 'us-east-1', urlDomain: undefined };
    assert.equal(urlAddress(settings, urlId), `http://hob.test:3000/lambda-url/${urlId}/`);
  });
});

describe('a request to a function URL', () => {
  const targets: readonly (readonly [
    name: string,
    target: string,
    host: string | undefined,
    expected: object | undefined,
  ])[] = [
    ['by its host', '/a?b', host, { urlId, path: '/a?b', form: 'host' }],
    ['by its host and port', '/', `${host}:3000`, { urlId, path: '/', form: 'host' }],
    ['by its host in capitals', '/', host.toUpperCase(), { urlId, path: '/', form: 'host' }],
    ['with a target that is no path', '*', host, { urlId, path: '/*', form: 'host' }],
    ['by a path', `/lambda-url/${urlId}/a?b`, 'hob.test', { urlId, path: '/a?b', form: 'path' }],
    ['by a path without a slash', `/lambda-url/${urlId}`, '', { urlId, path: '/', form: 'path' }],
    ['by a path with a query', `/lambda-url/${urlId}?a`, '', { urlId, path: '/?a', form: 'path' }],
    ['by a host with another id', '/', 'x.lambda-url.test', { urlId: '', path: '/', form: 'host' }],
    ['of no id', '/lambda-url/', '', { urlId: '', path: '/', form: 'path' }],
    ['that is none', '/lambda-urls/x', 'hob.test', undefined],
    ['without a host', '/', undefined, undefined],
  ];
  for (const [name, target, given, expected] of targets) {
    test(`${name} is recognised`, () => {
      assert.deepEqual(readUrlTarget(target, given), expected);
    });
  }

  test('is routed by an id that has its form', () => {
    const path = '/';
    assert.equal(urlRoute({ urlId, path, form: 'host' }), `/lambda-url/${urlId}`);
    for (const wrong of ['', 'short', `${urlId}/../../x`, urlId.toUpperCase()]) {
      assert.equal(urlRoute({ urlId: wrong, path, form: 'path' }), '/lambda-url/-');
    }
  });

  test('never belongs to the site where its host has the label', () => {
    for (const given of [host, 'lambda-url.test', 'a.LAMBDA-URL.b']) assert.ok(isUrlHost(given));
    for (const given of ['hob.test', 'xlambda-url.test', 'lambda-url']) {
      assert.ok(!isUrlHost(given), given);
    }
  });
});
