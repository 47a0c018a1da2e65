import { Readable } from 'node:stream';

import type { FastifyBaseLogger } from 'fastify';

import { accountsById } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import { flushPacket, formatPacket, PacketSplitter } from '../git/format/pkt-line.ts';
import { noObject } from '../git/names.ts';
import { takePush } from '../git-http/push.ts';
import type { Reach } from '../http/checked-request.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import { chooseDefaultBranch } from '../ref-updates/default-branch.ts';
import { authorizeRepository, mayPush } from '../repositories/repository-access.ts';
import { setDefaultBranch } from '../repositories/repository-store.ts';
import { fetchPack, ImportError, type ImportSource, readSource } from './import-source.ts';

export interface ImportRun {
  readonly repositoryId: number;
  readonly accountId: number;
  readonly url: URL;
  readonly reach: Reach;
  readonly log: FastifyBaseLogger;
  /** Called for each piece that arrives. */
  readonly received: (bytes: number) => void;
}

/**
 * Imports branches and tags into an empty repository: as a push of the user, with its limits, its checks of objects and what follows from
 * it. Returns what was left out.
 */
export async function runImport(ports: Ports, run: ImportRun): Promise<string | null> {
  const source = await readSource(run.url, run.reach);
  const { repositoryId } = run;
  if (source.refs.length === 0) return 'It is empty.';
  await adoptDefaultBranch(ports, repositoryId, source);
  // What fails while the request is read is the reason; git only says that the pack broke off.
  const failure: { error?: unknown } = {};
  const push = await takePush(ports, {
    repositoryId,
    pusherId: run.accountId,
    body: Readable.from(requestOf(source, run, failure), { objectMode: false }),
    protocol: undefined,
    onlyBranches: undefined,
    authorizeAgain: async (sql) => {
      const account = (await accountsById(sql, [run.accountId])).get(run.accountId);
      if (!account || account.suspendedAt !== null) return notFound();
      const caller: UserCaller = { kind: 'user', account, scopes: 'password' };
      await authorizeRepository(sql, caller, { id: repositoryId }, mayPush);
    },
    deployKey: false,
    staysOpen: false,
    log: run.log,
  });
  const report = await readReport(push.stream).catch((error: unknown) => {
    throw failure.error ?? error;
  });
  if (failure.error !== undefined) throw failure.error;
  const [, unpacked = 'it broke off'] = /unpack ([^\n]*)/.exec(report) ?? [];
  if (unpacked !== 'ok') throw new ImportError(`git refused the objects: ${unpacked}.`);
  const refused = [...report.matchAll(/ng (\S+) ([^\n]*)/g)];
  if (refused.length === source.refs.length) {
    throw new ImportError(`git refused every branch and tag: ${refused[0]?.[2] ?? ''}.`);
  }
  const missing = refused.length + source.skipped;
  return missing === 0 ? null : `${missing} of its branches and tags were left out.`;
}

/** A clone checks out what it checks out at the source. */
async function adoptDefaultBranch(
  ports: Ports,
  repositoryId: number,
  { defaultBranch, refs }: ImportSource,
): Promise<void> {
  if (!defaultBranch || !refs.some(({ name }) => name === `refs/heads/${defaultBranch}`)) return;
  await chooseDefaultBranch(ports, repositoryId, {
    find: async () => defaultBranch,
    write: (sql) => setDefaultBranch(sql, repositoryId, defaultBranch),
  });
}

/** The request of a push (gitprotocol-pack(5), "Reference Update Request"). */
async function* requestOf(
  source: ImportSource,
  { reach, received }: ImportRun,
  failure: { error?: unknown },
): AsyncGenerator<Buffer> {
  const commands = source.refs.map(({ name, id }, index) =>
    formatPacket(`${noObject} ${id} ${name}${index === 0 ? '\0report-status side-band-64k' : ''}`),
  );
  yield Buffer.concat([...commands, flushPacket]);
  try {
    for await (const piece of fetchPack(source, reach)) {
      received(piece.length);
      yield piece;
    }
  } catch (error) {
    failure.error = error;
    throw error;
  }
}

/** Report of git about an import; a longer one is cut. */
const reportBytesMax = 1024 * 1024;

/** Band 1 of the response, which has the report. */
async function readReport(stream: Readable): Promise<string> {
  const splitter = new PacketSplitter();
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a report without an encoding is text');
    splitter.push(chunk);
    for (let packet = splitter.next(); packet; packet = splitter.next()) {
      if (packet.kind === 'mark' || packet.content[0] !== 1) continue;
      if (bytes < reportBytesMax) parts.push(packet.content.subarray(1));
      bytes += packet.content.length;
    }
  }
  return Buffer.concat(parts).toString();
}
