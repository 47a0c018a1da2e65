import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { type ClientRun, refusal, runClient } from './testing/run-client.ts';

const usage = `usage: hob [options] <command> <subcommand> [<subcommand> ...] [parameters]
To see help text, you can run:

  hob help
  hob <command> help
  hob <command> <subcommand> help
`;
const update = ['functions', 'update-function-configuration'];

const complaints: readonly (readonly [readonly string[], string])[] = [
  [[], 'the following arguments are required: command'],
  [['functions'], 'the following arguments are required: operation'],
  [update, 'the following arguments are required: --function-name'],
  [
    ['functions', 'invoke', 'hello'],
    'the following arguments are required: --function-name ("hello" was read as OUTFILE)',
  ],
  [
    ['lamda', 'x'],
    "argument command: Found invalid choice 'lamda'\n\nMaybe you meant:\n\n  * lambda",
  ],
  [
    ['lambda', 'get-functio'],
    "argument operation: Found invalid choice 'get-functio'\n\nMaybe you meant:\n\n  * get-function",
  ],
  [[...update, '--output', 'xml'], "argument --output: Found invalid choice 'xml'\n"],
  [[...update, '--color', 'maybe'], "argument --color: Found invalid choice 'maybe'\n"],
  [[...update, '--timeout'], 'argument --timeout: expected one argument'],
  [[...update, '--debug=x'], "argument --debug: ignored explicit argument 'x'"],
  [
    ['lambda', 'get-function', '--generate-cli-skeleton', 'outptu'],
    "argument --generate-cli-skeleton: Found invalid choice 'outptu'\n\nMaybe you meant:\n\n  * output",
  ],
];

describe('the client', () => {
  test('prints its usage when the arguments name no command', async () => {
    for (const [args, problem] of complaints) {
      const run = await runClient(args);
      assert.equal(run.stderr, `\nhob: [ERROR]: ${problem}\n\n${usage}\n`);
      assert.equal(run.exitCode, 252);
      assert.equal(run.stdout, '');
    }
  });

  test('names unknown arguments after the usage', async () => {
    const run = await runClient([...update, '--function-name', 'f', '--foo', 'bar']);
    assert.equal(run.stderr, `\n${usage}\nUnknown options: --foo, bar\n\n`);
    assert.equal(run.exitCode, 252);
  });

  test('suggests a known option for an unknown one', async () => {
    const args = [...update, '--function-name', 'f', '--enviroment', 'x', '--qurey', 'y'];
    const run = await runClient(args, { terminal: true });
    assert.match(run.stderr, /\nHint: Did you mean --environment and --query\?\n$/);
    assert.ok(!(await runClient(args)).stderr.includes('Hint'));
  });

  test('reports a refusal of the service in one line, and exits with 254', async () => {
    const run = await runClient([...update, '--function-name', 'f'], {
      answer: () => refusal(409, 'ResourceConflictException', 'An update is in progress'),
    });
    assert.equal(
      run.stderr,
      '\nAn error occurred (ResourceConflictException) when calling the UpdateFunctionConfiguration operation: An update is in progress\n',
    );
    assert.equal(run.exitCode, 254);
    assert.equal(run.requests.length, 1);
  });

  test('reports the same to programs as JSON', async () => {
    const run = await runClient([...update, '--function-name', 'f', '--cli-error-format', 'json'], {
      answer: () => refusal(404, 'ResourceNotFoundException', 'Function not found: f'),
    });
    assert.deepEqual(JSON.parse(run.stderr), {
      ExitCode: 254,
      Code: 'ResourceNotFoundException',
      Message: 'Function not found: f',
      Operation: 'UpdateFunctionConfiguration',
      Status: 404,
    });
  });

  test('what a server says does nothing to a terminal', async () => {
    const run = await runClient([...update, '--function-name', 'f'], {
      terminal: true,
      answer: () => refusal(400, 'X', 'red \u001b[31m'),
    });
    assert.ok(!run.stderr.includes('\u001b'));
  });

  test('without credentials says so, unless nothing is to be signed', async () => {
    const environment = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
    const args = [...update, '--function-name', 'f'];
    const run = await runClient(args, { environment });
    assert.match(run.stderr, /^\nUnable to locate credentials\./);
    assert.equal(run.exitCode, 253);
    const unsigned = await runClient([...args, '--no-sign-request'], { environment });
    assert.equal(unsigned.exitCode, 0, unsigned.stderr);
    assert.equal(unsigned.requests[0]?.headers['authorization'], undefined);
  });

  test('both ways of asking exclude each other', async () => {
    const run = await runClient([...update, '--cli-auto-prompt', '--no-cli-auto-prompt']);
    assert.equal(run.exitCode, 252);
    assert.equal(
      run.stderr,
      '\nBoth --cli-auto-prompt and --no-cli-auto-prompt cannot be specified at the same time.\n',
    );
  });

  test('prints its version, wherever it is asked for', async () => {
    for (const args of [['--version'], ['lambda', '--version'], [...update, '--version']]) {
      const run = await runClient(args);
      assert.match(run.stdout, /^hob\/1\.2\.3 Node\/[\d.]+ \w+\/\w+\n$/);
      assert.equal(run.exitCode, 0);
    }
  });

  test('takes its global options anywhere', async () => {
    const args = ['--region', 'eu-west-1', ...update, '--query', 'FunctionName'];
    const run = await runClient([...args, '--function-name', 'f'], {
      answer: () => ({ FunctionName: 'f' }),
    });
    assert.equal(run.stdout, '"f"\n');
    assert.match(run.requests[0]?.headers['authorization'] ?? '', /\/eu-west-1\/lambda\//);
  });

  test('help describes every operation, one of them, and one option', async () => {
    const client = await runClient(['functions', 'help']);
    assert.match(client.stdout, /update-function-configuration/);
    const operation = await runClient([...update, 'help']);
    assert.match(operation.stdout, /--memory-size \(integer; 128 to 32768; default 128\)/);
    assert.ok(!operation.stdout.includes('OUTFILE'));
    const invoke = await runClient(['lambda', 'invoke', 'help']);
    assert.match(invoke.stdout, /^hob functions invoke \[OPTION \.\.\.\] \[OUTFILE\]\n/);
    const option = await runClient([...update, 'help', '--ephemeral-storage']);
    assert.match(option.stdout, /Shorthand: --ephemeral-storage 'Size=0'/);
    assert.ok(!option.stdout.includes('--memory-size'));
  });

  test('no files make it fall over', async () => {
    const args = ['--cli-input-json', '--cli-input-yaml', '--environment', '--description'];
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 64 }), documentPiece);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...args), bytes, bytes, async (option, given, config) => {
        const run = await runClient([...update, '--function-name', 'f', option, 'file://given'], {
          files: { given, config },
          environment: { AWS_CONFIG_FILE: '~/config' },
        });
        assertReported(run);
      }),
      { numRuns: 200 },
    );
  });

  test('no answers make it fall over', async () => {
    const command = fc.constantFrom(
      update,
      ['lambda', 'list-functions', '--output', 'table'],
      ['lambda', 'get-function', '--output', 'yaml'],
      ['lambda', 'invoke'],
      ['lambda', 'invoke-with-response-stream'],
    );
    const answer = fc.record({
      status: fc.constantFrom(200, 204, 302, 400, 404, 500),
      headers: fc.constantFrom({}, { 'x-amzn-errortype': ':#:' }),
      body: fc.oneof(fc.uint8Array({ maxLength: 64 }), documentPiece, strangeRecord),
    });
    await fc.assert(
      fc.asyncProperty(command, answer, async (start, answered) => {
        const named = start[1] === 'list-functions' ? [] : ['--function-name', 'f'];
        const run = await runClient([...start, ...named], {
          answer: () => answered,
          environment: { AWS_MAX_ATTEMPTS: '1' },
        });
        assertReported(run);
      }),
      { numRuns: 200 },
    );
  });

  test('no arguments crash it', async () => {
    const word = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(
        'lambda',
        'invoke',
        'wait',
        'diff',
        'help',
        '--function-name',
        '--environment',
        '--layers',
        '--cli-input-yaml',
        '--cli-input-json',
        '--payload',
        '--query',
        '--generate-cli-skeleton',
        '{"',
        'A={',
        '--',
        '-1',
        ': [',
      ),
    );
    const command = fc.constantFrom(
      ['lambda', 'update-function-configuration'],
      ['lambda', 'invoke'],
      [],
    );
    await fc.assert(
      fc.asyncProperty(command, fc.array(word, { maxLength: 6 }), async (start, rest) => {
        assertReported(await runClient([...start, ...rest]));
      }),
      { numRuns: 200 },
    );
  });
});

/** What JSON, YAML and configuration files are made of, so that more than their first character is read. */
const documentPiece = fc
  .array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"A"',
      ':',
      ',',
      '1',
      '\n',
      '- ',
      '&a',
      '*a',
      '=',
      'é',
      '\\',
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Buffer.from(pieces.join('')));

/** Members that there are, with values of any kind. */
const strangeRecord = fc
  .dictionary(
    fc.constantFrom(
      'Functions',
      'Configuration',
      'Environment',
      'Layers',
      'Code',
      'Tags',
      'NextMarker',
      'message',
    ),
    fc.jsonValue({ maxDepth: 3 }),
  )
  .map((record) => Buffer.from(JSON.stringify(record)));

/** It did as it was configured or says why not, in a message that is not Node's. */
function assertReported(run: ClientRun): void {
  assert.ok([0, 252, 253, 254, 255].includes(run.exitCode), String(run.exitCode));
  assert.doesNotMatch(run.stderr, /\n {4}at /);
  assert.doesNotMatch(run.stderr, /TypeError|RangeError|SyntaxError|undefined|Cannot read/);
  assert.equal(run.stderr === '', run.exitCode === 0);
}
