import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ownFunctionUrl } from './own-function-url.ts';

const urlId = 'abcdefgh'.repeat(4);
const settings = {
  baseUrl: 'https://code.example.com',
  loopbackBaseUrls: new Map<string, string>(),
  region: 'us-east-1',
  urlDomain: undefined,
};

const find = (given: Partial<Parameters<typeof ownFunctionUrl>[0]>, url: string) =>
  ownFunctionUrl({ ...settings, ...given }, new URL(url));

describe('function URLs of this server', () => {
  it('are paths on its origin', () => {
    const found = find({}, `https://code.example.com/lambda-url/${urlId}/a?b=c`);
    assert.deepEqual(found, { urlId, path: '/a?b=c', form: 'path' });
    for (const other of [
      `http://code.example.com/lambda-url/${urlId}/`,
      `https://code.example.com:8443/lambda-url/${urlId}/`,
      `https://code.example.com.example.net/lambda-url/${urlId}/`,
      `https://code.example.com/lambda-urls/${urlId}/`,
      `https://code.example.com/${urlId}`,
    ]) {
      assert.equal(find({}, other), undefined, other);
    }
  });

  it('are hosts in its domain', () => {
    const urlDomain = 'functions.example.com';
    const host = `${urlId}.lambda-url.us-east-1.${urlDomain}`;
    assert.deepEqual(find({ urlDomain }, `https://${host.toUpperCase()}/a`), {
      urlId,
      path: '/a',
      form: 'host',
    });
    for (const other of [
      `http://${host}/`,
      `https://${host}:8443/`,
      `https://${urlId}.lambda-url.eu-west-1.${urlDomain}/`,
      `https://${host}.example.net/`,
    ]) {
      assert.equal(find({ urlDomain }, other), undefined, other);
    }
    // Without a domain of its own, this is a function URL of AWS.
    const ofAws = `https://${urlId}.lambda-url.us-east-1.on.aws/`;
    assert.equal(find({}, ofAws), undefined);
    assert.equal(find({ urlDomain }, ofAws), undefined);
  });
});
