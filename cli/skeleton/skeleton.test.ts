import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parse } from 'yaml';

import { operationCommands } from '../operations/operations.ts';
import { runClient } from '../testing/run-client.ts';

const skeleton = (command: string, ...kind: string[]): Promise<string> =>
  runClient(['lambda', command, '--generate-cli-skeleton', ...kind]).then((run) => {
    assert.equal(run.exitCode, 0, run.stderr);
    assert.deepEqual(run.requests, []);
    return run.stdout;
  });

describe('skeletons', () => {
  test('show every member, the first value of each enumeration, and zeros', async () => {
    const text = await skeleton('update-function-configuration');
    const lines = text.split('\n');
    assert.equal(lines[0], '{');
    assert.equal(lines[1], '    "FunctionName": "",');
    for (const line of [
      '"Runtime": "nodejs",',
      '"Mode": "Active"',
      '"Timeout": 0,',
      '"KeyName": ""',
    ])
      assert.ok(text.includes(line), line);
    assert.ok(text.includes('"ExecutionEnvironmentMemoryGiBPerVCpu": 0.0'));
  });

  test('need no region, credentials or required options', async () => {
    const run = await runClient(['lambda', 'get-function', '--generate-cli-skeleton'], {
      environment: { AWS_DEFAULT_REGION: undefined, AWS_ACCESS_KEY_ID: undefined },
    });
    assert.equal(run.exitCode, 0);
  });

  test('of both kinds say the same', async () => {
    for (const command of operationCommands) {
      const json: unknown = JSON.parse(await skeleton(command, 'input'));
      const yaml: unknown = parse(await skeleton(command, 'yaml-input'), (_, value: unknown) =>
        value instanceof Uint8Array ? '' : value,
      );
      assert.deepEqual(yaml ?? {}, json, command);
    }
  });

  test('in YAML explain each member', async () => {
    const lines = (await skeleton('update-function-configuration', 'yaml-input')).split('\n');
    assert.match(lines[0] ?? '', /^FunctionName: '' {2}# \[REQUIRED\] /);
    assert.ok(lines.some((line) => / # .*Valid values are: Active, PassThrough\.$/.test(line)));
    assert.ok(lines.includes('Layers: # ARNs of layer versions, applied in this order.'));
    assert.ok(lines.includes("- ''"));
  });

  test('are accepted as input, but for zeros and empty texts where the service has minima', async () => {
    for (const command of operationCommands) {
      for (const [kind, option] of [
        ['input', '--cli-input-json'],
        ['yaml-input', '--cli-input-yaml'],
      ] as const) {
        const run = await runClient(['lambda', command, option, await skeleton(command, kind)]);
        const problems = run.exitCode === 0 ? [] : run.stderr.trim().split('\n').slice(1);
        for (const problem of problems)
          assert.match(
            problem,
            /^Invalid (length|value) for parameter /,
            `${command}: ${run.stderr}`,
          );
      }
    }
  });

  test('are sent as input once every zero and every empty text is filled in', async () => {
    for (const command of operationCommands) {
      const filled = JSON.parse(await skeleton(command, 'input'), (_, value: unknown) => {
        if (value === '') return 'x'.repeat(64);
        return value === 0 ? 65_536 : value;
      });
      const run = await runClient(['lambda', command, '--cli-input-json', JSON.stringify(filled)], {
        answer: () => ({ status: 200 }),
      });
      assert.equal(run.exitCode, 0, `${command}: ${run.stderr}`);
      assert.equal(run.requests.length, 1);
    }
  });

  test('of the answer need a valid input, and are no request', async () => {
    const args = ['lambda', 'update-function-configuration', '--generate-cli-skeleton', 'output'];
    const missing = await runClient(args);
    assert.equal(missing.exitCode, 252);
    const invalid = await runClient([...args, '--function-name', 'f', '--timeout', '0']);
    assert.match(invalid.stderr, /valid min value: 1/);
    const sample = await runClient([...args, '--function-name', 'f', '--query', '[Runtime,State]']);
    assert.deepEqual(JSON.parse(sample.stdout), ['Runtime', 'Pending']);
    assert.deepEqual(sample.requests, []);
  });
});
