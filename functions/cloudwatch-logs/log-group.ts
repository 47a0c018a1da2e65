import type { Site } from '../model/function-name.ts';
import { groupFolder, statOf } from '../logs/log-files.ts';
import { invalidParameter, noSuchGroup } from './logs-errors.ts';
import type { LogsPorts } from './logs-operation.ts';

/** A group as an operation names it: exactly one member is given. */
export interface NamedGroup {
  readonly logGroupName?: string;
  readonly logGroupIdentifier?: string;
}

export function groupArn({ region, accountId }: Site, group: string): string {
  return `arn:aws:logs:${region}:${accountId}:log-group:${group}`;
}

/** The name of a group that exists, or a refusal. A group begins to exist when a function first writes to it. */
export async function requireGroup(
  ports: LogsPorts,
  { logGroupName, logGroupIdentifier }: NamedGroup,
): Promise<string> {
  if ((logGroupName === undefined) === (logGroupIdentifier === undefined)) {
    throw invalidParameter('Exactly one of logGroupName and logGroupIdentifier must be given.');
  }
  const group = logGroupName ?? nameIn(ports.settings, logGroupIdentifier ?? '');
  if (!(await groupExists(ports, group))) throw noSuchGroup();
  return group;
}

export async function groupExists({ logFolder }: LogsPorts, group: string): Promise<boolean> {
  return (await statOf(groupFolder(logFolder, group))) !== undefined;
}

/** Returns a name unchanged; the ARN of another account or region names no group here. */
export function nameIn(site: Site, identifier: string): string {
  if (!identifier.startsWith('arn:')) return identifier;
  const prefix = groupArn(site, '');
  if (!identifier.startsWith(prefix)) throw noSuchGroup();
  return identifier.slice(prefix.length);
}
