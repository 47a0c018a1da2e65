import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import aws4 from 'aws4';
import * as fc from 'fast-check';

import { sign } from './sign.ts';

const now = Date.UTC(2026, 10, 21, 2, 4, 36);
const signer = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', region: 'us-east-1' };
const request = {
  method: 'PUT',
  path: '/2015-03-31/functions/my-fn/configuration',
  headers: { host: '127.0.0.1:18999', 'content-type': 'application/json' },
  body: Buffer.from('{"Timeout": 5}'),
};

describe('signing a request', () => {
  it('gives the signature that the AWS CLI gave', () => {
    assert.equal(
      sign(request, signer, now).headers['authorization'],
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/us-east-1/lambda/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=ca1debd715a7b7d1c9c991742d4ddf3775a1b217286e959468d1eb4f2a281aea',
    );
  });

  it('encodes an encoded path once more', () => {
    const path = '/2015-03-31/functions/arn%3Aaws%3Alambda/configuration';
    const { canonicalRequest } = sign({ ...request, path }, signer, now);
    assert.equal(
      canonicalRequest.split('\n')[1],
      '/2015-03-31/functions/arn%253Aaws%253Alambda/configuration',
    );
  });

  it('sends a session token and signs it', () => {
    const { headers } = sign(request, { ...signer, sessionToken: 'token' }, now);
    assert.equal(headers['x-amz-security-token'], 'token');
    assert.match(headers['authorization'] ?? '', /SignedHeaders=[^,]*;x-amz-security-token,/);
  });

  it('leaves out the headers that the AWS CLI leaves out', () => {
    const headers = { ...request.headers, 'user-agent': 'hob', 'content-length': '14' };
    assert.match(
      sign({ ...request, headers }, signer, now).headers['authorization'] ?? '',
      /SignedHeaders=content-type;host;x-amz-date,/,
    );
  });

  it('sorts the query and encodes it anew', () => {
    const path = '/x?b=2&a=%24LATEST&a=1&flag';
    const { canonicalRequest } = sign({ ...request, path }, signer, now);
    assert.equal(canonicalRequest.split('\n')[2], 'a=%24LATEST&a=1&b=2&flag=');
  });

  it('agrees with the library on any name, query and body', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        word,
        fc.dictionary(word, word, { maxKeys: 4 }),
        fc.string(),
        (name, query, text) => {
          const search = Object.entries(query).map(
            ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
          );
          const path = `/functions/${encodeURIComponent(name)}?${search.join('&')}`;
          fc.pre(!/^\/functions\/\.\.?\?/.test(path));
          // The library loses a parameter of this name.
          fc.pre(!Object.hasOwn(query, '__proto__'));
          const ours = sign({ ...request, path, body: Buffer.from(text) }, signer, now);
          const theirs = new aws4.RequestSigner({
            method: 'PUT',
            path,
            body: text,
            service: 'lambda',
            region: 'us-east-1',
            headers: { ...request.headers, 'x-amz-date': '20261121T020436Z' },
            doNotModifyHeaders: true,
          });
          assert.equal(ours.canonicalRequest, theirs.canonicalString());
        },
      ),
    );
  });
});
