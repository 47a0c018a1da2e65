import { join } from 'node:path';

import type { Environment } from './profile.ts';
import { type IniFile, type IniSection, parseIniFile } from './ini-file.ts';

// An ES import of node:fs reads each of its exports, which takes longer than reading both files.
const { readFileSync } = process.getBuiltinModule('node:fs');

export interface ProfilePaths {
  readonly config: string;
  readonly credentials: string;
}

export interface ProfileFiles {
  readonly config: IniFile;
  readonly credentials: IniFile;
}

/** The two files that AWS tools share, or others that variables name. */
export function profilePaths(environment: Environment, home: string): ProfilePaths {
  const inHome = (path: string): string => path.replace(/^~(?=\/|$)/, home);
  return {
    config: inHome(environment['AWS_CONFIG_FILE'] || join(home, '.aws', 'config')),
    credentials: inHome(
      environment['AWS_SHARED_CREDENTIALS_FILE'] || join(home, '.aws', 'credentials'),
    ),
  };
}

/** Both files; one that does not exist, or is a folder, is empty, as for the AWS CLI. Read synchronously: the client has nothing else to do. */
export function readProfileFiles({ config, credentials }: ProfilePaths): ProfileFiles {
  return { config: readIniFile(config), credentials: readIniFile(credentials) };
}

function readIniFile(path: string): IniFile {
  try {
    return parseIniFile(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (isAbsent(error)) return new Map();
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].includes(error.code)
  );
}

/** What the config file says of a profile. */
export function configSection({ config }: ProfileFiles, profile: string): IniSection | undefined {
  const section = findSection(config, 'profile', profile);
  return profile === 'default' ? (section ?? config.get('default')) : section;
}

/** `[profile x]`, `[services x]`: the name may stand in quotes. */
export function findSection(file: IniFile, kind: string, name: string): IniSection | undefined {
  for (const [title, section] of file) {
    const [first = '', ...rest] = title.split(/\s+/);
    const named = rest.join(' ').replace(/^(["'])(.*)\1$/, '$2');
    if (first === kind && named === name) return section;
  }
  return undefined;
}
