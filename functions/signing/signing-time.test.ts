import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { basicTime, checkSigningTime, readSigningTime } from './signing-time.ts';

const noon = Date.UTC(2026, 0, 2, 12);

describe('the time of a signature', () => {
  test('is read in basic format', () => {
    const text = '20260102T120000Z';
    assert.deepEqual(readSigningTime(text, false), { text, milliseconds: noon });
    assert.equal(basicTime(noon), text);
  });

  test('is read as HTTP spells it in the Date header only', () => {
    const http = 'Fri, 02 Jan 2026 12:00:00 GMT';
    assert.equal(readSigningTime(http, true).text, '20260102T120000Z');
    assert.throws(() => readSigningTime(http, false), /basic format/);
  });

  for (const text of [
    '',
    'now',
    '2026-01-02T12:00:00Z',
    '20260102T120000',
    '20260231T120000Z',
    '20261301T120000Z',
    '20260102T240000Z',
    '20260102T126000Z',
    '20260102T120060Z',
    '20260100T120000Z',
    'Fri, 2 Jan 2026 12:00:00 GMT',
    'Fri, 99 Abc 2026 12:00:00 GMT',
  ]) {
    test(`is refused: ${JSON.stringify(text)}`, () => {
      assert.throws(() => readSigningTime(text, true), /Date must be in ISO-8601/);
    });
  }

  test('may be five minutes from ours', () => {
    const signed = { text: basicTime(noon), milliseconds: noon };
    const minutes = (count: number): number => noon + count * 60_000;
    checkSigningTime(signed, minutes(5), undefined);
    checkSigningTime(signed, minutes(-5), undefined);
    assert.throws(() => checkSigningTime(signed, minutes(5) + 1, undefined), /Signature expired/);
    assert.throws(
      () => checkSigningTime(signed, minutes(-5) - 1, undefined),
      /Signature not yet current/,
    );
  });

  test('of a presigned request is valid for as long as it states', () => {
    const signed = { text: basicTime(noon), milliseconds: noon };
    checkSigningTime(signed, noon + 3_600_000, 3600);
    assert.throws(
      () => checkSigningTime(signed, noon + 3_600_001, 3600),
      /Signature expired: 20260102T120000Z is now earlier than .* - 3600 s\.\)/,
    );
  });
});
