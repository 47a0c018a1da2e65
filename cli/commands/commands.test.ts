import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { refusal, runClient } from '../testing/run-client.ts';

const update = ['lambda', 'update-function-configuration', '--function-name', 'f'];
const wait = ['lambda', 'wait'];

describe('wait', () => {
  test('ends with 255 when what is waited for cannot come', async () => {
    const run = await runClient([...wait, 'function-active-v2', '--function-name', 'f'], {
      answer: () => ({ Configuration: { State: 'Failed' } }),
    });
    assert.equal(run.exitCode, 255);
    assert.equal(
      run.stderr,
      '\nWaiter FunctionActiveV2 failed: Waiter encountered a terminal failure state: For expression "Configuration.State" we matched expected path: "Failed"\n',
    );
  });

  test('ends when it has taken too long', async () => {
    const run = await runClient([...wait, 'function-updated', '--function-name', 'f'], {
      answer: () => ({ LastUpdateStatus: 'InProgress' }),
    });
    assert.equal(run.requests.length, 60);
    assert.equal(
      run.stderr,
      '\nWaiter FunctionUpdated failed: Max attempts exceeded. Previously accepted state: For expression "LastUpdateStatus" we matched expected path: "InProgress"\n',
    );
  });

  test('reports an error of the service', async () => {
    const run = await runClient([...wait, 'function-active', '--function-name', 'f'], {
      answer: () => refusal(404, 'ResourceNotFoundException', 'no f'),
    });
    assert.equal(run.exitCode, 255);
    assert.equal(
      run.stderr,
      '\nWaiter FunctionActive failed: An error occurred (ResourceNotFoundException): no f\n',
    );
  });

  test('asks again until it has come, and says nothing', async () => {
    const run = await runClient([...wait, 'function-exists', '--function-name', 'f'], {
      answer: (_, count) => (count < 3 ? refusal(404, 'ResourceNotFoundException', '') : {}),
    });
    assert.deepEqual([run.exitCode, run.stdout, run.stderr, run.requests.length], [0, '', '', 3]);
  });

  test('shows a person how long it has taken, and leaves no trace of it', async () => {
    const run = await runClient([...wait, 'function-updated-v2', '--function-name', 'f'], {
      terminal: true,
      answer: (_, count) => ({
        Configuration: { LastUpdateStatus: count < 3 ? 'InProgress' : 'Successful' },
      }),
    });
    assert.match(run.stderr, /function-updated-v2: InProgress, 2 s/);
    assert.match(run.stderr, /\r +\r$/);
  });
});

describe('an update with care', () => {
  const record = (variables: object, revision = 'r1') => ({
    FunctionName: 'f',
    RevisionId: revision,
    Environment: { Variables: variables },
  });

  test('refuses arguments without a change', async () => {
    for (const args of [
      ['--set-env', 'A'],
      ['--set-env', 'A=1', '--unset-env', 'A'],
      ['--set-env', 'A=1', '--environment', 'Variables={}'],
    ]) {
      const run = await runClient([...update, ...args]);
      assert.equal(run.exitCode, 252, run.stderr);
      assert.deepEqual(run.requests, []);
    }
  });

  test('refuses when the variables cannot be read', async () => {
    const run = await runClient([...update, '--set-env', 'A=1'], {
      answer: () => ({ Environment: { Error: { ErrorCode: 'AccessDenied' } } }),
    });
    assert.equal(run.exitCode, 255);
    assert.equal(run.requests.length, 1);
  });

  test('changes single variables under the revision that was read', async () => {
    const run = await runClient(
      [...update, '--set-env', 'A=new=1', '--unset-env', 'B', '--set-env', 'D=', '--timeout', '9'],
      { answer: ({ method }) => (method === 'GET' ? record({ A: 'old', B: '2', C: '3' }) : {}) },
    );
    assert.deepEqual(JSON.parse(run.requests[1]?.body ?? ''), {
      RevisionId: 'r1',
      Timeout: 9,
      Environment: { Variables: { A: 'new=1', C: '3', D: '' } },
    });
  });

  test('reads again when another update came between', async () => {
    const run = await runClient([...update, '--set-env', 'A=1'], {
      answer: ({ method }, count) => {
        if (method === 'GET') return record(count === 1 ? {} : { B: '2' }, `r${count}`);
        return count === 2 ? refusal(412, 'PreconditionFailedException', 'stale') : {};
      },
    });
    assert.equal(run.exitCode, 0, run.stderr);
    assert.deepEqual(JSON.parse(run.requests[3]?.body ?? ''), {
      RevisionId: 'r3',
      Environment: { Variables: { A: '1', B: '2' } },
    });
  });

  test('leaves a revision that the user gave to the user', async () => {
    const run = await runClient([...update, '--set-env', 'A=1', '--revision-id', 'mine'], {
      answer: ({ method }) =>
        method === 'GET' ? record({}) : refusal(412, 'PreconditionFailedException', 'stale'),
    });
    assert.equal(run.exitCode, 254);
    assert.equal(run.requests.length, 2);
    assert.match(run.requests[1]?.body ?? '', /"RevisionId": "mine"/);
  });

  test('with --wait prints the final record', async () => {
    const run = await runClient([...update, '--timeout', '9', '--wait', '--query', 'RevisionId'], {
      answer: ({ method }, count) =>
        method === 'PUT'
          ? { FunctionName: 'f', LastUpdateStatus: 'InProgress', RevisionId: 'r1' }
          : {
              Configuration: {
                FunctionName: 'f',
                LastUpdateStatus: count < 3 ? 'InProgress' : 'Successful',
                RevisionId: 'r2',
              },
            },
    });
    assert.deepEqual([run.stdout, run.stderr, run.exitCode], ['"r2"\n', '', 0]);
  });

  test('an update that failed explains itself', async () => {
    const failed = {
      LastUpdateStatus: 'Failed',
      LastUpdateStatusReasonCode: 'InvalidRuntime',
      LastUpdateStatusReason: 'It does not start.',
    };
    const said =
      '\nThe update failed: f: InvalidRuntime: It does not start. The previous configuration keeps running.\n';
    const log = { Events: [{ Message: 'no such module' }] };
    for (const [logs, expected] of [
      [log, `${said}\nEnd of the log:\n  no such module\n`],
      [refusal(404, 'UnknownOperationException', 'no logs'), said],
    ] as const) {
      const run = await runClient([...update, '--timeout', '9', '--wait'], {
        answer: ({ method, path }) => {
          if (method === 'PUT') return { FunctionName: 'f', LastUpdateStatus: 'InProgress' };
          return path.includes('/logs') ? logs : { Configuration: failed };
        },
      });
      assert.equal(run.exitCode, 255);
      assert.equal(run.stderr, expected);
    }
  });
});

describe('logs', () => {
  test('report an error of the service', async () => {
    const run = await runClient(['lambda', 'logs', '--function-name', 'f'], {
      answer: () => refusal(404, 'ResourceNotFoundException', 'no f'),
    });
    assert.equal(run.exitCode, 254);
  });

  test('print the lines there are, and those that follow until the client is stopped', async () => {
    const pages = [['one', 'two\n'], [], ['three'], []];
    const answer = (_: unknown, count: number): object =>
      count > 6
        ? refusal(400, 'Stop', 'enough')
        : {
            Events: (pages[count - 1] ?? []).map((Message) => ({ Message })),
            NextMarker: `m${count}`,
          };
    const args = ['lambda', 'logs', '--function-name', 'f'];
    const once = await runClient(args, { answer });
    assert.deepEqual([once.stdout, once.exitCode], ['one\ntwo\nthree\n', 0]);
    assert.equal(once.requests[3]?.path, '/2015-03-31/functions/f/logs?Marker=m3');
    const followed = await runClient([...args, '--follow'], { answer });
    assert.deepEqual([followed.stdout, followed.requests.length], ['one\ntwo\nthree\n', 7]);
  });
});

describe('diff', () => {
  const record = {
    FunctionName: 'f',
    Timeout: 3,
    MemorySize: 128,
    Environment: { Variables: { A: '1', B: '2' } },
    Layers: [{ Arn: 'l1', CodeSize: 1 }],
  };

  const diff = ['lambda', 'diff', '--function-name', 'f'];
  const more = ['--environment', 'Variables={A=1,C=3}', '--layers', 'l1', 'l2'];

  test('reports what an update would change, and changes nothing', async () => {
    const run = await runClient([...diff, '--timeout', '9', '--memory-size', '128', ...more], {
      answer: () => record,
    });
    assert.deepEqual(JSON.parse(run.stdout), {
      Changes: [
        { Setting: 'Timeout', Before: 3, After: 9 },
        { Setting: 'Environment.Variables.C', Before: null, After: '3' },
        { Setting: 'Environment.Variables.B', Before: '2', After: null },
        { Setting: 'Layers', Before: ['l1'], After: ['l1', 'l2'] },
      ],
    });
    assert.ok(run.requests.every(({ method }) => method === 'GET'));
  });

  test('knows single variables too, and prints text for people', async () => {
    const run = await runClient([...diff, '--set-env', 'A=9'], {
      terminal: true,
      answer: () => record,
    });
    assert.equal(run.stdout, 'Environment.Variables.A: "1" -> "9"\n');
    const none = await runClient([...diff, '--timeout', '3'], {
      terminal: true,
      answer: () => record,
    });
    assert.equal(none.stdout, 'Nothing would change.\n');
  });
});

describe('invoke', () => {
  const invoke = ['lambda', 'invoke', '--function-name', 'f'];

  test('recognises JSON where base64 is expected', async () => {
    const run = await runClient([...invoke, '--payload', '{"a":1}', 'out']);
    assert.deepEqual([run.exitCode, run.stderr], [255, '\nInvalid base64: "{"a":1}"\n']);
    const hinted = await runClient([...invoke, '--payload', '{"a":1}', 'out'], { terminal: true });
    assert.match(hinted.stderr, /--cli-binary-format raw-in-base64-out/);
  });

  test('sends base64, raw text and files as bytes', async () => {
    for (const [args, body] of [
      [['--payload', 'eyJhIjoxfQ=='], '{"a":1}'],
      [['--payload', '{"a":1}', '--cli-binary-format', 'raw-in-base64-out'], '{"a":1}'],
      [['--payload', 'fileb://p.json'], '{"p":1}'],
      [[], ''],
    ] as const) {
      const run = await runClient([...invoke, ...args, 'out'], { files: { 'p.json': '{"p":1}' } });
      assert.equal(run.exitCode, 0, run.stderr);
      assert.equal(run.requests[0]?.body, body);
      assert.equal(run.requests[0]?.headers['content-type'], undefined);
    }
  });

  test('prints the payload before the record when the file is the output', async () => {
    const run = await runClient([...invoke, '/dev/stdout', '--query', 'StatusCode'], {
      answer: () => ({ status: 200, body: Buffer.from('"hi"') }),
    });
    assert.equal(run.stdout, '"hi"200\n');
  });

  test('prints the record and keeps the payload for the file', async () => {
    const run = await runClient([...invoke, '--query', 'Payload', 'out'], {
      answer: () => ({ status: 200, body: Buffer.from('"hi"') }),
    });
    assert.equal(run.stdout, 'null\n');
  });

  test('without a file prints the payload, for people with the end of the log', async () => {
    const answer = (): object => ({
      status: 200,
      headers: {
        'x-amz-executed-version': '$LATEST',
        'x-amz-log-result': Buffer.from('START\u001b[2J\nEND\n').toString('base64'),
      },
      body: Buffer.from('{"a":[1]}'),
    });
    const piped = await runClient(invoke, { answer });
    assert.equal(piped.stdout, '{"a":[1]}');
    assert.equal(piped.requests[0]?.headers['x-amz-log-type'], undefined);
    const shown = await runClient(invoke, { answer, terminal: true });
    assert.equal(shown.requests[0]?.headers['x-amz-log-type'], 'Tail');
    assert.match(shown.stdout, /^200 from version \$LATEST\n\n\{\n {2}"a": \[\n/);
    assert.match(shown.stdout, /End of the log:\n {2}START\\u001b\[2J\n {2}END\n$/);
  });
});

describe('an answer in pieces', () => {
  const invoke = ['lambda', 'invoke-with-response-stream', '--function-name', 'f'];

  function frame(type: string, content: string): Buffer {
    const name = ':event-type';
    const headers = Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, 0, type.length]),
      Buffer.from(type),
    ]);
    const lengths = Buffer.alloc(12);
    lengths.writeUInt32BE(12 + headers.length + content.length + 4);
    lengths.writeUInt32BE(headers.length, 4);
    return Buffer.concat([lengths, headers, Buffer.from(content), Buffer.alloc(4)]);
  }

  test('that is damaged is reported as damaged', async () => {
    const body = frame('PayloadChunk', 'one').subarray(0, -2);
    const run = await runClient(invoke, { answer: () => ({ status: 200, body }) });
    assert.equal(run.exitCode, 255);
    assert.match(run.stderr, /^\nUnable to parse response/);
  });

  test('is put together, with how it ended', async () => {
    const body = Buffer.concat([
      frame('PayloadChunk', 'one '),
      frame('PayloadChunk', 'two'),
      frame('InvokeComplete', '{"ErrorCode":"Unhandled"}'),
    ]);
    const answer = (): object => ({ status: 200, body });
    assert.equal((await runClient(invoke, { answer })).stdout, 'one two');
    const recorded = await runClient([...invoke, 'out'], { answer });
    assert.deepEqual(JSON.parse(recorded.stdout), { StatusCode: 200, FunctionError: 'Unhandled' });
  });
});

describe('code', () => {
  const empty = Buffer.concat([Buffer.from([0x50, 0x4b, 5, 6]), Buffer.alloc(18)]);

  test('is an archive, by fileb://', async () => {
    for (const args of [
      ['update-function-code', '--function-name', 'f', '--zip-file', 'z.zip'],
      ['publish-layer-version', '--layer-name', 'l', '--zip-file', 'fileb://not.zip'],
    ]) {
      const run = await runClient(['lambda', ...args], { files: { 'not.zip': 'text' } });
      assert.equal(run.exitCode, 252);
      assert.equal(
        run.stderr,
        '\n--zip-file must be a zip file with the fileb:// prefix.\nExample usage:  --zip-file fileb://path/to/file.zip\n',
      );
    }
  });

  test('goes where the operation keeps it', async () => {
    const files = { 'z.zip': empty };
    const zip = ['--zip-file', 'fileb://z.zip'];
    const base64 = empty.toString('base64');
    const updated = await runClient(
      ['lambda', 'update-function-code', '--function-name', 'f', ...zip, '--no-publish'],
      { files },
    );
    assert.deepEqual(JSON.parse(updated.requests[0]?.body ?? ''), {
      ZipFile: base64,
      Publish: false,
    });
    const created = await runClient(
      ['lambda', 'create-function', '--function-name', 'f', '--role', 'r', ...zip],
      { files },
    );
    assert.deepEqual(JSON.parse(created.requests[0]?.body ?? ''), {
      FunctionName: 'f',
      Role: 'r',
      Code: { ZipFile: base64 },
    });
  });
});
