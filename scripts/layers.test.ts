import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { layerProblems, layersPage } from './layers.ts';

describe('layers', () => {
  it('refuse an import of a higher layer', () => {
    const [problem] = layerProblems('forge/accounts/account-store.ts', [
      'forge/webhooks/webhook.ts',
    ]);
    assert.match(
      problem ?? '',
      /^imports forge\/webhooks\/webhook\.ts: webhooks does not stand below accounts/,
    );
  });

  it('refuse an import of what stands later on the same layer', () => {
    assert.equal(
      layerProblems('forge/labels/label-store.ts', ['forge/issues/issue-store.ts']).length,
      1,
    );
  });

  it('refuse an import of the files of the part itself', () => {
    assert.equal(layerProblems('forge/http/endpoint-result.ts', ['forge/routes.ts']).length, 1);
  });

  it('refuse a folder that has no layer', () => {
    assert.deepEqual(layerProblems('forge/news/news.ts', []), [
      'news has no layer: give it one in scripts/layers.ts.',
    ]);
  });

  it('allow lower layers, the own folder and other parts', () => {
    const imports = ['forge/model/issue.ts', 'forge/issues/issue-store.ts', 'platform/clock.ts'];
    assert.deepEqual(layerProblems('forge/issues/update-issue.ts', imports), []);
  });

  it('put all route files above what they use', () => {
    assert.deepEqual(
      layerProblems('forge/labels/label-routes.ts', ['forge/webhooks/webhook.ts']),
      [],
    );
    assert.equal(
      layerProblems('forge/webhooks/webhook.ts', ['forge/labels/label-routes.ts']).length,
      1,
    );
  });

  it('give a folder without an entry the layer of the one it is in', () => {
    assert.deepEqual(layerProblems('forge/http/testing/a.ts', ['forge/model/issue.ts']), []);
  });

  it('become a picture, the highest layer first', () => {
    const page = layersPage('<!-- layers of platform -->\nold\n<!-- end -->');
    assert.match(page, /platform {2}\(its own files\) sigv4 redis database zip/);
    assert.doesNotMatch(page, /old/);
  });
});
