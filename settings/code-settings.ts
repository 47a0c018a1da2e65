import { resolve } from 'node:path';

import type { ArchivesLocation } from '#functions/code/archives/archives-location.ts';
import { matching, origin, type Parsed } from '#platform/setting-values.ts';

import type { Settings } from './setting-values.ts';
import type { Setting } from './setting.ts';

/** Where the archives of functions' code are. AWS's own names are not read: in many shells they name this server, as the README has it. */
export const codeSettingTable = {
  code: {
    variable: 'HOB_CODE',
    placeholder: 'FOLDER|s3://BUCKET/PREFIX',
    description: 'Store for code archives: an existing folder that all nodes mount, or S3',
    defaultValue: undefined,
    defaultLabel: 'the data directory, or that of --cluster-data',
    parse: store,
  } satisfies Setting<CodeStoreName | undefined>,
  codeEndpoint: {
    variable: 'HOB_CODE_ENDPOINT',
    placeholder: 'URL',
    description: 'S3-compatible endpoint of HOB_CODE',
    defaultValue: undefined,
    defaultLabel: 'that of AWS',
    parse: origin,
  } satisfies Setting<string | undefined>,
  codeRegion: {
    variable: 'HOB_CODE_REGION',
    placeholder: 'REGION',
    description: 'Region of the bucket of HOB_CODE',
    defaultValue: 'us-east-1',
    parse: matching(/^[a-z0-9-]{1,64}$/, 'a region like eu-central-1'),
  },
  codeAccessKeyId: {
    variable: 'HOB_CODE_ACCESS_KEY_ID',
    placeholder: 'ID',
    description: 'Access key for the bucket of HOB_CODE',
    defaultValue: undefined,
    defaultLabel: "those of the AWS SDK, such as the host's role",
    parse: matching(/^[!-~]+$/, 'printable ASCII'),
  } satisfies Setting<string | undefined>,
  codeSecretAccessKey: {
    variable: 'HOB_CODE_SECRET_ACCESS_KEY',
    placeholder: 'SECRET',
    description: 'Secret access key for the bucket of HOB_CODE',
    defaultValue: undefined,
    defaultLabel: 'as for the access key',
    secret: true,
    parse: matching(/^[!-~]+$/, 'printable ASCII'),
  } satisfies Setting<string | undefined>,
};

type CodeStoreName =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

/** Names that need no encoding anywhere: prefixes are parts of keys, paths and messages. */
const s3Url =
  /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?<prefix>(?:\/(?!\.{1,2}(?:\/|$))[\w.=-]{1,100}){0,8})\/?$/;

function store(text: string): Parsed<CodeStoreName> {
  const { bucket, prefix = '' } = s3Url.exec(text)?.groups ?? {};
  if (bucket !== undefined) {
    return { value: { kind: 's3', bucket, prefix: prefix === '' ? '' : `${prefix.slice(1)}/` } };
  }
  if (/^\/[^\0]*$/.test(text)) return { value: { kind: 'folder', folder: resolve(text) } };
  return {
    expected: 'an absolute path, or s3://BUCKET/PREFIX of letters, digits, ".", "_", "=", "-"',
  };
}

export function readCodeSettings(
  read: <T>(setting: Setting<T>) => T,
  problems: string[],
): ArchivesLocation | undefined {
  const { code, codeEndpoint, codeRegion, codeAccessKeyId, codeSecretAccessKey } = codeSettingTable;
  const name = read<CodeStoreName | undefined>(code);
  const endpoint = read<string | undefined>(codeEndpoint);
  const region = read(codeRegion);
  const id = read<string | undefined>(codeAccessKeyId);
  const secret = read<string | undefined>(codeSecretAccessKey);
  if ((id === undefined) !== (secret === undefined)) {
    problems.push(
      `${codeAccessKeyId.variable} and ${codeSecretAccessKey.variable} must be set together: set both, or neither.`,
    );
  }
  if (name?.kind === 's3') {
    const key = id === undefined || secret === undefined ? undefined : { id, secret };
    return { ...name, endpoint, region, key };
  }
  if (endpoint !== undefined || id !== undefined || secret !== undefined) {
    problems.push(
      `${codeEndpoint.variable} and the access key are of a bucket: set ${code.variable} to s3://….`,
    );
  }
  return name;
}

/** A reset would empty the database, and leave the store as that of another installation. */
export function codeProblems({ code, testControls }: Settings): string[] {
  if (code === undefined || testControls === 'off') return [];
  return ['--test-controls reset the data directory alone: remove HOB_CODE.'];
}
