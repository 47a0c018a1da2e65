import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CliError } from '../context/errors.ts';
import type { ProgramCall, ProgramResult } from '../programs/command-line.ts';
import { showOutput } from './show-output.ts';

const ended: ProgramResult = { kind: 'ended', status: 0, output: '', errors: '' };

function context(terminal: boolean, result: ProgramResult = ended, environment = {}) {
  const written: unknown[] = [];
  const calls: ProgramCall[] = [];
  return {
    written,
    calls,
    environment,
    isTerminal: { stdin: terminal, stdout: terminal, stderr: terminal },
    stdout: { write: (chunk: string | Uint8Array) => written.push(chunk) },
    showInProgram: async (call: ProgramCall) => {
      calls.push(call);
      return result;
    },
  };
}

describe('showing output', () => {
  it('refuses a pager that cannot be started', async () => {
    const failing = context(true, { kind: 'unstartable', message: 'no such program' });
    await assert.rejects(
      showOutput('text\n', { pager: 'nope', allowed: true }, failing),
      (error) =>
        error instanceof CliError &&
        error.exitCode === 253 &&
        error.message.startsWith(
          'Unable to redirect output to pager. Received the following error when opening pager:\nno such program\n\n',
        ),
    );
  });

  const unpaged = [
    { why: 'away from a terminal', terminal: false, paging: { pager: 'less', allowed: true } },
    { why: 'with --no-cli-pager', terminal: true, paging: { pager: 'less', allowed: false } },
    { why: 'with an empty pager', terminal: true, paging: { pager: '', allowed: true } },
  ];
  for (const { why, terminal, paging } of unpaged) {
    it(`writes at once ${why}`, async () => {
      const around = context(terminal);
      await showOutput('text\n', paging, around);
      assert.deepEqual([around.written, around.calls], [['text\n'], []]);
    });
  }

  it('starts no pager for nothing', async () => {
    const around = context(true);
    await showOutput('', { pager: 'less', allowed: true }, around);
    assert.deepEqual([around.written, around.calls], [[], []]);
  });

  it('splits the pager as a shell does and helps less', async () => {
    const around = context(true);
    await showOutput('text\n', { pager: `more -x 'a b' c\\ d "e\\"f"`, allowed: true }, around);
    assert.deepEqual(around.calls, [
      {
        program: 'more',
        args: ['-x', 'a b', 'c d', 'e"f'],
        environment: { LESS: 'FRX' },
        input: 'text\n',
      },
    ]);
  });

  it("leaves the user's own LESS alone", async () => {
    const around = context(true, ended, { LESS: 'R' });
    await showOutput('text\n', { pager: undefined, allowed: true }, around);
    assert.deepEqual(
      around.calls.map(({ program, environment }) => [program, environment['LESS']]),
      [['less', 'R']],
    );
  });
});
