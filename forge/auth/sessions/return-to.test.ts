import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { safeReturn } from './return-to.ts';

describe('where a sign-in leads back to', () => {
  test('another server is never gone to, however it is written', () => {
    for (const text of [
      'https://evil.example/',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '/\\/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      '/\t/evil.example',
      '\n//evil.example',
      'javascript:alert(1)',
      'evil.example',
      '@evil.example',
      '',
      `/${'a'.repeat(5000)}`,
    ]) {
      assert.equal(safeReturn(text, '/home'), '/home', JSON.stringify(text));
    }
    assert.equal(safeReturn(null, '/home'), '/home');
  });

  test('a path of this server is returned with its query, and cannot split headers', () => {
    assert.equal(safeReturn('/own/tools?x=1&y=%2F', '/home'), '/own/tools?x=1&y=%2F');
    assert.equal(safeReturn('/a\r\nSet-Cookie: x', '/home'), '/aSet-Cookie:%20x');
    assert.equal(safeReturn('/login@evil.example', '/home'), '/login@evil.example');
  });
});
