import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, test } from 'node:test';

import { errorOf, responseOf, startClient } from './testing/client-program.ts';
import type { ClientOptions, ClientProgram } from './testing/client-program.ts';

const bootstrap = fileURLToPath(new URL('python/bootstrap.py', import.meta.url));
const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find((file) => existsSync(file));

describe(
  'the client for Python',
  { skip: python === undefined ? 'no python3 here' : false },
  () => {
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
        command: [python ?? '', bootstrap],
        files: typeof files === 'string' ? { 'app.py': files } : files,
        handler: 'app.handler',
        ...options,
      });
      return program;
    }

    describe('reports why a handler cannot be loaded', () => {
      const cases: [string, string, string, string | RegExp][] = [
        [
          'plain',
          '',
          'Runtime.MalformedHandlerName',
          "Bad handler 'plain': not enough values to unpack (expected 2, got 1)",
        ],
        [
          'missing.handler',
          '',
          'Runtime.ImportModuleError',
          "Unable to import module 'missing': No module named 'missing'",
        ],
        [
          'app.handler',
          'import sys; sys.modules["boto3"] = None; import boto3',
          'Runtime.ImportModuleError',
          "Unable to import module 'app': import of boto3 halted; None in sys.modules\nTo add it to the runtime, the operator runs: hob runtimes add python",
        ],
        [
          'app.other',
          'x = 1',
          'Runtime.HandlerNotFound',
          "Handler 'other' missing on module 'app'",
        ],
        [
          'sys.exit',
          '',
          'Runtime.BuiltInModuleConflict',
          'Cannot use built-in module sys as a handler module',
        ],
        [
          'app.handler',
          'def handler(:',
          'Runtime.UserCodeSyntaxError',
          /^Syntax error in module 'app': /,
        ],
        ['app.handler', 'raise ValueError("at load")', 'ValueError', 'at load'],
      ];
      for (const [handler, code, type, message] of cases) {
        test(`${type} for ${handler}`, async () => {
          const { channel, ended, folder, output } = await start(code, { handler });
          const outcome = await channel.initialised;
          assert.ok(outcome.kind === 'failed');
          const error = JSON.parse(Buffer.from(outcome.error.payload).toString());
          assert.deepEqual(Object.keys(error), [
            'errorMessage',
            'errorType',
            'requestId',
            'stackTrace',
          ]);
          assert.deepEqual([error.errorType, error.requestId], [type, '']);
          if (typeof message === 'string') assert.equal(error.errorMessage, message);
          else assert.match(error.errorMessage, message);
          if (type === 'ValueError') {
            assert.deepEqual(error.stackTrace, [
              `  File "${folder}/app.py", line 1, in <module>\n    raise ValueError("at load")\n`,
            ]);
          }
          assert.equal((await ended).status, 1);
          assert.match(await output(), new RegExp(`^\\[ERROR\\] ${type}: `));
        });
      }
    });

    test('shows exceptions as AWS’s client does, in the answer and in the log', async () => {
      const { invoke, folder, output } = await start(
        'def handler(event, context):\n    inner()\n\ndef inner():\n    raise Exception("Handler fails")\n',
      );
      const answer = await invoke({});
      assert.equal(
        answer.kind === 'error' && Buffer.from(answer.error.payload).toString(),
        JSON.stringify({
          errorMessage: 'Handler fails',
          errorType: 'Exception',
          requestId: 'request-1',
          stackTrace: [
            `  File "${folder}/app.py", line 2, in handler\n    inner()\n`,
            `  File "${folder}/app.py", line 5, in inner\n    raise Exception("Handler fails")\n`,
          ],
        })
          .replaceAll('":', '": ')
          .replaceAll('","', '", "')
          .replaceAll('"},"', '"}, "'),
      );
      assert.equal(
        await output(),
        '[ERROR] Exception: Handler fails\rTraceback (most recent call last):\r' +
          `\u00a0\u00a0File "${folder}/app.py", line 2, in handler\r\u00a0\u00a0\u00a0\u00a0inner()\r` +
          `\u00a0\u00a0File "${folder}/app.py", line 5, in inner\r\u00a0\u00a0\u00a0\u00a0raise Exception("Handler fails")\n`,
      );
    });

    test('answers with what the handler returns', async () => {
      const { invoke } = await start(
        [
          'from decimal import Decimal',
          'def handler(event, context):',
          '    return {"none": None, "bytes": b"\\x00raw", "decimal": {"d": [Decimal("1.50"), Decimal("NaN")]},',
          '            "text": "ü", "half": "\\ud800", "set": {1}, "echo": event}[event["give"]]',
        ].join('\n'),
        { environment: { AWS_EXECUTION_ENV: 'AWS_Lambda_python3.13' } },
      );
      const expected: Record<string, string> = {
        none: 'null',
        bytes: '\0raw',
        decimal: '{"d": [1.50, NaN]}',
        text: '"ü"',
        half: '"\\ud800"',
        echo: '{"give": "echo"}',
      };
      for (const [give, answer] of Object.entries(expected)) {
        assert.equal(responseOf(await invoke({ give })), answer, give);
      }
      const refused = await invoke({ give: 'set' });
      assert.deepEqual(
        [
          errorOf(refused)['errorType'],
          errorOf(refused)['errorMessage'],
          errorOf(refused)['stackTrace'],
        ],
        [
          'Runtime.MarshalError',
          'Unable to marshal response: Object of type set is not JSON serializable',
          [],
        ],
      );
      assert.equal(refused.kind === 'error' && refused.error.type, 'Runtime.MarshalError');
    });

    test('keeps answers in ASCII up to python3.11', async () => {
      const { invoke } = await start('def handler(event, context):\n    return "ü😀"', {
        environment: { AWS_EXECUTION_ENV: 'AWS_Lambda_python3.11' },
      });
      assert.equal(responseOf(await invoke({})), String.raw`"\u00fc\ud83d\ude00"`);
    });

    test('gives the whole context, and the trace of each event', async () => {
      const { invoke } = await start(
        [
          'import os',
          'def handler(event, context):',
          '    return [context.function_name, context.function_version, context.memory_limit_in_mb, context.invoked_function_arn,',
          '        context.aws_request_id, context.log_group_name, context.log_stream_name, context.tenant_id,',
          '        context.identity.cognito_identity_id, context.client_context.custom, context.client_context.client.app_title,',
          '        5000 < context.get_remaining_time_in_millis() <= 10000, os.environ.get("_X_AMZN_TRACE_ID"), os.environ.get("HOB_RUNTIME_SOCKET")]',
        ].join('\n'),
      );
      const answer = await invoke(
        {},
        {
          clientContext: '{"custom":{"a":1},"client":{"app_title":"t"}}',
          identity: '{"cognitoIdentityId":"i"}',
          tenantId: 'blue',
        },
      );
      assert.deepEqual(JSON.parse(responseOf(answer)), [
        'f',
        '$LATEST',
        '128',
        'arn:aws:lambda:us-east-1:123456789012:function:f:live',
        'request-1',
        '/aws/lambda/f',
        'stream',
        'blue',
        'i',
        { a: 1 },
        't',
        true,
        'Root=1-1',
        null,
      ]);
    });

    test('prints as it is and logs with level, time and id', async () => {
      const { invoke, output } = await start(
        'import logging\ndef handler(event, context):\n    print("plain\\nline")\n    print("no end", end="")\n    logging.warning("a %s", "b")\n    logging.info("unseen")\n',
      );
      assert.equal(responseOf(await invoke({})), 'null');
      assert.match(
        await output(),
        /^plain\nline\nno end\[WARNING\]\t\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\trequest-1\ta b\n$/,
      );
    });

    test('has written all output before it answers', async () => {
      const { invoke, output } = await start(
        'import sys\ndef handler(event, context):\n    print("x" * 1000000, end="")\n    print("y" * 1000000, end="", file=sys.stderr)\n',
      );
      await invoke({});
      assert.equal((await output()).length, 2_000_000);
    });

    test('logs as JSON, from the chosen level on', async () => {
      const { invoke, output } = await start(
        [
          'import logging',
          'logger = logging.getLogger("mine")',
          'def handler(event, context):',
          '    logger.debug("unseen")',
          '    logger.info("a %s", "b", extra={"more": 1})',
          '    try:',
          '        1 / 0',
          '    except ZeroDivisionError:',
          '        logger.exception("bad")',
          '    raise KeyError("k")',
        ].join('\n'),
        { environment: { AWS_LAMBDA_LOG_FORMAT: 'JSON', AWS_LAMBDA_LOG_LEVEL: 'INFO' } },
      );
      await invoke({});
      const lines = (await output())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.match(lines[0].timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const { timestamp: _, ...first } = lines[0];
      assert.deepEqual(first, {
        level: 'INFO',
        message: 'a b',
        logger: 'mine',
        requestId: 'request-1',
        more: 1,
      });
      assert.deepEqual(
        [lines[1].errorType, lines[1].errorMessage, typeof lines[1].location],
        ['ZeroDivisionError', 'division by zero', 'string'],
      );
      assert.deepEqual(
        [lines[2].level, lines[2].errorType, lines[2].requestId],
        ['ERROR', 'KeyError', 'request-1'],
      );
      assert.equal(lines.length, 3);
    });

    test('runs the hooks around a snapshot', async () => {
      const { channel, invoke } = await start(
        [
          'from snapshot_restore_py import register_before_snapshot, register_after_restore',
          'ran = []',
          '@register_before_snapshot',
          'def before(): ran.append("before 1")',
          'register_before_snapshot(ran.append, "before 2")',
          'register_after_restore(ran.append, "after")',
          'def handler(event, context): return ran',
        ].join('\n'),
        {
          channel: { snapStart: true },
          environment: { AWS_LAMBDA_INITIALIZATION_TYPE: 'snap-start' },
        },
      );
      assert.deepEqual(await channel.initialised, { kind: 'ready' });
      assert.equal(responseOf(await invoke({})), '["before 2", "before 1", "after"]');
    });

    test('reports hooks that fail', async () => {
      const environment = { AWS_LAMBDA_INITIALIZATION_TYPE: 'snap-start' };
      const code = (hook: string): string =>
        `import snapshot_restore_py as s\ndef bad(): raise ValueError("hook")\ns.${hook}(bad)\nhandler = print`;
      const before = await start(code('register_before_snapshot'), {
        channel: { snapStart: true },
        environment,
      });
      const outcome = await before.channel.initialised;
      assert.equal(outcome.kind === 'failed' && outcome.error.type, 'Runtime.BeforeSnapshotError');
      assert.equal((await before.ended).status, 64);
      await before.close();
      const after = await start(code('register_after_restore'), {
        channel: { snapStart: true },
        environment,
      });
      assert.equal(errorOf(await after.invoke({}))['errorMessage'], 'hook');
      assert.equal((await after.ended).status, 65);
    });

    test('ends when the handler ends the process', async () => {
      const { ended, invoke, channel } = await start('import sys\ndef handler(e, c): sys.exit(3)');
      const answer = invoke({});
      assert.equal((await ended).status, 3);
      channel.close();
      assert.deepEqual(await answer, { kind: 'gone', delivered: true });
    });

    test('takes large events, and answers with large responses', async () => {
      const { invoke } = await start('def handler(event, context): return event["text"]', {
        environment: { AWS_EXECUTION_ENV: 'AWS_Lambda_python3.13' },
      });
      const text = 'ü'.repeat(2_500_000);
      assert.equal(responseOf(await invoke({ text })), JSON.stringify(text));
      assert.equal((await invoke({ text: 'ü'.repeat(3_200_000) })).kind, 'too-large');
      assert.equal(responseOf(await invoke({ text: 'again' })), '"again"');
    });

    test('finds modules in packages, and works on several events at a time', async () => {
      const { invoke } = await start(
        {
          'pkg/mod.py': 'import os\ndef handler(event, context): return os.getpid()',
        },
        {
          handler: 'pkg/mod.handler',
          channel: { concurrency: 2 },
          environment: { AWS_LAMBDA_MAX_CONCURRENCY: '2' },
        },
      );
      const answers = await Promise.all([1, 2, 3, 4].map((n) => invoke({ n })));
      for (const answer of answers) assert.match(responseOf(answer), /^\d+$/);
    });

    test('speaks over TCP where there is no socket', async () => {
      const { invoke } = await start('def handler(event, context): return 1', { overTcp: true });
      assert.equal(responseOf(await invoke({})), '1');
    });
  },
);
