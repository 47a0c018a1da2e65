import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { detectLicense, licenseFileOf } from './detect-license.ts';
import { licenseByKey, licenses } from './license-table.ts';
import { filledLicense, licenseText } from './license-texts.ts';

describe('the licence of a text', () => {
  test('is found for every licence, with any owner, case and line breaks', () => {
    for (const license of licenses) {
      const text = filledLicense(license, 'Ada Lovelace & "$&" Sons', 1843);
      assert.equal(detectLicense(text), license.key);
      assert.equal(detectLicense(text.replaceAll('\n', '\r\n')), license.key, 'CRLF');
      assert.equal(detectLicense(text.replaceAll(/\n(?!\n)/g, ' \n')), license.key, 'spaces');
    }
  });

  test('is found without the appendix of a licence', () => {
    const apache = licenseByKey('Apache-2.0') ?? assert.fail();
    const [terms = ''] = licenseText(apache).split('APPENDIX');
    assert.equal(detectLicense(terms), 'apache-2.0');
  });

  test('is another one when terms were added or are missing', () => {
    const mit = licenseText(licenseByKey('mit') ?? assert.fail());
    const bsd = licenseText(licenseByKey('bsd-3-clause') ?? assert.fail());
    assert.equal(
      detectLicense(`${mit}\nThe Software must not be used for evil purposes.`),
      'other',
    );
    assert.equal(detectLicense(bsd.replace(/3\. Neither[^]*permission\.\n/, '')), 'bsd-2-clause');
    assert.equal(detectLicense(`${mit}\n${bsd}`), 'other');
    assert.equal(detectLicense('All rights reserved.'), 'other');
    assert.equal(detectLicense(''), 'other');
  });

  test('is in the file with the most telling name at the root', () => {
    const file = (paths: string[]): string | undefined =>
      licenseFileOf(paths.map((path) => ({ path, type: 'blob' })))?.path;
    assert.equal(file(['COPYING', 'LICENSE-MIT', 'LICENSE.md', 'a/LICENSE']), 'LICENSE.md');
    assert.equal(file(['licence', 'LICENSE.txt']), 'licence');
    assert.equal(file(['UNLICENSE']), 'UNLICENSE');
    assert.equal(file(['a/LICENSE', 'license_test.go', 'LICENSES']), undefined);
    assert.equal(licenseFileOf([{ path: 'LICENSE', type: 'tree' }]), undefined);
  });
});
