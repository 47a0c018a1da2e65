/**
 * The framing of git's protocols: four hexadecimal digits of length, which they count too, then the
 * content.
 */

/** Packet of git's protocol, the longest that git sends or takes. */
export const packetBytesMax = 65_520;

export type Packet =
  | { readonly kind: 'content'; readonly content: Buffer }
  /** `0000`, `0001` or `0002`. */
  | { readonly kind: 'mark' };

export const flushPacket = Buffer.from('0000');

export function formatPacket(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = (bytes.length + 4).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** A packet of the multiplexed response: band 1 is the report, 2 is shown to the user, 3 is an error that ends it. */
export function formatSideband(band: 1 | 2 | 3, content: Buffer): Buffer {
  return formatPacket(Buffer.concat([Buffer.from([band]), content]));
}

/** What clients may not be sent in one piece. */
export class MalformedPacket extends Error {
  override readonly name = 'MalformedPacket';
}

/** Splits bytes that arrive in pieces into packets. */
export class PacketSplitter {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /** The next whole packet; undefined until more bytes arrive. */
  next(): Packet | undefined {
    if (this.#rest.length < 4) return undefined;
    const digits = this.#rest.toString('latin1', 0, 4);
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new MalformedPacket('a packet has no length');
    const length = Number.parseInt(digits, 16);
    if (length < 3) {
      this.#rest = this.#rest.subarray(4);
      return { kind: 'mark' };
    }
    if (length === 3 || length > packetBytesMax) throw new MalformedPacket('a packet is too long');
    if (this.#rest.length < length) return undefined;
    const content = this.#rest.subarray(4, length);
    this.#rest = this.#rest.subarray(length);
    return { kind: 'content', content };
  }

  /** Bytes that were not read as packets. */
  rest(): Buffer {
    return this.#rest;
  }
}

/** Every packet of a whole message; stops at the first mark. */
export function readPackets(message: Buffer): Buffer[] {
  const splitter = new PacketSplitter();
  splitter.push(message);
  const contents: Buffer[] = [];
  for (let packet = splitter.next(); packet; packet = splitter.next()) {
    if (packet.kind === 'mark') break;
    contents.push(packet.content);
  }
  return contents;
}
