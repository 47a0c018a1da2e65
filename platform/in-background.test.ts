import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startChild } from './child-process.ts';
import { inBackground } from './in-background.ts';

describe('work in the background', () => {
  it('reports its failure to its owner', async () => {
    const failed = Promise.withResolvers<unknown>();
    const error = new Error('no');
    inBackground(Promise.reject(error), failed.resolve);
    assert.equal(await failed.promise, error);
  });

  it('does not end the process by its failure, which goes to standard error', async () => {
    const module = JSON.stringify(new URL('in-background.ts', import.meta.url).href);
    const script = `
      const { inBackground } = await import(${module});
      inBackground(Promise.reject(new Error('a failure')));
      setTimeout(() => console.log('still here'), 1);`;
    const child = startChild({
      command: process.execPath,
      arguments: ['--input-type=module', '--eval', script],
      environment: {},
      directory: '/',
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const end = await child.ended;
    assert.deepEqual([end.status, output], [0, 'still here\n']);
    assert.match(errors, /^Error: a failure\n {4}at /);
  });
});
