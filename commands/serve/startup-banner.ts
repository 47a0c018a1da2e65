import type { FirstCredentials } from '#forge/auth/bootstrap-administrator.ts';
import { createUrls } from '#forge/json/urls.ts';
import type { SshHostKey } from '#forge/ports/ssh-port.ts';
import type { AccessKeyPair } from '#functions/access-keys/administer-access-keys.ts';
import type { Isolation } from '#functions/launcher/isolation.ts';
import { urlAddress } from '#functions/urls/url-address.ts';
import type { PublicUrls } from './public-urls.ts';
import type { Settings } from '#settings/setting-values.ts';

export interface Started {
  /** Made at the very first start. */
  readonly credentials: FirstCredentials | undefined;
  /** Made up, not chosen. */
  readonly accessKey: AccessKeyPair | undefined;
  readonly isolation: Pick<Isolation, 'tier'>;
}

/** What a start prints: always the URLs, and once, at the very first start, the credentials that were made up. */
export function welcome(
  {
    baseUrl,
    urlDomain,
    sshPort,
  }: Pick<PublicUrls, 'baseUrl' | 'urlDomain'> & Pick<Settings, 'sshPort'>,
  { credentials, accessKey, isolation }: Started,
  { admin, region, testControls }: Pick<Settings, 'admin' | 'region' | 'testControls'>,
  hostKeys: readonly SshHostKey[] = [],
): string[] {
  const lines = [
    `Hob is ready at ${baseUrl}`,
    `  API base address   ${baseUrl}/api/v3`,
    `  functions          ${baseUrl}, region ${region}, isolation tier "${isolation.tier}" (see hob doctor)`,
    `  function URLs      ${urlAddress({ baseUrl, urlDomain, region }, 'ID')}`,
    ...(sshPort === undefined
      ? []
      : [`  git over SSH       ${createUrls(baseUrl, sshPort).ssh('OWNER/REPOSITORY')}`]),
    ...hostKeys.map(
      ({ algorithm, fingerprint }) => `  host key           SHA256:${fingerprint} (${algorithm})`,
    ),
    ...(testControls === 'off'
      ? []
      : [`  test controls      ${baseUrl}/-/test: site administrators can reset this server`]),
  ];
  if (!credentials) return lines;
  const password =
    admin.password === undefined ? credentials.password : '(from HOB_ADMIN_PASSWORD)';
  const token = admin.token === undefined ? credentials.token : '$HOB_ADMIN_TOKEN';
  return [
    ...lines,
    '',
    'Created a site administrator. Save these credentials; they will not be shown again.',
    `  login              ${credentials.login}`,
    `  password           ${password}`,
    `  token              ${admin.token === undefined ? token : '(from HOB_ADMIN_TOKEN)'}`,
    ...keyLines(accessKey),
    '',
    'Try it:',
    `  curl -H "Authorization: token ${token}" ${baseUrl}/api/v3/user`,
    '',
  ];
}

function keyLines(pair: AccessKeyPair | undefined): string[] {
  return pair
    ? [`  access key         ${pair.accessKeyId}`, `  secret access key  ${pair.secretAccessKey}`]
    : ['  access key         (from HOB_ACCESS_KEY_ID)'];
}
