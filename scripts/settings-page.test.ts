import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { settingsPage } from './settings-page.ts';

describe('docs/settings.md', () => {
  const page =
    'Before.\n<!-- settings of the server -->\nstale\n<!-- end -->\nBetween.\n<!-- settings of functions -->\n<!-- end -->\nAfter.\n';

  test('has the tables of the program and keeps the text around them', () => {
    const written = settingsPage(page);
    assert.doesNotMatch(written, /stale/);
    assert.match(written, /^Before\.\n<!-- settings of the server -->\n\n\| Flag /);
    assert.match(written, /\n\| `--port` \| `HOB_PORT` \| `PORT` \| 3000 \| TCP port; /);
    assert.match(written, /\n\| \| `HOB_ABUSE_LIMITS` \| `on\\\|off` \| on \| /);
    assert.match(written, /\n<!-- end -->\nBetween\.\n/);
    assert.match(written, /Between\.[^]*\n\| \| `HOB_REGION` \|[^]*\nAfter\.\n$/);
    assert.equal(settingsPage(written), written);
  });
});
