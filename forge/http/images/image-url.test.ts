import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { testSealing } from '../../testing/test-ports.ts';
import { createSignImageUrl, readImageUrl } from './image-url.ts';

describe('the URL of an image of another server', () => {
  const keys = testSealing();
  const partsOf = (imageUrl: string | undefined): { signature: string; encoded: string } => {
    const [, , , signature = '', encoded = ''] = (imageUrl ?? assert.fail()).split('/');
    return { signature, encoded };
  };

  test('is that of the same image in every text', () => {
    const sign = createSignImageUrl(keys);
    const imageUrl = sign('https://x.test/a b.png?c=1#part');
    assert.match(imageUrl ?? '', /^\/-\/image\/test-[0-9a-f]{64}\/[\w-]+$/);
    assert.equal(createSignImageUrl(keys)('https://x.test/a%20b.png?c=1'), imageUrl);
    const read = readImageUrl(keys, partsOf(imageUrl));
    assert.equal(read?.href, 'https://x.test/a%20b.png?c=1');
    const relative = readImageUrl(keys, partsOf(sign('//x.test/a.png')));
    assert.equal(relative?.href, 'https://x.test/a.png');
  });

  test('is none for what is no image of another server', () => {
    const sign = createSignImageUrl(keys);
    for (const imageUrl of [
      '/own.png',
      'own.png',
      'data:image/png;base64,AA',
      'ftp://x.test/a.png',
      'https:x.test/a.png',
      'https://user:word@x.test/a.png',
      'https://user@x.test/a.png',
      'https://',
      'https://[::',
      `https://x.test/${'a'.repeat(2048)}`,
      `https://x.test/${'ü'.repeat(1000)}`,
      '/lambda-url/x/',
      'javascript:alert(1)',
      '',
    ]) {
      assert.equal(sign(imageUrl), undefined, imageUrl);
    }
  });

  test('is refused unless this server has signed it', () => {
    const { signature, encoded } = partsOf(createSignImageUrl(keys)('https://x.test/a.png'));
    const other = Buffer.from('https://x.test/b.png').toString('base64url');
    const forged = partsOf(createSignImageUrl(testSealing())('https://x.test/a.png'));
    for (const parts of [
      { signature, encoded: other },
      { signature: forged.signature, encoded },
      { signature: signature.replace('test-', 'gone-'), encoded },
      { signature: signature.slice(0, -1), encoded },
      { signature: '', encoded },
      { signature: `test-${'0'.repeat(64)}`, encoded },
    ]) {
      assert.equal(readImageUrl(keys, parts), undefined, JSON.stringify(parts));
    }
  });
});
