import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import type { ErrorCode } from '#functions-contract/error-names.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import type { SignedPrincipal } from './principal.ts';
import type { RawRequestHead } from './request-head.ts';
import {
  type Credential,
  type Credentials,
  createSignatureVerifier,
  createSigningKeys,
  type SignatureVerifierOptions,
} from './signature-verifier.ts';
import {
  type PlainRequest,
  presignRequest,
  type Signer,
  signRequest,
} from './testing/sign-request.ts';

const now = Date.UTC(2026, 10, 21, 2, 4, 40);
const accountId = '123456789012';

const credentials: Credentials = {
  async find(accessKeyId, sessionToken) {
    if (accessKeyId === 'AKIDEXAMPLE' && sessionToken === undefined) return user('user', undefined);
    if (accessKeyId === 'ASIAEXAMPLE' && sessionToken === 'token') return user('role', now + 1);
    if (accessKeyId === 'ASIAEXAMPLE' && sessionToken === 'expired') return user('role', now);
    return undefined;

    function user(kind: 'user' | 'role', expiresAt: number | undefined) {
      const arn = `arn of ${accessKeyId}`;
      const named = { accessKeyId, accountId, arn, userId: 'AIDA' };
      const principal: SignedPrincipal =
        kind === 'user' ? { kind, ...named, forgeUserId: 7 } : { kind, ...named };
      return { principal, cacheKey: accessKeyId, expiresAt, secret: () => 'secret' };
    }
  },
};

const signer: Signer = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'secret',
  time: '20261121T020436Z',
};
const update: PlainRequest = {
  method: 'PUT',
  target: '/2015-03-31/functions/my-fn/configuration',
  headers: { 'content-type': 'application/json' },
  body: '{"Timeout": 5}',
};
const bodyOf = (request: PlainRequest): Buffer => Buffer.from(request.body ?? '');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const wrong =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';

function verifier(options: Partial<SignatureVerifierOptions> = {}) {
  return createSignatureVerifier({
    credentials,
    clock: { now: () => now },
    region: 'us-east-1',
    accountId,
    allowUnsigned: false,
    unsignedPayloads: 'refused',
    ...options,
  });
}

async function verify(
  head: RawRequestHead,
  body: Uint8Array = bodyOf(update),
  options: Partial<SignatureVerifierOptions> = {},
): Promise<SignedPrincipal> {
  return (await verifier(options).checkCredential(head)).checkSignature(body);
}

/** The refusal must come before the body, of which there is none. */
async function refusedByHead(
  head: RawRequestHead,
  code: ErrorCode,
  message: string,
  options: Partial<SignatureVerifierOptions> = {},
): Promise<void> {
  await assert.rejects(verifier(options).checkCredential(head), isRefusal(code, message));
}

function isRefusal(code: ErrorCode, message: string) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof FunctionsError, String(error));
    assert.deepEqual([error.code, error.message, error.status], [code, message, 403]);
    return true;
  };
}

function withHeader(head: RawRequestHead, name: string, value: string | undefined): RawRequestHead {
  const pairs = Array.from({ length: head.rawHeaders.length / 2 }, (_none, index) =>
    head.rawHeaders.slice(index * 2, index * 2 + 2),
  );
  const others = pairs.filter(([other]) => other !== name);
  return {
    ...head,
    rawHeaders: [...others, ...(value === undefined ? [] : [[name, value]])].flat(),
  };
}

function headerOf(head: RawRequestHead, name: string): string {
  return head.rawHeaders[head.rawHeaders.indexOf(name) + 1] ?? '';
}

describe('a signature', () => {
  it('is missed', async () => {
    await refusedByHead(
      { method: 'GET', target: '/2015-03-31/functions', rawHeaders: ['Host', 'x'] },
      'MissingAuthenticationTokenException',
      'Missing Authentication Token',
    );
  });

  it('is incomplete, and all that is missing is named', async () => {
    await refusedByHead(
      { method: 'GET', target: '/', rawHeaders: ['Authorization', 'Bearer abc'] },
      'IncompleteSignatureException',
      "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=Bearer abc",
    );
    const authorization =
      'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Credential=b, Signature=';
    await refusedByHead(
      withHeader(signRequest(update, signer), 'authorization', authorization),
      'IncompleteSignatureException',
      `Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization=${authorization}`,
    );
  });

  it('is refused when it cannot be parsed', async () => {
    const head = signRequest(update, signer);
    const authorization = headerOf(head, 'authorization');
    await refusedByHead(
      withHeader(head, 'authorization', authorization.replace('HMAC', 'ECDSA')),
      'IncompleteSignatureException',
      "Unsupported AWS 'algorithm': 'AWS4-ECDSA-SHA256'.",
    );
    await refusedByHead(
      withHeader(head, 'authorization', authorization.replace('/lambda/', '/')),
      'IncompleteSignatureException',
      "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'AKIDEXAMPLE/20261121/us-east-1/aws4_request'",
    );
    for (const date of [
      'yesterday',
      '20260231T000000Z',
      '20261301T000000Z',
      '20261121T240000Z',
      '20261121T020436',
      '',
    ]) {
      await refusedByHead(
        withHeader(head, 'x-amz-date', date),
        'IncompleteSignatureException',
        `Date must be in ISO-8601 'basic format'. Got '${date}'. See http://en.wikipedia.org/wiki/ISO_8601`,
      );
    }
  });

  const scopes: readonly (readonly [Partial<Signer>, string])[] = [
    [{ region: 'us-east-99' }, "Credential should be scoped to a valid region, not 'us-east-99'."],
    [{ service: 's3' }, "Credential should be scoped to correct service: 'lambda'."],
    [
      { terminator: 'aws5_request' },
      "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5_request'",
    ],
    [
      { day: '20261120' },
      'Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP',
    ],
    [
      { time: '20261121T015939Z' },
      'Signature expired: 20261121T015939Z is now earlier than 20261121T015940Z (20261121T020440Z - 5 min.)',
    ],
    [
      { time: '20261121T020941Z' },
      'Signature not yet current: 20261121T020941Z is still later than 20261121T020940Z (20261121T020440Z + 5 min.)',
    ],
  ];
  for (const [change, message] of scopes) {
    it(`is refused for ${JSON.stringify(change)}`, async () => {
      const head = signRequest(update, { ...signer, ...change });
      await refusedByHead(head, 'InvalidSignatureException', message);
    });
  }

  it('is refused of a key that is not known, or with a session token that is not its own', async () => {
    const message = 'The security token included in the request is invalid.';
    const otherSigners: readonly Partial<Signer>[] = [
      { accessKeyId: 'AKIDSTRANGER' },
      { sessionToken: 'token' },
      { accessKeyId: 'ASIAEXAMPLE' },
      { accessKeyId: 'ASIAEXAMPLE', sessionToken: 'other' },
    ];
    for (const other of otherSigners) {
      const head = signRequest(update, { ...signer, ...other });
      await refusedByHead(head, 'UnrecognizedClientException', message);
    }
  });

  it('is refused when its session is over', async () => {
    const session = { ...signer, accessKeyId: 'ASIAEXAMPLE' };
    await refusedByHead(
      signRequest(update, { ...session, sessionToken: 'expired' }),
      'ExpiredTokenException',
      'The security token included in the request is expired',
    );
    const head = signRequest(update, { ...session, sessionToken: 'token' });
    assert.equal((await verify(head)).kind, 'role');
  });

  it('must cover the host and every header that the service heeds', async () => {
    const head = signRequest(update, signer);
    const authorization = headerOf(head, 'authorization');
    await refusedByHead(
      withHeader(head, 'authorization', authorization.replace('host;', '')),
      'InvalidSignatureException',
      "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
    );
    await refusedByHead(
      withHeader(head, 'X-Amz-Invocation-Type', 'Event'),
      'InvalidSignatureException',
      "'x-amz-invocation-type' must be a 'SignedHeader' in the AWS Authorization.",
    );
    // A trace header is put in between, by a client that forwards the request.
    await verify(withHeader(head, 'x-amzn-trace-id', 'Root=1'));
  });

  it('is wrong when anything that was signed is changed', async () => {
    const head = signRequest(update, signer);
    const authorization = headerOf(head, 'authorization');
    const last = authorization.at(-1) === '0' ? '1' : '0';
    const changed: readonly RawRequestHead[] = [
      { ...head, method: 'POST' },
      { ...head, target: head.target.replace('my-fn', 'my-fm') },
      { ...head, target: `${head.target}?Qualifier=1` },
      withHeader(head, 'host', '127.0.0.1:1'),
      withHeader(head, 'content-type', 'text/plain'),
      withHeader(head, 'content-type', undefined),
      withHeader(head, 'x-amz-date', '20261121T020437Z'),
      withHeader(head, 'authorization', authorization.slice(0, -1) + last),
      withHeader(head, 'authorization', authorization.slice(0, -1)),
      withHeader(
        head,
        'authorization',
        authorization
          .toUpperCase()
          .replace('CREDENTIAL', 'Credential')
          .replace('SIGNEDHEADERS', 'SignedHeaders')
          .replace('SIGNATURE', 'Signature'),
      ),
      { ...head, rawHeaders: [...head.rawHeaders, 'Host', 'again'] },
      signRequest(update, { ...signer, secretAccessKey: 'guess' }),
    ];
    for (const other of changed) await assert.rejects(verify(other), FunctionsError);
    await assert.rejects(
      verify(head, Buffer.from('{"Timeout": 6}')),
      isRefusal('InvalidSignatureException', wrong),
    );
    await verify(head);
  });

  it('with the hash of the body is checked before the body, and the body against it', async () => {
    const hashed = { ...update, headers: { 'x-amz-content-sha256': sha256(update.body ?? '') } };
    const guessed = signRequest(hashed, { ...signer, secretAccessKey: 'guess' });
    await refusedByHead(guessed, 'InvalidSignatureException', wrong);
    const head = signRequest(hashed, signer);
    await assert.rejects(
      verify(head, Buffer.from('{}')),
      isRefusal('InvalidSignatureException', wrong),
    );
    assert.equal((await verify(head)).kind, 'user');
  });

  it('leaves the body out only where the operator lets it', async () => {
    const unsigned = { ...update, headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } };
    const head = signRequest(unsigned, signer);
    const mustBe = (claimedHash: string): string =>
      `X-Amz-Content-Sha256 must be the SHA-256 of the body in lower-case hexadecimal digits, not '${claimedHash}'.`;
    await refusedByHead(head, 'InvalidSignatureException', mustBe('UNSIGNED-PAYLOAD'));
    const accepted = { unsignedPayloads: 'accepted' } as const;
    assert.equal((await verify(head, Buffer.from('any'), accepted)).kind, 'user');
    const streaming = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
    await refusedByHead(
      signRequest({ ...update, headers: { 'x-amz-content-sha256': streaming } }, signer),
      'InvalidSignatureException',
      mustBe(streaming),
      accepted,
    );
  });

  it('may be left out where the operator lets it, but is checked when it is there', async () => {
    const lets = { allowUnsigned: true };
    const head = { method: 'GET', target: '/2015-03-31/functions?MaxItems=1', rawHeaders: [] };
    assert.deepEqual(await verify(head, Buffer.of(), lets), {
      kind: 'anonymous',
      accessKeyId: undefined,
      userId: undefined,
      accountId,
      arn: 'anonymous',
    });
    await assert.rejects(
      verify(signRequest(update, { ...signer, secretAccessKey: 'guess' }), bodyOf(update), lets),
      isRefusal('InvalidSignatureException', wrong),
    );
    await assert.rejects(
      verify({ ...head, rawHeaders: ['Authorization', 'Basic eDp5'] }, Buffer.of(), lets),
      FunctionsError,
    );
  });

  // Signatures that the AWS CLI, 2.33.31, made with the secret "secret".
  const arn = 'arn%3Aaws%3Alambda%3Aus-east-1%3A123456789012%3Afunction%3Amy-fn%3A%24LATEST';
  const recorded = [
    [
      'my-fn',
      '20261121T020436Z',
      '{"Timeout": 5}',
      'ca1debd715a7b7d1c9c991742d4ddf3775a1b217286e959468d1eb4f2a281aea',
    ],
    [
      'e404',
      '20261121T020510Z',
      '{}',
      '0538f57642a79fad9e6a081ca10a9bbc7dd8bd82fd91dd649b6dd2af9eaabaf5',
    ],
    [
      arn,
      '20261121T020648Z',
      '{}',
      'a167fa048e9c105acbc74b4431c9e9469369de59cf73d218b8d1a29b725eaf40',
    ],
  ] as const;
  for (const [name, time, body, signature] of recorded) {
    it(`of the AWS CLI is right for ${name}`, async () => {
      const target = `/2015-03-31/functions/${name}/configuration`;
      const head = signRequest({ ...update, target, body }, { ...signer, time });
      assert.equal(headerOf(head, 'authorization').slice(-64), signature);
      assert.deepEqual(await verify(head, Buffer.from(body)), {
        kind: 'user',
        accessKeyId: 'AKIDEXAMPLE',
        accountId,
        arn: 'arn of AKIDEXAMPLE',
        userId: 'AIDA',
        forgeUserId: 7,
      });
    });
  }

  it('is right whatever the order and the spaces of its parts', async () => {
    const head = signRequest(update, signer);
    const [credential = '', signed = '', signature = ''] = headerOf(head, 'authorization')
      .slice('AWS4-HMAC-SHA256 '.length)
      .split(', ');
    const authorization = `AWS4-HMAC-SHA256   ${signature},${credential}  ,  ${signed}`;
    await verify(withHeader(head, 'authorization', authorization));
  });

  it('is right with header values that are spaced out', async () => {
    const spaced = { ...update, headers: { 'X-Amz-Meta': '  a   b ', 'content-type': 'a' } };
    await verify(signRequest(spaced, signer));
  });

  it('takes the Date header where there is no other date', async () => {
    const date = 'Sat, 21 Nov 2026 02:04:36 GMT';
    const head = signRequest(update, { ...signer, date });
    await verify(head);
    await refusedByHead(
      withHeader(head, 'date', 'Sat, 21 Nov 2026'),
      'IncompleteSignatureException',
      "Date must be in ISO-8601 'basic format'. Got 'Sat, 21 Nov 2026'. See http://en.wikipedia.org/wiki/ISO_8601",
    );
  });
});

describe('a presigned query', () => {
  const list: PlainRequest = {
    method: 'GET',
    target: '/2015-03-31/functions?Marker=a%2Fb&MaxItems=1',
  };

  it('is incomplete, and all that is missing is named', async () => {
    await refusedByHead(
      { method: 'GET', target: '/?X-Amz-Signature=0&X-Amz-Date=a&X-Amz-Date=b', rawHeaders: [] },
      'IncompleteSignatureException',
      "AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include 'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Date'. AWS query-string parameters must include 'X-Amz-Expires'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. Re-examine the query-string parameters.",
    );
  });

  for (const expires of ['0', '604801', '1.5', '-1', 'soon', '1e3']) {
    it(`is refused when it holds for ${expires} seconds`, async () => {
      await refusedByHead(
        presignRequest(list, signer, expires),
        'IncompleteSignatureException',
        `X-Amz-Expires must be a whole number of seconds from 1 to 604800, not '${expires}'`,
      );
    });
  }

  it('is refused once its time is over', async () => {
    await refusedByHead(
      presignRequest(list, signer, 3),
      'InvalidSignatureException',
      'Signature expired: 20261121T020436Z is now earlier than 20261121T020437Z (20261121T020440Z - 3 s.)',
    );
    const long = { ...signer, time: '20261114T020441Z' };
    assert.equal((await verify(presignRequest(list, long, 604_800), Buffer.of())).kind, 'user');
  });

  it('is wrong when a parameter is changed, added or repeated, or a body comes', async () => {
    const head = presignRequest(list, signer);
    for (const target of [
      head.target.replace('MaxItems=1', 'MaxItems=2'),
      `${head.target}&Qualifier=1`,
      head.target.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'),
      head.target.replace('Marker=a%2Fb', 'Marker=a/b%20'),
    ]) {
      await assert.rejects(
        verify({ ...head, target }, Buffer.of()),
        isRefusal('InvalidSignatureException', wrong),
      );
    }
    await assert.rejects(
      verify({ ...head, target: `${head.target}&X-Amz-Signature=0` }),
      FunctionsError,
    );
    await assert.rejects(verify(head, Buffer.from('x')), FunctionsError);
    assert.equal((await verify(head, Buffer.of())).kind, 'user');
  });

  it('covers every header that the service heeds', async () => {
    const event = { ...list, headers: { 'x-amz-invocation-type': 'Event' } };
    await assert.rejects(verify(presignRequest(event, signer), Buffer.of()), FunctionsError);
  });

  it('carries a session token', async () => {
    const session = { ...signer, accessKeyId: 'ASIAEXAMPLE', sessionToken: 'token' };
    assert.equal((await verify(presignRequest(list, session), Buffer.of())).kind, 'role');
  });
});

describe('signing keys', () => {
  it('are derived once for a credential and a day, and forgotten when there are too many', () => {
    const opened: string[] = [];
    const credential = (cacheKey: string): Credential => ({
      principal: {
        kind: 'user',
        accessKeyId: 'A',
        accountId: '1',
        arn: 'a',
        userId: 'u',
        forgeUserId: 1,
      },
      cacheKey,
      expiresAt: undefined,
      secret() {
        opened.push(cacheKey);
        return `secret of ${cacheKey}`;
      },
    });
    const keys = createSigningKeys('us-east-1');
    const first = keys.of(credential('busy'), '20260101', 'lambda');
    assert.equal(keys.of(credential('busy'), '20260101', 'lambda'), first);
    assert.notDeepEqual(keys.of(credential('busy'), '20260102', 'lambda'), first);
    assert.notDeepEqual(keys.of(credential('other'), '20260101', 'lambda'), first);
    assert.notDeepEqual(keys.of(credential('busy'), '20260101', 'sts'), first);
    assert.deepEqual(opened, ['busy', 'busy', 'other', 'busy']);
    for (let index = 0; index < 2000; index += 1) {
      keys.of(credential(`rare ${index}`), '20260101', 'lambda');
      keys.of(credential('busy'), '20260101', 'lambda');
    }
    keys.of(credential('rare 1999'), '20260101', 'lambda');
    assert.equal(opened.length, 2004);
    keys.of(credential('rare 0'), '20260101', 'lambda');
    assert.equal(opened.length, 2005);
  });
});
