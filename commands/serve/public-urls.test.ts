import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { publicUrls } from './public-urls.ts';

describe('the domain of function URLs', () => {
  const domainOf = (baseUrl: string, urlDomain?: string): string | undefined =>
    publicUrls({ baseUrl, host: '127.0.0.1', tls: undefined, functions: { urlDomain } }, 3000)
      .urlDomain;

  it('is refused where functions could set cookies for the site, or hosts could be either', () => {
    for (const urlDomain of ['code.example.org', 'a.code.example.org']) {
      assert.throws(() => domainOf('http://code.example.org', urlDomain), /OperatorError: .*HTTPS/);
    }
    assert.throws(() => domainOf('https://lambda-url.example.org'), /Choose another host/);
  });

  it('is localhost where the address that is listened on is reported', () => {
    const settings = { baseUrl: undefined, tls: undefined, functions: { urlDomain: undefined } };
    for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
      assert.equal(publicUrls({ ...settings, host }, 3000).urlDomain, 'localhost', host);
    }
    assert.equal(publicUrls({ ...settings, host: '10.0.0.1' }, 3000).urlDomain, undefined);
  });

  it('is localhost on loopback, and none elsewhere, unless one is chosen', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '[::1]', 'localhost', 'hob.localhost']) {
      assert.equal(domainOf(`http://${host}:3000`), 'localhost', host);
      assert.equal(domainOf(`http://${host}:3000`, 'none'), undefined, host);
      assert.equal(domainOf(`http://${host}:3000`, 'lambda.test'), 'lambda.test', host);
    }
    for (const host of ['code.example.org', '10.0.0.1', 'localhost.example.org', '[::2]']) {
      assert.equal(domainOf(`https://${host}`), undefined, host);
    }
    assert.equal(domainOf('https://code.example.org', 'code.example.org'), 'code.example.org');
    assert.equal(domainOf('http://code.example.org', 'example.org'), 'example.org');
  });
});
