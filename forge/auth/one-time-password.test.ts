import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  base32,
  enrolmentUrl,
  matchingStep,
  oneTimePassword,
  stepAt,
} from './one-time-password.ts';

const secret = Buffer.from('12345678901234567890');

test('a code of another time, another secret or another length matches nothing', () => {
  const now = Date.UTC(2026, 0, 5, 9, 30);
  const code = oneTimePassword(secret, stepAt(now));
  assert.equal(matchingStep(secret, code, now + 61_000), undefined);
  assert.equal(matchingStep(secret, code, now - 31_000), undefined);
  assert.equal(matchingStep(Buffer.alloc(20), code, now), undefined);
  for (const odd of ['', `${code}0`, code.slice(1), 'abcdef', '١٢٣٤٥٦']) {
    assert.equal(matchingStep(secret, odd, now), undefined, odd);
  }
});

test('a code is good for its step and one more on either side', () => {
  const now = Date.UTC(2026, 0, 5, 9, 30);
  const step = stepAt(now);
  const code = oneTimePassword(secret, step);
  for (const at of [now, now + 29_999, now + 59_999, now - 30_000]) {
    assert.equal(matchingStep(secret, code, at), step, String(at - now));
  }
});

test('codes are those of the examples in RFC 6238, appendix B', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const) {
    assert.equal(oneTimePassword(secret, stepAt(seconds * 1000)), code, String(seconds));
  }
});

test('secrets are encoded as in the examples of RFC 4648', () => {
  assert.equal(base32(Buffer.from('foobarfoob')), 'MZXW6YTBOJTG633C');
  assert.equal(
    enrolmentUrl('own', Buffer.from('fooba')),
    'otpauth://totp/Hob:own?secret=MZXW6YTB&issuer=Hob',
  );
});
