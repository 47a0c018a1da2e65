import type { FirstCredentials } from '#forge/accounts/first-start.ts';
import type { AccessKeyPair } from '#functions/access-keys/administer-access-keys.ts';
import type { Isolation } from '#functions/launcher/isolation.ts';
import { urlAddress } from '#functions/urls/url-address.ts';
import type { Settings } from '#settings';

import type { Addresses } from './addresses.ts';

export interface Started {
  /** Made at the very first start. */
  readonly credentials: FirstCredentials | undefined;
  /** Made up, not chosen. */
  readonly accessKey: AccessKeyPair | undefined;
  readonly isolation: Isolation;
}

/** What a start prints: always the addresses, and once, at the very first start, the credentials that were made up. */
export function welcome(
  { baseUrl, urlDomain }: Pick<Addresses, 'baseUrl' | 'urlDomain'>,
  { credentials, accessKey, isolation }: Started,
  { admin, region }: Pick<Settings, 'admin' | 'region'>,
): string[] {
  const lines = [
    `Hob is ready at ${baseUrl}`,
    `  API base address   ${baseUrl}/api/v3`,
    `  functions          ${baseUrl}, region ${region}, isolated by tier "${isolation.tier}" (hob doctor tells more)`,
    `  function URLs      ${urlAddress({ baseUrl, urlDomain, region }, 'ID')}`,
  ];
  if (!credentials) return lines;
  const password = admin.password === undefined ? credentials.password : 'as you set it';
  const token = admin.token === undefined ? credentials.token : '$HOB_ADMIN_TOKEN';
  return [
    ...lines,
    '',
    'This is the first start: a site administrator was made. These are shown only now.',
    `  login              ${credentials.login}`,
    `  password           ${password}`,
    `  token              ${admin.token === undefined ? token : 'as you set it'}`,
    ...keyLines(accessKey),
    '',
    'Try it:',
    `  curl -H "Authorization: token ${token}" ${baseUrl}/api/v3/user`,
    '',
  ];
}

function keyLines(pair: AccessKeyPair | undefined): string[] {
  return pair
    ? [`  access key         ${pair.accessKeyId}`, `  its secret         ${pair.secretAccessKey}`]
    : ['  access key         as you set it'];
}
