import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import {
  type DevelopmentCertificate,
  makeDevelopmentCertificate,
} from '../commands/serve/development-certificate.ts';
import { globalOptions } from './input/globals.ts';
import {
  type ClientRun,
  type ClientEnvironment,
  refusal,
  runClient,
} from './testing/run-client.ts';

const args = ['lambda', 'get-function-configuration', '--function-name', 'f'];

const get = (
  options: readonly string[],
  clientEnvironment?: ClientEnvironment,
): Promise<ClientRun> => runClient([...args, ...options], clientEnvironment);

/** With the option and without it, in the same environment. */
async function both(
  options: readonly string[],
  clientEnvironment?: ClientEnvironment,
): Promise<readonly [given: ClientRun, absent: ClientRun]> {
  return [await get(options, clientEnvironment), await get([], clientEnvironment)];
}

const record = { FunctionName: 'f', Timeout: 3 };
const answer = (): object => record;

const outputs: Readonly<Record<string, string>> = {
  json: '{\n    "FunctionName": "f",\n    "Timeout": 3\n}\n',
  text: 'f\t3\n',
  table: [
    '-----------------------------',
    '| GetFunctionConfiguration  |',
    '+---------------+-----------+',
    '| FunctionName  |  Timeout  |',
    '+---------------+-----------+',
    '|  f            |  3        |',
    '+---------------+-----------+',
    '',
  ].join('\n'),
  yaml: 'FunctionName: f\nTimeout: 3\n',
  'yaml-stream': '- FunctionName: f\n  Timeout: 3\n',
};

interface Effect {
  readonly option: string;
  readonly does: string;
  readonly shown: () => Promise<void>;
}

/** What each global option changes, as far as someone outside can see, in the order of docs/specification/functions.md 5.4. */
const effects: readonly Effect[] = [
  {
    option: 'debug',
    does: 'reports on stderr what was typed, signed, sent and answered',
    shown: async () => {
      const [given, absent] = await both(['--debug'], { answer });
      assert.deepEqual([given.stdout, given.exitCode], [absent.stdout, 0]);
      assert.equal(absent.stderr, '');
      for (const expected of [
        /CLI version: hob\//,
        /Arguments entered to CLI: \["lambda","get-function-configuration",/,
        /CanonicalRequest:\nGET\n/,
        /Sending GET http:\/\/127\.0\.0\.1:\d+\/2015-03-31\/functions\/f\/configuration/,
        /Response: 200 /,
        /Response body: \{"FunctionName":"f"/,
      ])
        assert.match(given.stderr, expected);
      const failed = await get(['--debug'], { answer: () => refusal(400, 'X', 'no') });
      assert.match(failed.stderr, /\n {4}at /);
    },
  },
  {
    option: 'endpoint-url',
    does: 'sends the request there, whatever else is configured',
    shown: () =>
      serving(async (url, seen) => {
        const run = await get(['--endpoint-url', `${url}/prefix/`], {
          network: true,
          environment: { AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:1' },
        });
        assert.equal(run.exitCode, 0, run.stderr);
        assert.deepEqual(seen, ['/prefix/2015-03-31/functions/f/configuration']);
      }),
  },
  {
    option: 'no-verify-ssl',
    does: 'takes a certificate that no one vouches for, with a warning',
    shown: () =>
      secured(async (url) => {
        const clientEnvironment = { network: true, environment: { AWS_ENDPOINT_URL: url } };
        const [given, absent] = await both(['--no-verify-ssl'], clientEnvironment);
        assert.equal(given.exitCode, 0, given.stderr);
        assert.match(given.stderr, /^InsecureRequestWarning: /);
        assert.equal(absent.exitCode, 255);
        assert.match(absent.stderr, /^\nSSL validation failed for https:/);
      }),
  },
  {
    option: 'no-paginate',
    does: 'asks for one page',
    shown: async () => {
      const list = ['lambda', 'list-functions'];
      const page = (_: unknown, count: number): object => ({
        Functions: [{ FunctionName: `f${count}` }],
        ...(count === 1 ? { NextMarker: 'next' } : {}),
      });
      const given = await runClient([...list, '--no-paginate'], { answer: page });
      assert.equal(given.requests.length, 1);
      assert.match(given.stdout, /"NextMarker": "next"/);
      assert.equal((await runClient(list, { answer: page })).requests.length, 2);
    },
  },
  {
    option: 'output',
    does: 'prints the answer in each of the five forms, json where it is not given',
    shown: async () => {
      for (const [format, expected] of Object.entries(outputs))
        assert.equal((await get(['--output', format], { answer })).stdout, expected);
      assert.equal((await get([], { answer })).stdout, outputs['json']);
      const environment = { AWS_DEFAULT_OUTPUT: 'xml' };
      const refused = await get([], { answer, environment });
      assert.equal(refused.exitCode, 255);
      assert.match(refused.stderr, /Unknown output type: xml/);
    },
  },
  {
    option: 'query',
    does: 'prints what is left of the answer',
    shown: async () => {
      const run = await get(['--query', '[Timeout,FunctionName]', '--output', 'text'], { answer });
      assert.equal(run.stdout, '3\tf\n');
    },
  },
  {
    option: 'profile',
    does: 'takes region and keys of that profile, the keys of the environment notwithstanding',
    shown: async () => {
      const clientEnvironment = {
        files: {
          config: '[profile p]\nregion = eu-west-1\n',
          credentials: '[p]\naws_access_key_id = AKIDPROFILE\naws_secret_access_key = s\n',
        },
        environment: {
          AWS_CONFIG_FILE: '~/config',
          AWS_SHARED_CREDENTIALS_FILE: '~/credentials',
          AWS_DEFAULT_REGION: undefined,
          AWS_REGION: undefined,
        },
      };
      const given = await get(['--profile', 'p'], clientEnvironment);
      assert.match(signatureOf(given), /Credential=AKIDPROFILE\/\d+\/eu-west-1\//);
      const absent = await get(['--region', 'us-east-1'], clientEnvironment);
      assert.match(signatureOf(absent), /Credential=AKIDEXAMPLE\//);
      const unknown = await get(['--profile', 'q'], clientEnvironment);
      assert.equal(unknown.stderr, '\nThe config profile (q) could not be found\n');
    },
  },
  {
    option: 'region',
    does: 'is the region that is signed for',
    shown: async () => {
      const [given, absent] = await both(['--region', 'eu-north-1']);
      assert.match(signatureOf(given), /\/eu-north-1\/lambda\/aws4_request/);
      assert.match(signatureOf(absent), /\/us-east-1\/lambda\/aws4_request/);
    },
  },
  {
    option: 'version',
    does: 'prints the version and does nothing else',
    shown: async () => {
      const run = await get(['--version']);
      assert.match(run.stdout, /^hob\/1\.2\.3 \w+\/\S+ \w+\/\w+\n$/);
      assert.deepEqual([run.exitCode, run.requests], [0, []]);
    },
  },
  {
    option: 'color',
    does: 'colours tables: always, never, or on a terminal',
    shown: async () => {
      const colored = async (color: readonly string[], terminal: boolean): Promise<boolean> =>
        (await get(['--output', 'table', ...color], { answer, terminal })).stdout.includes(
          '\u001b',
        );
      for (const [color, away, there] of [
        [['--color', 'on'], true, true],
        [['--color', 'off'], false, false],
        [['--color', 'auto'], false, true],
        [[], false, true],
      ] as const)
        assert.deepEqual([await colored(color, false), await colored(color, true)], [away, there]);
    },
  },
  {
    option: 'no-sign-request',
    does: 'sends no signature and looks for no credentials',
    shown: async () => {
      const environment = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
      const [given, absent] = await both(['--no-sign-request'], { environment });
      assert.equal(given.requests[0]?.headers['authorization'], undefined);
      assert.deepEqual([given.exitCode, absent.exitCode], [0, 253]);
    },
  },
  {
    option: 'ca-bundle',
    does: 'trusts the certificates in the file',
    shown: () =>
      secured(async (url, { authority }) => {
        const clientEnvironment = { network: true, environment: { AWS_ENDPOINT_URL: url } };
        const [given, absent] = await both(['--ca-bundle', authority], clientEnvironment);
        assert.deepEqual([given.exitCode, given.stderr], [0, '']);
        assert.equal(absent.exitCode, 255);
      }),
  },
  {
    option: 'cli-read-timeout',
    does: 'gives up on a service that does not answer',
    shown: () =>
      serving(
        async (url) => {
          const run = await get(['--cli-read-timeout', '1'], onceTo(url));
          assert.equal(run.exitCode, 255);
          assert.match(run.stderr, /^\nRead timeout on endpoint URL: "http/);
          await refusesArguments('--cli-read-timeout');
        },
        () => undefined,
      ),
  },
  {
    option: 'cli-connect-timeout',
    does: 'gives up on a host that does not take the connection',
    shown: () =>
      occupied(async (url) => {
        const run = await get(['--cli-connect-timeout', '1'], onceTo(url));
        assert.equal(run.exitCode, 255);
        assert.match(run.stderr, /^\nConnect timeout on endpoint URL: "http/);
        await refusesArguments('--cli-connect-timeout');
      }),
  },
  {
    option: 'cli-binary-format',
    does: 'reads bytes as base64, or as they stand',
    shown: async () => {
      const invoke = ['lambda', 'invoke', '--function-name', 'f', '--payload', 'e30=', 'out'];
      for (const [format, body] of [
        [[], '{}'],
        [['--cli-binary-format', 'base64'], '{}'],
        [['--cli-binary-format', 'raw-in-base64-out'], 'e30='],
      ] as const)
        assert.equal((await runClient([...invoke, ...format])).requests[0]?.body, body);
    },
  },
  {
    option: 'no-cli-pager',
    does: 'prints on the terminal without a pager',
    shown: () =>
      inFolder(async (folder) => {
        const paged = join(folder, 'paged');
        const environment = { AWS_PAGER: `sh -c 'cat >"${paged}"'`, PATH: process.env['PATH'] };
        const [given, absent] = await both(['--no-cli-pager'], {
          answer,
          environment,
          terminal: true,
        });
        assert.equal(given.stdout, outputs['json']);
        assert.equal(absent.stdout, '');
        assert.equal(await readFile(paged, 'utf8'), outputs['json']);
      }),
  },
  {
    option: 'cli-auto-prompt',
    does: 'asks for what is missing',
    shown: async () => {
      const typed = ['f', ''];
      const given = await runClient([...args.slice(0, 2), '--cli-auto-prompt'], { typed });
      assert.match(given.stderr, /--function-name \(/);
      assert.equal(given.requests[0]?.path, '/2015-03-31/functions/f/configuration');
      const absent = await runClient(args.slice(0, 2), { typed });
      assert.deepEqual([absent.exitCode, absent.requests], [252, []]);
    },
  },
  {
    option: 'no-cli-auto-prompt',
    does: 'does not ask, though the environment or the profile wants it',
    shown: async () => {
      for (const clientEnvironment of [
        { environment: { AWS_CLI_AUTO_PROMPT: 'on' } },
        {
          files: { config: '[default]\ncli_auto_prompt = on\n' },
          environment: { AWS_CONFIG_FILE: '~/config' },
        },
      ]) {
        const asking = { ...clientEnvironment, typed: ['f', ''] };
        const given = await runClient([...args.slice(0, 2), '--no-cli-auto-prompt'], asking);
        assert.deepEqual([given.exitCode, given.requests], [252, []]);
        const absent = await runClient(args.slice(0, 2), asking);
        assert.equal(absent.exitCode, 0, absent.stderr);
      }
    },
  },
  {
    option: 'cli-error-format',
    does: 'reports what went wrong as JSON',
    shown: async () => {
      const [given, absent] = await both(['--cli-error-format', 'json'], {
        answer: () => refusal(404, 'ResourceNotFoundException', 'no f'),
      });
      assert.deepEqual(JSON.parse(given.stderr), {
        ExitCode: 254,
        Code: 'ResourceNotFoundException',
        Message: 'no f',
        Operation: 'GetFunctionConfiguration',
        Status: 404,
      });
      assert.match(absent.stderr, /^\nAn error occurred \(ResourceNotFoundException\)/);
    },
  },
];

describe('the global options', { concurrency: true }, () => {
  test('are all in the table', () => {
    assert.deepEqual(
      effects.map(({ option }) => option),
      globalOptions.map(({ name }) => name),
    );
  });

  for (const { option, does, shown } of effects) test(`--${option} ${does}`, shown);
});

const signatureOf = (run: ClientRun): string => run.requests[0]?.headers['authorization'] ?? '';

const onceTo = (url: string): ClientEnvironment => ({
  network: true,
  environment: { AWS_ENDPOINT_URL: url, AWS_MAX_ATTEMPTS: '1' },
});

async function refusesArguments(option: string): Promise<void> {
  const run = await get([option, 'soon']);
  assert.deepEqual(
    [run.exitCode, run.stderr, run.requests],
    [255, "\ninvalid literal for int() with base 10: 'soon'\n", []],
  );
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-options-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A service that answers with an empty record, and the paths it was asked for. */
async function serving(
  work: (url: string, seen: readonly string[]) => Promise<void>,
  listener: RequestListener = (_, response) => response.end('{}'),
): Promise<void> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    listener(request, response);
  });
  await whileListening(server, (port) => work(`http://127.0.0.1:${port}`, seen));
}

/** The same behind a certificate of our own authority. */
async function secured(
  work: (url: string, files: DevelopmentCertificate) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const files = await makeDevelopmentCertificate(folder);
    const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
    const server = createSecureServer({ cert, key }, (_, response) => response.end('{}'));
    await whileListening(server, (port) => work(`https://localhost:${port}`, files));
  });
}

async function whileListening(
  server: Server,
  work: (port: number) => Promise<void>,
): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await work(typeof address === 'object' ? (address?.port ?? 0) : 0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A port whose queue of connections is full, and whose owner sleeps: the system takes no more. */
async function occupied(work: (url: string) => Promise<void>): Promise<void> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`,
    { eval: true },
  );
  const [port]: number[] = await once(worker, 'message');
  const waiting = Array.from({ length: 4 }, () =>
    connect({ port: port ?? 0, host: '127.0.0.1' }).on('error', () => undefined),
  );
  try {
    // The system lets in one more than the queue is long.
    await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
    await work(`http://127.0.0.1:${port}`);
  } finally {
    for (const socket of waiting) socket.destroy();
    await worker.terminate();
  }
}
