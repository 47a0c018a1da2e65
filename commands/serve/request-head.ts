import type { IncomingMessage } from 'node:http';

/**
 * What is wrong with a request's head that Node's parser lets pass; undefined: nothing. A proxy between client and server
 * may read such a head otherwise, so the connection must end with the refusal (RFC 9112, sections 3.2, 6.1 and 11.2). The target
 * of a request in absolute form is put into the form of all others, its host instead of the Host header (section 3.2.2).
 */
export function checkHead(request: IncomingMessage): string | undefined {
  const { httpVersion, rawHeaders } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return 'Unsupported HTTP version: use HTTP/1.1 or HTTP/1.0.';
  const hostAt = hostPositions(rawHeaders);
  if (hostAt.length > 1) return 'More than one Host header was sent.';
  const host = rawHeaders[hostAt[0] ?? rawHeaders.length] ?? '';
  if (!hostForm.test(host)) return 'The Host header is not a valid host with an optional port.';
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return 'Unsupported Transfer-Encoding: use chunked, with HTTP/1.1 only.';
  }
  const { url = '/' } = request;
  if (url.startsWith('/') || (url === '*' && request.method === 'OPTIONS')) return undefined;
  return applyAbsoluteForm(request, url, hostAt[0]);
}

/** Indices of the values. Looks at lengths first: this runs for every request. */
function hostPositions(rawHeaders: readonly string[]): readonly number[] {
  const positions: number[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') positions.push(index + 1);
  }
  return positions;
}

function applyAbsoluteForm(
  request: IncomingMessage,
  url: string,
  hostAt: number | undefined,
): string | undefined {
  const [, authority = '', rest = ''] = absoluteForm.exec(url) ?? [];
  if (authority === '' || !hostForm.test(authority)) {
    return 'The request target is neither a path nor an http or https URL.';
  }
  request.url = rest === '' && request.method === 'OPTIONS' ? '*' : pathOf(rest);
  request.headers.host = authority;
  if (hostAt !== undefined) request.rawHeaders[hostAt] = authority;
  return undefined;
}

function pathOf(rest: string): string {
  return rest.startsWith('/') ? rest : `/${rest}`;
}

const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i;
/** uri-host [":" port] (RFC 9110, section 7.2). Empty where a client has no host to name. */
const hostForm = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;
