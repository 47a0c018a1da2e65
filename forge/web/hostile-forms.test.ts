import { test } from 'node:test';

import { sendHostileForms } from './testing/hostile-forms.ts';

test('forms full of hostile texts are answered', async () => {
  await sendHostileForms(500, 20_261_123);
});
