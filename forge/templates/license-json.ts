import type { Json } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import { type License, licenseByKey, licenses } from './license-table.ts';
import { licenseText } from './license-texts.ts';

type Representation = { [field: string]: Json };

/** The licence that representations of repositories embed; null for a repository without one. */
export function representLicenseOf(key: string | null, urls: Urls): Json {
  if (key === null) return null;
  const license = licenseByKey(key);
  return license ? representLicense(license, urls) : unknownLicense;
}

const unknownLicense: Representation = {
  key: 'other',
  name: 'Other',
  spdx_id: 'NOASSERTION',
  url: null,
  node_id: nodeId('License', 0),
};

export function representLicense(license: License, urls: Urls): Representation {
  return {
    key: license.key,
    name: license.name,
    spdx_id: license.spdxId,
    url: urls.api(`/licenses/${license.key}`),
    node_id: nodeId('License', licenses.indexOf(license) + 1),
  };
}

/** With its text and what it means. */
export function representFullLicense(license: License, urls: Urls): Representation {
  return {
    ...representLicense(license, urls),
    html_url: `https://spdx.org/licenses/${license.spdxId}.html`,
    description: license.description,
    implementation: 'Put the text into a file LICENSE at the root, with your name and the year.',
    permissions: license.permissions,
    conditions: license.conditions,
    limitations: license.limitations,
    body: licenseText(license),
    featured: featured(license),
  };
}

export function featured({ key }: License): boolean {
  return key === 'mit' || key === 'apache-2.0' || key === 'gpl-3.0';
}
