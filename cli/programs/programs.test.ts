import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { splitCommandLine } from './command-line.ts';
import { runSystemProgram, showInProgram } from './system-programs.ts';

const node = process.execPath;
const environment = { GREETING: 'hello' };

describe('other programs', () => {
  const missing = { program: '/nowhere/tool', args: [], environment, input: '' };
  const unstartable = {
    kind: 'unstartable',
    message: "[Errno 2] No such file or directory: '/nowhere/tool'",
  };

  it('may be missing', async () => {
    assert.deepEqual(await runSystemProgram(missing), unstartable);
    assert.deepEqual(await showInProgram(missing), unstartable);
  });

  it('may refuse', async () => {
    const script = 'process.stderr.write("locked"); process.exitCode = 3;';
    const call = { program: node, args: ['-e', script], environment, input: 'unread' };
    assert.deepEqual(await runSystemProgram(call), {
      kind: 'ended',
      status: 3,
      output: '',
      errors: 'locked',
    });
  });

  it('get their arguments, their environment and their input', async () => {
    const script =
      'process.stdin.on("data", (text) => process.stdout.write(process.env.GREETING + process.argv[1] + text))';
    const call = { program: node, args: ['-e', script, ' a b '], environment, input: 'input' };
    const result = await runSystemProgram(call);
    assert.deepEqual(result, { kind: 'ended', status: 0, output: 'hello a b input', errors: '' });
  });

  it('may leave before they read all, as a pager does', async () => {
    const call = { program: node, args: ['-e', '0'], environment, input: 'x'.repeat(1_000_000) };
    assert.equal((await showInProgram(call)).kind, 'ended');
  });
});

describe('the arguments of a command line', () => {
  const lines: readonly (readonly [line: string, args: readonly string[]])[] = [
    ['', []],
    ['  less   -R ', ['less', '-R']],
    [`a'b c'"d e"f\\ g`, ['ab cd ef g']],
    [`''`, ['']],
    [`"a\\"b\\n"`, ['a"b\\n']],
    [`'unclosed a`, ["'unclosed", 'a']],
  ];
  for (const [line, args] of lines) {
    it(`of ${JSON.stringify(line)}`, () => assert.deepEqual(splitCommandLine(line), args));
  }

  it('come back when they are quoted', () => {
    const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string()), (args) => {
        assert.deepEqual(splitCommandLine(args.map(quoted).join(' ')), args);
      }),
    );
  });
});
