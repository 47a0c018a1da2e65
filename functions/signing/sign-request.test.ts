import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { signRequest, type OutgoingRequest } from './sign-request.ts';
import { signRequest as signAsClients } from './testing/sign-request.ts';

const key = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const now = Date.UTC(2015, 7, 30, 12, 36);
const terms = { key, region: 'us-east-1', service: 'service', now };

const signatureOf = (request: Partial<OutgoingRequest>): string => {
  const plain = { method: 'POST', url: 'https://example.amazonaws.com/', headers: {}, body: '' };
  return signRequest({ ...plain, ...request }, terms)['authorization'] ?? '';
};

describe('requests of this server', () => {
  it("are signed as in AWS's published examples", () => {
    const scope = 'Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request';
    assert.equal(
      signatureOf({ method: 'GET' }),
      `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31`,
    );
    assert.equal(
      signatureOf({}),
      `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b`,
    );
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal(
      signatureOf({ headers, body: 'Param1=value1' }),
      `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a`,
    );
  });

  it('are signed as clients sign, with a session, a path, a query and a port', () => {
    const target = '/a%20b/queue?b=2&a=1';
    const headers = { 'content-type': 'application/json', 'x-amz-target': 'AmazonSQS.SendMessage' };
    const body = '{"text":"à"}';
    const session = { ...key, sessionToken: 'token==' };
    const signed = signRequest(
      { method: 'POST', url: `http://127.0.0.1:9324${target}`, headers, body },
      { ...terms, key: session, service: 'sqs' },
    );
    const { rawHeaders } = signAsClients(
      { method: 'POST', target, headers: { ...headers, host: '127.0.0.1:9324' }, body },
      {
        accessKeyId: key.id,
        secretAccessKey: key.secret,
        sessionToken: 'token==',
        time: '20150830T123600Z',
        service: 'sqs',
      },
    );
    assert.equal(signed['authorization'], rawHeaders.at(-1));
    assert.equal(signed['x-amz-security-token'], 'token==');
    assert.equal(signed['x-amz-date'], '20150830T123600Z');
    assert.equal('host' in signed, false);
  });
});
