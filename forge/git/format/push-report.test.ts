import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { formatSideband, readPackets } from './pkt-line.ts';
import { PushReport } from './push-report.ts';

describe('what git says of a push', () => {
  test('does not name the folder of the repository', () => {
    const report = new PushReport(true, '/srv/hob/repositories/01/1.git');
    const output = "fatal: sha1 file '/srv/hob/repositories/01/1.git/objects/tmp' write error\n";
    const passed = report.take(formatSideband(2, Buffer.from(output)));
    assert.deepEqual(
      readPackets(passed).map((content) => content.toString()),
      ["\u0002fatal: sha1 file 'objects/tmp' write error\n"],
    );
  });
});
