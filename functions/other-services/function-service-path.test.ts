import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { otherServicesPath } from './recognise-service.ts';
import { functionServicePath } from './function-service-path.ts';

const signedFor = (service: string): string =>
  `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=00`;

describe('addresses of the function service', () => {
  test('are left alone by others', () => {
    for (const url of [
      '/',
      '/api/v3/repos/a/%',
      '/2015',
      '/2015-03-310/x',
      '/1915-03-31/functions',
    ]) {
      assert.equal(functionServicePath({ url, headers: {} }), undefined, url);
    }
  });

  test('lead where they say, or nowhere when they cannot be read', () => {
    for (const url of ['/2015-03-31/functions', '/2015-03-31/functions/a%20b?Marker=%']) {
      assert.equal(functionServicePath({ url, headers: {} }), url);
    }
    for (const end of ['', '/', '?x', '/%', '/functions/%ff?x']) {
      assert.equal(
        functionServicePath({ url: `/2015-03-31${end}`, headers: {} }),
        '/2015-03-31/-',
        end,
      );
    }
  });

  test('lead to a path of its own where a request is signed for another service, and to no operation where it is signed for functions', () => {
    assert.equal(
      functionServicePath({ url: '/', headers: { authorization: signedFor('s3') } }),
      otherServicesPath,
    );
    assert.equal(
      functionServicePath({ url: '/nothing', headers: { authorization: signedFor('lambda') } }),
      '/2015-03-31/-',
    );
    assert.equal(
      functionServicePath({ url: '/acme/hello', headers: { host: 'hob.test' } }),
      undefined,
    );
  });
});
