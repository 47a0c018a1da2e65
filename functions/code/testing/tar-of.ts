export interface TarItem {
  readonly name: string;
  /** The format's type character; a file without one, a folder when the name ends with `/`. */
  readonly type?: string;
  readonly content?: string | Uint8Array;
  readonly target?: string;
  readonly mode?: number;
  readonly modified?: number;
  /** Instead of the content's. */
  readonly size?: number;
}

/** A tar archive, ended by its two blocks of zeros. */
export function tarOf(items: readonly TarItem[]): Buffer {
  return Buffer.concat([...items.flatMap(blocks), Buffer.alloc(1024)]);
}

/** An item of the extended header, to stand before the item it is about. */
export function paxOf(records: Readonly<Record<string, string>>): TarItem {
  const content = Object.entries(records).map(([key, value]) => record(key, value));
  return { name: 'pax', type: 'x', content: content.join('') };
}

function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (length !== bytes + String(length).length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

function blocks(item: TarItem): Buffer[] {
  const content = Buffer.from(item.content ?? '');
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  };
  header.write(item.name.slice(0, 100), 0);
  octal(item.mode ?? 0o644, 100, 8);
  octal(item.size ?? content.length, 124, 12);
  octal(item.modified ?? 0, 136, 12);
  header.write(item.type ?? (item.name.endsWith('/') ? '5' : '0'), 156);
  header.write(item.target ?? '', 157);
  header.write('ustar\0', 257, 'latin1');
  header.fill(' ', 148, 156);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}
