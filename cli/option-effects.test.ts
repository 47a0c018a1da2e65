import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Operation } from '#functions-contract/operation.ts';
import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';
import type { Member, Shape } from '#functions-contract/shape.ts';

import { memberOptions } from './input/operation-args.ts';
import { loadOperation, operationCommands } from './operations/operations.ts';
import { runClient, type SentRequest } from './testing/run-client.ts';

/** Options and the bodies that they make, with every member of a structure; `f` is named in each path. */
const effects: readonly (readonly [option: string, args: readonly string[], sent: string])[] = [
  ['function-name', [], '{}'],
  ['role', ['arn:aws:iam::1:role/r'], '{"Role": "arn:aws:iam::1:role/r"}'],
  ['handler', ['index.run'], '{"Handler": "index.run"}'],
  ['description', ['two args é'], String.raw`{"Description": "two args \u00e9"}`],
  ['timeout', ['7'], '{"Timeout": 7}'],
  ['memory-size', ['256'], '{"MemorySize": 256}'],
  [
    'vpc-config',
    ['SubnetIds=subnet-1,subnet-2,SecurityGroupIds=[],Ipv6AllowedForDualStack=true'],
    '{"VpcConfig": {"SubnetIds": ["subnet-1", "subnet-2"], "SecurityGroupIds": [], "Ipv6AllowedForDualStack": true}}',
  ],
  ['environment', ['Variables={B=2,A=1}'], '{"Environment": {"Variables": {"B": "2", "A": "1"}}}'],
  ['runtime', ['nodejs22.x'], '{"Runtime": "nodejs22.x"}'],
  ['dead-letter-config', ['TargetArn='], '{"DeadLetterConfig": {"TargetArn": ""}}'],
  ['kms-key-arn', [''], '{"KMSKeyArn": ""}'],
  ['tracing-config', ['Mode=Active'], '{"TracingConfig": {"Mode": "Active"}}'],
  ['revision-id', ['r1'], '{"RevisionId": "r1"}'],
  ['layers', ['one', 'two'], '{"Layers": ["one", "two"]}'],
  [
    'file-system-configs',
    ['Arn=a,LocalMountPath=/mnt/a'],
    '{"FileSystemConfigs": [{"Arn": "a", "LocalMountPath": "/mnt/a"}]}',
  ],
  [
    'image-config',
    ['EntryPoint=run,Command=["-c","echo x"],WorkingDirectory=/w'],
    '{"ImageConfig": {"EntryPoint": ["run"], "Command": ["-c", "echo x"], "WorkingDirectory": "/w"}}',
  ],
  ['ephemeral-storage', ['Size=1024'], '{"EphemeralStorage": {"Size": 1024}}'],
  ['snap-start', ['ApplyOn=None'], '{"SnapStart": {"ApplyOn": "None"}}'],
  [
    'logging-config',
    ['LogFormat=JSON,ApplicationLogLevel=FATAL,SystemLogLevel=WARN,LogGroup=/g'],
    '{"LoggingConfig": {"LogFormat": "JSON", "ApplicationLogLevel": "FATAL", "SystemLogLevel": "WARN", "LogGroup": "/g"}}',
  ],
  [
    'capacity-provider-config',
    [
      'LambdaManagedInstancesCapacityProviderConfig={CapacityProviderArn=a,PerExecutionEnvironmentMaxConcurrency=9,ExecutionEnvironmentMemoryGiBPerVCpu=4}',
    ],
    '{"CapacityProviderConfig": {"LambdaManagedInstancesCapacityProviderConfig": {"CapacityProviderArn": "a", "PerExecutionEnvironmentMaxConcurrency": 9, "ExecutionEnvironmentMemoryGiBPerVCpu": 4.0}}}',
  ],
  [
    'durable-config',
    ['RetentionPeriodInDays=7,ExecutionTimeout=60'],
    '{"DurableConfig": {"RetentionPeriodInDays": 7, "ExecutionTimeout": 60}}',
  ],
];

const update = ['lambda', 'update-function-configuration', '--function-name', 'f'];

describe('the options of update-function-configuration', () => {
  test('with several values are all in the table, and so are the members of their structures', () => {
    const several = memberOptions(updateFunctionConfiguration).filter(
      ({ declaration: { shape } }) => ['structure', 'list', 'map'].includes(shape.type),
    );
    for (const { name: option, declaration } of several) {
      const [, , sent] = effects.find(([name]) => name === option) ?? assert.fail(`--${option}`);
      for (const name of memberNames(declaration.shape))
        assert.ok(sent.includes(`"${name}": `), `--${option}: ${name}`);
    }
  });

  for (const [option, args, sent] of effects) {
    test(`--${option} is sent`, async () => {
      const given = args.length === 0 ? [] : [`--${option}`, ...args];
      const run = await runClient([...update, ...given]);
      assert.equal(run.exitCode, 0, run.stderr);
      const [request] = run.requests;
      assert.deepEqual(
        [request?.method, request?.path, request?.body],
        ['PUT', '/2015-03-31/functions/f/configuration', sent],
      );
    });
  }
});

describe('the options of every operation', () => {
  for (const word of operationCommands) {
    test(`of ${word} are sent where the contract has them`, async () => {
      const operation = await loadOperation(word);
      assert.ok(operation !== undefined);
      const options = memberOptions(operation).map((option) => ({
        ...option,
        value: sampleOf(option.member, option.declaration.shape),
      }));
      const args = options.flatMap(({ name, declaration, value }) =>
        wordsOf(name, declaration.shape, value),
      );
      // Of one page, so that the members that turn pages are options like others.
      const run = await runClient(['lambda', word, '--no-paginate', ...args], {
        files: { archive },
        answer: () => ({ status: 200 }),
      });
      assert.equal(run.exitCode, 0, run.stderr);
      const [request] = run.requests;
      assert.ok(request !== undefined);
      for (const { member, declaration, value } of options)
        assert.deepEqual(arrived(operation, member, request), expected(declaration, value), member);
    });
  }

  test('that are booleans have their contraries', async () => {
    const args = ['lambda', 'update-function-code', '--function-name', 'f'];
    for (const [option, body] of [
      ['--publish', '{"Publish": true}'],
      ['--no-publish', '{"Publish": false}'],
      ['--no-dry-run', '{"DryRun": false}'],
    ] as const)
      assert.equal((await runClient([...args, option])).requests[0]?.body, body);
  });
});

/** The smallest that is a zip archive. */
const archive = Buffer.concat([Buffer.from([0x50, 0x4b, 5, 6]), Buffer.alloc(18)]);

/** A value of a shape as it stands in JSON: bytes are the archive's, in base64. */
function sampleOf(name: string, shape: Shape): unknown {
  switch (shape.type) {
    case 'string':
      return shape.values?.[0] ?? name.padEnd(shape.min ?? 0, '-');
    case 'integer':
    case 'long':
      return (shape.min ?? 0) + 1;
    case 'double':
      return (shape.min ?? 0) + 0.5;
    case 'boolean':
      return true;
    case 'timestamp':
      return '2026-01-02T00:00:00Z';
    case 'blob':
    case 'stream':
      return archive.toString('base64');
    case 'list':
      return Array.from({ length: Math.max(shape.min ?? 0, 2) }, () => sampleOf(name, shape.item));
    case 'map':
      return { Key: sampleOf('Value', shape.value) };
    case 'structure':
      return Object.fromEntries(
        Object.entries(shape.members)
          // The archive of a structure is given by an option of its own.
          .filter(([member]) => member !== 'ZipFile')
          .map(([member, { shape: inner }]) => [member, sampleOf(member, inner)]),
      );
  }
}

function wordsOf(option: string, { type }: Shape, value: unknown): string[] {
  if (type === 'boolean') return [`--${option}`];
  if (type === 'blob') return [`--${option}`, 'fileb://archive'];
  return [`--${option}`, typeof value === 'string' ? value : JSON.stringify(value)];
}

/** A member of the input as it appears in a request. */
function expected({ location, shape }: Member, value: unknown): unknown {
  switch (location.in) {
    case 'body':
      return shape.type === 'timestamp' ? Date.UTC(2026, 0, 2) / 1000 : value;
    case 'payload':
      return shape.type === 'structure' ? value : archive.toString('utf8');
    case 'path':
    case 'query':
    case 'header':
    case 'status':
      return [value].flat().map(String);
  }
}

/** What stands in a request for a member. */
function arrived({ path, input }: Operation, member: string, request: SentRequest): unknown {
  const url = new URL(request.path, 'http://service');
  const location = input.members[member]?.location;
  switch (location?.in) {
    case 'body':
      return new Map(Object.entries(JSON.parse(request.body))).get(member);
    case 'payload':
      return input.members[member]?.shape.type === 'structure'
        ? JSON.parse(request.body)
        : request.body;
    case 'query':
      return url.searchParams.getAll(location.name);
    case 'header':
      return [request.headers[location.name.toLowerCase()]];
    case 'path':
      return [decodeURIComponent(pathPattern(path, member).exec(url.pathname)?.[1] ?? '')];
    case 'status':
    case undefined:
      return undefined;
  }
}

/** Matches the paths of an operation and catches one member. */
function pathPattern(path: string, member: string): RegExp {
  const [fixed = ''] = path.split('?');
  const pieces = fixed.split(/(\{\w+\+?\})/).map((piece) => {
    if (piece === `{${member}}` || piece === `{${member}+}`) return '(.+)';
    return piece.startsWith('{') ? '.+' : RegExp.escape(piece);
  });
  return new RegExp(`^${pieces.join('')}$`);
}

function memberNames(shape: Shape | undefined): string[] {
  if (shape?.type === 'list') return memberNames(shape.item);
  if (shape?.type !== 'structure') return [];
  return Object.entries(shape.members).flatMap(([name, { shape: inner }]) => [
    name,
    ...memberNames(inner),
  ]);
}
