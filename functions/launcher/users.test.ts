import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { userRunning } from './testing/host-processes.ts';
import { startTestLauncher } from './testing/test-launcher.ts';
import { UserRange } from './users.ts';

describe('users of programs', { skip: process.platform === 'linux' ? false : 'Linux only' }, () => {
  test('are never those of another server, whatever its folder is called', async () => {
    const ranges = await Promise.all(
      ['/data', '/data', '/other'].map((folder) => UserRange.claim(folder)),
    );
    const users = ranges.flatMap((range) => [range.first, range.next(), range.next()]);
    assert.equal(new Set(users).size, users.length);
    for (const user of users) assert.ok(user > 1_879_048_192 && user < 2 ** 31 - 1, `${user}`);
  });

  test('are others in two launchers at once', async (context) => {
    const launchers = await Promise.all([startTestLauncher(), startTestLauncher()]);
    const users = await Promise.all(
      launchers.map(async (t, index) => {
        const place = await t.open();
        const waits = `echo here; sleep 4321${index}; :`;
        await place.start(t.program(waits));
        await t.printed('here');
        return userRunning(`/bin/sh\x00-c\x00${waits}`);
      }),
    );
    const shared = launchers.some(
      ({ launcher }) => launcher.isolation.enforcement.user.strength !== 'full',
    );
    await Promise.all(launchers.map((t) => t.close()));
    if (shared) return context.skip('places have no users of their own here');
    assert.notEqual(users[0], users[1]);
    assert.ok(
      users.every((user) => user > 1_900_000_000),
      users.join(),
    );
  });
});
