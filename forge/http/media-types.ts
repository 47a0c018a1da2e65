import { refuse } from '../errors/api-error.ts';

/** The requested media type, parsed from `Accept` (docs/specification/forge.md 8.1 and 8.2). */
export interface MediaType {
  /** `json` unless the client asked for raw, text, html, full, diff, patch or sha. */
  readonly format: Format;
  /** Whether `Accept` does not allow JSON as a fallback for the format. */
  readonly exact: boolean;
  readonly previews: readonly string[];
  /** The value of `X-<Vendor>-Media-Type`. */
  readonly echo: string;
  /** The media type as the client wrote it, for responses that are not JSON. */
  readonly requested: string | undefined;
  /** The vendor name in the client's media type, if any (`github` in `application/vnd.github+json`). */
  readonly vendorWord: string | undefined;
}

export type Format =
  | 'json'
  | 'raw'
  | 'text'
  | 'html'
  | 'full'
  | 'diff'
  | 'patch'
  | 'sha'
  | 'octet-stream';

const formats: ReadonlySet<string> = new Set([
  'raw',
  'text',
  'html',
  'full',
  'diff',
  'patch',
  'sha',
]);

const vendorType = /^application\/vnd\.([a-z0-9]+)((?:\.[a-z0-9-]+)*)(\+json)?$/i;

/**
 * Parses an `Accept` header; the first entry with a vendor media type decides. Refuses with 415 if nothing matches. Where files are
 * sent, `application/octet-stream` asks for one.
 */
export function parseAccept(
  header: string | undefined,
  defaultWord: string,
  sendsFiles = false,
): MediaType {
  const plain: MediaType = {
    format: 'json',
    exact: false,
    previews: [],
    echo: `${defaultWord}.v3; format=json`,
    requested: undefined,
    vendorWord: undefined,
  };
  if (header === undefined || header.trim() === '') return plain;
  const entries = header.split(',').map((entry) => (entry.split(';')[0] ?? '').trim());
  if (sendsFiles && entries.some((entry) => /^application\/octet-stream$/i.test(entry))) {
    return { ...plain, format: 'octet-stream', requested: 'application/octet-stream' };
  }
  const vendorEntries = entries.flatMap((entry) => parseVendorEntry(entry) ?? []);
  const first = vendorEntries[0];
  if (first) return { ...combine(first, vendorEntries), exact: !entries.some(takesJson) };
  if (entries.some((entry) => /^application\/json$/i.test(entry))) return plain;
  if (entries.some((entry) => /^(\*\/\*|application\/\*|\*)$/i.test(entry))) {
    const onlyWildcards = entries.every((entry) => /^(\*\/\*|application\/\*|\*)$/i.test(entry));
    return onlyWildcards ? plain : { ...plain, echo: `unknown, ${defaultWord}.v3` };
  }
  return refuse({ kind: 'unsupported-accept', accept: header });
}

interface VendorEntry {
  readonly requested: string;
  readonly word: string;
  readonly parameters: readonly string[];
  readonly json: boolean;
}

function parseVendorEntry(entry: string): VendorEntry | undefined {
  const match = vendorType.exec(entry);
  if (!match?.[1]) return undefined;
  const parameters = (match[2] ?? '').split('.').filter((part) => part !== '');
  return {
    requested: entry,
    word: match[1].toLowerCase(),
    parameters,
    json: match[3] !== undefined,
  };
}

function takesJson(entry: string): boolean {
  return /^(?:application\/(?:json|\*|\S+\+json)|\*(?:\/\*)?)$/i.test(entry);
}

function combine(first: VendorEntry, all: readonly VendorEntry[]): Omit<MediaType, 'exact'> {
  const withoutVersion = first.parameters.filter((part) => !isVersion(part));
  const named = first.parameters
    .map((part) => part.toLowerCase())
    .find((part) => formats.has(part));
  const capital = first.parameters.some((part) => /^V\d+$/.test(part))
    ? first.parameters
    : withoutVersion;
  const parameter = capital.length > 0 ? `; param=${capital.join('.')}` : '';
  const json = first.json || first.parameters.every((part) => isVersion(part) || isPreview(part));
  return {
    format: isFormat(named) ? named : 'json',
    previews: all.flatMap((entry) =>
      entry.parameters.filter(isPreview).map((part) => part.toLowerCase().replace(/-preview$/, '')),
    ),
    echo: `${first.word}.v3${parameter}${json ? '; format=json' : ''}`,
    requested: first.requested,
    vendorWord: first.word,
  };
}

function isFormat(text: string | undefined): text is Format {
  return text !== undefined && formats.has(text);
}

function isVersion(part: string): boolean {
  return /^(v\d+|beta|version)$/i.test(part);
}

function isPreview(part: string): boolean {
  return /-preview$/i.test(part);
}
