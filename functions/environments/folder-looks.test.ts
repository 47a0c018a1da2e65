import assert from 'node:assert/strict';
import { it } from 'node:test';

import { FolderLooks } from './folder-looks.ts';

it('looks at file systems that hang take two threads at most, and end for those who wait', async () => {
  const hung = Promise.withResolvers<boolean>();
  const asked: string[] = [];
  const looks = new FolderLooks({
    waitMilliseconds: 1,
    look(path) {
      asked.push(path);
      return path.startsWith('/hung') ? hung.promise : Promise.resolve(path === '/there');
    },
  });
  const answers = (...paths: readonly string[]): Promise<readonly (boolean | undefined)[]> =>
    Promise.all(paths.map((path) => looks.isThere(path)));
  assert.deepEqual(await answers('/there', '/absent', '/there'), [true, false, true]);
  asked.length = 0;
  assert.deepEqual(await answers('/hung', '/hung'), [undefined, undefined]);
  assert.deepEqual(await answers('/hung', '/there'), [undefined, true]);
  assert.deepEqual(await answers('/hung-too', '/hung-as-well', '/there'), [
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(asked, ['/hung', '/there', '/hung-too']);
  hung.resolve(true);
  assert.deepEqual(await answers('/hung', '/there'), [true, true]);
});
