import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { runClient } from '../testing/run-client.ts';

describe('configure', () => {
  test('refuses to write half a profile', async () => {
    const run = await runClient(['configure', '--access-key-id', 'AKIA'], {
      environment: { AWS_SECRET_ACCESS_KEY: undefined },
    });
    assert.equal(run.exitCode, 252);
    assert.match(run.stderr, /^\nSecret key is missing/);
  });

  test('keeps a server in a profile, and asks for what is missing', async () => {
    const folder = await import('node:fs/promises').then((fs) => fs.mkdtemp('/tmp/hob-configure-'));
    const environment = {
      AWS_ACCESS_KEY_ID: undefined,
      AWS_SECRET_ACCESS_KEY: undefined,
      AWS_CONFIG_FILE: `${folder}/config`,
      AWS_SHARED_CREDENTIALS_FILE: `${folder}/credentials`,
    };
    try {
      const run = await runClient(
        ['configure', '--profile', 'hob', '--endpoint-url', 'http://h:1', '--access-key-id', 'AK'],
        { environment, typed: ['SK'] },
      );
      assert.equal(run.exitCode, 0, run.stderr);
      assert.ok(run.stderr.includes('Secret key: ') && !run.stderr.includes('SK'));
      const config = await readFile(`${folder}/config`, 'utf8');
      assert.match(config, /\[profile hob\]\nregion = us-east-1\nendpoint_url = http:\/\/h:1\n/);
      const credentials = await readFile(`${folder}/credentials`, 'utf8');
      assert.match(credentials, /aws_access_key_id = AK\naws_secret_access_key = SK\n/);
    } finally {
      await import('node:fs/promises').then((fs) => fs.rm(folder, { recursive: true }));
    }
  });
});

describe('completion', () => {
  test('knows three shells', async () => {
    const run = await runClient(['completion', 'tcsh']);
    assert.equal(run.exitCode, 252);
    const none = await runClient(['completion']);
    assert.match(none.stderr, /the following arguments are required: shell/);
  });

  test('names every command and option in each', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await runClient(['completion', shell]);
      assert.match(stdout, /update-function-configuration/);
      assert.match(stdout, /memory-size/);
      assert.match(stdout, /function-updated-v2/);
      assert.match(stdout, /raw-in-base64-out/);
    }
  });

  test('is a script that bash takes and that completes', async () => {
    const { stdout } = await runClient(['completion', 'bash']);
    const ask = (args: string): string => {
      const line = `COMP_WORDS=(${args}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _hob; echo "\${COMPREPLY[*]}"`;
      const { stdout: answer, stderr } = spawnSync('bash', ['-c', `${stdout}\n${line}`], {
        encoding: 'utf8',
      });
      assert.equal(stderr, '');
      return answer.trim();
    };
    assert.equal(ask('hob fun'), 'functions');
    assert.equal(ask('hob lambda update-function-conf'), 'update-function-configuration');
    assert.equal(ask('hob lambda update-function-configuration --mem'), '--memory-size');
    assert.equal(ask('hob lambda wait function-up'), 'function-updated function-updated-v2');
    assert.equal(ask('hob lambda get-function --output ya'), 'yaml yaml-stream');
  });
});

describe('prompts', () => {
  const update = ['lambda', 'update-function-configuration', '--timeout', '5'];

  test('need a terminal', async () => {
    const run = await runClient([...update, '--cli-auto-prompt']);
    assert.equal(run.exitCode, 252);
    assert.match(run.stderr, /^Warning: Input is not a terminal \(fd=0\)\.\n/);
  });

  test('are not made when the user declines them', async () => {
    const run = await runClient([...update, '--no-cli-auto-prompt'], {
      environment: { AWS_CLI_AUTO_PROMPT: 'on' },
      typed: ['f'],
    });
    assert.equal(run.exitCode, 252);
  });

  test('ask for what is missing, show the command and run it', async () => {
    const run = await runClient([...update, '--cli-auto-prompt'], {
      typed: ["it's", '--handler "a b"'],
    });
    assert.equal(run.exitCode, 0, run.stderr);
    assert.match(
      run.stderr,
      /hob functions update-function-configuration --timeout 5 --function-name 'it'\\''s' --handler 'a b'\n/,
    );
    assert.equal(run.requests[0]?.body, '{"Handler": "a b", "Timeout": 5}');
  });

  test('in part ask only for what the command cannot do without', async () => {
    const run = await runClient(update, {
      environment: { AWS_CLI_AUTO_PROMPT: 'on-partial' },
      typed: ['f'],
    });
    assert.equal(run.exitCode, 0, run.stderr);
  });

  test('end with 130 when the input does', async () => {
    const run = await runClient([...update, '--cli-auto-prompt'], { typed: [] });
    assert.equal(run.exitCode, 130);
  });
});
