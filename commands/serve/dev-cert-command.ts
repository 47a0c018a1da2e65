import { openDataDirectory } from '#platform/data-directory.ts';
import { readSettings } from '#settings/settings.ts';

import { makeDevelopmentCertificate } from './development-certificate.ts';

const usage = `Usage: hob dev-cert [--data FOLDER]

Creates a certificate for localhost, its subdomains, 127.0.0.1 and ::1. A certificate authority in the data directory signs it; the
first run creates that authority. For development only: clients must trust the authority. Requires the openssl program.
`;

/** `hob dev-cert`. Resolves with the exit code. */
export async function runDevCert(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return 0;
  }
  const read = readSettings(args);
  if (read.kind === 'problems') {
    for (const problem of read.problems) process.stderr.write(`hob: ${problem}\n`);
    return 2;
  }
  const data = await openDataDirectory(read.settings.data);
  const created = await makeDevelopmentCertificate(data.path, read.settings);
  const lines = [
    `  authority     ${created.authority}`,
    `  certificate   ${created.certificate}`,
    `  key           ${created.key}`,
    '',
    'To serve HTTPS:',
    `  ./hob serve --tls-cert ${quoted(created.certificate)} --tls-key ${quoted(created.key)}`,
    '',
    'To make clients trust it:',
    `  export SSL_CERT_FILE=${quoted(created.authority)} GIT_SSL_CAINFO=${quoted(created.authority)}`,
    `  export NODE_EXTRA_CA_CERTS=${quoted(created.authority)} REQUESTS_CA_BUNDLE=${quoted(created.authority)}`,
    `  curl --cacert ${quoted(created.authority)} …`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function quoted(path: string): string {
  return /^[\w./@%+:-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
