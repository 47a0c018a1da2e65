import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { RefusalError } from '../errors/api-error.ts';
import { readStatusInput } from './status-input.ts';

describe('what a status says', () => {
  it('is refused for every field that does not fit, all at once', () => {
    assert.deepEqual(
      messages({
        state: 'great',
        target_url: 'ftp://ci.test',
        description: 'd'.repeat(141),
        context: 'c'.repeat(256),
      }),
      [
        'state is not included in the list',
        'target_url must use http(s) scheme',
        'description is too long (maximum is 140 characters)',
        'context is too long (maximum is 255 characters)',
      ],
    );
  });

  it('needs a state', () => {
    assert.deepEqual(messages({}), ['state is not included in the list']);
    assert.deepEqual(messages({ state: null }), ['state is not included in the list']);
    assert.deepEqual(messages({ state: 'Success' }), ['state is not included in the list']);
  });

  it('links to web URLs only', () => {
    assert.deepEqual(urlMessages('javascript:alert(1)'), ['target_url must use http(s) scheme']);
    assert.deepEqual(urlMessages('ci.test/1'), ['target_url must use http(s) scheme']);
    assert.deepEqual(urlMessages('http://'), ['target_url is not a valid URL']);
    assert.deepEqual(urlMessages(`http://ci.test/${'x'.repeat(4096)}`), [
      'target_url is too long (maximum is 4096 characters)',
    ]);
    assert.deepEqual(urlMessages('HTTPS://ci.test/build?id=1#log'), []);
  });

  it('may be as long as the limits say, counted in characters', () => {
    assert.deepEqual(
      messages({ state: 'error', description: '🙂'.repeat(140), context: 'c'.repeat(255) }),
      [],
    );
    assert.equal(messages({ state: 'error', description: '🙂'.repeat(141) }).length, 1);
  });

  it('has null where it is blank, and the default context', () => {
    const blank = { target_url: '', description: '', context: '' };
    const absent = { target_url: null, description: null, context: null };
    for (const body of [blank, absent, {}]) {
      assert.deepEqual(readStatusInput({ state: 'pending', ...body }), {
        state: 'pending',
        targetUrl: null,
        description: null,
        context: 'default',
      });
    }
  });
});

function messages(body: Parameters<typeof readStatusInput>[0]): (string | undefined)[] {
  try {
    readStatusInput(body);
  } catch (error) {
    assert.ok(error instanceof RefusalError);
    assert.ok(error.refusal.kind === 'validation-failed');
    return error.refusal.errors.map((item) => item.message);
  }
  return [];
}

function urlMessages(url: string): (string | undefined)[] {
  return messages({ state: 'success', target_url: url });
}
