/**
 * The path of an entry below the target directory: names joined by `/`, empty for that directory itself. Throws for every name that
 * could mean another location on some system, so that no two readers disagree about an archive.
 */
export function safeArchivePath(name: string): string {
  const fault = faultOf(name);
  if (fault !== undefined) throw new ArchiveRefusal('forbidden', `Entry ${shown(name)} ${fault}.`);
  return name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** The folder of a path; empty for a path of one name. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/**
 * Whether a symbolic link stays below the target directory, regardless of other entries. A `..` after a name could follow another
 * link to anywhere, so `..` is allowed only at the start, where it is resolved from a directory that is not a link.
 */
export function staysInside(linkPath: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false;
  if (Buffer.byteLength(target) > pathBytesMax) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const leading = parts.findIndex((part) => part !== '..');
  const ups = leading === -1 ? parts.length : leading;
  const depth = linkPath.split('/').length - 1;
  return ups <= depth && !parts.slice(ups).includes('..');
}

/** Path in an archive, and target of a link: the system accepts 4096 bytes; the rest is for the directory on the host. */
const pathBytesMax = 2048;

/** One name of a path in an archive. */
const nameBytesMax = 255;

/** Folders within folders of an archive. */
const depthMax = 100;

function faultOf(name: string): string | undefined {
  if (name === '') return 'has no name';
  if (name.includes('\0')) return 'has a null character in its name';
  if (name.includes('\\')) return 'has a backslash in its name';
  if (name.startsWith('/')) return 'has an absolute path';
  if (/^[a-z]:/i.test(name)) return 'names a drive';
  if (Buffer.byteLength(name) > pathBytesMax) return `has a path of over ${pathBytesMax} bytes`;
  const parts = name.split('/');
  if (parts.includes('..')) return 'leads outside of the archive';
  if (parts.length > depthMax) return `is more than ${depthMax} folders deep`;
  if (parts.some((part) => Buffer.byteLength(part) > nameBytesMax)) {
    return `has a name of over ${nameBytesMax} bytes`;
  }
  return undefined;
}

/** Why a caller's archive was not unpacked. The message names the entry. */
export class ArchiveRefusal extends Error {
  readonly kind: ArchiveFault;

  constructor(kind: ArchiveFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ArchiveRefusal';
    this.kind = kind;
  }
}

export type ArchiveFault =
  /** It violates its format. */
  | 'damaged'
  /** It is well formed, but contains something that is not allowed. */
  | 'forbidden'
  /** Its content is more than may be unpacked. */
  | 'too-large'
  /** Too many archives are being fetched. */
  | 'busy';

/** Names are untrusted: shown without line breaks or terminal escapes, and with a limited length. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
