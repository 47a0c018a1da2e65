import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { CliError } from '../context/errors.ts';
import type { ProfilePaths } from './profile-files.ts';

export interface WrittenProfile {
  readonly name: string;
  readonly region: string;
  readonly endpointUrl: string;
  readonly output: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Writes a profile into the two files of AWS tools, so that they and this client find the server by its name. What
 * else stands in the files stays as it is, comments included.
 */
export async function writeProfile(profile: WrittenProfile, paths: ProfilePaths): Promise<void> {
  const { name } = profile;
  if (!/^[\w.@+-]+$/.test(name)) {
    throw new CliError(
      252,
      `Invalid profile name ${JSON.stringify(name)}: use letters, digits and . _ @ + - only.`,
    );
  }
  const title = name === 'default' ? 'default' : `profile ${name}`;
  await changeSection(paths.config, title, {
    region: profile.region,
    endpoint_url: profile.endpointUrl,
    ...(profile.output === undefined ? {} : { output: profile.output }),
  });
  await changeSection(paths.credentials, name, {
    aws_access_key_id: profile.accessKeyId,
    aws_secret_access_key: profile.secretAccessKey,
  });
}

type Settings = Readonly<Record<string, string>>;

async function changeSection(path: string, title: string, settings: Settings): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    if (/[\r\n]/.test(value)) throw new CliError(252, `${name} must be one line.`);
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = withSection(await textOf(path), title, settings);
  const file = await linkTarget(path);
  // A reader sees the old file or the new one. In a folder of its own, no link or file of another user has the name of the new one.
  const folder = await mkdtemp(`${file}.`);
  try {
    const temporary = join(folder, 'new');
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Where a link leads, so that the link stays one; the path itself while there is no file. */
async function linkTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isAbsent(error)) return path;
    throw error;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The text with these settings in that section, which is added at the end when it is not there. */
export function withSection(text: string, title: string, settings: Settings): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const start = lines.findIndex((line) => titleOf(line) === title);
  const written = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  if (start === -1) {
    const gap = lines.length > 0 && lines.at(-1)?.trim() !== '' ? [''] : [];
    return joined([...lines, ...gap, `[${title}]`, ...written]);
  }
  const next = lines.findIndex((line, index) => index > start && titleOf(line) !== undefined);
  const end = next === -1 ? lines.length : next;
  const remaining = withoutSettings(lines.slice(start + 1, end), Object.keys(settings));
  return joined([...lines.slice(0, start + 1), ...written, ...remaining, ...lines.slice(end)]);
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const titleOf = (line: string): string | undefined =>
  /^\[([^\]]+)\]/.exec(line)?.[1]?.trim().split(/\s+/).join(' ');

/** With a setting goes the block indented under it. */
function withoutSettings(lines: readonly string[], names: readonly string[]): string[] {
  let dropping = false;
  return lines.filter((line) => {
    if (!/^\s/.test(line) || line.trim() === '') {
      const name = /^([^=:]+?)\s*[=:]/.exec(line)?.[1]?.toLowerCase();
      dropping = name !== undefined && names.includes(name);
    }
    return !dropping;
  });
}
