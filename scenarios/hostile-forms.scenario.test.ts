import { test } from 'node:test';

import { sendHostileForms } from '../forge/web/testing/hostile-forms.ts';

test('3,000 forms full of hostile texts are answered', { timeout: 900_000 }, async () => {
  await sendHostileForms(3000, 7);
});
