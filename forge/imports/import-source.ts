import type { IncomingMessage } from 'node:http';

import { flushPacket, formatPacket, PacketSplitter } from '../git/format/pkt-line.ts';
import {
  type BranchName,
  type ObjectId,
  parseBranchName,
  parseObjectId,
  parseRefName,
  type RefName,
} from '../git/names.ts';
import { type Reach, requestChecked } from '../http/checked-request.ts';

/** Why a repository cannot be imported, in a sentence for its user. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** A repository on another server. */
export interface ImportSource {
  /** Its branches and tags. */
  readonly refs: readonly { readonly name: RefName; readonly id: ObjectId }[];
  /** Branches and tags with names that no ref may have here. */
  readonly skipped: number;
  readonly defaultBranch: BranchName | undefined;
  /** Where its service is, after redirects. */
  readonly service: URL;
}

/** URL that a repository is imported from. */
const urlCharactersMax = 2048;
/** Redirects of such a URL. */
const redirectsMax = 3;
/** List of branches and tags of a repository that is imported. */
const refsBytesMax = 16 * 1024 * 1024;
/**
 * Lines of that list, which may be shorter than any ref. A repository has refs of its pulls as well, which are not imported.
 */
const refPacketsMax = 300_000;
/** Branches and tags that are imported; as many as a push may have. The pack has the limits of a push. */
const refsMax = 10_000;

/** The URL of a repository by HTTP, without credentials, which the database would hold; undefined for any other text. */
export function parseImportUrl(text: string): URL | undefined {
  const url = text.length > urlCharactersMax ? null : URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  if (url.search !== '' || url.hash !== '') return undefined;
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

const refsOfService = '/info/refs';
const service = 'git-upload-pack';

/** What the repository at a URL has (gitprotocol-http(5), "Discovering References"). */
export async function readSource(url: URL, reach: Reach): Promise<ImportSource> {
  let at = new URL(url);
  at.pathname += refsOfService;
  at.search = `?service=${service}`;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const response = await requestChecked(at, reach, { headers: headersOf('*/*') });
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      at = redirected(headers.location, at);
      continue;
    }
    const packets = await readRefPackets(response);
    const base = new URL(at);
    base.pathname = `${base.pathname.slice(0, -refsOfService.length)}/${service}`;
    base.search = '';
    return sourceOf(packets, base);
  }
  return fail('Its server redirects too often.');
}

/** git, too, follows only redirects that keep the end of the URL: the rest is where the repository is. */
function redirected(location: string, from: URL): URL {
  const next = URL.parse(location, from);
  const isSame = next?.pathname.endsWith(refsOfService) && next.search === from.search;
  const isHttp = next !== null && /^https?:$/.test(next.protocol) && next.username === '';
  return next && isSame && isHttp ? next : fail('Its server redirects to no git repository.');
}

async function readRefPackets(response: IncomingMessage): Promise<readonly Buffer[]> {
  const { statusCode, headers } = response;
  try {
    if (statusCode === 401 || statusCode === 403 || statusCode === 404) {
      return fail('There is no public repository at this address.');
    }
    if (statusCode !== 200) return fail(`Its server answered ${statusCode}.`);
    if (headers['content-type'] !== `application/x-${service}-advertisement`) {
      return fail('There is no git repository at this address.');
    }
    const splitter = new PacketSplitter();
    const packets: Buffer[] = [];
    let bytes = 0;
    let marks = 0;
    for await (const chunk of response) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('a response without an encoding is text');
      bytes += chunk.length;
      if (bytes > refsBytesMax) return fail('It has too many branches and tags.');
      splitter.push(chunk);
      for (let packet = splitter.next(); packet; packet = splitter.next()) {
        if (packet.kind === 'content') packets.push(packet.content);
        else marks += 1;
        if (packets.length > refPacketsMax || marks > 2) {
          return fail('It has too many branches and tags.');
        }
      }
    }
    // The name of the service ends with a mark of its own.
    return marks === 2 ? packets : fail('Its server broke off.');
  } finally {
    response.destroy();
  }
}

function sourceOf([head, ...lines]: readonly Buffer[], at: URL): ImportSource {
  if (head?.toString().trim() !== `# service=${service}`) {
    return fail('There is no git repository at this address.');
  }
  const [, capabilities = ''] = (lines[0]?.toString() ?? '').split('\0');
  const has = new Set(capabilities.trim().split(' '));
  const format = [...has].find((each) => each.startsWith('object-format='));
  if (format !== undefined && format !== 'object-format=sha1') {
    return fail('Its objects are not named by SHA-1.');
  }
  const refs: { name: RefName; id: ObjectId }[] = [];
  let skipped = 0;
  for (const line of lines) {
    const [ref = ''] = line.toString().split('\0');
    const [, hex = '', text = ''] =
      /^([0-9a-f]{40}) (refs\/(?:heads|tags)\/.*?)\n?$/.exec(ref) ?? [];
    if (hex === '' || text.endsWith('^{}')) continue;
    const [name, id] = [parseRefName(text), parseObjectId(hex)];
    if (name && id) refs.push({ name, id });
    else skipped += 1;
  }
  if (refs.length > refsMax) return fail(`It has more than ${refsMax} branches and tags.`);
  if (refs.length > 0 && !has.has('side-band-64k')) return fail('Its server is too old.');
  const symref = [...has].find((each) => each.startsWith('symref=HEAD:refs/heads/'));
  const defaultBranch = parseBranchName(symref?.slice('symref=HEAD:refs/heads/'.length) ?? '');
  return { refs, skipped, defaultBranch, service: at };
}

/** The objects of all refs as a pack (gitprotocol-pack(5), "Packfile Negotiation": nothing is here yet). */
export async function* fetchPack(source: ImportSource, reach: Reach): AsyncGenerator<Buffer> {
  const ids = [...new Set(source.refs.map(({ id }) => id))];
  const wants = ids.map((id, index) =>
    formatPacket(`want ${id}${index === 0 ? ' side-band-64k ofs-delta no-progress' : ''}\n`),
  );
  const body = Buffer.concat([...wants, flushPacket, formatPacket('done\n')]);
  const headers = {
    ...headersOf(`application/x-${service}-result`),
    'content-type': `application/x-${service}-request`,
    'content-length': String(body.length),
  };
  const response = await requestChecked(source.service, reach, { headers, body });
  try {
    if (response.statusCode !== 200) fail(`Its server answered ${response.statusCode}.`);
    yield* packOf(response);
  } finally {
    response.destroy();
  }
}

async function* packOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  const splitter = new PacketSplitter();
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a response without an encoding is text');
    splitter.push(chunk);
    for (let packet = splitter.next(); packet; packet = splitter.next()) {
      if (packet.kind === 'mark') return;
      const { content } = packet;
      // Before the bands there is `NAK`; band 2 is progress.
      if (content[0] === 1) yield content.subarray(1);
      if (content[0] === 3) failAsSaid(content.subarray(1));
      if (content.toString('latin1', 0, 4) === 'ERR ') failAsSaid(content.subarray(4));
    }
  }
  fail('Its server broke off.');
}

/** PostgreSQL cannot store U+0000 in text. */
function failAsSaid(content: Buffer): never {
  fail(`Its server says: ${content.toString('utf8', 0, 300).replaceAll('\0', '\u{FFFD}').trim()}`);
}

function headersOf(accept: string): Readonly<Record<string, string>> {
  // Servers look at the name of the program to decide whether it is git.
  return { accept, 'user-agent': 'git/2.38 (hob import)' };
}

function fail(message: string): never {
  throw new ImportError(message);
}
