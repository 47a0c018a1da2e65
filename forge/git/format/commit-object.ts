import {
  type AnnotatedTag,
  type Commit,
  type NewCommit,
  type NewTag,
  isObjectType,
} from '../git.ts';
import { expectObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import {
  decodeText,
  headerText,
  parseRawObject,
  withoutFinalNewline,
  withoutHeaders,
} from './raw-object.ts';
import { formatSignature, parseSignature } from './signature.ts';

const endOfHeaders = '\n\n';

const signatureHeaders: readonly string[] = ['gpgsig', 'gpgsig-sha256'];

/** `size` is that of the commit: `content` may be only its beginning. */
export function parseCommit(id: ObjectId, content: Buffer, size = content.length): Commit {
  const isWhole = content.length === size;
  const hasWholeHeaders = isWhole || content.includes(endOfHeaders);
  const raw = parseRawObject(hasWholeHeaders ? content : withoutLastLine(content));
  const encoding = headerText(raw, 'encoding');
  const person = (name: string) => {
    const value = raw.headers.find((header) => header.name === name)?.value;
    return parseSignature(decodeText(value ?? Buffer.alloc(0), encoding));
  };
  const found = headerText(raw, 'gpgsig');
  const signature = found === undefined || hasWholeHeaders ? found : null;
  const signed = raw.headers.filter((header) => signatureHeaders.includes(header.name));
  return {
    id,
    tree: expectObjectId(headerText(raw, 'tree')),
    parents: raw.headers
      .filter((header) => header.name === 'parent')
      .map((header) => expectObjectId(header.value.toString())),
    author: person('author'),
    committer: person('committer'),
    message: withoutFinalNewline(decodeText(raw.body, encoding)),
    signature,
    payload:
      isWhole && signature !== undefined ? withoutHeaders(content, signed).toString() : undefined,
  };
}

/** Without a part of a header. */
function withoutLastLine(content: Buffer): Buffer {
  return content.subarray(0, content.lastIndexOf('\n') + 1);
}

export function formatCommit(commit: NewCommit): Buffer {
  const headers = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(commit.author)}`,
    `committer ${formatSignature(commit.committer)}`,
  ];
  return Buffer.from(`${headers.join('\n')}\n\n${formatMessage(commit.message)}`);
}

export function parseTag(id: ObjectId, content: Buffer): AnnotatedTag {
  const raw = parseRawObject(content);
  const type = headerText(raw, 'type') ?? '';
  if (!isObjectType(type)) throw new TypeError(`Tag ${id} points to an object of type ${type}.`);
  const tagger = headerText(raw, 'tagger');
  return {
    id,
    tag: headerText(raw, 'tag') ?? '',
    object: expectObjectId(headerText(raw, 'object')),
    type,
    tagger: tagger === undefined ? undefined : parseSignature(tagger),
    message: withoutFinalNewline(raw.body.toString()),
  };
}

export function formatTag(tag: NewTag): Buffer {
  const headers = [
    `object ${tag.object}`,
    `type ${tag.type}`,
    `tag ${tag.tag}`,
    `tagger ${formatSignature(tag.tagger)}`,
  ];
  return Buffer.from(`${headers.join('\n')}\n\n${formatMessage(tag.message)}`);
}

/** git ends each message with a newline and takes NUL for its end. */
function formatMessage(message: string): string {
  const text = message.replaceAll('\0', '');
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
