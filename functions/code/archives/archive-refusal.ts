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
  | 'too-large';

/** Names are untrusted: shown without line breaks or terminal escapes, and with a limited length. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
