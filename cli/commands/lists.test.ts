import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { runClient, type SentRequest } from '../testing/run-client.ts';

const list = ['lambda', 'list-functions', '--query', 'Functions[].FunctionName'];

/** Three pages of two. */
function answer({ path }: SentRequest): object {
  const page = Number(new URL(path, 'http://x').searchParams.get('Marker') ?? '0');
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].slice(page * 2, page * 2 + 2);
  return {
    Functions: names.map((name) => ({ FunctionName: name })),
    NextMarker: page < 2 ? String(page + 1) : null,
  };
}

describe('lists', () => {
  test('refuse pagination options when one page is wanted', async () => {
    for (const by of [['--no-paginate'], ['--marker', '1']]) {
      const run = await runClient([...list, ...by, '--page-size', '5'], { answer });
      assert.equal(run.exitCode, 252);
      assert.equal(
        run.stderr,
        '\nCannot specify --no-paginate along with pagination arguments: --page-size\n',
      );
      assert.deepEqual(run.requests, []);
    }
  });

  test('end when the service turns in a circle', async () => {
    const run = await runClient(list, { answer: () => ({ Functions: [], NextMarker: 'x' }) });
    assert.equal(run.exitCode, 255);
    assert.match(run.stderr, /same next token/);
  });

  test('are fetched to the last page', async () => {
    const run = await runClient([...list, '--page-size', '2'], { answer });
    assert.deepEqual(JSON.parse(run.stdout), ['a', 'b', 'c', 'd', 'e', 'f']);
    assert.deepEqual(
      run.requests.map(({ path }) => path),
      [
        '/2015-03-31/functions?MaxItems=2',
        '/2015-03-31/functions?Marker=1&MaxItems=2',
        '/2015-03-31/functions?Marker=2&MaxItems=2',
      ],
    );
  });

  test('go on where they were cut short, also within a page', async () => {
    const args = ['lambda', 'list-functions', '--query', '[Functions[].FunctionName,NextToken]'];
    const first = await runClient([...args, '--max-items', '3'], { answer });
    const [names, token]: [string[], string] = JSON.parse(first.stdout);
    assert.deepEqual(names, ['a', 'b', 'c']);
    const second = await runClient([...args, '--max-items', '3', '--starting-token', token], {
      answer,
    });
    const [others, end]: [string[], string | null] = JSON.parse(second.stdout);
    assert.deepEqual(others, ['d', 'e', 'f']);
    assert.equal(end, null);
  });

  test('are one page where the caller pages', async () => {
    for (const args of [
      ['--no-paginate'],
      ['--marker', '0'],
      ['--cli-input-json', '{"MaxItems":2}'],
    ]) {
      const run = await runClient(['lambda', 'list-functions', ...args], { answer });
      assert.equal(run.requests.length, 1);
      assert.equal(JSON.parse(run.stdout).NextMarker, '1');
    }
    const limited = await runClient(
      ['lambda', 'list-functions', '--no-paginate', '--max-items', '2'],
      { answer },
    );
    assert.equal(limited.requests[0]?.path, '/2015-03-31/functions?MaxItems=2');
    const second = await runClient(
      ['lambda', 'list-functions', '--marker', '1', '--max-items', '2'],
      { answer },
    );
    assert.equal(second.requests[0]?.path, '/2015-03-31/functions?Marker=1&MaxItems=2');
  });

  test('in formats for streams come page by page, each through the query', async () => {
    const run = await runClient([...list, '--output', 'text'], { answer });
    assert.equal(run.stdout, 'a\tb\nc\td\ne\tf\n');
  });
});
