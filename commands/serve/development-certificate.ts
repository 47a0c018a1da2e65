import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';
import { startChild } from '#platform/child-process.ts';
import { OperatorError } from '#platform/operator-error.ts';

/** Paths of PEM files. */
export interface DevelopmentCertificate {
  /** What clients must trust. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const authorityFile = 'authority.pem';
const authorityDays = '3650';
/** Some clients take no certificate that lasts longer. */
const certificateDays = '825';

/**
 * Makes a certificate for this machine's loopback names in the folder `tls` of the data directory, hosts of function URLs
 * included. An authority that is there already signs the new one too, so that clients need to trust it only once.
 */
export async function makeDevelopmentCertificate(
  dataFolder: string,
  { region = 'us-east-1', command = 'openssl' }: { region?: string; command?: string } = {},
): Promise<DevelopmentCertificate> {
  const folder = join(dataFolder, 'tls');
  const file = (name: string): string => join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const openssl = (...args: readonly string[]): Promise<void> => run(command, folder, args);
  await writeFile(file('openssl.cnf'), configuration(region), { mode: 0o600 });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-sha256'];
  const common = ['-config', 'openssl.cnf', ...newKey];
  const signers = [authorityFile, 'authority-key.pem'] as const;
  if (!(await present(signers.map(file)))) {
    const subjectArgs = ['-subj', '/CN=Hob development authority'];
    const form = ['-x509', '-extensions', 'authority', '-days', authorityDays];
    const out = ['-out', signers[0], '-keyout', signers[1]];
    await openssl('req', ...common, ...form, ...subjectArgs, ...out);
  }
  const out = ['-out', 'request.pem', '-keyout', 'key.pem'];
  await openssl('req', ...common, '-subj', '/CN=localhost', ...out);
  const signing = ['-CA', signers[0], '-CAkey', signers[1], '-CAcreateserial', '-sha256'];
  const form = ['-extfile', 'openssl.cnf', '-extensions', 'server', '-days', certificateDays];
  await openssl(
    'x509',
    '-req',
    '-in',
    'request.pem',
    ...signing,
    ...form,
    '-out',
    'certificate.pem',
  );
  await rm(file('request.pem'), { force: true });
  await rm(file('openssl.cnf'), { force: true });
  return {
    authority: file(signers[0]),
    certificate: file('certificate.pem'),
    key: file('key.pem'),
  };
}

/** The certificate (PEM) of the authority above, where it has signed the given one; undefined: clients know the authority. */
export async function developmentAuthority(
  dataFolder: string,
  certificate: Buffer,
): Promise<string | undefined> {
  try {
    const authority = await readFile(join(dataFolder, 'tls', authorityFile));
    const [signed, signer] = [new X509Certificate(certificate), new X509Certificate(authority)];
    const isSigner = signed.checkIssued(signer) && signed.verify(signer.publicKey);
    return isSigner ? authority.toString() : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A wildcard is for one label only (RFC 6125, section 6.4.3). */
const configuration = (region: string): string => `[req]
distinguished_name = subject
[subject]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, DNS:*.localhost, DNS:*.lambda-url.${region}.localhost, IP:127.0.0.1, IP:::1
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
`;

async function present(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(paths.map((path) => stat(path)));
  return found.every(({ status }) => status === 'fulfilled');
}

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin',
  LC_ALL: 'C',
};

/** Node signs no certificates; openssl does, and is on every system that has git with HTTPS. */
async function run(command: string, folder: string, args: readonly string[]): Promise<void> {
  const child = startChild({ command, arguments: args, environment, directory: folder });
  child.stdin.end();
  child.stdout.resume();
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { status, startError } = await child.ended;
  if (startError) {
    throw new OperatorError(
      `The program "${command}", which creates certificates, was not found. Install OpenSSL, or use your own certificate with --tls-cert and --tls-key.`,
      { cause: startError },
    );
  }
  if (status === 0) return;
  const last = Buffer.concat(chunks).toString().trim().split('\n').at(-1) ?? '';
  throw new OperatorError(`openssl ${args[0] ?? ''} failed in ${folder}: ${last}`);
}
