import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type ClientEnvironment, runClient } from '../testing/run-client.ts';

const update = ['lambda', 'update-function-configuration', '--function-name', 'f'];

/** What the options make of the request's body. */
async function bodyOf(
  options: readonly string[],
  clientEnvironment?: ClientEnvironment,
): Promise<string | undefined> {
  const run = await runClient([...update, ...options], clientEnvironment);
  assert.equal(run.exitCode, 0, run.stderr);
  assert.equal(run.stderr, '');
  return run.requests[0]?.body;
}

async function refused(
  options: readonly string[],
  exitCode: number,
  message: string,
  clientEnvironment?: ClientEnvironment,
): Promise<void> {
  const run = await runClient([...update, ...options], clientEnvironment);
  assert.equal(run.stderr, `\n${message}\n`);
  assert.equal(run.exitCode, exitCode);
  assert.equal(run.stdout, '');
  assert.deepEqual(run.requests, []);
}

const refusals: readonly (readonly [readonly string[], number, string])[] = [
  [['--timeout', 'abc'], 255, "invalid literal for int() with base 10: 'abc'"],
  [['--timeout', '1.5'], 255, "invalid literal for int() with base 10: '1.5'"],
  [
    ['--environment', '{"Variables":'],
    252,
    `Error parsing parameter '--environment': Invalid JSON: Expecting value: line 1 column 14 (char 13)\nJSON received: {"Variables":`,
  ],
  [
    ['--environment', '["x"]'],
    252,
    `Error parsing parameter '--environment': Invalid JSON:\n["x"]`,
  ],
  [
    ['--tracing-config', 'Active'],
    252,
    "Error parsing parameter '--tracing-config': Expected: '=', received: 'EOF' for input:\n Active\n      ^",
  ],
  [
    ['--description', 'file://nowhere'],
    252,
    "Error parsing parameter '--description': Unable to load paramfile file://nowhere: [Errno 2] No such file or directory: 'nowhere'",
  ],
  [
    ['--environment', 'Variables={A@=file://nowhere}'],
    252,
    "Error parsing parameter '--environment': Unable to load paramfile file://nowhere: [Errno 2] No such file or directory: 'nowhere'",
  ],
  [
    ['--cli-input-json', '{}', '--cli-input-yaml', '{}'],
    252,
    'Only one --cli-input- parameter may be specified.',
  ],
  [
    ['--cli-input-json', '{'],
    252,
    "Error parsing parameter 'cli-input-json': Invalid JSON received.",
  ],
  [
    ['--cli-input-yaml', 'A: [1'],
    252,
    "Error parsing parameter 'cli-input-yaml': Invalid YAML received.",
  ],
  [
    ['--cli-input-yaml', 'A: !!python/object:os.system x'],
    252,
    "Error parsing parameter 'cli-input-yaml': Invalid YAML received.",
  ],
  [
    ['--cli-input-json', '[1]'],
    252,
    "Error parsing parameter '--cli-input-json': Invalid type: expecting map, received <class 'list'>",
  ],
];

describe('the options of update-function-configuration', () => {
  test('refuse what cannot be read, and send nothing', async () => {
    for (const [options, exitCode, message] of refusals) await refused(options, exitCode, message);
  });

  test('go by unique beginnings, and the last repetition wins', async () => {
    assert.equal(
      await bodyOf(['--desc', 'a', '--mem', '128']),
      '{"Description": "a", "MemorySize": 128}',
    );
    assert.equal(await bodyOf(['--timeout', '3', '--timeout=4']), '{"Timeout": 4}');
    // --set-env is the client's own and must not make this ambiguous.
    assert.equal(await bodyOf(['--s', 'ApplyOn=None']), '{"SnapStart": {"ApplyOn": "None"}}');
  });

  test('an ambiguous beginning is refused', async () => {
    const run = await runClient([...update, '--t', 'x']);
    assert.equal(run.exitCode, 252);
    assert.match(run.stderr, /ambiguous option: --t could match --timeout, --tracing-config/);
  });

  test('take texts from files, to the last byte, and bytes only where bytes go', async () => {
    const files = { 'd.txt': 'from file\n', 'v.txt': 'value', 'l.json': '["a","b"]', bin: 'x' };
    assert.equal(
      await bodyOf(['--description', 'file://d.txt'], { files }),
      String.raw`{"Description": "from file\n"}`,
    );
    assert.equal(await bodyOf(['--layers', 'file://l.json'], { files }), '{"Layers": ["a", "b"]}');
    assert.equal(
      await bodyOf(['--environment', 'Variables={A@=file://v.txt,B=file://v.txt}'], { files }),
      '{"Environment": {"Variables": {"A": "value", "B": "file://v.txt"}}}',
    );
    assert.equal(
      await bodyOf(['--description', 'file://$NAME.txt'], { files, environment: { NAME: 'v' } }),
      '{"Description": "value"}',
    );
    await refused(
      ['--description', 'fileb://bin'],
      252,
      "Parameter validation failed:\nInvalid type for parameter Description, value: b'x', type: <class 'bytes'>, valid types: <class 'str'>",
      { files },
    );
    await refused(
      ['--description', 'file://bin'],
      252,
      "Error parsing parameter '--description': Unable to load paramfile (bin), text contents could not be decoded.  If this is a binary file, please use the fileb:// prefix instead of the file:// prefix.",
      { files: { bin: Buffer.from([0xff, 0xfe]) } },
    );
  });

  test('fetch nothing from a network', async () => {
    assert.equal(
      await bodyOf(['--description', 'https://x.test/']),
      '{"Description": "https://x.test/"}',
    );
  });

  test('replace whole members of a document', async () => {
    const document = '{"Timeout":5,"Environment":{"Variables":{"A":"1"}},"Handler":"h"}';
    assert.equal(
      await bodyOf(['--cli-input-json', document, '--environment', 'Variables={B=2}']),
      '{"Environment": {"Variables": {"B": "2"}}, "Timeout": 5, "Handler": "h"}',
    );
    assert.equal(
      await bodyOf(['--cli-input-yaml', 'Timeout: 5\nDescription: "yes"']),
      '{"Timeout": 5, "Description": "yes"}',
    );
  });

  test('a document may bring the function', async () => {
    const run = await runClient([
      'lambda',
      'update-function-configuration',
      '--cli-input-json',
      '{"FunctionName":"from-document"}',
    ]);
    assert.equal(run.requests[0]?.path, '/2015-03-31/functions/from-document/configuration');
  });

  test("the spec's neutral name of a structure goes out by the wire's", async () => {
    assert.equal(
      await bodyOf([
        '--capacity-provider-config',
        'VendorManagedInstancesCapacityProviderConfig={CapacityProviderArn=a,PerExecutionEnvironmentMaxConcurrency=2}',
      ]),
      '{"CapacityProviderConfig": {"LambdaManagedInstancesCapacityProviderConfig": {"CapacityProviderArn": "a", "PerExecutionEnvironmentMaxConcurrency": 2}}}',
    );
  });

  test('an ARN is one segment of the path', async () => {
    const run = await runClient([
      'lambda',
      'get-function-configuration',
      '--function-name',
      'arn:aws:lambda:us-east-1:123456789012:function:a/b',
      '--qualifier',
      '$LATEST',
    ]);
    assert.equal(
      run.requests[0]?.path,
      '/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-east-1%3A123456789012%3Afunction%3Aa%2Fb/configuration?Qualifier=%24LATEST',
    );
    assert.equal(run.requests[0]?.body, '');
  });

  test('hints are for people, and for programs that ask', async () => {
    const args = [...update, '--tracing-config', 'Active'];
    const forPeople = await runClient(args, { terminal: true });
    assert.match(forPeople.stderr, /Perhaps: --tracing-config Mode=Active/);
    assert.match(forPeople.stderr, /As JSON: {3}--tracing-config '\{"Mode": "Active"\}'/);
    const forPrograms = await runClient([...args, '--cli-error-format', 'json']);
    const reported: unknown = JSON.parse(forPrograms.stderr);
    assert.ok(
      typeof reported === 'object' &&
        reported !== null &&
        'Hint' in reported &&
        'ExitCode' in reported,
    );
    assert.equal(reported.ExitCode, 252);
  });
});
