import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { callbackProblem, redirectOf, withParameters } from './redirect-uri.ts';

describe('the redirect URIs of applications', () => {
  test('a callback URL is plain http or https', () => {
    for (const text of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.org/',
      '/callback',
      'https://me:secret@example.org/',
      'https://example.org/#top',
      'https://a;script-src.example.org/',
      "https://a'b.example.org/",
      '',
      `https://example.org/${'a'.repeat(3000)}`,
    ]) {
      assert.match(callbackProblem(text) ?? '', /^callback_url '/, text);
    }
    assert.equal(callbackProblem('https://example.org/callback?x=1'), undefined);
    assert.equal(callbackProblem('http://[::1]:3000/'), undefined);
  });

  test('a redirect is the callback URL or below it, on the same host, port and scheme', () => {
    const callback = 'http://example.com/path';
    for (const good of ['http://example.com/path', 'http://example.com/path/subdir/other']) {
      assert.equal(redirectOf(callback, good), good);
    }
    for (const bad of [
      'http://example.com/bar',
      'http://example.com/',
      'http://example.com/pathology',
      'http://example.com:8080/path',
      'http://oauth.example.com/path',
      'http://example.org/path',
      'https://example.com/path',
      'http://example.com/path/../bar',
      'http://example.com/path/%2e%2e/bar',
      'http://example.com/path/..%2fbar',
      'http://example.com/path\\..\\bar',
      'http://example.com@evil.example/path',
      'http://example.com/path#x',
      '//example.com/path',
      '/path',
    ]) {
      assert.equal(redirectOf(callback, bad), undefined, bad);
    }
    assert.equal(redirectOf(callback, undefined), callback);
  });

  test('on loopback any port will do, but no other name', () => {
    const callback = 'http://127.0.0.1/path';
    assert.equal(redirectOf(callback, 'http://127.0.0.1:1234/path'), 'http://127.0.0.1:1234/path');
    assert.equal(redirectOf(callback, 'http://localhost:1234/path'), undefined);
  });

  test('parameters are added to those that are there', () => {
    assert.equal(
      withParameters('https://example.org/back?x=1', {
        code: 'c',
        state: 'a b&c',
        error: undefined,
      }),
      'https://example.org/back?x=1&code=c&state=a+b%26c',
    );
  });
});
