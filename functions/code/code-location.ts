import type { KeyPorts } from '../keys/key-ring.ts';
import type { SystemPorts } from '../ports/system-ports.ts';

/** Validity of a link that downloads a function's code, as on AWS. */
const linkMilliseconds = 10 * 60 * 1000;
const context = 'link to an archive';

/** The path under which archives are downloaded; a token follows it. */
export const codeArchivesPath = '/2015-03-31/code-archives/';

/** A link that downloads an archive without credentials, for a limited time. */
export function codeLocation(
  {
    serviceKey,
    clock,
    settings,
  }: Pick<SystemPorts, 'clock' | 'settings'> & Pick<KeyPorts, 'serviceKey'>,
  sha256: string,
): string {
  const plain = Buffer.from(JSON.stringify([sha256, clock.now() + linkMilliseconds]));
  const token = Buffer.from(serviceKey.seal(plain, context)).toString('base64url');
  return `${settings.baseUrl}${codeArchivesPath}${token}`;
}

/** The hash of a link's archive; undefined when the link is not ours or has expired. */
export function readCodeLocation(
  { serviceKey, clock }: Pick<SystemPorts, 'clock'> & Pick<KeyPorts, 'serviceKey'>,
  token: string,
): string | undefined {
  const plain = serviceKey.unseal(Buffer.from(token, 'base64url').toString(), context);
  if (!plain) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed by this file, and authentic
  const [sha256, expires] = JSON.parse(plain.toString()) as [string, number];
  return expires > clock.now() ? sha256 : undefined;
}
