import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

const program = join(import.meta.dirname, 'hob.ts');
const commands = [
  ['--help'],
  ['--version'],
  ['serve', '--help'],
  ['admin', '--help'],
  ['backup', '--help'],
  ['doctor', '--help'],
  ['runtimes', 'list'],
  ['functions', '--version'],
  ['functions', 'help'],
  ['completion', 'bash'],
];

async function end(
  words: readonly string[],
  stdout: 'pipe' | number,
): Promise<readonly [code: unknown, stderr: string]> {
  const options: SpawnOptions = { stdio: ['ignore', stdout, 'pipe'] };
  const child = spawn(process.execPath, [program, ...words], options);
  // Before the program has started: whatever it writes, no one reads.
  child.stdout?.destroy();
  assert.ok(child.stderr);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return [code, stderr];
}

async function examples(words: readonly string[]): Promise<readonly [unknown, string, string]> {
  const child = spawn('sh', [join(import.meta.dirname, 'hob'), 'examples', ...words]);
  const { stdout, stderr } = child;
  const [out, problem, [code]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(child, 'close'),
  ]);
  return [code, out, problem];
}

describe('a command of hob', { concurrency: 2 }, () => {
  for (const words of commands) {
    it(`whose output is closed ends silently, as by SIGPIPE: ${words.join(' ')}`, async () => {
      assert.deepEqual(await end(words, 'pipe'), [141, '']);
    });
  }

  const usage = 'Usage: hob examples forge|functions|pair [--help]\n';
  for (const words of [[], ['nothing'], ['forge', '--hlep']]) {
    it(`that names no example lists those that there are: ${words.join(' ')}`, async () => {
      assert.deepEqual(await examples(words), [2, '', usage]);
    });
  }

  it('has no examples outside of a clone, as in the npm package', async () => {
    const refused =
      'hob: the examples are shell scripts of the source code. Clone it, and run ./hob examples there.\n';
    assert.deepEqual(await end(['examples', 'pair'], 'pipe'), [2, refused]);
  });

  it('explains examples and runs none', async () => {
    assert.deepEqual(await examples(['--help']), [0, usage, '']);
    for (const name of ['forge', 'functions', 'pair']) {
      for (const option of ['--help', '-h']) {
        const [code, stdout, stderr] = await examples([name, option]);
        assert.deepEqual([code, stderr], [0, ''], name);
        assert.match(stdout, /^[A-Z][^#]*\n\n[^#]*hob serve[^#]*\n$/, name);
        assert.doesNotMatch(stdout, /set -eu|^ok /m, name);
      }
    }
  });

  it(
    'whose output cannot be written reports why',
    { skip: existsSync('/dev/full') ? false : 'needs /dev/full' },
    async () => {
      const full = openSync('/dev/full', 'w');
      try {
        const [code, stderr] = await end(['--help'], full);
        assert.equal(code, 1);
        assert.match(stderr, /^hob: cannot write to standard output: ENOSPC.*\n$/);
      } finally {
        closeSync(full);
      }
    },
  );
});
