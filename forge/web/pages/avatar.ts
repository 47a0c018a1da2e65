import { createHash } from 'node:crypto';

import { notFound } from '../../errors/api-error.ts';
import type { WebResponse } from '#web/web-response.ts';
import type { WebContext } from '../kit/web-context.ts';

const side = 5;

/** A picture made of an account's id: five columns that mirror each other, in a colour of its own. */
export async function showAvatar({ path }: WebContext): Promise<WebResponse> {
  const id = path['id'] ?? '';
  if (!/^[1-9]\d{0,14}$/.test(id)) return notFound();
  return {
    kind: 'bytes',
    contentType: 'image/svg+xml; charset=utf-8',
    body: identicon(createHash('sha256').update(`account ${id}`).digest()),
    lasting: 'hour',
    embedded: true,
  };
}

function identicon(digest: Buffer): string {
  const hue = Math.round((digest.readUInt16BE(30) / 0xffff) * 359);
  const squares: string[] = [];
  for (let column = 0; column < Math.ceil(side / 2); column += 1) {
    for (let row = 0; row < side; row += 1) {
      if (((digest[column * side + row] ?? 0) & 1) === 0) continue;
      for (const x of new Set([column, side - 1 - column])) {
        squares.push(`<path d="M${x} ${row}h1v1h-1z"/>`);
      }
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 ${side + 2} ${side + 2}" shape-rendering="crispEdges">` +
    `<path fill="#f0f0f0" d="M-1-1h${side + 2}v${side + 2}H-1z"/>` +
    `<g fill="hsl(${hue} 55% 45%)">${squares.join('')}</g></svg>`
  );
}
