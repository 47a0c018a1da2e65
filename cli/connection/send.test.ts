import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CliError } from '../context/errors.ts';
import type { Transport, TransportResponse, TransportRequest } from '../context/cli-context.ts';
import { checkedRegion, readEndpoint } from './endpoint.ts';
import { NetworkError, type NetworkProblem } from './network-problem.ts';
import { type ServiceResponse, send, type SendOptions } from './send.ts';

const request = {
  method: 'PUT',
  path: '/2015-03-31/functions/f/configuration',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
  returnsPayload: false,
};

const options: SendOptions = {
  endpointUrl: 'http://localhost:3000/prefix/',
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', source: 'env' },
  userAgent: 'hob/1',
  log: undefined,
  connectTimeout: 60,
  readTimeout: 60,
  verifySsl: true,
  caBundle: undefined,
  retries: { attemptsMax: 3 },
};

type Step = TransportResponse | NetworkProblem;

const response = (status: number, type?: string): TransportResponse => ({
  status,
  headers: type === undefined ? {} : { 'x-amzn-errortype': type },
  body: Buffer.from('{}'),
});

/** Sends with a transport that takes these steps, and returns what was sent over it. */
async function exchange(steps: readonly Step[], changes: Partial<SendOptions> = {}) {
  const requests: TransportRequest[] = [];
  const pauses: number[] = [];
  const warnings: string[] = [];
  const transport: Transport = async (sent) => {
    const step = steps[Math.min(requests.length, steps.length - 1)]!;
    requests.push(sent);
    if ('kind' in step) throw new NetworkError(step);
    return step;
  };
  const context = {
    now: () => Date.UTC(2026, 0, 1) + requests.length * 1000,
    random: () => 0.5,
    pause: async (milliseconds: number) => void pauses.push(milliseconds),
    stderr: { write: (text: string | Uint8Array) => warnings.push(String(text)) },
    transport,
  };
  const reply = await send(request, { ...options, ...changes }, context).catch(
    (error: unknown) => error,
  );
  return { reply, requests, pauses, warnings };
}

describe('sending a request', () => {
  const networkTexts: readonly (readonly [NetworkProblem, string, number])[] = [
    [{ kind: 'unreachable' }, 'Could not connect to the endpoint URL: "URL"', 3],
    [{ kind: 'connect-timeout' }, 'Connect timeout on endpoint URL: "URL"', 3],
    [{ kind: 'read-timeout' }, 'Read timeout on endpoint URL: "URL"', 3],
    [
      { kind: 'closed' },
      'Connection was closed before we received a valid response from endpoint URL: "URL".',
      3,
    ],
    [{ kind: 'tls', detail: 'self-signed' }, 'SSL validation failed for URL self-signed', 1],
    [{ kind: 'other', detail: 'x' }, 'An HTTP Client raised an unhandled exception: x', 3],
  ];
  for (const [problem, text, attempts] of networkTexts) {
    it(`reports that it got no response: ${problem.kind}`, async () => {
      const { reply, requests } = await exchange([problem]);
      const url = 'http://localhost:3000/prefix/2015-03-31/functions/f/configuration';
      assert.deepEqual(
        reply,
        new CliError(255, text.replace('URL"', `${url}"`).replace('for URL', `for ${url}`)),
      );
      assert.equal(requests.length, attempts);
    });
  }

  const attempts: readonly (readonly [
    steps: readonly Step[],
    count: number,
    exhausted: number | undefined,
  ])[] = [
    [[response(200)], 1, undefined],
    [[response(404, 'Gone')], 1, undefined],
    [[response(409, 'Conflict')], 1, undefined],
    [[response(429)], 3, 2],
    [[response(500)], 3, 2],
    [[response(502)], 3, 2],
    [[response(503)], 3, 2],
    [[response(504)], 3, 2],
    [[response(400, 'ThrottlingException')], 3, 2],
    [[response(500), response(200)], 2, undefined],
    [[response(500), response(404)], 2, undefined],
    [[{ kind: 'closed' }, response(200)], 2, undefined],
  ];
  for (const [steps, count, exhausted] of attempts) {
    const reported = steps.map((step) => ('kind' in step ? step.kind : step.status)).join(', ');
    it(`sends ${count} time(s) for ${reported}`, async () => {
      const { reply, requests } = await exchange(steps);
      assert.equal(requests.length, count);
      assert.equal((reply as ServiceResponse).retriesExhausted, exhausted);
    });
  }

  it('waits longer each time, and never longer than 20 seconds', async () => {
    const { pauses } = await exchange([response(500)], { retries: { attemptsMax: 8 } });
    assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 20_000]);
  });

  it('reports attempts used up even where there was only one', async () => {
    const { reply } = await exchange([response(500)], { retries: { attemptsMax: 1 } });
    assert.equal((reply as ServiceResponse).retriesExhausted, 0);
  });

  it('keeps the prefix of the endpoint, and signs each attempt anew', async () => {
    const { requests } = await exchange([response(500), response(200)]);
    assert.deepEqual(
      requests.map(({ url, headers }) => [url, headers['host'], headers['x-amz-date']]),
      ['20260101T000000Z', '20260101T000001Z'].map((date) => [
        'http://localhost:3000/prefix/2015-03-31/functions/f/configuration',
        'localhost:3000',
        date,
      ]),
    );
  });

  it('signs nothing without credentials', async () => {
    const { requests } = await exchange([response(200)], { credentials: undefined });
    assert.deepEqual(requests[0]?.headers, {
      'content-type': 'application/json',
      host: 'localhost:3000',
      'user-agent': 'hob/1',
    });
  });

  it('warns when certificates are not checked, where there are any', async () => {
    const unchecked = { verifySsl: false, endpointUrl: 'https://localhost' };
    assert.deepEqual((await exchange([response(200)], unchecked)).warnings, [
      "InsecureRequestWarning: Unverified HTTPS request is being made to host 'localhost'. Adding certificate verification is strongly advised.\n",
    ]);
    assert.deepEqual((await exchange([response(200)], { verifySsl: false })).warnings, []);
  });
});

describe('an endpoint', () => {
  for (const url of [
    'localhost:1',
    'ftp://localhost',
    'http://',
    '/x',
    'http://a_b',
    'http://-a',
  ]) {
    it(`is not ${url}`, () => {
      assert.throws(() => readEndpoint(url, 'r'), new CliError(255, `Invalid endpoint: ${url}`));
    });
  }

  it('may be an address', () => {
    assert.equal(readEndpoint('http://[::1]:3000', 'r').host, '[::1]:3000');
  });

  it("is AWS's own where none is configured", () => {
    assert.deepEqual(readEndpoint(undefined, 'eu-west-1'), {
      origin: 'https://lambda.eu-west-1.amazonaws.com',
      host: 'lambda.eu-west-1.amazonaws.com',
      prefix: '',
    });
  });
});

describe('a region', () => {
  it('is needed', () => {
    assert.throws(
      () => checkedRegion(undefined),
      (error) => error instanceof CliError && error.exitCode === 253,
    );
  });

  for (const region of ['bad region', '-a', 'a-', '123', 'a'.repeat(64), 'a/b']) {
    it(`is not ${region.slice(0, 12)}`, () => {
      assert.throws(
        () => checkedRegion(region),
        new CliError(255, `Provided region_name '${region}' doesn't match a supported format.`),
      );
    });
  }
});
