import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { errorOf, responseOf, startClient } from './testing/client-program.ts';
import type { ClientOptions, ClientProgram } from './testing/client-program.ts';

const bootstrap = fileURLToPath(new URL('nodejs/bootstrap.cjs', import.meta.url));

describe('the client for Node', () => {
  let program: ClientProgram | undefined;

  afterEach(async () => {
    await program?.close();
    program = undefined;
  });

  async function start(
    files: Readonly<Record<string, string>> | string,
    options: Partial<ClientOptions> = {},
  ): Promise<ClientProgram> {
    program = await startClient({
      command: [process.execPath, bootstrap],
      files: typeof files === 'string' ? { 'index.js': files } : files,
      handler: 'index.handler',
      ...options,
    });
    return program;
  }

  it('finds packages in the folders of NODE_PATH for modules too, those next to the function first', async () => {
    const packaged = (folder: string, name: string): Record<string, string> => ({
      [`${folder}/node_modules/${name}/package.json`]: '{"type":"module","exports":"./index.js"}',
      [`${folder}/node_modules/${name}/index.js`]: `export default '${folder || 'own'} ${name}';`,
    });
    const root = await mkdtemp(join(tmpdir(), 'hob-node-path-'));
    try {
      for (const [name, content] of Object.entries({
        ...packaged('layer', 'shared'),
        ...packaged('layer', 'own'),
        ...packaged('runtime', 'shared'),
        ...packaged('runtime', '@aws-sdk/client-x'),
      })) {
        await mkdir(dirname(join(root, name)), { recursive: true });
        await writeFile(join(root, name), content);
      }
      const code = `
        import own from 'own';
        import shared from 'shared';
        import sdk from '@aws-sdk/client-x';
        export const handler = async () => [own, shared, sdk, await import('none').catch(({ code }) => code)];`;
      const { invoke } = await start(
        {
          'index.mjs': code,
          'node_modules/own/package.json': '{"type":"module","exports":"./index.js"}',
          'node_modules/own/index.js': "export default 'task own';",
        },
        {
          environment: {
            NODE_PATH: [
              'layer/node_modules',
              'absent/node_modules',
              'runtime/node_modules',
              'runtime',
            ]
              .map((folder) => join(root, folder))
              .join(':'),
          },
        },
      );
      assert.deepEqual(JSON.parse(responseOf(await invoke({}))), [
        'task own',
        'layer shared',
        'runtime @aws-sdk/client-x',
        'ERR_MODULE_NOT_FOUND',
      ]);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  describe('reports why a handler cannot be loaded', () => {
    const cases: [string, string, string, string | RegExp][] = [
      [
        'a/../b.c',
        '',
        'Runtime.MalformedHandlerName',
        /^'a\/\.\.\/b\.c' is not a valid handler name/,
      ],
      ['plain', '', 'Runtime.MalformedHandlerName', 'Bad handler'],
      ['other.handler', '', 'Runtime.ImportModuleError', /^Error: Cannot find module 'other'/],
      [
        'index.handler',
        'require("@aws-sdk/client-none")',
        'Runtime.ImportModuleError',
        /^Error: Cannot find module '@aws-sdk\/client-none'[^]*\nTo add it to the runtime, the operator runs: hob runtimes add nodejs @aws-sdk\/client-none$/,
      ],
      [
        'index.handler',
        'module.exports = import("@aws-sdk/client-none/deep")',
        'Error',
        /^Cannot find package '@aws-sdk\/client-none' imported from [^\n]*\nTo add it to the runtime, the operator runs: hob runtimes add nodejs @aws-sdk\/client-none$/,
      ],
      [
        'index.missing',
        'exports.a = 1',
        'Runtime.HandlerNotFound',
        'index.missing is undefined or not exported',
      ],
      ['index.a', 'exports.a = 1', 'Runtime.HandlerNotFound', 'index.a is not a function'],
      ['index.a', 'exports.a = (', 'Runtime.UserCodeSyntaxError', /^SyntaxError: Unexpected end/],
      ['index.a', 'throw new RangeError("at load")', 'RangeError', 'at load'],
    ];
    for (const [handler, code, type, message] of cases) {
      test(`${type} for ${handler} and ${JSON.stringify(code)}`, async () => {
        const { channel, ended, output } = await start(code, { handler });
        const outcome = await channel.initialised;
        assert.ok(outcome.kind === 'failed');
        const error = JSON.parse(Buffer.from(outcome.error.payload).toString());
        assert.deepEqual(Object.keys(error), ['errorType', 'errorMessage', 'trace']);
        assert.equal(error.errorType, type);
        if (typeof message === 'string') assert.equal(error.errorMessage, message);
        else assert.match(error.errorMessage, message);
        assert.equal((await ended).status, 129);
        assert.match(
          await output(),
          new RegExp(
            `^[-0-9T:.]+Z\\tundefined\\tERROR\\tUncaught Exception \\t\\{"errorType":"${type}"`,
          ),
        );
      });
    }

    test('and ends at a rejection that no one handles', async () => {
      const { ended, output } = await start('Promise.reject(new Error("early")); exports.x = 1');
      assert.ok([128, 129].includes((await ended).status ?? 0));
      assert.match(await output(), /Uncaught|Unhandled/);
    });
  });

  test('ends at what is thrown while it waits for an event', async () => {
    const { channel, ended, output } = await start(
      'exports.handler = () => {}; setTimeout(() => { throw new Error("alone") }, 20)',
    );
    assert.equal((await channel.initialised).kind, 'ready');
    assert.equal((await ended).status, 129);
    assert.match(await output(), /Uncaught Exception.*alone/);
  });

  test('finds handlers where AWS’s client does', async () => {
    const cases: [Record<string, string>, string][] = [
      [{ 'index.js': 'exports.handler = async () => "js"', 'index.mjs': '' }, '"js"'],
      [
        {
          'index.js': 'export const handler = async () => "module"',
          'package.json': '{"type":"module"}',
        },
        '"module"',
      ],
      [{ 'index.mjs': 'export const handler = async () => "mjs"' }, '"mjs"'],
      [{ 'index.cjs': 'exports.handler = async () => "cjs"' }, '"cjs"'],
      [{ 'index.mjs': 'export default { handler: async () => "default" }' }, '"default"'],
      [
        {
          'node_modules/index/package.json': '{"main":"m.js"}',
          'node_modules/index/m.js': 'exports.handler = async () => "package"',
        },
        '"package"',
      ],
    ];
    for (const [files, expected] of cases) {
      const { invoke } = await start(files);
      assert.equal(responseOf(await invoke({})), expected);
      await program?.close();
    }
    const { invoke } = await start(
      { 'src/app.js': 'exports.a = { b: async () => "nested" }' },
      { handler: 'src/app.a.b' },
    );
    assert.equal(responseOf(await invoke({})), '"nested"');
  });

  test('takes answers of every style, and the first only', async () => {
    const { invoke } = await start(`
      exports.handler = (event, context, callback) => ({
        promise: () => Promise.resolve({ ok: true }),
        callback: () => callback(null, 'called'),
        later: () => { setTimeout(() => callback(null, 'later'), 1); },
        twice: () => { callback(null, 1); callback(null, 2); return Promise.resolve(3); },
        failed: () => callback(new TypeError('no')),
        text: () => callback('just text'),
        succeed: () => context.succeed('succeeded'),
        fail: () => context.fail(),
        done: () => context.done(null, 'done'),
        notWaiting: () => { context.callbackWaitsForEmptyEventLoop = false; setInterval(() => {}, 1e6).unref; callback(null, 'at once'); },
        nothing: () => 'ignored',
        undefined: () => Promise.resolve(),
        circular: () => { const o = {}; o.o = o; return Promise.resolve(o); },
      })[event.how]()`);
    const expected: Record<string, string> = {
      promise: '{"ok":true}',
      callback: '"called"',
      later: '"later"',
      twice: '1',
      succeed: '"succeeded"',
      done: '"done"',
      nothing: 'null',
      undefined: 'null',
    };
    for (const [how, answer] of Object.entries(expected)) {
      assert.equal(responseOf(await invoke({ how })), answer, how);
    }
    assert.deepEqual(
      [errorOf(await invoke({ how: 'failed' }))].map(({ errorType, errorMessage }) => [
        errorType,
        errorMessage,
      ]),
      [['TypeError', 'no']],
    );
    assert.deepEqual(errorOf(await invoke({ how: 'text' })), {
      errorType: 'string',
      errorMessage: 'just text',
      trace: [],
    });
    assert.deepEqual(errorOf(await invoke({ how: 'fail' })), {
      errorType: 'string',
      errorMessage: 'handled',
      trace: [],
    });
    assert.equal(
      errorOf(await invoke({ how: 'circular' }))['errorMessage'],
      'Unable to stringify response body',
    );
    assert.equal(responseOf(await invoke({ how: 'notWaiting' })), '"at once"');
  });

  test('gives up on a promise that nothing can settle any more, and goes on', async () => {
    const { invoke } = await start(
      'exports.handler = async (event) => event.hang ? new Promise(() => {}) : 1',
    );
    assert.equal(errorOf(await invoke({ hang: true }))['errorType'], 'Runtime.NodeJsExit');
    assert.equal(responseOf(await invoke({})), '1');
  });

  test('shows errors in AWS’s order, with the line they come from', async () => {
    const { invoke, folder, output } = await start(
      'exports.handler = async () => {\n  throw Object.assign(new RangeError("a\\nb"), { code: "E1", extra: 2 }) }',
    );
    const answer = await invoke({});
    const error = errorOf(answer);
    assert.deepEqual(Object.keys(error), ['errorType', 'errorMessage', 'trace']);
    assert.deepEqual([error['errorType'], error['errorMessage']], ['RangeError', 'a\nb']);
    assert.match(String(error['trace']), new RegExp(`^RangeError: a,b,.*${folder}/index\\.js:2`));
    assert.equal(answer.kind === 'error' && answer.error.type, 'Runtime.Unknown');
    const [line = ''] = (await output()).split('\n');
    const logged = JSON.parse(line.split('\tInvoke Error \t')[1] ?? '');
    assert.deepEqual(Object.keys(logged), ['errorType', 'errorMessage', 'code', 'extra', 'stack']);
  });

  test('ends at what no one catches', async () => {
    for (const [code, status, type] of [
      ['setImmediate(() => { throw new TypeError("lost") })', 129, 'TypeError'],
      ['Promise.reject(new Error("lost"))', 128, 'Runtime.UnhandledPromiseRejection'],
    ] as const) {
      const { invoke, ended } = await start(`exports.handler = (e, c, callback) => { ${code} }`);
      const error = errorOf(await invoke({}));
      assert.equal(error['errorType'], type);
      assert.match(String(error['errorMessage']), /lost/);
      assert.equal((await ended).status, status);
      await program?.close();
    }
  });

  test('gives the whole context, and the trace of each event', async () => {
    const { invoke } = await start(
      'exports.handler = async (event, context) => ({ ...context, left: context.getRemainingTimeInMillis(), trace: process.env._X_AMZN_TRACE_ID, socket: process.env.HOB_RUNTIME_SOCKET })',
    );
    const { left, ...context } = JSON.parse(
      responseOf(
        await invoke(
          {},
          {
            clientContext: '{"custom":{"ü":1}}',
            identity: '{"cognitoIdentityId":"i"}',
            tenantId: 'blue',
          },
        ),
      ),
    );
    assert.ok(left > 5000 && left <= 10_000);
    assert.deepEqual(context, {
      callbackWaitsForEmptyEventLoop: true,
      functionVersion: '$LATEST',
      functionName: 'f',
      memoryLimitInMB: '128',
      logGroupName: '/aws/lambda/f',
      logStreamName: 'stream',
      clientContext: { custom: { ü: 1 } },
      identity: { cognitoIdentityId: 'i' },
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f:live',
      awsRequestId: 'request-1',
      tenantId: 'blue',
      trace: 'Root=1-1',
    });
    assert.equal(JSON.parse(responseOf(await invoke({}, { traceHeader: '' }))).trace, undefined);
  });

  test('writes the console as text, one line a call', async () => {
    const { invoke, output } = await start(
      'console.log("at start"); exports.handler = async () => { console.debug("a\\nb %d", 1); console.error(new Error("e").message); console.fatal("f"); process.stdout.write("raw\\n") }',
    );
    await invoke({});
    assert.deepEqual(
      (await output()).split('\n').map((line) => line.replace(/^[-\d]+T[:.\d]+Z\t/, '')),
      [
        'undefined\tINFO\tat start',
        'request-1\tDEBUG\ta\rb 1',
        'request-1\tERROR\te',
        'request-1\tFATAL\tf',
        'raw',
        '',
      ],
    );
  });

  test('has written all output before it answers', async () => {
    const { invoke, output } = await start(
      'exports.handler = async () => { process.stdout.write("x".repeat(1e6)); console.log("y".repeat(1e6)); process.stderr.write("z".repeat(1e6)) }',
    );
    await invoke({});
    const printed = await output();
    assert.deepEqual(
      ['x', 'y', 'z'].map((letter) => printed.split(letter).length - 1),
      [1e6, 1e6, 1e6],
    );
  });

  test('writes the console as JSON, from the chosen level on', async () => {
    const { invoke, output } = await start(
      'exports.handler = async () => { console.info("unseen"); console.warn({ a: [1] }); console.error("x %s", "y", new TypeError("bad")); console.error(new RangeError("alone")); console.fatal(1n) }',
      { environment: { AWS_LAMBDA_LOG_FORMAT: 'JSON', AWS_LAMBDA_LOG_LEVEL: 'WARN' } },
    );
    await invoke({}, { tenantId: 'blue' });
    const lines = (await output())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.match(lines[0].timestamp, /^[-\d]+T[:.\d]+Z$/);
    assert.deepEqual(Object.keys(lines[0]), [
      'timestamp',
      'level',
      'requestId',
      'tenantId',
      'message',
    ]);
    assert.deepEqual(
      [lines[0].level, lines[0].requestId, lines[0].tenantId, lines[0].message],
      ['WARN', 'request-1', 'blue', { a: [1] }],
    );
    assert.match(lines[1].message, /^x y TypeError: bad/);
    assert.deepEqual(
      [lines[1].errorType, lines[1].errorMessage, typeof lines[1].stackTrace],
      ['TypeError', 'bad', 'object'],
    );
    assert.equal(lines[2].message.errorType, 'RangeError');
    assert.equal(lines[3].message, '1n');
    assert.equal(lines.length, 4);
  });

  test('streams responses', async () => {
    const { invoke } = await start(`
      exports.handler = awslambda.streamifyResponse(async (event, stream) => {
        if (event.prelude) stream = awslambda.HttpResponseStream.from(stream, { statusCode: 201 });
        else stream.setContentType('text/plain');
        stream.write('one,');
        await new Promise((resolve) => setTimeout(resolve, 1));
        stream.write({ two: 2 });
        if (event.fail) throw new TypeError('half way');
        stream.end('three');
      })`);
    for (const [event, body, type, error] of [
      [{}, 'one,{"two":2}three', 'text/plain', undefined],
      [
        { prelude: true },
        '{"statusCode":201}\0\0\0\0\0\0\0\0one,{"two":2}three',
        'application/vnd.awslambda.http-integration-response',
        undefined,
      ],
      [{ fail: true }, 'one,{"two":2}', 'text/plain', 'TypeError'],
    ] as const) {
      const answer = await invoke(event);
      assert.ok(answer.kind === 'stream');
      const pieces: Uint8Array[] = [];
      for await (const piece of answer.body) pieces.push(piece);
      assert.equal(Buffer.concat(pieces).toString(), body);
      assert.equal(answer.contentType, type);
      const trailer = await answer.trailer;
      assert.equal(trailer && JSON.parse(Buffer.from(trailer.payload).toString()).errorType, error);
    }
  });

  test('takes large events, and answers with large responses', async () => {
    const { invoke } = await start('exports.handler = async (event) => event.text');
    const text = 'ü'.repeat(2_500_000);
    assert.equal(responseOf(await invoke({ text })), JSON.stringify(text));
    assert.equal(responseOf(await invoke({ text: 'small' })), '"small"');
    assert.equal((await invoke({ text: 'ü'.repeat(3_200_000) })).kind, 'too-large');
    assert.equal(responseOf(await invoke({ text: 'again' })), '"again"');
  });

  test('has no callbacks from nodejs24.x on, where what a plain function returns is its answer', async () => {
    const environment = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
    const plain = await start(
      'exports.handler = (event, context) => Object.keys(context).includes("done")',
      { environment },
    );
    assert.equal(responseOf(await plain.invoke({})), 'false');
    await plain.close();
    const { channel } = await start('exports.handler = (event, context, callback) => {}', {
      environment,
    });
    const outcome = await channel.initialised;
    assert.equal(
      outcome.kind === 'failed' && outcome.error.type,
      'Runtime.CallbackHandlerDeprecated',
    );
  });

  test('works on several events at a time, each with its own id in the log', async () => {
    const { invoke, output } = await start(
      `let waiting = []; exports.handler = async (event, context) => {
        await new Promise((resolve) => { waiting.push(resolve); if (waiting.length === 3) waiting.forEach((wake) => wake()); });
        console.log(event.n); return event.n }`,
      { channel: { concurrency: 3 }, environment: { AWS_LAMBDA_MAX_CONCURRENCY: '3' } },
    );
    const answers = await Promise.all([1, 2, 3].map((n) => invoke({ n })));
    assert.deepEqual(answers.map(responseOf), ['1', '2', '3']);
    assert.deepEqual(
      (await output())
        .trim()
        .split('\n')
        .map((line) => line.split('\t').slice(1).join())
        .toSorted(),
      ['request-1,INFO,1', 'request-2,INFO,2', 'request-3,INFO,3'],
    );
  });

  test('speaks over TCP where there is no socket', async () => {
    const { invoke } = await start('exports.handler = async () => 1', { overTcp: true });
    assert.equal(responseOf(await invoke({})), '1');
    assert.equal(responseOf(await invoke({})), '1');
  });
});
