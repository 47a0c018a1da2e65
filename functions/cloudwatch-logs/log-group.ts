import { createHash } from 'node:crypto';

import { groupFolder, statOf } from '../logs/log-files.ts';
import type { LogLine } from '../logs/stream-reader.ts';
import type { AccountRegion } from '../model/function-name.ts';
import { invalidLogsParameter, noSuchGroup, type LogsPorts } from './logs-operation.ts';

/** A group as an operation names it: exactly one member is given. */
interface NamedGroup {
  readonly logGroupName?: string;
  readonly logGroupIdentifier?: string;
}

export function groupArn({ region, accountId }: AccountRegion, group: string): string {
  return `arn:aws:logs:${region}:${accountId}:log-group:${group}`;
}

/** The name of a group that exists, or a refusal. A group begins to exist when a function first writes to it. */
export async function requireGroup(
  ports: LogsPorts,
  { logGroupName, logGroupIdentifier }: NamedGroup,
): Promise<string> {
  if ((logGroupName === undefined) === (logGroupIdentifier === undefined)) {
    throw invalidLogsParameter('Exactly one of logGroupName and logGroupIdentifier must be given.');
  }
  const group = logGroupName ?? nameIn(ports.settings, logGroupIdentifier ?? '');
  if (!(await groupExists(ports, group))) throw noSuchGroup();
  return group;
}

export async function groupExists({ logFolder }: LogsPorts, group: string): Promise<boolean> {
  return (await statOf(groupFolder(logFolder, group))) !== undefined;
}

/** Returns a name unchanged; the ARN of another account or region names no group here. */
export function nameIn(accountRegion: AccountRegion, identifier: string): string {
  if (!identifier.startsWith('arn:')) return identifier;
  const prefix = groupArn(accountRegion, '');
  if (!identifier.startsWith(prefix) || identifier === prefix) throw noSuchGroup();
  return identifier.slice(prefix.length);
}

/** Bytes that an event adds to what a page may hold, as CloudWatch Logs counts. */
const eventOverheadBytes = 26;

/** CloudWatch Logs: messages of a page. */
export const pageBytesMax = 1_048_576;

export function eventBytes({ text }: Pick<LogLine, 'text'>): number {
  return Buffer.byteLength(text) + eventOverheadBytes;
}

/** Messages of functions end with a line feed, as on AWS. */
export function messageOf({ text }: Pick<LogLine, 'text'>): string {
  return `${text}\n`;
}

/** Numbers the lines of one stream within one millisecond, so that each has the same unique id in every query. */
export class EventIds {
  readonly #last = new Map<string, { at: number; count: number }>();

  /** 56 digits, in the order of time. Every line of the millisecond must be passed, in order. */
  of({ at, stream }: LogLine): string {
    const before = this.#last.get(stream);
    const count = before?.at === at ? before.count + 1 : 0;
    this.#last.set(stream, { at, count });
    const digest = createHash('sha256').update(stream).digest().readBigUInt64BE();
    return [
      String(at).padStart(16, '0'),
      String(digest).padStart(20, '0'),
      String(count).padStart(20, '0'),
    ].join('');
  }
}
